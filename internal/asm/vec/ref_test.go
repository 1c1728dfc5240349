package vec

import (
	"math"
	"math/big"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// TestDivideRef: a quotient is correctly rounded, so its error is at most half a
// unit in the last place.
func TestDivideRef(t *testing.T) {
	t.Run("f64", divideRefTest[float64])
	t.Run("f32", divideRefTest[float32])
}

func divideRefTest[T num.Float](t *testing.T) {
	rng := newRand()
	const n = 20000
	x, y, dst := make([]T, n), make([]T, n), make([]T, n)
	for _, class := range []asmtest.Class{asmtest.Gauss, asmtest.Unit, asmtest.Wide} {
		asmtest.Fill(rng, x, class)
		asmtest.Fill(rng, y, class)
		divideRef(dst, x, y)
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
		if got := countOutsideRef(x, c.lo, c.hi); got != c.want {
			t.Errorf("%d outside [%v, %v], want %d", got, c.lo, c.hi, c.want)
		}
	}
}

// TestNarrowRef: rounded to nearest, ties to even; nothing subnormal comes out, and a
// value just below the least normal number does not round up to it.
func TestNarrowRef(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	x := []float64{0, math.Copysign(0, -1), 1, 1 + 0x1p-24, 1 + 3*0x1p-24, 1 + 0x1.1p-24, 0x1p-126, -0x1p-126, 0x1.fffffffffffffp-127, -0x1p-127, 0x1p-149, math.SmallestNonzeroFloat64, math.MaxFloat32, 0x1.ffffffp127, -inf, nan}
	want := []float32{0, 0, 1, 1, 1 + 0x1p-22, 1 + 0x1p-23, 0x1p-126, -0x1p-126, 0, 0, 0, 0, math.MaxFloat32, float32(inf), float32(-inf), float32(nan)}
	got := make([]float32, len(x))
	narrowRef(got, x)
	for i := range x {
		if !asmtest.SameBits(got[i], want[i]) {
			t.Errorf("%v becomes %v, want %v", x[i], got[i], want[i])
		}
	}
	wide := make([]float64, len(x))
	widenRef(wide, got)
	for i := range x {
		if !asmtest.SameBits(float32(wide[i]), got[i]) {
			t.Errorf("%v becomes %v", got[i], wide[i])
		}
	}
}
