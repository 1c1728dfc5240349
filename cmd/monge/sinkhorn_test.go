package main

import (
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPairs checks that a file of pairs gives the same results as solving each pair alone, in the
// order of the file. A pair that cannot be solved must have an error text.
func TestPairs(t *testing.T) {
	dir := t.TempDir()
	var pairs strings.Builder
	var want []map[string]any
	for k := range 20 {
		var x, y, a strings.Builder
		for i := range 3 + k%4 {
			px, py := math.Sin(float64(7*k+i)), math.Cos(float64(3*k-i))
			fmt.Fprintf(&pairs, "%d,0,%v,%v,%v\n", 100-k, 0.25, px, py)
			fmt.Fprintf(&pairs, "%d,1,%v,%v,%v\n", 100-k, 0.25, py, px*px)
			fmt.Fprintf(&x, "%v,%v\n", px, py)
			fmt.Fprintf(&y, "%v,%v\n", py, px*px)
			fmt.Fprintln(&a, 0.25)
		}
		at := func(name, text string) string { return write(t, filepath.Join(dir, name), text) }
		v := object(t, "sinkhorn", "--x", at("x.csv", x.String()), "--y", at("y.csv", y.String()), "--header", "absent", "--a", at("a.csv", a.String()),
			"--b", at("b.csv", a.String()), "--lambda", "3")
		v["pair"] = float64(100 - k)
		want = append(want, v)
	}
	good := write(t, filepath.Join(dir, "pairs.csv"), pairs.String())
	code, stdout, stderr := monge(t, "sinkhorn", "--pairs", good, "--lambda", "3", "--json")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != 0 || len(lines) != len(want) {
		t.Fatalf("exit code %d, %d lines: %s", code, len(lines), stderr)
	}
	for i, line := range lines {
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want[i]) {
			t.Errorf("line %d: %v, want %v", i, got, want[i])
		}
	}
	if code, stdout, _ = monge(t, "sinkhorn", "--pairs", good, "--lambda", "3"); code != 0 || strings.Count(stdout, "\n") != 21 {
		t.Errorf("exit code %d, table %q", code, stdout)
	}

	// The second problem has unequal weights and cannot be solved.
	bad := write(t, filepath.Join(dir, "bad.csv"), "1,0,1,0\n1,1,1,1\n2,0,1,0\n2,1,3,1\n")
	code, stdout, stderr = monge(t, "sinkhorn", "--pairs", bad, "--lambda", "3", "--json")
	if code != 1 || !strings.Contains(stderr, "1 of 2 pairs") || !strings.Contains(stdout, `"pair":2,"error":"the weights of x sum to 1, but those of y to 3; scale one of them, or use --penalty-a`) || !strings.Contains(stdout, `"pair":1,"cost":1`) {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	v := object(t, "sinkhorn", "--pairs", write(t, bad, "2,0,1,0\n2,1,3,1\n"), "--lambda", "3", "--rho-a", "1", "--rho-b", "1")
	// The transport plan between two single points is one number, the moved mass. The squared
	// distance is 1, so the cost equals the mass.
	if mass := numberAt(t, v, "mass"); mass <= 0 || mass != numberAt(t, v, "cost") {
		t.Errorf("with penalties: %v", v)
	}
	for text, want := range map[string]string{
		"1,0,1\n": "3 columns", "1.5,0,1,0\n": "row 1, column 1: the number of a pair", "1,2,1,0\n": "row 1, column 2: must be 0",
		"1,0,1,0\n1,1,-1,0\n": "row 2, column 3: the weight -1 is negative", "1,0,1,0\n": "pair 1 has 1 points of x and 0 points of y",
		"1,0,1,0\n1,1,1,0\n2,0,1,0\n2,1,1,0\n1,1,1,0\n":    "row 5: pair 1 appears again",
		"9007199254740992,0,1,0\n9007199254740993,1,1,0\n": "row 1, column 1: the number of a pair must be below 2⁵³",
		"-9007199254740993,0,1,0\n":                        "row 1, column 1: the number of a pair must be below 2⁵³", "1e300,0,1,0\n": "must be below 2⁵³",
	} {
		code, _, stderr := monge(t, "sinkhorn", "--pairs", write(t, bad, text), "--lambda", "3")
		if code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit code %d: %s", text, code, stderr)
		}
	}
	if code, _, stderr := monge(t, "sinkhorn", "--pairs", good, "--x", good, "--lambda", "3"); code != 2 || !strings.Contains(stderr, "--pairs cannot be used with") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// TestUnequalMass checks marginal penalties and a fixed mass. The result must meet the tolerance.
func TestUnequalMass(t *testing.T) {
	dir := t.TempDir()
	cost := write(t, filepath.Join(dir, "c.csv"), "0,1,2\n1,0,1\n")
	a := write(t, filepath.Join(dir, "a.csv"), "1\n2\n")
	b := write(t, filepath.Join(dir, "b.csv"), "1\n1\n0.5\n")
	solve := func(more ...string) map[string]any {
		return object(t, append([]string{"sinkhorn", "--cost", cost, "--a", a, "--b", b, "--lambda", "5", "--tolerance", "1e-10"}, more...)...)
	}
	code, _, stderr := monge(t, "sinkhorn", "--cost", cost, "--a", a, "--b", b, "--lambda", "5")
	if code != 1 || !strings.Contains(stderr, "the weights of x sum to 3, but those of y to 2.5") {
		t.Errorf("balanced: exit code %d: %s", code, stderr)
	}
	mass := func(v map[string]any, plan string) (sum float64) {
		if numberAt(t, v, "marginal_error") > 3e-10 || v["status"] != "converged" {
			t.Errorf("%v", v)
		}
		m, err := new(textFlags).readMatrix(plan)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range m.RawMatrix().Data {
			sum += x
		}
		return sum
	}
	plan := filepath.Join(dir, "p.csv")
	checkNear(t, "--mass", mass(solve("--mass", "1.5", "--plan", plan), plan), 1.5, 1e-9)
	checkNear(t, "--rho-b 0", mass(solve("--rho-a", "10", "--plan", plan), plan), 2.5, 1e-9)
	checkNear(t, "mass", numberAt(t, solve("--rho-a", "10"), "mass"), 2.5, 1e-9)
	both := mass(solve("--rho-a", "1", "--rho-b", "1", "--plan", plan), plan)
	if dear := mass(solve("--rho-a", "1000", "--rho-b", "1000", "--plan", plan), plan); !(both > 2 && both < 3.5 && dear > 2.7 && dear < 2.8) {
		t.Errorf("masses %v with a price of 1 and %v of 1000", both, dear) // with a price of 1000, the mass must be near √(3·2.5) ≈ 2.74
	}
}

// TestPlanPicture checks that the picture has the shape of the transport plan, and is dark where
// the plan moves mass.
func TestPlanPicture(t *testing.T) {
	dir := t.TempDir()
	cost := write(t, filepath.Join(dir, "c.csv"), "0,1,1,1\n1,1,1,0\n")
	a := write(t, filepath.Join(dir, "b.csv"), "0.5\n0\n0\n0.5\n")
	pic := filepath.Join(dir, "p.png")
	object(t, "sinkhorn", "--cost", cost, "--b", a, "--lambda", "50", "--plan", pic)
	file, err := os.Open(pic)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	img, err := png.Decode(file)
	if err != nil {
		t.Fatal(err)
	}
	dark := func(i, j int) bool { // cells are 150 pixels wide, and the margin is 60 pixels wide
		r, g, b, _ := img.At(60+150*j+75, 60+150*i+75).RGBA()
		return r+g+b < 3*0x8000
	}
	for i := range 2 {
		for j := range 4 {
			if want := i == 0 && j == 0 || i == 1 && j == 3; dark(i, j) != want {
				t.Errorf("cell %d, %d of a picture of %v: dark is %v", i, j, img.Bounds(), !want)
			}
		}
	}
	svg := filepath.Join(dir, "p.svg")
	object(t, "sinkhorn", "--cost", cost, "--b", a, "--lambda", "50", "--plan", svg)
	if text, err := os.ReadFile(svg); err != nil || !strings.Contains(string(text), "y: 4") {
		t.Errorf("%v: %s", err, text)
	}
}

// TestSinkhornUnfinished checks a result that misses the tolerance. The command must print the
// result, print one line on standard error, and exit with code 3.
func TestSinkhornUnfinished(t *testing.T) {
	dir := t.TempDir()
	x := write(t, filepath.Join(dir, "x.csv"), "0,0\n1,0\n0,1\n")
	y := write(t, filepath.Join(dir, "y.csv"), "5,0\n1,3\n0,1\n")
	pairs := write(t, filepath.Join(dir, "pairs.csv"), "1,0,1,0,0\n1,0,1,1,0\n1,1,1,5,0\n1,1,1,1,3\n2,0,1,0,0\n2,1,1,1,1\n")
	for _, c := range []struct {
		args   string
		code   int
		stderr string
	}{
		{"--x " + x + " --y " + y + " --lambda 1", exitOK, ""},
		{"--x " + x + " --y " + y + " --lambda 1 --iterations 2", exitOK, ""},
		{"--x " + x + " --y " + y + " --lambda 100 --max-iterations 3", exitUnfinished, "after 3 iterations the marginal error is 0.111, above the tolerance 1e-09; use more --max-iterations"},
		{"--x " + x + " --y " + y + " --lambda 1e12", exitUnfinished, "use a smaller --lambda"},
		{"--pairs " + pairs + " --lambda 1 --max-iterations 2", exitUnfinished, "1 of 2 pairs have not reached the tolerance"},
		{"--pairs " + pairs + " --lambda 0.01", exitOK, ""},
	} {
		code, stdout, stderr := monge(t, strings.Fields("sinkhorn "+c.args)...)
		if code != c.code || stdout == "" || !strings.Contains(stderr, c.stderr) || (stderr == "") != (code == exitOK) {
			t.Errorf("%s: exit code %d, want %d: %s%s", c.args, code, c.code, stdout, stderr)
		}
	}
}

// TestSinkhornTables checks points in tables with column names, identifiers, decimal commas and
// reordered columns.
func TestSinkhornTables(t *testing.T) {
	dir := t.TempDir()
	at := func(name, text string) string { return write(t, filepath.Join(dir, name), text) }
	cost := func(args ...string) any {
		t.Helper()
		return numberAt(t, object(t, append([]string{"sinkhorn", "--lambda", "1"}, args...)...), "cost")
	}
	x, y := at("x.csv", "0,1.5\n2,3\n"), at("y.csv", "1,0.5\n4,1\n")
	want := cost("--x", x, "--y", y)
	named, turned := at("xn.csv", "h,g\n0,1.5\n2,3\n"), at("yn.csv", "g,h\n0.5,1\n1,4\n")
	for _, args := range [][]string{
		{"--x", named, "--y", y},
		{"--x", named, "--y", turned},
		{"--x", at("xi.csv", "id,h,g\na,0,1.5\nb,2,3\n"), "--y", at("yi.csv", "g,id,h\n0.5,c,1\n1,d,4\n"), "--drop", "id"},
		{"--x", at("xc.csv", "h;g\n0,0;1,5\n2,0;3,0\n"), "--y", at("yc.csv", "1,0;0,5\n4,0;1,0\n"), "--delimiter", ";", "--decimal", ","},
		{"--x", at("x.jsonl", "{\"h\":0,\"g\":1.5,\"k\":7}\n{\"h\":2,\"g\":3,\"k\":7}\n"), "--y", turned, "--columns", "h,g"},
	} {
		if got := cost(args...); got != want {
			t.Errorf("%q: cost %v, want %v", args, got, want)
		}
	}
	at("k.csv", "h,k\n0,1.5\n2,3\n")
	at("m.csv", "h,g\n0,1.5\n,3\n")
	at("d.csv", "h;g\n0,5;1,5\n2,5;3,5\n")
	before := files(t, dir)
	for _, b := range []bad{
		{"another name", "sinkhorn --lambda 1 --x $xn.csv --y $k.csv", 1, `has no column "g", which`},
		{"drop in one file", "sinkhorn --lambda 1 --x $x.csv --y $yi.csv --drop id", 1, "columns of --drop must be in both files: otherwise choose the coordinates by --columns"},
		{"text", "sinkhorn --lambda 1 --x $xi.csv --y $yi.csv", 1, `column 1 (id): "a" is not a number; use --drop id to leave the column out`},
		{"missing value", "sinkhorn --lambda 1 --x $m.csv --y $y.csv", 1, "every point needs all of its coordinates"},
		{"semicolons", "sinkhorn --lambda 1 --x $d.csv --y $y.csv", 1, "use --delimiter ';'"},
		{"decimal comma", "sinkhorn --lambda 1 --x $d.csv --y $y.csv --delimiter ;", 1, "may have a decimal comma; for decimal commas use --decimal ,"},
		{"header of costs", "sinkhorn --lambda 1 --cost $xn.csv", 1, `"h" is not a number; this file must hold numbers only`},
	} {
		b.check(t, dir, before)
	}
}
