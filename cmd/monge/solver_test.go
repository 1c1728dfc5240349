package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomonge/monge/wda"
)

// TestFitSolvers checks that every method and gradient mode can be selected and is stored in the
// model. An iterative method must reach half of the objective of the default method.
func TestFitSolvers(t *testing.T) {
	s := simulate(t)
	model := filepath.Join(s.dir, "m.wda")
	fit := func(args ...string) (map[string]any, *wda.Report) {
		t.Helper()
		v := object(t, append([]string{"fit", "--data", s.csv, "--model", model, "--seed", "3", "--whitening", "none", "--scale", "orthonormal", "--shrinkage", "0", "--lambda", "1", "--max-steps", "20"}, args...)...)
		f, err := os.Open(model)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		m, _, err := wda.Load(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := m.Report()
		return v, &r
	}
	best, _ := fit()
	for _, name := range strings.Split(methodNames(), ", ") {
		v, r := fit("--method", name)
		if v["method"] != name || r.Settings.Optimizer.Method.String() != name || r.Settings.Seed != 3 {
			t.Errorf("%s: solver %v, in the model %v with seed %d", name, v["method"], r.Settings.Optimizer.Method, r.Settings.Seed)
		}
		closedForm := name == wda.Principal{}.String() || name == wda.Fisher{}.String() // these methods do not maximize J
		if j := numberAt(t, v, "objective"); !(j > numberAt(t, best, "objective")*0.5) && !closedForm || numberAt(t, v, "objective_samples") != 60 {
			t.Errorf("%s: J = %v of %v samples, auto has %v", name, j, v["objective_samples"], best["objective"])
		}
	}
	_, r := fit("--method", "minibatch", "--batch-size", "5", "--max-steps", "2")
	if r.Settings.Optimizer.Method != wda.Method(wda.MiniBatch{BatchSize: 5}) || r.Settings.Optimizer.MaxSteps != 2 {
		t.Errorf("--batch-size 5 --max-steps 2: %+v", r.Settings)
	}
	for mode, iterations := range map[string]int{"unrolled": 10, "implicit": 10000, "frozen": 10} {
		if _, r := fit("--gradient", mode); r.Settings.Objective.Gradient.String() != mode || r.Settings.Objective.Iterations != iterations {
			t.Errorf("--gradient %s: %v with %d iterations", mode, r.Settings.Objective.Gradient, r.Settings.Objective.Iterations)
		}
	}
	if _, r := fit("--gradient", "implicit", "--iterations", "700"); r.Settings.Objective.Iterations != 700 {
		t.Errorf("--iterations 700: %d", r.Settings.Objective.Iterations)
	}
	_, stdout, _ := monge(t, withFixedScale("fit", "--data", s.csv, "--model", model, "--validation", "0.5")...)
	if !strings.Contains(stdout, ", on 30 rows") {
		t.Errorf("the part that J is of is not named: %q", stdout)
	}
	for _, c := range []struct{ args, want string }{
		{"--method magic", "--method must be one of auto, cg, sd, pg, eigen, eigen-trace, minibatch"},
		{"--gradient magic", "--gradient must be unrolled, implicit or frozen"},
		{"--batch-size 8", "--batch-size needs --method minibatch"},
		{"--method minibatch --batch-size 1", "--batch-size must be at least 2"},
		{"--method minibatch --batch-size x", "--batch-size must be a whole number"},
	} {
		args := append([]string{"fit", "--data", s.csv, "--model", filepath.Join(s.dir, "none.wda")}, strings.Fields(c.args)...)
		if code, _, stderr := monge(t, args...); code != 2 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d, %q", c.args, code, stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, "none.wda")); err == nil {
		t.Error("a wrong command line writes a model")
	}
}
