package sinkhorn

import (
	"fmt"
	"math"
	"testing"

	"github.com/gomonge/monge/dist"
)

// offset returns the mean of f − want, and the largest deviation of an element from this mean.
func offset(f, want []float64) (mean, spread float64) {
	for i := range f {
		mean += (f[i] - want[i]) / float64(len(f))
	}
	for i := range f {
		spread = max(spread, math.Abs(f[i]-want[i]-mean))
	}
	return mean, spread
}

// TestConvergedPlans solves the test cases until convergence, with and without ε-scaling, and compares plan, cost and
// potentials. The potentials are unique up to a constant that is added to f and subtracted from g.
func TestConvergedPlans(t *testing.T) {
	for _, name := range otCases {
		c := loadOT(t, name)
		p := &Problem[float64]{Cost: c.matrix(t, "M"), A: c.matrix(t, "a").Data, B: c.matrix(t, "b").Data, Lambda: c.meta.Lam}
		want, wantF, wantG := c.matrix(t, "T_conv"), c.matrix(t, "f_conv").Data, c.matrix(t, "g_conv").Data
		steps := map[float64]int{}
		for _, anneal := range []float64{0, 2, 4, 10} {
			r := mustSolve(t, Settings{Iterations: 100000, Tolerance: 1e-13, Anneal: anneal}, p)
			if r.Status != StatusConverged || !(r.MarginalError <= 1e-13) {
				t.Errorf("%s, annealing by %v: %v after %d iterations, marginal error %.3g", name, anneal, r.Status, r.Iterations, r.MarginalError)
			}
			steps[anneal] = r.Iterations + r.Annealing
			got := dist.NewMatrix[float64](c.meta.N, c.meta.M, nil)
			r.PlanTo(t.Context(), got, 0)
			if e := maxDifference(got, want); !(e <= 1e-11) {
				t.Errorf("%s, annealing by %v: plan is off by %.3g of its largest entry", name, anneal, e)
			}
			if e := math.Abs(r.Cost/c.meta.Conv - 1); !(e <= 1e-12) {
				t.Errorf("%s, annealing by %v: cost is off by %.3g", name, anneal, e)
			}
			f, g := make([]float64, c.meta.N), make([]float64, c.meta.M)
			r.PotentialsTo(f, g)
			up, ef := offset(f, wantF)
			down, eg := offset(g, wantG)
			if !(max(ef, eg, math.Abs(up+down)) <= 1e-8) {
				t.Errorf("%s, annealing by %v: potentials are off by %.3g and %.3g, their constants by %.3g", name, anneal, ef, eg, up+down)
			}
		}
		if name == "ot_reg2e-4" && !(steps[4] < steps[0]) {
			t.Errorf("%s: %d iterations with annealing, %d without", name, steps[4], steps[0])
		}
		t.Logf("%s: iterations by annealing factor %v", name, steps)
	}
}

// TestWarmStart checks that a solve continues an earlier solve if it starts from the potentials of the earlier solve.
func TestWarmStart(t *testing.T) {
	for _, name := range otCases {
		c := loadOT(t, name)
		for _, domain := range []Domain{DomainAuto, DomainLog} {
			t.Run(fmt.Sprintf("%s/%v", name, domain), func(t *testing.T) {
				p := Problem[float64]{Cost: c.matrix(t, "M"), A: c.matrix(t, "a").Data, B: c.matrix(t, "b").Data, Lambda: c.meta.Lam}
				p.Start = make([]float64, c.meta.N)
				g := make([]float64, c.meta.M)
				mustSolve(t, Settings{Iterations: 90, Domain: domain}, &p).PotentialsTo(p.Start, g)
				r := mustSolve(t, Settings{Iterations: 10, Domain: domain}, &p)
				got := dist.NewMatrix[float64](c.meta.N, c.meta.M, nil)
				r.PlanTo(t.Context(), got, 0)
				if e := maxDifference(got, c.matrix(t, "T_100")); !(e <= 2e-12) {
					t.Errorf("90 iterations and 10 more: plan is off by %.3g of its largest entry", e)
				}
			})
		}
	}
}
