package descent

import (
	"context"
	"math"
)

const (
	// sufficient is δ of the Armijo condition φ(α) ≤ φ(0) + δ α φ'(0).
	sufficient = 1e-4

	// flatter is σ of the curvature condition φ'(α) ≥ σ φ'(0), asked for by
	// conjugate gradient, and flatterLBFGS that of LBFGS, whose first trial is
	// mostly good.
	flatter      = 0.5
	flatterLBFGS = 0.9

	// maxRefinements bounds the trials after the first step that was acceptable
	// but for its slope.
	maxRefinements = 5

	// maxGrowth bounds the first step tried by that of the line before.
	maxGrowth = 100
)

// line is what a successful line search leaves for the next one.
type line struct {
	step float64 // α accepted
	best float64 // α where the slope vanishes if it is linear in α; 2α if it falls
}

// search looks for a step along the curve φ(α) = f(R(αD)), with R the retraction
// or, for ProjectedGradient, f(Π(P + αD)). It accepts α if
//
//	φ(α) ≤ φ(0) + δ α φ'(0)                                 (Armijo), or
//	φ(α) ≤ lowest + noise  and  φ'(α) ≤ (2δ − 1) φ'(0)      (approximate Armijo)
//
// and, for conjugate gradient and LBFGS, φ'(α) ≥ σ φ'(0). The second line is the first one
// for a quadratic φ, in terms of slopes, which keep their digits where the
// difference of values has none left (Hager and Zhang 2005, section 3). A point
// where f or its gradient cannot be computed is never accepted. It is treated as a
// step that is too long.
//
// The slope is φ'(α) = ⟨grad f, T(D)⟩ at the trial, exact to first order in α.
//
// It returns NotTerminated after a step, which then is in s.current, and in
// s.trial where it came from. On failure s.current is as it was.
func (s *solver) search() Status {
	if s.ctx.Err() != nil { // the direction may be unfinished
		s.failure = context.Cause(s.ctx)
		return Cancelled
	}
	from := s.current
	ceiling := s.lowest + float64(s.Noise*math.Abs(from.value))
	if !(s.slope < 0) {
		return LineSearchFailed
	}
	minSlope := s.leastSlope()

	// φ has its minimum beyond low, where (value, slope) are known and good, and
	// before high, which is too far.
	low, lowValue, lowSlope := 0., from.value, s.slope
	high := math.Inf(1)
	var kept line // of s.kept, if low > 0
	trials, evaluated := s.MaxTrials, false

	for alpha := s.guess(); trials > 0; trials-- {
		x := s.trial
		got := s.try(x, alpha)
		if got == cancelled {
			return Cancelled
		}
		if got == unusable {
			high = alpha
			alpha = low + float64(0.2*(high-low))
			continue
		}
		armijo := x.value <= from.value+float64(sufficient*alpha*s.slope)
		near := x.value <= ceiling
		if !armijo && !near {
			evaluated = true
			high = alpha
			alpha = quadratic(low, lowValue, lowSlope, alpha, x.value)
			continue
		}

		got = s.differentiate(x)
		if got == cancelled {
			return Cancelled
		}
		if got == unusable {
			high = alpha
			alpha = low + float64(0.2*(high-low))
			continue
		}
		evaluated = true
		s.manifold.Transport(s.ctx, s.moved, x.point, s.direction)
		slope := s.manifold.Inner(x.point, x.grad, s.moved)
		next := secant(low, lowSlope, alpha, slope)
		switch {
		case !armijo && !(slope <= (2*sufficient-1)*s.slope):
			high = alpha
			alpha = clip(next, low, high)
		case slope < minSlope:
			if low == 0 {
				trials = min(trials, maxRefinements+1)
			}
			kept = s.describe(alpha, slope)
			s.trial, s.kept = s.kept, s.trial
			if math.IsInf(high, 1) {
				next = farther(low, alpha, next)
			} else {
				next = clip(next, alpha, high)
			}
			low, lowValue, lowSlope, alpha = alpha, x.value, slope, next
		default:
			s.accept(s.describe(alpha, slope))
			return NotTerminated
		}
	}
	if low > 0 {
		s.trial, s.kept = s.kept, s.trial
		s.manifold.Transport(s.ctx, s.moved, s.trial.point, s.direction)
		s.accept(kept)
		return NotTerminated
	}
	if !evaluated {
		return EvaluationFailed
	}
	return LineSearchFailed
}

// leastSlope returns σ φ'(0), or −∞ where the method asks for no slope.
func (s *solver) leastSlope() float64 {
	switch s.Method {
	case ConjugateGradient:
		return flatter * s.slope
	case LBFGS:
		return flatterLBFGS * s.slope
	}
	return math.Inf(-1)
}

// farther returns the step after alpha, which was not far enough, where no step is known to be too
// far. next is the step at which the slope would be 0, by the slopes at low and alpha.
func farther(low, alpha, next float64) float64 {
	step := alpha - low
	if !(next > alpha) {
		next = math.Inf(1) // f is concave so far
	}
	return alpha + min(max(next-alpha, step), float64(9*step))
}

// try moves x to the step alpha along the direction and evaluates f there.
func (s *solver) try(x *iterate, alpha float64) outcome {
	var err error
	if s.Method == ProjectedGradient {
		x.point.Scale(alpha, s.direction)
		x.point.Add(s.current.point, x.point)
		err = s.manifold.Project(s.ctx, x.point, x.point)
	} else {
		err = s.manifold.Retract(s.ctx, x.point, s.current.point, s.direction, alpha)
	}
	if err != nil {
		return s.failed(err)
	}
	return s.evaluate(x)
}

func (s *solver) describe(alpha, slope float64) line {
	l := line{step: alpha, best: 2 * alpha}
	if slope > s.slope {
		l.best = secant(0, s.slope, alpha, slope)
	}
	return l
}

// accept makes the trial the current iterate.
func (s *solver) accept(l line) {
	s.current, s.trial = s.trial, s.current
	s.lowest = min(s.lowest, s.current.value)
	s.line = l
}

// guess returns the first step to try: the one that would have been best along
// the line before, by its slopes at 0 and at the step accepted, which for steepest
// descent is the step of Barzilai and Borwein. (For conjugate gradient, the same
// decrease to first order, the same length and the same curvature as before were
// measured, too; the first two are as good, the third costs a tenth more.)
func (s *solver) guess() float64 {
	l := s.line
	switch {
	case s.held > 0:
		return 1 // Newton's
	case l.step > 0:
		return min(l.best, float64(maxGrowth*l.step))
	case s.Method == ProjectedGradient:
		return 1
	default:
		return s.InitialStep / s.length
	}
}

// quadratic returns the minimizer of the parabola with the value and slope given
// at low and the value given at high, kept off both ends.
func quadratic(low, value, slope, high, valueHigh float64) float64 {
	w := high - low
	return clip(low-slope*w*w/(2*(valueHigh-value-float64(slope*w))), low, high)
}

// secant returns where the slope vanishes if it is linear.
func secant(a, slopeA, b, slopeB float64) float64 {
	return a + (b-a)*slopeA/(slopeA-slopeB)
}

// clip returns x kept off both ends of the interval by a tenth of it; NaN is
// taken for the middle.
func clip(x, low, high float64) float64 {
	w := float64(0.1 * (high - low))
	if math.IsNaN(x) {
		return low + float64(5*w)
	}
	return min(max(x, low+w), high-w)
}
