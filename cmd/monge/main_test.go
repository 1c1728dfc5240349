package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/outfile"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/vecmath"
	"github.com/gomonge/monge/wda"
	"github.com/gomonge/monge/wda/dataset"
	"github.com/sbinet/npyio/npz"
	"gonum.org/v1/gonum/mat"
)

// mainVariable is an environment variable that makes the test binary run as monge. Its value is
// "1", or "3" if file descriptor 3 should be closed first.
const mainVariable = "MONGE_TEST_MAIN"

func TestMain(m *testing.M) {
	switch os.Getenv(mainVariable) {
	case "3":
		os.NewFile(3, "begun").Close()
		fallthrough
	case "1":
		main()
	}
	os.Exit(m.Run())
}

// monge runs a command line.
func monge(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return mongeContext(t.Context(), args...)
}

func mongeContext(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = newApp(&out, &err).run(ctx, args)
	return code, out.String(), err.String()
}

// fixed contains flags of fit for all settings that the library would otherwise choose. They make
// fit six times faster.
var fixed = strings.Fields("--method fisher --whitening none --scale orthonormal --shrinkage 0 --lambda 1")

// withFixedScale adds a whitening and a scale to the arguments of fit. The choice of the other
// settings then takes a sixth of the time. In long tests, the arguments remain unchanged.
func withFixedScale(args ...string) []string {
	if testdata.IsLong() {
		return args
	}
	return append(args, "--whitening", "diagonal", "--scale", "unit")
}

// fitSummary runs fit with fixed settings and returns the printed object.
func fitSummary(t testing.TB, args ...string) map[string]any {
	t.Helper()
	return object(t, slices.Concat([]string{"fit"}, fixed, args)...)
}

// object runs a command line with --json and returns the object that it prints.
func object(t testing.TB, args ...string) map[string]any {
	t.Helper()
	code, stdout, stderr := monge(t, append(args, "--json")...)
	if code != 0 {
		t.Fatalf("%q: exit code %d: %s", args, code, stderr)
	}
	dec := json.NewDecoder(strings.NewReader(stdout))
	var v map[string]any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%q printed %q: %v", args, stdout, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		t.Fatalf("%q printed more than an object: %q", args, stdout)
	}
	return v
}

// numberAt returns a number in nested JSON objects. The names in path go from the outermost object
// to the number.
func numberAt(t testing.TB, v map[string]any, path ...string) float64 {
	t.Helper()
	var at any = v
	for _, name := range path {
		m, ok := at.(map[string]any)
		if !ok {
			t.Fatalf("no %q in %v", path, v)
		}
		at = m[name]
	}
	x, ok := at.(float64)
	if !ok {
		t.Fatalf("%q in %v is not a number", path, v)
	}
	return x
}

// csvOf writes labeled samples without a header.
func csvOf(d *dataset.Dataset) func(w io.Writer) error {
	return func(w io.Writer) error {
		return outfile.CSV(w, d.X, nil, func(i int) string { return d.Classes[d.Labels[i]] })
	}
}

// files returns the names in a folder.
func files(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func write(t testing.TB, path string, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// writeMatrix writes a matrix in the format of the extension.
func writeMatrix(path, ext string, m mat.Matrix) error {
	rows, cols := m.Dims()
	return writeRows(path, ext, rows, cols, func(row []float64, i int) error {
		mat.Row(row, i, m)
		return nil
	})
}

// simulated contains the paths of simulated data in every file format that the commands read.
type simulated struct {
	dir                  string
	csv, x, y, npz, test string
	data                 *dataset.Dataset
}

func simulate(t testing.TB) *simulated {
	t.Helper()
	dir := t.TempDir()
	d := dataset.Simulation{Seed: 5, NoiseDims: 3}.Generate(60)
	s := &simulated{dir: dir, data: d}
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s.csv, s.x, s.y, s.npz, s.test = at("d.csv"), at("X.csv"), at("y.csv"), at("d.npz"), at("test.csv")
	must(outfile.WriteFile(s.csv, csvOf(d)))
	must(outfile.WriteFile(s.x, func(w io.Writer) error { return outfile.CSV(w, d.X, nil, nil) }))
	var y strings.Builder
	for _, l := range d.Labels {
		fmt.Fprintln(&y, l)
	}
	write(t, s.y, y.String())
	must(outfile.WriteFile(s.test, csvOf(dataset.Simulation{Seed: 6, NoiseDims: 3}.Generate(300))))

	// The NPZ file contains the rows of the training file and of the test file, in mixed order.
	test, err := dataset.ReadFile(s.test, nil)
	must(err)
	n, cols := 0, columnCount(d)
	all := mat.NewDense(360, cols, nil)
	var labels []int
	var split []int32
	for i := range 300 {
		all.SetRow(n, test.X.RawRowView(i))
		labels, split = append(labels, test.Labels[i]), append(split, 1)
		n++
		if i%5 == 0 {
			all.SetRow(n, d.X.RawRowView(i/5))
			labels, split = append(labels, d.Labels[i/5]), append(split, 0)
			n++
		}
	}
	writeNPZ(t, s.npz, &dataset.Dataset{X: all, Labels: labels}, split)
	return s
}

// writeNPZ writes the rows and labels of d. The array split says which rows are test rows.
func writeNPZ(t testing.TB, path string, d *dataset.Dataset, split []int32) {
	t.Helper()
	var labels []int32
	for _, l := range d.Labels {
		labels = append(labels, int32(l))
	}
	w, err := npz.Create(path)
	if err == nil {
		err = errors.Join(w.Write("X", d.X), w.Write("y", labels), w.Write("split", split), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestEveryCommand(t *testing.T) {
	s := simulate(t)
	model := filepath.Join(s.dir, "m.wda")
	fit := object(t, "fit", "--data", s.csv, "--model", model, "--whitening", "none", "--scale", "orthonormal", "--lambda", "1", "--shrinkage", "0")
	for _, name := range []string{"objective", "steps", "evaluations", "seconds", "gradient_norm", "between", "within"} {
		if v := numberAt(t, fit, name); !(v >= 0) {
			t.Errorf("fit: %s = %v", name, v)
		}
	}
	if fit["method"] == "" || fit["status"] == "" || fit["model"] != model {
		t.Errorf("fit: %v", fit)
	}

	// The same data in other formats give the same model.
	want, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"--data", s.x, "--labels", s.y},
		{"--data", s.npz},
		{"--data", s.csv, "--label-column", "-1", "--header", "absent", "--workers", "1"},
		{"--data", s.csv, "--label-column", "5"},
		{"--data", s.csv, "--sample", "60", "--seed", "9"},
	} {
		other := filepath.Join(s.dir, "other.wda")
		object(t, append([]string{"fit", "--model", other, "--whitening", "none", "--scale", "orthonormal", "--lambda", "1", "--shrinkage", "0"}, args...)...)
		if got := loadProjection(t, other); !mat.Equal(got, loadProjection(t, model)) {
			t.Errorf("fit %q found another projection", args)
		}
	}

	// transform must give the same result as the library.
	m := loadModel(t, model)
	var y mat.Dense
	m.Transform(&y, s.data.X)
	for _, c := range []struct{ data, out string }{{s.csv, "t.csv"}, {s.x, "t.npy"}, {s.x, "u.csv"}} {
		out := filepath.Join(s.dir, c.out)
		v := object(t, "transform", "--model", model, "--data", c.data, "--out", out)
		if numberAt(t, v, "rows") != 60 || numberAt(t, v, "components") != 2 {
			t.Errorf("transform: %v", v)
		}
		got, err := dataset.ReadFile(out, &dataset.Options{Labels: dataset.NoLabels()})
		if err != nil || !mat.Equal(got.X, &y) {
			t.Errorf("transform %s to %s: %v", c.data, c.out, err)
		}
	}
	kept := filepath.Join(s.dir, "kept.csv")
	object(t, "transform", "--model", model, "--data", s.npz, "--rows", "train", "--out", kept, "--keep-labels")
	back, err := dataset.ReadFile(kept, nil)
	if err != nil || !mat.Equal(back.X, &y) || !slices.Equal(back.Labels, s.data.Labels) {
		t.Errorf("transform --rows train --keep-labels: %v", err)
	}

	// eval accepts separate files, or one file with training and test rows.
	a := object(t, "eval", "--model", model, "--train", s.csv, "--test", s.test, "--k", "1,5", "--baselines")
	b := object(t, "eval", "--model", model, "--train", s.npz, "--test", s.npz, "--k", "1,5", "--baselines", "--workers", "3")
	if ja, jb := encode(t, a), encode(t, b); ja != jb {
		t.Errorf("eval: %s on two files, %s on one", ja, jb)
	}
	if e := numberAt(t, a, "knn_error", "5"); !(e < 0.2) {
		t.Errorf("eval: error %v", e)
	}
	if numberAt(t, a, "baselines", "pca", "1") < 0.3 || numberAt(t, a, "train") != 60 || numberAt(t, a, "test") != 300 {
		t.Errorf("eval: %v", a)
	}
	checkConfusion(t, a)

	// The command score must compute the same J as the command fit.
	lambda := filepath.Join(s.dir, "lam.csv")
	if err := writeMatrix(lambda, ".csv", loadModel(t, model).Report().Lambda); err != nil {
		t.Fatal(err)
	}
	score := object(t, "score", "--data", s.csv, "--model", model, "--lambda-matrix", lambda)
	checkNear(t, "J of score and fit", numberAt(t, score, "objective"), numberAt(t, fit, "objective"), 1e-12)
	projection := filepath.Join(s.dir, "P.npy")
	if err := writeMatrix(projection, ".npy", m.Projection()); err != nil {
		t.Fatal(err)
	}
	again := object(t, "score", "--data", s.x, "--labels", s.y, "--projection", projection, "--lambda-matrix", lambda)
	if encode(t, score) != encode(t, again) {
		t.Errorf("score: %v of the model, %v of its projection", score, again)
	}
	adaptive := object(t, "score", "--data", s.csv, "--model", model, "--adaptive", "--shrinkage", "0.5", "--proportional", "--float32")
	checkNear(t, "ridge", numberAt(t, adaptive, "ridge"), numberAt(t, adaptive, "within")/2, 1e-6)

	for _, out := range []string{"p.png", "p.svg"} {
		out = filepath.Join(s.dir, out)
		if v := object(t, "plot", "--model", model, "--data", s.csv, "--out", out, "--title", "T", "--width", "300", "--height", "250"); v["image"] != out {
			t.Errorf("plot: %v", v)
		}
		checkPicture(t, out, 300, 250)
	}

	info := object(t, "info", "--model", model)
	if levels, ok := info["levels"].([]any); !ok || levels[0] != "ref" || info["selected"] == "" || info["instruction_set"] != vecmath.InstructionSet() || info["version"] == "" {
		t.Errorf("info: %v", info)
	}
	checkNear(t, "J of info and fit", numberAt(t, info, "model", "objective"), numberAt(t, fit, "objective"), 0)
	if hash := loadModel(t, model).Hash(); fit["hash"] != hash || info["model"].(map[string]any)["hash"] != hash {
		t.Errorf("hash %s, by fit %v, by info %v", hash, fit["hash"], info["model"])
	}

	if now, _ := os.ReadFile(model); !bytes.Equal(now, want) {
		t.Error("the model has changed in the meantime")
	}
	for _, name := range files(t, s.dir) {
		if strings.Contains(name, "tmp") {
			t.Errorf("%s is left behind", name)
		}
	}
	// The commands also succeed without --json.
	for _, args := range [][]string{
		{"fit", "--data", s.csv, "--model", model, "--float32", "--method", "pg", "--max-steps", "3"},
		{"transform", "--model", model, "--data", s.csv, "--out", filepath.Join(s.dir, "t.csv")},
		{"eval", "--model", model, "--train", s.csv, "--test", s.test},
		{"score", "--data", s.csv, "--model", model},
		{"plot", "--model", model, "--data", s.x, "--out", filepath.Join(s.dir, "p.png")},
		{"info", "--model", model}, {"--version"}, {},
	} {
		if code, stdout, stderr := monge(t, args...); code != 0 || stdout == "" || stderr != "" {
			t.Errorf("%q: exit code %d, %q, %q", args, code, stdout, stderr)
		}
	}
}

func checkNear(t testing.TB, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: %v, want %v (%.2g)", what, got, want, got/want-1)
	}
}

func encode(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func loadModel(t testing.TB, path string) *wda.Model {
	t.Helper()
	m, err := readModel(path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func loadProjection(t testing.TB, path string) *mat.Dense { return loadModel(t, path).Projection() }

// checkConfusion checks that the confusion matrix in the output of eval agrees with the error rate
// for the same number of neighbors K.
func checkConfusion(t testing.TB, eval map[string]any) {
	t.Helper()
	c, ok := eval["confusion"].(map[string]any)
	if !ok {
		t.Fatalf("no confusion matrix in %v", eval)
	}
	total, right := 0.0, 0.0
	for i, row := range c["counts"].([]any) {
		for j, v := range row.([]any) {
			total += v.(float64)
			if i == j {
				right += v.(float64)
			}
		}
	}
	k := fmt.Sprint(numberAt(t, c, "k"))
	checkNear(t, "error by the confusion matrix", 1-right/total, numberAt(t, eval, "knn_error", k), 1e-12)
	checkNear(t, "rows in the confusion matrix", total, numberAt(t, eval, "test"), 0)
}

func checkPicture(t testing.TB, path string, width, height int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".svg") {
		if !bytes.Contains(b, []byte("<svg")) || !bytes.HasSuffix(bytes.TrimSpace(b), []byte("</svg>")) {
			t.Errorf("%s is not an SVG file", path)
		}
		return
	}
	p, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if s := p.Bounds().Size(); s.X != width || s.Y != height {
		t.Errorf("%s has %v pixels instead of %d × %d", path, s, width, height)
	}
	colors := map[[3]uint32]bool{}
	for x := 0; x < width; x += 3 {
		for y := 0; y < height; y += 3 {
			r, g, b, _ := p.At(x, y).RGBA()
			colors[[3]uint32{r, g, b}] = true
		}
	}
	if len(colors) < 10 {
		t.Errorf("%s has only %d colors", path, len(colors))
	}
}

func TestDemo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	v := object(t, "demo", "--out", dir)
	wda := numberAt(t, v, "knn_error", "wda")
	if !(wda < 0.05) {
		t.Errorf("error %v after WDA", wda)
	}
	for _, name := range []string{"pca", "fda"} {
		if e := numberAt(t, v, "knn_error", name); !(e > 0.5) {
			t.Errorf("error %v after %s", e, name)
		}
	}
	if e := numberAt(t, v, "knn_error", "original"); !(e > 0.3) {
		t.Errorf("error %v in the original space", e)
	}
	if v["image"] != filepath.Join(dir, "demo.png") {
		t.Errorf("picture %v", v["image"])
	}
	checkPicture(t, filepath.Join(dir, "demo.png"), 1350, 510)
	code, stdout, _ := monge(t, "demo", "--out", dir, "--seed", "2")
	if code != 0 || !strings.Contains(stdout, "by WDA") || !strings.Contains(stdout, "demo.png") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
	if names := files(t, dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
}

func TestPictures(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	// The plots have many classes with unusual names, a class without selected rows, one component,
	// and equal points.
	var text strings.Builder
	for i := range 400 {
		fmt.Fprintf(&text, "%v,%v,\"%s\"\n", rng.NormFloat64(), float64(i%100), fmt.Sprintf("Größe “%d” <a&b> %s", i%100, strings.Repeat("x", i%40)))
	}
	many := write(t, filepath.Join(dir, "many.csv"), text.String())
	same := write(t, filepath.Join(dir, "same.csv"), strings.Repeat("1,2\n", 5))
	for p := 1; p <= 2; p++ {
		model := filepath.Join(dir, "m.wda")
		fitSummary(t, "--data", many, "--model", model, "-p", fmt.Sprint(p), "--iterations", "1")
		for _, data := range []string{many, same} {
			for i, ext := range []string{".png", ".svg"} {
				out := filepath.Join(dir, "o"+ext)
				if i == p-1 || testdata.IsLong() { // a small picture has no room for class names
					object(t, "plot", "--model", model, "--data", data, "--out", out, "--width", "200", "--height", "150")
				}
				object(t, "plot", "--model", model, "--data", data, "--out", out, "--width", "640", "--height", "480", "--title", strings.Repeat("long ", 60))
				checkPicture(t, out, 640, 480)
			}
		}
	}
}

// bad is a command line that must fail, and the expected exit code and error text.
type bad struct {
	name string
	args string
	code int
	want string
}

func (b bad) check(t *testing.T, dir string, before []string) {
	t.Helper()
	args := strings.Fields(strings.ReplaceAll(b.args, "$", dir+string(filepath.Separator)))
	code, stdout, stderr := monge(t, args...)
	if code != b.code {
		t.Errorf("%s: exit code %d instead of %d", b.name, code, b.code)
	}
	if !strings.Contains(stderr, b.want) {
		t.Errorf("%s: %q does not say %q", b.name, stderr, b.want)
	}
	if !strings.HasPrefix(stderr, "monge: ") || strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") {
		t.Errorf("%s: %q is not one line", b.name, stderr)
	}
	if stdout != "" {
		t.Errorf("%s: printed %q", b.name, stdout)
	}
	for _, name := range files(t, dir) {
		if !slices.Contains(before, name) {
			t.Errorf("%s: left %s behind", b.name, name)
			os.Remove(filepath.Join(dir, name))
		}
	}
}

func TestBadInput(t *testing.T) {
	s := simulate(t)
	at := func(name string) string { return filepath.Join(s.dir, name) }
	fitSummary(t, "--data", s.csv, "--model", at("m.wda"))
	head := "1,2,0\n2,1,0\n3,5,1\n"
	write(t, at("ragged.csv"), head+"1,2\n")
	write(t, at("text.csv"), head+"1,abc,1\n")
	write(t, at("nan.csv"), head+"4,NaN,1\n")
	write(t, at("inf.csv"), head+"-Inf,4,1\n")
	write(t, at("huge.csv"), head+"1e999,4,1\n")
	write(t, at("one.csv"), "1,2,a\n2,1,a\n3,3,a\n")
	write(t, at("single.csv"), head+"1,2,0\n")
	write(t, at("equal.csv"), "1,1,0\n1,1,0\n1,1,1\n1,1,1\n")
	write(t, at("regression.csv"), "1,2,0.5\n2,2,0.7\n3,1,0.9\n")
	write(t, at("empty.csv"), "")
	write(t, at("short.csv"), "0\n1\n")
	write(t, at("asym.csv"), "1,2,3\n2,1,1\n1,1,1\n")
	write(t, at("zero.csv"), "1,1,1\n1,0,1\n1,1,1\n")
	write(t, at("two.csv"), "1,2\n2,1\n")
	write(t, at("flat.csv"), strings.Repeat("0,0\n", 5))
	write(t, at("wide.csv"), "1,2\n3,4\n5,6\n7,8\n9,0\n")
	write(t, at("other.csv"), strings.Repeat("1,2,3,4,5,x\n", 3))
	write(t, at("neg.csv"), "1\n-1\n1\n1\n1\n")
	write(t, at("nul.csv"), "0\n0\n0\n0\n0\n")
	whole, err := os.ReadFile(s.npz)
	if err != nil {
		t.Fatal(err)
	}
	write(t, at("cut.npz"), string(whole[:len(whole)/2]))
	idx := append([]byte{0, 0, 8, 3, 0, 0, 0, 9, 0, 0, 0, 2, 0, 0, 0, 2}, make([]byte, 20)...)
	write(t, at("cut-images-idx3-ubyte"), string(idx))
	var z bytes.Buffer
	g := gzip.NewWriter(&z)
	g.Write(idx)
	g.Close()
	write(t, at("cutz-images-idx3-ubyte.gz"), z.String()[:z.Len()-9])
	model, err := os.ReadFile(at("m.wda"))
	if err != nil {
		t.Fatal(err)
	}
	damaged := slices.Clone(model)
	damaged[len(damaged)/3] ^= 0x10
	write(t, at("damaged.wda"), string(damaged))
	write(t, at("cut.wda"), string(model[:len(model)-30]))
	write(t, at("nolabels.npy"), "")
	if err := writeMatrix(at("nolabels.npy"), ".npy", s.data.X); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(at("folder"), 0o777); err != nil {
		t.Fatal(err)
	}
	before := files(t, s.dir)

	fit := "fit --model $new.wda --data $d.csv "
	fitOf := "fit --model $new.wda --data $"
	score := "score --data $d.csv --model $m.wda "
	for _, b := range []bad{
		// Data.
		{"missing file", fitOf + "none.csv", 1, "none.csv: no such file"},
		{"folder", fitOf + "folder", 1, "folder: is a directory"},
		{"ragged", fitOf + "ragged.csv", 1, "ragged.csv: row 4: 2 fields instead of 3"},
		{"text", fitOf + "text.csv", 1, `text.csv: row 4, column 2: "abc" is not a number`},
		{"NaN", fitOf + "nan.csv", 1, "nan.csv: row 4, column 2: the value is NaN"},
		{"Inf", fitOf + "inf.csv", 1, "inf.csv: row 4, column 1: the value is infinite"},
		{"beyond float64", fitOf + "huge.csv", 1, "huge.csv: row 4, column 1:"},
		{"one class", fitOf + "one.csv", 1, `one.csv: all 3 rows have the label "a"; at least two classes are needed`},
		{"single sample", fitOf + "single.csv", 1, `single.csv: class "1" has only one row; at least two are needed`},
		{"all equal", fitOf + "equal.csv", 1, "samples do not differ"},
		{"regression", fitOf + "regression.csv", 1, "--label-column chooses it"},
		{"empty", fitOf + "empty.csv", 1, "empty.csv: the file is empty"},
		{"labels of other length", "fit --model $new.wda --data $X.csv --labels $short.csv", 1, "short.csv: 2 labels for 60 rows"},
		{"missing labels", "fit --model $new.wda --data $X.csv --labels $none.csv", 1, "none.csv: no such file"},
		{"no labels", fitOf + "nolabels.npy", 1, "nolabels.npy: no labels"},
		{"truncated NPZ", fitOf + "cut.npz", 1, "cut.npz: the zip directory"},
		{"truncated IDX", fitOf + "cut-images-idx3-ubyte", 1, "cut-images-idx3-ubyte: "},
		{"truncated gzip", fitOf + "cutz-images-idx3-ubyte.gz", 1, "cutz-images-idx3-ubyte.gz: the compressed data end too early"},
		{"no such label column", fit + "--label-column kind", 1, `no column is called "kind"`},
		{"p > d", fit + "-p 6", 1, "--components 6 exceeds the 5 features"},
		{"sample too large", fit + "--sample 61", 1, "a sample must have from 3 rows (one of each class) to 60 rows (all), not 61"},
		{"sample too small", fit + "--sample 4", 1, "only one row in the sample"},
		{"holdout of a split", fitOf + "d.npz --holdout 0.5", 1, "the file has a split of its own"},
		{"holdout too large", fit + "--holdout 0.999", 1, "for testing"},
		{"λ of wrong shape", fit + "--lambda-matrix $two.csv", 1, "two.csv: λ of 3 classes must be 3 × 3, not 2 × 2"},
		{"λ not symmetric", fit + "--lambda-matrix $asym.csv", 1, "asym.csv: row 1, column 3: λ is not symmetric"},
		{"λ of 0", fit + "--lambda-matrix $zero.csv", 1, "zero.csv: row 2, column 2: λ must be positive"},
		{"λ with text", fit + "--lambda-matrix $text.csv", 1, "text.csv: row 4, column 2"},
		{"start of wrong shape", fit + "--init $two.csv", 1, "two.csv: the start must be 5 × 2, not 2 × 2"},
		{"start without rank", fit + "--init $flat.csv", 1, "flat.csv: the columns of the start are linearly dependent"},
		{"λ beyond range", fit + "--absolute --lambda 1e308", 1, ""},

		// Errors in the command line of fit.
		{"no data", "fit --model $new.wda", 2, "--data is required"},
		{"no model", "fit --data $d.csv", 2, "--model is required"},
		{"p = 0", fit + "-p 0", 2, "--components must be at least 1"},
		{"p < 0", fit + "-p -3", 2, "--components must be at least 1"},
		{"λ = 0", fit + "--lambda 0", 2, "--lambda must be a positive number such as 0.5, not 0"},
		{"λ < 0", fit + "--lambda -1", 2, "--lambda must be a positive number such as 0.5, not -1"},
		{"λ NaN", fit + "--lambda NaN", 2, "--lambda must be a positive number such as 0.5, not NaN"},
		{"λ Inf", fit + "--lambda Inf", 2, "--lambda must be a positive number such as 0.5, not +Inf"},
		{"λ text", fit + "--lambda big", 2, `--lambda must be auto or a number such as 0.5, not "big"; see monge help fit`},
		{"absolute auto", fit + "--absolute --lambda auto", 2, "--absolute needs a number for --lambda"},
		{"λ twice", fit + "--lambda 2 --lambda-matrix $zero.csv", 2, "cannot be used together"},
		{"absolute matrix", fit + "--absolute --lambda-matrix $zero.csv", 2, "cannot be used together"},
		{"L = 0", fit + "--iterations 0", 2, "--iterations must be between 1"},
		{"L huge", fit + "--iterations 2000000000", 2, "--iterations must be between 1"},
		{"steps", fit + "--max-steps 0", 2, "--max-steps must be at least 1"},
		{"tolerance", fit + "--tolerance 0", 2, "--tolerance must be a positive number"},
		{"workers", fit + "--workers -1", 2, "--workers must be between 0"},
		{"solver", fit + "--method newton", 2, "--method must be one of"},
		{"solver of another name", fit + "--method LDA", 2, "discriminant analysis is --method fisher"},
		{"flag of another name", fit + "--n-components 2", 2, "unknown flag: --n-components (did you mean --components?)"},
		{"shrinkage < 0", fit + "--shrinkage -1", 2, "--shrinkage must be auto or a number"},
		{"shrinkage NaN", fit + "--shrinkage NaN", 2, "--shrinkage must be auto or a number"},
		{"sample < 0", fit + "--sample -5", 2, "--sample must be a positive number of rows"},
		{"seed < 0", fit + "--seed -5", 2, "--seed"},
		{"holdout", fit + "--holdout 1", 2, "--holdout must be a fraction"},
		{"header", fit + "--header maybe", 2, "--header must be"},
		{"delimiter", fit + "--delimiter ab", 2, "--delimiter must be one character"},
		{"two labels", fit + "--labels $y.csv --label-column 3", 2, "cannot be used together"},
		{"unknown flag", fit + "--lamda 1", 2, "unknown flag: --lamda (did you mean --lambda?); see monge help fit"},
		{"argument", fit + "more", 2, `unexpected argument "more": files are named by flags, such as --data more; see monge help fit`},
		{"rate without =", "predict --model $m.wda --data $d.csv --reject 0.01", 2, `unexpected argument "0.01": write --reject=0.01; see monge help predict`},
		{"labels of eval", "eval --model $m.wda --data $d.csv --labels $y.csv", 2, "unknown flag: --labels (did you mean --train-labels?)"},
		{"short flag", fit + "-k 5", 2, "unknown flag: -k (did you mean --k?)"},
		{"model as argument", "eval $m.wda", 2, "such as --model "},
		{"two models", "verify $m.wda --model $m.wda --data $d.csv", 2, "verify needs the name of one model file"},
		{"beginning of a flag", fit + "--label 3", 2, "unknown flag: --label (did you mean --labels or --label-column?)"},
		{"unknown flag of none", "--lambda 1", 2, "unknown flag: --lambda; see monge help"},
		{"unknown topic", "help fitt", 2, `there is no command or topic "fitt"`},
		{"unknown command with flags", "fitt --data d.csv", 2, `unknown command "fitt" (did you mean fit?)`},
		{"command of another name", "classify --model $m.wda --data $d.csv", 2, `unknown command "classify" (did you mean predict?)`},
		{"shares of classes", "predict --model $m.wda --data $d.csv --shares", 2, "unknown flag: --shares (did you mean --proba?)"},
		{"topic of another name", "help train", 2, `there is no command or topic "train" (did you mean fit?)`},
		{"service", "serve --model $m.wda", 2, "examples/service"},
		{"unknown command", "fitt", 2, `unknown command "fitt" (did you mean fit?)`},

		// Unwritable output must be an error before the fit begins.
		{"no folder", "fit --data $none.csv --model $no/such/m.wda", 1, "cannot create a file in the folder "},
		{"output is a folder", "fit --data $d.csv --model $folder", 1, "folder: cannot write: it is a directory"},
		{"output below a file", "fit --data $d.csv --model $d.csv/m.wda", 1, "cannot write: not a directory"},
		{"output is the input", "fit --data $d.csv --model $d.csv", 2, "d.csv is an input"},
		{"output is the labels", "fit --data $X.csv --labels $y.csv --model $folder/../y.csv", 2, "is an input"},

		// Other commands.
		{"damaged model", "info --model $damaged.wda", 1, "damaged.wda: not a valid model"},
		{"cut model", "transform --model $cut.wda --data $d.csv --out $o.csv", 1, "cut.wda: not a valid model"},
		{"no model file", "eval --model $none.wda --train $d.csv --test $d.csv", 1, "none.wda: no such file"},
		{"model is a folder", "info --model $folder", 1, "folder: is a directory"},
		{"data as model", "info --model $d.npz", 1, "not a valid model"},
		{"features", "transform --model $m.wda --data $two.csv --out $o.csv", 1, "two.csv: 1 feature, but the model was fitted to 5"},
		{"output type", "transform --model $m.wda --data $d.csv --out $o.txt", 2, "must end in .csv, .npy, .npz, .idx, .parquet, .arrow or .jsonl"},
		{"labels in NPY", "transform --model $m.wda --data $d.csv --out $o.npy --keep-labels", 2, "an NPY file has no place for labels"},
		{"no labels to keep", "transform --model $m.wda --data $X.csv --out $o.csv --keep-labels", 1, "no labels to keep"},
		{"transform onto its data", "transform --model $m.wda --data $d.csv --out $d.csv", 2, "is an input"},
		{"rows", "transform --model $m.wda --data $d.csv --out $o.csv --rows some", 2, "--rows must be"},
		{"rows without a split", "transform --model $m.wda --data $d.csv --out $o.csv --rows test", 1, "no array split"},
		{"picture type", "plot --model $m.wda --data $d.csv --out $o.gif", 2, "must end in .png, .svg or .html"},
		{"picture size", "plot --model $m.wda --data $d.csv --out $o.png --width 0", 2, "--width must be"},
		{"picture of none", "plot --model $m.wda --data $none.csv --out $o.png", 1, "none.csv: no such file"},
		{"k > n", "eval --model $m.wda --train $d.csv --test $test.csv --k 61", 1, "--k 61 exceeds the 60 training rows"},
		{"k = 0", "eval --model $m.wda --train $d.csv --test $test.csv --k 0", 2, "--k must be"},
		{"k text", "eval --model $m.wda --train $d.csv --test $test.csv --k a", 2, "--k"},
		{"unknown class", "eval --model $m.wda --train $d.csv --test $other.csv", 1, `other.csv: row 1: class "x" is not among`},
		{"features of eval", "eval --model $m.wda --train $d.csv --test $one.csv", 1, "one.csv: "},
		{"holdout of two files", "eval --model $m.wda --train $d.csv --test $test.csv --holdout 0.5", 2, "must name the same"},
		{"score of nothing", "score --data $d.csv", 2, "either --projection or --model"},
		{"score of two", score + "--projection $two.csv", 2, "--projection and --model cannot be used together"},
		{"projection rows", "score --data $d.csv --projection $two.csv", 1, "two.csv: the projection has 2 rows, but must have one for each of the 5 features"},
		{"score shrinkage", score + "--shrinkage -1", 2, "--shrinkage must be auto or a number from 0"},
		{"score λ", score + "--lambda 0", 2, "--lambda must be a positive number"},
		{"adaptive matrix", score + "--adaptive --lambda-matrix $zero.csv", 2, "cannot be used together"},
		{"constant projection", "score --data $d.csv --projection $flat.csv", 1, "samples do not differ"},
		{"demo onto a file", "demo --out $d.csv", 1, "d.csv: is not a folder"},
		{"demo nowhere", "demo --out $no/such", 1, "cannot make the folder"},
		{"version argument", "version me", 2, "unexpected argument"},

		// Errors of sinkhorn.
		{"no λ", "sinkhorn --x $wide.csv --y $two.csv", 2, "--lambda is required"},
		{"no points", "sinkhorn --lambda 1", 2, "either --x and --y, or --cost"},
		{"one cloud", "sinkhorn --lambda 1 --x $two.csv", 2, "either --x and --y, or --cost"},
		{"both", "sinkhorn --lambda 1 --x $two.csv --y $two.csv --cost $two.csv", 2, "--cost cannot be used with --x or --y"},
		{"masses", "sinkhorn --lambda 1 --x $two.csv --y $two.csv --mass 2", 1, "--mass is 2, but x has the mass 1 and y 1; it may be at most 1"},
		{"argument of sinkhorn", "sinkhorn more", 2, "such as --x more"},
		{"flag of another program", "sinkhorn --reg 1", 2, "unknown flag: --reg (its inverse is --lambda)"},
		{"negative λ", "sinkhorn --lambda -1 --cost $two.csv", 2, "--lambda must be a positive number"},
		{"dimensions", "sinkhorn --lambda 1 --x $two.csv --y $zero.csv", 1, "points of 2 dimensions"},
		{"iterations and tolerance", "sinkhorn --lambda 1 --cost $two.csv --iterations 5 --tolerance 1e-3", 2, "--iterations cannot be used with"},
		{"no iterations", "sinkhorn --lambda 1 --cost $two.csv --iterations 0", 2, "--iterations must be"},
		{"bad tolerance", "sinkhorn --lambda 1 --cost $two.csv --tolerance NaN", 2, "--tolerance must be a positive number"},
		{"domain", "sinkhorn --lambda 1 --cost $two.csv --domain real", 2, "--domain must be"},
		{"plan type", "sinkhorn --lambda 1 --cost $two.csv --plan $p.txt", 2, "must end in"},
		{"plan onto cost", "sinkhorn --lambda 1 --cost $two.csv --plan $two.csv", 2, "is an input"},
		{"negative weight", "sinkhorn --lambda 1 --x $wide.csv --y $two.csv --a $neg.csv", 1, "neg.csv: row 2: the weight -1 is negative"},
		{"no weight", "sinkhorn --lambda 1 --x $wide.csv --y $two.csv --a $nul.csv", 1, "nul.csv: all weights are 0"},
		{"weights of other length", "sinkhorn --lambda 1 --x $wide.csv --y $two.csv --b $nul.csv", 1, "nul.csv: the weights b must have 2 numbers"},
		{"plain underflow", "sinkhorn --lambda 1e4 --x $wide.csv --y $two.csv --domain plain", 1, "--domain auto or log"},
		{"cost with text", "sinkhorn --lambda 1 --cost $text.csv", 1, "text.csv: row 4, column 2"},
		{"cost beyond range", "sinkhorn --lambda 1e308 --cost $wide.csv", 1, "range"},
	} {
		b.check(t, s.dir, before)
	}
}

// TestOddInput checks that a fit to unusual data returns finite numbers. For an extreme λ, an error
// is also allowed.
func TestOddInput(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(3, 4))
	for i, c := range []struct { // the short form of the test runs every third case
		name string
		row  func(i int) []float64
		args string
	}{
		{"constant feature", func(int) []float64 { return []float64{rng.NormFloat64(), 7, rng.NormFloat64()} }, ""},
		{"duplicates", func(i int) []float64 { return []float64{float64(i % 4), float64(i % 3), 1} }, ""},
		{"tiny", func(int) []float64 { return []float64{1e-200 * rng.NormFloat64(), 1e-200 * rng.NormFloat64()} }, ""},
		{"enormous", func(int) []float64 { return []float64{1e250 * rng.NormFloat64(), 1e250 * rng.NormFloat64()} }, ""},
		{"offset", func(int) []float64 { return []float64{1e9 + rng.NormFloat64(), rng.NormFloat64()} }, ""},
		{"far classes", func(i int) []float64 { return []float64{1e6*float64(i%2) + rng.NormFloat64(), rng.NormFloat64()} }, "--lambda 1e6"},
		{"huge λ", func(int) []float64 { return []float64{rng.NormFloat64(), rng.NormFloat64()} }, "--lambda 1e8"},
		{"small λ", func(int) []float64 { return []float64{rng.NormFloat64(), rng.NormFloat64()} }, "--lambda 1e-300"},
		{"one feature", func(i int) []float64 { return []float64{rng.NormFloat64() + float64(i%2)} }, "-p 1"},
		{"float32", func(int) []float64 { return []float64{1e30 * rng.NormFloat64(), 1e30 * rng.NormFloat64()} }, "--float32"},
		{"L = 1", func(int) []float64 { return []float64{rng.NormFloat64(), rng.NormFloat64()} }, "--iterations 1"},
	} {
		if i%3 != 0 && !testdata.IsLong() {
			continue
		}
		var text strings.Builder
		for i := range 30 {
			for _, v := range c.row(i) {
				fmt.Fprintf(&text, "%v,", v)
			}
			fmt.Fprintln(&text, i%2)
		}
		data := write(t, filepath.Join(dir, "d.csv"), text.String())
		model := filepath.Join(dir, "m.wda")
		args := append(withFixedScale("fit", "--data", data, "--model", model, "--max-steps", "20"), strings.Fields(c.args)...)
		// Run the command once without --json.
		if code, _, stderr := monge(t, args...); code == exitFailure && strings.Contains(c.args, "--lambda 1e") {
			t.Logf("%s: %s", c.name, stderr)
			continue
		}
		v := object(t, args...)
		if j := numberAt(t, v, "objective"); !(j > 0) {
			t.Errorf("%s: J = %v", c.name, j)
		}
		e := object(t, "eval", "--model", model, "--train", data, "--test", data, "--k", "1")
		numberAt(t, e, "knn_error", "1")
		out := filepath.Join(dir, "o.png")
		if code, _, stderr := monge(t, "plot", "--model", model, "--data", data, "--out", out); code != 0 {
			t.Errorf("%s: plot: %s", c.name, stderr)
		}
	}
}

// TestLargeClass checks that a class can have any number of rows by default, because the objective
// is evaluated on a sample of the rows. Fixed settings without a sample must be rejected if a class
// needs too much memory.
func TestLargeClass(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	n := maxClass + 100
	x, labels := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		if i%4096 == 0 {
			labels[i] = 1
		}
		x.SetRow(i, []float64{rng.NormFloat64() + float64(4*labels[i]), rng.NormFloat64()})
	}
	data, model := filepath.Join(dir, "large.npz"), filepath.Join(dir, "model")
	writeNPZ(t, data, &dataset.Dataset{X: x, Labels: labels}, make([]int32, n))
	out := object(t, withFixedScale("fit", "--data", data, "-p", "1", "--iterations", "2", "--model", model)...)
	if rows := numberAt(t, out, "objective_samples"); rows > 4100 {
		t.Errorf("J of %v rows", rows)
	}
	if code, _, stderr := monge(t, "verify", model, "--data", data); code != 0 {
		t.Errorf("verify: code %d: %s", code, stderr)
	}
	code, _, stderr := monge(t, "fit", "--data", data, "-p", "1", "--model", model+"2", "--whitening", "none", "--lambda", "1", "--shrinkage", "1", "--scale", "equal")
	if code != 1 || !strings.Contains(stderr, "too many for memory") {
		t.Errorf("all settings given: code %d: %s", code, stderr)
	}
}

func TestSample(t *testing.T) {
	s := simulate(t)
	model := filepath.Join(s.dir, "m.wda")
	v := fitSummary(t, "--data", s.npz, "--sample", "30", "--seed", "4", "--model", model)
	if numberAt(t, v, "samples") != 30 {
		t.Errorf("%v samples", v["samples"])
	}
	e := object(t, "eval", "--model", model, "--train", s.npz, "--test", s.npz, "--sample", "30", "--seed", "4")
	if numberAt(t, e, "train") != 30 || numberAt(t, e, "test") != 300 {
		t.Errorf("%v training and %v test rows", e["train"], e["test"])
	}
	// The command eval must select the same training rows as the fit. The model stores the mean of these rows.
	all, err := dataset.ReadFile(s.npz, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := rowFlags{sample: 30, seed: 4}
	d, err := rows.trainingRows(s.npz, all)
	if err != nil {
		t.Fatal(err)
	}
	for j, m := range loadModel(t, model).Mean() {
		var sum float64
		for i := range d.Len() {
			sum += d.X.At(i, j)
		}
		checkNear(t, "mean", sum/30, m, 1e-12)
	}

	// eval must test the rows that the fit held out.
	fitSummary(t, "--data", s.test, "--holdout", "0.4", "--seed", "8", "--model", model)
	e = object(t, "eval", "--model", model, "--train", s.test, "--test", s.test, "--holdout", "0.4", "--seed", "8")
	if numberAt(t, e, "train") != 180 || numberAt(t, e, "test") != 120 {
		t.Errorf("%v training and %v test rows", e["train"], e["test"])
	}
	// Testing on the training rows is allowed. eval prints a warning unless --quiet is set.
	code, _, stderr := monge(t, "eval", "--model", model, "--train", s.test, "--test", s.test, "--k", "1", "--json")
	if code != 0 || !strings.Contains(stderr, "warning: the test rows are the training rows") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	if code, stdout, stderr := monge(t, "eval", "--model", model, "--train", s.test, "--test", s.test, "--k", "1", "--quiet"); code != 0 || stderr != "" || stdout == "" {
		t.Errorf("--quiet: exit code %d, %q, %q", code, stdout, stderr)
	}
}

// slowFit writes data and returns a command line of fit that takes minutes.
func slowFit(t testing.TB) (dir string, data []byte, args []string) {
	t.Helper()
	dir = t.TempDir()
	var b bytes.Buffer
	if err := csvOf(dataset.Simulation{Seed: 1}.Generate(900))(&b); err != nil {
		t.Fatal(err)
	}
	return dir, b.Bytes(), []string{"fit", "--model", filepath.Join(dir, "m.wda"), "--iterations", "10000", "--max-steps", "100000", "--tolerance", "1e-300"}
}

func TestInterrupt(t *testing.T) {
	dir, data, args := slowFit(t)
	file := write(t, filepath.Join(dir, "d.csv"), string(data))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	code, stdout, stderr := mongeContext(ctx, append(args, "--data", file)...)
	if code != exitInterrupted || stdout != "" || stderr != "monge: interrupted; nothing was written\n" {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
	if names := files(t, dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
	// Every command stops.
	canceled, stop := context.WithCancel(t.Context())
	stop()
	s := simulate(t)
	model := filepath.Join(s.dir, "m.wda")
	fitSummary(t, "--data", s.csv, "--model", model)
	before := files(t, s.dir)
	for _, args := range [][]string{
		{"fit", "--data", s.csv, "--model", filepath.Join(s.dir, "n.wda")},
		{"transform", "--model", model, "--data", s.csv, "--out", filepath.Join(s.dir, "n.csv")},
		{"plot", "--model", model, "--data", s.csv, "--out", filepath.Join(s.dir, "n.png")},
		{"eval", "--model", model, "--train", s.csv, "--test", s.test},
		{"score", "--model", model, "--data", s.csv},
		{"demo", "--out", filepath.Join(s.dir, "demo")},
		{"sinkhorn", "--lambda", "1", "--x", s.x, "--y", s.x, "--plan", filepath.Join(s.dir, "n.npy")},
	} {
		if code, stdout, _ := mongeContext(canceled, args...); code != exitInterrupted || stdout != "" {
			t.Errorf("%s: exit code %d, %q", args[0], code, stdout)
		}
	}
	if after := files(t, s.dir); !slices.Equal(after, before) {
		t.Errorf("files %v became %v", before, after)
	}
}

// mongeProcess returns a command that runs monge in a separate process. It skips the test if the system
// cannot start the test binary, for example when an emulator runs the tests.
func mongeProcess(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if err := started(); errors.Is(err, syscall.ENOEXEC) {
		t.Skipf("cannot start a process of this architecture: %v", err)
	}
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), mainVariable+"=1")
	return cmd
}

// started runs the test binary once without tests, to see whether the system can start it.
var started = sync.OnceValue(func() error { return exec.Command(os.Args[0], "-test.run=^$").Run() })

// TestSignal checks the exit code and the output of a separate process that a signal interrupts.
func TestSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals to send")
	}
	dir, data, args := slowFit(t)
	cmd := mongeProcess(t, append(args, "--data", "/dev/stdin")...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The input is larger than the buffer of the pipe. The write therefore returns only when the
	// program is reading, and by then the program handles signals.
	if _, err := in.Write(data); err != nil {
		t.Fatal(err)
	}
	in.Close()
	time.Sleep(200 * time.Millisecond)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if ee, ok := errors.AsType[*exec.ExitError](err); !ok || ee.ExitCode() != exitInterrupted {
		t.Errorf("%v: %s", err, stderr.String())
	}
	if stdout.Len() > 0 || stderr.String() != "monge: interrupted; nothing was written\n" {
		t.Errorf("%q, %q", stdout.String(), stderr.String())
	}
	if names := files(t, dir); len(names) != 0 {
		t.Errorf("left behind: %v", names)
	}
}

func TestLevelVariable(t *testing.T) {
	for _, c := range []struct {
		value string
		code  int
		want  string
	}{{"sse9", exitUsage, "MONGE_LEVEL"}, {"ref", 0, `"selected":"ref"`}} {
		cmd := mongeProcess(t, "info", "--json")
		cmd.Env = append(cmd.Env, "MONGE_LEVEL="+c.value)
		out, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(string(out), c.want) {
			t.Errorf("MONGE_LEVEL=%s: exit code %d, %v: %s", c.value, code, err, out)
		}
	}
}

// brokenWriter fails like a full disk.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestBrokenOutput(t *testing.T) {
	for _, line := range []string{"info --json", "info", "version", "--version", "--help", "help fit", "fit --help", "completion bash", ""} {
		var stderr bytes.Buffer
		if code := newApp(brokenWriter{}, &stderr).run(t.Context(), strings.Fields(line)); code != exitFailure || stderr.String() != "monge: cannot write to standard output: no space left\n" {
			t.Errorf("monge %s: exit code %d, %q", line, code, stderr.String())
		}
	}
}

// TestPrintable checks that printed text escapes terminal control sequences.
func TestPrintable(t *testing.T) {
	const evil = "\x1b[2Jclass\x9b\u202e"
	if got, want := printable("é\t"+evil+"\n"), "é\t"+`\x1b[2Jclass\x9b\u202e`+"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	dir := t.TempDir()
	data := write(t, filepath.Join(dir, "d.csv"), strings.Repeat("1,2,a\n2,1,a\n5,6,"+evil+"\n6,5,"+evil+"\n", 5))
	for _, args := range [][]string{{"fit", "--data", data, "--model", filepath.Join(dir, "m.wda")}, {"fit", "--data", evil}, {"fit", "--data", evil, "--model", "m.wda"}, {evil}} {
		if _, stdout, stderr := monge(t, args...); strings.ContainsAny(stdout+stderr, "\x1b\u202e") || !strings.Contains(stdout+stderr, `\x1b[2J`) && len(args) != 3 {
			t.Errorf("%q: %q, %q", args, stdout, stderr)
		}
	}
}

// TestVectors checks that weights can be NPY vectors, as numpy.save writes them.
func TestVectors(t *testing.T) {
	dir := t.TempDir()
	header := "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	values := []byte{0, 0, 0, 0, 0, 0, 0xe8, 0x3f, 0, 0, 0, 0, 0, 0, 0xd0, 0x3f} // 0.75, 0.25
	path := write(t, filepath.Join(dir, "b.npy"), "\x93NUMPY\x01\x00\x76\x00"+header+string(values))
	v, err := new(textFlags).readVector(path, "b", 2)
	if err != nil || !slices.Equal(v, []float64{0.75, 0.25}) {
		t.Fatalf("%v, %v", v, err)
	}
	cost := write(t, filepath.Join(dir, "c.csv"), "0,1\n1,0\n")
	got := object(t, "sinkhorn", "--cost", cost, "--b", path, "--lambda", "50")
	checkNear(t, "cost", numberAt(t, got, "cost"), 0.25, 1e-6)
	if _, err := new(textFlags).readVector(write(t, path, "\x93NUMPY\x01\x00\x76"), "b", 2); err == nil {
		t.Error("a truncated header is no error")
	}
}
