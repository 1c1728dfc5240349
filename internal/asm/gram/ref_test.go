package gram

import (
	"math"
	"math/big"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// TestRefBound checks the error bounds of doc.go: (d+2)·u for close pairs, and 50·(d+2)·u for other
// pairs. The test covers small and large ratios of the distance to the norms.
func TestRefBound(t *testing.T) {
	t.Run("float64", testRefBound[float64])
	t.Run("float32", testRefBound[float32])
}

func testRefBound[T num.Float](t *testing.T) {
	rng := asmtest.NewRand(2)
	var far, close asmtest.Worst
	count := 0
	for i := range 2000 {
		d := 1 + rng.IntN(130)
		x, z := asmtest.Values[T](rng, d, asmtest.Gauss), asmtest.Values[T](rng, d, asmtest.Gauss)
		part := T(math.Exp2(-rng.Float64() * 6))
		if i%8 == 0 {
			part = 0x1p-14
		}
		var nx, nz T
		for k := range z {
			if i%2 == 0 {
				z[k] = x[k] + T(part*z[k])
			}
			if i%4 == 1 { // make all products positive
				x[k], z[k] = T(math.Abs(float64(x[k]))), T(math.Abs(float64(z[k])))
			}
			nx, nz = num.FMA(x[k], x[k], nx), num.FMA(z[k], z[k], nz)
		}
		var want asmtest.ExactSum
		for k := range d {
			diff := new(big.Float).SetPrec(400).SetFloat64(float64(x[k]))
			diff.Sub(diff, big.NewFloat(float64(z[k])))
			want.AddBig(diff.Mul(diff, diff))
		}
		exact, _ := want.Value().Float64()
		worst, bound := &far, 50*float64(d+2)*asmtest.Roundoff[T]()
		if exact < 0.999/closeness*float64(nx+nz) {
			worst, bound = &close, float64(d+2)*asmtest.Roundoff[T]()
			count++
		}
		b := big.NewFloat(bound)
		worst.See(asmtest.Error(float64(Ref(x, z)), want.Value(), b.Mul(b, want.Value())), "x = %v, z = %v", x, z)
	}
	if count < 200 || count > 1800 {
		t.Errorf("%d of 2000 pairs are close", count)
	}
	far.Report(t, "squared distance")
	close.Report(t, "squared distance of a close pair")
}

// TestRefSymmetric checks that distances are symmetric, not negative and exactly 0 for equal rows,
// even if the elements are extremely large or small.
func TestRefSymmetric(t *testing.T) {
	t.Run("float64", testRefSymmetric[float64])
	t.Run("float32", testRefSymmetric[float32])
}

func testRefSymmetric[T num.Float](t *testing.T) {
	rng := asmtest.NewRand(3)
	for i := range 400 {
		d := 1 + rng.IntN(90)
		class := []asmtest.Class{asmtest.Gauss, asmtest.Unit, asmtest.Wide}[i%3]
		x, z := asmtest.Values[T](rng, d, class), asmtest.Values[T](rng, d, class)
		d1, d2, zero := Ref(x, z), Ref(z, x), Ref(x, x)
		if !asmtest.SameBits(d1, d2) || !(d1 >= 0) || asmtest.Bits(zero) != 0 {
			t.Errorf("%v: distance %v, from the other side %v, from itself %v", class, d1, d2, zero)
		}
	}
}

// TestRefFinite checks that a distance is finite if the sum of the squared differences is finite,
// even if the norms overflow.
func TestRefFinite(t *testing.T) {
	const d = 70
	x, z := make([]float64, d), make([]float64, d)
	for k := range x {
		x[k], z[k] = 0x1.8p600, 0x1.8p600
	}
	z[3] += 0x1p560
	if got, want := Ref(x, z), math.Inf(1); got != want {
		t.Errorf("a distance of 2^1120 is %v", got)
	}
	z[3] = x[3] + 0x1p548
	z[3] -= 0x1p548
	if got := Ref(x, z); got != 0 {
		t.Errorf("equal rows of 2^600 are %v apart", got)
	}
	for k := range x {
		x[k], z[k] = 0x1p507, -0x1p507
	}
	if got, want := Ref(x, z), float64(d*0x1p1016); got != want {
		t.Errorf("a distance of 70·2^1016 is %v", got)
	}
	if got := Ref([]float64{math.NaN(), 1}, []float64{0, 1}); got == got {
		t.Errorf("the distance from NaN is %v", got)
	}
}
