package pass

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/exp/oracle"
	"github.com/gomonge/monge/internal/asm/num"
)

// These tests compare the Go reference implementations with exact arithmetic. The error of a sum is at most
// γ_k Σ|terms|, where k is the largest number of roundings of a term. A row sum of n elements in w lanes
// has k = ⌈n/w⌉ + log₂w, and a column sum of m elements has k = m. The comments of some tests list additional roundings.

// small returns random sizes of an m × n matrix. Most sizes are at most 40, and some rows are longer.
func small(rng *rand.Rand) (m, n int) {
	if rng.IntN(10) == 0 {
		return 1 + rng.IntN(10), 1 + rng.IntN(1500)
	}
	return 1 + rng.IntN(40), 1 + rng.IntN(40)
}

// rowSum returns scale·Σ_j f[j]·g[j]·…, where the slices f, g, … are the factors.
func rowSum[T num.Float](n int, scale float64, factors ...[]T) *asmtest.ExactSum {
	var e asmtest.ExactSum
	for j := range n {
		fs := []float64{scale}
		for _, f := range factors {
			fs = append(fs, float64(f[j]))
		}
		e.Add(fs...)
	}
	return &e
}

// columnSum returns the new value of q_j: its old value, before, plus Σ_i u_i K_ij.
func columnSum[T num.Float](m, n, j int, before T, u, k []T) *asmtest.ExactSum {
	var e asmtest.ExactSum
	e.Add(float64(before))
	for i := range m {
		e.Add(float64(k[i*n+j]), float64(u[i]))
	}
	return &e
}

func TestRowsAndColumnsRef(t *testing.T) {
	t.Run("f64", rowsAndColumnsRef[float64])
	t.Run("f32", rowsAndColumnsRef[float32])
}

func rowsAndColumnsRef[T num.Float](t *testing.T) {
	rng := asmtest.NewRand(1)
	var worstRow, worstColumn asmtest.Worst
	for range oracle.Samples(30, 200) {
		m, n := small(rng)
		class := []asmtest.Class{asmtest.Gauss, asmtest.Unit, asmtest.NonPositive}[rng.IntN(3)]
		k, v, u, q := asmtest.Values[T](rng, m*n, class), asmtest.Values[T](rng, n, asmtest.Gauss), asmtest.Values[T](rng, m, asmtest.Gauss), asmtest.Values[T](rng, n, class)
		s, before := make([]T, m), append([]T{}, q...)
		rowsRef(m, n, s, k, n, v)
		columnsRef(m, n, q, k, n, u)
		for i := range m {
			worstRow.See(asmtest.SumError(s[i], rowSum(n, 1, k[i*n:], v), asmtest.RowRoundings[T](n)), "%v, %d×%d, row %d", class, m, n, i)
		}
		for j := range n {
			worstColumn.See(asmtest.SumError(q[j], columnSum(m, n, j, before[j], u, k), m), "%v, %d×%d, column %d", class, m, n, j)
		}
	}
	worstRow.Report(t, "row sum")
	worstColumn.Report(t, "column sum")
}

// TestIterateRef checks the error bounds of Iterate for positive data. The relative error of a row sum is at most
// γ_k, and the division rounds once more. So the relative error of u is at most γ_(k+2). The error of q, given the
// computed u, is at most γ_m Σ|terms|.
func TestIterateRef(t *testing.T) {
	t.Run("f64", iterateRefTest[float64])
	t.Run("f32", iterateRefTest[float32])
}

func iterateRefTest[T num.Float](t *testing.T) {
	rng := asmtest.NewRand(1)
	var worstU, worstQ asmtest.Worst
	for range oracle.Samples(30, 200) {
		m, n := small(rng)
		k, v, a, q := asmtest.Values[T](rng, m*n, asmtest.Unit), asmtest.Values[T](rng, n, asmtest.Unit), asmtest.Values[T](rng, m, asmtest.Unit), asmtest.Values[T](rng, n, asmtest.Unit)
		u, before := make([]T, m), append([]T{}, q...)
		iterateRef(m, n, k, n, v, a, u, q)
		for i := range m {
			want := new(big.Float).Quo(big.NewFloat(float64(a[i])).SetPrec(1000), rowSum(n, 1, k[i*n:], v).Value())
			bound := new(big.Float).Mul(want, big.NewFloat(asmtest.Gamma[T](asmtest.RowRoundings[T](n)+2)))
			worstU.See(asmtest.Error(float64(u[i]), want, bound), "%d×%d, row %d", m, n, i)
		}
		for j := range n {
			worstQ.See(asmtest.SumError(q[j], columnSum(m, n, j, before[j], u, k), m), "%d×%d, column %d", m, n, j)
		}
	}
	worstU.Report(t, "u")
	worstQ.Report(t, "q")
}

// TestSweepRef checks the error bounds of doc.go for s and q, the outputs of Sweep. Let Σ be the sum of the absolute values of
// the terms. The errors are at most γ_(k+1) Σ for s, and γ_m Σ for q, given the computed s.
func TestSweepRef(t *testing.T) {
	t.Run("f64", sweepRefTest[float64])
	t.Run("f32", sweepRefTest[float32])
}

func sweepRefTest[T num.Float](t *testing.T) {
	rng := asmtest.NewRand(1)
	var worstS, worstQ asmtest.Worst
	for range oracle.Samples(25, 150) {
		m, n := small(rng)
		k := asmtest.Values[T](rng, m*n, asmtest.Unit)
		v, w, q := asmtest.Values[T](rng, n, asmtest.Gauss), asmtest.Values[T](rng, m, asmtest.Gauss), asmtest.Values[T](rng, n, asmtest.Gauss)
		s, before := make([]T, m), append([]T{}, q...)
		sweepRef(m, n, k, n, v, w, s, q)
		for i := range m {
			worstS.See(asmtest.SumError(s[i], rowSum(n, float64(w[i]), k[i*n:], v), asmtest.RowRoundings[T](n)+1), "%d×%d, row %d", m, n, i)
		}
		for j := range n {
			worstQ.See(asmtest.SumError(q[j], columnSum(m, n, j, before[j], s, k), m), "%d×%d, column %d", m, n, j)
		}
	}
	worstS.Report(t, "s")
	worstQ.Report(t, "q")
}

// TestBeginRef checks the error bounds of doc.go for r, s and q, the outputs of Begin. Let Σ be the sum of the absolute values
// of the terms. The errors are at most γ_(k+1) Σ for r, γ_(k+2) Σ for s, and γ_(m+1) Σ for q, given the computed s.
func TestBeginRef(t *testing.T) {
	t.Run("f64", beginRefTest[float64])
	t.Run("f32", beginRefTest[float32])
}

func beginRefTest[T num.Float](t *testing.T) {
	rng := asmtest.NewRand(1)
	var worstR, worstS, worstQ asmtest.Worst
	for range oracle.Samples(25, 150) {
		m, n := small(rng)
		k, mat := asmtest.Values[T](rng, m*n, asmtest.Unit), asmtest.Values[T](rng, m*n, asmtest.Unit)
		v, u, w, q := asmtest.Values[T](rng, n, asmtest.Gauss), asmtest.Values[T](rng, m, asmtest.Gauss), asmtest.Values[T](rng, m, asmtest.Gauss), asmtest.Values[T](rng, n, asmtest.Gauss)
		r, s, before := make([]T, m), make([]T, m), append([]T{}, q...)
		beginRef(m, n, k, n, mat, n, v, u, w, r, s, q)
		count := asmtest.RowRoundings[T](n)
		for i := range m {
			worstR.See(asmtest.SumError(r[i], rowSum(n, 1, k[i*n:], mat[i*n:], v), count+1), "%d×%d, row %d", m, n, i)
			worstS.See(asmtest.SumError(s[i], rowSum(n, float64(w[i]), k[i*n:], mat[i*n:], v), count+2), "%d×%d, row %d", m, n, i)
		}
		for j := range n {
			e := columnSum(m, n, j, before[j], s, k)
			for i := range m {
				e.Add(float64(k[i*n+j]), float64(u[i]), float64(mat[i*n+j]))
			}
			worstQ.See(asmtest.SumError(q[j], e, m+1), "%d×%d, column %d", m, n, j)
		}
	}
	worstR.Report(t, "r")
	worstS.Report(t, "s")
	worstQ.Report(t, "q")
}

// TestDivideRef checks that quotients are correctly rounded: the error is at most half a unit in the last
// place.
func TestDivideRef(t *testing.T) {
	t.Run("f64", divideRefTest[float64])
	t.Run("f32", divideRefTest[float32])
}

func divideRefTest[T num.Float](t *testing.T) {
	rng := asmtest.NewRand(1)
	const n = 20000
	x, y, dst := make([]T, n), make([]T, n), make([]T, n)
	for _, class := range []asmtest.Class{asmtest.Gauss, asmtest.Unit, asmtest.Wide} {
		asmtest.Fill(rng, x, class)
		asmtest.Fill(rng, y, class)
		divideRef(n, dst, x, y)
		worst, at := 0.0, 0
		for i := range dst {
			if math.IsInf(float64(dst[i]), 0) || y[i] == 0 {
				continue
			}
			want := new(big.Float).SetPrec(300).Quo(big.NewFloat(float64(x[i])), big.NewFloat(float64(y[i])))
			if e := asmtest.ULP(dst[i], want); e > worst {
				worst, at = e, i
			}
		}
		t.Logf("%v: %.4f ULP at %v / %v", class, worst, x[at], y[at])
		if worst > 0.5 {
			t.Errorf("%v: %v / %v = %v, wrong by %.4f ULP", class, x[at], y[at], dst[at], worst)
		}
	}
}

func TestCountOutsideRef(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	x := []float64{-inf, -2, -1, -0.5, math.Copysign(0, -1), 0, 0.5, 1, 2, inf, nan}
	for _, c := range []struct {
		lo, hi float64
		want   int
	}{
		{-1, 1, 5},
		{0, 1, 7},
		{-inf, inf, 1},
		{1, -1, 11},
		{nan, 1, 11},
		{-1, nan, 11},
	} {
		if got := countOutsideRef(len(x), x, c.lo, c.hi); got != c.want {
			t.Errorf("%d outside [%v, %v], want %d", got, c.lo, c.hi, c.want)
		}
	}
}

// TestNarrowRef checks that narrowRef rounds to nearest with ties to even, and that no result is subnormal. Values
// below the smallest normal float32 become 0 and are not rounded up.
func TestNarrowRef(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	x := []float64{0, math.Copysign(0, -1), 1, 1 + 0x1p-24, 1 + 3*0x1p-24, 1 + 0x1.1p-24, 0x1p-126, -0x1p-126, 0x1.fffffffffffffp-127, -0x1p-127, 0x1p-149, math.SmallestNonzeroFloat64, math.MaxFloat32, 0x1.ffffffp127, -inf, nan}
	want := []float32{0, 0, 1, 1, 1 + 0x1p-22, 1 + 0x1p-23, 0x1p-126, -0x1p-126, 0, 0, 0, 0, math.MaxFloat32, float32(inf), float32(-inf), float32(nan)}
	got := make([]float32, len(x))
	narrowRef(len(x), got, x)
	for i := range x {
		if !asmtest.SameBits(got[i], want[i]) {
			t.Errorf("%v becomes %v, want %v", x[i], got[i], want[i])
		}
	}
	wide := make([]float64, len(x))
	widenRef(len(x), wide, got)
	for i := range x {
		if !asmtest.SameBits(float32(wide[i]), got[i]) {
			t.Errorf("%v becomes %v", got[i], wide[i])
		}
	}
}
