package descent

import (
	"context"
	"math"
)

const (
	// armijoFactor is δ of the Armijo condition φ(α) ≤ φ(0) + δ α φ'(0).
	armijoFactor = 1e-4

	// curvatureFactor is σ of the curvature condition φ'(α) ≥ σ φ'(0) for conjugate gradient. The
	// condition for LBFGS is weaker, because its first trial step is usually good.
	curvatureFactor      = 0.5
	curvatureFactorLBFGS = 0.9

	// maxRefinements limits the number of trials after the first step that satisfies the decrease
	// condition but not the curvature condition.
	maxRefinements = 5

	// maxGrowth limits the ratio of the first trial step to the step accepted by the previous line
	// search.
	maxGrowth = 100
)

// lineStep describes a successful line search. The next line search uses it to choose its first
// step.
type lineStep struct {
	step float64 // accepted α
	best float64 // step at which the linearly extrapolated slope is 0, or 2·step if the slope decreases
}

// search looks for a step along the curve φ(α) = f(R(αD)), where R is the retraction.
// ProjectedGradient uses φ(α) = f(Π(P + αD)) instead. search accepts α if
//
//	φ(α) ≤ φ(0) + δ α φ'(0)                                 (Armijo), or
//	φ(α) ≤ lowest + noise  and  φ'(α) ≤ (2δ − 1) φ'(0)      (approximate Armijo)
//
// Conjugate gradient and LBFGS also require φ'(α) ≥ σ φ'(0). For a quadratic φ, the upper bound on
// φ'(α) is equivalent to the Armijo condition. Near a minimum, slopes are accurate, but the
// difference of two values is mostly rounding error (Hager and Zhang 2005, section 3). If f or its
// gradient cannot be computed at a point, search treats the step as too long.
//
// The slope is φ'(α) = ⟨grad f, T(D)⟩ at the trial point, exact to first order in α.
//
// After a step, search returns NotTerminated, s.current is the new iterate, and s.trial is the
// previous iterate. After a failure, s.current is unchanged.
func (s *solver) search() Status {
	if s.ctx.Err() != nil { // chooseDirection may have been interrupted
		s.lastError = context.Cause(s.ctx)
		return Canceled
	}
	from := s.current
	ceiling := s.lowest + float64(s.Noise*math.Abs(from.value))
	if !(s.slope < 0) {
		return LineSearchFailed
	}
	minSlope := s.leastSlope()

	// The minimum of φ lies between low and high. The step low is acceptable, and its value and
	// slope are known. The step high is too long.
	low, lowValue, lowSlope := 0., from.value, s.slope
	high := math.Inf(1)
	var kept lineStep // the step from the current point to s.kept; unset if low = 0
	trials, evaluated := s.MaxTrials, false

	for alpha := s.firstStep(); trials > 0; trials-- {
		x := s.trial
		got := s.evaluateStep(x, alpha)
		if got == canceled {
			return Canceled
		}
		if got == unusable {
			high = alpha
			alpha = low + float64(0.2*(high-low))
			continue
		}
		armijo := x.value <= from.value+float64(armijoFactor*alpha*s.slope)
		near := x.value <= ceiling
		if !armijo && !near {
			evaluated = true
			high = alpha
			alpha = parabolaMinimizer(low, lowValue, lowSlope, alpha, x.value)
			continue
		}

		got = s.differentiate(x)
		if got == canceled {
			return Canceled
		}
		if got == unusable {
			high = alpha
			alpha = low + float64(0.2*(high-low))
			continue
		}
		evaluated = true
		s.manifold.Transport(s.ctx, s.transported, x.point, s.direction)
		slope := s.manifold.Inner(x.point, x.grad, s.transported)
		next := secantRoot(low, lowSlope, alpha, slope)
		switch {
		case !armijo && !(slope <= (2*armijoFactor-1)*s.slope):
			high = alpha
			alpha = clipInside(next, low, high)
		case slope < minSlope:
			if low == 0 {
				trials = min(trials, maxRefinements+1)
			}
			kept = s.newLineStep(alpha, slope)
			s.trial, s.kept = s.kept, s.trial
			if math.IsInf(high, 1) {
				next = extrapolate(low, alpha, next)
			} else {
				next = clipInside(next, alpha, high)
			}
			low, lowValue, lowSlope, alpha = alpha, x.value, slope, next
		default:
			s.accept(s.newLineStep(alpha, slope))
			return NotTerminated
		}
	}
	if low > 0 {
		s.trial, s.kept = s.kept, s.trial
		s.manifold.Transport(s.ctx, s.transported, s.trial.point, s.direction)
		s.accept(kept)
		return NotTerminated
	}
	if !evaluated {
		return EvaluationFailed
	}
	return LineSearchFailed
}

// leastSlope returns the smallest slope that the curvature condition accepts, or −∞ if the method has
// no such condition.
func (s *solver) leastSlope() float64 {
	switch s.Method {
	case ConjugateGradient:
		return curvatureFactor * s.slope
	case LBFGS:
		return curvatureFactorLBFGS * s.slope
	}
	return math.Inf(-1)
}

// extrapolate returns a step longer than alpha. It is called while no step is known to be too long.
// low is a shorter step. Extrapolation of the slopes at low and alpha gives the slope 0 at the step
// next.
func extrapolate(low, alpha, next float64) float64 {
	step := alpha - low
	if !(next > alpha) {
		next = math.Inf(1) // the slope does not increase from low to alpha
	}
	return alpha + min(max(next-alpha, step), float64(9*step))
}

// evaluateStep sets x to the point at step alpha along the direction from the current iterate, and
// evaluates f at x.
func (s *solver) evaluateStep(x *iterate, alpha float64) evaluationOutcome {
	var err error
	if s.Method == ProjectedGradient {
		x.point.Scale(alpha, s.direction)
		x.point.Add(s.current.point, x.point)
		err = s.manifold.Project(s.ctx, x.point, x.point)
	} else {
		err = s.manifold.Retract(s.ctx, x.point, s.current.point, s.direction, alpha)
	}
	if err != nil {
		return s.classifyError(err)
	}
	return s.evaluate(x)
}

func (s *solver) newLineStep(alpha, slope float64) lineStep {
	l := lineStep{step: alpha, best: 2 * alpha}
	if slope > s.slope {
		l.best = secantRoot(0, s.slope, alpha, slope)
	}
	return l
}

// accept makes the trial point the current iterate.
func (s *solver) accept(l lineStep) {
	s.current, s.trial = s.trial, s.current
	s.lowest = min(s.lowest, s.current.value)
	s.line = l
}

// firstStep returns the first trial step of a line search. After a successful line search, it is the
// step that would have reached slope 0 if the slope were linear between step 0 and the accepted
// step. For steepest descent, this is the step of Barzilai and Borwein.
func (s *solver) firstStep() float64 {
	l := s.line
	switch {
	case s.pairCount > 0:
		return 1 // Newton step
	case l.step > 0:
		return min(l.best, float64(maxGrowth*l.step))
	case s.Method == ProjectedGradient:
		return 1
	default:
		return s.InitialStep / s.length
	}
}

// parabolaMinimizer returns the minimizer of a parabola f, clipped by clipInside. The parabola is
// given by f(low) = value, f'(low) = slope and f(high) = valueHigh.
func parabolaMinimizer(low, value, slope, high, valueHigh float64) float64 {
	w := high - low
	return clipInside(low-slope*w*w/(2*(valueHigh-value-float64(slope*w))), low, high)
}

// secantRoot returns the root of the linear function with the values slopeA at a and slopeB at b.
func secantRoot(a, slopeA, b, slopeB float64) float64 {
	return a + (b-a)*slopeA/(slopeA-slopeB)
}

// clipInside clips x to the interval from low to high, shortened by a tenth at both ends. If x is
// NaN, clipInside returns the midpoint.
func clipInside(x, low, high float64) float64 {
	w := float64(0.1 * (high - low))
	if math.IsNaN(x) {
		return low + float64(5*w)
	}
	return min(max(x, low+w), high-w)
}
