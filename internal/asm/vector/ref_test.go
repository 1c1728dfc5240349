package vector

import (
	"math"
	"math/big"
	"runtime"
	"sync"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/exp/oracle"
)

// The bounds that doc.go promises, in ULP. Those of float64 are num's, which tests them.
const (
	bound32  = .71
	bound232 = .78
)

// TestLog32 measures the logarithms in float32 against those in float64, on every 4099th positive
// argument; with MONGE_LONG set, on all, or on every 37th where there is no assembly.
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
			const block = 1024
			var mu sync.Mutex
			var wg sync.WaitGroup
			worst, at := 0.0, float32(0)
			workers := uint64(runtime.GOMAXPROCS(0))
			for w := range workers {
				wg.Go(func() {
					u, argument := 0.0, float32(0)
					x, y, wide, want := make([]float32, block), make([]float32, block), make([]float64, block), make([]float64, block)
					for first := 1 + w*block*step; first < 0x7f800000; first += workers * block * step {
						for i := range x {
							x[i] = math.Float32frombits(uint32(min(first+uint64(i)*step, 0x7f7fffff)))
							wide[i] = float64(x[i])
						}
						f.f32(y, x)
						f.f64(want, wide)
						for i := range x {
							e := math.Abs(float64(y[i]) - want[i])
							// In ULP, at most; where it may be the largest, exactly.
							if e <= u*0x1p-24*math.Abs(want[i]) || want[i] == 0 {
								continue
							}
							if e = math.Ldexp(e, 23-math.Ilogb(want[i])); e > u {
								u, argument = e, x[i]
							}
						}
					}
					mu.Lock()
					defer mu.Unlock()
					if u > worst {
						worst, at = u, argument
					}
				})
			}
			wg.Wait()
			t.Logf("largest error %.4f ULP at %v, %x", worst, at, at)
			y := []float32{at}
			f.f32(y, y)
			if u := asmtest.ULP(y[0], f.oracle(float64(at))); math.Abs(u-worst) > 1e-6 {
				t.Errorf("the oracle has %v ULP at %v", u, at)
			}
			if worst > f.bound {
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
