package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEMD checks that the command prints the cost and the optimality certificate, and writes the
// nonzero entries of the transport plan.
func TestEMD(t *testing.T) {
	dir := t.TempDir()
	at := func(name, text string) string { return write(t, filepath.Join(dir, name), text) }
	cost, a, b := at("cost.csv", "3,1,4,1\n5,9,2,6\n5,3,5,8\n"), at("a.csv", "0.5\n0.3\n0.2\n"), at("b.csv", "0.1\n0.4\n0.25\n0.25\n")
	plan := filepath.Join(dir, "plan.csv")
	v := object(t, "emd", "--cost", cost, "--a", a, "--b", b, "--plan", plan)
	if c := numberAt(t, v, "cost"); c < 1.95-1e-15 || c > 1.95+1e-15 || numberAt(t, v, "gap") > 1e-14 || numberAt(t, v, "marginal_error") > 1e-15 {
		t.Error(v)
	}
	for _, key := range []string{"violation", "primal", "dual", "pivots", "rows", "columns"} {
		numberAt(t, v, key)
	}
	text, err := os.ReadFile(plan)
	if want := "row,column,mass\n0,"; err != nil || !strings.HasPrefix(string(text), want) || strings.Count(string(text), "\n") != 1+int(numberAt(t, v, "entries")) {
		t.Errorf("%q, %v", text, err)
	}
	x, y := at("x.csv", "0,0\n1,2\n3,1\n"), at("y.csv", "5,1\n4,4\n")
	v = object(t, "emd", "--x", x, "--y", y, "--mass", "0.25", "--plan", filepath.Join(dir, "plan.npy"))
	if numberAt(t, v, "cost") != 1 {
		t.Error("partial:", v)
	}
	code, out, stderr := monge(t, "emd", "--x", x, "--y", y, "--plan", filepath.Join(dir, "plan.png"))
	if code != 0 || !strings.Contains(out, "gap") || !strings.Contains(out, "3 × 2") {
		t.Error(code, out, stderr)
	}
	for args, want := range map[string]struct {
		code int
		text string
	}{
		"--x X":                    {2, "either --x and --y, or --cost"},
		"--x X --y Y --cost C":     {2, "--cost cannot be used with --x"},
		"--x X --y Y --mass -1":    {2, "--mass must be"},
		"--x X --y Y --mass 2":     {1, "--mass is 2, but x has the mass 1"},
		"--cost C --b B":           {1, "the weights"},
		"--cost C --plan plan.txt": {2, "must end in"},
	} {
		args = strings.NewReplacer("X", x, "Y", y, "C", cost, "B", at("twice.csv", "1\n1\n1\n1\n")).Replace(args)
		if code, _, stderr := monge(t, append([]string{"emd"}, strings.Fields(args)...)...); code != want.code || !strings.Contains(stderr, want.text) {
			t.Errorf("%s: exit code %d: %s", args, code, stderr)
		}
	}
}
