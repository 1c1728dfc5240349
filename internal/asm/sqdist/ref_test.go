package sqdist

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// The bound of doc.go, (d+2)·u, where nothing is subnormal. The terms are positive,
// each goes through a difference, which counts twice, and d FMAs at most.
func TestRefBound(t *testing.T) {
	t.Run("float64", testRefBound[float64])
	t.Run("float32", testRefBound[float32])
}

func testRefBound[T num.Float](t *testing.T) {
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
		if rng.IntN(2) == 0 { // close together, where the expanded form has no digit left
			for k := range z {
				z[k] = x[k] * (1 + T(rng.NormFloat64())*0x1p-14)
			}
		}
		var got [1]T
		Block(asm.Ref, 1, 1, d, got[:], 1, x, d, z, 1, false)
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

// Equal rows are at distance +0, all others at a distance that is not negative.
func TestRefEqualRows(t *testing.T) {
	rng := newRand(3)
	for range 200 {
		d := 1 + rng.IntN(20)
		x, z := make([]float64, d), make([]float64, d)
		asmtest.Fill(rng, x, asmtest.Wide)
		copy(z, x)
		var got [1]float64
		Block(asm.Ref, 1, 1, d, got[:], 1, x, d, z, 1, false)
		if math.Float64bits(got[0]) != 0 {
			t.Errorf("distance of %v to itself is %v", x, got[0])
		}
		asmtest.Fill(rng, z, asmtest.Wide)
		Block(asm.Ref, 1, 1, d, got[:], 1, x, d, z, 1, false)
		if got[0] < 0 || math.Signbit(got[0]) {
			t.Errorf("distance of %v and %v is %v", x, z, got[0])
		}
	}
}

func TestEmpty(t *testing.T) {
	dst := []float64{1, 2, 3, 4}
	Block(asm.Best(), 2, 2, 0, dst, 2, nil, 0, nil, 0, true)
	if dst[0] != 1 || dst[3] != 4 {
		t.Errorf("d = 0 with add changed dst to %v", dst)
	}
	Block(asm.Best(), 2, 2, 0, dst, 2, nil, 0, nil, 0, false)
	for i, x := range dst {
		if math.Float64bits(x) != 0 {
			t.Errorf("d = 0: dst[%d] = %v", i, x)
		}
	}
	Block[float64](asm.Best(), 0, 3, 5, nil, 3, nil, 5, make([]float64, 15), 3, false)
	Block[float64](asm.Best(), 3, 0, 5, nil, 0, make([]float64, 15), 5, nil, 0, false)
}

func TestAllocations(t *testing.T) {
	x, zt, dst := make([]float64, 20), make([]float64, 60), make([]float64, 300)
	for _, lv := range asm.Available() {
		if n := testing.AllocsPerRun(10, func() {
			Block(lv, 10, 30, 2, dst, 30, x, 2, zt, 30, false)
		}); n != 0 {
			t.Errorf("%v: %v allocations", lv, n)
		}
	}
}
