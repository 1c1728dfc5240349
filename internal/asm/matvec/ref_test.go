package matvec

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// TestRef holds the sums against exact ones. A term of a row sum goes through at
// most k = ⌈n/w⌉ + log₂w roundings, a term of a column sum through k = m, so that the
// error of either is at most γ_k Σ|terms|.
func TestRef(t *testing.T) {
	t.Run("f64", refTest[float64])
	t.Run("f32", refTest[float32])
}

func refTest[T num.Float](t *testing.T) {
	rng := newRand()
	var worstRow, worstColumn asmtest.Worst
	for range 200 {
		m, n := 1+rng.IntN(40), 1+rng.IntN(40)
		if rng.IntN(10) == 0 {
			n = 1 + rng.IntN(1500)
		}
		class := []asmtest.Class{asmtest.Gauss, asmtest.Unit, asmtest.NonPositive}[rng.IntN(3)]
		k, v, u, q := values[T](rng, m*n, class), values[T](rng, n, asmtest.Gauss), values[T](rng, m, asmtest.Gauss), values[T](rng, n, class)
		s, before := make([]T, m), append([]T{}, q...)
		rowsRef(m, n, s, k, n, v)
		columnsRef(m, n, q, k, n, u)

		for i := range m {
			var e asmtest.ExactSum
			for j := range n {
				e.Add(float64(k[i*n+j]), float64(v[j]))
			}
			worstRow.See(relative(float64(s[i]), &e, asmtest.Gamma[T](asmtest.RowRoundings[T](n))), "%v, %d×%d, row %d", class, m, n, i)
		}
		for j := range n {
			var e asmtest.ExactSum
			e.Add(float64(before[j]))
			for i := range m {
				e.Add(float64(k[i*n+j]), float64(u[i]))
			}
			worstColumn.See(relative(float64(q[j]), &e, asmtest.Gamma[T](m)), "%v, %d×%d, column %d", class, m, n, j)
		}
	}
	worstRow.Report(t, "row sum")
	worstColumn.Report(t, "column sum")
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
