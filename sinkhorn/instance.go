package sinkhorn

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/gibbs"
)

// instance is a checked problem. The slices a and b contain the weights of the problem, or uniform weights if the problem has
// no weights.
type instance[T dist.Float] struct {
	problem Problem[T]
	lambda  float64
	limits  limits[T]

	a, b     []T
	mass     float64 // mass of the plan, or of the last iterate if the mass depends on penalties
	zeroB    bool    // b contains zeros
	uniformA int     // length of a if a contains uniform weights; otherwise 0
	uniformB int

	unequal                bool    // whether the marginals of the plan may deviate from a and b
	penaltyA, penaltyB     float64 // +Inf means that the marginal holds exactly
	penaltyOfA, penaltyOfB penalty // constants of the penalties for the current λ
	partial                float64 // mass to move in partial transport, or 0

	startShift  float64 // initial value of iteration.shift
	startOffset float64 // number to subtract from the base-2 potentials of problem.Start
}

// penalty contains the constants of a marginal penalty ρ for the current λ.
type penalty struct {
	tau     float64 // τ = ρλ/(ρλ + 1); 1 for an exact marginal
	rest    float64 // 1 − τ
	inverse float64 // 1/(ρλ)
}

// penaltyOf returns the constants for the penalty ρ. If ρλ ≥ 2⁶⁰, the constants fix the marginal exactly.
func penaltyOf(rho, lambda float64) penalty {
	x := float64(rho * lambda)
	if !(x < 0x1p60) {
		return penalty{tau: 1}
	}
	return penalty{x / (x + 1), 1 / (x + 1), 1 / x}
}

// setLambda sets λ and the constants of the penalties.
func (in *instance[T]) setLambda(lambda float64) {
	in.lambda = lambda
	in.penaltyOfA, in.penaltyOfB = penaltyOf(in.penaltyA, lambda), penaltyOf(in.penaltyB, lambda)
}

// setPenalties checks and stores the penalties and the mass of p for the current λ.
func (in *instance[T]) setPenalties(p *Problem[T], gradient bool) error {
	inf := math.Inf(1)
	in.penaltyA, in.penaltyB, in.partial = inf, inf, p.Mass
	for _, side := range []struct {
		name  string
		given float64
		to    *float64
	}{{"PenaltyA", p.PenaltyA, &in.penaltyA}, {"PenaltyB", p.PenaltyB, &in.penaltyB}} {
		if !(side.given >= 0) {
			return fmt.Errorf("%w: %s is %v; it must not be negative", ErrSettings, side.name, side.given)
		}
		if side.given > 0 {
			*side.to = side.given
		}
	}
	switch {
	case !(p.Mass >= 0) || math.IsInf(p.Mass, 1):
		return fmt.Errorf("%w: Mass is %v; it must be finite and not negative", ErrSettings, p.Mass)
	case p.Mass > 0 && p.PenaltyA+p.PenaltyB > 0:
		return fmt.Errorf("%w: both Mass and a penalty (PenaltyA, PenaltyB) are set; use one of them", ErrSettings)
	}
	in.setLambda(in.lambda)
	in.unequal = p.Mass > 0 || in.penaltyOfA.rest > 0 || in.penaltyOfB.rest > 0
	if in.unequal && gradient {
		return fmt.Errorf("%w: Settings.Gradient does not support penalties or Mass; without it, GradientFrozen and GradientImplicit are supported", ErrSettings)
	}
	return nil
}

// checkStart checks the starting potentials of p for n points.
func checkStart[T dist.Float](p *Problem[T], n int) error {
	if p.Start == nil {
		return nil
	}
	if len(p.Start) != n {
		return fmt.Errorf("%w: Start has %d potentials for %d points", ErrShape, len(p.Start), n)
	}
	for i, f := range p.Start {
		if f-f != 0 && !(f < 0 && i < len(p.A) && p.A[i] == 0) {
			return fmt.Errorf("%w: Start[%d] is %v", ErrNotFinite, i, f)
		}
	}
	return nil
}

// centerStart sets startShift and startOffset to the middle of the range of the starting potentials, or to 0 if the problem has
// no penalties or no start.
func (in *instance[T]) centerStart() {
	in.startShift, in.startOffset = 0, 0
	if !in.unequal || in.partial > 0 || in.problem.Start == nil {
		return
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, f := range in.problem.Start {
		if finite(float64(f)) {
			lo, hi = min(lo, float64(f)), max(hi, float64(f))
		}
	}
	if middle := float64((float64(lo/2) + float64(hi/2)) * math.Log2E); finite(middle) {
		in.startShift, in.startOffset = middle, middle
	}
}

func checkMatrix[T dist.Float](name string, m dist.Matrix[T]) error {
	if !asm.Fits(len(m.Data), m.Rows, m.Cols, m.Stride) {
		return fmt.Errorf("%w: %s: %d elements for a %d × %d matrix of stride %d", ErrShape, name, len(m.Data), m.Rows, m.Cols, m.Stride)
	}
	return nil
}

// setMarginals sets a and b to the weights of the problem. The slices a and b must have their final lengths.
func (in *instance[T]) setMarginals() error {
	sumA, leastA, _, err := in.fillMarginal("A", in.a, in.problem.A, &in.uniformA)
	if err != nil {
		return err
	}
	sumB, leastB, zeroB, err := in.fillMarginal("B", in.b, in.problem.B, &in.uniformB)
	if err != nil {
		return err
	}
	in.mass, in.zeroB = sumA, zeroB
	switch tol := in.limits.massTolerance; {
	case in.partial > 0:
		in.mass = math.Min(sumA, sumB)
		if in.partial > in.mass*(1+tol) {
			return fmt.Errorf("%w: Mass is %v, but A sums to %v and B to %v; it may be at most %v", ErrMarginals, in.partial, sumA, sumB, in.mass)
		}
		in.partial = math.Min(in.partial, in.mass)
		in.mass = in.partial
	case in.unequal:
		in.mass = math.Min(sumA, sumB)
	case math.Abs(sumA-sumB) > tol*math.Max(sumA, sumB):
		return fmt.Errorf("%w: A sums to %v and B to %v; scale one of them, or set PenaltyA and PenaltyB, or Mass", ErrMarginals, sumA, sumB)
	}
	in.limits.safeRange(math.Min(leastA, leastB), max(len(in.a), len(in.b)))
	return nil
}

// fillMarginal sets dst to the weights in given, or to uniform weights if given is nil. It returns the sum of the weights,
// the least positive weight, and whether a weight is zero. *uniform is the length of dst if dst contains uniform weights, and
// otherwise 0.
func (in *instance[T]) fillMarginal(name string, dst, given []T, uniform *int) (sum, least float64, zeros bool, err error) {
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
		return 0, 0, false, fmt.Errorf("%w: %s has %d weights, but the problem has %d points on that side", ErrShape, name, len(given), len(dst))
	}
	least = math.Inf(1)
	for i, w := range given {
		if !(w >= 0) || math.IsInf(float64(w), 1) {
			return 0, 0, false, fmt.Errorf("%w: %s[%d] is %v; weights must be finite and not negative", ErrMarginals, name, i, w)
		}
		if w > 0 {
			if w < in.limits.leastWeight {
				return 0, 0, false, fmt.Errorf("%w: %s[%d] is %v, which is too small; use 0, or scale both marginals", ErrMarginals, name, i, w)
			}
			if w > in.limits.largestWeight {
				return 0, 0, false, fmt.Errorf("%w: %s[%d] is %v, which is too large for StorageMixed", ErrMarginals, name, i, w)
			}
			least = min(least, float64(w))
		} else {
			zeros = true
		}
		sum += float64(w)
	}
	switch {
	case sum == 0:
		return 0, 0, false, fmt.Errorf("%w: all weights of %s are 0", ErrMarginals, name)
	case sum > math.MaxFloat64/4: // a larger sum could overflow in marginal errors
		return 0, 0, false, fmt.Errorf("%w: the sum of %s overflows", ErrMarginals, name)
	}
	copy(dst, given)
	return sum, least, zeros, nil
}

// notFiniteError returns an error that names the first NaN or infinity of the problem, or nil if
// there is none. If ctx ends, it returns the context's cause.
func (in *instance[T]) notFiniteError(ctx context.Context) error {
	p := &in.problem
	for _, c := range []struct {
		name string
		m    dist.Matrix[T]
	}{{"cost", p.Cost}, {"X", p.X}, {"Y", p.Y}} {
		var bad error
		err := gibbs.EachBlock(ctx, c.m.Rows, c.m.Cols, func(first, last int) {
			for i := first; i < last && bad == nil; i++ {
				for j, x := range c.m.Row(i) {
					if x-x != 0 {
						bad = fmt.Errorf("%s: %w", c.name, &dist.PositionError{Row: i, Column: j, Value: float64(x), Err: ErrNotFinite})
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
