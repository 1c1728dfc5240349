package main

import (
	"math"
	"testing"
)

// TestExact checks that package emd and gonum's simplex method find the same cost. It also checks that an assignment costs n
// times as much as transport with uniform weights.
func TestExact(t *testing.T) {
	dir := t.TempDir()
	solve := func(name string, m maker) []float64 {
		s := parseSpec(name)
		if err := generate(s, dir, ""); err != nil {
			t.Fatal(err)
		}
		j := m(s, dir)
		j.run()
		return j.result()
	}
	for _, name := range []string{"emd/type=f64/n=12/d=2/weights=random", "emd/type=f64/n=12/d=10/weights=uniform"} {
		if ours, lp := solve(name, ourJob[float64]), solve(name, gonum); difference("emd", lp, ours) > 1e-9 {
			t.Errorf("%s: %v, gonum has %v", name, ours, lp)
		}
	}
	uniform, assigned := solve("emd/type=f64/n=12/d=2/weights=uniform", ourJob[float64]), solve("assign/type=f64/n=12/costs=points/d=2", ourJob[float64])
	if math.Abs(assigned[0]/uniform[0]-12) > 1e-9 {
		t.Errorf("the assignment costs %v, the plan %v", assigned, uniform)
	}
	if d := difference("assign", []float64{0}, []float64{0}); d != 0 {
		t.Errorf("results of 0 differ by %v", d)
	}
}
