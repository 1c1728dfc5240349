package stiefel

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Why Householder. Of the ways to an orthonormal basis of d×p with d ≫ p,
//
//   - Gram–Schmidt, classical or modified, needs every projection twice for
//     orthogonality to rounding ("twice is enough"), 4dp² operations, and then
//     still a rule, and a substitute column, for a column in the span of those
//     before it;
//   - Cholesky-QR2 costs the same 4dp² and breaks down above condition 10⁸
//     without a third, shifted pass;
//   - Householder costs 2dp² for R and 2dp² for Q, and Q, a product of
//     reflections, is orthonormal to rounding whatever the matrix, rank
//     deficient and zero included.
//
// So it is Householder, unblocked, and the diagonal of R is made positive by
// signs. It is written here rather than taken from gonum's lapack for the sake
// of equal bits on all machines.

// Retract sets dst to the QR retraction of the step t·V at the point p (AMS
// example 4.1.3):
//
//	dst = qf(P + tV)
//
// with qf the Q factor of the QR decomposition whose R has a positive diagonal.
// It agrees with the geodesic to first order: dst = P + tV + O(t²) for tangent V.
// P + tV then has full rank, (P + tV)ᵀ(P + tV) = I + t²VᵀV; for other V see
// [Manifold.Orthonormalise]. ErrNotFinite is returned, and dst left alone, if
// P + tV is not finite.
func (m *Manifold) Retract(dst, p, v *mat.Dense, t float64) error {
	rp, rv, out := m.operand(p), m.operand(v), m.destination(dst)
	for i := range m.d {
		y := line(rv, i)
		for j, x := range line(rp, i) {
			m.cols[j*m.d+i] = math.FMA(t, y[j], x)
		}
	}
	if !finite(m.cols) {
		return ErrNotFinite
	}
	m.orthonormalise(out)
	return nil
}

// Orthonormalise sets dst to qf(A), the Q factor of the QR decomposition A = QR
// whose R has a positive diagonal, and returns the numerical rank: the number of
// columns whose part outside the span of the columns before them is longer than
// d·2⁻⁵² times the column.
//
// dst is a point of the manifold, to a few p·2⁻⁵², for every finite A. For a
// column in the span of those before it the direction it contributes is
// arbitrary, though always the same. Columns are scaled by powers of two first,
// which changes neither Q nor the rank, so nothing overflows or underflows.
// ErrNotFinite is returned, and dst left alone, if A is not finite.
func (m *Manifold) Orthonormalise(dst, a *mat.Dense) (rank int, err error) {
	ra, out := m.operand(a), m.destination(dst)
	for i := range m.d {
		for j, x := range line(ra, i) {
			m.cols[j*m.d+i] = x
		}
	}
	if !finite(m.cols) {
		return 0, ErrNotFinite
	}
	return m.orthonormalise(out), nil
}

// orthonormalise is Orthonormalise of the finite matrix in m.cols.
func (m *Manifold) orthonormalise(out blas64.General) (rank int) {
	d := m.d
	for j := range m.p {
		x := m.cols[j*d : (j+1)*d]
		scale(x, powerOfTwo(largest(x)))
		m.row[j] = math.Sqrt(dot(x, x))
	}
	m.factor()
	for j, length := range m.row {
		if math.Abs(m.diag[j]) > float64(d)*0x1p-52*length {
			rank++
		}
	}
	m.formQ()
	for i := range d {
		row := line(out, i)
		for j := range row {
			row[j] = m.cols[j*d+i]
			if m.diag[j] < 0 {
				row[j] = -row[j]
			}
		}
	}
	return rank
}

// factor reduces the columns in m.cols to R by reflections H_j = I − τ_j v_j v_jᵀ
// that act on rows j, j+1, …, d−1, with first element of v_j equal to 1
// (Golub and Van Loan, algorithm 5.2.1). It leaves the diagonal of R in m.diag,
// the rest of R above the diagonal and the rest of v_j below it.
func (m *Manifold) factor() {
	d := m.d
	for j := range m.p {
		x := m.cols[j*d+j : (j+1)*d]
		m.diag[j], m.tau[j] = reflector(x)
		for k := j + 1; k < m.p; k++ {
			reflect(m.cols[k*d+j:(k+1)*d], x[1:], m.tau[j])
		}
	}
}

// formQ replaces the reflections in m.cols by Q = H_0 H_1 ⋯ H_{p−1} E, with E the
// first p columns of I, from the last reflection to the first.
func (m *Manifold) formQ() {
	d := m.d
	for j := m.p - 1; j >= 0; j-- {
		x := m.cols[j*d+j : (j+1)*d]
		for k := j + 1; k < m.p; k++ {
			reflect(m.cols[k*d+j:(k+1)*d], x[1:], m.tau[j])
		}
		scale(x[1:], -m.tau[j])
		x[0] = 1 - m.tau[j]
		clear(m.cols[j*d : j*d+j])
	}
}

// triangle copies R (p×p, row-major) out of what factor left.
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

// reflector computes H = I − τ(1, v)(1, v)ᵀ with H x = (β, 0, …, 0), overwrites
// x[1:] with v, and returns β and τ (LAPACK's dlarfg). What is below 2⁻⁴⁵⁰, when
// columns are of order 1, is far below rounding and taken for zero: squares
// this small lose the digits that make H orthogonal.
func reflector(x []float64) (beta, tau float64) {
	alpha, rest := x[0], x[1:]
	tail := dot(rest, rest)
	square := math.FMA(alpha, alpha, tail)
	if tail == 0 || square < 0x1p-900 {
		clear(rest)
		return alpha, 0
	}
	beta = -math.Copysign(math.Sqrt(square), alpha)
	scale(rest, 1/(alpha-beta))
	return beta, (beta - alpha) / beta
}

// reflect replaces y by y − τ w (wᵀy) with w = (1, v).
func reflect(y, v []float64, tau float64) {
	if tau == 0 {
		return
	}
	s := float64(tau * (y[0] + dot(v, y[1:])))
	y[0] -= s
	axpy(-s, v, y[1:])
}

func scale(x []float64, a float64) {
	for i := range x {
		x[i] *= a
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

// powerOfTwo returns the power of two that brings x > 0 into [½, 1), or as near
// as an exponent of 1000 does; 1 for x = 0.
func powerOfTwo(x float64) float64 {
	if x == 0 {
		return 1
	}
	_, e := math.Frexp(x)
	return math.Ldexp(1, min(-e, 1000))
}
