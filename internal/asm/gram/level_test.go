package gram

import (
	"slices"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/testdata"
)

// shape describes one call: dimensions, gaps added to the strides, the number of rows that x and z
// have in common, and whether z is transposed.
type shape struct {
	m, n, d    int
	gd, gx, gz int
	shared     int
	trans      bool
	plain      bool // x has ordinary values, and only z has values of the tested class
}

func checkShape[T num.Float](t *testing.T, seed uint64, s shape, c asmtest.Class) {
	asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
		ldd, ldx, ldz := s.n+s.gd, s.d+s.gx, s.d+s.gz
		class := c
		if s.plain {
			class = asmtest.Gauss
		}
		x := a.InOut(asmtest.Cells(s.m, s.d, ldx), class)
		rows, cols := s.n, s.d
		if s.trans {
			rows, cols, ldz = s.d, s.n, s.n+s.gz
		}
		z := a.InOut(asmtest.Cells(rows, cols, ldz), c)
		for j := range min(s.shared, s.m, s.n) {
			for k := range s.d {
				if s.trans {
					z[k*ldz+j] = x[j*ldx+k]
				} else {
					z[j*ldz+k] = x[j*ldx+k]
				}
			}
		}
		dst := a.InOut(asmtest.Cells(s.m, s.n, ldd)+a.Rand.IntN(3), c)
		if s.trans {
			SqEuclideanTrans(s.m, s.n, s.d, dst, ldd, x, ldx, z, ldz)
		} else {
			SqEuclidean(s.m, s.n, s.d, dst, ldd, x, ldx, z, ldz)
		}
	})
	if t.Failed() {
		t.Fatalf("%+v, values %v, seed %d", s, c, seed)
	}
}

func TestLevels(t *testing.T) {
	t.Run("float64", testLevels[float64])
	t.Run("float32", testLevels[float32])
}

// TestLevelsOfOtherCPU runs TestLevels with the size tables of other CPUs.
func TestLevelsOfOtherCPU(t *testing.T) {
	if !slices.Contains(asm.Available(), asm.AVX512) {
		t.Skip("the tables of machines differ in AVX-512's forms only")
	}
	asmtest.OtherMachines(t, TestLevels)
}

func testLevels[T num.Float](t *testing.T) {
	seed := uint64(0)
	call := func(s shape, c asmtest.Class) {
		seed++
		checkShape[T](t, seed, s, c)
	}
	for k, n := range asmtest.Lengths() {
		for i, c := range asmtest.Classes() {
			v := k + i
			if v%3 != 0 && !testdata.IsLong() {
				continue
			}
			call(shape{m: v % 15, n: n, d: v % 6, gd: v % 3, gx: v % 4, gz: v % 5, trans: v%2 == 0, shared: v % 3}, c)
			call(shape{m: n, n: 1 + v%19, d: v % 70, gd: v % 4, gx: v % 2, gz: v % 3, trans: v%2 == 1, shared: v % 4}, c)
			call(shape{m: v % 15, n: v % 37, d: n, gd: v % 2, gx: v % 3, gz: v % 4, trans: v%2 == 0, shared: v % 5}, c)
		}
	}
	// In most of these shapes, the last panel has fewer than PanelColumns columns.
	for k := range 24 {
		call(shape{m: k%13 + 1, n: panelColumns64 + k, d: k % 7, gd: k % 3, gx: k % 4, gz: k % 5, shared: k % 3}, asmtest.Classes()[k%len(asmtest.Classes())])
	}
	// Only z has extreme values; x has ordinary values (see shape.plain).
	for _, c := range []asmtest.Class{asmtest.Special, asmtest.Wide} {
		call(shape{m: 30, n: 65, d: 64, plain: true}, c)
		call(shape{m: 30, n: panelColumns64, d: 64, plain: true}, c)
		call(shape{m: 30, n: 65, d: 3, plain: true, trans: true}, c)
		call(shape{m: 30, n: 65, d: 1, plain: true, shared: 10}, c)
		call(shape{m: 3, n: panelBlock + 9, d: 2}, c) // every column contains a close pair
	}
	// These shapes have several blocks, or blocks in which all pairs are close.
	for _, s := range []shape{
		{m: blockRows + 5, n: 61, d: 2*depth + 3, shared: 4},
		{m: 2*blockRows + 3, n: maxGathered + 13, d: 65, shared: 200, trans: true},
		{m: blockRows + 20, n: 2*maxGathered + 3, d: depth + 70, shared: 200, gx: 1},
		{m: blockRows + 2, n: maxGathered + 7, d: depth + 9, shared: 1, gx: 1, trans: true},
		{m: 3, n: block + 50, d: 66, shared: 2},
		{m: 20, n: block + 7, d: 64, trans: true, gz: 3},
		{m: manyRows + 7, n: 27, d: depth + 9, shared: 3, gd: 1},
		{m: manyRows + 7, n: panelColumns32 + 3, d: depth + 9, shared: 3, gd: 1}, // panels in float32
		{m: blockRows + 5, n: panelColumns64 + 5, d: 2*depth + 3, shared: 4},
		{m: manyRows + 7, n: panelColumns64 + 3, d: depth + 9, shared: 3, gd: 1},
	} {
		if s.m*s.n > 1<<18 && !testdata.IsLong() {
			continue
		}
		call(s, asmtest.Gauss)
		call(s, asmtest.Unit)
		if testdata.IsLong() {
			call(s, asmtest.Special)
		}
	}
}

// TestSelf checks that the distances between the rows of one matrix are symmetric and have the same
// bits as the distances to the rows of a copy.
func TestSelf(t *testing.T) {
	t.Run("float64", testSelf[float64])
	t.Run("float32", testSelf[float32])
}

func testSelf[T num.Float](t *testing.T) {
	for _, s := range [][2]int{{1, 64}, {blockRows + 1, 70}, {2*blockRows + 4, 65}, {60, 2*depth + 1}, {panelColumns64 + 9, 2*depth + 1}, {block + 40, 3}, {2*Unit + 5, packedElements / Unit}, {panelBlock + 5, 3}} {
		n, d := s[0], s[1]
		x := asmtest.Values[T](asmtest.NewRand(1), n*(d+1), asmtest.Gauss)
		z := append([]T(nil), x...)
		got, want := make([]T, n*n), make([]T, n*n)
		SqEuclidean(n, n, d, got, n, x, d+1, x, d+1)
		SqEuclidean(n, n, d, want, n, x, d+1, z, d+1)
		for i := range n {
			for j := range n {
				switch v := got[i*n+j]; {
				case v != want[i*n+j] || v != got[j*n+i]:
					t.Fatalf("%d × %d: D[%d, %d] = %v, transposed %v, with a copy %v", n, d, i, j, v, got[j*n+i], want[i*n+j])
				case (v == 0) != (i == j):
					t.Fatalf("%d × %d: D[%d, %d] = %v", n, d, i, j, v)
				}
			}
		}
	}
}

// TestColumns checks that Columns.SqEuclidean computes the same bits for a block of distances as
// SqEuclidean computes for the whole matrix.
func TestColumns(t *testing.T) {
	t.Run("float64", testColumns[float64])
	t.Run("float32", testColumns[float32])
}

func testColumns[T num.Float](t *testing.T) {
	const m, n, d = blockRows + 5, panelBlock + 5*Unit + 11, 19
	for _, class := range []asmtest.Class{asmtest.Gauss, asmtest.Unit} {
		if !testdata.IsLong() && (class == asmtest.Gauss) != num.IsFloat64[T]() {
			continue // this class is tested with the other element type
		}
		x, z := asmtest.Values[T](asmtest.NewRand(1), m*d, class), asmtest.Values[T](asmtest.NewRand(2), n*d, class)
		copy(z[5*d:], x[:20*d])
		for lv := range asmtest.Each(t) {
			whole := make([]T, m*n)
			SqEuclidean(m, n, d, whole, n, x, d, z, d)
			var c Columns[T]
			c.Reset(n, d, z, d)
			c.Pack(0, Unit)
			c.Pack(Unit, n)
			for _, p := range [][4]int{{0, m, 0, n}, {3, 4, 0, 10}, {7, 20, block, Unit}, {7, 46, 3 * Unit, block + 1}, {0, 1, panelBlock + 5*Unit, 11}, {40, 13, Unit, panelBlock + 4*Unit + 11}, {0, m, 0, 1}} {
				i, rows, j, cols := p[0], min(p[1], m-p[0]), p[2], p[3]
				part := make([]T, rows*cols)
				c.SqEuclidean(j, rows, cols, part, cols, x[i*d:], d)
				for r := range rows {
					for q := range cols {
						if got, want := part[r*cols+q], whole[(i+r)*n+j+q]; got != want {
							t.Fatalf("%v, %v: rows from %d, columns from %d: D[%d, %d] = %v, of the whole %v", lv, p, i, j, r, q, got, want)
						}
					}
				}
			}
		}
	}
}

// TestAllocations checks that a call allocates only memory that later calls reuse.
func TestAllocations(t *testing.T) {
	const n, d = 60, 70
	x, z, dst := make([]float32, n*d), make([]float32, n*d), make([]float32, n*n)
	for name, f := range map[string]func(){
		"SqEuclidean":      func() { SqEuclidean(n, n, d, dst, n, x, d, z, d) },
		"SqEuclideanTrans": func() { SqEuclideanTrans(n, n, d, dst, n, x, d, z, n) },
	} {
		if got := asmtest.Allocations(f); got > 0 {
			t.Errorf("%s makes %v allocations", name, got)
		}
	}
}

// TestMistakes checks that wrong sizes cause a panic before the output is changed.
func TestMistakes(t *testing.T) {
	var c Columns[float64]
	x := make([]float64, 100*64)
	c.Reset(100, 64, x, 64)
	for name, f := range map[string]func(){
		"a place that is no multiple of Unit": func() { c.SqEuclidean(5, 1, 10, make([]float64, 10), 10, x, 64) },
		"too many columns":                    func() { c.SqEuclidean(Unit, 1, 100, make([]float64, 100), 100, x, 64) },
		"Pack from within a unit":             func() { c.Pack(3, 100) },
		"Pack beyond the end":                 func() { c.Pack(0, 2*Unit+Unit) },
		"z too short":                         func() { c.Reset(101, 64, x, 64) },
		"dst too short":                       func() { SqEuclidean(2, 2, 64, make([]float64, 3), 2, x, 64, x, 64) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
