package num_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/exp/oracle"
	"github.com/gomonge/monge/internal/asm/num"
)

// The error bounds in the comments of log.go, in ULP.
const (
	boundLog   = .70
	boundLog2  = .70
	boundLog32 = .501
)

// TestLog compares Log and Log2 with 130-bit arithmetic. It tests more than a million arguments if
// MONGE_LONG is set.
func TestLog(t *testing.T) {
	n := oracle.Samples(3_000, 300_000)
	uniform := func(lo, hi float64) func(*rand.Rand) float64 {
		return func(rng *rand.Rand) float64 { return lo + (hi-lo)*rng.Float64() }
	}
	for _, r := range []struct {
		name string
		n    int
		draw func(*rand.Rand) float64
	}{
		{"around 1", n, uniform(.5, 2)},
		{"near 1", n, uniform(.99, 1.01)},
		{"at 1", n / 4, func(rng *rand.Rand) float64 { return 1 + math.Ldexp(rng.Float64()-.5, -rng.IntN(52)) }},
		{"at the cut", n / 4, uniform(.7071, .7072)},
		{"all", n, func(rng *rand.Rand) float64 { return math.Float64frombits(rng.Uint64N(0x7ff << 52)) }},
		{"subnormal", n / 4, func(rng *rand.Rand) float64 { return math.Float64frombits(1 + rng.Uint64N(1<<52-1)>>rng.IntN(52)) }},
	} {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(3, uint64(r.n)))
			logs := []*worst{
				{name: "log", bound: boundLog}, {name: "log2", bound: boundLog2},
				{name: "float32 log", bound: boundLog32}, {name: "float32 log2", bound: boundLog32},
			}
			for range r.n {
				x := r.draw(rng)
				want := oracle.Log(x)
				logs[0].add(x, num.Log(x), want)
				logs[1].add(x, num.Log2(x), oracle.Log2(x))
				if f := float32(x); f > 0 && f <= math.MaxFloat32 {
					want := oracle.Log(float64(f))
					logs[2].add32(f, num.Log(f), want)
					logs[3].add32(f, num.Log2(f), oracle.Log2(float64(f)))
				}
			}
			for _, w := range logs {
				t.Logf("%s: largest error %.4f ULP at %v, %x", w.name, w.ulp, w.at, w.at)
				if w.ulp > w.bound {
					t.Errorf("%s: the bound is %v", w.name, w.bound)
				}
			}
		})
	}
}

type worst struct {
	name           string
	bound, ulp, at float64
}

func (w *worst) add(x, got float64, want *big.Float) {
	if u := asmtest.ULP(got, want); u > w.ulp {
		w.ulp, w.at = u, x
	}
}

func (w *worst) add32(x, got float32, want *big.Float) {
	if u := asmtest.ULP(got, want); u > w.ulp {
		w.ulp, w.at = u, float64(x)
	}
}

// TestLog1p compares Log1p with high-precision arithmetic for x > 0, and checks special values.
func TestLog1p(t *testing.T) {
	log, log32 := worst{name: "log1p", bound: boundLog}, worst{name: "float32 log1p", bound: boundLog32}
	rng := rand.New(rand.NewPCG(3, 9))
	for k := range oracle.Samples(1_500, 300_000) {
		x := math.Ldexp(rng.Float64(), rng.IntN(10)-9)
		switch k % 3 {
		case 1: // near the cut, and around 1
			x = math.Sqrt2 - 1 + (rng.Float64()-.3)*math.Ldexp(1, -rng.IntN(30))
		case 2:
			x = math.Ldexp(1+rng.Float64(), rng.IntN(1060)-1030)
		}
		for narrow, x := range []float64{x, float64(float32(x))} {
			if x <= 0 || x > math.MaxFloat32 && narrow > 0 {
				continue
			}
			want := oracleLog1p(x)
			if narrow == 0 {
				log.add(x, num.Log1p(x), want)
			} else {
				log32.add32(float32(x), num.Log1p(float32(x)), want)
			}
		}
	}
	for _, w := range []worst{log, log32} {
		t.Logf("%s: largest error %.4f ULP at %v, %x", w.name, w.ulp, w.at, w.at)
		if w.ulp > w.bound {
			t.Errorf("%s: the bound is %v", w.name, w.bound)
		}
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range [][2]float64{{0, 0}, {inf, inf}, {nan, nan}, {5e-324, 5e-324}, {1, math.Ln2}, {math.MaxFloat64, math.Log(math.MaxFloat64)}} {
		if got := num.Log1p(c[0]); !asmtest.SameBits(got, c[1]) {
			t.Errorf("log1p(%v) = %v, want %v", c[0], got, c[1])
		}
	}
}

// oracleLog1p returns ln(1 + x) for x > 0 with an error far below the precision of float64.
func oracleLog1p(x float64) *big.Float {
	big200 := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	if x < 1e-5 {
		sum, power := big200(0), big200(-1)
		for k := range 12 {
			power.Mul(power, big200(-x))
			sum.Add(sum, new(big.Float).Quo(power, big200(float64(k+1))))
		}
		return sum
	}
	// ln(1 + x) = ln y + e/y, up to (e/y)² < 2^-106, where y is 1 + x rounded and e is the rounding error.
	y := 1 + x
	e := new(big.Float).Sub(new(big.Float).Add(big200(1), big200(x)), big200(y))
	return e.Add(oracle.Log(y), e.Quo(e, big200(y)))
}

func TestLogSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, f := range []struct {
		name string
		f64  func(float64) float64
		f32  func(float32) float32
	}{{"log", num.Log[float64], num.Log[float32]}, {"log2", num.Log2[float64], num.Log2[float32]}} {
		for _, c := range []struct{ x, want float64 }{
			{0, -inf}, {math.Copysign(0, -1), -inf}, {1, 0}, {inf, inf}, {nan, nan},
			{-1, nan}, {-inf, nan}, {-math.SmallestNonzeroFloat64, nan},
		} {
			if got := f.f64(c.x); !asmtest.SameBits(got, c.want) {
				t.Errorf("%s(%v) = %v, want %v", f.name, c.x, got, c.want)
			}
			if x := float32(c.x); float64(x) == c.x || x != x {
				if got := f.f32(x); !asmtest.SameBits(got, float32(c.want)) {
					t.Errorf("float32 %s(%v) = %v, want %v", f.name, x, got, c.want)
				}
			}
		}
	}
	for k := -1074; k <= 1023; k++ {
		if got := num.Log2(math.Ldexp(1, k)); got != float64(k) {
			t.Errorf("log2(2^%d) = %v", k, got)
		}
	}
}

// TestLogGolden compares a hash of many results with the hash that every machine must compute.
func TestLogGolden(t *testing.T) {
	h := uint64(14695981039346656037)
	add := func(b uint64) { h = (h ^ b) * 1099511628211 }
	s := uint64(1)
	for range 20000 {
		s = s*6364136223846793005 + 1442695040888963407
		x := math.Float64frombits(s >> 1 % (0x7ff << 52))
		near := 1 + float64(int64(s)>>11)/(1<<54)
		for _, x := range []float64{x, near} {
			add(math.Float64bits(num.Log(x)))
			add(math.Float64bits(num.Log2(x)))
			add(uint64(math.Float32bits(num.Log(float32(x)))))
		}
	}
	const golden = 0x7a7aa85e23a8a5d5
	if h != golden {
		t.Errorf("%#x, want %#x", h, uint64(golden))
	}
}
