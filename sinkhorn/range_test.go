package sinkhorn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomonge/monge/dist"
)

// TestNegativeCosts checks costs that are so negative that K overflows. The plan must be the same as for costs that are larger
// by a constant.
func TestNegativeCosts(t *testing.T) {
	t.Run("float64", negativeCosts[float64])
	t.Run("float32", negativeCosts[float32])
}

func negativeCosts[T dist.Float](t *testing.T) {
	for _, c := range []struct {
		n, m   int
		cost   []T
		lambda float64
	}{
		{1, 1, []T{-1}, 710},
		{2, 2, []T{-1, 0.3125, 0.25, -0.5}, 300},
		{2, 3, []T{-1, -2, -0.5, -1.5, -0.25, -0.75}, 2000},
		{2, 3, []T{-1, 0.5, 0.25, 0, -0.25, 0.75}, 720},
	} {
		shifted := make([]T, len(c.cost))
		for i, x := range c.cost {
			shifted[i] = x + 2
		}
		for _, set := range []Settings{
			{Iterations: 40}, {Iterations: 40, Domain: DomainLog}, {Iterations: 40, Storage: StorageMixed}, {Tolerance: 1e-4}, {Tolerance: 1e-4, Unaccelerated: true}, {Iterations: 40, Gradient: true},
		} {
			plans := [2]dist.Matrix[T]{dist.NewMatrix[T](c.n, c.m, nil), dist.NewMatrix[T](c.n, c.m, nil)}
			for i, cost := range [2][]T{c.cost, shifted} {
				r := mustSolve(t, set, &Problem[T]{Cost: dist.NewMatrix(c.n, c.m, cost), Lambda: c.lambda})
				if err := r.PlanTo(t.Context(), plans[i], 0); err != nil {
					t.Fatal(err)
				}
				if want := -2 * float64(1-i); i == 0 {
					var sum float64
					for k, x := range plans[0].Data {
						sum += float64(x) * float64(c.cost[k])
					}
					if !(math.Abs(r.Cost-sum) < 1e-5) || !(r.Cost >= want) {
						t.Errorf("%+v, %v: cost %v, the plan says %v", set, c.cost, r.Cost, sum)
					}
				}
				if set.Gradient {
					if err := r.CostGradientTo(t.Context(), dist.NewMatrix[T](c.n, c.m, nil), GradientUnrolled); err != nil {
						t.Error(err)
					}
				}
			}
			limit := 1e-9
			if _, single := any(shifted).([]float32); single || set.Tolerance > 0 || set.Storage == StorageMixed {
				limit = 1e-3
			}
			if e := maxDifference(widen(plans[0]), widen(plans[1])); !(e <= limit) {
				t.Errorf("%+v, %v, λ = %v: plan is off by %v: %v, want %v", set, c.cost, c.lambda, e, plans[0].Data, plans[1].Data)
			}
		}
	}
}

// TestPartialWeightless checks that a point without weight does not affect partial transport, even
// if it is much nearer than the other points.
func TestPartialWeightless(t *testing.T) {
	for _, domain := range []Domain{DomainAuto, DomainLog} {
		for _, swap := range []bool{false, true} {
			for _, lambda := range []float64{1, 700, 746, 1e5} {
				p := &Problem[float64]{Cost: dist.NewMatrix(1, 2, []float64{1, 0}), A: []float64{1}, B: []float64{1, 0}, Mass: 0.5, Lambda: lambda}
				if swap {
					p.Cost, p.A, p.B = dist.NewMatrix(2, 1, []float64{1, 0}), p.B, p.A
				}
				if r := mustSolve(t, Settings{Tolerance: 1e-9, Domain: domain}, p); !(math.Abs(r.Cost-0.5) < 1e-9) || r.Status != StatusConverged {
					t.Errorf("%v, λ = %v: cost %v, %v", domain, lambda, r.Cost, r.Status)
				}
			}
		}
	}
}

// TestMixedLastStep checks that the plan of StorageMixed has the row sums a and the reported marginal error, even if the last
// iteration is on logarithms.
func TestMixedLastStep(t *testing.T) {
	for _, set := range []Settings{{Tolerance: 1e-13}, {Iterations: 1}, {Iterations: 7}, {Iterations: 5, Domain: DomainLog}, {Tolerance: 1e-13, Domain: DomainLog}} {
		set.Storage = StorageMixed
		for _, shape := range [][2]int{{1, 97}, {97, 1}, {7, 5}} {
			for _, lambda := range []float64{286, 900} {
				rng := rand.New(rand.NewPCG(6, uint64(lambda)))
				n, m := shape[0], shape[1]
				p := &Problem[float64]{X: cloud[float64](rng, n, 2, 0), Y: cloud[float64](rng, m, 2, 0.5), A: gradientWeights[float64](rng, n, n > 1), B: gradientWeights[float64](rng, m, m > 1), Lambda: lambda}
				r := mustSolve(t, set, p)
				plan := dist.NewMatrix[float64](n, m, nil)
				if err := r.PlanTo(t.Context(), plan, 0); err != nil {
					t.Fatal(err)
				}
				checkMarginals(t, fmt.Sprintf("%+v, %d×%d, λ = %v", set, n, m, lambda), plan, p, r.MarginalError)
			}
		}
	}
}

// TestNoStart checks that errors do not mention Start if the problem has no Start, even if stages of ε-scaling are out of
// range.
func TestNoStart(t *testing.T) {
	costs := []dist.Matrix[float64]{
		dist.NewMatrix(2, 3, []float64{0.1, 0.5, 0.5, 0.2, 0.3, 0.1}),
		dist.NewMatrix(3, 2, []float64{-0.31, -0.155, 0.155, 0, 0.155, -0.31}),
		dist.NewMatrix(3, 4, []float64{0.31, 0, 0.155, 0.31, -0.155, 0, -0.155, 0.155, -0.31, -0.31, 0.155, -0.155}),
	}
	for i, cost := range costs {
		for _, set := range []Settings{{Tolerance: 1e-9, Iterations: 60}, {Tolerance: 1e-9, Iterations: 60, Domain: DomainLog}, {Anneal: 1e100}} {
			s, err := NewSolver[float64](&set)
			if err != nil {
				t.Fatal(err)
			}
			lambda := 1e308
			if i == 0 {
				lambda = 6e307
			}
			if _, err := s.Solve(t.Context(), &Problem[float64]{Cost: cost, Lambda: lambda}); err != nil && (!errors.Is(err, ErrRange) || strings.Contains(err.Error(), "starting")) {
				t.Errorf("%+v, problem %d: %v", set, i, err)
			}
		}
	}
}

// TestWeightlessOverflow checks a column without weight whose sum overflows because of negative costs. The column must not
// affect the plan of Solve or SolveBatch.
func TestWeightlessOverflow(t *testing.T) {
	p := &Problem[float64]{Cost: dist.NewMatrix(2, 4, []float64{0.07, 0.07, 0.4, 0.07, -0.27, 0.07, -0.6, 0.4}), A: []float64{0.1846063301274615, 0.8153936698725385}, B: []float64{0, 0.668632332709408, 0, 0.33136766729059197}, Lambda: 1053}
	q := *p
	q.Cost, q.B, q.A = dist.NewMatrix(1, 2, []float64{0.1, -0.6}), []float64{1, 0}, []float64{1}
	q.Start, q.Lambda = []float64{160}, 1000
	for _, set := range []Settings{{Tolerance: 1e-9}, {Tolerance: 1e-9, Iterations: 2000, Unaccelerated: true}, {Iterations: 1}, {Iterations: 400}} {
		s, err := NewSolver[float64](&set)
		if err != nil {
			t.Fatal(err)
		}
		check := func(i int, r *Result[float64], err error) {
			if err != nil || !finite(r.Cost) || !finite(r.MarginalError) || set.Tolerance > 0 && !set.Unaccelerated && r.Status != StatusConverged {
				t.Errorf("%+v, problem %d: %+v, %v", set, i, r, err)
			}
		}
		for i, p := range []*Problem[float64]{p, &q} {
			r, err := s.Solve(t.Context(), p)
			check(i, r, err)
		}
		if err := s.SolveBatch(t.Context(), []Problem[float64]{*p, *p, *p, q, q, q}, check); err != nil {
			t.Error(err)
		}
	}
}

// TestNoDigits checks large costs in the log domain. If λ·cost·log₂e is at least 2⁴², potentials have few correct digits and
// the status is StatusLowPrecision. If λ·cost·log₂e is at least 2⁵⁰, potentials have no correct digit and Solve returns an
// error.
func TestNoDigits(t *testing.T) {
	for _, c := range []struct {
		product float64 // λ·cost·log₂e
		status  Status
		err     error
	}{{0x1p41, StatusConverged, nil}, {0x1.1p42, StatusLowPrecision, nil}, {0x1.fp49, StatusLowPrecision, nil}, {0x1p50, 0, ErrRange}, {0x1p80, 0, ErrRange}} {
		for _, lambda := range []float64{1e12, 1, 1e-12} {
			cost := c.product / (lambda * math.Log2E)
			p := &Problem[float64]{Cost: dist.NewMatrix(2, 2, []float64{0, cost, cost, cost / 3}), A: []float64{0.3, 0.7}, Lambda: lambda}
			for _, domain := range []Domain{DomainAuto, DomainLog} {
				s, err := NewSolver[float64](&Settings{Domain: domain, Tolerance: 1e-6})
				if err != nil {
					t.Fatal(err)
				}
				r, err := s.Solve(t.Context(), p)
				if !errors.Is(err, c.err) || err == nil && r.Status != c.status {
					t.Errorf("λ = %v, λ·cost·log₂e = %g, %v: %v, %v", lambda, c.product, domain, r, err)
				}
			}
		}
	}
}
