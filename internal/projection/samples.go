package projection

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// CheckFinite returns an error that names the first element that is NaN or infinite.
func CheckFinite(ctx context.Context, x *mat.Dense) (err error) {
	n, d := x.Dims()
	dense.Pass(ctx, n, d, func(from, to int) {
		for i := from; i < to && err == nil; i++ {
			for j, v := range x.RawRowView(i) {
				if v-v != 0 {
					err = fmt.Errorf("%w: row %d, column %d is %v", fault.ErrNotFinite, i, j, v)
					break
				}
			}
		}
	})
	return err
}

// ClassRows returns the rows of each class, in the order of the labels.
func ClassRows(labels []int) [][]int {
	rows := map[int][]int{}
	for i, l := range labels {
		rows[l] = append(rows[l], i)
	}
	var all [][]int
	for _, l := range slices.Sorted(maps.Keys(rows)) {
		all = append(all, rows[l])
	}
	return all
}

// ClearConstant sets the column of w to zero for each feature of x that is constant within classes.
// A feature is constant if, in every class, its largest and smallest values differ by at most 2⁻⁴⁸
// times its largest absolute value in all samples. After the class means are subtracted, a constant
// feature contains only rounding errors. Class c consists of the rows classes[c].
func ClearConstant(ctx context.Context, w, x *mat.Dense, classes [][]int) {
	n, d := x.Dims()
	spread, size := make([]float64, d), make([]float64, d)
	low, high := make([]float64, d), make([]float64, d)
	for _, rows := range classes {
		copy(low, x.RawRowView(rows[0]))
		copy(high, low)
		dense.Pass(ctx, len(rows), d, func(from, to int) {
			for _, r := range rows[from:to] {
				for j, v := range x.RawRowView(r) {
					low[j], high[j] = min(low[j], v), max(high[j], v)
				}
			}
		})
		for j := range d {
			spread[j], size[j] = max(spread[j], high[j]-low[j]), max(size[j], -low[j], high[j])
		}
	}
	dense.Pass(ctx, n, d, func(from, to int) {
		for i := from; i < to; i++ {
			row := w.RawRowView(i)
			for j := range row {
				if spread[j] <= 0x1p-48*size[j] {
					row[j] = 0
				}
			}
		}
	})
}

// Gather returns the given rows of x.
func Gather(ctx context.Context, x *mat.Dense, rows []int) *mat.Dense {
	_, d := x.Dims()
	g := mat.NewDense(len(rows), d, nil)
	dense.Pass(ctx, len(rows), d, func(from, to int) {
		for k := from; k < to; k++ {
			copy(g.RawRowView(k), x.RawRowView(rows[k]))
		}
	})
	return g
}

// Centered returns x minus its column means.
func Centered(ctx context.Context, x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	mean, c := ColumnMeans(ctx, x), mat.NewDense(n, d, nil)
	dense.Pass(ctx, n, d, func(i, j int) {
		for ; i < j; i++ {
			floats.SubTo(c.RawRowView(i), x.RawRowView(i), mean)
		}
	})
	return c
}

// ColumnMeans returns the mean of every column.
func ColumnMeans(ctx context.Context, x *mat.Dense) []float64 {
	n, d := x.Dims()
	mean := make([]float64, d)
	dense.Pass(ctx, n, d, func(from, to int) {
		for i := from; i < to; i++ {
			for j, v := range x.RawRowView(i) {
				mean[j] += v
			}
		}
	})
	for j := range mean {
		mean[j] /= float64(n)
	}
	return mean
}

// Shrink replaces the matrix S by (1−s)·S + s·mean·I.
func Shrink(sym *mat.Dense, s, mean float64) {
	sym.Scale(1-s, sym)
	for j := range sym.RawMatrix().Rows {
		sym.Set(j, j, math.FMA(s, mean, sym.At(j, j)))
	}
}

// Trace returns the sum of the diagonal of a square matrix.
func Trace(m *mat.Dense) (sum float64) {
	for j := range m.RawMatrix().Rows {
		sum += m.At(j, j)
	}
	return sum
}

// FixSigns makes the element with the largest magnitude positive in every column.
func FixSigns(v *mat.Dense) {
	n, p := v.Dims()
	column := make([]float64, n)
	for k := range p {
		if algebra.Sign(mat.Col(column, k, v)) < 0 {
			for i := range n {
				v.Set(i, k, -v.At(i, k))
			}
		}
	}
}

// Orthonormalize replaces the columns of v with orthonormal columns. The first k columns still span
// the same subspace, for every k.
func Orthonormalize(ctx context.Context, v *mat.Dense) error {
	if _, err := stiefel.New(v.Dims()).Orthonormalize(ctx, v, v); err != nil {
		return ErrFactorize
	}
	return nil
}
