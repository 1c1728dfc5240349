package vector

import (
	"math"
	"math/big"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/exp/oracle"
)

// The error bounds of doc.go for float32, in ULP. Package num tests the bounds for float64.
const (
	bound32  = .65
	bound232 = .69
)

// TestLog32 compares the float32 logarithms with float64 logarithms, for every 4099th positive argument. If MONGE_LONG is
// set, TestLog32 tests every argument, or every 37th argument if the logarithms are computed in Go instead of assembly.
func TestLog32(t *testing.T) {
	step := uint64(oracle.Samples(4099, 1))
	if step == 1 && asm.Current() == asm.Ref {
		step = 37
	}
	for _, f := range []struct {
		name   string
		f32    func(dst, x []float32)
		f64    func(dst, x []float64)
		oracle func(float64) *big.Float
		bound  float64
	}{
		{"ln", Log[float32], Log[float64], oracle.Log, bound32},
		{"log₂", Log2[float32], Log2[float64], oracle.Log2, bound232},
	} {
		t.Run(f.name, func(t *testing.T) {
			worst := asmtest.Errors32(1, 0x7f7fffff, step, 1, func() func([]float32, []asmtest.Error32) {
				y, wide, want := make([]float32, 1024), make([]float64, 1024), make([]float64, 1024)
				return func(x []float32, errors []asmtest.Error32) {
					for i, v := range x {
						wide[i] = float64(v)
					}
					f.f32(y, x)
					f.f64(want, wide[:len(x)])
					for i, v := range x {
						errors[0].Add(v, y[i], want[i])
					}
				}
			})[0]
			t.Logf("largest error %.4f ULP at %v, %x", worst.ULP, worst.X, worst.X)
			y := []float32{worst.X}
			f.f32(y, y)
			if u := asmtest.ULP(y[0], f.oracle(float64(worst.X))); math.Abs(u-worst.ULP) > 1e-6 {
				t.Errorf("the oracle has %v ULP at %v", u, worst.X)
			}
			if worst.ULP > f.bound {
				t.Errorf("the bound is %v", f.bound)
			}
		})
	}
}

func TestLogSpecialValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct{ x, want float32 }{
		{0, -inf}, {float32(math.Copysign(0, -1)), -inf}, {1, 0}, {inf, inf}, {nan, nan},
		{-1, nan}, {-inf, nan}, {-math.SmallestNonzeroFloat32, nan},
	} {
		if got := Ref(c.x); !asmtest.SameBits(got, c.want) {
			t.Errorf("ln %v = %v, want %v", c.x, got, c.want)
		}
		if got := Ref2(c.x); !asmtest.SameBits(got, c.want) {
			t.Errorf("log₂ %v = %v, want %v", c.x, got, c.want)
		}
	}
	for k := -149; k <= 127; k++ {
		if got := Ref2(float32(math.Ldexp(1, k))); got != float32(k) {
			t.Errorf("log₂ 2^%d = %v", k, got)
		}
	}
}
