package gibbs

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/exp/oracle"
	"github.com/gomonge/monge/internal/asm/num"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// power returns 2^y for a y of any precision: the oracle takes a float64, and what
// is left is so small that two terms of its power give some 70 bits.
func power(y *big.Float) *big.Float {
	near, _ := y.Float64()
	r := new(big.Float).SetPrec(300).Sub(y, big.NewFloat(near))
	rest, _ := r.Float64()
	rest *= math.Ln2
	one := new(big.Float).SetPrec(300).SetFloat64(rest * rest / 2)
	one.Add(one, big.NewFloat(rest)).Add(one, big.NewFloat(1))
	return one.Mul(one, oracle.Exp2(near))
}

// The bound of doc.go: the relative error of K_ij is at most
// ((d+3)·|ln K_ij| + 2)·u to first order. (d+3)·|ln K_ij| is where D's (d+2)·u and
// the rounding of c·D go, and 2^y has 0.63 ULP in float64, 0.68 in float32, an ULP
// being 2·u at most.
func TestRefBound(t *testing.T) {
	t.Run("float64", testRefBound[float64])
	t.Run("float32", testRefBound[float32])
}

func testRefBound[T num.Float](t *testing.T) {
	least := -1022.0
	if !num.IsFloat64[T]() {
		least = -126
	}
	rng := newRand(2)
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
		if y64 < least*0.999 { // beyond, or so close that D's error may reach the border
			continue
		}
		var k, dist [1]T
		Block(asm.Ref, 1, 1, d, k[:], 1, dist[:], 1, x, d, z, 1, c)
		want := power(y)
		bound := big.NewFloat((float64(d+3)*math.Abs(y64)*math.Ln2 + 2) * asmtest.Roundoff[T]())
		worst.See(asmtest.Error(float64(k[0]), want, bound.Mul(bound, want)), "x = %v, z = %v, c = %v", x, z, c)
	}
	worst.Report(t, "K")
}

// K is 1 for equal rows and +0 below the least normal number.
func TestRefEnds(t *testing.T) {
	x := []float64{3, -1e200, 0.1}
	var k, dist [1]float64
	Block(asm.Ref, 1, 1, 3, k[:], 1, dist[:], 1, x, 3, x, 1, -1e300)
	if k[0] != 1 || math.Float64bits(dist[0]) != 0 {
		t.Errorf("equal rows have D = %v, K = %v", dist[0], k[0])
	}
	for _, c := range []struct{ c, want float64 }{{-1021, 0x1p-1021}, {-1022, 0x1p-1022}, {math.Nextafter(-1022, -2000), 0}, {math.Inf(-1), 0}} {
		Block(asm.Ref, 1, 1, 1, k[:], 1, nil, 0, []float64{1}, 1, []float64{2}, 1, c.c)
		if math.Float64bits(k[0]) != math.Float64bits(c.want) {
			t.Errorf("D = 1, c = %v: K = %v, not %v", c.c, k[0], c.want)
		}
	}
}

func TestEmpty(t *testing.T) {
	for _, lv := range asm.Available() {
		k, dist := []float64{7, 7}, []float64{7, 7}
		Block(lv, 1, 2, 0, k, 2, dist, 2, nil, 0, nil, 2, -1)
		if k[0] != 1 || k[1] != 1 || dist[0] != 0 || dist[1] != 0 {
			t.Errorf("%v: d = 0: K = %v, D = %v", lv, k, dist)
		}
		Block(lv, 0, 3, 5, nil, 3, nil, 0, nil, 5, make([]float64, 15), 3, -1)
		Block(lv, 3, 0, 5, nil, 0, nil, 0, make([]float64, 15), 5, nil, 0, -1)
	}
}

func TestAllocations(t *testing.T) {
	x, zt, k, dist := make([]float64, 20), make([]float64, 60), make([]float64, 300), make([]float64, 300)
	for _, lv := range asm.Available() {
		if n := testing.AllocsPerRun(10, func() {
			Block(lv, 10, 30, 2, k, 30, dist, 30, x, 2, zt, 30, -1)
			Block(lv, 10, 30, 2, k, 30, nil, 0, x, 2, zt, 30, -1)
		}); n != 0 {
			t.Errorf("%v: %v allocations", lv, n)
		}
	}
}
