package dist

import (
	"math"
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// TestProject compares projections with the documented chains of fused multiply-adds, with every
// instruction set. The matrices have strides, and the offset may be nil.
func TestProject(t *testing.T) {
	t.Run("float64", testProject[float64])
	t.Run("float32", testProject[float32])
}

func testProject[T Float](t *testing.T) {
	rng := asmtest.NewRand(1)
	wide := func(rows, cols, gap int) Matrix[T] {
		return NewMatrix(rows, cols+gap, asmtest.Values[T](rng, rows*(cols+gap), asmtest.Gauss)).ColRange(0, cols)
	}
	for _, s := range [][3]int{{1, 1, 1}, {0, 4, 3}, {3, 0, 2}, {3, 4, 0}, {1, 384, 16}, {9, 33, 3}, {20, 5, 64}, {17, 300, 11}} {
		n, d, c := s[0], s[1], s[2]
		for _, gap := range []int{0, 3} {
			x, p := wide(n, d, gap), wide(d, c, 2*gap)
			for i, offset := range [][]T{nil, asmtest.Values[T](rng, c, asmtest.Gauss)} {
				for lv := range asmtest.Each(t) {
					dst := wide(n, c, gap)
					Project(dst, x, p, offset)
					for r := range n {
						for l := range c {
							var want T
							if i == 1 {
								want = offset[l]
							}
							for k := range d {
								want = num.FMA(x.At(r, k), p.At(k, l), want)
							}
							if got := dst.At(r, l); got != want {
								t.Fatalf("%v, %v, gap %d: element (%d, %d) is %v, want %v", lv, s, gap, r, l, got, want)
							}
						}
					}
				}
			}
		}
	}
}

func TestProjectPanics(t *testing.T) {
	x, p, dst := NewMatrix[float64](4, 3, nil), NewMatrix[float64](3, 2, nil), NewMatrix[float64](4, 2, nil)
	const overlap = "dist: destination overlaps an operand"
	mustPanic(t, "dist: shapes do not match: dst is 3 × 2, x 4 × 3, p 3 × 2", func() { Project(dst.RowRange(0, 3), x, p, nil) })
	mustPanic(t, "dist: shapes do not match: dst is 4 × 2, x 4 × 2, p 3 × 2", func() { Project(dst, x.ColRange(0, 2), p, nil) })
	mustPanic(t, "dist: shapes do not match: dst has 2 columns, offset 3 elements", func() { Project(dst, x, p, make([]float64, 3)) })
	mustPanic(t, overlap, func() { Project(NewMatrix(4, 2, x.Data[:8]), x, p, nil) })
	mustPanic(t, overlap, func() { Project(dst, x, p, dst.Row(3)) })
	mustPanic(t, "dist: matrix does not fit its data", func() { Project(dst, Matrix[float64]{Rows: 4, Cols: 3, Stride: 3, Data: x.Data[:11]}, p, nil) })
	Project(Matrix[float64]{Rows: math.MaxInt}, Matrix[float64]{Rows: math.MaxInt}, Matrix[float64]{}, []float64{}) // returns at once
}

func TestProjectAllocates(t *testing.T) {
	gaussian := func(seed uint64, rows, cols int) Matrix[float32] {
		return NewMatrix(rows, cols, asmtest.Values[float32](asmtest.NewRand(seed), rows*cols, asmtest.Gauss))
	}
	x, p, dst := gaussian(1, 100, 384), gaussian(2, 384, 16), NewMatrix[float32](100, 16, nil)
	if n := asmtest.Allocations(func() {
		var offset [16]float32
		Project(dst, x, p, offset[:])
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
