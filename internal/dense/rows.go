package dense

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Rows returns a function that returns row i of m. The caller must not modify the row. The row is
// valid until the next call. It shares the memory of m if m is a *mat.Dense, and is a copy
// otherwise.
func Rows(m mat.Matrix) func(i int) []float64 {
	if v, ok := m.(*mat.Dense); ok {
		return v.RawRowView
	}
	_, c := m.Dims()
	row := make([]float64, c)
	return func(i int) []float64 { return mat.Row(row, i, m) }
}

// EachRow calls f(i) for the rows lo ≤ i < hi in order, until the context ends. A row has d
// elements.
func EachRow(ctx context.Context, lo, hi, d int, f func(i int)) {
	Pass(ctx, hi-lo, d, func(i, j int) {
		for i += lo; i < lo+j; i++ {
			f(i)
		}
	})
}

// MaxAbs returns the largest magnitude of an element of m. If the context ends, the result covers
// only a part of m.
func MaxAbs(ctx context.Context, m mat.Matrix) float64 {
	var largest float64
	n, d := m.Dims()
	rows := Rows(m)
	EachRow(ctx, 0, n, d, func(i int) {
		for _, v := range rows(i) {
			largest = max(largest, math.Abs(v))
		}
	})
	return largest
}

// ScaleColumns multiplies column j of x by f_j. It stops when the context ends.
func ScaleColumns(ctx context.Context, x *mat.Dense, f []float64) {
	EachRow(ctx, 0, x.RawMatrix().Rows, len(f), func(i int) {
		row := x.RawRowView(i)
		for j, v := range f {
			row[j] *= v
		}
	})
}
