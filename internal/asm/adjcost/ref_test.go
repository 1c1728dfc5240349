package adjcost

import (
	"math/big"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// TestRef holds G against exact sums. A term K_ij λ A_iq B_qj goes through at most
// r + 1 FMAs of the sum, the FMA with λ and the last product; K_ij λ h M_ij has the
// rounding of h more and fewer FMAs; so G_ij is within γ_(r+4) Σ|terms|.
func TestRef(t *testing.T) {
	t.Run("f64", refTest[float64])
	t.Run("f32", refTest[float32])
}

func refTest[T num.Float](t *testing.T) {
	rng := newRand()
	var worst asmtest.Worst
	for range 60 {
		m, n, r := 1+rng.IntN(10), 1+rng.IntN(10), rng.IntN(61)
		values := func(n int, c asmtest.Class) []T {
			s := make([]T, n)
			asmtest.Fill(rng, s, c)
			return s
		}
		k, mat := values(m*n, asmtest.Unit), values(m*n, asmtest.Unit)
		a, b := values(m*r, asmtest.Gauss), values(r*n, asmtest.Gauss)
		u, v := values(m, asmtest.Unit), values(n, asmtest.Unit)
		lambda := asmtest.Value[T](rng, asmtest.Unit) * 10
		g := make([]T, m*n)
		blockRef(m, n, r, g, n, k, n, mat, n, a, r, b, n, u, v, lambda)
		for i := range m {
			for j := range n {
				kij := float64(k[i*n+j])
				var e asmtest.ExactSum
				e.Add(kij, float64(u[i]), float64(v[j]))
				e.Add(-kij, float64(lambda), float64(u[i]), float64(v[j]), float64(mat[i*n+j]))
				for q := range r {
					e.Add(-kij, float64(lambda), float64(a[i*r+q]), float64(b[q*n+j]))
				}
				bound := new(big.Float).Mul(e.Magnitude(), big.NewFloat(asmtest.Gamma[T](r+4)))
				worst.See(asmtest.Error(float64(g[i*n+j]), e.Value(), bound), "%d×%d, r = %d, at (%d, %d)", m, n, r, i, j)
			}
		}
	}
	worst.Report(t, "G")
}
