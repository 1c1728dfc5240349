package sinkhorn

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/ending"
)

// TestEndAtEveryCheck ends the context at every check of a solve. Solve and SolveBatch must then return a result together with
// the context's cause. After at least one iteration, the result must have a plan and a marginal error.
func TestEndAtEveryCheck(t *testing.T) {
	matrix := func(x ...float64) dist.Matrix[float64] { return dist.NewMatrix(2, 2, x) }
	far, near := matrix(2000, 3000, 3000, 2000), matrix(0.1, 0.7, 0.9, 0.2)
	x := matrix(0, 40, 1, 2)
	problems := map[string]Problem[float64]{
		"costs far apart":  {Cost: far},
		"costs":            {Cost: near, A: []float64{0.3, 0.7}},
		"slow":             {Cost: matrix(0, 1, 1, 0.99), A: []float64{0.3, 0.7}, Lambda: 100},
		"points":           {X: x, Y: x},
		"NaN":              {Cost: matrix(1, 2, math.NaN(), 1)},
		"beyond the range": {Cost: matrix(1e300, 1, 2, 1), Lambda: 1e5},
		"penalties":        {Cost: far, A: []float64{1, 3}, PenaltyA: 1, PenaltyB: 2},
		"partial":          {Cost: far, Mass: 0.4},
	}
	results, canceled := 0, 0
	for name, p := range problems {
		if p.Lambda == 0 {
			p.Lambda = 1
		}
		for _, set := range []Settings{
			{Domain: DomainPlain}, {}, {Domain: DomainLog, Iterations: 3}, {Storage: StorageMatrixFree}, {Storage: StorageMixed},
			{Tolerance: 1e-9}, {Tolerance: 1e-9, Domain: DomainPlain}, {Tolerance: 1e-9, Unaccelerated: true, Anneal: 4, Iterations: 50}, {Gradient: true, Iterations: 4},
		} {
			if set.Gradient && (p.PenaltyA > 0 || p.Mass > 0) {
				continue
			}
			set.Workers = 1
			s, err := NewSolver[float64](&set)
			if err != nil {
				t.Fatal(err)
			}
			check := func(what string, r *Result[float64], err error) {
				results++
				if !errors.Is(err, ending.ErrAt) {
					return
				}
				canceled++
				switch {
				case r == nil:
					t.Errorf("%s, %+v, %s: no result, %v", name, set, what, err)
				case r.Status != StatusCanceled || !math.IsNaN(r.Cost) || (r.Iterations == 0) != math.IsNaN(r.MarginalError):
					t.Errorf("%s, %+v, %s: %v after %d iterations, cost %v, marginal error %v", name, set, what, r.Status, r.Iterations, r.Cost, r.MarginalError)
				default:
					plan := dist.NewMatrix[float64](2, 2, nil)
					if err := r.PlanTo(t.Context(), plan, 0); (r.Iterations == 0) != errors.Is(err, ErrNoResult) {
						t.Errorf("%s, %+v, %s: plan: %v", name, set, what, err)
					}
				}
			}
			for last := 1; ; last++ {
				ctx := ending.At(last)
				r, err := s.Solve(ctx, &p)
				check(fmt.Sprintf("check %d", last), r, err)
				if ctx.Checks() < last {
					break
				}
			}
			// Solve the problem alone, in a batch of problems that share K, and in a batch of problems that use vector lanes.
			other := p
			other.Cost, other.X = dist.Matrix[float64]{Rows: p.Cost.Rows, Cols: p.Cost.Cols, Stride: p.Cost.Stride, Data: append([]float64(nil), p.Cost.Data...)}, p.X
			for _, ps := range [][]Problem[float64]{{p}, {p, p, p}, {p, other, p, other}} {
				for last := 1; ; last++ {
					ctx := ending.At(last)
					s.SolveBatch(ctx, ps, func(i int, r *Result[float64], err error) {
						check(fmt.Sprintf("problem %d of %d, look %d", i, len(ps), last), r, err)
					})
					if ctx.Checks() < last {
						break
					}
				}
			}
		}
	}
	t.Logf("%d results, %d of them canceled", results, canceled)
}
