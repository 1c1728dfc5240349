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

// How an orthonormal basis of d×p with d ≫ p is found.
//
//   - Householder costs 2dp² for R and 2dp² for Q, and Q, a product of
//     reflections, is orthonormal to rounding whatever the matrix, rank deficient
//     and zero included. But it goes column by column, where nothing is computed
//     at more than one number a cycle.
//   - Cholesky-QR2 (Y. Yamamoto et al., "Roundoff error analysis of the CholeskyQR2
//     algorithm", ETNA 44, 2015): with AᵀA = RᵀR, Q = A R⁻¹ is orthonormal to 2⁻⁵²
//     times the square of A's condition number, and the same again of Q is so to
//     rounding. It costs as much, but in products with tall matrices, for which
//     there is a kernel: some ten times as fast for 784×20. It breaks down above a
//     condition of 10⁷ or so.
//
// A retraction has A = P + tV with AᵀA = I + t²VᵀV, as well conditioned as can be.
// So Cholesky it is, with the condition number from R and R⁻¹, which are at hand;
// where it is above conditionLimit, or where AᵀA is not well within the range of
// numbers, Householder, unblocked, with the diagonal of R made positive by signs.
// Written here rather than taken from gonum's lapack for the sake of equal bits on
// all machines.

// conditionLimit bounds ‖R‖_F ‖R⁻¹‖_F of columns scaled to about 1: at the bound the
// first Q is off by 2⁻⁵²·2⁴⁰, the second by rounding only.
const conditionLimit = 0x1p20

// Retract sets dst to the QR retraction of the step t·V at the point p (AMS
// example 4.1.3):
//
//	dst = qf(P + tV)
//
// with qf the Q factor of the QR decomposition whose R has a positive diagonal.
// It agrees with the geodesic to first order: dst = P + tV + O(t²) for tangent V.
// P + tV then has full rank, (P + tV)ᵀ(P + tV) = I + t²VᵀV; for other V see
// [Manifold.Orthonormalize]. ErrNotFinite is returned, and dst left alone, if
// P + tV is not finite.
func (m *Manifold) Retract(ctx context.Context, dst, p, v *mat.Dense, t float64) error {
	rp, rv, out := m.operand(p), m.operand(v), m.destination(dst)
	for i := range m.d {
		to := m.rows[i*m.p:][:m.p]
		x, y := line(rp, i)[:len(to)], line(rv, i)[:len(to)]
		for j := range to {
			to[j] = math.FMA(t, y[j], x[j])
		}
	}
	_, err := m.orthonormalize(ctx, out)
	return err
}

// Orthonormalize sets dst to qf(A), the Q factor of the QR decomposition A = QR
// whose R has a positive diagonal, and returns the numerical rank: the number of
// columns whose part outside the span of the columns before them is longer than
// d·2⁻⁵² times the column.
//
// dst is a point of the manifold, to a few p·2⁻⁵², for every finite A. For a
// column in the span of those before it the direction it contributes is
// arbitrary, though always the same. Columns are scaled by powers of two first,
// which changes neither Q nor the rank, so nothing overflows or underflows.
// ErrNotFinite is returned, and dst left alone, if A is not finite.
func (m *Manifold) Orthonormalize(ctx context.Context, dst, a *mat.Dense) (rank int, err error) {
	ra, out := m.operand(a), m.destination(dst)
	for i := range m.d {
		copy(m.rows[i*m.p:][:m.p], line(ra, i))
	}
	return m.orthonormalize(ctx, out)
}

// orthonormalize is Orthonormalize of the matrix in m.rows.
func (m *Manifold) orthonormalize(ctx context.Context, out blas64.General) (rank int, err error) {
	if m.byCholesky(ctx, out) || ctx.Err() != nil {
		return m.p, ended(ctx, nil)
	}
	if !finite(m.rows) {
		return 0, ErrNotFinite
	}
	// Scaled by powers of two, the columns may do.
	rows := matrix.New(m.d, m.p, m.rows)
	dense.Transpose(ctx, m.columns(), rows)
	for j := 0; j < m.p && ctx.Err() == nil; j++ {
		x := m.cols[j*m.d:][:m.d]
		algebra.Scale(x, algebra.PowerOfTwo(largest(x)))
	}
	dense.Transpose(ctx, rows, m.columns())
	if m.byCholesky(ctx, out) || ctx.Err() != nil {
		return m.p, ended(ctx, nil)
	}
	dense.Transpose(ctx, m.columns(), rows)
	return m.byHouseholder(ctx, out), ended(ctx, nil)
}

// columns returns m.cols, the columns as rows (p × d).
func (m *Manifold) columns() matrix.Matrix[float64] { return matrix.New(m.p, m.d, m.cols) }

// byCholesky sets out to qf of the matrix in m.rows, which it leaves alone, or
// reports that it cannot do so to rounding.
func (m *Manifold) byCholesky(ctx context.Context, out blas64.General) bool {
	n := m.p
	rows := blas64.General{Rows: m.d, Cols: n, Stride: n, Data: m.rows}
	first := blas64.General{Rows: m.d, Cols: n, Stride: n, Data: m.cols}
	if !m.inverseFactor(ctx, rows) {
		return false
	}
	dense.Product(ctx, dense.General(first), dense.General(rows), m.square(m.inverse), false)
	if !m.inverseFactor(ctx, first) {
		return false
	}
	dense.Product(ctx, dense.General(out), dense.General(first), m.square(m.inverse), false)
	return true
}

// inverseFactor sets m.inverse to R⁻¹, RᵀR = AᵀA, the diagonal of R being positive.
// It reports false where the condition number of A, its columns scaled by powers of
// two, may be above conditionLimit, or an element is not finite or near the ends of
// the range.
func (m *Manifold) inverseFactor(ctx context.Context, a blas64.General) bool {
	n, g, u, inv := m.p, m.gram, m.upper, m.inverse
	m.productTN(ctx, g, a, a)
	for j := range n {
		if square := g[j*n+j]; !(square > 0x1p-800 && square < 0x1p800) {
			return false
		}
		m.row[j] = algebra.PowerOfTwo(math.Sqrt(g[j*n+j]))
	}
	// U of the scaled AᵀA, row by row.
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
	// Its inverse, from the last row up: row i of U U⁻¹ = I.
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
	// A·D = Q U, so that R⁻¹ = D U⁻¹.
	for i := range n {
		algebra.Scale(inv[i*n:][:n], m.row[i])
	}
	return true
}

// byHouseholder sets out to qf of the matrix in m.cols, of which every column is of
// order 1 or zero, and returns its rank.
func (m *Manifold) byHouseholder(ctx context.Context, out blas64.General) (rank int) {
	d := m.d
	for j := 0; j < m.p && ctx.Err() == nil; j++ {
		x := m.cols[j*d : (j+1)*d]
		m.row[j] = math.Sqrt(algebra.Dot(x, x))
	}
	algebra.Factor(ctx, m.columns(), m.tau, m.diag)
	for j, length := range m.row {
		if math.Abs(m.diag[j]) > float64(d)*0x1p-52*length {
			rank++
		}
	}
	algebra.FormQ(ctx, m.columns(), m.tau)
	for j := 0; j < m.p && ctx.Err() == nil; j++ {
		if m.diag[j] < 0 {
			negate(m.cols[j*d:][:d])
		}
	}
	dense.Transpose(ctx, dense.General(out), m.columns())
	return rank
}

// triangle copies R (p×p, row-major) out of what algebra.Factor left.
func (m *Manifold) triangle(r []float64) {
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
