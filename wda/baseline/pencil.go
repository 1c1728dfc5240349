package baseline

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/subspace"
	"gonum.org/v1/gonum/mat"
)

// floor is what directions without scatter within classes are given of it, as a
// share of the total: it bounds the ratio of scatters and keeps the Cholesky factor
// well above its rounding errors.
const floor = 1e-11

// scaledCholesky factorises S = diag(s)·(B + floor·diag(total))·diag(s), with s such
// that S has a unit diagonal. s is 0 for a feature with no scatter at all, whose
// diagonal is 1 all the same. Scaling makes the floor mean the same for features in
// whatever units. b is overwritten.
func scaledCholesky(ctx context.Context, b *mat.Dense, total []float64) (chol *algebra.Cholesky, s []float64, err error) {
	d, _ := b.Dims()
	s = make([]float64, d)
	for j := range d {
		v := math.FMA(floor, total[j], b.At(j, j))
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
			row[i] = 1 + floor
		}
	})
	chol, ok := algebra.NewCholesky(ctx, dense.View(b))
	if !ok {
		return nil, nil, errFactorize
	}
	return chol, s, nil
}

// pencil returns the p leading solutions of A v = μ (B + floor·diag(total)) v, largest
// μ first, with vᵀ(B + …)v = 1. Both matrices are overwritten. total is the scatter of
// each feature that floor is a share of.
func pencil(ctx context.Context, a, b *mat.Dense, total []float64, p int) (v *mat.Dense, mu []float64, err error) {
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
	// L⁻¹ A L⁻ᵀ: rows, then, the matrix being symmetric, rows of the transpose
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
	if v, mu, err = leading(ctx, h, p); err != nil {
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

// leading returns the p leading eigenvectors of the symmetric matrix h, and their
// values. h may be overwritten.
func leading(ctx context.Context, h *mat.Dense, p int) (*mat.Dense, []float64, error) {
	d, _ := h.Dims()
	k := p + extraColumns
	if d <= denseDimension || 3*k > d {
		return topEigenvectors(ctx, h, p)
	}
	v := randomBlock(d, k)
	mu, err := subspace.Leading(ctx, func(dst, v *mat.Dense) { dense.Mul(ctx, dst, h, v) }, nil, v, p, nil)
	if err != nil {
		return nil, nil, err
	}
	return mat.DenseCopyOf(v.Slice(0, d, 0, p)), mu[:p], nil
}

// randomBlock returns the start of a block iteration, always the same.
func randomBlock(d, k int) *mat.Dense {
	rng := rand.New(rand.NewPCG(1, 1))
	v := mat.NewDense(d, k, nil)
	for i := range d {
		for j := range k {
			v.Set(i, j, float64(rng.Float64())-0.5)
		}
	}
	return v
}
