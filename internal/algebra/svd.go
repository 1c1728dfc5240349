package algebra

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
)

// SVD computes the singular value decomposition A = Σ_k σ_k u_k v_kᵀ of m × n matrices with n ≤ m.
// It contains the workspace; only NewSVD allocates.
type SVD struct {
	// U is n × m. The caller stores the columns of A in the rows of U. Factorize replaces the rows
	// with the left singular vectors, which are orthonormal even if A is rank-deficient.
	U matrix.Matrix[float64]
	// V is n × n. Its rows are the right singular vectors.
	V matrix.Matrix[float64]
	// Values are the singular values, largest first.
	Values []float64

	squaredLengths, tau, diag []float64
	sorted                    matrix.Matrix[float64] // n × m
	residual                  []float64              // n × n
}

// NewSVD returns the workspace for m × n matrices. It panics unless n ≤ m.
func NewSVD(m, n int) *SVD {
	if n > m {
		panic("algebra: a matrix of more columns than rows has no thin decomposition")
	}
	return &SVD{
		U: matrix.New[float64](n, m, nil), V: matrix.New[float64](n, n, nil), Values: make([]float64, n),
		squaredLengths: make([]float64, n), tau: make([]float64, n), diag: make([]float64, n), sorted: matrix.New[float64](n, m, nil), residual: make([]float64, n*n),
	}
}

// Factorize decomposes the matrix in U. It reports false, and leaves U and V undefined, if the
// matrix is not finite or the context ends.
//
// The algorithm is the one-sided Jacobi method (M. R. Hestenes, "Inversion of matrices by
// biorthogonalization and related results", J. SIAM 6, 1958). The method rotates pairs of columns
// until all columns are orthogonal up to rounding errors. The singular vectors are orthonormal up to
// rounding errors, even for small singular values (J. Demmel and K. Veselić, "Jacobi's method is more
// accurate than QR", SIAM J. Matrix Anal. Appl. 13, 1992). A column shorter than 2⁻⁵⁰⁰ times the
// largest element counts as zero.
func (s *SVD) Factorize(ctx context.Context) bool {
	n, m := s.U.Rows, s.U.Cols
	top := 0.
	for i := range n {
		for _, x := range s.U.Row(i) {
			if x-x != 0 {
				return false
			}
			top = max(top, math.Abs(x))
		}
	}
	scale := PowerOfTwo(top)
	for i := range n {
		row := s.U.Row(i)
		Scale(row, scale)
		clear(s.V.Row(i))
		s.V.Row(i)[i] = 1
	}
	least := float64(math.Sqrt(float64(m)) * 0x1p-53)
	for range maxSweeps {
		for i := range n {
			s.squaredLengths[i] = Dot(s.U.Row(i), s.U.Row(i))
		}
		turned := false
		for p := range n {
			if ctx.Err() != nil {
				return false
			}
			for q := p + 1; q < n; q++ {
				turned = s.orthogonalizeColumns(p, q, least) || turned
			}
		}
		if !turned {
			break
		}
	}
	rank := s.sortColumns()
	for k, row := range s.Values[:rank] {
		Scale(s.U.Row(k), 1/row)
	}
	if rank < n {
		s.completeBasis(ctx, rank)
	}
	for k := range s.Values {
		s.Values[k] /= scale
	}
	return ctx.Err() == nil
}

const negligibleSquare = 0x1p-1000 // columns with a smaller squared length count as zero

// orthogonalizeColumns makes columns p and q orthogonal by a rotation. It reports whether a rotation
// was necessary.
func (s *SVD) orthogonalizeColumns(p, q int, least float64) bool {
	x, y := s.squaredLengths[p], s.squaredLengths[q]
	if x < negligibleSquare || y < negligibleSquare {
		return false
	}
	u, w := s.U.Row(p), s.U.Row(q)
	xy := Dot(u, w)
	if math.Abs(xy) <= float64(least*math.Sqrt(x))*math.Sqrt(y) {
		return false
	}
	c, sn := rotationFor(x, xy, y)
	rotatePair(u, w, c, sn)
	rotatePair(s.V.Row(p), s.V.Row(q), c, sn)
	s.squaredLengths[p], s.squaredLengths[q] = Dot(u, u), Dot(w, w)
	return true
}

// sortColumns sorts the columns by length, longest first, and stores the lengths in Values. It
// returns the number of nonzero columns.
func (s *SVD) sortColumns() (rank int) {
	for k := range s.Values {
		s.squaredLengths[k] = Dot(s.U.Row(k), s.U.Row(k))
	}
	for k := range s.Values {
		at := k
		for i, v := range s.squaredLengths[k:] {
			if v > s.squaredLengths[at] {
				at = k + i
			}
		}
		if at != k {
			swapRows(s.U.Row(k), s.U.Row(at))
			swapRows(s.V.Row(k), s.V.Row(at))
			s.squaredLengths[k], s.squaredLengths[at] = s.squaredLengths[at], s.squaredLengths[k]
		}
		if s.Values[k] = 0; s.squaredLengths[k] >= negligibleSquare {
			s.Values[k] = math.Sqrt(s.squaredLengths[k])
			rank++
		}
	}
	return rank
}

func swapRows(x, y []float64) {
	for i, v := range x {
		x[i], y[i] = y[i], v
	}
}

// completeBasis sets rows rank … n−1 of U to unit vectors that are orthogonal to all other rows.
func (s *SVD) completeBasis(ctx context.Context, rank int) {
	n := s.U.Rows
	for k := range n {
		if copy(s.sorted.Row(k), s.U.Row(k)); k >= rank {
			clear(s.sorted.Row(k))
		}
	}
	Factor(ctx, s.sorted, s.tau, s.diag)
	FormQ(ctx, s.sorted, s.tau)
	for k := rank; k < n; k++ {
		copy(s.U.Row(k), s.sorted.Row(k))
	}
}

// Polar sets dst (m × n) to the orthonormal factor W = Σ_k u_k v_kᵀ of the factorized matrix. One
// Newton step W + W·(I − WᵀW)/2 removes the rounding errors of the rotations (N. J. Higham,
// Functions of Matrices, 2008, section 8.3). If the context ends, dst is unfinished.
func (s *SVD) Polar(ctx context.Context, dst matrix.Matrix[float64]) {
	n := len(s.Values)
	first, rest := matrix.New(dst.Rows, n, s.sorted.Data), matrix.New(n, n, s.residual)
	for i := range dst.Rows {
		if ctx.Err() != nil {
			return
		}
		row := first.Row(i)
		clear(row)
		for k := range n {
			Axpy(s.U.Row(k)[i], s.V.Row(k), row)
		}
		copy(dst.Row(i), row)
	}
	dense.TransProduct(ctx, rest, first, dst, false)
	for i := range n {
		row := rest.Row(i)
		row[i]--
		Scale(row, -0.5)
	}
	dense.Product(ctx, dst, first, rest, true)
}

// Factor computes the QR decomposition of Aᵀ for a matrix A (p × d, p ≤ d). It uses reflections
// H_j = I − τ_j v_j v_jᵀ that act on elements j … d−1; the first element of v_j is 1 (Golub and Van
// Loan, algorithm 5.2.1). Factor stores the diagonal of R in diag and the other elements of R to
// the left of the diagonal of a. It stores v_j without its first element in row j of a, to the
// right of the diagonal. The squares of the elements of a must not overflow or underflow. If the
// context ends, Factor and FormQ stop with an unfinished result.
func Factor(ctx context.Context, a matrix.Matrix[float64], tau, diag []float64) {
	for j := range a.Rows {
		if ctx.Err() != nil {
			return
		}
		x := a.Row(j)[j:]
		diag[j], tau[j] = Reflector(x)
		for k := j + 1; k < a.Rows; k++ {
			reflect(a.Row(k)[j:], x[1:], tau[j])
		}
	}
}

// FormQ sets a to Qᵀ, where Q consists of the first p columns of the product H_0 H_1 ⋯ H_{p−1} of the
// reflections. Factor stored these reflections in a and tau. FormQ applies them from the last to the
// first.
func FormQ(ctx context.Context, a matrix.Matrix[float64], tau []float64) {
	for j := a.Rows - 1; j >= 0; j-- {
		if ctx.Err() != nil {
			return
		}
		x := a.Row(j)[j:]
		for k := j + 1; k < a.Rows; k++ {
			reflect(a.Row(k)[j:], x[1:], tau[j])
		}
		Scale(x[1:], -tau[j])
		x[0] = 1 - tau[j]
		clear(a.Row(j)[:j])
	}
}

// reflect sets y = y − τ w (wᵀy) with w = (1, v).
func reflect(y, v []float64, tau float64) {
	if tau == 0 {
		return
	}
	s := float64(tau * (y[0] + Dot(v, y[1:])))
	y[0] -= s
	Axpy(-s, v, y[1:])
}
