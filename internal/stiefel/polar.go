package stiefel

import (
	"context"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"gonum.org/v1/gonum/mat"
)

// Project sets dst to Π(A), the point of the manifold nearest to A in the Frobenius norm. This
// point is the orthonormal factor of the polar decomposition:
//
//	Π(A) = U Vᵀ,  A = U Σ Vᵀ the thin SVD
//
// (AMS section 3.3 and proposition 3.4; Higham, Functions of Matrices, theorem 8.4). Project is the
// projection of algorithm 1 of Flamary, Cuturi, Courty and Rakotomamonjy. For a point P of the
// manifold and a tangent vector H at P, Π(P + tH) is a second-order retraction.
//
// Project computes A = QR and the SVD of the p×p matrix R. If A has rank below p, the nearest point
// is not unique, and dst is one of the nearest points. For every finite A, including zero, the
// distance of dst from the manifold is at most a few p·2⁻⁵².
//
// If A is not finite, Project returns ErrNotFinite and leaves dst unchanged.
func (m *Manifold) Project(ctx context.Context, dst, a *mat.Dense) error {
	ra, out := m.operand(a), m.destination(dst)
	dense.Transpose(ctx, m.columnMatrix(), dense.General(ra))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !finite(m.cols) {
		return ErrNotFinite
	}
	// All columns get the same scale, because the polar factor depends on the relative lengths of
	// the columns.
	algebra.Scale(m.cols, algebra.PowerOfTwo(largest(m.cols)))
	algebra.Factor(ctx, m.columnMatrix(), m.tau, m.diag)
	m.copyTriangle(m.gram)
	m.svd.setSquare(m.gram)
	if !m.svd.Factorize(ctx) {
		return causeOr(ctx, ErrNotFinite)
	}
	algebra.FormQ(ctx, m.columnMatrix(), m.tau)
	// The p×p matrix W = U Vᵀ is the polar factor of R. The result is Q W.
	n := m.p
	m.svd.Polar(ctx, m.squareMatrix(m.gram))
	for i := range m.d {
		if ctx.Err() != nil {
			break
		}
		row := row(out, i)
		clear(row)
		for k := range n {
			algebra.Axpy(m.cols[k*m.d+i], m.gram[k*n:k*n+n], row)
		}
	}
	return causeOr(ctx, nil)
}
