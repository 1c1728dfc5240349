// Package dense has the products of gonum's matrices on the projection kernels:
// several times gonum's speed where one operand has few columns, and the same bits on
// every machine. Destinations come first, must not overlap the operands, and are given
// their shape if they are empty, as in gonum; other shapes that do not match panic.
package dense

import (
	"github.com/gomonge/monge/internal/asm"
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

// Mul sets dst = a·b.
func Mul(dst, a, b *mat.Dense) {
	x, y := View(a), View(b)
	if dst.IsEmpty() {
		dst.ReuseAs(x.Rows, y.Cols)
	}
	matrix.Mul(asm.Best(), View(dst), x, y, false)
}

// TransMul sets dst = aᵀ·b. It is fastest for a of few columns.
func TransMul(dst, a, b *mat.Dense) {
	x, y := View(a), View(b)
	if dst.IsEmpty() {
		dst.ReuseAs(x.Cols, y.Cols)
	}
	matrix.TransMul(asm.Best(), View(dst), x, y, false)
}
