package pass

import (
	"math"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// operands contains the operands of all passes. A pass uses only some of these fields. The field u is also the
// destination of the result s of Sweep and Begin.
type operands[K, T num.Float] struct {
	m, n, ldk, ldm int
	k              []K
	mat            []T
	v, a, w, u, r  []T
	q              []T
}

// A kernel is a pass together with its Go reference implementation.
type kernel[K, T num.Float] struct {
	name string
	run  func(o *operands[K, T])
	ref  func(o *operands[K, T])
}

func kernels[K, T num.Float]() []kernel[K, T] {
	ks := []kernel[K, T]{
		{"Rows", func(o *operands[K, T]) { Rows(o.m, o.n, o.u, o.k, o.ldk, o.v) },
			func(o *operands[K, T]) { rowsRef(o.m, o.n, o.u, o.k, o.ldk, o.v) }},
		{"Columns", func(o *operands[K, T]) { Columns(o.m, o.n, o.q, o.k, o.ldk, o.a) },
			func(o *operands[K, T]) { columnsRef(o.m, o.n, o.q, o.k, o.ldk, o.a) }},
		{"Iterate", func(o *operands[K, T]) { Iterate(o.m, o.n, o.k, o.ldk, o.v, o.a, o.u, o.q) },
			func(o *operands[K, T]) { iterateRef(o.m, o.n, o.k, o.ldk, o.v, o.a, o.u, o.q) }},
		{"Sweep", func(o *operands[K, T]) { Sweep(o.m, o.n, o.k, o.ldk, o.v, o.w, o.u, o.q) },
			func(o *operands[K, T]) { sweepRef(o.m, o.n, o.k, o.ldk, o.v, o.w, o.u, o.q) }},
	}
	if num.IsFloat64[K]() != num.IsFloat64[T]() {
		return ks
	}
	return append(ks, kernel[K, T]{"Begin", func(o *operands[K, T]) {
		Begin(o.m, o.n, any(o.k).([]T), o.ldk, o.mat, o.ldm, o.v, o.a, o.w, o.r, o.u, o.q)
	}, func(o *operands[K, T]) {
		beginRef(o.m, o.n, any(o.k).([]T), o.ldk, o.mat, o.ldm, o.v, o.a, o.w, o.r, o.u, o.q)
	}})
}

// forEachKernel calls f64, f32 or mixed for every kernel, depending on the element types of the
// kernel.
func forEachKernel(t *testing.T, f64 func(*testing.T, kernel[float64, float64]), f32 func(*testing.T, kernel[float32, float32]), mixed func(*testing.T, kernel[float32, float64])) {
	for _, k := range kernels[float64, float64]() {
		t.Run(k.name+"/f64", func(t *testing.T) { f64(t, k) })
	}
	for _, k := range kernels[float32, float32]() {
		t.Run(k.name+"/f32", func(t *testing.T) { f32(t, k) })
	}
	for _, k := range kernels[float32, float64]() {
		t.Run(k.name+"/mixed", func(t *testing.T) { mixed(t, k) })
	}
}

// arenaOperands returns operands for m × n matrices, with random values of class c. It allocates the operands in arena a.
func arenaOperands[K, T num.Float](a *asmtest.Arena[T], m, n int, c asmtest.Class) *operands[K, T] {
	ldk, ldm := n+a.Rand.IntN(2)*a.Rand.IntN(10), n+a.Rand.IntN(2)*a.Rand.IntN(10)
	return &operands[K, T]{
		m: m, n: n, ldk: ldk, ldm: ldm,
		k: asmtest.InOf[K](a, asmtest.Cells(m, n, ldk), c), mat: a.In(asmtest.Cells(m, n, ldm), c),
		v: a.In(n, c), a: a.In(m, c), w: a.In(m, c), u: a.Out(m), r: a.Out(m), q: a.InOut(n, c),
	}
}

func TestLevels(t *testing.T) {
	forEachKernel(t, checkKernel[float64, float64], checkKernel[float32, float32], checkKernel[float32, float64])
}

func checkKernel[K, T num.Float](t *testing.T, k kernel[K, T]) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range append(asmtest.Lengths(), 256, 300) {
			if n == 0 && k.name != "Rows" && k.name != "Columns" {
				continue
			}
			seed++
			asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
				m := a.Rand.IntN(14)
				if n%32 == 0 {
					m = a.Rand.IntN(300)
				} else if n < 130 {
					m = a.Rand.IntN(40)
				}
				k.run(arenaOperands[K](a, m, n, class))
			})
			if t.Failed() {
				t.Fatalf("class %v, n = %d", class, n)
			}
		}
	}
}

// TestMixedIsWidened checks that a float32 K gives the same bits as the same K in float64.
func TestMixedIsWidened(t *testing.T) {
	wide := kernels[float64, float64]()
	for i, k := range kernels[float32, float64]() {
		for seed := range uint64(200) {
			asmtest.Compare(t, seed, func(a *asmtest.Arena[float64]) {
				o := arenaOperands[float32](a, a.Rand.IntN(40), 1+a.Rand.IntN(80), asmtest.Class(seed%5))
				u, q := append([]float64{}, o.u...), append([]float64{}, o.q...)
				wide[i].run(&operands[float64, float64]{m: o.m, n: o.n, ldk: o.ldk, k: asmtest.Widen(o.k), v: o.v, a: o.a, w: o.w, u: u, q: q})
				k.run(o)
				asmtest.SameSlices(t, k.name+": u", o.u, u)
				asmtest.SameSlices(t, k.name+": q", o.q, q)
			})
		}
	}
}

// TestUnderflow compares the instruction-set levels on row sums whose products all underflow to −0. The sum is −0,
// or +0 if the row is padded with zeros.
func TestUnderflow(t *testing.T) {
	forEachKernel(t, underflow[float64, float64], underflow[float32, float32], underflow[float32, float64])
}

func underflow[K, T num.Float](t *testing.T, k kernel[K, T]) {
	for _, n := range asmtest.Lengths()[1:] {
		asmtest.Compare(t, uint64(n), func(a *asmtest.Arena[T]) {
			o := arenaOperands[K](a, 6, n, asmtest.Unit)
			o.k, o.v = make([]K, len(o.k)), make([]T, n)
			asmtest.Set(o.k, -asmtest.Least[K]())
			asmtest.Set(o.v, asmtest.Least[T]())
			k.run(o)
		})
	}
}

// TestPieces compares passes that take several calls of assembly with one call of the Go reference implementation.
func TestPieces(t *testing.T) {
	forEachKernel(t, pieces[float64, float64], pieces[float32, float32], pieces[float32, float64])
}

func pieces[K, T num.Float](t *testing.T, k kernel[K, T]) {
	for _, shape := range [][2]int{{5000, 70}, {301, 1003}, {9, asm.Budget + 5}} {
		o := randomOperands[K, T](shape[0], shape[1])
		want := *o
		want.u, want.r, want.q = make([]T, o.m), make([]T, o.m), append([]T{}, o.q...)
		k.ref(&want)
		for lv := range asmtest.Each(t) {
			got := *o
			got.u, got.r, got.q = make([]T, o.m), make([]T, o.m), append([]T{}, o.q...)
			k.run(&got)
			asmtest.SameSlices(t, lv.String()+": u", got.u, want.u)
			asmtest.SameSlices(t, lv.String()+": r", got.r, want.r)
			asmtest.SameSlices(t, lv.String()+": q", got.q, want.q)
		}
	}
}

// randomOperands returns operands that are uniform in (0, 1].
func randomOperands[K, T num.Float](m, n int) *operands[K, T] {
	return &operands[K, T]{
		m: m, n: n, ldk: n, ldm: n, k: asmtest.Random[K](m * n), mat: asmtest.Random[T](m * n),
		v: asmtest.Random[T](n), a: asmtest.Random[T](m), w: asmtest.Random[T](m),
		u: make([]T, m), r: make([]T, m), q: asmtest.Random[T](n),
	}
}

// TestNoAllocation checks that passes and elementwise operations do not allocate, at any instruction-set level, even
// with slices on the caller's stack.
func TestNoAllocation(t *testing.T) {
	forEachKernel(t, allocations[float64, float64], allocations[float32, float32], allocations[float32, float64])
	t.Run("vec/f64", vectorAllocations[float64])
	t.Run("vec/f32", vectorAllocations[float32])
}

func allocations[K, T num.Float](t *testing.T, k kernel[K, T]) {
	o := randomOperands[K, T](30, 40)
	for lv := range asmtest.Each(t) {
		if a := asmtest.Allocations(func() { k.run(o) }); a != 0 {
			t.Errorf("%v: %v allocations", lv, a)
		}
	}
}

func vectorAllocations[T num.Float](t *testing.T) {
	for lv := range asmtest.Each(t) {
		if a := asmtest.Allocations(func() {
			var k, x, y, q [50]T
			var narrow [50]float32
			var wide [50]float64
			Rows(5, 10, x[:], k[:], 10, y[:])
			Columns(5, 10, q[:], k[:], 10, y[:])
			Iterate(5, 10, k[:], 10, x[:10], y[:], x[10:], q[:])
			Sweep(5, 10, k[:], 10, x[:10], y[:], x[10:], q[:])
			Begin(5, 10, k[:], 10, k[:], 10, x[:10], y[:], y[:], x[10:20], x[20:], q[:])
			Divide(x[:], y[:], x[:])
			CountOutside(x[:], 0, 1)
			Narrow(narrow[:], wide[:])
			Widen(wide[:], narrow[:])
		}); a != 0 {
			t.Errorf("%v: %v allocations", lv, a)
		}
	}
}

// lengths runs f for every class of values and every length n. The function f allocates its slices in the arena a.
func lengths[T num.Float](t *testing.T, f func(a *asmtest.Arena[T], n int, class asmtest.Class)) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range asmtest.Lengths() {
			seed++
			asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) { f(a, n, class) })
			if t.Failed() {
				t.Fatalf("class %v, n = %d", class, n)
			}
		}
	}
}

func TestDivideLevels(t *testing.T) {
	t.Run("f64", divideLevels[float64])
	t.Run("f32", divideLevels[float32])
}

func divideLevels[T num.Float](t *testing.T) {
	lengths(t, func(a *asmtest.Arena[T], n int, class asmtest.Class) {
		Divide(a.Out(n), a.In(n, class), a.In(n, class))
		x := a.InOut(n, class)
		Divide(x, x, a.In(n, class))
		y := a.InOut(n, class)
		Divide(y, a.In(n, class), y)
	})
}

func TestCountOutsideLevels(t *testing.T) {
	t.Run("f64", countOutsideLevels[float64])
	t.Run("f32", countOutsideLevels[float32])
}

func countOutsideLevels[T num.Float](t *testing.T) {
	inf, nan := T(math.Inf(1)), T(math.NaN())
	bounds := [][2]T{
		{-1, 1}, {0, 0.5}, {0.25, 0.25}, {1, -1}, {-inf, inf}, {inf, -inf},
		{nan, 1}, {0, nan}, {asmtest.Next[T](1, -1), asmtest.Next[T](1, 1)},
	}
	lengths(t, func(a *asmtest.Arena[T], n int, class asmtest.Class) {
		x, counts := a.In(n, class), a.Out(len(bounds))
		for i, b := range bounds {
			counts[i] = T(CountOutside(x, b[0], b[1]))
		}
	})
}

// TestNarrowLevels compares the instruction-set levels on values of every class, and on values near the smallest normal
// float32 and near the largest float32.
func TestNarrowLevels(t *testing.T) {
	edges := []float64{math.MaxFloat32, 0x1.ffffffp127, 0x1p-126, 0x1p-149, 1 + 0x1p-24, 1 + 3*0x1p-24}
	lengths(t, func(a *asmtest.Arena[float64], n int, class asmtest.Class) {
		x := a.InOut(n, class)
		for i := range x {
			if e := a.Rand.IntN(3 * len(edges)); e < len(edges) {
				x[i] = asmtest.Next(edges[e], a.Rand.IntN(5)-2)
				if a.Rand.IntN(2) == 0 {
					x[i] = -x[i]
				}
			}
		}
		Narrow(a.Narrow().Out(n), x)
	})
}

func TestWidenLevels(t *testing.T) {
	lengths(t, func(a *asmtest.Arena[float64], n int, class asmtest.Class) {
		Widen(a.Out(n), a.Narrow().In(n, class))
	})
}

// TestVectorPieces compares elementwise operations that take several calls of assembly with the Go reference implementations.
func TestVectorPieces(t *testing.T) {
	t.Run("f64", vectorPieces[float64])
	t.Run("f32", vectorPieces[float32])
}

func vectorPieces[T num.Float](t *testing.T) {
	const n = 2*asm.Budget + 5
	x, y := asmtest.Random[T](n), asmtest.Random[T](n)
	got, want := make([]T, n), make([]T, n)
	narrow, wantNarrow := make([]float32, n), make([]float32, n)
	wide, wantWide := asmtest.Random[float64](n), asmtest.Random[float64](n)
	for lv := range asmtest.Each(t) {
		divideRef(n, want, x, y)
		Divide(got, x, y)
		asmtest.SameSlices(t, lv.String(), got, want)
		if c, w := CountOutside(x, 0.25, 0.75), countOutsideRef(n, x, 0.25, 0.75); c != w {
			t.Errorf("%v: %d outside, in one call %d", lv, c, w)
		}
		narrowRef(n, wantNarrow, wide)
		Narrow(narrow, wide)
		asmtest.SameSlices(t, lv.String(), narrow, wantNarrow)
		widenRef(n, wantWide, narrow)
		Widen(wide, narrow)
		asmtest.SameSlices(t, lv.String(), wide, wantWide)
	}
}
