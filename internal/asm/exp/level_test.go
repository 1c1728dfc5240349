package exp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/testdata"
)

// A function is Exp, or Exp2 with a fixed factor, together with its reference implementation.
type function[T num.Float] struct {
	name    string
	apply   func(dst, x []T)
	ref     func(x T) T
	edges   []float64 // arguments at which the algorithm changes
	regions [][2]float64
}

func functions[T num.Float]() []function[T] {
	exp := function[T]{"exp", Exp[T], Ref[T], []float64{limit32, 1}, [][2]float64{{-20, 20}, {-709, 710}, {-746, -707}, {-89, 89}, {-104, -86}, {-1, 1}}}
	if num.IsFloat64[T]() {
		exp.edges = append(append(exp.edges, limit64), thresholds64...)
	} else {
		for _, x := range thresholds32 {
			exp.edges = append(exp.edges, float64(x))
		}
	}
	exp2 := func(c T) function[T] {
		f := function[T]{name: fmt.Sprintf("exp2 of %v·x", c)}
		f.apply = func(dst, x []T) { Exp2(dst, x, c) }
		f.ref = func(x T) T { return Ref2(T(c * x)) }
		f.edges = []float64{1, above32, least32, 127, -127}
		if num.IsFloat64[T]() {
			f.edges = append(f.edges, above64, least64, 1023, -1023, 1024, -1074, -1075)
		}
		f.regions = [][2]float64{{-20, 20}, {-709, 710}, {706, 712}, {-89, 89}, {86, 89}, {-1, 1}}
		return f
	}
	return []function[T]{exp, exp2(1), exp2(-1.44269504088896), exp2(-41.7)} // the factor −41.7 makes moderate arguments reach both limits of Exp2
}

func TestVectorLevels(t *testing.T) {
	t.Run("f64", vectorLevels[float64])
	t.Run("f32", vectorLevels[float32])
}

func vectorLevels[T num.Float](t *testing.T) {
	seed := uint64(0)
	for _, f := range functions[T]() {
		for _, class := range asmtest.Classes() {
			for _, n := range asmtest.Lengths() {
				seed++
				asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
					f.apply(a.Out(n+3*(n%2)), a.In(n, class))
				})
				asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
					x := a.InOut(n, class)
					f.apply(x, x)
				})
				if t.Failed() {
					t.Fatalf("%s, class %v, n = %d", f.name, class, n)
				}
			}
		}
	}
}

// TestSumExpLevels compares the results of SumExp at all instruction-set levels, with and without
// dst. Some elements of x are equal.
func TestSumExpLevels(t *testing.T) {
	t.Run("f64", sumExpLevels[float64])
	t.Run("f32", sumExpLevels[float32])
}

func sumExpLevels[T num.Float](t *testing.T) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range asmtest.Lengths() {
			for _, scale := range []T{1, 40, 1000} {
				seed++
				in := func(a *asmtest.Arena[T], x []T) []T {
					for i := range x {
						x[i] *= scale
						if a.Rand.IntN(8) == 0 {
							x[i] = x[0]
						}
					}
					return x
				}
				sum := func(a *asmtest.Arena[T], dst, x []T) {
					out := a.Out(3)
					s := Sum[T]{Top: asmtest.Value[T](a.Rand, class)}
					if a.Rand.IntN(4) > 0 {
						s.Top = T(math.Inf(-1))
					}
					SumExp(&s, dst, x)
					out[0], out[1], out[2] = s.Top, s.Rest, s.Count
				}
				asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) { sum(a, a.Out(n+3*(n%2)), in(a, a.InOut(n, class))) })
				asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
					x := in(a, a.InOut(n, class))
					sum(a, x, x)
				})
				asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) { sum(a, nil, in(a, a.InOut(n, class))) })
				if t.Failed() {
					t.Fatalf("class %v, n = %d, scale %v", class, n, scale)
				}
			}
		}
	}
}

// TestSumExpPlaces puts each special value at every position of a vector. The special values
// include the limit below which an exponential is 0, and its neighbors. The last block of the vector
// is partial.
func TestSumExpPlaces(t *testing.T) {
	t.Run("f64", sumExpPlaces[float64])
	t.Run("f32", sumExpPlaces[float32])
}

func sumExpPlaces[T num.Float](t *testing.T) {
	n := 8*num.Lanes[T]() + 11
	limit := T(leastDifference32)
	if num.IsFloat64[T]() {
		limit = T(leastDifference64)
	}
	specials := append(asmtest.Specials[T](), limit, asmtest.Next(limit, 1), asmtest.Next(limit, -1), -1, asmtest.Next[T](-1, 1))
	for k, special := range append(specials, quietNaNs[T]()...) {
		for at := range n {
			if !testdata.IsLong() && at%7 != k%7 {
				continue
			}
			asmtest.Compare(t, uint64(100*k+at), func(a *asmtest.Arena[T]) {
				x := a.InOut(n, asmtest.Unit)
				for i := range x {
					x[i] = -x[i]
				}
				x[(at+17)%n], x[at] = 0, special
				out := a.Out(3)
				s := Sum[T]{Top: T(math.Inf(-1))}
				SumExp(&s, a.Out(n), x)
				out[0], out[1], out[2] = s.Top, s.Rest, s.Count
			})
			if t.Failed() {
				t.Fatalf("%v at %d", special, at)
			}
		}
	}
}

// withNeighbors returns special values, NaNs, and the arguments at which the algorithm of f
// changes. The result also contains the neighbors of these arguments.
func (f function[T]) withNeighbors() []T {
	out := asmtest.Specials[T]()
	for _, x := range f.edges {
		for d := -1; d <= 1; d++ {
			out = append(out, asmtest.Next(T(x), d), asmtest.Next(-T(x), d))
		}
	}
	return append(out, quietNaNs[T]()...)
}

// quietNaNs returns NaNs with different signs and payloads. The kernels compute an integer from the
// bits of a NaN, and the payloads make this integer large, small, positive and negative.
func quietNaNs[T num.Float]() []T {
	var out []T
	for _, b := range []uint64{0, 1, 1 << 31, 0xc0000000, 0xffffffff, 0x7_ffff_ffff_ffff, 1 << 48} {
		for _, sign := range []uint64{0, 1} {
			if num.IsFloat64[T]() {
				out = append(out, T(math.Float64frombits(sign<<63|0x7ff8<<48|b)))
			} else {
				out = append(out, T(math.Float32frombits(uint32(sign)<<31|0x7fc00000|uint32(b)>>10)))
			}
		}
	}
	return out
}

// TestEdgeLanes tests every edge value at every position of a vector of ordinary values. The vector
// has whole blocks and a partial block.
func TestEdgeLanes(t *testing.T) {
	t.Run("f64", edgeLanes[float64])
	t.Run("f32", edgeLanes[float32])
}

func edgeLanes[T num.Float](t *testing.T) {
	const n = 64 + 31
	x := make([]T, n)
	for _, f := range functions[T]()[:2] {
		for _, e := range f.withNeighbors() {
			for at := range n {
				for i := range x {
					x[i] = T(i)/8 - 5
				}
				x[at] = e
				f.check(t, x)
			}
		}
	}
}

// TestManyValues compares every instruction-set level with the reference implementation for 20,000
// random arguments from every region.
func TestManyValues(t *testing.T) {
	t.Run("f64", manyValues[float64])
	t.Run("f32", manyValues[float32])
}

func manyValues[T num.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	x := make([]T, 20_000)
	for _, f := range functions[T]()[:3] {
		for _, r := range f.regions {
			for i := range x {
				x[i] = T(r[0] + (r[1]-r[0])*rng.Float64())
			}
			f.check(t, x)
		}
	}
}

// check compares f at every instruction-set level with the reference implementation.
func (f function[T]) check(t *testing.T, x []T) {
	t.Helper()
	got := make([]T, len(x))
	for lv := range asmtest.Each(t) {
		f.apply(got, x)
		for i := range x {
			if want := f.ref(x[i]); !asmtest.SameBits(got[i], want) {
				t.Fatalf("%s, %v: %v (%#x) at %d gives %v, want %v", f.name, lv, x[i], asmtest.Bits(x[i]), i, got[i], want)
			}
		}
	}
}

func TestShortOutput(t *testing.T) {
	add := function[float64]{name: "sumExp", apply: func(dst, x []float64) { SumExp(new(Sum[float64]), dst, x) }}
	for _, f := range append(functions[float64](), add) {
		t.Run(f.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f.apply(make([]float64, 3), make([]float64, 4))
		})
	}
}

func TestAllocations(t *testing.T) {
	t.Run("f64", allocations[float64])
	t.Run("f32", allocations[float32])
}

func allocations[T num.Float](t *testing.T) {
	for lv := range asmtest.Each(t) {
		if n := asmtest.Allocations(func() {
			var m, x, y, z, w [20]T
			Exp(x[:], x[:])
			Exp2(x[:], x[:], 1)
			LogRows(2, 10, m[:], 10, 1, x[:], y[:], z[:2], z[2:4], w[:10], w[10:])
			LogColumnMax(2, 10, m[:], 10, 1, x[:], y[:])
			LogColumnSum(2, 10, m[:], 10, 1, x[:], y[:], z[:])
			LogPlan(2, 10, w[:], 10, m[:], 10, 1, x[:], y[:])
		}); n != 0 {
			t.Errorf("%v: %v allocations", lv, n)
		}
	}
}

// arena is an asmtest.Arena that also provides costs, potentials and factors with values of one
// asmtest.Class. If missing is set, some potentials are −Inf.
type arena[T num.Float] struct {
	*asmtest.Arena[T]
	class   asmtest.Class
	m, n    int
	missing bool
}

func (a arena[T]) matrix() (mat []T, ldm int) {
	ldm = a.n + a.Rand.IntN(2)*a.Rand.IntN(10)
	return a.In(asmtest.Cells(a.m, a.n, ldm), a.class), ldm
}

func (a arena[T]) potential(n int) []T {
	values := a.InOut(n, a.class)
	for i := range values {
		if a.missing && a.Rand.IntN(4) == 0 {
			values[i] = T(math.Inf(-1))
		}
	}
	return values
}

func (a arena[T]) factor() T {
	c := asmtest.Value[T](a.Rand, a.class)
	if a.class != asmtest.Special && a.class != asmtest.Wide {
		c *= T(a.Rand.IntN(60))
	}
	return c
}

func TestLogRowsLevels(t *testing.T) {
	t.Run("f64", logRowsLevels[float64])
	t.Run("f32", logRowsLevels[float32])
}

func logRowsLevels[T num.Float](t *testing.T) {
	shapes(t, 1, func(a arena[T]) {
		mat, ldm := a.matrix()
		LogRows(a.m, a.n, mat, ldm, a.factor(), a.potential(a.n), a.In(a.m, asmtest.Unit), a.Out(a.m), a.Out(a.m), a.InOut(a.n, a.class), a.Out(a.n))
	})
}

func TestLogColumnMaxLevels(t *testing.T) {
	t.Run("f64", logColumnMaxLevels[float64])
	t.Run("f32", logColumnMaxLevels[float32])
}

func logColumnMaxLevels[T num.Float](t *testing.T) {
	shapes(t, 0, func(a arena[T]) {
		mat, ldm := a.matrix()
		LogColumnMax(a.m, a.n, mat, ldm, a.factor(), a.potential(a.m), a.InOut(a.n, a.class))
	})
}

func TestLogColumnSumLevels(t *testing.T) {
	t.Run("f64", logColumnSumLevels[float64])
	t.Run("f32", logColumnSumLevels[float32])
}

func logColumnSumLevels[T num.Float](t *testing.T) {
	shapes(t, 0, func(a arena[T]) {
		mat, ldm := a.matrix()
		LogColumnSum(a.m, a.n, mat, ldm, a.factor(), a.potential(a.m), a.In(a.n, a.class), a.InOut(a.n, a.class))
	})
}

func TestLogPlanLevels(t *testing.T) {
	t.Run("f64", logPlanLevels[float64])
	t.Run("f32", logPlanLevels[float32])
}

func logPlanLevels[T num.Float](t *testing.T) {
	shapes(t, 0, func(a arena[T]) {
		f, g, c := a.potential(a.m), a.potential(a.n), a.factor()
		ldt := a.n + a.Rand.IntN(2)*a.Rand.IntN(10)
		if a.Rand.IntN(3) == 0 {
			t := a.InOut(asmtest.Cells(a.m, a.n, ldt), a.class)
			LogPlan(a.m, a.n, t, ldt, t, ldt, c, f, g)
			return
		}
		mat, ldm := a.matrix()
		LogPlan(a.m, a.n, a.Out(asmtest.Cells(a.m, a.n, ldt)), ldt, mat, ldm, c, f, g)
	})
}

// shapes compares the results of call between the instruction-set levels, for every value class. The
// numbers of columns are asmtest.Lengths()[least:] and two larger numbers.
func shapes[T num.Float](t *testing.T, least int, call func(a arena[T])) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range append(asmtest.Lengths()[least:], 256, 300) {
			seed++
			asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
				m := a.Rand.IntN(10)
				if n%32 == 0 {
					m = a.Rand.IntN(100)
				}
				call(arena[T]{a, class, m, n, a.Rand.IntN(3) == 0})
			})
			if t.Failed() {
				t.Fatalf("class %v, n = %d", class, n)
			}
		}
	}
}

// TestLogSpecialPlaces checks each special value at each position of a row. The last block of the row
// is partial.
func TestLogSpecialPlaces(t *testing.T) {
	t.Run("f64", logSpecialPlaces[float64])
	t.Run("f32", logSpecialPlaces[float32])
}

func logSpecialPlaces[T num.Float](t *testing.T) {
	for k, special := range asmtest.Specials[T]() {
		for at := range 54 {
			if !testdata.IsLong() && at%5 != k%5 {
				continue
			}
			asmtest.Compare(t, uint64(100*k+at), func(a *asmtest.Arena[T]) {
				const m, n = 2, 54
				mat := a.InOut(m*n, asmtest.Gauss)
				mat[n+at] = special
				potential := func(n int) []T { return a.In(n, asmtest.Gauss) }
				LogRows(m, n, mat, n, 1, potential(n), a.In(m, asmtest.Unit), a.Out(m), a.Out(m), a.InOut(n, asmtest.Gauss), a.Out(n))
				LogColumnMax(m, n, mat, n, 1, potential(m), a.InOut(n, asmtest.Gauss))
				LogColumnSum(m, n, mat, n, 1, potential(m), potential(n), a.InOut(n, asmtest.Gauss))
				LogPlan(m, n, a.Out(m*n), n, mat, n, 1, potential(m), potential(n))
			})
			if t.Failed() {
				t.Fatalf("%v at %d", special, at)
			}
		}
	}
}

// TestLogPieces checks that several assembly calls give the result of a single call of the
// reference implementation.
func TestLogPieces(t *testing.T) {
	t.Run("f64", logPieces[float64])
	t.Run("f32", logPieces[float32])
}

func logPieces[T num.Float](t *testing.T) {
	for lv := range asmtest.Each(t) {
		for _, shape := range [][2]int{{300, 70}, {31, 1003}, {3, 40000}} {
			m, n := shape[0], shape[1]
			t.Run(fmt.Sprintf("%v/%dx%d", lv, m, n), func(t *testing.T) {
				mat, f, g, a, q := asmtest.Random[T](m*n), asmtest.Random[T](m), asmtest.Random[T](n), asmtest.Random[T](m), asmtest.Random[T](n)
				hi, sum, e := make([]T, m), make([]T, m), make([]T, n)
				wantHi, wantSum, wantQ := make([]T, m), make([]T, m), append([]T{}, q...)
				logRowsRef(m, n, mat, n, 7, g, a, wantHi, wantSum, wantQ, e)
				LogRows(m, n, mat, n, 7, g, a, hi, sum, q, e)
				checkEqual(t, "max", hi, wantHi)
				checkEqual(t, "sum", sum, wantSum)
				checkEqual(t, "q", q, wantQ)

				h, wantH := asmtest.Random[T](n), asmtest.Random[T](n)
				logColumnMaxRef(m, n, mat, n, -7, f, wantH)
				LogColumnMax(m, n, mat, n, -7, f, h)
				checkEqual(t, "h", h, wantH)

				s, wantS := asmtest.Random[T](n), asmtest.Random[T](n)
				logColumnSumRef(m, n, mat, n, 7, f, h, wantS)
				LogColumnSum(m, n, mat, n, 7, f, h, s)
				checkEqual(t, "s", s, wantS)

				p, wantP := make([]T, m*n), make([]T, m*n)
				logPlanRef(m, n, wantP, n, mat, n, 7, f, g)
				LogPlan(m, n, p, n, mat, n, 7, f, g)
				checkEqual(t, "plan", p, wantP)
			})
		}
	}
}

func checkEqual[T num.Float](t *testing.T, what string, got, want []T) {
	t.Helper()
	for i := range got {
		if !asmtest.SameBits(got[i], want[i]) {
			t.Fatalf("%s[%d] = %v, in one call %v", what, i, got[i], want[i])
		}
	}
}
