package baselines

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/projection"
	"gonum.org/v1/gonum/mat"
)

// scaledCholesky factorizes S = diag(s)·(B + projection.Floor·diag(total))·diag(s), with a vector s
// that gives S a unit diagonal. For a feature without scatter, the element of s is 0, but the
// diagonal element of S is still 1. Because of this scaling, the effect of projection.Floor does
// not depend on the units of the features. The matrix b is overwritten.
func scaledCholesky(ctx context.Context, b *mat.Dense, total []float64) (chol *algebra.Cholesky, s []float64, err error) {
	d, _ := b.Dims()
	s = make([]float64, d)
	for j := range d {
		v := math.FMA(projection.Floor, total[j], b.At(j, j))
		if v > 0 {
			s[j] = 1 / math.Sqrt(v)
		}
	}
	dense.Pass(ctx, d, d, func(from, to int) {
		for i := from; i < to; i++ {
			row := b.RawRowView(i)
			for j := range i {
				row[j] *= s[i] * s[j]
			}
			row[i] = 1 + projection.Floor
		}
	})
	chol, ok := algebra.NewCholesky(ctx, dense.View(b))
	if !ok {
		return nil, nil, projection.ErrFactorize
	}
	return chol, s, nil
}

// solvePencil solves the generalized eigenvalue problem A v = μ M v and returns the p solutions
// with the largest μ, in decreasing order. Here M = B + projection.Floor·diag(total), and total
// contains the scatter of each feature. The eigenvectors satisfy vᵀMv = 1. The matrices a and b are
// overwritten.
func solvePencil(ctx context.Context, a, b *mat.Dense, total []float64, p int) (v *mat.Dense, mu []float64, err error) {
	d, _ := a.Dims()
	l, s, err := scaledCholesky(ctx, b, total)
	if err != nil {
		return nil, nil, err
	}
	dense.Pass(ctx, d, d, func(from, to int) {
		for i := from; i < to; i++ {
			row := a.RawRowView(i)
			for j := range row {
				row[j] *= s[i] * s[j]
			}
		}
	})
	// To compute L⁻¹ A L⁻ᵀ, solve a triangular system for every row of A, transpose the result, and
	// solve again for every row.
	h := mat.NewDense(d, d, nil)
	if err := l.SolveRows(ctx, dense.View(a)); err != nil {
		return nil, nil, err
	}
	dense.Transpose(ctx, dense.View(h), dense.View(a))
	if err := l.SolveRows(ctx, dense.View(h)); err != nil {
		return nil, nil, err
	}
	for i := 0; i < d && ctx.Err() == nil; i++ {
		for j := range i {
			m := (h.At(i, j) + h.At(j, i)) / 2
			h.Set(i, j, m)
			h.Set(j, i, m)
		}
	}
	if v, mu, err = projection.Leading(ctx, h, p); err != nil {
		return nil, nil, err
	}
	if err := l.SolveTrans(ctx, dense.View(v)); err != nil {
		return nil, nil, err
	}
	for i := range d {
		row := v.RawRowView(i)
		for k := range row {
			row[k] *= s[i]
		}
	}
	return v, mu, nil
}
