package algebra

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
)

// blockSize is the number of columns that a blocked algorithm processes at once. Element-wise work
// is of order blockSize·n². All other work is matrix products.
const blockSize = 48

// Cholesky is the factor L of a symmetric positive definite matrix A = L·Lᵀ (n × n).
//
// The factorization is the left-looking blocked algorithm (G. H. Golub and C. F. Van Loan, Matrix
// Computations, 4th ed., algorithm 4.2.2 and section 4.2.6). Triangular systems are solved block by
// block with the inverses of the diagonal blocks, so almost all of the work is matrix products (J.
// J. Du Croz and N. J. Higham, "Stability of methods for matrix inversion", IMA J. Numer. Anal. 12,
// 1992).
type Cholesky struct {
	l        matrix.Matrix[float64] // the upper triangle is undefined
	inverses []float64              // transposed inverses of the diagonal blocks of L, each blockSize × blockSize
	scratch  []float64              // n × min(n, blockSize)
}

// NewCholesky factorizes the matrix a. It reads the lower triangle of a, overwrites the triangle
// with the factor, and retains a. It reports false, and leaves the contents of a undefined, if a is
// not positive definite up to rounding errors, if a is not finite, or if the context ends.
func NewCholesky(ctx context.Context, a matrix.Matrix[float64]) (*Cholesky, bool) {
	n := a.Rows
	if a.Cols != n {
		panic("algebra: a matrix to factorize is not square")
	}
	c := &Cholesky{
		l:        a,
		inverses: make([]float64, n*blockSize),
		scratch:  make([]float64, n*min(n, blockSize)),
	}
	for j := 0; j < n; j += blockSize {
		k := min(j+blockSize, n)
		if j > 0 {
			// Let J be the columns j … k−1, and let B be all columns before J. The factor L is already known in
			// the columns B. Set A_iJ −= L_iB · (L_JB)ᵀ for the rows i ≥ j.
			less := c.scratchMatrix(0, j, k-j)
			for r := j; r < k; r++ {
				for i, v := range a.Row(r)[:j] {
					less.Data[i*less.Stride+r-j] = -v
				}
			}
			rows := a.RowRange(j, n)
			dense.Product(ctx, rows.ColRange(j, k), rows.ColRange(0, j), less, true)
		}
		if ctx.Err() != nil || !factorizeBlock(a, j, k) {
			return nil, false
		}
		c.invertBlock(j, k)
		if k < n {
			// Set L_iJ = A_iJ · L_JJ⁻ᵀ for the rows i ≥ k below the diagonal block J.
			c.multiplyInverse(a.RowRange(k, n), j, k)
		}
	}
	return c, true
}

// CholeskyOf returns a Cholesky with the lower triangle of l (n × n) as factor. It retains l.
func CholeskyOf(l matrix.Matrix[float64]) *Cholesky {
	n := l.Rows
	c := &Cholesky{l: l, inverses: make([]float64, n*blockSize), scratch: make([]float64, n*min(n, blockSize))}
	for j := 0; j < n; j += blockSize {
		c.invertBlock(j, min(j+blockSize, n))
	}
	return c
}

// scratchMatrix returns a rows × cols matrix in the scratch memory, beginning at row i.
func (c *Cholesky) scratchMatrix(i, rows, cols int) matrix.Matrix[float64] {
	return matrix.New(rows, cols, c.scratch[i*cols:][:rows*cols])
}

// factorizeBlock factorizes rows and columns j … k−1 by the unblocked algorithm.
func factorizeBlock(a matrix.Matrix[float64], j, k int) bool {
	for c := j; c < k; c++ {
		top := a.Row(c)[j : c+1]
		d := top[c-j]
		for _, v := range top[:c-j] {
			d = math.FMA(-v, v, d)
		}
		if !(d > 0) || math.IsInf(d, 1) {
			return false
		}
		d = math.Sqrt(d)
		top[c-j] = d
		for r := c + 1; r < k; r++ {
			row := a.Row(r)[j : c+1]
			s := row[c-j]
			for i, v := range top[:c-j] {
				s = math.FMA(-row[i], v, s)
			}
			row[c-j] = s / d
		}
	}
	return true
}

// inverseBlock returns the transposed inverse of the diagonal block of L that begins at row j.
func (c *Cholesky) inverseBlock(j int) matrix.Matrix[float64] {
	w := min(blockSize, c.l.Rows-j)
	return matrix.Matrix[float64]{Rows: w, Cols: w, Stride: blockSize, Data: c.inverses[j*blockSize:][:(w-1)*blockSize+w]}
}

// invertBlock computes the inverse of the diagonal block j … k−1 by forward substitution.
func (c *Cholesky) invertBlock(j, k int) {
	inv := c.inverseBlock(j)
	for col := range inv.Rows { // column col of L⁻¹ is row col of its transpose
		x := inv.Row(col)
		clear(x[:col])
		for r := col; r < k-j; r++ {
			row := c.l.Row(j + r)[j:]
			s := 0.
			if r == col {
				s = 1
			}
			for i := col; i < r; i++ {
				s = math.FMA(-row[i], x[i], s)
			}
			x[r] = s / row[r]
		}
	}
}

// multiplyInverse multiplies columns j … k−1 of x by the transposed inverse of a diagonal block of L,
// which consists of rows and columns j … k−1.
func (c *Cholesky) multiplyInverse(x matrix.Matrix[float64], j, k int) {
	for i := 0; i < x.Rows; i += c.l.Rows {
		rows := x.RowRange(i, min(i+c.l.Rows, x.Rows)).ColRange(j, k)
		in := c.scratchMatrix(0, rows.Rows, k-j)
		for r := range rows.Rows {
			copy(in.Row(r), rows.Row(r))
		}
		matrix.Mul(rows, in, c.inverseBlock(j), false)
	}
}

// SolveRows sets X = X·L⁻ᵀ (rows × n): every row x becomes L⁻¹x. Rows with covariance A then have
// covariance I. If ctx ends, SolveRows returns context.Cause(ctx) and leaves X undefined.
func (c *Cholesky) SolveRows(ctx context.Context, x matrix.Matrix[float64]) error {
	if x.Cols != c.l.Rows {
		panic("algebra: rows have another length than the factor")
	}
	n := c.l.Rows
	for j := 0; j < n; j += blockSize {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		k := min(j+blockSize, n)
		if j > 0 && x.Rows > 0 {
			// J is the column block j … k−1, and B is the column block before J. Set
			// X_J −= X_B · (L_JB)ᵀ.
			less := matrix.New[float64](j, k-j, nil)
			for r := j; r < k; r++ {
				for i, v := range c.l.Row(r)[:j] {
					less.Data[i*less.Stride+r-j] = -v
				}
			}
			dense.Product(ctx, x.ColRange(j, k), x.ColRange(0, j), less, true)
		}
		c.multiplyInverse(x, j, k)
	}
	return nil
}

// SolveTrans sets V = L⁻ᵀ·V (n × columns). If ctx ends, SolveTrans, Solve and MulTrans return
// context.Cause(ctx) and leave V undefined.
func (c *Cholesky) SolveTrans(ctx context.Context, v matrix.Matrix[float64]) error {
	n := c.l.Rows
	if v.Rows != n {
		panic("algebra: a right-hand side has other rows than the factor")
	}
	for k := n; k > 0; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		j := (k - 1) / blockSize * blockSize
		// J is the row block j … k−1. Set V_J = L_JJ⁻ᵀ · (V_J − Σ_i (L_iJ)ᵀ V_i), where i runs over
		// all rows below J.
		to := v.RowRange(j, k)
		in := matrix.New[float64](k-j, v.Cols, nil)
		for r := range to.Rows {
			copy(in.Row(r), to.Row(r))
		}
		if k < n {
			below := matrix.New[float64](n-k, k-j, nil)
			for r := k; r < n; r++ {
				for i, l := range c.l.Row(r)[j:k] {
					below.Set(r-k, i, -l)
				}
			}
			dense.TransProduct(ctx, in, below, v.RowRange(k, n), true)
		}
		matrix.Mul(to, c.inverseBlock(j), in, false)
		k = j
	}
	return nil
}

// Solve sets V = A⁻¹·V (n × columns).
func (c *Cholesky) Solve(ctx context.Context, v matrix.Matrix[float64]) error {
	t := matrix.New[float64](v.Cols, v.Rows, nil)
	matrix.Transpose(t, v)
	if err := c.SolveRows(ctx, t); err != nil {
		return err
	}
	matrix.Transpose(v, t)
	return c.SolveTrans(ctx, v)
}

// MulTrans sets V = Lᵀ·V (n × columns). It is the inverse of SolveTrans.
func (c *Cholesky) MulTrans(ctx context.Context, v matrix.Matrix[float64]) error {
	n := c.l.Rows
	if v.Rows != n {
		panic("algebra: an operand has other rows than the factor")
	}
	row := make([]float64, v.Cols)
	for i := range n {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		// Row i of Lᵀ contains L_ri for r ≥ i. Rows below i still contain V.
		clear(row)
		for r := i; r < n; r++ {
			l := c.l.At(r, i)
			for k, x := range v.Row(r) {
				row[k] = math.FMA(l, x, row[k])
			}
		}
		copy(v.Row(i), row)
	}
	return nil
}
