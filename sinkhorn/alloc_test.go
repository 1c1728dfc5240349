package sinkhorn

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/testdata"
)

// TestAllocations checks that a solver does not allocate after it has solved its largest problem.
func TestAllocations(t *testing.T) {
	t.Run("float64", allocations[float64])
	t.Run("float32", allocations[float32])
}

func allocations[T dist.Float](t *testing.T) {
	for _, storage := range []Storage{StorageDense, StorageMatrixFree, StorageMixed} {
		for _, domain := range []Domain{DomainPlain, DomainLog} {
			large := 900
			if !testdata.IsLong() {
				large = 730 // a large problem
			}
			for _, n := range []int{40, large} {
				if n > 100 && !testdata.IsLong() && (storage == StorageMixed || domain == DomainLog || storage == StorageDense != num.IsFloat64[T]()) {
					continue
				}
				t.Run(fmt.Sprintf("%v/%v/n=%d", storage, domain, n), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(1, 9))
					p := &Problem[T]{X: cloud[T](rng, n, 3, 0), Y: cloud[T](rng, n+1, 3, 0.2), A: gradientWeights[T](rng, n, true), Lambda: 0.1}
					plain, err := NewSolver[T](&Settings{Domain: domain, Storage: storage, Gradient: true, Iterations: 3, Workers: 2})
					if err != nil {
						t.Fatal(err)
					}
					annealed, err := NewSolver[T](&Settings{Domain: domain, Storage: storage, Tolerance: 1e-4, Anneal: 2, Workers: 2})
					if err != nil {
						t.Fatal(err)
					}
					newton, err := NewSolver[T](&Settings{Domain: domain, Storage: storage, Tolerance: 1e-30, Iterations: 60, Workers: 2})
					if err != nil {
						t.Fatal(err)
					}
					small := &Problem[T]{X: p.X.RowRange(0, 7), Y: p.Y.RowRange(0, 5), Lambda: 0.1}
					priced, part := *p, *p
					priced.PenaltyA, priced.PenaltyB, part.Mass = 1, 2, 0.5
					plan, m := dist.NewMatrix[T](n, n+1, nil), dist.NewMatrix[T](n, n+1, nil)
					dx, dy := dist.NewMatrix[T](n, 3, nil), dist.NewMatrix[T](n+1, 3, nil)
					f, g := make([]T, n), make([]T, n+1)
					ctx := t.Context()
					all := func() {
						if _, err := plain.Solve(ctx, small); err != nil {
							t.Fatal(err)
						}
						r, err := plain.Solve(ctx, p)
						if err != nil {
							t.Fatal(err)
						}
						if err := errors.Join(r.PlanTo(ctx, plan, 0), r.PlanTo(ctx, plan.RowRange(0, 2), 3), r.BarycentricTo(ctx, dx)); err != nil {
							t.Fatal(err)
						}
						r.PotentialsTo(f, g)
						regularized(t, r)
						if err := r.PointGradientTo(ctx, dx, dy, GradientUnrolled); err != nil {
							t.Fatal(err)
						}
						if err := r.CostGradientTo(ctx, m, GradientUnrolled); err != nil {
							t.Fatal(err)
						}
						if r, err = annealed.Solve(ctx, p); err != nil {
							t.Fatal(err)
						}
						if err := r.PointGradientTo(ctx, dx, dy, GradientFrozen); err != nil {
							t.Fatal(err)
						}
						if err := r.PointGradientTo(ctx, dx, dy, GradientImplicit); err != nil {
							t.Fatal(err)
						}
						for _, p := range []*Problem[T]{p, &priced, &part} {
							if r, err = newton.Solve(ctx, p); err != nil {
								t.Fatal(err)
							}
						}
						regularized(t, r)
					}
					if k := asmtest.Allocations(all); k > 0 {
						t.Errorf("%v allocations", k)
					}
				})
			}
		}
	}
}
