package projection

import (
	"context"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"gonum.org/v1/gonum/mat"
)

// Product returns a·b.
func Product(ctx context.Context, a, b *mat.Dense) *mat.Dense {
	c := new(mat.Dense)
	dense.Mul(ctx, c, a, b)
	return c
}

// TransProduct returns aᵀb.
func TransProduct(ctx context.Context, a, b *mat.Dense) *mat.Dense {
	// The kernel is fastest if the right operand is the wider operand.
	if a.RawMatrix().Cols > b.RawMatrix().Cols {
		return mat.DenseCopyOf(TransProduct(ctx, b, a).T())
	}
	c := new(mat.Dense)
	dense.TransMul(ctx, c, a, b)
	return c
}

// Transposed returns aᵀ.
func Transposed(ctx context.Context, a *mat.Dense) *mat.Dense {
	n, d := a.Dims()
	t := mat.NewDense(d, n, nil)
	dense.Transpose(ctx, dense.View(t), dense.View(a))
	return t
}

// StripRows is the number of rows of a symmetric product that are computed at once.
const StripRows = 96

// SymmetricProduct returns aᵀb, which must be symmetric up to rounding. The result is exactly
// symmetric.
func SymmetricProduct(ctx context.Context, a, b *mat.Dense) *mat.Dense {
	x, y := dense.View(a), dense.View(b)
	d := x.Cols
	s := mat.NewDense(d, d, nil)
	out := dense.View(s)
	// Compute the lower triangle, strip by strip.
	for i := 0; i < d; i += StripRows {
		j := min(i+StripRows, d)
		dense.TransProduct(ctx, out.RowRange(i, j).ColRange(0, j), x.ColRange(i, j), y.ColRange(0, j), false)
	}
	Mirror(ctx, out)
	return s
}

// Gram returns a·aᵀ.
func Gram(ctx context.Context, a *mat.Dense) *mat.Dense {
	at := Transposed(ctx, a)
	return SymmetricProduct(ctx, at, at)
}

// Mirror copies the lower triangle of a square matrix to its upper triangle.
func Mirror(ctx context.Context, s matrix.Matrix[float64]) {
	dense.Pass(ctx, s.Rows, s.Rows, func(from, to int) {
		for i := from; i < to; i++ {
			for j, v := range s.Row(i)[:i] {
				s.Data[j*s.Stride+i] = v
			}
		}
	})
}
