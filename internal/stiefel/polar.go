package stiefel

import (
	"context"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"gonum.org/v1/gonum/mat"
)

// Project sets dst to Π(A), the point of the manifold nearest to A in the
// Frobenius norm, which is the orthonormal factor of the polar decomposition:
//
//	Π(A) = U Vᵀ,  A = U Σ Vᵀ the thin SVD
//
// (AMS section 3.3 and proposition 3.4; Higham, Functions of Matrices, theorem
// 8.4). It is the projection of algorithm 1 of Flamary, Cuturi, Courty and
// Rakotomamonjy, and Π(P + tV) with tangent V is a second-order retraction.
//
// The decomposition goes through A = QR, which leaves a p×p SVD. For A of rank
// below p the nearest point is not unique: dst is one of them. It is a point of
// the manifold, to a few p·2⁻⁵², for every finite A, zero included.
//
// ErrNotFinite is returned, and dst left alone, if A is not finite.
func (m *Manifold) Project(ctx context.Context, dst, a *mat.Dense) error {
	ra, out := m.operand(a), m.destination(dst)
	dense.Transpose(ctx, m.columns(), dense.General(ra))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !finite(m.cols) {
		return ErrNotFinite
	}
	// One scale for all columns: the polar factor, unlike Q, depends on their
	// relative lengths.
	algebra.Scale(m.cols, algebra.PowerOfTwo(largest(m.cols)))
	algebra.Factor(ctx, m.columns(), m.tau, m.diag)
	m.triangle(m.gram)
	m.svd.columns(m.gram)
	if !m.svd.Factorize(ctx) {
		return ended(ctx, ErrNotFinite)
	}
	algebra.FormQ(ctx, m.columns(), m.tau)
	// The p×p factor W = U Vᵀ, then row by row Q W.
	n := m.p
	m.svd.Polar(ctx, m.square(m.gram))
	for i := range m.d {
		if ctx.Err() != nil {
			break
		}
		row := line(out, i)
		clear(row)
		for k := range n {
			algebra.Axpy(m.cols[k*m.d+i], m.gram[k*n:k*n+n], row)
		}
	}
	return ended(ctx, nil)
}
