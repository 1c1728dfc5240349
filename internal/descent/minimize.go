package descent

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

const badStart = "descent: start has not the shape of the manifold"

const (
	// maxInfeasibility is how far from the manifold a start may be: beyond
	// rounding in float32, short of a matrix that was never orthonormalized.
	maxInfeasibility = 1e-5

	// flatSteps is the number of successive steps FunctionTolerance wants.
	flatSteps = 3

	// stalledSteps is the number of successive steps without progress in value or
	// gradient after which there is none to be expected. Near the
	// rounding level of an ill-conditioned problem fifty without were seen before
	// the gradient fell tenfold.
	stalledSteps = 100

	// historyCapacity bounds what is set aside for History before it grows.
	historyCapacity = 1 << 12
)

// errNotFinite is what EvaluationFailed reports if no evaluation gave an error.
var errNotFinite = errors.New("descent: value or gradient is not finite")

// Minimize looks for a local minimum of f on the manifold from start, which it
// does not modify. settings may be nil.
//
// The Result is never nil except together with a [*StartError], or when the
// context was done before the start was evaluated. Its Point is then the best
// iterate, never NaN, also where an error comes with it: the cause of the
// context's end for status Cancelled, the last error of the problem for
// EvaluationFailed, that of Settings.Progress for Stopped. The other statuses,
// LineSearchFailed among them, come without an error.
//
// The context is looked at before every evaluation.
//
// Everything needed is allocated at the beginning, 11 matrices of d×p, 20 more for
// LBFGS, and a History of MaxSteps+1 (at most 4096 at first); steps allocate nothing.
func Minimize(ctx context.Context, f Problem, m Manifold, start *mat.Dense, settings *Settings) (*Result, error) {
	d, p := m.Dims()
	if r, c := start.Dims(); r != d || c != p {
		panic(badStart)
	}
	s := &solver{
		ctx: ctx, problem: f, manifold: m, Settings: settings.withDefaults(),
		current: newIterate(d, p), trial: newIterate(d, p), kept: newIterate(d, p),
		direction: mat.NewDense(d, p, nil), moved: mat.NewDense(d, p, nil),
	}
	s.reverser, _ = f.(Reverser)
	if s.Method == LBFGS {
		s.pairs = newPairs(d, p)
	}
	if err := s.begin(start); err != nil {
		return nil, err
	}
	status, err := s.run()
	return &Result{
		Point:        s.current.point,
		Value:        s.current.value,
		GradientNorm: s.current.norm,
		Status:       status,
		Steps:        len(s.history) - 1,
		History:      s.history,
		Evaluations:  s.evaluations,
	}, err
}

// iterate is a point with what is known there.
type iterate struct {
	point   *mat.Dense
	ambient *mat.Dense // ∂f/∂P
	grad    *mat.Dense // its tangent part
	value   float64
	norm    float64 // ‖grad‖
}

func newIterate(d, p int) *iterate {
	return &iterate{point: mat.NewDense(d, p, nil), ambient: mat.NewDense(d, p, nil), grad: mat.NewDense(d, p, nil)}
}

type solver struct {
	ctx      context.Context
	problem  Problem
	reverser Reverser // problem, if it is one
	manifold Manifold
	Settings

	current *iterate
	trial   *iterate // the line search's
	kept    *iterate // the best acceptable trial so far

	direction *mat.Dense // D
	moved     *mat.Dense // D transported to the latest trial
	length    float64    // ‖D‖
	slope     float64    // ⟨grad, D⟩ < 0
	steepest  bool       // D is a direction of steepest descent

	pairs []pair // of LBFGS, the first held of them in use, oldest first
	held  int

	line    line    // the latest successful line search
	lowest  float64 // lowest value of an iterate
	target  float64 // gradient norm that satisfies GradientTolerance
	flat    int     // successive steps without notable decrease
	stalled int     // successive steps that brought neither of the next two down
	record  struct{ value, norm float64 }
	failure error // of the latest failed evaluation

	history     []Step
	evaluations Evaluations
}

// outcome is that of an evaluation.
type outcome int

const (
	usable outcome = iota
	unusable
	cancelled
)

// begin evaluates the start.
func (s *solver) begin(start *mat.Dense) error {
	c := s.current
	c.point.Copy(start)
	off := s.manifold.Infeasibility(s.ctx, c.point)
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	if !(off <= maxInfeasibility) {
		return &StartError{Value: math.NaN(), GradientNorm: math.NaN(), Infeasibility: off}
	}
	c.norm = math.NaN()
	got := s.evaluate(c)
	if got == usable {
		got = s.differentiate(c)
	}
	switch got {
	case cancelled:
		return s.failure
	case unusable:
		e := &StartError{Value: c.value, GradientNorm: c.norm, Infeasibility: off, Err: s.failure}
		if e.Err == errNotFinite {
			e.Err = nil
		}
		return e
	}
	s.lowest = c.value
	s.record.value, s.record.norm = c.value, c.norm
	s.target = s.GradientTolerance * c.norm
	capacity := historyCapacity
	if s.MaxSteps >= 0 {
		capacity = min(capacity, s.MaxSteps+1)
	}
	s.history = make([]Step, 0, capacity)
	return nil
}

// run makes steps until something ends it.
func (s *solver) run() (Status, error) {
	step := Step{}
	for {
		step.Value, step.GradientNorm, step.Evaluations = s.current.value, s.current.norm, s.evaluations
		s.history = append(s.history, step)
		if s.Progress != nil {
			if err := s.Progress(step, s.current.point); err != nil {
				if errors.Is(err, ErrStop) {
					err = nil
				}
				return Stopped, err
			}
		}
		if status := s.finished(step); status != NotTerminated {
			return status, nil
		}

		s.chooseDirection(step.Index == 0)
		status := s.search()
		if status == LineSearchFailed || status == EvaluationFailed {
			if !s.steepest {
				s.restart()
				status = s.search()
			}
		}
		switch status {
		case NotTerminated:
		case LineSearchFailed:
			return status, nil
		default:
			return status, s.failure
		}
		step = Step{
			Index:      step.Index + 1,
			StepSize:   s.line.step,
			StepLength: s.line.step * s.length,
			Restart:    s.steepest && (s.Method == ConjugateGradient || s.Method == LBFGS),
		}
	}
}

// finished returns the status if the current iterate, reached by step, is one to
// stop at.
func (s *solver) finished(step Step) Status {
	c := s.current
	if c.norm <= s.target || c.norm <= max(s.GradientAbsolute, 0) || c.norm <= s.GradientToValue*math.Abs(c.value) {
		return GradientTolerance
	}
	if step.Index > 0 {
		if step.StepLength < s.StepTolerance {
			return StepTolerance
		}
		before := s.history[step.Index-1].Value
		if before-c.value <= s.FunctionTolerance*math.Abs(c.value) {
			s.flat++
		} else {
			s.flat = 0
		}
		if s.FunctionTolerance >= 0 && s.flat >= flatSteps {
			return FunctionTolerance
		}
		s.stalled++
		if c.value < s.record.value-float64(s.Noise*math.Abs(c.value)) {
			s.record.value, s.stalled = c.value, 0
		}
		if c.norm < s.record.norm {
			s.record.norm, s.stalled = c.norm, 0
		}
		if s.stalled >= stalledSteps {
			return Stalled
		}
	}
	if s.MaxSteps >= 0 && step.Index >= s.MaxSteps {
		return MaxSteps
	}
	return NotTerminated
}

// evaluate sets x.value, and for a problem that is no Reverser x.ambient, too.
func (s *solver) evaluate(x *iterate) outcome {
	if s.ctx.Err() != nil {
		s.failure = context.Cause(s.ctx)
		return cancelled
	}
	grad := x.ambient
	if s.reverser != nil {
		grad = nil
	} else {
		s.evaluations.Gradients++
	}
	s.evaluations.Values++
	value, err := s.problem.Evaluate(x.point, grad)
	x.value = value
	if err != nil {
		return s.failed(err)
	}
	if !isFinite(value) {
		return s.failed(errNotFinite)
	}
	return usable
}

// differentiate sets the gradients of x, the latest point evaluated.
func (s *solver) differentiate(x *iterate) outcome {
	if s.reverser != nil {
		if s.ctx.Err() != nil {
			s.failure = context.Cause(s.ctx)
			return cancelled
		}
		s.evaluations.Gradients++
		if err := s.reverser.Gradient(x.ambient); err != nil {
			return s.failed(err)
		}
	}
	s.manifold.Tangent(s.ctx, x.grad, x.point, x.ambient)
	if s.ctx.Err() != nil { // it may be unfinished
		if s.history != nil {
			s.failure = context.Cause(s.ctx)
			return cancelled
		}
		// The start, once evaluated, is a result.
		s.manifold.Tangent(context.WithoutCancel(s.ctx), x.grad, x.point, x.ambient)
	}
	x.norm = math.Sqrt(s.manifold.Inner(x.point, x.grad, x.grad))
	if !isFinite(x.norm) {
		return s.failed(errNotFinite)
	}
	return usable
}

// failed records err and tells whether it is a reason to give up.
func (s *solver) failed(err error) outcome {
	s.failure = err
	if s.ctx.Err() != nil {
		s.failure = context.Cause(s.ctx)
		return cancelled
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return cancelled
	}
	return unusable
}

func isFinite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
