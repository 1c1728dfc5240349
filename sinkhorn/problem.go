package sinkhorn

import (
	"errors"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
)

// Problem is one transport problem. The cost is either a matrix or the squared
// Euclidean distances between the rows of two point clouds. Nothing in it is
// changed or kept beyond the result.
type Problem[T dist.Float] struct {
	// Cost is the n × m cost matrix M, finite. Leave it zero to give points.
	Cost dist.Matrix[T]
	// X and Y are point clouds, n × p and m × p, rows are points. X and Y may be
	// the same cloud.
	X, Y dist.Matrix[T]
	// A and B are the marginals of length n and m: not negative, finite, and with
	// equal sums to within a relative 1e-6 (1e-4 in float32); they are used as they
	// are. nil is uniform, every weight 1/n or 1/m. A zero weight is allowed, a
	// positive one below 2⁻¹⁰⁰⁰ (2⁻¹⁰⁰ in float32) is not: its reciprocal would be
	// out of range.
	A, B []T
	// Lambda multiplies the cost in exp(−λM). 0 means Settings.Lambda.
	Lambda float64
}

// Errors of a problem. The solver wraps them with the position of what is wrong.
var (
	ErrShape     = errors.New("sinkhorn: shapes do not match")
	ErrNotFinite = errors.New("sinkhorn: value is not finite")
	ErrMarginals = errors.New("sinkhorn: bad marginals")
	ErrLambda    = errors.New("sinkhorn: λ must be positive and finite")
	ErrSettings  = errors.New("sinkhorn: bad settings")
	// ErrRange: costs, or λ times the largest cost, leave the range of the type
	// altogether, so that not even the log domain can represent them.
	ErrRange = errors.New("sinkhorn: λ·cost is beyond the floating-point range")
	// ErrUnderflow: Domain was Plain and a scaling left the range in which the
	// plain iteration is accurate.
	ErrUnderflow = errors.New("sinkhorn: a scaling under- or overflows in the plain domain")
	// ErrNoGradient: the solver was made without Settings.Gradient.
	ErrNoGradient = errors.New("sinkhorn: gradient was not asked for in the settings")
)

// prepare checks p and copies marginals into the workspace.
func (s *Solver[T]) prepare(p *Problem[T]) error {
	s.points = p.Cost.IsEmpty()
	if s.points {
		if !p.Cost.IsEmpty() || p.X.IsEmpty() || p.Y.IsEmpty() {
			return fmt.Errorf("%w: neither a cost matrix nor two point clouds", ErrShape)
		}
		if p.X.Cols != p.Y.Cols {
			return fmt.Errorf("%w: points of %d and %d dimensions", ErrShape, p.X.Cols, p.Y.Cols)
		}
		if err := checkMatrix("X", p.X); err != nil {
			return err
		}
		if err := checkMatrix("Y", p.Y); err != nil {
			return err
		}
		s.n, s.m, s.p = p.X.Rows, p.Y.Rows, p.X.Cols
	} else {
		if !p.X.IsEmpty() || !p.Y.IsEmpty() {
			return fmt.Errorf("%w: both a cost matrix and points", ErrShape)
		}
		if err := checkMatrix("cost", p.Cost); err != nil {
			return err
		}
		s.n, s.m, s.p = p.Cost.Rows, p.Cost.Cols, 0
	}
	s.lambda = p.Lambda
	if s.lambda == 0 {
		s.lambda = s.settings.Lambda
	}
	if !(s.lambda > 0) || math.IsInf(s.lambda, 1) {
		return fmt.Errorf("%w: it is %v", ErrLambda, s.lambda)
	}
	s.c = T(-s.lambda * math.Log2E)
	s.problem = *p
	s.grow()
	return s.marginals()
}

func checkMatrix[T dist.Float](name string, m dist.Matrix[T]) error {
	if m.Stride < m.Cols || len(m.Data) < (m.Rows-1)*m.Stride+m.Cols {
		return fmt.Errorf("%w: %s: %d elements for a %d × %d matrix of stride %d", ErrShape, name, len(m.Data), m.Rows, m.Cols, m.Stride)
	}
	return nil
}

func (s *Solver[T]) marginals() error {
	sumA, err := s.marginal("A", s.a, s.problem.A)
	if err != nil {
		return err
	}
	sumB, err := s.marginal("B", s.b, s.problem.B)
	if err != nil {
		return err
	}
	if tol := s.limits.mass; math.Abs(sumA-sumB) > tol*math.Max(sumA, sumB) {
		return fmt.Errorf("%w: A sums to %v and B to %v", ErrMarginals, sumA, sumB)
	}
	s.mass = sumA
	return nil
}

// marginal fills dst from given, or uniformly, and returns its sum.
func (s *Solver[T]) marginal(name string, dst, given []T) (float64, error) {
	if given == nil {
		w := 1 / T(len(dst))
		for i := range dst {
			dst[i] = w
		}
		return 1, nil
	}
	if len(given) != len(dst) {
		return 0, fmt.Errorf("%w: marginal %s has %d weights for %d points", ErrShape, name, len(given), len(dst))
	}
	var sum float64
	for i, w := range given {
		if !(w >= 0) || math.IsInf(float64(w), 1) {
			return 0, fmt.Errorf("%w: %s[%d] = %v", ErrMarginals, name, i, w)
		}
		if w > 0 && w < s.limits.weight {
			return 0, fmt.Errorf("%w: %s[%d] = %v is too small; use 0", ErrMarginals, name, i, w)
		}
		sum += float64(w)
	}
	if sum == 0 {
		return 0, fmt.Errorf("%w: %s has no mass", ErrMarginals, name)
	}
	copy(dst, given)
	return sum, nil
}

// notFinite names the first value of the problem that is not finite, if any.
func (s *Solver[T]) notFinite() error {
	p := &s.problem
	for _, c := range []struct {
		name string
		m    dist.Matrix[T]
	}{{"cost", p.Cost}, {"X", p.X}, {"Y", p.Y}} {
		for i := range c.m.Rows {
			for j, x := range c.m.Row(i) {
				if x-x != 0 {
					return fmt.Errorf("%w: %s, row %d, column %d is %v", ErrNotFinite, c.name, i, j, x)
				}
			}
		}
	}
	return nil
}
