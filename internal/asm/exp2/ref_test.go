package exp2

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/exp/oracle"
)

// The bounds that doc.go promises, in ULP of 2^y.
const (
	bound64 = .63
	bound32 = .68
)

// TestRef64 measures the float64 definition against 130-bit arithmetic. With
// MONGE_LONG set it takes millions of arguments.
func TestRef64(t *testing.T) {
	n := oracle.Samples(60_000, 4_000_000)
	uniform := func(lo, hi float64) func(*rand.Rand) float64 {
		return func(rng *rand.Rand) float64 { return lo + (hi-lo)*rng.Float64() }
	}
	for _, r := range []struct {
		name string
		n    int
		draw func(*rand.Rand) float64
	}{
		{"reduced", n, uniform(-.0625, .0625)},
		{"octave", n, uniform(-1, 0)},
		{"normal", n, uniform(least64, above64)},
		{"least", n / 4, uniform(least64, least64+1)},
		{"most", n / 4, uniform(above64-1, above64)},
		{"tiny", n / 4, func(rng *rand.Rand) float64 { return math.Ldexp(rng.Float64()-.5, -rng.IntN(1070)) }},
		{"midpoints", n / 4, func(rng *rand.Rand) float64 {
			y := (float64(rng.IntN(16000)-8000) + .5) / 8
			return y + float64(rng.IntN(9)-4)*math.Abs(y)*0x1p-53
		}},
	} {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(2, uint64(r.n)))
			worst, at := 0.0, 0.0
			for range r.n {
				y := r.draw(rng)
				if u := asmtest.ULP(ref64(y), oracle.Exp2(y)); u > worst {
					worst, at = u, y
				}
			}
			t.Logf("largest error %.4f ULP at 2^%v, %x", worst, at, at)
			if worst > bound64 {
				t.Errorf("the bound is %v", bound64)
			}
		})
	}
}

// TestRef32 measures the float32 definition against float64's, on a stride of all
// arguments; with MONGE_LONG set, on all 2^32.
func TestRef32(t *testing.T) {
	step := uint64(oracle.Samples(4099, 1))
	var worst float64
	var at float32
	var mu sync.Mutex
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			var u float64
			var x float32
			for b := uint64(w) * step; b < 1<<32; b += step * uint64(workers) {
				y := math.Float32frombits(uint32(b))
				got := ref32(y)
				switch {
				case y != y && got == got, y < least32 && math.Float32bits(got) != 0, y >= above32 && !math.IsInf(float64(got), 1):
					t.Errorf("2^%v = %v", y, got)
				case y >= least32 && y < above32:
					want := ref64(float64(y))
					if e := math.Abs(math.Ldexp(float64(got)-want, 23-math.Ilogb(want))); e > u {
						u, x = e, y
					}
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
	t.Logf("largest error %.4f ULP at 2^%v, %x", worst, at, at)
	u := asmtest.ULP(ref32(at), oracle.Exp2(float64(at)))
	if math.Abs(u-worst) > 1e-6 {
		t.Errorf("the oracle has %v ULP at %v", u, at)
	}
	if u > bound32 {
		t.Errorf("the bound is %v", bound32)
	}
}

func TestSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	below := math.Nextafter
	for _, c := range []struct{ y, want float64 }{
		{0, 1}, {math.Copysign(0, -1), 1}, {math.SmallestNonzeroFloat64, 1}, {-0x1p-60, 1},
		{inf, inf}, {-inf, 0}, {nan, nan}, {math.MaxFloat64, inf}, {-math.MaxFloat64, 0},
		{least64, 0x1p-1022}, {below(least64, -2000), 0}, {above64, inf}, {1023, 0x1p1023},
	} {
		if got := Ref(c.y); !asmtest.SameBits(got, c.want) {
			t.Errorf("2^%v = %v, want %v", c.y, got, c.want)
		}
	}
	if got := ref64(below(above64, 0)); got > math.MaxFloat64 {
		t.Errorf("2^%v = %v", below(above64, 0), got)
	}
	for _, c := range []struct{ y, want float32 }{
		{0, 1}, {float32(math.Copysign(0, -1)), 1}, {math.SmallestNonzeroFloat32, 1}, {float32(inf), float32(inf)},
		{float32(-inf), 0}, {float32(nan), float32(nan)}, {math.MaxFloat32, float32(inf)}, {-math.MaxFloat32, 0},
		{least32, 0x1p-126}, {math.Nextafter32(least32, -200), 0}, {above32, float32(inf)}, {127, 0x1p127},
	} {
		if got := Ref(c.y); !asmtest.SameBits(got, c.want) {
			t.Errorf("2^%v = %v, want %v", c.y, got, c.want)
		}
	}
	// Every whole power is exact.
	for y := -1022; y <= 1023; y++ {
		if got := ref64(float64(y)); got != math.Ldexp(1, y) {
			t.Errorf("2^%d = %v", y, got)
		}
	}
	for y := -126; y <= 127; y++ {
		if got := ref32(float32(y)); float64(got) != math.Ldexp(1, y) {
			t.Errorf("float32 2^%d = %v", y, got)
		}
	}
}

// TestGolden holds the bits of a fixed set of results, on whatever machine it runs.
func TestGolden(t *testing.T) {
	h := uint64(14695981039346656037)
	add := func(b uint64) { h = (h ^ b) * 1099511628211 }
	s := uint64(1)
	dst64, dst32 := make([]float64, 1), make([]float32, 1)
	for range 20000 {
		s = s*6364136223846793005 + 1442695040888963407
		x := float64(int64(s)>>11) / (1 << 52) * 1040
		scaleRef(dst64, []float64{x}, -0x1.8154be2773526p-1)
		scaleRef(dst32, []float32{float32(x) / 7}, -0x1.8154bep-1)
		add(math.Float64bits(dst64[0]))
		add(uint64(math.Float32bits(dst32[0])))
	}
	if h != golden {
		t.Errorf("%#x, want %#x", h, uint64(golden))
	}
}

const golden = 0xc17d2f3127514abb
