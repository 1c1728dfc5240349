package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/wda"
	"gonum.org/v1/gonum/mat"
)

// TestCV checks that the table, the JSON object and the CSV file contain the errors that the
// library returns, and that the model is the fit with the best settings. The results must not
// depend on the number of goroutines or the file format.
func TestCV(t *testing.T) {
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	grid := strings.Fields("cv -p 2,1 --lambda 0.1,3 --shrinkage 1,0,0.5 --k 5,1,5 --folds 3 --max-steps 4 --seed 2 --whitening none --scale orthonormal")
	v := object(t, append(grid, "--data", s.csv, "--csv", at("a.csv"), "--model", at("cv.wda"))...)
	want, err := wda.CrossValidate(t.Context(), s.data.X, s.data.Labels, &wda.CrossValidation{
		Fit: wda.Settings{Data: wda.Data{Whitening: wda.NoWhitening()}, Scale: wda.ScaleOrthonormal, Optimizer: wda.Optimizer{MaxSteps: 4}, Seed: 2}, Components: []int{2, 1}, Lambda: []wda.Lambda{wda.RelativeLambda(0.1), wda.RelativeLambda(3)},
		Shrinkage: []wda.Shrinkage{wda.FixedShrinkage(1), wda.FixedShrinkage(0), wda.FixedShrinkage(0.5)},
		Neighbors: []int{5, 1}, Folds: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	rows, ok := v["candidates"].([]any)
	if !ok || len(rows) != 24 || numberAt(t, v, "fits") != 36 || numberAt(t, v, "folds") != 3 || numberAt(t, v, "samples") != 60 {
		t.Fatalf("%v", v)
	}
	f, err := os.Open(at("a.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := csv.NewReader(f).ReadAll()
	if err != nil || len(table) != 25 || !slices.Equal(table[0], strings.Split("components,lambda,shrinkage,k,error,std_dev,fold1,fold2,fold3", ",")) {
		t.Fatalf("%v, %v", err, table)
	}
	last := -1.0
	for i, r := range rows {
		row := r.(map[string]any)
		var rho wda.Shrinkage
		key := fmt.Sprint(row["shrinkage"])
		if err := rho.UnmarshalText([]byte(key)); err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(want.Candidates, func(c wda.Candidate) bool {
			return c.Components == int(numberAt(t, row, "components")) && c.Lambda == (wda.RelativeLambda(numberAt(t, row, "lambda"))) && c.Shrinkage == rho && c.Neighbors == int(numberAt(t, row, "k"))
		})
		if at < 0 {
			t.Fatalf("setting %v was not asked for", row)
		}
		c := want.Candidates[at]
		checkNear(t, "error", numberAt(t, row, "error"), c.Error, 0)
		checkNear(t, "standard deviation", numberAt(t, row, "std_dev"), c.StdErr*math.Sqrt(3), 1e-12)
		if encode(t, row["errors"]) != encode(t, c.Errors) {
			t.Errorf("errors %v, want %v", row["errors"], c.Errors)
		}
		if c.Error < last {
			t.Errorf("row %d is better than the previous row", i)
		}
		last = c.Error
		cells := []string{fmt.Sprint(c.Components), fmt.Sprint(c.Lambda), key, fmt.Sprint(c.Neighbors), formatShortest(c.Error), formatShortest(numberAt(t, row, "std_dev"))}
		for _, e := range c.Errors {
			cells = append(cells, formatShortest(e))
		}
		if !slices.Equal(table[1+i], cells) {
			t.Errorf("CSV row %v, want %v", table[1+i], cells)
		}
	}
	b := want.Best
	if encode(t, v["best"]) != encode(t, rows[0]) || numberAt(t, v, "best", "lambda") != 3 || numberAt(t, v, "best", "k") != float64(b.Neighbors) || b.Lambda != (wda.RelativeLambda(3)) || b.Components != 2 {
		t.Errorf("best %v, want %+v", v["best"], b)
	}

	// The model.
	object(t, "fit", "--data", s.csv, "--model", at("fit.wda"), "-p", "2", "--lambda", "3", "--shrinkage", b.Shrinkage.String(), "--whitening", "none", "--scale", "orthonormal",
		"--max-steps", "4", "--k", strconv.Itoa(b.Neighbors))
	if !mat.Equal(loadProjection(t, at("cv.wda")), loadProjection(t, at("fit.wda"))) {
		t.Error("the model differs from that of fit with the best setting")
	}
	var hash any // hash of the first model, including the stored rows; the second model must have the same hash
	for _, model := range []string{"cv.wda", "fit.wda"} {
		info := object(t, "info", "--model", at(model))
		of := info["model"].(map[string]any)["hash"]
		if hash == nil {
			hash = of
		}
		if of != hash || of == loadModel(t, at(model)).Hash() {
			t.Errorf("%s: hash %v, want %v", model, of, hash)
		}
		if numberAt(t, info, "model", "k") != float64(b.Neighbors) || numberAt(t, info, "model", "rows") != 60 {
			t.Errorf("%s: %v", model, info)
		}
	}

	same, err := os.ReadFile(at("a.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for i, args := range [][]string{{"--data", s.npz, "--workers", "1"}, {"--data", s.x, "--labels", s.y, "--workers", "5"}} {
		if i == 0 && !testdata.IsLong() {
			continue
		}
		object(t, append(append(grid, "--csv", at("b.csv")), args...)...)
		if other, _ := os.ReadFile(at("b.csv")); string(other) != string(same) {
			t.Errorf("%q: another table", args)
		}
	}
	code, stdout, stderr := monge(t, append(grid, "--data", s.csv, "--csv", at("b.csv"), "--model", at("c.wda"))...)
	if code != 0 || stderr != "" || !strings.Contains(stdout, "\n*  2  3    ") || strings.Count(stdout, " %") != 40 || !strings.Contains(stdout, "(4 more: --csv writes all)") {
		t.Errorf("exit code %d, %q, %s", code, stderr, stdout)
	}
	// cv must accept all flags that change a fit.
	for _, args := range []string{"--float32", "--standardize", "--method pg", "--starts 2", "--validation 0.3 --validation-patience 2", "--absolute", "--paper", "--proportional --iterations 3", "--sample 45 --seed 3"} {
		v := object(t, append([]string{"cv", "--data", s.csv, "--lambda", "2", "--k", "1", "--max-steps", "2", "--folds", "2"}, strings.Fields(args)...)...)
		if e := numberAt(t, v, "best", "error"); !(e >= 0 && e <= 1) {
			t.Errorf("%s: error %v", args, e)
		}
	}
	if v := object(t, "cv", "--data", s.csv, "--paper", "--max-steps", "3", "--folds", "2"); numberAt(t, v, "best", "lambda") != 0.01 || numberAt(t, v, "best", "shrinkage") != 0 || numberAt(t, v, "fits") != 2 {
		t.Errorf("--paper: %v", v["best"])
	}
}

// TestCVChooses checks that cv chooses all settings that no flag fixes, in every fold, and prints
// them. The features have very different units, so cv must choose whitening.
func TestCVChooses(t *testing.T) {
	dir := t.TempDir()
	var rows strings.Builder
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		fmt.Fprintf(&rows, "%v,%v,%v,%d\n", float64(i%3)+0.1*rng.NormFloat64(), 1000*rng.NormFloat64(), rng.NormFloat64(), i%3)
	}
	data := write(t, filepath.Join(dir, "d.csv"), rows.String())
	args := []string{"cv", "--data", data, "-p", "1", "--lambda", "auto,2", "--shrinkage", "0.5", "--k", "5", "--folds", "3"}
	v := object(t, args...)
	for _, r := range v["candidates"].([]any) {
		row := r.(map[string]any)
		if e := numberAt(t, row, "error"); e > 0.1 {
			t.Errorf("error %v", e)
		}
		folds := row["chosen"].([]any)
		if len(folds) != 3 {
			t.Errorf("%d choices", len(folds))
		}
		for _, f := range folds {
			for _, m := range f.([]any) {
				c := m.(map[string]any)
				if c["whitening"] == "none" || c["shrinkage"] != 0.5 || row["lambda"] == 2.0 && c["lambda"] != "2" {
					t.Errorf("λ = %v: chosen %v", row["lambda"], c)
				}
			}
		}
	}
	code, stdout, stderr := monge(t, args...)
	if code != 0 || !strings.Contains(stdout, "  1  auto  0.5  5  ") || !strings.Contains(stdout, "Chosen for it in the fits to the parts:\n\n  ") || !strings.Contains(stdout, " whitening, λ = ") {
		t.Errorf("exit code %d, %s, %s", code, stdout, stderr)
	}
}

// TestCVBothFiles checks that cv writes no table if it cannot write the model. The disk is full
// when cv writes the model.
func TestCVBothFiles(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	s := simulate(t)
	dir := t.TempDir()
	code, _, stderr := monge(t, "cv", "--data", s.csv, "--k", "1", "--max-steps", "1", "--folds", "2", "--csv", filepath.Join(dir, "t.csv"), "--model", "/dev/full")
	if code != 1 || !strings.Contains(stderr, "/dev/full: cannot write") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	if left := files(t, dir); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestCVGolden checks the whole table for two distant classes, where all errors are 0.
func TestCVGolden(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	for i := range 12 {
		fmt.Fprintf(&text, "%d,%s\n", i+100*(i%2), []string{"near", "far"}[i%2])
	}
	data, table := write(t, filepath.Join(dir, "d.csv"), text.String()), filepath.Join(dir, "t.csv")
	object(t, "cv", "--data", data, "-p", "1", "--lambda", "0.5,2", "--shrinkage", "1,0,0.25", "--k", "3", "--folds", "2", "--csv", table)
	got, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	want := `components,lambda,shrinkage,k,error,std_dev,fold1,fold2
1,0.5,1,3,0,0,0,0
1,0.5,0,3,0,0,0,0
1,0.5,0.25,3,0,0,0,0
1,2,1,3,0,0,0,0
1,2,0,3,0,0,0,0
1,2,0.25,3,0,0,0,0
`
	if string(got) != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestFitFew checks that a file with one feature gives one component by default. It also checks
// that fit explains its default settings if classes have too few rows for cross-validation.
func TestFitFew(t *testing.T) {
	dir := t.TempDir()
	data, model := filepath.Join(dir, "d.csv"), filepath.Join(dir, "m.wda")
	if err := os.WriteFile(data, []byte("1,a\n2,a\n4,b\n7,b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := monge(t, "fit", "--data", data, "--model", model)
	if code != 0 || !strings.Contains(stdout, "1 → 1 dimensions") || !strings.Contains(stdout, "chosen      the default: no class has enough rows") {
		t.Errorf("exit code %d, %q, %s", code, stderr, stdout)
	}
	if code, _, stderr := monge(t, "fit", "--data", data, "--model", model, "-p", "2"); code == 0 || !strings.Contains(stderr, "exceeds the 1 features") {
		t.Errorf("-p 2: exit code %d, %q", code, stderr)
	}
}

func TestFitOptions(t *testing.T) {
	s := simulate(t)
	model := filepath.Join(s.dir, "m.wda")
	fit := []string{"fit", "--data", s.csv, "--model", model, "--max-steps", "6"}
	const pinned = "--whitening none --scale orthonormal --lambda 1 --shrinkage 0 "
	// The command and the library must give the same results for the same settings.
	for _, c := range []struct {
		args string
		set  wda.Settings
	}{
		{pinned + "--starts 4 --seed 5 --method cg", wda.Settings{Optimizer: wda.Optimizer{Starts: 4, Method: wda.ConjugateGradient{}}, Seed: 5}},
		{pinned + "--validation 0.25 --validation-neighbors 3 --validation-every 1 --validation-patience 3 --seed 5", wda.Settings{Seed: 5, Validation: &wda.Validation{Fraction: 0.25, Neighbors: 3, Every: 1, Patience: 3}}},
		{"--paper", *wda.PaperSettings(2)},
		{"--for linear --whitening none --scale unit --seed 5", wda.Settings{For: wda.UseLinear, Data: wda.Data{Whitening: wda.NoWhitening()}, Scale: wda.ScaleUnit, Seed: 5}},
		{"--paper --lambda 2 --shrinkage auto --method cg", wda.Settings{Data: wda.Data{Whitening: wda.NoWhitening()}, Scale: wda.ScaleOrthonormal, Objective: wda.Objective{Lambda: wda.RelativeLambda(2)}, Optimizer: wda.Optimizer{Method: wda.ConjugateGradient{}}}},
	} {
		if strings.HasPrefix(c.args, pinned) {
			c.set.Data.Whitening, c.set.Scale = wda.NoWhitening(), wda.ScaleOrthonormal
			c.set.Objective.Lambda, c.set.Objective.Shrinkage = wda.RelativeLambda(1), wda.FixedShrinkage(0)
		}
		c.set.Components, c.set.Optimizer.MaxSteps = 2, 6
		want, err := wda.Fit(t.Context(), s.data.X, s.data.Labels, &c.set)
		if err != nil {
			t.Fatal(err)
		}
		v := object(t, append(fit, strings.Fields(c.args)...)...)
		if !mat.Equal(loadProjection(t, model), want.Projection()) {
			t.Errorf("%s: another projection than the library's", c.args)
		}
		r := want.Report()
		if c.set.Optimizer.Starts > 1 {
			if starts, ok := v["start_objectives"].([]any); !ok || encode(t, starts) != encode(t, r.StartObjectives) {
				t.Errorf("%s: start_objectives %v, want %v", c.args, v["start_objectives"], r.StartObjectives)
			}
			if all, ok := v["maxima"].([]any); !ok || len(all) != len(r.Maxima) || numberAt(t, all[0].(map[string]any), "starts") != float64(r.LedTo[0]) {
				t.Errorf("%s: maxima %v, want %v of %v starts", c.args, v["maxima"], r.Maxima, r.LedTo)
			}
		}
		if c.set.Validation != nil {
			checkNear(t, c.args, numberAt(t, v, "validation_error"), r.ValidationError, 0)
			file, err := os.ReadFile(model)
			if err != nil {
				t.Fatal(err)
			}
			m, _, err := wda.Load(bytes.NewReader(file), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Report().Settings.Validation; got == nil || got.Neighbors != 3 || got.Every != 1 || got.Patience != 3 {
				t.Errorf("%s: the model's validation is %+v", c.args, got)
			}
		}
	}
	code, stdout, stderr := monge(t, append(fit, strings.Fields(pinned+"--starts 2 --validation 0.3 --k 3")...)...)
	if code != 0 || stderr != "" || !regexp.MustCompile(`starts +best of 2: .*J = `).MatchString(stdout) || !regexp.MustCompile(`validation +.* % of the rows of --validation`).MatchString(stdout) {
		t.Errorf("exit code %d, %q, %s", code, stderr, stdout)
	}
	if _, stdout, _ := monge(t, "info", "--model", model); !strings.Contains(stdout, "3 nearest of 60 training rows") {
		t.Errorf("info: %s", stdout)
	}

	// Warnings contain the names of the classes.
	odd := write(t, filepath.Join(s.dir, "odd.csv"), "1,2,dog\n2,1,cat\n3,1e9,dog\n4,2e9,cat\n5,3,dog\n6,7,dog\n8,1,dog\n")
	code, stdout, stderr = monge(t, withFixedScale("fit", "--data", odd, "--model", model, "--json")...)
	if code != 0 || !strings.Contains(stderr, `monge: warning: class "cat" has only 2 samples`) || !strings.Contains(stdout, `class \"cat\" has only 2 samples`) {
		t.Errorf("exit code %d, %q, %s", code, stderr, stdout)
	}
}

// TestPredictGolden checks predictions that can be verified by hand. Neighbors at equal distances are sorted by row.
func TestPredictGolden(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	data := write(t, at("d.csv"), "0,low\n10,high\n1,low\n11,high\n2,low\n12,high\n")
	news := write(t, at("new.csv"), "0.25\n10.5\n5.5\n")
	object(t, "fit", "--data", data, "--model", at("m.wda"), "-p", "1", "--k", "3", "--whitening", "none", "--scale", "orthonormal")
	const want = `label,high,low,row1,sq_distance1,row2,sq_distance2
low,0,1,0,0.0625,2,0.5625
high,1,0,1,0.25,3,0.25
low,0,1,4,12.25,1,20.25
`
	args := []string{"predict", "--model", at("m.wda"), "--data", news, "--proba", "--neighbors", "2"}
	code, stdout, stderr := monge(t, args...)
	if code != 0 || stderr != "" || stdout != strings.Replace(want, "low,0,1,4,", "low,0.3333333333333333,0.6666666666666666,4,", 1) {
		t.Errorf("exit code %d, %q:\n%s", code, stderr, stdout)
	}
	v := object(t, args...)
	if got := encode(t, []any{v["labels"], v["counts"], v["classes"], v["k"], v["train"]}); got != `[["low","high","low"],{"high":1,"low":2},["high","low"],3,6]` {
		t.Errorf("%s", got)
	}
	if got := encode(t, v["neighbors"].([]any)[1]); got != `[{"label":"high","row":1,"sq_distance":0.25},{"label":"high","row":3,"sq_distance":0.25}]` {
		t.Errorf("%s", got)
	}
	if got := encode(t, v["probabilities"].([]any)[0]); got != `[0,1]` {
		t.Errorf("%s", got)
	}
	// The first call uses one neighbor instead of the model's three. The second call replaces the
	// model's training rows by the rows of --train.
	if v := object(t, "predict", "--model", at("m.wda"), "--data", news, "--k", "1"); encode(t, v["labels"]) != `["low","high","low"]` || numberAt(t, v, "k") != 1 || v["probabilities"] != nil {
		t.Errorf("%v", v)
	}
	other := write(t, at("other.csv"), "0,x\n5,y\n20,x\n")
	if v := object(t, "predict", "--model", at("m.wda"), "--data", news, "--train", other, "--k", "1", "--out", at("o.csv")); v["labels"] != nil || numberAt(t, v, "counts", "x") != 1 || numberAt(t, v, "counts", "y") != 2 {
		t.Errorf("%v", v)
	}
	if b, _ := os.ReadFile(at("o.csv")); string(b) != "label\nx\ny\ny\n" {
		t.Errorf("%s", b)
	}
	code, stdout, _ = monge(t, "predict", "--model", at("m.wda"), "--data", news, "--out", at("o.csv"))
	if code != 0 || !strings.Contains(stdout, "3 rows, each classified by the 3 nearest of 6 training rows") || !strings.Contains(stdout, "low    2") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

// TestPredictIsEval checks that the fraction of wrong predictions equals the error that eval prints.
func TestPredictIsEval(t *testing.T) {
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	fitSummary(t, "--data", s.csv, "--model", at("m.wda"), "--k", "5")
	e := object(t, "eval", "--model", at("m.wda"), "--train", s.npz, "--test", s.npz, "--k", "5")
	for _, args := range [][]string{
		{"--data", s.test},
		{"--data", s.npz, "--rows", "test", "--workers", "3"},
		{"--data", s.npz, "--rows", "test", "--train", s.npz},
		{"--data", s.test, "--train", s.x, "--train-labels", s.y},
		{"--data", s.test, "--train", s.npz, "--sample", "60"},
	} {
		v := object(t, append([]string{"predict", "--model", at("m.wda")}, args...)...)
		labels, ok := v["labels"].([]any)
		if !ok || len(labels) != 300 {
			t.Fatalf("%q: %v", args, v)
		}
		test, err := (&readFlags{header: "auto"}).readLabeled(s.test, "", "labels")
		if err != nil {
			t.Fatal(err)
		}
		wrong := 0
		for i, l := range labels {
			if l != test.Classes[test.Labels[i]] {
				wrong++
			}
		}
		checkNear(t, fmt.Sprintf("%q", args), float64(wrong)/300, numberAt(t, e, "knn_error", "5"), 1e-12)
	}
}

func TestBadCVAndPredict(t *testing.T) {
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	fitSummary(t, "--data", s.csv, "--model", at("m.wda"))
	fitSummary(t, "--data", s.csv, "--model", at("k.wda"), "--k", "5")
	whole, err := os.ReadFile(at("k.wda"))
	if err != nil {
		t.Fatal(err)
	}
	whole[len(whole)/2] ^= 4
	write(t, at("damaged.wda"), string(whole))
	write(t, at("one.csv"), "1,2,a\n2,1,a\n3,3,a\n4,1,a\n")
	write(t, at("single.csv"), "1,2,a\n2,1,a\n3,3,a\n4,1,b\n")
	write(t, at("pair.csv"), strings.Repeat("1,2,a\n2,1,a\n3,3,a\n", 2)+"4,1,b\n5,1,b\n")
	write(t, at("nan.csv"), "1,2,a\n2,1,a\n3,NaN,b\n4,1,b\n")
	write(t, at("inf.csv"), "1,2,3,4,5\n1,2,3,Inf,5\n")
	write(t, at("equal.csv"), strings.Repeat("1,1,a\n1,1,b\n", 6))
	write(t, at("huge.csv"), "1.5e308,-1.5e308,1.5e308,1.5e308,1.5e308\n")
	write(t, at("two.csv"), "1,2\n2,1\n")
	write(t, at("other.csv"), strings.Repeat("1,2,3,4,5,x\n", 3))
	write(t, at("empty.csv"), "")
	before := files(t, s.dir)
	cv, cvOf := "cv --data $d.csv ", "cv --csv $t.csv --model $new.wda --data $"
	predict := "predict --model $k.wda --data $test.csv "
	for _, b := range []bad{
		// Data of cv.
		{"missing file", cvOf + "none.csv", 1, "none.csv: no such file"},
		{"empty", cvOf + "empty.csv", 1, "empty.csv: the file is empty"},
		{"one class", cvOf + "one.csv", 1, `one.csv: all 4 rows have the label "a"; at least two classes are needed`},
		{"single sample", cvOf + "single.csv", 1, `single.csv: class "b" has only one row; at least two are needed`},
		{"one sample a fold", cvOf + "pair.csv", 1, `pair.csv: class "b" has too few rows for so many folds: of 2, --folds 5 leaves 1 to fit to`},
		{"NaN", cvOf + "nan.csv", 1, "nan.csv: row 3, column 2: the value is NaN"},
		{"all equal", cvOf + "equal.csv", 1, "equal.csv: fold 1 of 5, p = 2, λ = auto, ρ = auto"},
		{"regression", cvOf + "two.csv", 1, "only one row"},
		{"labels of other length", "cv --data $X.csv --labels $two.csv", 1, "two.csv"},
		{"p > d", cv + "-p 2,6,3", 1, "--components 6 exceeds the 5 features"},
		{"folds > n", cv + "--folds 61", 1, "--folds 61 exceeds the 60 rows"},
		{"k > n", cv + "--k 1,49 --folds 5", 1, "--k 49 exceeds the 48 rows outside the largest fold"},
		{"sample too large", cv + "--sample 61", 1, "a sample must have from 3 rows (one of each class) to 60 rows (all), not 61"},
		{"λ beyond range", cv + "--absolute --lambda 1e308", 1, "fold 1 of 5"},
		// Errors in the command line of cv.
		{"no data", "cv", 2, "--data is required"},
		{"p = 0", cv + "-p 1,0", 2, "--components must be at least 1"},
		{"p text", cv + "-p 1,x", 2, `--components must be whole numbers separated by commas, not "1,x"`},
		{"λ = 0", cv + "--lambda 1,0", 2, "--lambda must be a positive number such as 0.5, not 0"},
		{"λ NaN", cv + "--lambda NaN", 2, "--lambda must be a positive number such as 0.5, not NaN"},
		{"λ text", cv + "--lambda big", 2, "--lambda"},
		{"shrinkage < 0", cv + "--shrinkage 0,-1", 2, `--shrinkage must be auto or a number from 0 to 1e12, such as 0.5, not "-1"`},
		{"shrinkage text", cv + "--shrinkage some", 2, "--shrinkage must be auto"},
		{"k = 0", cv + "--k 0", 2, "--k must be at least 1"},
		{"folds = 1", cv + "--folds 1", 2, "--folds must be at least 2"},
		{"folds < 0", cv + "--folds -5", 2, "--folds must be at least 2"},
		{"steps", cv + "--max-steps 0", 2, "--max-steps must be at least 1"},
		{"starts", cv + "--starts 0", 2, "--starts must be at least 1"},
		{"solver", cv + "--method newton", 2, "--method must be one of"},
		{"tolerance", cv + "--tolerance -1", 2, "--tolerance must be a positive number"},
		{"workers", cv + "--workers -2", 2, "--workers must be between 0"},
		{"holdout", cv + "--holdout 2", 2, "--holdout must be a fraction"},
		{"validation", cv + "--validation 1", 2, "--validation must be a fraction between 0 and 1"},
		{"matrix", cv + "--lambda-matrix $two.csv", 2, "unknown flag: --lambda-matrix"},
		{"csv type", cv + "--csv $t.txt", 2, "must end in .csv"},
		{"csv onto data", cv + "--csv $d.csv", 2, "is an input"},
		{"csv nowhere", cv + "--csv $no/t.csv", 1, "cannot create a file in the folder"},
		{"model onto data", cv + "--model $d.csv", 2, "is an input"},
		{"same file twice", cv + "--model $t.csv --csv $t.csv", 2, "name the same file"},
		{"argument", cv + "more", 2, `unexpected argument "more"`},

		// Errors in flags that fit and cv share.
		{"starts of fit", "fit --data $d.csv --model $new.wda --starts -1", 2, "--starts must be at least 1"},
		{"validation NaN", "fit --data $d.csv --model $new.wda --validation NaN", 2, "--validation must be a fraction"},
		{"validation 0", "fit --data $d.csv --model $new.wda --validation 0", 2, "--validation must be a fraction"},
		{"patience alone", "fit --data $d.csv --model $new.wda --validation-patience 3", 2, "--validation-patience needs --validation"},
		{"patience", "fit --data $d.csv --model $new.wda --validation 0.2 --validation-patience 0", 2, "--validation-patience must be at least 1"},
		{"validation-k", "fit --data $d.csv --model $new.wda --validation 0.2 --validation-neighbors 0", 2, "--validation-neighbors must be at least 1"},
		{"nothing to hold out", "fit --data $equal.csv --sample 4 --model $new.wda --validation 0.2", 1, "no class has enough samples to hold any out"},
		{"k of fit", "fit --data $d.csv --model $new.wda --k -1", 2, "--k must be at least 0"},
		{"k > n of fit", "fit --data $d.csv --model $new.wda --k 61", 1, "--k 61 exceeds the 60 training rows"},

		// Predict.
		{"no model", "predict --data $d.csv", 2, "--model is required"},
		{"nothing to predict", "predict --model $k.wda", 2, "--data is required"},
		{"no training rows", "predict --model $m.wda --data $d.csv", 1, "m.wda: the model holds no training rows to classify by; name a file of them with --train, or fit with --k"},
		{"damaged", "predict --model $damaged.wda --data $d.csv", 1, "damaged.wda: not a valid model"},
		{"missing model", "predict --model $none.wda --data $d.csv", 1, "none.wda: no such file"},
		{"missing data", "predict --model $k.wda --data $none.csv", 1, "none.csv: no such file"},
		{"Inf", "predict --model $k.wda --data $inf.csv", 1, "inf.csv: row 2, column 4: the value is infinite"},
		{"beyond range", "predict --model $k.wda --data $huge.csv", 1, "huge.csv: projected sample: value is not finite: row 0"},
		{"features", "predict --model $k.wda --data $two.csv", 1, "two.csv: "},
		{"features of train", predict + "--train $nan.csv", 1, "nan.csv: row 3"},
		{"features of train", predict + "--train $one.csv", 1, "one.csv: 2 features, but the model was fitted to 5"},
		{"k > n", predict + "--k 61", 1, "k.wda: --k 61 exceeds the 60 training rows"},
		{"k > rows of train", predict + "--train $other.csv --k 4", 1, "other.csv: --k 4 exceeds the 3 training rows"},
		{"neighbors > n", predict + "--neighbors 61", 1, "k.wda: --neighbors 61 exceeds the 60 training rows"},
		{"k = 0", predict + "--k 0", 2, "--k must be at least 1"},
		{"neighbors < 0", predict + "--neighbors -1", 2, "--neighbors must be at least 1"},
		{"workers", predict + "--workers -1", 2, "--workers must be between 0"},
		{"labels without rows", predict + "--train-labels $y.csv", 2, "--train-labels needs --train"},
		{"sample without rows", predict + "--sample 5", 2, "--sample draws training rows from the file of --train"},
		{"rows", predict + "--rows some", 2, "--rows must be"},
		{"rows without a split", predict + "--rows test", 1, "no array split"},
		{"holdout of all", predict + "--holdout 0.5", 2, "--holdout needs"},
		{"output type", predict + "--out $o.xlsx", 2, "must end in .csv"},
		{"output is the data", predict + "--out $test.csv", 2, "is an input"},
		{"output nowhere", predict + "--out $no/o.csv", 1, "cannot create a file in the folder"},
	} {
		b.check(t, s.dir, before)
	}
	for _, name := range []string{"cv", "predict"} {
		code, help, _ := monge(t, "help", name)
		if code != 0 || !strings.Contains(help, "Examples:") || !strings.Contains(help, "--json") {
			t.Errorf("monge help %s: exit code %d: %s", name, code, help)
		}
		if _, all, _ := monge(t, "help"); !strings.Contains(all, "\n  "+name+" ") {
			t.Errorf("monge help does not list %s", name)
		}
	}
}

// TestInterruptCV checks that an interrupt leaves no new file and does not change an existing one.
func TestInterruptCV(t *testing.T) {
	dir, data, args := slowFit(t)
	file := write(t, filepath.Join(dir, "d.csv"), string(data))
	table := write(t, filepath.Join(dir, "t.csv"), "old\n")
	args[0] = "cv"
	args = append(args, "--data", file, "--csv", table)
	before := files(t, dir)
	for _, c := range []struct {
		more string
		wait time.Duration
	}{{"", 200 * time.Millisecond}, {"--validation 0.2", 200 * time.Millisecond}, {"", 0}} {
		ctx, cancel := context.WithTimeout(t.Context(), c.wait)
		code, stdout, stderr := mongeContext(ctx, append(args, strings.Fields(c.more)...)...)
		cancel()
		if code != exitInterrupted || stdout != "" || stderr != "monge: interrupted; nothing was written\n" {
			t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
		}
		if old, _ := os.ReadFile(table); string(old) != "old\n" || !slices.Equal(files(t, dir), before) {
			t.Errorf("files %v, table %q", files(t, dir), old)
		}
	}
	s := simulate(t)
	model, out := filepath.Join(s.dir, "m.wda"), filepath.Join(s.dir, "o.csv")
	fitSummary(t, "--data", s.csv, "--model", model, "--k", "1")
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if code, stdout, _ := mongeContext(ctx, "predict", "--model", model, "--data", s.test, "--out", out); code != exitInterrupted || stdout != "" || slices.Contains(files(t, s.dir), "o.csv") {
		t.Errorf("predict: exit code %d, %q", code, stdout)
	}
}
