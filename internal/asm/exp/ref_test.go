package exp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/exp/oracle"
	"github.com/gomonge/monge/internal/asm/num"
)

// The bounds that doc.go promises, in ULP.
const (
	bound64    = .70
	bound64Sub = .85 // subnormal results
	bound32    = .72
	bound32Sub = .82
)

// TestExpRef64 compares the float64 reference implementation with 130-bit arithmetic. With
// MONGE_LONG=1, the test uses more than a million arguments.
func TestExpRef64(t *testing.T) {
	n := oracle.Samples(12_000, 1_000_000)
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
	// The argument r of the polynomial has the largest magnitude at the midpoint between two table entries.
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
				got := expOf64(x)
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

// TestExpDifference checks the exponential of differences against the bound of doc.go.
func TestExpDifference(t *testing.T) {
	t.Run("f64", func(t *testing.T) { expDifference[float64](t, 708, .65, .13) })
	t.Run("f32", func(t *testing.T) { expDifference[float32](t, 87, .75, .23) })
}

// expDifference tests exponentials of differences d between −most and 0. The error may be at most bound + slope·|d| ULP.
func expDifference[T num.Float](t *testing.T, most, bound, slope float64) {
	rng := rand.New(rand.NewPCG(8, 8))
	worst := 0.
	for k := range oracle.Samples(12_000, 1_000_000) {
		d := T(-most * rng.Float64())
		switch k % 3 {
		case 1: // where k changes
			d = T(-(float64(rng.IntN(int(most*math.Log2E*8))) + .5) / 8 * math.Ln2)
			d = max(asmtest.Next(d, rng.IntN(5)-2), T(-most))
		case 2:
			d = T(-rng.Float64() * math.Ldexp(1, -rng.IntN(30)))
		}
		u := asmtest.ULP(RefDifference(d), oracle.Exp(float64(d)))
		worst = max(worst, u-slope*math.Abs(float64(d)))
	}
	t.Logf("largest error above the slope: %.3f ULP", worst)
	if worst > bound {
		t.Errorf("the bound is %v", bound)
	}
	for d, want := range map[T]T{0: 1, T(math.Inf(-1)): 0, asmtest.Next(T(-most), -1): 0} {
		if got := RefDifference(d); got != want {
			t.Errorf("exp(%v) = %v, want %v", d, got, want)
		}
	}
	if y := RefDifference(T(-most)); y <= 0 || RefDifference(T(math.NaN())) == RefDifference(T(math.NaN())) {
		t.Error(y)
	}
}

// thresholds64 and thresholds32 contain the arguments at which the computation of exp changes: the
// ends of the range of the fast code, and the first overflow, subnormal result and zero result.
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
		if u := asmtest.ULP(expOf64(x), oracle.Exp(x)); u > worst {
			worst, at = u, x
		}
	}
	t.Logf("largest error %.4f ULP at exp(%v), %x", worst, at, at)
	if worst > bound {
		t.Errorf("the bound is %v", bound)
	}
}

// TestExpRef32 checks that Exp in float32 equals the reference implementation, and that its errors
// are within the bounds. Exp in float64 provides the exact values. The bit patterns of consecutive
// arguments differ by stride().
func TestExpRef32(t *testing.T) {
	worst := asmtest.Errors32(0, math.MaxUint32, stride(), 2, func() func([]float32, []asmtest.Error32) {
		compare := comparer(t, "exp", Exp[float32], Exp[float64], func(dst, x []float32) { expRef(dst, x) })
		return func(x []float32, errors []asmtest.Error32) {
			y, exact := compare(x)
			for i, v := range x {
				switch want := exact[i]; {
				case v != v:
					if y[i] == y[i] {
						t.Errorf("exp(NaN) = %v", y[i])
					}
				case want > math.MaxFloat32 || y[i] > math.MaxFloat32:
					if y[i] != float32(want) {
						t.Errorf("exp(%v) = %v, want %v", v, y[i], float32(want))
					}
				case want >= 0x1p-126:
					errors[0].Add(v, y[i], want)
				default:
					errors[1].Add(v, y[i], want)
				}
			}
		}
	})
	atMost(t, "exp, normal results", worst[0], bound32, Ref[float32], oracle.Exp)
	atMost(t, "exp, subnormal results", worst[1], bound32Sub, Ref[float32], oracle.Exp)
}

// stride returns the difference between the bit patterns of consecutive float32 arguments of a test.
// With MONGE_LONG=1, the difference is 1, so a test covers every argument. At the instruction-set
// level Ref the difference is always larger, because the tests would only compare the reference
// implementation with itself.
func stride() uint64 {
	if asm.Current() == asm.Ref {
		return uint64(oracle.Samples(4099, 37))
	}
	return uint64(oracle.Samples(4099, 1))
}

// comparer returns a function that computes f32 and f64 and compares the bits of the float32
// results with ref. Outside of 2^-30 ≤ |x| < 2^8, nearly all results are 0, 1 or infinite. Because
// ref is slow, the function compares only every 37th block outside of this range.
func comparer(t *testing.T, name string, f32 func(dst, x []float32), f64 func(dst, x []float64), ref func(dst, x []float32)) func(x []float32) (y []float32, exact []float64) {
	var y, want []float32
	var wide, exact []float64
	blocks := 0
	return func(x []float32) ([]float32, []float64) {
		if len(y) < len(x) {
			y, want, wide, exact = make([]float32, len(x)), make([]float32, len(x)), make([]float64, len(x)), make([]float64, len(x))
		}
		for i, v := range x {
			wide[i] = float64(v)
		}
		f32(y, x)
		f64(exact, wide[:len(x)])
		varies := func(v float32) bool { return v >= 0x1p-30 && v < 0x1p8 || v <= -0x1p-30 && v > -0x1p8 }
		if blocks++; blocks%37 != 0 && !slices.ContainsFunc(x, varies) {
			return y, exact
		}
		ref(want, x)
		for i, v := range x {
			if !asmtest.SameBits(y[i], want[i]) {
				t.Errorf("%s(%v) = %v, its definition has %v", name, v, y[i], want[i])
			}
		}
		return y, exact
	}
}

// atMost checks that the error e is at most bound, and that package oracle gives the same error for
// the argument e.X.
func atMost(t *testing.T, name string, e asmtest.Error32, bound float64, f func(float32) float32, exact func(float64) *big.Float) {
	t.Logf("%s: largest error %.4f ULP at %v, %x", name, e.ULP, e.X, e.X)
	u := asmtest.ULP(f(e.X), exact(float64(e.X)))
	if math.Abs(u-e.ULP) > 1e-6 {
		t.Errorf("%s: the oracle has %v ULP at %v", name, u, e.X)
	}
	if u > bound {
		t.Errorf("%s: the bound is %v", name, bound)
	}
}

func TestExpSpecialValues(t *testing.T) {
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

// TestExpGolden compares a hash of the bits of many results with a stored hash.
func TestExpGolden(t *testing.T) {
	h := uint64(14695981039346656037)
	add := func(b uint64) { h = (h ^ b) * 1099511628211 }
	s := uint64(1)
	for range 20000 {
		s = s*6364136223846793005 + 1442695040888963407
		x := float64(int64(s)>>11) / (1 << 52) * 760
		add(math.Float64bits(expOf64(x)))
		add(uint64(math.Float32bits(expOf32(float32(x) / 7))))
	}
	if h != goldenExp {
		t.Errorf("%#x, want %#x", h, uint64(goldenExp))
	}
}

const goldenExp = 0x361fc40dc356880a

// The bounds that doc.go promises, in ULP of 2^y.
const (
	bound2f64 = .63
	bound2f32 = .68
)

// TestExp2Ref64 compares the float64 reference implementation with 130-bit arithmetic. With
// MONGE_LONG=1, the test uses more than a million arguments.
func TestExp2Ref64(t *testing.T) {
	n := oracle.Samples(12_000, 1_000_000)
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
				if u := asmtest.ULP(exp2Of64(y), oracle.Exp2(y)); u > worst {
					worst, at = u, y
				}
			}
			t.Logf("largest error %.4f ULP at 2^%v, %x", worst, at, at)
			if worst > bound2f64 {
				t.Errorf("the bound is %v", bound2f64)
			}
		})
	}
}

// TestExp2Ref32 checks Exp2 in float32 in the same way as TestExpRef32 checks Exp.
func TestExp2Ref32(t *testing.T) {
	worst := asmtest.Errors32(0, math.MaxUint32, stride(), 1, func() func([]float32, []asmtest.Error32) {
		compare := comparer(t, "2^", inOneCall(Exp2[float32]), inOneCall(Exp2[float64]), inOneCall(exp2Ref[float32]))
		return func(x []float32, errors []asmtest.Error32) {
			y, exact := compare(x)
			for i, v := range x {
				switch got := y[i]; {
				case v != v && got == got, v < least32 && math.Float32bits(got) != 0, v >= above32 && !math.IsInf(float64(got), 1):
					t.Errorf("2^%v = %v", v, got)
				case v >= least32 && v < above32:
					errors[0].Add(v, got, exact[i])
				}
			}
		}
	})
	atMost(t, "2^", worst[0], bound2f32, Ref2[float32], oracle.Exp2)
}

func inOneCall[T num.Float](f func(dst, x []T, c T)) func(dst, x []T) {
	return func(dst, x []T) { f(dst, x, 1) }
}

func TestExp2SpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	below := math.Nextafter
	for _, c := range []struct{ y, want float64 }{
		{0, 1}, {math.Copysign(0, -1), 1}, {math.SmallestNonzeroFloat64, 1}, {-0x1p-60, 1},
		{inf, inf}, {-inf, 0}, {nan, nan}, {math.MaxFloat64, inf}, {-math.MaxFloat64, 0},
		{least64, 0x1p-1022}, {below(least64, -2000), 0}, {above64, inf}, {1023, 0x1p1023},
	} {
		if got := Ref2(c.y); !asmtest.SameBits(got, c.want) {
			t.Errorf("2^%v = %v, want %v", c.y, got, c.want)
		}
	}
	if got := exp2Of64(below(above64, 0)); got > math.MaxFloat64 {
		t.Errorf("2^%v = %v", below(above64, 0), got)
	}
	for _, c := range []struct{ y, want float32 }{
		{0, 1}, {float32(math.Copysign(0, -1)), 1}, {math.SmallestNonzeroFloat32, 1}, {float32(inf), float32(inf)},
		{float32(-inf), 0}, {float32(nan), float32(nan)}, {math.MaxFloat32, float32(inf)}, {-math.MaxFloat32, 0},
		{least32, 0x1p-126}, {math.Nextafter32(least32, -200), 0}, {above32, float32(inf)}, {127, 0x1p127},
	} {
		if got := Ref2(c.y); !asmtest.SameBits(got, c.want) {
			t.Errorf("2^%v = %v, want %v", c.y, got, c.want)
		}
	}
	// Powers of two with integer exponents are exact.
	for y := -1022; y <= 1023; y++ {
		if got := exp2Of64(float64(y)); got != math.Ldexp(1, y) {
			t.Errorf("2^%d = %v", y, got)
		}
	}
	for y := -126; y <= 127; y++ {
		if got := exp2Of32(float32(y)); float64(got) != math.Ldexp(1, y) {
			t.Errorf("float32 2^%d = %v", y, got)
		}
	}
}

// TestExp2Golden compares a hash of the bits of many results with a stored hash.
func TestExp2Golden(t *testing.T) {
	h := uint64(14695981039346656037)
	add := func(b uint64) { h = (h ^ b) * 1099511628211 }
	s := uint64(1)
	dst64, dst32 := make([]float64, 1), make([]float32, 1)
	for range 20000 {
		s = s*6364136223846793005 + 1442695040888963407
		x := float64(int64(s)>>11) / (1 << 52) * 1040
		exp2Ref(dst64, []float64{x}, -0x1.8154be2773526p-1)
		exp2Ref(dst32, []float32{float32(x) / 7}, -0x1.8154bep-1)
		add(math.Float64bits(dst64[0]))
		add(uint64(math.Float32bits(dst32[0])))
	}
	if h != goldenExp2 {
		t.Errorf("%#x, want %#x", h, uint64(goldenExp2))
	}
}

const goldenExp2 = 0xc17d2f3127514abb

// The log-domain tests use the following error bound. An exponent x has one rounding error. The
// exponent y, which is the sum or difference of x and a maximum or potential, has a second rounding
// error. Let X and Y be the exact values of x and y. Then the error of y causes a relative error of
// at most δ = (|X| + |Y|) u ln 2 in the power 2^y, and Exp2 adds at most 2.2u. To first order, a sum
// of powers with k roundings has a relative error of at most Σ_j w_j δ_j + (k + 2.2)u, where w_j is
// term j divided by the sum. The tests add 1% to each bound for higher orders and for terms that
// underflow.

// TestLogRowsRef compares the two results of logRowsRef, sum and q, with exact arithmetic. Each q_j is
// a sum of products (a/sum) e_j. The errors of q_j come from one division, from sum, from e_j and from
// m FMAs.
func TestLogRowsRef(t *testing.T) {
	t.Run("f64", logRowsRefTest[float64])
	t.Run("f32", logRowsRefTest[float32])
}

func logRowsRefTest[T num.Float](t *testing.T) {
	rng := asmtest.NewRand(1)
	u := asmtest.Roundoff[T]()
	var worstSum, worstQ asmtest.Worst
	for range 25 {
		p := newProblem[T](rng, 1+rng.IntN(6), 1+rng.IntN(60))
		a, q, e := p.values(p.m), p.values(p.n), make([]T, p.n)
		hi, sum, before := make([]T, p.m), make([]T, p.m), append([]T{}, q...)
		logRowsRef(p.m, p.n, p.mat, p.n, p.c, p.g, a, hi, sum, q, e)

		wantQ, boundQ := make([]big.Float, p.n), make([]big.Float, p.n)
		for j := range before {
			wantQ[j].SetPrec(prec).SetFloat64(float64(before[j]))
			boundQ[j].SetPrec(prec).SetFloat64(float64(before[j]) * float64(p.m) * u)
		}
		for i := range p.m {
			shift := big.NewFloat(-float64(hi[i]))
			total, bound := newFloat(), newFloat()
			term, delta := make([]*big.Float, p.n), make([]float64, p.n)
			for j := range p.n {
				x := p.exponent(i, j, p.g[j])
				y := newFloat().Add(x, shift)
				term[j], delta[j] = exactPow2(y), argument(x, y)*u
				total.Add(total, term[j])
				bound.Add(bound, multiplyBig(term[j], delta[j]))
			}
			k := float64(asmtest.RowRoundings[T](p.n))
			bound.Add(bound, multiplyBig(total, (k+2.2)*u))
			worstSum.See(asmtest.Error(float64(sum[i]), total, multiplyBig(bound, 1.01)), "%d×%d, c = %v, row %d", p.m, p.n, p.c, i)

			relative, _ := newFloat().Quo(bound, total).Float64()
			for j := range p.n {
				share := newFloat().Quo(multiplyBig(term[j], float64(a[i])), total)
				wantQ[j].Add(&wantQ[j], share)
				boundQ[j].Add(&boundQ[j], multiplyBig(share, delta[j]+relative+(float64(p.m)+3.2)*u))
			}
		}
		for j := range q {
			worstQ.See(asmtest.Error(float64(q[j]), &wantQ[j], multiplyBig(&boundQ[j], 1.01)), "%d×%d, c = %v, column %d", p.m, p.n, p.c, j)
		}
	}
	worstSum.Report(t, "sum")
	worstQ.Report(t, "q")
}

// TestLogColumnsRef compares LogColumnMax and LogColumnSum with exact arithmetic.
func TestLogColumnsRef(t *testing.T) {
	t.Run("f64", logColumnsRefTest[float64])
	t.Run("f32", logColumnsRefTest[float32])
}

func logColumnsRefTest[T num.Float](t *testing.T) {
	rng := asmtest.NewRand(1)
	u := asmtest.Roundoff[T]()
	var worstMax, worstSum asmtest.Worst
	for range 25 {
		p := newProblem[T](rng, 1+rng.IntN(40), 1+rng.IntN(6))
		h, s := make([]T, p.n), make([]T, p.n)
		for j := range h {
			h[j] = T(math.Inf(-1))
		}
		logColumnMaxRef(p.m, p.n, p.mat, p.n, p.c, p.f, h)
		logColumnSumRef(p.m, p.n, p.mat, p.n, p.c, p.f, h, s)
		for j := range p.n {
			highest, largest := p.exponent(0, j, p.f[0]), newFloat()
			shift := big.NewFloat(-float64(h[j]))
			total, bound := newFloat(), newFloat()
			for i := range p.m {
				x := p.exponent(i, j, p.f[i])
				if x.Cmp(highest) > 0 {
					highest = x
				}
				if ax := newFloat().Abs(x); ax.Cmp(largest) > 0 {
					largest = ax
				}
				y := newFloat().Add(x, shift)
				e := exactPow2(y)
				total.Add(total, e)
				bound.Add(bound, multiplyBig(e, argument(x, y)*u))
			}
			bound.Add(bound, multiplyBig(total, (float64(p.m)+2.2)*u))
			worstMax.See(asmtest.Error(float64(h[j]), highest, multiplyBig(largest, u)), "%d×%d, c = %v, column %d", p.m, p.n, p.c, j)
			worstSum.See(asmtest.Error(float64(s[j]), total, multiplyBig(bound, 1.01)), "%d×%d, c = %v, column %d", p.m, p.n, p.c, j)
		}
	}
	worstMax.Report(t, "column maximum")
	worstSum.Report(t, "column sum")
}

// TestLogPlanRef compares LogPlan with exact arithmetic.
func TestLogPlanRef(t *testing.T) {
	t.Run("f64", logPlanRefTest[float64])
	t.Run("f32", logPlanRefTest[float32])
}

func logPlanRefTest[T num.Float](t *testing.T) {
	rng := asmtest.NewRand(1)
	u := asmtest.Roundoff[T]()
	var worst asmtest.Worst
	for range 25 {
		p := newProblem[T](rng, 1+rng.IntN(10), 1+rng.IntN(10))
		plan := make([]T, p.m*p.n)
		logPlanRef(p.m, p.n, plan, p.n, p.mat, p.n, p.c, p.f, p.g)
		for i := range p.m {
			for j := range p.n {
				x := p.exponent(i, j, p.g[j])
				y := newFloat().Add(x, big.NewFloat(float64(p.f[i])))
				want := exactPow2(y)
				if least, most := limits[T](); want.Cmp(big.NewFloat(least)) < 0 || want.Cmp(big.NewFloat(most)) > 0 {
					continue
				}
				bound := multiplyBig(want, 1.01*(argument(x, y)+2.2)*u)
				worst.See(asmtest.Error(float64(plan[i*p.n+j]), want, bound), "%d×%d, c = %v, at (%d, %d)", p.m, p.n, p.c, i, j)
			}
		}
	}
	worst.Report(t, "plan")
}

// TestLogRowsSpecial checks that the maximum ignores NaN and −Inf, that a row without any other
// element has maximum −Inf and sum NaN, and that a maximum of −0 becomes +0.
func TestLogRowsSpecial(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		g        []float64
		max, sum float64
	}{
		{[]float64{-inf, 3, 2, -inf}, 3, 1.5},
		{[]float64{nan, 1, -1}, 1, nan},
		{[]float64{-inf, -inf}, -inf, nan},
		{[]float64{nan, -inf}, -inf, nan},
		{[]float64{zero, zero, -1}, 0, 2.5},
		{[]float64{inf, 1}, inf, nan},
	} {
		n := len(c.g)
		hi, sum := make([]float64, 1), make([]float64, 1)
		logRowsRef(1, n, make([]float64, n), n, 1, c.g, []float64{1}, hi, sum, make([]float64, n), make([]float64, n))
		if !asmtest.SameBits(hi[0], c.max) || !asmtest.SameBits(sum[0], c.sum) {
			t.Errorf("x = %v: max %v, sum %v; want %v, %v", c.g, hi[0], sum[0], c.max, c.sum)
		}
	}
}

// problem is a cost matrix, a factor and potentials of moderate size.
type problem[T num.Float] struct {
	rng       *rand.Rand
	m, n      int
	mat, f, g []T
	c         T
}

func newProblem[T num.Float](rng *rand.Rand, m, n int) problem[T] {
	p := problem[T]{rng: rng, m: m, n: n, c: T(math.Exp(6 * rng.Float64()))}
	p.mat, p.f, p.g = p.values(m*n), p.values(m), p.values(n)
	for i := range p.f {
		p.f[i] *= p.c
	}
	for j := range p.g {
		p.g[j] *= p.c
	}
	return p
}

func (p problem[T]) values(n int) []T {
	s := make([]T, n)
	asmtest.Fill(p.rng, s, asmtest.Unit)
	return s
}

// exponent returns the exact value of potential − c M_ij.
func (p problem[T]) exponent(i, j int, potential T) *big.Float {
	x := newFloat().SetFloat64(-float64(p.c))
	x.Mul(x, big.NewFloat(float64(p.mat[i*p.n+j])))
	return x.Add(x, big.NewFloat(float64(potential)))
}

// argument returns (|x| + |y|) ln 2.
func argument(x, y *big.Float) float64 {
	a, _ := x.Float64()
	b, _ := y.Float64()
	return (math.Abs(a) + math.Abs(b)) * math.Ln2
}

// limits returns twice the smallest normal number and about half the largest finite number. LogPlan
// sets results below the smallest normal number to 0.
func limits[T num.Float]() (least, most float64) {
	if num.IsFloat64[T]() {
		return 0x1p-1021, 0x1p1023
	}
	return 0x1p-125, 0x1p127
}

const prec = 300

func newFloat() *big.Float { return new(big.Float).SetPrec(prec) }

func multiplyBig(x *big.Float, f float64) *big.Float { return newFloat().Mul(x, big.NewFloat(f)) }

var ln2, _ = newFloat().SetString("0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863326996418687")

// exactPow2 returns 2^y to about 290 bits. It splits y into an integer n and a fraction f, and
// computes e^(f ln 2) by a Taylor series.
func exactPow2(y *big.Float) *big.Float {
	v, _ := y.Float64()
	n := math.Round(v)
	z := newFloat().Sub(y, big.NewFloat(n))
	z.Mul(z, ln2)
	sum, term := newFloat().SetInt64(1), newFloat().SetInt64(1)
	for k := int64(1); k < 60; k++ {
		term.Mul(term, z)
		term.Quo(term, newFloat().SetInt64(k))
		sum.Add(sum, term)
	}
	return sum.SetMantExp(sum, int(n))
}
