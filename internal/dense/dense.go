// Package dense multiplies gonum matrices with the matrix products of internal/matrix. It is
// several times faster than gonum if one operand has few columns, and its results have the same
// bits on every machine. Destinations come first and must not overlap the operands. As in gonum,
// empty destinations are resized, and any other mismatch of shapes causes a panic.
package dense

import (
	"context"

	"github.com/gomonge/monge/internal/matrix"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// View returns a matrix.Matrix that shares the elements of m.
func View(m *mat.Dense) matrix.Matrix[float64] { return General(m.RawMatrix()) }

// General is like View, but takes a blas64.General.
func General(g blas64.General) matrix.Matrix[float64] {
	return matrix.Matrix[float64]{Rows: g.Rows, Cols: g.Cols, Stride: g.Stride, Data: g.Data}
}

// Mul sets dst = a·b, as Product does.
func Mul(ctx context.Context, dst, a, b *mat.Dense) {
	x, y := View(a), View(b)
	if dst.IsEmpty() {
		dst.ReuseAs(x.Rows, y.Cols)
	}
	Product(ctx, View(dst), x, y, false)
}

// Transpose sets dst = aᵀ. It stops when the context ends.
func Transpose(ctx context.Context, dst, a matrix.Matrix[float64]) {
	rows := max(8, passElements/max(1, a.Cols)&^7)
	for i := 0; i < a.Rows && ctx.Err() == nil; i += rows {
		j := min(i+rows, a.Rows)
		matrix.Transpose(dst.ColRange(i, j), a.RowRange(i, j))
	}
}

// passElements is the number of elements between two checks of the context in a pass that does
// little work for each element.
const passElements = 1 << 16

// Pass divides the n rows of a matrix into ranges i … j−1 of about passElements elements. It calls f
// for each range, in order, until the context ends.
func Pass(ctx context.Context, n, columns int, f func(i, j int)) {
	rows := max(1, passElements/max(1, columns))
	for i := 0; i < n && ctx.Err() == nil; i += rows {
		f(i, min(i+rows, n))
	}
}

// TransMul sets dst = aᵀ·b, as TransProduct does. It is fastest if a has few columns.
func TransMul(ctx context.Context, dst, a, b *mat.Dense) {
	x, y := View(a), View(b)
	if dst.IsEmpty() {
		dst.ReuseAs(x.Cols, y.Cols)
	}
	TransProduct(ctx, View(dst), x, y, false)
}

// Product and TransProduct check the context after about pieceMultiplications multiplications,
// which take a few milliseconds, but not before they have processed minPieceRows rows.
const pieceMultiplications, minPieceRows = 1 << 24, 64

// Product sets dst = a·b, or adds a·b to dst if add is set, with the same bits as matrix.Mul. It
// checks the context every few milliseconds. If the context ends, dst is unfinished.
func Product(ctx context.Context, dst, a, b matrix.Matrix[float64], add bool) {
	inner, rows := max(1, b.Rows), pieceMultiplications/max(1, b.Rows*b.Cols)
	if rows < minPieceRows {
		inner, rows = max(4*minPieceRows, pieceMultiplications/minPieceRows/max(1, b.Cols)), minPieceRows
	}
	for i := 0; i < a.Rows; i += rows {
		j := min(i+rows, a.Rows)
		// Each range of k continues the chain of FMAs of the previous range, so the division into ranges
		// does not change the bits.
		for k := 0; k == 0 || k < b.Rows; k += inner {
			if ctx.Err() != nil {
				return
			}
			l := min(k+inner, b.Rows)
			matrix.Mul(dst.RowRange(i, j), a.RowRange(i, j).ColRange(k, l), b.RowRange(k, l), add || k > 0)
		}
	}
}

// TransProduct sets dst = aᵀ·b, or adds aᵀ·b to dst if add is set, with the same bits as
// matrix.TransMul. It checks the context every few milliseconds. If the context ends, dst is
// unfinished.
func TransProduct(ctx context.Context, dst, a, b matrix.Matrix[float64], add bool) {
	rows := max(minPieceRows, pieceMultiplications/max(1, a.Cols*b.Cols))
	for k := 0; k == 0 || k < a.Rows; k += rows {
		if ctx.Err() != nil {
			return
		}
		l := min(k+rows, a.Rows)
		matrix.TransMul(dst, a.RowRange(k, l), b.RowRange(k, l), add || k > 0)
	}
}
