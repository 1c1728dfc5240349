package vecmath_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/exp/oracle"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/vecmath"
)

// vectorFunction contains an elementwise function and its error bound in ULP.
type vectorFunction[T vecmath.Float] struct {
	name   string
	f      func(dst, src []T)
	oracle func(x float64) *big.Float
	lo, hi float64 // arguments
	bound  float64
}

func vectorFunctions[T vecmath.Float]() []vectorFunction[T] {
	top, low := 88., -103.
	bounds := [...]float64{.82, .85, .71, .78, 2.95}
	if num.IsFloat64[T]() {
		top, low = 709, -744
		bounds = [...]float64{.85, .85, .70, .70, 2.95}
	}
	return []vectorFunction[T]{
		{"Exp", vecmath.Exp[T], oracle.Exp, low, top, bounds[0]},
		{"Exp2", vecmath.Exp2[T], oracle.Exp2, low / math.Ln2, top / math.Ln2, bounds[1]},
		{"Log", vecmath.Log[T], oracle.Log, 1e-30, 1e30, bounds[2]},
		{"Log2", vecmath.Log2[T], oracle.Log2, .4, 3, bounds[3]},
		{"Sigmoid", vecmath.Sigmoid[T], func(x float64) *big.Float {
			one := new(big.Float).SetPrec(200).SetInt64(1)
			return one.Quo(one, new(big.Float).SetPrec(200).Add(one, oracle.Exp(-x)))
		}, -top / 2, top / 2, bounds[4]},
	}
}

// TestAccuracy checks every function against its documented error bound. The accuracy table in
// docs/benchmarks is made from the test output.
func TestAccuracy(t *testing.T) {
	t.Run("f64", testAccuracy[float64])
	t.Run("f32", testAccuracy[float32])
}

func testAccuracy[T vecmath.Float](t *testing.T) {
	rng := asmtest.NewRand(1)
	n := oracle.Samples(3_001, 30_000)
	x, y := make([]T, n), make([]T, n)
	for _, f := range vectorFunctions[T]() {
		for i := range x {
			x[i] = T(f.lo + (f.hi-f.lo)*rng.Float64())
			if f.lo > 0 && i%2 == 0 {
				x[i] = T(math.Exp(math.Log(f.lo) + math.Log(f.hi/f.lo)*rng.Float64()))
			}
		}
		f.f(y, x)
		worst, at := 0.0, T(0)
		for i := range x {
			if u := asmtest.ULP(y[i], f.oracle(float64(x[i]))); u > worst {
				worst, at = u, x[i]
			}
		}
		t.Run(f.name, func(t *testing.T) {
			t.Logf("largest error %.4f ULP at %v", worst, at)
			if worst > f.bound {
				t.Errorf("the bound is %v", f.bound)
			}
		})
	}
}

// TestExp2Ends checks Exp2 over its whole range, including the largest octave, subnormal results and overflow.
func TestExp2Ends(t *testing.T) {
	for e := -1080; e <= 1030; e++ {
		x := []float64{float64(e)}
		if vecmath.Exp2(x, x); x[0] != math.Ldexp(1, e) {
			t.Errorf("2^%d = %v", e, x[0])
		}
		y := []float32{float32(e)}
		if vecmath.Exp2(y, y); y[0] != float32(math.Ldexp(1, e)) {
			t.Errorf("float32 2^%d = %v", e, y[0])
		}
	}
	x := []float64{1023.9999999, 1024, 1e300, math.Inf(1), math.Inf(-1), -2000, -1e300}
	want := []float64{math.Exp2(1023.9999999), math.Inf(1), math.Inf(1), math.Inf(1), 0, 0, 0}
	vecmath.Exp2(x, x)
	for i := range x {
		if math.Abs(x[i]-want[i]) > 1e-15*want[i] && x[i] != want[i] {
			t.Errorf("place %d: %v, want %v", i, x[i], want[i])
		}
	}
}

// TestReductionBounds compares sums, log-sum-exp and softmax with 200-bit arithmetic and checks the documented
// error bounds. The documented bounds of log-sum-exp and softmax grow with the largest difference between two
// elements. The test checks tighter bounds, which use the weighted mean of the differences from the largest
// element.
func TestReductionBounds(t *testing.T) {
	t.Run("f64", testReductions[float64])
	t.Run("f32", testReductions[float32])
}

func testReductions[T vecmath.Float](t *testing.T) {
	u, flush := asmtest.Roundoff[T](), 87.
	if num.IsFloat64[T]() {
		flush = 708
	}
	for seed, n := range []int{1, 2, 7, 8, 16, 17, 100, 255, 256, 257, 1000, 5000} {
		for k, spread := range []float64{1e-3, 1, 30} {
			if n >= 1000 && k != seed%3 && !testdata.IsLong() {
				continue
			}
			rng := asmtest.NewRand(uint64(seed))
			x, b := make([]T, n), make([]T, n)
			top := math.Inf(-1)
			for i := range x {
				x[i], b[i] = T(spread*rng.NormFloat64()+500*spread), T(rng.NormFloat64())
				if seed%2 == 1 { // the largest elements are the last tenth of x, and their values are near 0
					x[i] += T(spread * (float64(10*i/n) - 510))
				}
				top = max(top, float64(x[i]))
			}
			rounds := float64((n+num.Lanes[T]()-1)/num.Lanes[T]()) + math.Log2(float64(num.Lanes[T]()))
			sum, size := newBig(), 0.0
			dot, dotSize := newBig(), 0.0
			rest, tops := newBig(), 0 // rest is Σ exp(x_i − top) without one i where x_i = top; tops is the number of such i
			for i := range x {
				sum.Add(sum, newBig().SetFloat64(float64(x[i])))
				size += math.Abs(float64(x[i]))
				p := newBig().Mul(newBig().SetFloat64(float64(x[i])), newBig().SetFloat64(float64(b[i])))
				dot.Add(dot, p)
				f, _ := p.Float64()
				dotSize += math.Abs(f)
				if float64(x[i]) < top {
					rest.Add(rest, exp(float64(x[i]), top))
				} else if tops++; tops > 1 {
					rest.Add(rest, newBig().SetInt64(1))
				}
			}
			near := func(what string, got float64, want *big.Float, bound float64) {
				t.Helper()
				d, _ := newBig().Sub(newBig().SetFloat64(got), want).Float64()
				if !(math.Abs(d) <= bound) {
					t.Errorf("n = %d, spread %v: %s is off by %.3g, bound %.3g", n, spread, what, d, bound)
				}
			}
			lanes := 4 * num.Lanes[T]()
			rounds4 := float64((n+lanes-1)/lanes) + math.Log2(float64(lanes))
			near("sum", float64(vecmath.Sum(x)), sum, rounds4*u*size)
			near("dot", float64(vecmath.Dot(x, b)), dot, rounds4*u*dotSize)

			exps, log1p := newBig().Add(rest, newBig().SetInt64(1)), bigLog1p(rest)
			y, log := make([]T, n), make([]T, n)
			vecmath.Softmax(y, x)
			vecmath.LogSoftmax(log, x)
			r, others, lost := 0.0, 0.0, 0.0 // r is the weighted mean distance from the largest element
			for i := range x {
				d := top - float64(x[i])
				r += d * math.Exp(-d)
				if d > 0 {
					others += math.Exp(-d)
				}
				if d > flush {
					lost += math.Exp(-d)
				}
			}
			if others > 0 {
				r /= others
			}
			rounds++ // one more rounding, when the sum of a block is added to the previous sum
			relative := (1.25*r + rounds + 3) * u
			log1pSize, _ := log1p.Float64()
			for i := range x {
				d := top - float64(x[i])
				p := newBig().Quo(exp(float64(x[i]), top), exps)
				want, _ := p.Float64()
				bound := (1.25*(d+r) + rounds + 5) * u * want
				if d > flush {
					bound = want
				}
				near(fmt.Sprintf("softmax %d", i), float64(y[i]), p, bound+2*float64(asmtest.Least[T]()))
				lp := newBig().Sub(difference(float64(x[i]), top), log1p)
				size, _ := lp.Float64()
				near(fmt.Sprintf("log-softmax %d", i), float64(log[i]), lp, (relative+u)*log1pSize+u*(d+math.Abs(size))+lost)
			}
			lse := newBig().Add(newBig().SetFloat64(top), log1p)
			size, _ = lse.Float64()
			near("log-sum-exp", float64(vecmath.LogSumExp(x)), lse, (relative+u)*log1pSize+u*math.Abs(size)+lost)
		}
	}
}

// bigLog1p returns ln(1 + x) for x ≥ 0. The relative error is far below the rounding error of a float64.
func bigLog1p(x *big.Float) *big.Float {
	if f, _ := x.Float64(); f < 1e-4 {
		sum, power := newBig(), newBig().SetInt64(-1)
		for k := range int64(12) {
			power.Mul(power, newBig().Neg(x))
			sum.Add(sum, newBig().Quo(power, newBig().SetInt64(k+1)))
		}
		return sum
	}
	total := newBig().Add(x, newBig().SetInt64(1))
	near, _ := total.Float64()
	off := newBig().Sub(total, newBig().SetFloat64(near))
	return newBig().Add(oracle.Log(near), off.Quo(off, newBig().SetFloat64(near)))
}

// difference returns x − y.
func difference(x, y float64) *big.Float {
	return newBig().Sub(newBig().SetFloat64(x), newBig().SetFloat64(y))
}

// exp returns exp(x − y). It corrects for the error of rounding x − y to float64.
func exp(x, y float64) *big.Float {
	d := difference(x, y)
	rounded, _ := d.Float64()
	d.Sub(d, newBig().SetFloat64(rounded))
	d.Add(d, newBig().SetInt64(1))
	return d.Mul(d, oracle.Exp(rounded))
}

func newBig() *big.Float { return new(big.Float).SetPrec(200) }

// TestSameBits checks that all functions return the expected bits with every instruction set, also
// for dst = src.
func TestSameBits(t *testing.T) {
	want := map[string]uint64{"f64": 0x4c8772a162737531, "f32": 0xf7d940251f89e7ed}
	for lv := range asmtest.Each(t) {
		for kind, got := range map[string]uint64{"f64": allBits[float64](t), "f32": allBits[float32](t)} {
			if got != want[kind] {
				t.Errorf("%v, %s: %#x", lv, kind, got)
			}
		}
	}
}

// allBits returns a hash of the results of all functions.
func allBits[T vecmath.Float](t *testing.T) uint64 {
	var all []T
	add := func(x ...T) { all = append(all, x...) }
	rng := asmtest.NewRand(3)
	for _, n := range []int{0, 1, 5, 16, 100, 300, 777} {
		x, y := make([]T, n), make([]T, n)
		for i := range x {
			x[i] = T(200 * (rng.Float64() - .5))
		}
		fs := append(vectorFunctions[T](), vectorFunction[T]{f: vecmath.Softmax[T]}, vectorFunction[T]{f: vecmath.LogSoftmax[T]})
		for _, f := range fs {
			f.f(y, x)
			add(y...)
			z := append([]T(nil), x...)
			f.f(z, z)
			asmtest.SameSlices(t, f.name+" in place", z, y)
		}
		add(vecmath.LogSumExp(x))
		m := dist.NewMatrix(min(n, 1), n, x[:min(n, 1)*n])
		lse := make([]T, m.Rows)
		vecmath.LogSumExpRows(lse, m)
		add(lse...)
		vecmath.SoftmaxRows(m, m)
		add(x...)
	}
	return hashOf(all)
}

func hashOf[T vecmath.Float](x []T) uint64 {
	h := fnv.New64a()
	for _, v := range x {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], asmtest.Bits(v))
		h.Write(b[:])
	}
	return h.Sum64()
}

// TestSpecialValues checks special values of LogSumExp and Softmax.
func TestSpecialValues(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{nil, -inf}, {[]float64{-inf, -inf}, -inf}, {[]float64{1, nan, inf}, nan}, {[]float64{nan}, nan},
		{[]float64{inf, 3, -inf}, inf}, {[]float64{5}, 5}, {[]float64{-inf, 5}, 5}, {[]float64{1000, 1000}, 1000 + math.Ln2}, {[]float64{-1e308, -1e308}, -1e308},
		{[]float64{zero, 0, zero}, 1.0986122886681098},
		{[]float64{zero}, 0}, {[]float64{0, -709}, 0}, {[]float64{-1e308, 1e308}, 1e308},
		{append(slices.Repeat([]float64{-inf}, 5000), 5, 5, nan), nan}, {append(slices.Repeat([]float64{-inf}, 5000), 5, 5), 5 + math.Ln2},
		{append(append([]float64{nan}, slices.Repeat([]float64{-inf}, 5000)...), 5), nan}, {append(slices.Repeat([]float64{1}, 5000), 41), 41 + 5000*4.248354255291589e-18},
	} {
		if got := vecmath.LogSumExp(c.x); !asmtest.SameBits(got, c.want) {
			t.Errorf("log-sum-exp of %v = %v, want %v", c.x, got, c.want)
		}
	}
	// LogSumExp must include elements far below the largest element. The error bounds are the documented bounds.
	for _, top := range []float64{0, zero} {
		log := []float64{top, -40}
		got := vecmath.LogSumExp(log)
		vecmath.LogSoftmax(log, log)
		const want = 4.248354255291589e-18
		if math.Abs(got-want) > 55*0x1p-53*want || log[0] != -got || log[1] != -40 {
			t.Error(got, log)
		}
	}
	if got, want := vecmath.LogSumExp([]float32{0, -16}), 1.1253516838717682e-07; math.Abs(float64(got)-want) > 25*0x1p-24*want {
		t.Error(got)
	}
	x := []float64{-inf, 2, 2}
	if vecmath.Softmax(x, x); x[0] != 0 || x[1] != .5 || x[2] != .5 {
		t.Error(x)
	}
	x = []float64{inf, 2}
	if vecmath.Softmax(x, x); x[0] == x[0] || x[1] == x[1] {
		t.Error(x)
	}
}

// TestPanics checks the panic messages for invalid arguments.
func TestPanics(t *testing.T) {
	x := make([]float64, 20)
	m := dist.NewMatrix(4, 5, x)
	for what, f := range map[string]func(){
		"vecmath: lengths do not match: the first slice has 3 elements, the second 4": func() { vecmath.Exp(x[:3], x[:4]) },
		"vecmath: destination overlaps the source, and is not the source":             func() { vecmath.Log(x[1:5], x[:4]) },
		"vecmath: shapes do not match: dst is 4 × 5, src 3 × 5":                       func() { vecmath.SoftmaxRows(m, m.RowRange(0, 3)) },
	} {
		func() {
			defer func() {
				if r := recover(); r != what {
					t.Errorf("%v, want %v", r, what)
				}
			}()
			f()
		}()
	}
	for i, f := range []func(){
		func() { vecmath.Dot(x[:3], x[:4]) },
		func() { vecmath.LogSumExpRows(x[:4], m) },
		func() { vecmath.LogSumExpRows(x[:3], m) },
		func() { vecmath.LogSoftmaxRows(m.RowRange(1, 3), m.RowRange(0, 2)) },
		func() { vecmath.DotEach(x[:2], x[1:4], [][]float64{x[5:8], x[8:11]}) },
		func() { vecmath.SqEuclideanEach(x[9:11], x[1:4], [][]float64{x[5:8], x[8:11]}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("call %d did not panic", i)
				}
			}()
			f()
		}()
	}
	vecmath.Exp(x[5:10], x[:5]) // adjacent slices
	vecmath.DotEach(x[3:5], x[:3], [][]float64{x[5:8], x[8:11]})
}

func TestAllocations(t *testing.T) {
	x, y := asmtest.Random[float32](3000), make([]float32, 3000)
	lse, top := make([]float32, 30), make([]int, 10)
	for _, f := range append(vectorFunctions[float32](), vectorFunction[float32]{name: "Softmax", f: vecmath.Softmax[float32]}, vectorFunction[float32]{name: "LogSoftmax", f: vecmath.LogSoftmax[float32]},
		vectorFunction[float32]{name: "reductions", f: func(dst, src []float32) {
			dst[0] = vecmath.Sum(src) + vecmath.Dot(src, src) + vecmath.LogSumExp(src)
			dst[1] = vecmath.CosineSimilarity(dst, src) + vecmath.Normalize(dst, src)
			vecmath.AddScaled(dst, 2, src)
			vecmath.MeanRows(dst[:100], dist.NewMatrix(30, 100, src))
			top = vecmath.TopK(top, src, 10)
			vecmath.LogSumExpRows(lse, dist.NewMatrix(30, 100, src))
		}}) {
		if n := asmtest.Allocations(func() { f.f(y, x) }); n != 0 {
			t.Errorf("%s: %v allocations", f.name, n)
		}
	}
}
