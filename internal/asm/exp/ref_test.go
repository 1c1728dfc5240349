package exp

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/exp/oracle"
)

// The bounds that doc.go promises, in ULP.
const (
	bound64    = .70
	bound64Sub = .85 // subnormal results
	bound32    = .72
	bound32Sub = .82
)

// TestRef64 measures the float64 definition against 130-bit arithmetic. With
// MONGE_LONG set it takes millions of arguments.
func TestRef64(t *testing.T) {
	n := oracle.Samples(60_000, 4_000_000)
	for _, r := range []struct {
		name   string
		lo, hi float64
		n      int
		bound  float64
	}{
		{"reduced", -.05, .05, n, bound64},
		{"small", -2, 2, n, bound64},
		{"normal", -708.39, 709.78, n, bound64},
		{"large", 709, 709.782712893384, n / 4, bound64},
		{"subnormal", -745.2, -708.4, n / 2, bound64Sub},
		{"least subnormals", -745.2, -740, n / 4, bound64Sub},
	} {
		t.Run(r.name, func(t *testing.T) {
			worst64(t, r.n, r.bound, func(rng *rand.Rand) float64 { return r.lo + (r.hi-r.lo)*rng.Float64() })
		})
	}
	t.Run("tiny", func(t *testing.T) {
		worst64(t, n/4, bound64, func(rng *rand.Rand) float64 {
			return math.Ldexp(rng.Float64()-.5, -rng.IntN(1070))
		})
	})
	// Where t is rounded from one table entry to the next, r is largest.
	t.Run("midpoints", func(t *testing.T) {
		worst64(t, n/4, bound64, func(rng *rand.Rand) float64 {
			x := (float64(rng.IntN(16000)-8000) + .5) / 8 * math.Ln2
			return x + float64(rng.IntN(9)-4)*math.Abs(x)*0x1p-53
		})
	})
	t.Run("thresholds", func(t *testing.T) {
		for _, x := range thresholds64 {
			for d := -20; d <= 20; d++ {
				x := asmtest.Next(x, d)
				want := oracle.Exp(x)
				got := ref64(x)
				if f, _ := want.Float64(); math.IsInf(f, 0) || math.IsInf(got, 0) {
					if got != f {
						t.Errorf("exp(%v) = %v, want %v", x, got, f)
					}
				} else if u := asmtest.ULP(got, want); u > bound64Sub {
					t.Errorf("exp(%v) = %v, %.3f ULP from %v", x, got, u, f)
				}
			}
		}
	})
}

// Overflow, the ends of the fast ways, the least normal and the least results.
var thresholds64 = []float64{
	709.782712893384, 708, -708, -708.3964185322641, -709.0895657128241,
	-744.4400719213812, -745.1332191019411, -745.1332191019412,
}

var thresholds32 = []float32{88.72283, 87, -87, -87.33654, -88.02969, -103.27892, -103.972084}

func worst64(t *testing.T, n int, bound float64, draw func(*rand.Rand) float64) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	worst, at := 0.0, 0.0
	for range n {
		x := draw(rng)
		if u := asmtest.ULP(ref64(x), oracle.Exp(x)); u > worst {
			worst, at = u, x
		}
	}
	t.Logf("largest error %.4f ULP at exp(%v), %x", worst, at, at)
	if worst > bound {
		t.Errorf("the bound is %v", bound)
	}
}

// TestRef32 measures the float32 definition against float64's, on a stride of all
// arguments; with MONGE_LONG set, on all 2^32.
func TestRef32(t *testing.T) {
	step := uint64(oracle.Samples(4099, 1))
	type result struct {
		u float64
		x float32
	}
	var normal, subnormal result
	var mu sync.Mutex
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			var n, s result
			for b := uint64(w) * step; b < 1<<32; b += step * uint64(workers) {
				x := math.Float32frombits(uint32(b))
				y := ref32(x)
				if x != x {
					if y == y {
						t.Errorf("exp(NaN) = %v", y)
					}
					continue
				}
				want := ref64(float64(x))
				if f := float32(want); f > math.MaxFloat32 || y > math.MaxFloat32 {
					if y != f {
						t.Errorf("exp(%v) = %v, want %v", x, y, f)
					}
					continue
				}
				e := max(math.Ilogb(want), -126) - 23
				u := math.Abs(math.Ldexp(float64(y)-want, -e))
				if want >= 0x1p-126 {
					if u > n.u {
						n = result{u, x}
					}
				} else if u > s.u {
					s = result{u, x}
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if n.u > normal.u {
				normal = n
			}
			if s.u > subnormal.u {
				subnormal = s
			}
		})
	}
	wg.Wait()
	for _, r := range []struct {
		name  string
		bound float64
		result
	}{{"normal", bound32, normal}, {"subnormal", bound32Sub, subnormal}} {
		t.Logf("%s results: largest error %.4f ULP at exp(%v), %x", r.name, r.u, r.x, r.x)
		u := asmtest.ULP(ref32(r.x), oracle.Exp(float64(r.x)))
		if math.Abs(u-r.u) > 1e-6 {
			t.Errorf("the oracle has %v ULP at %v", u, r.x)
		}
		if u > r.bound {
			t.Errorf("the bound is %v", r.bound)
		}
	}
}

func TestSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ x, want float64 }{
		{0, 1}, {math.Copysign(0, -1), 1}, {math.SmallestNonzeroFloat64, 1}, {-0x1p-60, 1},
		{inf, inf}, {-inf, 0}, {nan, nan}, {math.MaxFloat64, inf}, {-math.MaxFloat64, 0},
	} {
		if y := Ref(c.x); !asmtest.SameBits(y, c.want) {
			t.Errorf("exp(%v) = %v, want %v", c.x, y, c.want)
		}
		if y := Ref(float32(c.x)); !asmtest.SameBits(y, float32(c.want)) {
			t.Errorf("float32 exp(%v) = %v, want %v", c.x, y, c.want)
		}
	}
}

// TestGolden holds the bits of a fixed set of results, on whatever machine it runs.
func TestGolden(t *testing.T) {
	h := uint64(14695981039346656037)
	add := func(b uint64) { h = (h ^ b) * 1099511628211 }
	s := uint64(1)
	for range 20000 {
		s = s*6364136223846793005 + 1442695040888963407
		x := float64(int64(s)>>11) / (1 << 52) * 760
		add(math.Float64bits(ref64(x)))
		add(uint64(math.Float32bits(ref32(float32(x) / 7))))
	}
	if h != golden {
		t.Errorf("%#x, want %#x", h, uint64(golden))
	}
}

const golden = 0x361fc40dc356880a
