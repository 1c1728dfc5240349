package sqdist

import (
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// shape is one call: dimensions, what is added to the strides, and add.
type shape struct {
	m, n, d    int
	gd, gx, gz int
	add        bool
}

func compare[T num.Float](t *testing.T, seed uint64, s shape, c asmtest.Class) {
	asmtest.Compare(t, seed, func(a *asmtest.Arena[T], lv asm.Level) {
		ldd, ldx, ldz := s.n+s.gd, s.d+s.gx, s.n+s.gz
		x := a.In(span(s.m, s.d, ldx), c)
		zt := a.In(span(s.d, s.n, ldz), c)
		dst := a.InOut(span(s.m, s.n, ldd)+a.Rand.IntN(3), c)
		Block(lv, s.m, s.n, s.d, dst, ldd, x, ldx, zt, ldz, s.add)
	})
	if t.Failed() {
		t.Fatalf("%+v, values %v, seed %d", s, c, seed)
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
	seed := uint64(0)
	call := func(s shape, c asmtest.Class) {
		seed++
		compare[T](t, seed, s, c)
	}
	classes := asmtest.Classes()
	// every number of columns, of rows, of dimensions in turn; the others small
	for k, n := range asmtest.Lengths() {
		for i, c := range classes {
			v, add := k+i, (k+i)%2 == 0
			call(shape{m: 1 + v%13, n: n, d: v % 6, gd: v % 3, gx: v % 4, gz: v % 5, add: add}, c)
			call(shape{m: n, n: 1 + v%19, d: v % 5, gd: v % 4, gx: v % 2, gz: v % 3, add: add}, c)
			call(shape{m: v % 15, n: v % 37, d: n, gd: v % 2, gx: v % 3, gz: v % 4, add: add}, c)
		}
	}
	// whole sizes, and beyond one call's budget
	for _, s := range []shape{
		{m: 100, n: 100, d: 10},
		{m: 33, n: 96, d: 256, add: true},
		{m: 5, n: 7, d: 300, gz: 89},
		{m: 67, n: 1031, d: 17},
		{m: 3, n: 259, d: 1031, add: true},
		{m: 1031, n: 3, d: 129},
	} {
		call(s, asmtest.Gauss)
		call(s, asmtest.Special)
	}
}

// Each special value at each lane of a row, and in x.
func TestSpecials(t *testing.T) {
	t.Run("float64", testSpecials[float64])
	t.Run("float32", testSpecials[float32])
}

func testSpecials[T num.Float](t *testing.T) {
	const m, n, d = 7, 53, 3
	for i, s := range asmtest.Specials[T]() {
		asmtest.Compare(t, uint64(i), func(a *asmtest.Arena[T], lv asm.Level) {
			for j := range n {
				x, zt := make([]T, m*d), make([]T, d*n)
				asmtest.Fill(a.Rand, x, asmtest.Gauss)
				asmtest.Fill(a.Rand, zt, asmtest.Gauss)
				zt[j%d*n+j] = s
				if j%4 == 0 {
					x[j%m*d+j%d] = s
				}
				Block(lv, m, n, d, a.Out(m*n), n, x, d, zt, n, false)
			}
		})
	}
}

// A chain cut anywhere has the bits of the whole one, and so has a matrix cut into
// blocks of rows and columns, at every level.
func TestCut(t *testing.T) {
	t.Run("float64", testCut[float64])
	t.Run("float32", testCut[float32])
}

func testCut[T num.Float](t *testing.T) {
	const m, n, d = 23, 61, 70
	a := asmtest.Arena[T]{Rand: newRand(1)}
	x, zt := a.In(m*d, asmtest.Gauss), a.In(d*n, asmtest.Gauss)
	for _, lv := range append(asmtest.Levels(t), asm.Ref) {
		whole, cut := make([]T, m*n), make([]T, m*n)
		Block(lv, m, n, d, whole, n, x, d, zt, n, false)
		for range 20 {
			i, j, k := a.Rand.IntN(m+1), a.Rand.IntN(n+1), a.Rand.IntN(d+1)
			for _, p := range [][4]int{{0, i, 0, j}, {0, i, j, n}, {i, m, 0, j}, {i, m, j, n}} {
				i0, i1, j0, j1 := p[0], p[1], p[2], p[3]
				if i0 == i1 || j0 == j1 {
					continue
				}
				c := cut[i0*n+j0:]
				Block(lv, i1-i0, j1-j0, k, c, n, x[i0*d:], d, zt[j0:], n, false)
				if k < d {
					Block(lv, i1-i0, j1-j0, d-k, c, n, x[i0*d+k:], d, zt[k*n+j0:], n, true)
				}
			}
			for q := range whole {
				if !asmtest.SameBits(whole[q], cut[q]) {
					t.Fatalf("%v: cut at row %d, column %d, k = %d: element %d is %v, of the whole chain %v", lv, i, j, k, q, cut[q], whole[q])
				}
			}
		}
	}
}
