package algebra

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
)

// block is the number of columns that a blocked algorithm takes at once: what is done
// element by element is of the order of block·n², the rest are products.
const block = 48

// Cholesky is the factor L of a symmetric positive definite matrix A = L·Lᵀ (n × n).
//
// It is the left-looking blocked algorithm (G. H. Golub and C. F. Van Loan, Matrix
// Computations, 4th ed., algorithm 4.2.2 and section 4.2.6), and triangular systems
// are solved block by block with the inverses of the diagonal blocks, so that all but a
// share block/n of the work are products (J. J. Du Croz and N. J. Higham, "Stability of
// methods for matrix inversion", IMA J. Numer. Anal. 12, 1992).
type Cholesky struct {
	l       matrix.Matrix[float64] // its upper triangle is not defined
	inverse []float64              // (L_bb⁻¹)ᵀ of each diagonal block, block × block
	scratch []float64              // n × min(n, block)
}

// NewCholesky factorizes a, whose lower triangle it overwrites and keeps. It reports
// false, and a is spoiled, if a is not positive definite to rounding or not finite, or the
// context ends.
func NewCholesky(ctx context.Context, a matrix.Matrix[float64]) (*Cholesky, bool) {
	n := a.Rows
	if a.Cols != n {
		panic("algebra: a matrix to factorize is not square")
	}
	c := &Cholesky{
		l:       a,
		inverse: make([]float64, n*block),
		scratch: make([]float64, n*min(n, block)),
	}
	for j := 0; j < n; j += block {
		k := min(j+block, n)
		if j > 0 {
			// A_iJ −= L_i,0…j · (L_J,0…j)ᵀ for the rows from j on
			less := c.part(0, j, k-j)
			for r := j; r < k; r++ {
				for i, v := range a.Row(r)[:j] {
					less.Data[i*less.Stride+r-j] = -v
				}
			}
			rows := a.RowRange(j, n)
			dense.Product(ctx, rows.ColRange(j, k), rows.ColRange(0, j), less, true)
		}
		if ctx.Err() != nil || !factorize(a, j, k) {
			return nil, false
		}
		c.invert(j, k)
		if k < n {
			// L_iJ = A_iJ · L_JJ⁻ᵀ for the rows below
			c.timesInverse(a.RowRange(k, n), j, k)
		}
	}
	return c, true
}

// CholeskyOf returns the factor whose lower triangle is that of l (n × n), which it keeps.
func CholeskyOf(l matrix.Matrix[float64]) *Cholesky {
	n := l.Rows
	c := &Cholesky{l: l, inverse: make([]float64, n*block), scratch: make([]float64, n*min(n, block))}
	for j := 0; j < n; j += block {
		c.invert(j, min(j+block, n))
	}
	return c
}

// part returns scratch for rows i … i+rows−1 and the given columns.
func (c *Cholesky) part(i, rows, cols int) matrix.Matrix[float64] {
	return matrix.New(rows, cols, c.scratch[i*cols:][:rows*cols])
}

// factorize is the unblocked algorithm for rows and columns j … k−1.
func factorize(a matrix.Matrix[float64], j, k int) bool {
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

// diagonal returns (L_JJ⁻¹)ᵀ for the block that begins at j.
func (c *Cholesky) diagonal(j int) matrix.Matrix[float64] {
	w := min(block, c.l.Rows-j)
	return matrix.Matrix[float64]{Rows: w, Cols: w, Stride: block, Data: c.inverse[j*block:][:(w-1)*block+w]}
}

// invert sets the inverse of the diagonal block j … k−1 by forward substitution.
func (c *Cholesky) invert(j, k int) {
	inv := c.diagonal(j)
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

// timesInverse multiplies columns j … k−1 of x by L_JJ⁻ᵀ.
func (c *Cholesky) timesInverse(x matrix.Matrix[float64], j, k int) {
	for i := 0; i < x.Rows; i += c.l.Rows {
		rows := x.RowRange(i, min(i+c.l.Rows, x.Rows)).ColRange(j, k)
		in := c.part(0, rows.Rows, k-j)
		for r := range rows.Rows {
			copy(in.Row(r), rows.Row(r))
		}
		matrix.Mul(rows, in, c.diagonal(j), false)
	}
}

// SolveRows sets X = X·L⁻ᵀ (rows × n): every row x becomes L⁻¹x, so that rows whose
// covariance is A have covariance I. X is spoiled, and the error the context's cause, if
// that ends first.
func (c *Cholesky) SolveRows(ctx context.Context, x matrix.Matrix[float64]) error {
	if x.Cols != c.l.Rows {
		panic("algebra: rows have another length than the factor")
	}
	n := c.l.Rows
	for j := 0; j < n; j += block {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		k := min(j+block, n)
		if j > 0 && x.Rows > 0 {
			// X_J −= X_0…j · (L_J,0…j)ᵀ
			less := matrix.New[float64](j, k-j, nil)
			for r := j; r < k; r++ {
				for i, v := range c.l.Row(r)[:j] {
					less.Data[i*less.Stride+r-j] = -v
				}
			}
			dense.Product(ctx, x.ColRange(j, k), x.ColRange(0, j), less, true)
		}
		c.timesInverse(x, j, k)
	}
	return nil
}

// SolveTrans sets V = L⁻ᵀ·V (n × columns). V is spoiled, and the error the context's
// cause, if that ends first; so it is with Solve and MulTrans.
func (c *Cholesky) SolveTrans(ctx context.Context, v matrix.Matrix[float64]) error {
	n := c.l.Rows
	if v.Rows != n {
		panic("algebra: a right-hand side has other rows than the factor")
	}
	for k := n; k > 0; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		j := (k - 1) / block * block
		// V_J = L_JJ⁻ᵀ · (V_J − Σ (L_iJ)ᵀ V_i), i the rows below
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
		matrix.Mul(to, c.diagonal(j), in, false)
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

// MulTrans sets V = Lᵀ·V (n × columns), which SolveTrans undoes.
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
		// row i of Lᵀ has L_ri for r ≥ i, and rows below i are still those of V
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
