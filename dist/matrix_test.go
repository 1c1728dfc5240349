package dist

import (
	"math"
	"testing"

	"github.com/gomonge/monge/internal/asm"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// mustPanic checks that f panics with the given text.
func mustPanic(t *testing.T, words string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != words {
			t.Errorf("panic %v, want %q", got, words)
		}
	}()
	f()
}

// TestIndices checks that indices in range work for all strides, and that other indices panic with
// a clear message, even if products of indices and strides overflow.
func TestIndices(t *testing.T) {
	m := Matrix[float64]{Rows: 3, Cols: 2, Stride: 4, Data: []float64{0, 1, -1, -1, 10, 11, -1, -1, 20, 21}}
	for i := range m.Rows {
		for j := range m.Cols {
			want := float64(10*i + j)
			if m.At(i, j) != want || m.Row(i)[j] != want || m.RowRange(i, 3).At(0, j) != want || m.ColRange(j, 2).At(i, 0) != want {
				t.Errorf("(%d, %d): %v, %v, %v, %v", i, j, m.At(i, j), m.Row(i)[j], m.RowRange(i, 3).At(0, j), m.ColRange(j, 2).At(i, 0))
			}
		}
	}
	if r := m.RowRange(0, 2); len(r.Data) != 6 || cap(r.Data) != 6 || len(m.Row(0)) != 2 || cap(m.Row(0)) != 2 {
		t.Errorf("views reach beyond their elements: %d of %d, %d of %d", len(r.Data), cap(r.Data), len(m.Row(0)), cap(m.Row(0)))
	}
	if r := m.RowRange(3, 3); !r.IsEmpty() || m.ColRange(2, 2).Cols != 0 {
		t.Error("an empty range is not empty")
	}
	empty := Matrix[float64]{Rows: 3}
	if empty.Row(2) != nil || !empty.Fits() || empty.RowRange(1, 3).Rows != 2 {
		t.Error("a matrix without columns")
	}

	wrapped := Matrix[float64]{Rows: 1<<61 + 1, Cols: 8, Stride: 8, Data: make([]float64, 64)}
	for _, i := range []int{-1, 3, 1 << 61, 1 << 62, math.MinInt} {
		mustPanic(t, indexPanic, func() { m.At(i, 0) })
		mustPanic(t, indexPanic, func() { m.Set(i, 0, 1) })
		mustPanic(t, indexPanic, func() { m.Row(i) })
		mustPanic(t, indexPanic, func() { m.RowRange(i, i+1) })
		mustPanic(t, indexPanic, func() { m.RowRange(1, i+1) })
		mustPanic(t, indexPanic, func() { empty.Row(i) })
		if i > 8 || i < 0 {
			mustPanic(t, indexPanic, func() { wrapped.At(i, 0) })
			mustPanic(t, indexPanic, func() { wrapped.Row(i) })
		}
	}
	for _, j := range []int{-1, 2, math.MaxInt, math.MinInt} {
		mustPanic(t, indexPanic, func() { m.At(0, j) })
		mustPanic(t, indexPanic, func() { m.Set(2, j, 1) })
	}
	mustPanic(t, indexPanic, func() { m.ColRange(-1, 1) })
	mustPanic(t, indexPanic, func() { m.ColRange(0, 3) })
	mustPanic(t, indexPanic, func() { m.ColRange(2, 1) })
	mustPanic(t, indexPanic, func() { m.RowRange(2, 1) })
	for _, bad := range []Matrix[float64]{
		wrapped,
		{Rows: 3, Cols: 2, Stride: 1, Data: m.Data},
		{Rows: 3, Cols: 2, Stride: 5, Data: m.Data},
		{Rows: -1, Cols: 2, Stride: 2, Data: m.Data},
		{Rows: 1, Cols: -2, Stride: 2, Data: m.Data},
		{Rows: 2, Cols: 2, Stride: -2, Data: m.Data},
	} {
		if bad.Fits() {
			t.Errorf("%d × %d, stride %d, fits %d elements", bad.Rows, bad.Cols, bad.Stride, len(bad.Data))
		}
		mustPanic(t, asm.FitPanic, bad.Check)
		mustPanic(t, asm.FitPanic, func() { bad.RowRange(0, 0) })
		mustPanic(t, asm.FitPanic, func() { bad.ColRange(0, 0) })
	}
}

func TestNewMatrix(t *testing.T) {
	if m := NewMatrix(2, 3, []float64{1, 2, 3, 4, 5, 6}); m.At(1, 2) != 6 || m.Stride != 3 {
		t.Errorf("NewMatrix: %+v", m)
	}
	if m := NewMatrix[float32](4, 0, nil); !m.IsEmpty() || m.Data == nil {
		t.Errorf("New without columns: %+v", m)
	}
	mustPanic(t, asm.FitPanic, func() { NewMatrix(2, 2, make([]float64, 3)) })
	mustPanic(t, asm.FitPanic, func() { NewMatrix(0, 2, make([]float64, 3)) })
	for _, s := range [][2]int{{-1, 2}, {2, -1}, {-2, -2}, {1 << 61, 8}, {1 << 32, 1 << 32}, {math.MaxInt, math.MaxInt}, {1 << 60, 1}} {
		mustPanic(t, sizePanic, func() { NewMatrix[float64](s[0], s[1], nil) })
		mustPanic(t, sizePanic, func() { NewMatrix(s[0], s[1], []float64{1}) })
	}
}

// TestGonum checks that conversions from and to gonum matrices, including views, share the
// elements.
func TestGonum(t *testing.T) {
	a := mat.NewDense(3, 4, nil)
	x := Matrix[float64](a.Slice(1, 3, 1, 4).(*mat.Dense).RawMatrix())
	x.Set(1, 2, 7)
	if x.Rows != 2 || x.Cols != 3 || x.Stride != 4 || a.At(2, 3) != 7 {
		t.Errorf("%d × %d, stride %d; a[2][3] = %v, want 7", x.Rows, x.Cols, x.Stride, a.At(2, 3))
	}
	back := new(mat.Dense)
	back.SetRawMatrix(blas64.General(x))
	back.Set(0, 0, 5)
	if r, c := back.Dims(); r != 2 || c != 3 || a.At(1, 1) != 5 {
		t.Errorf("%d × %d, a[1][1] = %v, want 5", r, c, a.At(1, 1))
	}
	if n := testing.AllocsPerRun(10, func() {
		x := Matrix[float64](a.RawMatrix())
		back.SetRawMatrix(blas64.General(x))
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
