package stiefel

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// An orthonormal basis of a d×p matrix with d ≫ p is computed in one of two ways:
//
//   - Householder's method takes 2dp² operations for R and 2dp² operations for Q. Q is orthonormal
//     up to rounding errors, even for a rank-deficient matrix. But the method works column by
//     column, at about one operation per cycle.
//   - Cholesky-QR2 (Y. Yamamoto et al., "Roundoff error analysis of the CholeskyQR2 algorithm",
//     ETNA 44, 2015) computes AᵀA = RᵀR and Q = A R⁻¹, twice. The error of the first Q is 2⁻⁵²
//     times the square of A's condition number. The second Q has only rounding errors. The method
//     takes the same number of operations, but most of them are in products of tall matrices,
//     which have a SIMD kernel. The method fails for condition numbers above about 10⁷.
//
// A retraction factorizes A = P + tV with AᵀA = I + t²VᵀV, which is well conditioned. Cholesky-QR2
// is therefore tried first. Householder's method replaces it if the condition number, estimated
// from R and R⁻¹, exceeds conditionLimit, or if AᵀA is near the ends of the floating-point range.
// Gonum's lapack is not used because its bits differ between machines.

// conditionLimit is the largest value of ‖R‖_F ‖R⁻¹‖_F for which Cholesky-QR2 is used. The columns
// of A are scaled to lengths of about 1. At this limit, the Q of the first pass has an error of
// 2⁻⁵²·2⁴⁰, and the Q of the second pass has only rounding errors.
const conditionLimit = 0x1p20

// Retract sets dst to the QR retraction of the step t·V at the point p (AMS example 4.1.3):
//
//	dst = qf(P + tV)
//
// where qf is the Q factor of the QR decomposition in which R has a positive diagonal. If V is a
// tangent vector, then dst = P + tV + O(t²) agrees with the geodesic to first order, and P + tV has
// full rank because (P + tV)ᵀ(P + tV) = I + t²VᵀV. For other matrices V, see
// [Manifold.Orthonormalize]. If P + tV is not finite, Retract returns ErrNotFinite and leaves dst
// unchanged.
func (m *Manifold) Retract(ctx context.Context, dst, p, v *mat.Dense, t float64) error {
	rp, rv, out := m.operand(p), m.operand(v), m.destination(dst)
	for i := range m.d {
		to := m.rows[i*m.p:][:m.p]
		x, y := row(rp, i)[:len(to)], row(rv, i)[:len(to)]
		for j := range to {
			to[j] = math.FMA(t, y[j], x[j])
		}
	}
	_, err := m.orthonormalize(ctx, out)
	return err
}

// Orthonormalize sets dst to qf(A), the Q factor of the QR decomposition A = QR in which R has a
// positive diagonal. It returns the numerical rank: the number of columns whose component outside
// the span of the previous columns is longer than d·2⁻⁵² times the length of the column.
//
// For every finite A, dst is a point of the manifold with an error of a few p·2⁻⁵². A column in the
// span of the previous columns is replaced by an arbitrary but reproducible direction. Columns are
// first scaled by powers of two, which changes neither Q nor the rank and avoids overflow and
// underflow. If A is not finite, Orthonormalize returns ErrNotFinite and leaves dst unchanged.
func (m *Manifold) Orthonormalize(ctx context.Context, dst, a *mat.Dense) (rank int, err error) {
	ra, out := m.operand(a), m.destination(dst)
	for i := range m.d {
		copy(m.rows[i*m.p:][:m.p], row(ra, i))
	}
	return m.orthonormalize(ctx, out)
}

// orthonormalize implements Orthonormalize for the matrix in m.rows.
func (m *Manifold) orthonormalize(ctx context.Context, out blas64.General) (rank int, err error) {
	if m.qrByCholesky(ctx, out) || ctx.Err() != nil {
		return m.p, causeOr(ctx, nil)
	}
	if !finite(m.rows) {
		return 0, ErrNotFinite
	}
	// If the first attempt failed, scale the columns by powers of two. The scaled columns may be
	// well conditioned.
	rows := matrix.New(m.d, m.p, m.rows)
	dense.Transpose(ctx, m.columnMatrix(), rows)
	for j := 0; j < m.p && ctx.Err() == nil; j++ {
		x := m.cols[j*m.d:][:m.d]
		algebra.Scale(x, algebra.PowerOfTwo(largest(x)))
	}
	dense.Transpose(ctx, rows, m.columnMatrix())
	if m.qrByCholesky(ctx, out) || ctx.Err() != nil {
		return m.p, causeOr(ctx, nil)
	}
	dense.Transpose(ctx, m.columnMatrix(), rows)
	return m.qrByHouseholder(ctx, out), causeOr(ctx, nil)
}

// columnMatrix returns the transpose of the matrix to factorize, which is p × d and shares memory
// with m.cols.
func (m *Manifold) columnMatrix() matrix.Matrix[float64] { return matrix.New(m.p, m.d, m.cols) }

// qrByCholesky sets out to the orthonormal factor qf of the matrix in m.rows, which it does not
// modify. It reports false if the matrix is too ill-conditioned.
func (m *Manifold) qrByCholesky(ctx context.Context, out blas64.General) bool {
	n := m.p
	rows := blas64.General{Rows: m.d, Cols: n, Stride: n, Data: m.rows}
	first := blas64.General{Rows: m.d, Cols: n, Stride: n, Data: m.cols}
	if !m.inverseFactor(ctx, rows) {
		return false
	}
	dense.Product(ctx, dense.General(first), dense.General(rows), m.squareMatrix(m.inverse), false)
	if !m.inverseFactor(ctx, first) {
		return false
	}
	dense.Product(ctx, dense.General(out), dense.General(first), m.squareMatrix(m.inverse), false)
	return true
}

// inverseFactor sets m.inverse to R⁻¹, where RᵀR = AᵀA and R has a positive diagonal. It reports
// false if the condition number of A, with columns scaled by powers of two, may exceed
// conditionLimit, or if an element is not finite or near the ends of the floating-point range.
func (m *Manifold) inverseFactor(ctx context.Context, a blas64.General) bool {
	n, g, u, inv := m.p, m.gram, m.upper, m.inverse
	m.productTN(ctx, g, a, a)
	for j := range n {
		if square := g[j*n+j]; !(square > 0x1p-800 && square < 0x1p800) {
			return false
		}
		m.row[j] = algebra.PowerOfTwo(math.Sqrt(g[j*n+j]))
	}
	// U is the upper Cholesky factor of the scaled AᵀA, computed row by row.
	var size, inverseSize float64
	for i := range n {
		if ctx.Err() != nil {
			return false
		}
		row := u[i*n:][:n]
		clear(row[:i])
		for j := i; j < n; j++ {
			row[j] = float64(float64(g[i*n+j]*m.row[i]) * m.row[j])
		}
		for k := range i {
			above := u[k*n:][:n]
			algebra.Axpy(-above[i], above[i:], row[i:])
		}
		if !(row[i] > 0) {
			return false
		}
		algebra.Scale(row[i:], 1/math.Sqrt(row[i]))
		size += algebra.Dot(row, row)
	}
	// Compute U⁻¹ from its last row to the first. Row i follows from row i of U U⁻¹ = I.
	for i := n - 1; i >= 0; i-- {
		if ctx.Err() != nil {
			return false
		}
		row := inv[i*n:][:n]
		clear(row)
		row[i] = 1
		for k := i + 1; k < n; k++ {
			algebra.Axpy(-u[i*n+k], inv[k*n+k:][:n-k], row[k:])
		}
		algebra.Scale(row[i:], 1/u[i*n+i])
		inverseSize += algebra.Dot(row, row)
	}
	if !(float64(size*inverseSize) <= conditionLimit*conditionLimit) {
		return false
	}
	// D contains the scales of the columns. A·D = Q U, so R⁻¹ = D U⁻¹.
	for i := range n {
		algebra.Scale(inv[i*n:][:n], m.row[i])
	}
	return true
}

// qrByHouseholder sets out to the orthonormal factor qf of the matrix in m.cols and returns its
// rank. Each column must have elements of order 1 or be zero.
func (m *Manifold) qrByHouseholder(ctx context.Context, out blas64.General) (rank int) {
	d := m.d
	for j := 0; j < m.p && ctx.Err() == nil; j++ {
		x := m.cols[j*d : (j+1)*d]
		m.row[j] = math.Sqrt(algebra.Dot(x, x))
	}
	algebra.Factor(ctx, m.columnMatrix(), m.tau, m.diag)
	for j, length := range m.row {
		if math.Abs(m.diag[j]) > float64(d)*0x1p-52*length {
			rank++
		}
	}
	algebra.FormQ(ctx, m.columnMatrix(), m.tau)
	for j := 0; j < m.p && ctx.Err() == nil; j++ {
		if m.diag[j] < 0 {
			negate(m.cols[j*d:][:d])
		}
	}
	dense.Transpose(ctx, dense.General(out), m.columnMatrix())
	return rank
}

// copyTriangle sets r (p×p, row-major) to the factor R that algebra.Factor left in m.cols and
// m.diag.
func (m *Manifold) copyTriangle(r []float64) {
	n := m.p
	for i := range n {
		for j := range n {
			switch {
			case i < j:
				r[i*n+j] = m.cols[j*m.d+i]
			case i == j:
				r[i*n+j] = m.diag[i]
			default:
				r[i*n+j] = 0
			}
		}
	}
}

// largest returns max |x_i|.
func largest(x []float64) float64 {
	var top float64
	for _, v := range x {
		top = max(top, math.Abs(v))
	}
	return top
}
