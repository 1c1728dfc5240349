package distance

import (
	"math"
	"math/big"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/exp/oracle"
	"github.com/gomonge/monge/internal/asm/num"
)

// TestSqEuclideanRefBound checks the bound of doc.go, (d+2)·u, for normal values. A term has the error of its
// difference, which counts twice because the difference is squared, and the errors of at most d FMAs. The
// bound of the terms is also a bound of the sum, because no term is negative.
func TestSqEuclideanRefBound(t *testing.T) {
	t.Run("float64", sqEuclideanTestRefBound[float64])
	t.Run("float32", sqEuclideanTestRefBound[float32])
}

func sqEuclideanTestRefBound[T num.Float](t *testing.T) {
	rng := asmtest.NewRand(2)
	var worst asmtest.Worst
	for range 4000 {
		d := 1 + rng.IntN(40)
		if rng.IntN(20) == 0 {
			d = 300
		}
		x, z := make([]T, d), make([]T, d)
		asmtest.Fill(rng, x, asmtest.Gauss)
		asmtest.Fill(rng, z, asmtest.Gauss)
		if rng.IntN(2) == 0 { // make x and z so close that ‖x‖² + ‖z‖² − 2x·z has no correct digits
			for k := range z {
				z[k] = x[k] * (1 + T(rng.NormFloat64())*0x1p-14)
			}
		}
		var got [1]T
		sqEuclideanRef(1, 1, d, got[:], 1, x, d, z, 1, false)
		var want asmtest.ExactSum
		for k := range d {
			diff := new(big.Float).SetPrec(400).SetFloat64(float64(x[k]))
			diff.Sub(diff, big.NewFloat(float64(z[k])))
			want.AddBig(diff.Mul(diff, diff))
		}
		bound := big.NewFloat(float64(d+2) * asmtest.Roundoff[T]())
		worst.See(asmtest.Error(float64(got[0]), want.Value(), bound.Mul(bound, want.Value())), "x = %v, z = %v", x, z)
	}
	worst.Report(t, "squared distance")
}

// TestSqEuclideanRefEqualRows checks that the distance of equal rows is +0, and that no distance is negative.
func TestSqEuclideanRefEqualRows(t *testing.T) {
	rng := asmtest.NewRand(3)
	for range 200 {
		d := 1 + rng.IntN(20)
		x, z := make([]float64, d), make([]float64, d)
		asmtest.Fill(rng, x, asmtest.Wide)
		copy(z, x)
		var got [1]float64
		sqEuclideanRef(1, 1, d, got[:], 1, x, d, z, 1, false)
		if math.Float64bits(got[0]) != 0 {
			t.Errorf("distance of %v to itself is %v", x, got[0])
		}
		asmtest.Fill(rng, z, asmtest.Wide)
		sqEuclideanRef(1, 1, d, got[:], 1, x, d, z, 1, false)
		if got[0] < 0 || math.Signbit(got[0]) {
			t.Errorf("distance of %v and %v is %v", x, z, got[0])
		}
	}
}

func TestSqEuclideanEmpty(t *testing.T) {
	dst := []float64{1, 2, 3, 4}
	SqEuclidean(2, 2, 0, dst, 2, nil, 0, nil, 0, true)
	if dst[0] != 1 || dst[3] != 4 {
		t.Errorf("d = 0 with add changed dst to %v", dst)
	}
	SqEuclidean(2, 2, 0, dst, 2, nil, 0, nil, 0, false)
	for i, x := range dst {
		if math.Float64bits(x) != 0 {
			t.Errorf("d = 0: dst[%d] = %v", i, x)
		}
	}
	SqEuclidean[float64](0, 3, 5, nil, 3, nil, 5, make([]float64, 15), 3, false)
	SqEuclidean[float64](3, 0, 5, nil, 0, make([]float64, 15), 5, nil, 0, false)
}

// power returns 2^y for a y of any precision, with about 70 correct bits. Package oracle computes
// the power of the nearest float64. Two terms of the exponential series account for the small
// remainder.
func power(y *big.Float) *big.Float {
	near, _ := y.Float64()
	r := new(big.Float).SetPrec(300).Sub(y, big.NewFloat(near))
	rest, _ := r.Float64()
	rest *= math.Ln2
	one := new(big.Float).SetPrec(300).SetFloat64(rest * rest / 2)
	one.Add(one, big.NewFloat(rest)).Add(one, big.NewFloat(1))
	return one.Mul(one, oracle.Exp2(near))
}

// TestGibbsRefBound checks the bound of doc.go: the relative error of K_ij = 2^(c·D_ij) is at most ((d+3)·|ln
// K_ij| + 2)·u to first order. The first term accounts for the relative error (d+2)·u of D_ij and for the
// rounding of c·D_ij. The second term accounts for the power of 2. Its error is 0.63 ULP in float64 and 0.68
// ULP in float32, and an ULP is at most 2·u.
func TestGibbsRefBound(t *testing.T) {
	t.Run("float64", gibbsTestRefBound[float64])
	t.Run("float32", gibbsTestRefBound[float32])
}

func gibbsTestRefBound[T num.Float](t *testing.T) {
	least := -1022.0
	if !num.IsFloat64[T]() {
		least = -126
	}
	rng := asmtest.NewRand(2)
	var worst asmtest.Worst
	for range 4000 {
		d := 1 + rng.IntN(40)
		if rng.IntN(20) == 0 {
			d = 300
		}
		x, z := make([]T, d), make([]T, d)
		asmtest.Fill(rng, x, asmtest.Gauss)
		asmtest.Fill(rng, z, asmtest.Gauss)
		c := T(-math.Exp(rng.NormFloat64() * 3))
		var exact asmtest.ExactSum
		for k := range d {
			diff := new(big.Float).SetPrec(400).SetFloat64(float64(x[k]))
			diff.Sub(diff, big.NewFloat(float64(z[k])))
			exact.AddBig(diff.Mul(diff, diff))
		}
		y := new(big.Float).SetPrec(1000).Mul(exact.Value(), big.NewFloat(float64(c)))
		y64, _ := y.Float64()
		if y64 < least*0.999 { // skip results below or near the threshold of underflow, where a rounding error in D can make K zero
			continue
		}
		var k, dist [1]T
		gibbsRef(1, 1, d, k[:], 1, dist[:], 1, x, d, z, 1, c)
		want := power(y)
		bound := big.NewFloat((float64(d+3)*math.Abs(y64)*math.Ln2 + 2) * asmtest.Roundoff[T]())
		worst.See(asmtest.Error(float64(k[0]), want, bound.Mul(bound, want)), "x = %v, z = %v, c = %v", x, z, c)
	}
	worst.Report(t, "K")
}

// TestGibbsRefEnds checks that K is 1 for equal rows. It also checks that K is +0 if 2^(c·D) is
// below the smallest normal number.
func TestGibbsRefEnds(t *testing.T) {
	x := []float64{3, -1e200, 0.1}
	var k, dist [1]float64
	gibbsRef(1, 1, 3, k[:], 1, dist[:], 1, x, 3, x, 1, -1e300)
	if k[0] != 1 || math.Float64bits(dist[0]) != 0 {
		t.Errorf("equal rows have D = %v, K = %v", dist[0], k[0])
	}
	for _, c := range []struct{ c, want float64 }{{-1021, 0x1p-1021}, {-1022, 0x1p-1022}, {math.Nextafter(-1022, -2000), 0}, {math.Inf(-1), 0}} {
		gibbsRef(1, 1, 1, k[:], 1, nil, 0, []float64{1}, 1, []float64{2}, 1, c.c)
		if math.Float64bits(k[0]) != math.Float64bits(c.want) {
			t.Errorf("D = 1, c = %v: K = %v, not %v", c.c, k[0], c.want)
		}
	}
}

func TestGibbsEmpty(t *testing.T) {
	for lv := range asmtest.Each(t) {
		k, dist := []float64{7, 7}, []float64{7, 7}
		Gibbs(1, 2, 0, k, 2, dist, 2, nil, 0, nil, 2, -1)
		if k[0] != 1 || k[1] != 1 || dist[0] != 0 || dist[1] != 0 {
			t.Errorf("%v: d = 0: K = %v, D = %v", lv, k, dist)
		}
		Gibbs(0, 3, 5, nil, 3, nil, 0, nil, 5, make([]float64, 15), 3, -1)
		Gibbs(3, 0, 5, nil, 0, nil, 0, make([]float64, 15), 5, nil, 0, -1)
	}
}

// TestAdjCostRef compares G with exact sums. At most r + 3 operations round a term K_ij λ A_iq B_qj:
// r + 1 FMAs of the sum, the FMA with λ and the last product. Four operations round the term
// K_ij λ h M_ij: the product h, one FMA of the sum, the FMA with λ and the last product. The error of
// G_ij is therefore at most γ_(r+4) Σ|terms|.
func TestAdjCostRef(t *testing.T) {
	t.Run("f64", adjcostRefTest[float64])
	t.Run("f32", adjcostRefTest[float32])
}

func adjcostRefTest[T num.Float](t *testing.T) {
	rng := asmtest.NewRand(4)
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
		adjcostRef(m, n, r, g, n, k, n, mat, n, a, r, b, n, u, v, lambda)
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

func TestAllocations(t *testing.T) {
	t.Run("float64", allocations[float64])
	t.Run("float32", allocations[float32])
}

func allocations[T num.Float](t *testing.T) {
	for lv := range asmtest.Each(t) {
		if n := asmtest.Allocations(func() {
			var x, u [20]T
			var zt [60]T
			var k, dist [300]T
			SqEuclidean(10, 30, 2, dist[:], 30, x[:], 2, zt[:], 30, false)
			Gibbs(10, 30, 2, k[:], 30, dist[:], 30, x[:], 2, zt[:], 30, -1)
			Gibbs(10, 30, 2, k[:], 30, nil, 0, x[:], 2, zt[:], 30, -1)
			AdjCost(10, 30, 2, dist[:], 30, k[:], 30, dist[:], 30, x[:], 2, zt[:], 30, u[:], k[:], 1.5)
		}); n != 0 {
			t.Errorf("%v: %v allocations", lv, n)
		}
	}
}
