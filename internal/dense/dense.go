// Package dense has the products of gonum's matrices on the projection kernels:
// several times gonum's speed where one operand has few columns, and the same bits on
// every machine. Destinations come first, must not overlap the operands, and are given
// their shape if they are empty, as in gonum; other shapes that do not match panic.
package dense

import (
	"context"

	"github.com/gomonge/monge/internal/matrix"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// View returns the elements of m for the kernels, shared.
func View(m *mat.Dense) matrix.Matrix[float64] { return General(m.RawMatrix()) }

// General is View of what gonum's BLAS works with.
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

// Transpose sets dst = aᵀ, unless the context ends before.
func Transpose(ctx context.Context, dst, a matrix.Matrix[float64]) {
	rows := max(8, passElements/max(1, a.Cols)&^7)
	for i := 0; i < a.Rows && ctx.Err() == nil; i += rows {
		j := min(i+rows, a.Rows)
		matrix.Transpose(dst.ColRange(i, j), a.RowRange(i, j))
	}
}

// passElements are read between two looks at the context, by who does next to nothing
// with each.
const passElements = 1 << 16

// Pass calls f for rows i … j−1 of n, of so many columns, a piece after the other, until the
// context ends.
func Pass(ctx context.Context, n, columns int, f func(i, j int)) {
	rows := max(1, passElements/max(1, columns))
	for i := 0; i < n && ctx.Err() == nil; i += rows {
		f(i, min(i+rows, n))
	}
}

// TransMul sets dst = aᵀ·b, as TransProduct does. It is fastest for a of few columns.
func TransMul(ctx context.Context, dst, a, b *mat.Dense) {
	x, y := View(a), View(b)
	if dst.IsEmpty() {
		dst.ReuseAs(x.Cols, y.Cols)
	}
	TransProduct(ctx, View(dst), x, y, false)
}

// A piece of a product is of pieceWork multiplications, a few milliseconds of them, or of
// leastRows rows.
const pieceWork, leastRows = 1 << 24, 64

// Product sets dst = a·b, or adds it, with the bits of matrix.Mul. It looks at the context
// between pieces, and leaves dst unfinished if that ends.
func Product(ctx context.Context, dst, a, b matrix.Matrix[float64], add bool) {
	inner, rows := max(1, b.Rows), pieceWork/max(1, b.Rows*b.Cols)
	if rows < leastRows {
		inner, rows = max(4*leastRows, pieceWork/leastRows/max(1, b.Cols)), leastRows
	}
	for i := 0; i < a.Rows; i += rows {
		j := min(i+rows, a.Rows)
		// A chain that is gone on with is the same chain.
		for k := 0; k == 0 || k < b.Rows; k += inner {
			if ctx.Err() != nil {
				return
			}
			l := min(k+inner, b.Rows)
			matrix.Mul(dst.RowRange(i, j), a.RowRange(i, j).ColRange(k, l), b.RowRange(k, l), add || k > 0)
		}
	}
}

// TransProduct sets dst = aᵀ·b, or adds it, with the bits of matrix.TransMul. It looks at
// the context between pieces, and leaves dst unfinished if that ends.
func TransProduct(ctx context.Context, dst, a, b matrix.Matrix[float64], add bool) {
	rows := max(leastRows, pieceWork/max(1, a.Cols*b.Cols))
	for k := 0; k == 0 || k < a.Rows; k += rows {
		if ctx.Err() != nil {
			return
		}
		l := min(k+rows, a.Rows)
		matrix.TransMul(dst, a.RowRange(k, l), b.RowRange(k, l), add || k > 0)
	}
}
