package matrix

import (
	"fmt"
	"math"
	"testing"
)

// panics demands that f panics with these words.
func panics(t *testing.T, words string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != words {
			t.Errorf("panic %v, want %q", got, words)
		}
	}()
	f()
}

// TestIndices: what is inside is reached, whatever the strides, and what is not panics
// with a sentence, also where products of indices and strides wrap.
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
		panics(t, indexPanic, func() { m.At(i, 0) })
		panics(t, indexPanic, func() { m.Set(i, 0, 1) })
		panics(t, indexPanic, func() { m.Row(i) })
		panics(t, indexPanic, func() { m.RowRange(i, i+1) })
		panics(t, indexPanic, func() { m.RowRange(1, i+1) })
		panics(t, indexPanic, func() { empty.Row(i) })
		if i > 8 || i < 0 {
			panics(t, indexPanic, func() { wrapped.At(i, 0) })
			panics(t, indexPanic, func() { wrapped.Row(i) })
		}
	}
	for _, j := range []int{-1, 2, math.MaxInt, math.MinInt} {
		panics(t, indexPanic, func() { m.At(0, j) })
		panics(t, indexPanic, func() { m.Set(2, j, 1) })
	}
	panics(t, indexPanic, func() { m.ColRange(-1, 1) })
	panics(t, indexPanic, func() { m.ColRange(0, 3) })
	panics(t, indexPanic, func() { m.ColRange(2, 1) })
	panics(t, indexPanic, func() { m.RowRange(2, 1) })
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
		panics(t, fitPanic, bad.Check)
		panics(t, fitPanic, func() { bad.RowRange(0, 0) })
		panics(t, fitPanic, func() { bad.ColRange(0, 0) })
	}
}

func TestNew(t *testing.T) {
	if m := New(2, 3, []float64{1, 2, 3, 4, 5, 6}); m.At(1, 2) != 6 || m.Stride != 3 {
		t.Errorf("New: %+v", m)
	}
	if m := New[float32](4, 0, nil); !m.IsEmpty() || m.Data == nil {
		t.Errorf("New without columns: %+v", m)
	}
	panics(t, fitPanic, func() { New(2, 2, make([]float64, 3)) })
	panics(t, fitPanic, func() { New(0, 2, make([]float64, 3)) })
	for _, s := range [][2]int{{-1, 2}, {2, -1}, {-2, -2}, {1 << 61, 8}, {1 << 32, 1 << 32}, {math.MaxInt, math.MaxInt}, {1 << 60, 1}} {
		panics(t, sizePanic, func() { New[float64](s[0], s[1], nil) })
		panics(t, sizePanic, func() { New(s[0], s[1], []float64{1}) })
	}
}

// TestOverlap compares with the elements that two views have in common, for all small
// views of one array.
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
			// Rows at different distances: the memory they span counts.
			if cautious := a.Stride != b.Stride && a.Rows > 1; got != want && !(got && cautious) {
				t.Fatalf("Overlap(%v, %v) = %v, want %v", at(data, a), at(data, b), got, want)
			}
		}
	}
	if Overlap(New[float32](2, 2, nil), views[0]) || Overlap(Matrix[float32]{}, views[0]) {
		t.Error("apart, and overlapping")
	}
}

func at(data []float32, m Matrix[float32]) string {
	return fmt.Sprintf("%d × %d, stride %d from %d", m.Rows, m.Cols, m.Stride, cap(data)-cap(m.Data))
}

// TestMistakes: operands that do not match, do not fit or overlap panic with a
// sentence before a kernel sees them.
func TestMistakes(t *testing.T) {
	m := func(r, c int) Matrix[float64] { return New[float64](r, c, nil) }
	two, twoByThree := m(2, 2), m(2, 3)
	vec := make([]float64, 3)
	for name, f := range map[string]func(dst, a, b Matrix[float64]){
		"Mul":              func(dst, a, b Matrix[float64]) { Mul(dst, a, b, false) },
		"TransMul":         func(dst, a, b Matrix[float64]) { TransMul(dst, a, b, true) },
		"SqEuclidean":      func(dst, a, b Matrix[float64]) { SqEuclidean(dst, a, b) },
		"SqEuclideanTrans": func(dst, a, b Matrix[float64]) { SqEuclideanTrans(dst, a, b) },
		"Gibbs":            func(dst, a, b Matrix[float64]) { Gibbs(dst, a, b, 1) },
		"GibbsTrans":       func(dst, a, b Matrix[float64]) { GibbsTrans(dst, Matrix[float64]{}, a, b, -1) },
		"distances":        func(dst, a, b Matrix[float64]) { GibbsTrans(m(2, 2), dst, a, b, -1) },
		"Transpose":        func(dst, a, _ Matrix[float64]) { Transpose(dst, a) },
		"Exp2":             func(dst, a, _ Matrix[float64]) { Exp2(dst, a, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			big := m(4, 4)
			a := big.RowRange(0, 2).ColRange(0, 2)
			f(two, a, a) // matches
			f(big.RowRange(0, 2).ColRange(2, 4), a, a)
			panics(t, shapePanic, func() { f(twoByThree, a, a) })
			panics(t, overlapPanic, func() { f(big.RowRange(0, 2).ColRange(1, 3), a, a) })
			if name != "Exp2" {
				panics(t, overlapPanic, func() { f(a, a, a) })
			}
			for _, bad := range []Matrix[float64]{
				{Rows: 2, Cols: 2, Stride: 2, Data: vec},
				{Rows: 2, Cols: 2, Stride: 1, Data: vec},
				{Rows: 2, Cols: 2, Stride: 1 << 62, Data: vec},
			} {
				panics(t, fitPanic, func() { f(bad, a, a) })
				panics(t, fitPanic, func() { f(two, bad, bad) })
			}
			// The case that once wrote beyond its data.
			wrap := Matrix[float64]{Rows: 1<<61 + 1, Cols: 8, Stride: 8, Data: make([]float64, 64)}
			panics(t, fitPanic, func() { f(square(wrap), square(wrap), square(wrap)) })
		})
	}
	panics(t, shapePanic, func() { MulVec(vec, two, vec) })
	panics(t, overlapPanic, func() { MulVec(vec[:2], twoByThree, vec) })
	panics(t, shapePanic, func() { Exp(make([]float64, 2), vec) })
}

// square returns m with as many columns as rows, so that it matches itself.
func square(m Matrix[float64]) Matrix[float64] {
	m.Cols = m.Rows
	return m
}
