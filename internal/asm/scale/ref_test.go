package scale

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// TestRef holds both halves against exact arithmetic. For positive data the row sum
// has the relative error γ_k at most, k = ⌈n/w⌉ + log₂w, and the division rounds once
// more, so that u is within γ_(k+2) of a ⊘ K v; q, with the computed u, is within
// γ_m Σ|terms| of q + Kᵀ u.
func TestRef(t *testing.T) {
	t.Run("f64", refTest[float64])
	t.Run("f32", refTest[float32])
}

func refTest[T num.Float](t *testing.T) {
	rng := newRand()
	var worstU, worstQ asmtest.Worst
	for range 200 {
		m, n := 1+rng.IntN(40), 1+rng.IntN(40)
		if rng.IntN(10) == 0 {
			n = 1 + rng.IntN(1500)
		}
		k, v, a, q := values[T](rng, m*n), values[T](rng, n), values[T](rng, m), values[T](rng, n)
		u, before := make([]T, m), append([]T{}, q...)
		iterateRef(m, n, k, n, v, a, u, q)

		for i := range m {
			var e asmtest.ExactSum
			for j := range n {
				e.Add(float64(k[i*n+j]), float64(v[j]))
			}
			want := new(big.Float).Quo(big.NewFloat(float64(a[i])).SetPrec(1000), e.Value())
			bound := new(big.Float).Mul(want, big.NewFloat(asmtest.Gamma[T](asmtest.RowRoundings[T](n)+2)))
			worstU.See(asmtest.Error(float64(u[i]), want, bound), "%d×%d, row %d", m, n, i)
		}
		for j := range n {
			var e asmtest.ExactSum
			e.Add(float64(before[j]))
			for i := range m {
				e.Add(float64(k[i*n+j]), float64(u[i]))
			}
			bound := new(big.Float).Mul(e.Magnitude(), big.NewFloat(asmtest.Gamma[T](m)))
			worstQ.See(asmtest.Error(float64(q[j]), e.Value(), bound), "%d×%d, column %d", m, n, j)
		}
	}
	worstU.Report(t, "u")
	worstQ.Report(t, "q")
}

func values[T num.Float](rng *rand.Rand, n int) []T {
	s := make([]T, n)
	asmtest.Fill(rng, s, asmtest.Unit)
	return s
}
