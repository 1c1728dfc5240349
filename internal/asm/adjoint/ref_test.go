package adjoint

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// TestBeginRef holds Begin against exact sums. A term of r goes through one product
// and k = ⌈n/w⌉ + log₂w roundings, s through one more; a term K_ij u_i M_ij or
// K_ij s_i of q, with the computed s, through the inner FMA and m outer ones. So r is
// within γ_(k+1) Σ|terms|, s within γ_(k+2) of it, q within γ_(m+1).
func TestBeginRef(t *testing.T) {
	t.Run("f64", beginRefTest[float64])
	t.Run("f32", beginRefTest[float32])
}

func beginRefTest[T num.Float](t *testing.T) {
	rng := newRand()
	var worstR, worstS, worstQ asmtest.Worst
	for range 150 {
		m, n := size(rng)
		k, mat := values[T](rng, m*n, asmtest.Unit), values[T](rng, m*n, asmtest.Unit)
		v, u, w, q := values[T](rng, n, asmtest.Gauss), values[T](rng, m, asmtest.Gauss), values[T](rng, m, asmtest.Gauss), values[T](rng, n, asmtest.Gauss)
		r, s, before := make([]T, m), make([]T, m), append([]T{}, q...)
		beginRef(m, n, k, n, mat, n, v, u, w, r, s, q)

		count := asmtest.RowRoundings[T](n)
		for i := range m {
			var er, es asmtest.ExactSum
			for j := range n {
				er.Add(float64(k[i*n+j]), float64(mat[i*n+j]), float64(v[j]))
				es.Add(float64(k[i*n+j]), float64(mat[i*n+j]), float64(v[j]), float64(w[i]))
			}
			worstR.See(relative(float64(r[i]), &er, asmtest.Gamma[T](count+1)), "%d×%d, row %d", m, n, i)
			worstS.See(relative(float64(s[i]), &es, asmtest.Gamma[T](count+2)), "%d×%d, row %d", m, n, i)
		}
		for j := range n {
			var e asmtest.ExactSum
			e.Add(float64(before[j]))
			for i := range m {
				e.Add(float64(k[i*n+j]), float64(u[i]), float64(mat[i*n+j]))
				e.Add(float64(k[i*n+j]), float64(s[i]))
			}
			worstQ.See(relative(float64(q[j]), &e, asmtest.Gamma[T](m+1)), "%d×%d, column %d", m, n, j)
		}
	}
	worstR.Report(t, "r")
	worstS.Report(t, "s")
	worstQ.Report(t, "q")
}

// TestSweepRef holds Sweep against exact sums: s within γ_(k+1) Σ|terms|, with k as in
// TestBeginRef, and q, with the computed s, within γ_m.
func TestSweepRef(t *testing.T) {
	t.Run("f64", sweepRefTest[float64])
	t.Run("f32", sweepRefTest[float32])
}

func sweepRefTest[T num.Float](t *testing.T) {
	rng := newRand()
	var worstS, worstQ asmtest.Worst
	for range 150 {
		m, n := size(rng)
		k := values[T](rng, m*n, asmtest.Unit)
		v, w, q := values[T](rng, n, asmtest.Gauss), values[T](rng, m, asmtest.Gauss), values[T](rng, n, asmtest.Gauss)
		s, before := make([]T, m), append([]T{}, q...)
		sweepRef(m, n, k, n, v, w, s, q)

		for i := range m {
			var e asmtest.ExactSum
			for j := range n {
				e.Add(float64(k[i*n+j]), float64(v[j]), float64(w[i]))
			}
			worstS.See(relative(float64(s[i]), &e, asmtest.Gamma[T](asmtest.RowRoundings[T](n)+1)), "%d×%d, row %d", m, n, i)
		}
		for j := range n {
			var e asmtest.ExactSum
			e.Add(float64(before[j]))
			for i := range m {
				e.Add(float64(k[i*n+j]), float64(s[i]))
			}
			worstQ.See(relative(float64(q[j]), &e, asmtest.Gamma[T](m)), "%d×%d, column %d", m, n, j)
		}
	}
	worstS.Report(t, "s")
	worstQ.Report(t, "q")
}

func size(rng *rand.Rand) (m, n int) {
	if rng.IntN(10) == 0 {
		return 1 + rng.IntN(10), 1 + rng.IntN(1500)
	}
	return 1 + rng.IntN(40), 1 + rng.IntN(40)
}

// relative returns |got − sum| / (gamma · Σ|terms|).
func relative(got float64, s *asmtest.ExactSum, gamma float64) float64 {
	return asmtest.Error(got, s.Value(), new(big.Float).Mul(s.Magnitude(), big.NewFloat(gamma)))
}

func values[T num.Float](rng *rand.Rand, n int, c asmtest.Class) []T {
	s := make([]T, n)
	asmtest.Fill(rng, s, c)
	return s
}
