package baseline

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/testdata"
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
			{NCA{MaxSteps: 5}, 40}, {LSDR{Basis: 20, Starts: 2, MaxSteps: 3}, 500}, {LSQMI{Basis: 20, Starts: 2, MaxSteps: 3}, 500}, {CEML{MaxSteps: 3}, 6 * size.n},
			{CEML{Alpha: 2, MaxSteps: 3}, 6 * size.n},
		} {
			fit := func(ctx context.Context) error { _, err := Fit(ctx, x, labels, 2, c.m); return err }
			all := ending.At(0)
			if err := fit(all); err != nil {
				t.Fatalf("%v: %v", c.m, err)
			}
			if all.Asked() < c.least {
				t.Errorf("%#v, %v: asks %d times, want %d", c.m, size, all.Asked(), c.least)
			}
			tries := 5
			if testdata.IsLong() {
				tries = 100
			}
			step := max(1, all.Asked()/tries)
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

// TestPassesAsk: every pass over samples asks for pieces of a size that does not grow with
// them.
func TestPassesAsk(t *testing.T) {
	const n, d, pieces = 300, 4096, 5 // of 2¹⁸ elements
	x, rows := mat.NewDense(n, d, nil), make([]int, n)
	w := &within{w: x, s: 1}
	square := mat.NewDense(1100, 1100, nil)
	for name, c := range map[string]struct {
		least int
		do    func(ctx context.Context)
	}{
		"checkFinite": {pieces, func(ctx context.Context) { checkFinite(ctx, x) }},
		"gather":      {pieces, func(ctx context.Context) { gather(ctx, x, rows) }},
		"columnMeans": {pieces, func(ctx context.Context) { columnMeans(ctx, x) }},
		"centred":     {2 * pieces, func(ctx context.Context) { centred(ctx, x) }},
		"transposed":  {pieces, func(ctx context.Context) { transposed(ctx, x) }},
		"mirror":      {pieces, func(ctx context.Context) { mirror(ctx, dense.View(square)) }},
		"scale":       {2 * pieces, func(ctx context.Context) { w.scale(ctx) }},
		"gram":        {pieces + n*n/2*d>>24, func(ctx context.Context) { PCA{Workers: 1}.gram(ctx, x) }},
	} {
		all := ending.At(0)
		if c.do(all); all.Asked() < c.least {
			t.Errorf("%s asks %d times, want %d", name, all.Asked(), c.least)
		}
	}
	// And what goes on in the span of the samples does not begin when its search has ended.
	if basis, y, err := span(ending.At(1), x); basis != nil || y != nil || !errors.Is(err, ending.ErrAt) {
		t.Errorf("the span of samples, ended: error %v", err)
	}
}
