package sinkhorn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/fault"
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
	// equal sums, of at most a quarter of the largest float64, to within a relative 1e-6
	// (1e-4 in float32); they are used as they are. nil is uniform, every weight 1/n or 1/m. A zero weight is allowed, a
	// positive one below 2⁻⁸⁰⁰ (2⁻⁸⁰ in float32 and with StorageMixed storage) is not:
	// quotients by it would be out of range. With StorageMixed storage none may exceed the
	// largest float32.
	A, B []T
	// PenaltyA and PenaltyB, if positive, are the prices of a plan T whose marginals are not A and
	// B: the problem is then to minimize
	//
	//	⟨T, M⟩ + KL(T | a⊗b)/λ + PenaltyA·KL(T1 | a) + PenaltyB·KL(Tᵀ1 | b),
	//
	// KL(x | y) = Σ x log(x/y) − x + y, and A and B may have different sums. 0 or +Inf is a
	// marginal that holds exactly: bit for bit the balanced problem, if both do or if
	// ρλ ≥ 2⁶⁰. Prices exclude Settings.Gradient. With StorageMixed
	// storage, points far from all others may keep a tolerance below 1e-6 out of reach.
	PenaltyA, PenaltyB float64
	// Mass, if positive, is that of the plan, and A and B are upper bounds of its marginals:
	// partial transport. It is at most the smaller of their sums, excludes prices and
	// Settings.Gradient, and is solved by plain iterations.
	Mass float64
	// Lambda multiplies the cost in exp(−λM). 0 means Settings.Lambda.
	Lambda float64
	// Start, of length n, is the logarithm of u⁰, for example the first potentials
	// of a problem solved before (Result.PotentialsTo): with it the iterations start
	// where those ended. nil is u⁰ = 1. Nothing else is needed, as the first thing
	// an iteration does is to compute v from u. −Inf is allowed where A is 0. Only
	// differences matter, but digits are lost to a large common part: as with
	// λ·cost, see LowPrecision and ErrRange. With Settings.Anneal, annealing starts
	// from Start·λ₀/λ.
	Start []T
}

// Errors of a problem. The solver wraps them with the position of what is wrong. ErrShape,
// ErrNotFinite and ErrSettings are those of package wda, too.
var (
	ErrShape     = fault.ErrShape
	ErrNotFinite = fault.ErrNotFinite
	ErrMarginals = errors.New("sinkhorn: bad marginals")
	// ErrSettings: settings, or a problem's λ, that make no sense, that imply more than
	// MaxMemory, or that lack what is asked for.
	ErrSettings = fault.ErrSettings
	// ErrRange: costs, λ times the largest cost, λ itself, a starting potential or a
	// result leave the range of the type altogether, so that not even the log domain
	// can represent them; or, with Domain DomainPlain, a scaling leaves the range in which the
	// plain iteration is accurate.
	ErrRange = errors.New("sinkhorn: λ·cost is beyond the floating-point range")
	// ErrNotConverged: what was asked for exists at convergence only, and the
	// iterations ended before.
	ErrNotConverged = errors.New("sinkhorn: the iterations have not converged")
)

// errUnderflow is what DomainPlain makes of problems that DomainAuto solves in the log domain.
var errUnderflow = fmt.Errorf("%w of the plain domain: a scaling under- or overflows", ErrRange)

// errNoGradient is what gradients through the iterations are without Settings.Gradient.
var errNoGradient = fmt.Errorf("%w: the gradient was not asked for", ErrSettings)

// prepare makes p the problem at hand.
func (s *Solver[T]) prepare(ctx context.Context, p *Problem[T]) error {
	if err := s.admit(p); err != nil {
		return err
	}
	s.placed = true
	return s.geo.transpose(ctx)
}

// admit checks p, sizes the workspace and copies marginals into it.
func (s *Solver[T]) admit(p *Problem[T]) error {
	geo := &s.geo
	if p.Cost.IsEmpty() {
		if p.X.IsEmpty() || p.Y.IsEmpty() {
			return fmt.Errorf("%w: neither a cost matrix nor two point clouds", ErrShape)
		}
		if p.X.Cols != p.Y.Cols {
			return fmt.Errorf("%w: points of %d and %d dimensions", ErrShape, p.X.Cols, p.Y.Cols)
		}
		if err := cmp.Or(checkMatrix("X", p.X), checkMatrix("Y", p.Y)); err != nil {
			return err
		}
		geo.setPoints(p.X, p.Y)
	} else {
		if !p.X.IsEmpty() || !p.Y.IsEmpty() {
			return fmt.Errorf("%w: both a cost matrix and points", ErrShape)
		}
		if err := checkMatrix("cost", p.Cost); err != nil {
			return err
		}
		geo.setCost(p.Cost)
	}
	lambda := p.Lambda
	if lambda == 0 {
		lambda = s.settings.Lambda
	}
	if !(lambda > 0) || math.IsInf(lambda, 1) {
		return fmt.Errorf("%w: λ must be positive and finite, not %v", ErrSettings, lambda)
	}
	if !s.setLambda(lambda) {
		return fmt.Errorf("%w: λ = %v", ErrRange, lambda)
	}
	if err := s.setUnequal(p); err != nil {
		return err
	}
	if p.Start != nil {
		if len(p.Start) != geo.n {
			return fmt.Errorf("%w: %d starting potentials for %d points", ErrShape, len(p.Start), geo.n)
		}
		for i, f := range p.Start {
			if f-f != 0 && !(f < 0 && p.A != nil && i < len(p.A) && p.A[i] == 0) {
				return fmt.Errorf("%w: Start[%d] is %v", ErrNotFinite, i, f)
			}
		}
	}
	s.problem = *p
	if err := s.allocate(); err != nil {
		return err
	}
	return s.marginals()
}

// setLambda sets λ, and reports whether λ·log₂e is within the range of T.
func (s *Solver[T]) setLambda(lambda float64) bool {
	s.lambda = lambda
	return s.geo.setLambda(lambda)
}

func checkMatrix[T dist.Float](name string, m dist.Matrix[T]) error {
	if !asm.Fits(len(m.Data), m.Rows, m.Cols, m.Stride) {
		return fmt.Errorf("%w: %s: %d elements for a %d × %d matrix of stride %d", ErrShape, name, len(m.Data), m.Rows, m.Cols, m.Stride)
	}
	return nil
}

func (s *Solver[T]) marginals() error {
	sumA, leastA, _, err := s.marginal("A", s.a, s.problem.A, &s.uniformA)
	if err != nil {
		return err
	}
	sumB, leastB, zeroB, err := s.marginal("B", s.b, s.problem.B, &s.uniformB)
	if err != nil {
		return err
	}
	if un := &s.unequal; un.on {
		s.mass, s.zeroB = math.Min(sumA, sumB), zeroB
		if un.partial > 0 {
			if un.partial > s.mass*(1+s.limits.mass) {
				return fmt.Errorf("%w: a mass of %v, A sums to %v and B to %v", ErrMarginals, un.partial, sumA, sumB)
			}
			un.partial = math.Min(un.partial, s.mass)
			s.mass = un.partial
		}
	} else if tol := s.limits.mass; math.Abs(sumA-sumB) > tol*math.Max(sumA, sumB) {
		return fmt.Errorf("%w: A sums to %v and B to %v, which a price (PenaltyA, PenaltyB) or a Mass would admit", ErrMarginals, sumA, sumB)
	}
	if !s.unequal.on {
		s.mass, s.zeroB = sumA, zeroB
	}
	s.limits.safeRange(math.Min(leastA, leastB), max(s.geo.n, s.geo.m))
	return nil
}

// marginal fills dst from given, or uniformly, and returns its sum, its least positive
// element and whether it has zeros. uniform is the length for which dst is known to be uniform.
func (s *Solver[T]) marginal(name string, dst, given []T, uniform *int) (sum, least float64, zeros bool, err error) {
	if given == nil {
		w := 1 / T(len(dst))
		if *uniform != len(dst) {
			for i := range dst {
				dst[i] = w
			}
			*uniform = len(dst)
		}
		return 1, float64(w), false, nil
	}
	*uniform = 0
	if len(given) != len(dst) {
		return 0, 0, false, fmt.Errorf("%w: marginal %s has %d weights for %d points", ErrShape, name, len(given), len(dst))
	}
	least = math.Inf(1)
	for i, w := range given {
		if !(w >= 0) || math.IsInf(float64(w), 1) {
			return 0, 0, false, fmt.Errorf("%w: %s[%d] = %v", ErrMarginals, name, i, w)
		}
		if w > 0 {
			if w < s.limits.weight {
				return 0, 0, false, fmt.Errorf("%w: %s[%d] = %v is too small; use 0", ErrMarginals, name, i, w)
			}
			if w > s.limits.heaviest {
				return 0, 0, false, fmt.Errorf("%w: %s[%d] = %v is too large for a K in float32", ErrMarginals, name, i, w)
			}
			least = min(least, float64(w))
		} else {
			zeros = true
		}
		sum += float64(w)
	}
	switch {
	case sum == 0:
		return 0, 0, false, fmt.Errorf("%w: %s has no mass", ErrMarginals, name)
	case sum > math.MaxFloat64/4: // so that marginal errors do not overflow
		return 0, 0, false, fmt.Errorf("%w: the sum of %s overflows", ErrMarginals, name)
	}
	copy(dst, given)
	return sum, least, zeros, nil
}

// notFinite names the first value of the problem that is not finite, if any, or
// returns the context's cause.
func (s *Solver[T]) notFinite(ctx context.Context) error {
	p := &s.problem
	for _, c := range []struct {
		name string
		m    dist.Matrix[T]
	}{{"cost", p.Cost}, {"X", p.X}, {"Y", p.Y}} {
		var bad error
		err := eachBlock(ctx, c.m.Rows, c.m.Cols, func(first, last int) {
			for i := first; i < last && bad == nil; i++ {
				for j, x := range c.m.Row(i) {
					if x-x != 0 {
						bad = fmt.Errorf("%w: %s, row %d, column %d is %v", ErrNotFinite, c.name, i, j, x)
						return
					}
				}
			}
		})
		if bad != nil || err != nil {
			return cmp.Or(bad, err)
		}
	}
	return nil
}
