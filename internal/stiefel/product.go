package stiefel

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"gonum.org/v1/gonum/blas/blas64"
)

// Products use internal/dense and internal/algebra instead of gonum, because gonum's assembly and
// gonum's Go code give different bits. On some architectures, the compiler also fuses x*y + z in Go
// code.

// productTN sets dst (p×p) to AᵀB. Each element is one chain of FMAs over ascending rows.
func (m *Manifold) productTN(ctx context.Context, dst []float64, a, b blas64.General) {
	dense.TransProduct(ctx, m.squareMatrix(dst), dense.General(a), dense.General(b), false)
}

// subtractProduct sets dst to a − p·S, where s contains the elements of the square matrix S. Each
// element of dst is one chain of FMAs over ascending rows of S. dst may be a or p.
func (m *Manifold) subtractProduct(ctx context.Context, dst, a, p blas64.General, s []float64) {
	if &dst.Data[0] == &p.Data[0] {
		rows := blas64.General{Rows: m.d, Cols: m.p, Stride: m.p, Data: m.rows}
		m.subtractProduct(ctx, rows, a, p, s)
		copyRows(dst, rows)
		return
	}
	copyRows(dst, a)
	negate(s)
	dense.Product(ctx, dense.General(dst), dense.General(p), m.squareMatrix(s), true)
	negate(s)
}

// squareMatrix returns a p × p matrix with the elements x.
func (m *Manifold) squareMatrix(x []float64) matrix.Matrix[float64] { return matrix.New(m.p, m.p, x) }

// copyRows copies the elements of a to dst.
func copyRows(dst, a blas64.General) {
	if &dst.Data[0] == &a.Data[0] {
		return
	}
	for i := range a.Rows {
		copy(row(dst, i), row(a, i))
	}
}

func negate(x []float64) {
	for i, v := range x {
		x[i] = -v
	}
}

// finite reports whether no element of x is NaN or infinite.
func finite(x []float64) bool {
	for _, v := range x {
		if !isFinite(v) {
			return false
		}
	}
	return true
}

func isFinite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }
