package vector

import (
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/exp/oracle"
	"github.com/gomonge/monge/internal/asm/num"
)

// The bounds that doc.go promises, in ULP. Those of float64 are num's, which tests them.
const (
	bound32  = .60
	bound232 = .63
)

// TestLog32 measures the definition in float32 against float64's, on every 4099th positive
// argument, or every 37th with MONGE_LONG set. All of them, which takes six minutes of CPU time,
// have once been measured for the bounds.
func TestLog32(t *testing.T) {
	for _, f := range []struct {
		name   string
		f32    func(float32) float32
		f64    func(float64) float64
		oracle func(float32) float64
		bound  float64
	}{
		{"ln", logOf32, num.Log[float64], func(x float32) float64 { return asmtest.ULP(logOf32(x), oracle.Log(float64(x))) }, bound32},
		{"log₂", log2Of32, num.Log2[float64], func(x float32) float64 { return asmtest.ULP(log2Of32(x), oracle.Log2(float64(x))) }, bound232},
	} {
		t.Run(f.name, func(t *testing.T) {
			step := uint32(oracle.Samples(4099, 37))
			var mu sync.Mutex
			var wg sync.WaitGroup
			worst, at := 0.0, float32(0)
			workers := uint32(runtime.GOMAXPROCS(0))
			for w := range workers {
				wg.Go(func() {
					u, x := 0.0, float32(0)
					for b := 1 + uint64(w*step); b < 0x7f800000; b += uint64(step * workers) {
						v := math.Float32frombits(uint32(b))
						want := f.f64(float64(v))
						if want == 0 {
							continue
						}
						if e := math.Abs(math.Ldexp(float64(f.f32(v))-want, 23-math.Ilogb(want))); e > u {
							u, x = e, v
						}
					}
					mu.Lock()
					defer mu.Unlock()
					if u > worst {
						worst, at = u, x
					}
				})
			}
			wg.Wait()
			t.Logf("largest error %.4f ULP at %v, %x", worst, at, at)
			if u := f.oracle(at); math.Abs(u-worst) > 1e-6 {
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
