package lane

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/num"
)

// kernels returns functions that run the kernels of this folder on m × n problems. The operands are in
// arena a and have values of class c.
func kernels[T num.Float](a *asmtest.Arena[T], m, n int, c asmtest.Class) map[string]func() {
	w := num.Lanes[T]()
	matrix := func() []T { return a.In(m*n*w, c) }
	interleave := func(cols int) {
		ldd, ldx := n+a.Rand.IntN(3), n+a.Rand.IntN(4)
		var x [num.MaxLanes][]T
		for p := range w {
			x[p] = a.In(max(0, (m-1)*ldx+cols), c)
		}
		Interleave(m, cols, a.InOut(m*ldd*w, c), ldd, &x, ldx)
	}
	return map[string]func(){
		"Rows":    func() { Rows(m, n, a.Out(m*w), matrix(), a.In(n*w, c)) },
		"Columns": func() { Columns(m, n, a.InOut(n*w, c), matrix(), a.In(m*w, c)) },
		"Divide": func() {
			weights, clear := a.InOut(m*w, c), a.Rand.IntN(2) == 0
			for i := range weights {
				if a.Rand.IntN(3) == 0 {
					weights[i] = T(math.Copysign(0, float64(1-a.Rand.IntN(3))))
				}
			}
			lo, hi, outside := a.In(w, asmtest.Unit), a.InOut(w, c), a.InOut(w, asmtest.Unit)
			for p := range hi {
				if a.Rand.IntN(2) == 0 {
					hi[p] = T(math.Inf(1)) // an infinite bound makes it more likely that all values are in range
				}
			}
			for p := range outside {
				outside[p] = 0
			}
			Divide(m, a.Out(m*w), weights, a.In(m*w, c), lo, hi, outside, clear)
		},
		"SqEuclidean": func() {
			d := a.Rand.IntN(4)
			SqEuclidean(m, n, d, a.Out(m*n*w), a.In(m*d*w, c), a.In(n*d*w, c))
		},
		"Mul":                   func() { Mul(m, a.Out(m*w), a.In(m*w, c), a.In(m*w, c), false) },
		"Interleave":            func() { interleave(n - a.Rand.IntN(w)) },
		"Interleave one column": func() { interleave(1) },
		"same":                  func() { Mul(m, a.Out(m*w), a.In(m*w, c), a.In(w, c), true) },
	}
}

// TestLevels checks that every instruction-set level computes the same bits as the Go reference implementation.
func TestLevels(t *testing.T) {
	t.Run("f64", checkLevels[float64])
	t.Run("f32", checkLevels[float32])
}

func checkLevels[T num.Float](t *testing.T) {
	seed := uint64(0)
	// The names are sorted, so every run has the same operands.
	for _, name := range slices.Sorted(maps.Keys(kernels(new(asmtest.Arena[T]), 0, 0, 0))) {
		for _, class := range asmtest.Classes() {
			for _, shape := range [][2]int{{0, 1}, {4, 1}, {4, 2}, {8, 1}, {12, 3}, {32, 4}} {
				seed++
				asmtest.Compare(t, seed, func(a *asmtest.Arena[T]) {
					kernels(a, shape[0], shape[1]*num.Lanes[T](), class)[name]()
				})
				if t.Failed() {
					t.Fatalf("%s, class %v, shape %v", name, class, shape)
				}
			}
		}
	}
}

// TestPieces checks functions that divide their work into several calls of assembly. The results must be
// equal to those of the Go reference implementation, and the functions must not allocate.
func TestPieces(t *testing.T) {
	const m, n = 300, 256
	w := num.Lanes[float64]()
	k, v, u := asmtest.Random[float64](m*n*w), asmtest.Random[float64](n*w), asmtest.Random[float64](m*w)
	want, got := make([]float64, m*n*w), make([]float64, m*n*w)
	var x [num.MaxLanes][]float64
	for p := range w {
		x[p] = k[p*m*n:][:m*n]
	}
	for name, f := range map[string]struct{ do, ref func(out []float64) }{
		"Rows": {
			func(out []float64) { Rows(m, n, out[:m*w], k, v) },
			func(out []float64) { rowsRef(m, n, out[:m*w], k, v) },
		},
		"Columns": {
			func(out []float64) { Columns(m, n, out[:n*w], k, u) },
			func(out []float64) { columnsRef(m, n, out[:n*w], k, u) },
		},
		"Divide": {
			func(out []float64) { Divide(m*n-1, out[w:], k[w:], k, v, u, out[:w], false) },
			func(out []float64) { divideRef(m*n-1, out[w:], k[w:], k, v, u, out[:w], false) },
		},
		"SqEuclidean": {
			func(out []float64) { SqEuclidean(m, n, 1, out, u, v) },
			func(out []float64) { sqEuclideanRef(m, n, 1, out, u, v) },
		},
		"Mul": {
			func(out []float64) { Mul(m*n, out, k, k, false) },
			func(out []float64) { mulRef(m*n, out, k, k, false) },
		},
		"same": {
			func(out []float64) { Mul(m*n, out, k, u, true) },
			func(out []float64) { mulRef(m*n, out, k, u, true) },
		},
		"Interleave": {
			func(out []float64) { Interleave(m, n, out, n, &x, n) },
			func(out []float64) { interleaveRef(m, n, out, n, &x, n) },
		},
	} {
		clear(want)
		f.ref(want)
		for lv := range asmtest.Each(t) {
			clear(got)
			f.do(got)
			asmtest.SameSlices(t, fmt.Sprintf("%s, %v", name, lv), got, want)
			if a := asmtest.Allocations(func() { f.do(got) }); a != 0 && lv != asm.Ref {
				t.Errorf("%s, %v: %v allocations", name, lv, a)
			}
		}
	}
}

// TestShapes checks that the functions panic if an operand is not padded or is too short.
func TestShapes(t *testing.T) {
	x := make([]float64, 4*8*8)
	for name, f := range map[string]func(){
		"rows":      func() { Rows(3, 8, x, x, x) },
		"columns":   func() { Columns(4, 7, x, x, x) },
		"empty":     func() { Rows(4, 0, x, x, x) },
		"matrix":    func() { Rows(8, 8, x, x, x) },
		"vector":    func() { Columns(4, 8, x[:63], x, x) },
		"sums":      func() { Rows(4, 8, x[:31], x, x) },
		"range":     func() { Divide(4, x, x, x, x[:7], x, x, true) },
		"quotients": func() { Divide(33, x, x, x, x, x, x, true) },
		"points":    func() { SqEuclidean(4, 8, 5, x, x, x) },
		"distances": func() { SqEuclidean(4, 8, 1, x[1:], x, x) },
		"factors":   func() { Mul(4, x, x, x[:31], false) },
		"factor":    func() { Mul(4, x, x, x[:7], true) },
		"lanes": func() {
			Interleave(4, 8, x, 8, &[num.MaxLanes][]float64{x, x, x, x, x, x, x, x[:31]}, 8)
		},
		"laid out": func() {
			Interleave(4, 8, x[1:], 8, &[num.MaxLanes][]float64{x, x, x, x, x, x, x, x}, 8)
		},
		"negative": func() { Mul(-1, x, x, x, true) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: taken", name)
				}
			}()
			f()
		}()
	}
}
