package algebra

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
)

// SVD is the singular value decomposition A = Σ_k σ_k u_k v_kᵀ of m × n matrices, n ≤ m,
// and its workspace: nothing is allocated but by NewSVD.
type SVD struct {
	// U is n × m. Before Factorize its rows are the columns of A, afterwards the left
	// singular vectors, orthonormal whatever the rank.
	U matrix.Matrix[float64]
	// V is n × n. Its rows are the right singular vectors.
	V matrix.Matrix[float64]
	// Values are σ, largest first.
	Values []float64

	square, tau, diag []float64
	spare             matrix.Matrix[float64] // n × m
	error             []float64              // n × n
}

// NewSVD returns the workspace for m × n matrices. It panics unless n ≤ m.
func NewSVD(m, n int) *SVD {
	if n > m {
		panic("algebra: a matrix of more columns than rows has no thin decomposition")
	}
	return &SVD{
		U: matrix.New[float64](n, m, nil), V: matrix.New[float64](n, n, nil), Values: make([]float64, n),
		square: make([]float64, n), tau: make([]float64, n), diag: make([]float64, n), spare: matrix.New[float64](n, m, nil), error: make([]float64, n*n),
	}
}

// Factorize decomposes the matrix in U. It reports false, and U and V are spoiled, if it
// is not finite or the context ends.
//
// It is the one-sided method of Jacobi (M. R. Hestenes, "Inversion of matrices by
// biorthogonalization and related results", J. SIAM 6, 1958), which turns pairs of
// columns until all are orthogonal, relative to their lengths: small singular values,
// too, have vectors that are orthonormal to rounding (J. Demmel and K. Veselić,
// "Jacobi's method is more accurate than QR", SIAM J. Matrix Anal. Appl. 13, 1992). A
// column shorter than 2⁻⁵⁰⁰ times the largest element is one of zeros.
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
			s.square[i] = Dot(s.U.Row(i), s.U.Row(i))
		}
		turned := false
		for p := range n {
			if ctx.Err() != nil {
				return false
			}
			for q := p + 1; q < n; q++ {
				turned = s.turn(p, q, least) || turned
			}
		}
		if !turned {
			break
		}
	}
	rank := s.sort()
	for k, row := range s.Values[:rank] {
		Scale(s.U.Row(k), 1/row)
	}
	if rank < n {
		s.complete(ctx, rank)
	}
	for k := range s.Values {
		s.Values[k] /= scale
	}
	return ctx.Err() == nil
}

const negligible = 0x1p-1000 // the square of a column that counts as zero

// turn makes columns p and q orthogonal. It reports whether they were not.
func (s *SVD) turn(p, q int, least float64) bool {
	x, y := s.square[p], s.square[q]
	if x < negligible || y < negligible {
		return false
	}
	u, w := s.U.Row(p), s.U.Row(q)
	xy := Dot(u, w)
	if math.Abs(xy) <= float64(least*math.Sqrt(x))*math.Sqrt(y) {
		return false
	}
	c, sn := rotationFor(x, xy, y)
	turn(u, w, c, sn)
	turn(s.V.Row(p), s.V.Row(q), c, sn)
	s.square[p], s.square[q] = Dot(u, u), Dot(w, w)
	return true
}

// sort arranges the columns by their lengths, which it leaves in Values, longest first,
// and returns how many are not zero.
func (s *SVD) sort() (rank int) {
	for k := range s.Values {
		s.square[k] = Dot(s.U.Row(k), s.U.Row(k))
	}
	for k := range s.Values {
		at := k
		for i, v := range s.square[k:] {
			if v > s.square[at] {
				at = k + i
			}
		}
		if at != k {
			swap(s.U.Row(k), s.U.Row(at))
			swap(s.V.Row(k), s.V.Row(at))
			s.square[k], s.square[at] = s.square[at], s.square[k]
		}
		if s.Values[k] = 0; s.square[k] >= negligible {
			s.Values[k] = math.Sqrt(s.square[k])
			rank++
		}
	}
	return rank
}

func swap(x, y []float64) {
	for i, v := range x {
		x[i], y[i] = y[i], v
	}
}

// complete sets the rows of U from rank on to unit vectors orthogonal to all others.
func (s *SVD) complete(ctx context.Context, rank int) {
	n := s.U.Rows
	for k := range n {
		if copy(s.spare.Row(k), s.U.Row(k)); k >= rank {
			clear(s.spare.Row(k))
		}
	}
	Factor(ctx, s.spare, s.tau, s.diag)
	FormQ(ctx, s.spare, s.tau)
	for k := rank; k < n; k++ {
		copy(s.U.Row(k), s.spare.Row(k))
	}
}

// Polar sets dst (m × n) to the orthonormal factor W = Σ_k u_k v_kᵀ of what was
// factorized. The rounding errors of many rotations are taken off by one step
// W + W·(I − WᵀW)/2 of Newton's iteration (N. J. Higham, Functions of Matrices, 2008,
// section 8.3). It is unfinished if the context ends.
func (s *SVD) Polar(ctx context.Context, dst matrix.Matrix[float64]) {
	n := len(s.Values)
	first, rest := matrix.New(dst.Rows, n, s.spare.Data), matrix.New(n, n, s.error)
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

// Factor reduces the rows of a (p × d, p ≤ d), taken for the columns of a matrix, to R by
// reflections H_j = I − τ_j v_j v_jᵀ that act on elements j, j+1, …, d−1, with first
// element of v_j equal to 1 (Golub and Van Loan, algorithm 5.2.1). It leaves the diagonal
// of R in diag, the rest of R to the left of it and the rest of v_j to the right.
// Elements must be of an order whose squares are in range. Like FormQ it stops, unfinished,
// when the context ends.
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

// FormQ replaces the reflections that Factor has left by the rows of Qᵀ, Q = H_0 H_1 ⋯
// H_{p−1} E, with E the first p columns of I, from the last reflection to the first.
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

// reflect replaces y by y − τ w (wᵀy) with w = (1, v).
func reflect(y, v []float64, tau float64) {
	if tau == 0 {
		return
	}
	s := float64(tau * (y[0] + Dot(v, y[1:])))
	y[0] -= s
	Axpy(-s, v, y[1:])
}
