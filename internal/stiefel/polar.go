package stiefel

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
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
// ErrNotFinite is returned, and dst left alone, if A is not finite. The SVD is
// gonum's: the result agrees between machines to rounding, not in bits. It does
// not allocate up to p = 128; for larger p gonum's blocked SVD may.
func (m *Manifold) Project(dst, a *mat.Dense) error {
	ra, out := m.operand(a), m.destination(dst)
	for i := range m.d {
		for j, x := range line(ra, i) {
			m.cols[j*m.d+i] = x
		}
	}
	if !finite(m.cols) {
		return ErrNotFinite
	}
	// One scale for all columns: the polar factor, unlike Q, depends on their
	// relative lengths.
	scale(m.cols, powerOfTwo(largest(m.cols)))
	m.factor()
	m.triangle(m.small.Data)
	if !lapack64.Gesvd(lapack.SVDStore, lapack.SVDStore, m.small, m.u, m.vt, m.sigma, m.work, len(m.work)) {
		return ErrNoConvergence
	}
	m.formQ()

	// The p×p factor W = U Vᵀ, then row by row Q W.
	n := m.p
	clear(m.gram)
	for i := range n {
		for k, x := range line(m.u, i) {
			axpy(x, line(m.vt, k), m.gram[i*n:i*n+n])
		}
	}
	for i := range m.d {
		row := line(out, i)
		clear(row)
		for k := range n {
			axpy(m.cols[k*m.d+i], m.gram[k*n:k*n+n], row)
		}
	}
	return nil
}

// singularValues sets m.sigma to the singular values of m.small, descending, and
// destroys m.small.
func (m *Manifold) singularValues() bool {
	return lapack64.Gesvd(lapack.SVDNone, lapack.SVDNone, m.small, blas64.General{}, blas64.General{}, m.sigma, m.work, len(m.work))
}
