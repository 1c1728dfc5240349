// Package subspace finds leading eigenvectors of large symmetric problems of which
// only products with a few vectors at a time are known. It knows no data.
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

// Operator sets dst = A·v for a symmetric d × d matrix A. dst and v are d × k, with
// k up to the number of columns of the start; they do not overlap. Where the context of
// Leading ends it may return early, whatever dst is then.
type Operator func(dst, v *mat.Dense)

// ErrFactorize: a small eigenvalue problem has not converged, or an operator is not
// what it should be.
var ErrFactorize = errors.New("subspace: Rayleigh–Ritz problem cannot be solved")

// Settings of Leading. The zero value works.
type Settings struct {
	// Tolerance ends the iterations when ‖A v − μ B v‖ ≤ Tolerance·μ₁·‖B v‖ for every
	// wanted vector. Default 1e-10.
	Tolerance float64
	// MaxSteps bounds the iterations. Default 300. Reaching it is no error: what has
	// been found is returned.
	MaxSteps int
}

// Leading improves the columns of v (d × k), which must be linearly independent,
// until the first want of them are the eigenvectors of A v = μ B v with the largest
// μ, largest first, normalized to vᵀB v = 1, and returns all k values μ. A is
// symmetric, B symmetric and positive definite, or nil for the identity. More
// columns than wanted speed up convergence.
//
// It is LOBPCG (A. V. Knyazev, "Toward the optimal preconditioned eigensolver",
// SIAM J. Sci. Comput. 23, 2001) without a preconditioner: each step maximizes over
// the span of the vectors, their residuals and their last change. The three are
// kept orthonormal to each other (U. Hetmaniuk and R. Lehoucq, "Basis selection in
// LOBPCG", J. Comput. Phys. 218, 2006), without which the small problem breaks down
// near convergence. One step applies A and B to k vectors.
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
	s.set(0, v)
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
		residual := s.residuals(mu, want)
		if residual <= set.Tolerance*math.Abs(mu[0]) || step == set.MaxSteps {
			break
		}
		if !s.extend(ctx, orth) {
			break // the residuals lie in the span already: converged to rounding
		}
		s.apply(1, a, b)
	}
	if ctx.Err() != nil { // and what looks like convergence is not
		return nil, context.Cause(ctx)
	}
	v.Copy(s.block(s.x, 0))
	return mu[:k], nil
}

// basis is S = [V R P] with A·S and B·S, of which the first blocks are in use.
type basis struct {
	d, k      int
	blocks    int
	x, ax, bx *mat.Dense // d × 3k
	r         *mat.Dense // residuals, d × k
	tmp       *mat.Dense // d × k
	in, out   *mat.Dense // contiguous operands of the operators
	hasChange bool
}

func newBasis(d, k int) *basis {
	return &basis{d: d, k: k,
		x: mat.NewDense(d, 3*k, nil), ax: mat.NewDense(d, 3*k, nil), bx: mat.NewDense(d, 3*k, nil),
		r: mat.NewDense(d, k, nil), tmp: mat.NewDense(d, k, nil), in: mat.NewDense(d, k, nil), out: mat.NewDense(d, k, nil)}
}

func (s *basis) block(m *mat.Dense, i int) *mat.Dense {
	return m.Slice(0, s.d, i*s.k, (i+1)*s.k).(*mat.Dense)
}

func (s *basis) set(i int, v *mat.Dense) { s.block(s.x, i).Copy(v) }

// apply fills block i of A·S and B·S.
func (s *basis) apply(i int, a, b Operator) {
	s.in.Copy(s.block(s.x, i))
	a(s.out, s.in)
	s.block(s.ax, i).Copy(s.out)
	if b == nil {
		return // B·S is S
	}
	b(s.out, s.in)
	s.block(s.bx, i).Copy(s.out)
}

// rayleighRitz replaces V by the best k vectors in the span of S, and P by what
// they owe to R and P, all with their products. It returns the k values.
func (s *basis) rayleighRitz(ctx context.Context) ([]float64, error) {
	m := s.blocks * s.k
	x, ax, bx := columns(s.x, m), columns(s.ax, m), columns(s.bx, m)
	var ga, gb mat.Dense
	dense.TransMul(ctx, &ga, x, ax)
	dense.TransMul(ctx, &gb, x, bx)
	c, mu, err := solve(ctx, &ga, &gb)
	if err != nil {
		return nil, err
	}
	top := mat.NewDense(m, s.k, nil)
	for i := range m {
		copy(top.RawRowView(i), c.Row(i))
	}
	// The change P = S·top without the share of V.
	change := mat.DenseCopyOf(top)
	change.Slice(0, s.k, 0, s.k).(*mat.Dense).Zero()
	s.hasChange = s.blocks > 1
	all := []*mat.Dense{s.x, s.ax, s.bx}
	if s.bx == s.x {
		all = all[:2]
	}
	for _, t := range all {
		old := columns(t, m)
		dense.Mul(ctx, s.out, old, top)
		if s.hasChange {
			dense.Mul(ctx, s.in, old, change)
			s.block(t, 2).Copy(s.in)
		}
		s.block(t, 0).Copy(s.out)
	}
	return mu[:s.k], nil
}

// Dense returns the want eigenvectors of A v = μ B v with the largest μ, largest
// first, normalized to vᵀB v = 1, and their μ. A and B are symmetric, up to rounding,
// and B is positive definite, or nil for the identity. It takes time in the cube of
// the dimension. When the context ends the error is its cause.
func Dense(ctx context.Context, a, b mat.Matrix, want int) (*mat.Dense, []float64, error) {
	d, _ := a.Dims()
	if want < 1 || want > d {
		return nil, nil, fmt.Errorf("subspace: %d vectors in %d dimensions", want, d)
	}
	all, values, err := solve(ctx, a, b)
	if err != nil {
		return nil, nil, err
	}
	v, mu := mat.NewDense(d, want, nil), values[:want]
	for i := range d {
		copy(v.RawRowView(i), all.Row(i))
	}
	return v, mu, nil
}

// solve returns all solutions of A v = μ B v, or of A v = μ v if b is nil, largest μ
// first.
func solve(ctx context.Context, a, b mat.Matrix) (v matrix.Matrix[float64], mu []float64, err error) {
	var ok bool
	if b == nil {
		mu, v, ok = algebra.Eigen(ctx, symmetric(a))
	} else {
		mu, v, ok = algebra.Pencil(ctx, symmetric(a), symmetric(b))
	}
	if !ok {
		err = ErrFactorize
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}
	return v, mu, err
}

// symmetric returns (m + mᵀ)/2.
func symmetric(m mat.Matrix) matrix.Matrix[float64] {
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

// residuals sets r = A V − B V diag(μ) and returns the largest norm of the first
// want columns, relative to that of B v.
func (s *basis) residuals(mu []float64, want int) float64 {
	av, bv := s.block(s.ax, 0), s.block(s.bx, 0)
	size, norm := make([]float64, s.k), make([]float64, s.k)
	for i := range s.d {
		r, a, b := s.r.RawRowView(i), av.RawRowView(i), bv.RawRowView(i)
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

// extend makes the residuals block 1 and the change block 2 of the basis, both
// orthonormal to what comes before. It reports whether the residuals add anything.
func (s *basis) extend(ctx context.Context, orth *stiefel.Manifold) bool {
	v := s.block(s.x, 0)
	var q mat.Dense
	q.CloneFrom(v)
	if _, err := orth.Orthonormalize(ctx, &q, &q); err != nil {
		return false
	}
	if !s.without(ctx, s.r, &q, orth) {
		return false
	}
	s.set(1, s.r)
	s.blocks = 2
	if s.hasChange {
		// P is not made orthonormal: its products would have to be made anew. It is
		// left out where it hardly adds to V and R.
		p := s.block(s.x, 2)
		s.tmp.Copy(p)
		before := norm(s.tmp)
		remove(ctx, s.tmp, &q)
		remove(ctx, s.tmp, s.r)
		if before > 0 && norm(s.tmp) > 1e-3*before && wellConditioned(ctx, s.tmp) {
			s.blocks = 3
		}
	}
	return true
}

// without makes r orthonormal and orthogonal to q. It reports false where nothing
// but rounding would be left.
func (s *basis) without(ctx context.Context, r, q *mat.Dense, orth *stiefel.Manifold) bool {
	before := norm(r)
	for range 2 { // twice is enough
		remove(ctx, r, q)
	}
	if !(norm(r) > 1e-14*before) {
		return false
	}
	if _, err := orth.Orthonormalize(ctx, r, r); err != nil {
		return false
	}
	// Columns that had no direction of their own have been filled in: make sure
	// that these, too, are orthogonal to q.
	remove(ctx, r, q)
	_, err := orth.Orthonormalize(ctx, r, r)
	return err == nil
}

// remove takes from r its component in the span of the orthonormal columns of q.
func remove(ctx context.Context, r, q *mat.Dense) {
	var c, d mat.Dense
	dense.TransMul(ctx, &c, q, r)
	dense.Mul(ctx, &d, q, &c)
	r.Sub(r, &d)
}

// columns returns the first m columns of t.
func columns(t *mat.Dense, m int) *mat.Dense {
	d, _ := t.Dims()
	return t.Slice(0, d, 0, m).(*mat.Dense)
}

// norm returns the Frobenius norm.
func norm(m *mat.Dense) float64 {
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
	values, _, ok := algebra.Eigen(ctx, symmetric(&g))
	return ok && values[len(values)-1] > 1e-12*values[0]
}
