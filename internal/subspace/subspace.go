// Package subspace computes leading eigenvectors of large symmetric eigenvalue problems. It needs
// only products of a matrix with a few vectors at a time.
package subspace

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// Operator sets dst = A·v for a symmetric d × d matrix A. The matrices dst and v are d × k and do
// not overlap; k is at most the number of columns of the argument v of Leading. If the context of
// Leading ends, an Operator may return early and leave dst unfinished.
type Operator func(dst, v *mat.Dense)

// ErrFactorize means that a small eigenvalue problem did not converge, or that an operator is not
// symmetric or not positive definite as required.
var ErrFactorize = errors.New("subspace: Rayleigh–Ritz problem cannot be solved")

// Settings configures Leading. The zero value selects the defaults.
type Settings struct {
	// Tolerance ends the iterations when ‖A v − μ B v‖ ≤ Tolerance·μ₁·‖B v‖ for every
	// wanted vector. Default 1e-10.
	Tolerance float64
	// MaxSteps limits the number of iterations. Default 300. If Leading reaches the limit, it
	// returns its current vectors without an error.
	MaxSteps int
}

// Leading improves the columns of v (d × k), which must be linearly independent. At the end, columns
// 0 … want−1 are the eigenvectors of A v = μ B v with the largest eigenvalues μ, in descending order
// of μ, normalized to vᵀB v = 1. Leading returns all k eigenvalues. A is symmetric. B is symmetric
// and positive definite, or nil for the identity. Additional columns (k > want) speed up
// convergence.
//
// The method is LOBPCG (A. V. Knyazev, "Toward the optimal preconditioned eigensolver", SIAM J.
// Sci. Comput. 23, 2001) without a preconditioner. Each step solves the eigenvalue problem in the
// span of the vectors, their residuals and their last change. The residuals are orthonormalized
// against the vectors, because the small eigenvalue problem would otherwise be ill-conditioned near
// convergence (U. Hetmaniuk and R. Lehoucq, "Basis selection in LOBPCG", J. Comput. Phys. 218,
// 2006). One step applies A and B to k vectors.
func Leading(ctx context.Context, a, b Operator, v *mat.Dense, want int, settings *Settings) ([]float64, error) {
	var set Settings
	if settings != nil {
		set = *settings
	}
	if set.Tolerance == 0 {
		set.Tolerance = 1e-10
	}
	if set.MaxSteps == 0 {
		set.MaxSteps = 300
	}
	d, k := v.Dims()
	if want < 1 || want > k || k > d {
		return nil, fmt.Errorf("subspace: %d of %d vectors in %d dimensions", want, k, d)
	}
	orth := stiefel.New(d, k)
	if _, err := orth.Orthonormalize(ctx, v, v); err != nil {
		return nil, err
	}
	s := newBasis(d, k)
	if b == nil {
		s.bx = s.x
	}
	s.setBlock(0, v)
	s.blocks = 1
	s.apply(0, a, b)
	var mu []float64
	for step := 0; ; step++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var err error
		if mu, err = s.rayleighRitz(ctx); err != nil {
			return nil, err
		}
		residual := s.computeResiduals(mu, want)
		if residual <= set.Tolerance*math.Abs(mu[0]) || step == set.MaxSteps {
			break
		}
		if !s.extend(ctx, orth) {
			break // the residuals are rounding errors, so the vectors have converged
		}
		s.apply(1, a, b)
	}
	if ctx.Err() != nil { // an interrupted iteration may look converged
		return nil, context.Cause(ctx)
	}
	v.Copy(s.block(s.x, 0))
	return mu[:k], nil
}

// basis is the matrix S = [V R P] with the products A·S and B·S. The block V contains the vectors,
// R contains their residuals, and P contains their change in the previous step.
type basis struct {
	d, k             int
	blocks           int        // number of blocks of S in use, 1 to 3
	x, ax, bx        *mat.Dense // d × 3k
	residual         *mat.Dense // d × k
	scratch          *mat.Dense // d × k
	operand, product *mat.Dense // input and output of an Operator for one block, in contiguous memory
	hasChange        bool
}

func newBasis(d, k int) *basis {
	return &basis{d: d, k: k,
		x: mat.NewDense(d, 3*k, nil), ax: mat.NewDense(d, 3*k, nil), bx: mat.NewDense(d, 3*k, nil),
		residual: mat.NewDense(d, k, nil), scratch: mat.NewDense(d, k, nil), operand: mat.NewDense(d, k, nil), product: mat.NewDense(d, k, nil)}
}

func (s *basis) block(m *mat.Dense, i int) *mat.Dense {
	return m.Slice(0, s.d, i*s.k, (i+1)*s.k).(*mat.Dense)
}

func (s *basis) setBlock(i int, v *mat.Dense) { s.block(s.x, i).Copy(v) }

// apply computes block i of the products A·S and B·S.
func (s *basis) apply(i int, a, b Operator) {
	s.operand.Copy(s.block(s.x, i))
	a(s.product, s.operand)
	s.block(s.ax, i).Copy(s.product)
	if b == nil {
		return // bx is x
	}
	b(s.product, s.operand)
	s.block(s.bx, i).Copy(s.product)
}

// rayleighRitz replaces the block V of S with the best k vectors in the span of S. These vectors are
// linear combinations of columns of V, R and P. The terms of R and P become the new block P. It
// also updates the products A·S and B·S, and returns the k eigenvalues μ.
func (s *basis) rayleighRitz(ctx context.Context) ([]float64, error) {
	m := s.blocks * s.k
	x, ax, bx := leadingColumns(s.x, m), leadingColumns(s.ax, m), leadingColumns(s.bx, m)
	var ga, gb mat.Dense
	dense.TransMul(ctx, &ga, x, ax)
	dense.TransMul(ctx, &gb, x, bx)
	c, mu, err := solvePencil(ctx, &ga, &gb)
	if err != nil {
		return nil, err
	}
	top := mat.NewDense(m, s.k, nil)
	for i := range m {
		copy(top.RawRowView(i), c.Row(i))
	}
	// P, the change of V, is S·top with the coefficients of V set to zero.
	change := mat.DenseCopyOf(top)
	change.Slice(0, s.k, 0, s.k).(*mat.Dense).Zero()
	s.hasChange = s.blocks > 1
	all := []*mat.Dense{s.x, s.ax, s.bx}
	if s.bx == s.x {
		all = all[:2]
	}
	for _, t := range all {
		old := leadingColumns(t, m)
		dense.Mul(ctx, s.product, old, top)
		if s.hasChange {
			dense.Mul(ctx, s.operand, old, change)
			s.block(t, 2).Copy(s.operand)
		}
		s.block(t, 0).Copy(s.product)
	}
	return mu[:s.k], nil
}

// Dense returns the eigenvectors of A v = μ B v for the k largest eigenvalues μ, in descending order of
// μ and normalized to vᵀB v = 1. It also returns these eigenvalues. A and B are symmetric up to
// rounding. B is positive definite, or nil for the identity. The time is cubic in the dimension. If ctx
// ends, Dense returns context.Cause(ctx).
func Dense(ctx context.Context, a, b mat.Matrix, k int) (*mat.Dense, []float64, error) {
	d, _ := a.Dims()
	if k < 1 || k > d {
		return nil, nil, fmt.Errorf("subspace: %d vectors in %d dimensions", k, d)
	}
	all, values, err := solvePencil(ctx, a, b)
	if err != nil {
		return nil, nil, err
	}
	v, mu := mat.NewDense(d, k, nil), values[:k]
	for i := range d {
		copy(v.RawRowView(i), all.Row(i))
	}
	return v, mu, nil
}

// solvePencil returns all solutions of A v = μ B v, or of A v = μ v if b is nil, in order of
// descending μ.
func solvePencil(ctx context.Context, a, b mat.Matrix) (v matrix.Matrix[float64], mu []float64, err error) {
	var ok bool
	if b == nil {
		mu, v, ok = algebra.Eigen(ctx, symmetricPart(a))
	} else {
		mu, v, ok = algebra.Pencil(ctx, symmetricPart(a), symmetricPart(b))
	}
	if !ok {
		err = ErrFactorize
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}
	return v, mu, err
}

// symmetricPart returns (m + mᵀ)/2.
func symmetricPart(m mat.Matrix) matrix.Matrix[float64] {
	n, _ := m.Dims()
	s := matrix.New[float64](n, n, nil)
	for i := range n {
		row := s.Row(i)
		for j := range row {
			row[j] = (m.At(i, j) + m.At(j, i)) / 2
		}
	}
	return s
}

// computeResiduals sets residual = A V − B V diag(μ). It returns the largest norm of columns
// 0 … want−1 of residual, relative to the norm of the same column of B V.
func (s *basis) computeResiduals(mu []float64, want int) float64 {
	av, bv := s.block(s.ax, 0), s.block(s.bx, 0)
	size, norm := make([]float64, s.k), make([]float64, s.k)
	for i := range s.d {
		r, a, b := s.residual.RawRowView(i), av.RawRowView(i), bv.RawRowView(i)
		for j := range r {
			r[j] = math.FMA(-mu[j], b[j], a[j])
			size[j] = math.FMA(r[j], r[j], size[j])
			norm[j] = math.FMA(b[j], b[j], norm[j])
		}
	}
	var worst float64
	for j := range want {
		worst = max(worst, math.Sqrt(size[j]/norm[j]))
	}
	return worst
}

// extend sets the block R of the basis to the residuals, orthonormalized against V. It returns
// false if the residuals add no direction. It also decides whether the basis includes the block P.
func (s *basis) extend(ctx context.Context, orth *stiefel.Manifold) bool {
	v := s.block(s.x, 0)
	var q mat.Dense
	q.CloneFrom(v)
	if _, err := orth.Orthonormalize(ctx, &q, &q); err != nil {
		return false
	}
	if !s.orthonormalizeAgainst(ctx, s.residual, &q, orth) {
		return false
	}
	s.setBlock(1, s.residual)
	s.blocks = 2
	if s.hasChange {
		// Use the block P (the previous change of the vectors) without orthonormalizing it. Otherwise
		// the products A·P and B·P would have to be computed again. Omit P if it adds little to the
		// span of the other two blocks.
		p := s.block(s.x, 2)
		s.scratch.Copy(p)
		before := frobeniusNorm(s.scratch)
		removeComponent(ctx, s.scratch, &q)
		removeComponent(ctx, s.scratch, s.residual)
		if before > 0 && frobeniusNorm(s.scratch) > 1e-3*before && wellConditioned(ctx, s.scratch) {
			s.blocks = 3
		}
	}
	return true
}

// orthonormalizeAgainst makes the columns of r orthonormal and orthogonal to the columns of q. It
// reports false if r would contain only rounding errors.
func (s *basis) orthonormalizeAgainst(ctx context.Context, r, q *mat.Dense, orth *stiefel.Manifold) bool {
	before := frobeniusNorm(r)
	for range 2 { // twice is enough
		removeComponent(ctx, r, q)
	}
	if !(frobeniusNorm(r) > 1e-14*before) {
		return false
	}
	if _, err := orth.Orthonormalize(ctx, r, r); err != nil {
		return false
	}
	// Orthonormalize replaced dependent columns with arbitrary directions. Make these directions
	// orthogonal to q as well.
	removeComponent(ctx, r, q)
	_, err := orth.Orthonormalize(ctx, r, r)
	return err == nil
}

// removeComponent removes from r its component in the span of the orthonormal columns of q.
func removeComponent(ctx context.Context, r, q *mat.Dense) {
	var c, d mat.Dense
	dense.TransMul(ctx, &c, q, r)
	dense.Mul(ctx, &d, q, &c)
	r.Sub(r, &d)
}

// leadingColumns returns the first m columns of t.
func leadingColumns(t *mat.Dense, m int) *mat.Dense {
	d, _ := t.Dims()
	return t.Slice(0, d, 0, m).(*mat.Dense)
}

func frobeniusNorm(m *mat.Dense) float64 {
	var sum float64
	for i := range m.RawMatrix().Rows {
		row := m.RawRowView(i)
		sum += algebra.Dot(row, row)
	}
	return math.Sqrt(sum)
}

// wellConditioned reports whether the condition number of pᵀp is below 1e12.
func wellConditioned(ctx context.Context, p *mat.Dense) bool {
	var g mat.Dense
	dense.TransMul(ctx, &g, p, p)
	values, _, ok := algebra.Eigen(ctx, symmetricPart(&g))
	return ok && values[len(values)-1] > 1e-12*values[0]
}
