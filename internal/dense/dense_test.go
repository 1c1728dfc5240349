package dense

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/testdata"
)

// TestPieces checks that a product computed in pieces is bit-identical to a product computed in one
// call, and that the context is checked often enough.
func TestPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(rows, cols int) matrix.Matrix[float64] {
		m := matrix.New[float64](rows, cols, nil)
		for i := range m.Data {
			m.Data[i] = rng.NormFloat64()
		}
		return m
	}
	for i, c := range []struct{ m, n, inner int }{{3, 4, 0}, {1, 1, 1}, {150, 700, 900}, {70, 90, 9000}, {9000, 70, 30}, {8, 2000, 1300}, {3, 1, 100001}} {
		for _, add := range []bool{false, true} {
			for _, trans := range []bool{false, true} {
				if !testdata.IsLong() && (add == trans) != (i%2 == 0) {
					continue // only the long tests cover all combinations
				}
				a, b := random(c.m, c.inner), random(c.inner, c.n)
				if trans {
					a = random(c.inner, c.m)
				}
				want := random(c.m, c.n)
				got := matrix.New(c.m, c.n, slices.Clone(want.Data))
				ctx := ending.At(0)
				if trans {
					matrix.TransMul(want, a, b, add)
					TransProduct(ctx, got, a, b, add)
				} else {
					matrix.Mul(want, a, b, add)
					Product(ctx, got, a, b, add)
				}
				if !slices.Equal(got.Data, want.Data) {
					t.Errorf("%v, add %t, trans %t: other bits than in one call", c, add, trans)
				}
				if least := c.m * c.n * c.inner / (4 * pieceMultiplications); ctx.Checks() < max(1, least) {
					t.Errorf("%v, trans %t: checks its context %d times, want %d", c, trans, ctx.Checks(), max(1, least))
				}
			}
		}
	}
}
