package matrix

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
)

// mustPanic checks that f panics with the given text, which may be followed by shapes.
func mustPanic(t *testing.T, words string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got, _ := recover().(string); got != words && !strings.HasPrefix(got, words+": ") {
			t.Errorf("panic %q, want %q", got, words)
		}
	}()
	f()
}

// TestOverlap compares Overlap with the common elements of all pairs of small views of one array.
func TestOverlap(t *testing.T) {
	data := make([]float32, 24)
	var views []Matrix[float32]
	for _, stride := range []int{3, 4} {
		for rows := 1; rows <= 3; rows++ {
			for cols := 1; cols <= stride; cols++ {
				for at := 0; at+(rows-1)*stride+cols <= 12; at++ {
					views = append(views, Matrix[float32]{Rows: rows, Cols: cols, Stride: stride, Data: data[at:]})
				}
			}
		}
	}
	for _, a := range views {
		clear(data)
		for i := range a.Rows {
			for j := range a.Cols {
				a.Set(i, j, 1)
			}
		}
		for _, b := range views {
			want := false
			for i := range b.Rows {
				for _, v := range b.Row(i) {
					want = want || v == 1
				}
			}
			got := Overlap(a, b)
			// With different strides, Overlap compares the memory ranges.
			if cautious := a.Stride != b.Stride && a.Rows > 1; got != want && !(got && cautious) {
				t.Fatalf("Overlap(%v, %v) = %v, want %v", describeView(data, a), describeView(data, b), got, want)
			}
		}
	}
	if Overlap(New[float32](2, 2, nil), views[0]) || Overlap(Matrix[float32]{}, views[0]) {
		t.Error("apart, and overlapping")
	}
}

func describeView(data []float32, m Matrix[float32]) string {
	return fmt.Sprintf("%d × %d, stride %d from %d", m.Rows, m.Cols, m.Stride, cap(data)-cap(m.Data))
}

// TestMistakes checks that every operation panics with a clear text if its operands have wrong
// shapes, do not fit their data, or overlap.
func TestMistakes(t *testing.T) {
	m := func(r, c int) Matrix[float64] { return New[float64](r, c, nil) }
	two, twoByThree := m(2, 2), m(2, 3)
	vec := make([]float64, 3)
	for name, f := range map[string]func(dst, a, b Matrix[float64]){
		"Mul":              func(dst, a, b Matrix[float64]) { Mul(dst, a, b, false) },
		"TransMul":         func(dst, a, b Matrix[float64]) { TransMul(dst, a, b, true) },
		"SqEuclidean":      func(dst, a, b Matrix[float64]) { dist.SqEuclidean(dst, a, b) },
		"SqEuclideanTrans": func(dst, a, b Matrix[float64]) { SqEuclideanTrans(dst, a, b) },
		"Gibbs":            func(dst, a, b Matrix[float64]) { dist.Gibbs(dst, a, b, 1) },
		"GibbsTrans":       func(dst, a, b Matrix[float64]) { GibbsTrans(dst, Matrix[float64]{}, a, b, -1) },
		"distances":        func(dst, a, b Matrix[float64]) { GibbsTrans(m(2, 2), dst, a, b, -1) },
		"Transpose":        func(dst, a, _ Matrix[float64]) { Transpose(dst, a) },
		"Exp2":             func(dst, a, _ Matrix[float64]) { Exp2(dst, a, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			big := m(4, 4)
			a := big.RowRange(0, 2).ColRange(0, 2)
			f(two, a, a) // does not panic
			f(big.RowRange(0, 2).ColRange(2, 4), a, a)
			mustPanic(t, asm.ShapePanic, func() { f(twoByThree, a, a) })
			mustPanic(t, asm.OverlapPanic, func() { f(big.RowRange(0, 2).ColRange(1, 3), a, a) })
			if name != "Exp2" {
				mustPanic(t, asm.OverlapPanic, func() { f(a, a, a) })
			}
			for _, bad := range []Matrix[float64]{
				{Rows: 2, Cols: 2, Stride: 2, Data: vec},
				{Rows: 2, Cols: 2, Stride: 1, Data: vec},
				{Rows: 2, Cols: 2, Stride: 1 << 62, Data: vec},
			} {
				mustPanic(t, asm.FitPanic, func() { f(bad, a, a) })
				mustPanic(t, asm.FitPanic, func() { f(two, bad, bad) })
			}
			// The product Rows·Stride overflows int.
			wrap := Matrix[float64]{Rows: 1<<61 + 1, Cols: 8, Stride: 8, Data: make([]float64, 64)}
			mustPanic(t, asm.FitPanic, func() { f(repeatToSquare(wrap), repeatToSquare(wrap), repeatToSquare(wrap)) })
		})
	}
	mustPanic(t, asm.ShapePanic, func() { MulVec(vec, twoByThree, make([]float64, 3)) })
	mustPanic(t, asm.ShapePanic, func() { MulVec(vec, m(3, 2), make([]float64, 3)) })
	mustPanic(t, asm.OverlapPanic, func() { MulVec(vec[:2], twoByThree, vec) })
	mustPanic(t, asm.ShapePanic, func() { Exp(make([]float64, 2), vec) })
}

// repeatToSquare returns m with m.Rows columns. The shapes then agree if all operands of a product are m.
func repeatToSquare(m Matrix[float64]) Matrix[float64] {
	m.Cols = m.Rows
	return m
}
