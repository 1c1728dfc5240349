package baseline

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/ending"
	"gonum.org/v1/gonum/mat"
)

// TestEndsAnywhere: whenever the context ends, every method returns its cause, and hardly
// anybody asks again; and it asks often enough, for every part of an evaluation.
func TestEndsAnywhere(t *testing.T) {
	for _, size := range []struct{ n, d int }{{60, 9}, {24, 40}} {
		rng := rand.New(rand.NewPCG(1, uint64(size.d)))
		x, labels := mat.NewDense(size.n, size.d, nil), make([]int, size.n)
		for i := range labels {
			labels[i] = i % 3
			for j := range size.d {
				x.Set(i, j, rng.NormFloat64())
			}
			x.Set(i, labels[i], x.At(i, labels[i])+2)
		}
		for _, c := range []struct {
			m     Method
			least int // times that it asks
		}{
			{PCA{Workers: 1}, size.d}, {FDA{Shrinkage: 0.1}, 10}, {FDA{LedoitWolf: true}, 10}, {LFDA{}, size.n}, {LMNN{MaxSteps: 5}, size.n},
			{NCA{MaxSteps: 5}, 40}, {LSDR{Basis: 20, Restarts: 1, MaxSteps: 3}, 500}, {LSQMI{Basis: 20, Restarts: 1, MaxSteps: 3}, 500}, {CEML{MaxSteps: 3}, 6 * size.n},
			{CEML{Alpha: 2, MaxSteps: 3}, 6 * size.n},
		} {
			fit := func(ctx context.Context) error { _, err := Fit(ctx, c.m, x, labels, 2); return err }
			all := ending.At(0)
			if err := fit(all); err != nil {
				t.Fatalf("%v: %v", c.m, err)
			}
			if all.Asked() < c.least {
				t.Errorf("%#v, %v: asks %d times, want %d", c.m, size, all.Asked(), c.least)
			}
			step := max(1, all.Asked()/100)
			for last := 1; last < all.Asked(); last += step {
				ctx := ending.At(last)
				if err := fit(ctx); !errors.Is(err, ending.ErrAt) {
					t.Fatalf("%#v, %v: ended at %d of %d: %v", c.m, size, last, all.Asked(), err)
				}
				if ctx.Late() > 120 {
					t.Fatalf("%#v, %v: ended at %d of %d: asked %d times more", c.m, size, last, all.Asked(), ctx.Late())
				}
			}
		}
	}
}
