package query

import (
	"testing"

	"github.com/gomonge/monge/internal/asm/asmtest"
)

// sizes are the numbers of rows and columns that the tests try: one to three turns of each loop,
// and more.
var sizes = struct{ n, d []int }{[]int{0, 8, 16, 24, 40}, []int{0, 16, 32, 48, 64, 384}}

// TestLevels compares every level with the definition, for all sizes and classes of values.
func TestLevels(t *testing.T) {
	seed := uint64(0)
	for _, class := range asmtest.Classes() {
		for _, n := range sizes.n {
			for _, d := range sizes.d {
				for range 3 { // every kind of memory
					seed++
					asmtest.Compare(t, seed, func(a *asmtest.Arena[float32]) {
						SqEuclidean(a.Out(n), a.In(d, class), a.In(n*d, class))
					})
					asmtest.Compare(t, seed, func(a *asmtest.Arena[float32]) {
						Dot(a.Out(n), a.In(d, class), a.In(n*d, class))
					})
				}
				if t.Failed() {
					t.Fatalf("class %v, n = %d, d = %d", class, n, d)
				}
			}
		}
	}
}

// TestLanes: every element goes to its own lane of its own row. The squares of lane l are so
// large that the sum tells the order of the folds.
func TestLanes(t *testing.T) {
	const n, d = 8, 32
	x, q, got, want := make([]float32, n*d), make([]float32, d), make([]float32, n), make([]float32, n)
	for lv := range asmtest.Each(t) {
		for i := range n {
			for k := range d {
				clear(x)
				for at := range q {
					q[at] = 1 + float32(at)/7
					x[i*d+at] = float32(at*at)/3 - float32(i)
				}
				x[i*d+k] = 3e7
				sqEuclideanRef(want, q, x)
				if SqEuclidean(got, q, x); got[i] != want[i] {
					t.Fatalf("%v: squared distance of row %d: %v, want %v", lv, i, got[i], want[i])
				}
				dotRef(want, q, x)
				if Dot(got, q, x); got[i] != want[i] {
					t.Fatalf("%v: product of row %d: %v, want %v", lv, i, got[i], want[i])
				}
			}
		}
	}
}

// TestPieces: a result depends on its row alone, also where the rows take several calls of the
// assembly.
func TestPieces(t *testing.T) {
	const n, d = 1400, 192
	x, q := asmtest.Random[float32](n*d), asmtest.Random[float32](d + 5)[5:]
	got, want := make([]float32, n), make([]float32, n)
	for lv := range asmtest.Each(t) {
		for _, f := range []func(dst, q, x []float32){SqEuclidean, Dot} {
			f(got, q, x)
			for i := 0; i < n; i += Rows {
				f(want[i:i+Rows], q, x[i*d:])
			}
			for i := range got {
				if got[i] != want[i] || got[i] == 0 {
					t.Fatalf("%v: row %d: %v, want %v", lv, i, got[i], want[i])
				}
			}
		}
	}
}

func TestPanics(t *testing.T) {
	for _, f := range []func(){
		func() { SqEuclidean(make([]float32, 7), make([]float32, 16), make([]float32, 8*16)) },
		func() { Dot(make([]float32, 8), make([]float32, 15), make([]float32, 8*16)) },
		func() { Dot(make([]float32, 8), make([]float32, 16), make([]float32, 8*16-1)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
}
