package project

import (
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// shape describes one call: the dimensions m, p and d, the gaps gx, gp and gy added to the strides of the three matrices,
// and the flag add.
type shape struct {
	m, p, d    int
	gx, gp, gy int
	add        bool
}

func checkShape[T num.Float](t *testing.T, seed uint64, s shape, c asmtest.Class) {
	asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
		ldx, ldb, ldy := s.d+s.gx, s.p+s.gp, s.p+s.gy
		x := a.In(span(s.m, s.d, ldx), c)
		b := a.In(span(s.d, s.p, ldb), c)
		y := a.InOut(span(s.m, s.p, ldy)+a.Rand.IntN(3), c)
		Mul(s.m, s.p, s.d, y, ldy, x, ldx, b, ldb, s.add)
	})
	if t.Failed() {
		t.Fatalf("Mul %+v, values %v, seed %d", s, c, seed)
	}
	asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
		ldx, ldy, ldg := s.d+s.gx, s.p+s.gp, s.d+s.gy
		x := a.In(span(s.m, s.d, ldx), c)
		y := a.In(span(s.m, s.p, ldy), c)
		g := a.InOut(span(s.p, s.d, ldg)+a.Rand.IntN(3), c)
		TransMul(s.m, s.p, s.d, g, ldg, x, ldx, y, ldy, s.add)
	})
	if t.Failed() {
		t.Fatalf("TransMul %+v, values %v, seed %d", s, c, seed)
	}
}

// span returns the length of the shortest slice that contains a rows × cols matrix.
func span(rows, cols, ld int) int {
	if rows == 0 || cols == 0 {
		return 0
	}
	return (rows-1)*ld + cols
}

func TestLevels(t *testing.T) {
	t.Run("float64", testLevels[float64])
	t.Run("float32", testLevels[float32])
}

func testLevels[T num.Float](t *testing.T) {
	seed := uint64(0)
	call := func(s shape, c asmtest.Class) {
		seed++
		checkShape[T](t, seed, s, c)
	}
	classes := asmtest.Classes()
	// Every length is used once as m, once as p and once as d. The two other dimensions are small.
	for k, n := range asmtest.Lengths() {
		for i, c := range classes {
			v, add := k+i, (k+i)%2 == 0
			call(shape{m: n, p: 1 + v%21, d: v % 6, gx: v % 3, gp: v % 4, gy: v % 5, add: add}, c)
			call(shape{m: 1 + v%19, p: n, d: v % 5, gx: v % 4, gp: v % 2, gy: v % 3, add: add}, c)
			call(shape{m: v % 17, p: v % 15, d: n, gx: v % 2, gp: v % 3, gy: v % 4, add: add}, c)
		}
	}
	// These sizes fill whole tiles or need several calls of an assembly function.
	for _, s := range []shape{
		{m: 100, p: 10, d: 300},
		{m: 33, p: 20, d: 784, add: true},
		{m: 5, p: 14, d: 300, gp: 2},
		{m: 1031, p: 3, d: 67},
		{m: 3, p: 131, d: 517, add: true},
		{m: 259, p: 64, d: 129},
	} {
		call(s, asmtest.Gauss)
		call(s, asmtest.Special)
	}
}

// TestSpecials checks each special value at each position of a short problem.
func TestSpecials(t *testing.T) {
	t.Run("float64", testSpecials[float64])
	t.Run("float32", testSpecials[float32])
}

func testSpecials[T num.Float](t *testing.T) {
	const m, p, d = 9, 27, 3
	for i, s := range asmtest.Specials[T]() {
		asmtest.Compare(t, uint64(i), func(a *asmtest.Arena[T]) {
			for j := range p {
				x, b := make([]T, m*p), make([]T, d*p)
				asmtest.Fill(a.Rand, x, asmtest.Gauss)
				asmtest.Fill(a.Rand, b, asmtest.Gauss)
				b[j%d*p+j] = s
				if j%4 == 0 {
					x[j%m*d+j%d] = s
				}
				Mul(m, p, d, a.Out(m*p), p, x, d, b, p, false)
				TransMul(d, m, p, a.Out(m*p), p, b, p, x, m, false)
			}
		})
	}
}

// TestCut checks that a sum computed by two calls has the same bits as a sum computed by one call, at every
// instruction-set level.
func TestCut(t *testing.T) {
	t.Run("float64", testCut[float64])
	t.Run("float32", testCut[float32])
}

func testCut[T num.Float](t *testing.T) {
	const m, p, d = 43, 11, 70
	rng := asmtest.NewRand(1)
	x, b, y := make([]T, m*d), make([]T, d*p), make([]T, m*p)
	asmtest.Fill(rng, x, asmtest.Gauss)
	asmtest.Fill(rng, b, asmtest.Gauss)
	asmtest.Fill(rng, y, asmtest.Gauss)
	// A copy of x with a large row stride makes TransMul sum fewer rows per call of assembly.
	const ld = 1 << 16
	apart := make([]T, span(m, d, ld))
	for i := range m {
		copy(apart[i*ld:], x[i*d:][:d])
	}
	for range asmtest.Each(t) {
		whole, cut := make([]T, m*p), make([]T, m*p)
		Mul(m, p, d, whole, p, x, d, b, p, false)
		tWhole, tCut := make([]T, p*d), make([]T, p*d)
		TransMul(m, p, d, tWhole, d, x, d, y, p, false)
		TransMul(m, p, d, tCut, d, apart, ld, y, p, false)
		checkSame(t, m, tCut, tWhole)
		for range 20 {
			k := 1 + rng.IntN(d-1)
			Mul(m, p, k, cut, p, x, d, b, p, false)
			Mul(m, p, d-k, cut, p, x[k:], d, b[k*p:], p, true)
			checkSame(t, k, cut, whole)
			i := 1 + rng.IntN(m-1)
			TransMul(i, p, d, tCut, d, x, d, y, p, false)
			TransMul(m-i, p, d, tCut, d, x[i*d:], d, y[i*p:], p, true)
			checkSame(t, i, tCut, tWhole)
		}
	}
}

func checkSame[T num.Float](t *testing.T, at int, got, want []T) {
	t.Helper()
	for i := range want {
		if !asmtest.SameBits(got[i], want[i]) {
			t.Fatalf("%v: cut at %d: element %d is %v, of the whole chain %v", asm.Current(), at, i, got[i], want[i])
		}
	}
}

// panelShape describes one call of Panel. gap is the padding between the rows of y. begin means that the argument r is not
// nil, and find means that the arguments f and h are not nil.
type panelShape struct {
	m, d, gap   int
	begin, find bool
}

func TestPanelLevels(t *testing.T) {
	t.Run("float64", testPanelLevels[float64])
	t.Run("float32", testPanelLevels[float32])
}

func testPanelLevels[T num.Float](t *testing.T) {
	seed, w := uint64(0), PanelColumns[T]()
	call := func(s panelShape, c asmtest.Class) {
		seed++
		asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
			ldy := w + s.gap
			x, b := a.In(s.m*s.d, c), a.In(s.d*w, c)
			var r, f, h []T
			if s.begin {
				r = a.In(s.m, c)
			}
			if s.find {
				f, h = a.In(s.m, c), a.InOut(w, c)
			}
			Panel(s.m, s.d, a.InOut(span(s.m, w, ldy), c), ldy, x, b, r, a.In(w, c), f, h)
		})
		if t.Failed() {
			t.Fatalf("%+v, values %v, seed %d", s, c, seed)
		}
	}
	for i, c := range asmtest.Classes() {
		for m := 0; m <= 12; m += 4 {
			for d := range 14 {
				v := d + i
				call(panelShape{m: m, d: d, gap: v % 4, begin: v%2 == 0, find: v/2%2 == 0}, c)
			}
		}
		call(panelShape{m: 96, d: 264, begin: true, find: true}, c)
		call(panelShape{m: 64, d: 600, find: true}, c) // needs several calls
	}
}

// TestPanelIsMul checks that Panel and Mul compute the same bits.
func TestPanelIsMul(t *testing.T) {
	const m, d = 12, 37
	rng := asmtest.NewRand(3)
	w := PanelColumns[float64]()
	x, b, r, s := make([]float64, m*d), make([]float64, d*w), make([]float64, m), make([]float64, w)
	for _, v := range [][]float64{x, b, r, s} {
		asmtest.Fill(rng, v, asmtest.Gauss)
	}
	a, want, got := make([]float64, m*d), make([]float64, m*w), make([]float64, m*w)
	for i := range m {
		for j := range w {
			want[i*w+j] = r[i] + s[j]
		}
	}
	Mul(m, w, d, want, w, x, d, b, w, true)
	for i := 0; i < m; i += 4 {
		Pack(d, a[i*d:], 4, x[i*d:], d, 1)
	}
	f, h := make([]float64, m), make([]float64, w)
	Panel(m, d, got, w, a, b, r, s, f, h)
	checkSame(t, 0, got, want)
	for j := range h {
		most := 0.0
		for i := range m {
			most = max(most, -got[i*w+j])
		}
		if h[j] != most {
			t.Fatalf("h[%d] = %v, want %v", j, h[j], most)
		}
	}
}

func TestNormsLevels(t *testing.T) {
	t.Run("float64", testNormsLevels[float64])
	t.Run("float32", testNormsLevels[float32])
}

func testNormsLevels[T num.Float](t *testing.T) {
	rows := NormRows[T]()
	for i, c := range asmtest.Classes() {
		for j, d := range append(asmtest.Lengths(), asm.Budget/rows+3) { // the last length needs several calls of assembly
			ldx := d + (i+j)%4
			asmtest.Compare(t, uint64(i+j), func(a *asmtest.Arena[T]) {
				Norms(d, a.InOut(rows, c), a.In(span(rows, d, ldx), c), ldx, (i+j)%3 == 0)
			})
			if t.Failed() {
				t.Fatalf("d = %d, ldx %d, values %v", d, ldx, c)
			}
		}
	}
}

func TestPackLevels(t *testing.T) {
	t.Run("float64", testPackLevels[float64])
	t.Run("float32", testPackLevels[float32])
}

func testPackLevels[T num.Float](t *testing.T) {
	seed := uint64(0)
	for i, c := range asmtest.Classes() {
		for _, d := range asmtest.Lengths() {
			seed++
			step, ldx := 4+(d+i)%3*5, d+i%4
			asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
				Pack(d, a.InOut(span(d, 4, step), c), step, a.In(span(4, d, ldx), c), ldx, -2)
			})
			if t.Failed() {
				t.Fatalf("d = %d, step %d, ldx %d, values %v", d, step, ldx, c)
			}
		}
	}
}
