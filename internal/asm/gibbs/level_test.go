package gibbs

import (
	"math"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// shape is one call: dimensions, what is added to the strides, whether D is kept.
type shape struct {
	m, n, d        int
	gk, gd, gx, gz int
	keep           bool
}

// factors are values of c: of ordinary λ, such that most of K is subnormal or zero,
// that make powers overflow, and those that are not numbers to reckon with.
func factors[T num.Float]() []T {
	most := asmtest.Specials[T]()
	return []T{-1.5, -0.125, -300, -40, 0, 3, 200, most[len(most)-1], most[len(most)-2], most[4], most[5], most[6], most[1]}
}

func compare[T num.Float](t *testing.T, seed uint64, s shape, class asmtest.Class, c T) {
	asmtest.Compare(t, seed, func(a *asmtest.Arena[T], lv asm.Level) {
		ldk, ldd, ldx, ldz := s.n+s.gk, s.n+s.gd, s.d+s.gx, s.n+s.gz
		x := a.In(span(s.m, s.d, ldx), class)
		zt := a.In(span(s.d, s.n, ldz), class)
		k := a.InOut(span(s.m, s.n, ldk)+a.Rand.IntN(3), class)
		var dist []T
		if s.keep {
			dist = a.InOut(span(s.m, s.n, ldd)+a.Rand.IntN(3), class)
		}
		Block(lv, s.m, s.n, s.d, k, ldk, dist, ldd, x, ldx, zt, ldz, c)
	})
	if t.Failed() {
		t.Fatalf("%+v, values %v, c = %v, seed %d", s, class, c, seed)
	}
}

// span is the length of the shortest slice that holds a rows × cols matrix.
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
	cs := factors[T]()
	seed := uint64(0)
	call := func(s shape, class asmtest.Class) {
		seed++
		c := cs[0] // every second time an ordinary one
		if seed%2 == 0 {
			c = cs[seed/2%uint64(len(cs))]
		}
		compare(t, seed, s, class, c)
	}
	classes := asmtest.Classes()
	// every number of columns, of rows, of dimensions in turn; the others small
	for q, n := range asmtest.Lengths() {
		for i, class := range classes {
			v, keep := q+i, (q+i)%2 == 0
			call(shape{m: 1 + v%13, n: n, d: v % 6, gk: v % 3, gd: v % 5, gx: v % 4, gz: v % 7, keep: keep}, class)
			call(shape{m: n, n: 1 + v%19, d: v % 5, gk: v % 4, gd: v % 3, gx: v % 2, gz: v % 3, keep: !keep}, class)
			call(shape{m: v % 15, n: v % 37, d: n, gk: v % 2, gd: v % 3, gx: v % 3, gz: v % 4, keep: keep}, class)
		}
	}
	// whole sizes, and beyond one call's budget
	for _, s := range []shape{
		{m: 100, n: 100, d: 10, keep: true},
		{m: 33, n: 96, d: 64},
		{m: 67, n: 1031, d: 17, keep: true},
		{m: 259, n: 259, d: 2},
	} {
		call(s, asmtest.Gauss)
		call(s, asmtest.Special)
	}
}

// Each special value at each lane of a row, and in x, with each c.
func TestSpecials(t *testing.T) {
	t.Run("float64", testSpecials[float64])
	t.Run("float32", testSpecials[float32])
}

func testSpecials[T num.Float](t *testing.T) {
	const m, n, d = 7, 53, 3
	for i, s := range asmtest.Specials[T]() {
		for q, c := range factors[T]() {
			asmtest.Compare(t, uint64(i), func(a *asmtest.Arena[T], lv asm.Level) {
				for j := q % 2; j < n; j += 2 {
					x, zt := make([]T, m*d), make([]T, d*n)
					asmtest.Fill(a.Rand, x, asmtest.Gauss)
					asmtest.Fill(a.Rand, zt, asmtest.Gauss)
					zt[j%d*n+j] = s
					if j%4 == 0 {
						x[j%m*d+j%d] = s
					}
					Block(lv, m, n, d, a.Out(m*n), n, a.Out(m*n), n, x, d, zt, n, c)
				}
			})
		}
	}
}

// Distances at the border of underflow and their neighbors, at every lane.
func TestUnderflow(t *testing.T) {
	t.Run("float64", testUnderflow[float64])
	t.Run("float32", testUnderflow[float32])
}

func testUnderflow[T num.Float](t *testing.T) {
	const m, n = 7, 41
	least, ulp := 1022.0, T(0x1p-48) // of numbers from 16 to 32
	if !num.IsFloat64[T]() {
		least, ulp = 126, 0x1p-20 // from 8 to 16
	}
	x0 := T(math.Sqrt(least))
	asmtest.Compare(t, 1, func(a *asmtest.Arena[T], lv asm.Level) {
		for at := -60; at < 60; at += n {
			x, zt := make([]T, m), make([]T, n)
			for i := range x {
				x[i] = x0
			}
			for j := range zt {
				zt[j] = T(at+j) * ulp
			}
			Block(lv, m, n, 1, a.Out(m*n), n, a.Out(m*n), n, x, 1, zt, n, -1)
		}
	})
}

// Any cut into blocks of rows and columns has the same bits, at every level, and so
// has K without D.
func TestCut(t *testing.T) {
	t.Run("float64", testCut[float64])
	t.Run("float32", testCut[float32])
}

func testCut[T num.Float](t *testing.T) {
	const m, n, d = 23, 61, 5
	rng := newRand(1)
	x, zt := make([]T, m*d), make([]T, d*n)
	asmtest.Fill(rng, x, asmtest.Gauss)
	asmtest.Fill(rng, zt, asmtest.Gauss)
	for _, lv := range append(asmtest.Levels(t), asm.Ref) {
		whole, cut, dist := make([]T, m*n), make([]T, m*n), make([]T, m*n)
		Block(lv, m, n, d, whole, n, nil, 0, x, d, zt, n, -0.7)
		for range 20 {
			i, j := rng.IntN(m+1), rng.IntN(n+1)
			for _, p := range [][4]int{{0, i, 0, j}, {0, i, j, n}, {i, m, 0, j}, {i, m, j, n}} {
				i0, i1, j0, j1 := p[0], p[1], p[2], p[3]
				if i0 < i1 && j0 < j1 {
					at := i0*n + j0
					Block(lv, i1-i0, j1-j0, d, cut[at:], n, dist[at:], n, x[i0*d:], d, zt[j0:], n, -0.7)
				}
			}
			for q := range whole {
				if !asmtest.SameBits(whole[q], cut[q]) {
					t.Fatalf("%v: cut at row %d, column %d: element %d is %v, of the whole %v", lv, i, j, q, cut[q], whole[q])
				}
			}
		}
	}
}
