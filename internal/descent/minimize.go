package descent

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

const badStart = "descent: start has not the shape of the manifold"

const (
	// maxInfeasibility is the largest accepted distance of the start from the manifold. It allows
	// for rounding errors of float32, but not for a matrix that was never orthonormalized.
	maxInfeasibility = 1e-5

	// flatSteps is the number of successive steps with a small decrease after which
	// FunctionTolerance ends the minimization.
	flatSteps = 3

	// Minimize stops with status Stalled after stalledSteps successive steps without progress in
	// value or gradient.
	stalledSteps = 100

	// historyCapacity limits the initial capacity of History.
	historyCapacity = 1 << 12
)

// errNotFinite is the error of an evaluation that returned NaN or an infinity without an error.
var errNotFinite = errors.New("descent: value or gradient is not finite")

// Minimize looks for a local minimum of f on the manifold m. It begins at start and does not modify
// start. The settings may be nil.
//
// Minimize returns a nil Result only with a [*StartError] or if the context ends before the start
// is evaluated. Otherwise Result.Point is the last iterate and is never NaN, even if Minimize also
// returns an error. The error is context.Cause for status Canceled, the last error of the problem
// for EvaluationFailed, and the error of Settings.Progress for Stopped. With other statuses,
// including LineSearchFailed, the error is nil.
//
// Minimize checks the context before every evaluation.
//
// All memory is allocated at the beginning: 11 d×p matrices, 20 more for LBFGS, and a History with
// capacity for MaxSteps+1 steps, at most 4096. Steps do not allocate until History is full.
func Minimize(ctx context.Context, f Problem, m Manifold, start *mat.Dense, settings *Settings) (*Result, error) {
	d, p := m.Dims()
	if r, c := start.Dims(); r != d || c != p {
		panic(badStart)
	}
	s := &solver{
		ctx: ctx, problem: f, manifold: m, Settings: settings.withDefaults(),
		current: newIterate(d, p), trial: newIterate(d, p), kept: newIterate(d, p),
		direction: mat.NewDense(d, p, nil), transported: mat.NewDense(d, p, nil),
	}
	s.reverser, _ = f.(Reverser)
	if s.Method == LBFGS {
		s.pairs = newCorrectionPairs(d, p)
	}
	if err := s.evaluateStart(start); err != nil {
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

// iterate is a point with the value and the gradients of f at this point.
type iterate struct {
	point   *mat.Dense
	ambient *mat.Dense // ∂f/∂P
	grad    *mat.Dense // projection of ambient onto the tangent space
	value   float64
	norm    float64 // ‖grad‖
}

func newIterate(d, p int) *iterate {
	return &iterate{point: mat.NewDense(d, p, nil), ambient: mat.NewDense(d, p, nil), grad: mat.NewDense(d, p, nil)}
}

type solver struct {
	ctx      context.Context
	problem  Problem
	reverser Reverser // the value of the field problem, or nil if it does not implement Reverser
	manifold Manifold
	Settings

	current *iterate
	trial   *iterate // latest trial point of the line search
	kept    *iterate // best acceptable trial so far

	direction   *mat.Dense // D
	transported *mat.Dense // the direction D, transported to the latest trial point
	length      float64    // ‖D‖
	slope       float64    // directional derivative ⟨grad, D⟩, which is negative
	steepest    bool       // whether D is the direction of steepest descent

	pairs     []correctionPair // correction pairs of LBFGS, from the oldest to the newest; pairCount of them are in use
	pairCount int

	line           lineStep // latest successful line search
	lowest         float64  // lowest value of any iterate
	gradientTarget float64  // gradient norm that satisfies GradientTolerance
	flatCount      int      // successive steps without enough decrease for FunctionTolerance
	stalledCount   int      // successive steps that improved neither least.value nor least.norm
	least          struct{ value, norm float64 }
	lastError      error // error of the latest failed evaluation

	history     []Step
	evaluations Evaluations
}

// evaluationOutcome is the outcome of an evaluation.
type evaluationOutcome int

const (
	usable evaluationOutcome = iota
	unusable
	canceled
)

// evaluateStart checks that start is feasible, evaluates it, and makes it the current iterate.
func (s *solver) evaluateStart(start *mat.Dense) error {
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
	case canceled:
		return s.lastError
	case unusable:
		e := &StartError{Value: c.value, GradientNorm: c.norm, Infeasibility: off, Err: s.lastError}
		if e.Err == errNotFinite {
			e.Err = nil
		}
		return e
	}
	s.lowest = c.value
	s.least.value, s.least.norm = c.value, c.norm
	s.gradientTarget = s.GradientTolerance * c.norm
	capacity := historyCapacity
	if s.MaxSteps >= 0 {
		capacity = min(capacity, s.MaxSteps+1)
	}
	s.history = make([]Step, 0, capacity)
	return nil
}

// run makes steps until the minimization ends, and returns the status and error of Minimize.
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
		if status := s.terminationStatus(step); status != NotTerminated {
			return status, nil
		}

		s.chooseDirection(step.Index == 0)
		status := s.search()
		if status == LineSearchFailed || status == EvaluationFailed {
			if !s.steepest {
				s.setSteepestDescent()
				status = s.search()
			}
		}
		switch status {
		case NotTerminated:
		case LineSearchFailed:
			return status, nil
		default:
			return status, s.lastError
		}
		step = Step{
			Index:      step.Index + 1,
			StepSize:   s.line.step,
			StepLength: s.line.step * s.length,
			Restart:    s.steepest && (s.Method == ConjugateGradient || s.Method == LBFGS),
		}
	}
}

// terminationStatus returns the reason to stop at the current iterate, or NotTerminated. step
// describes how the iterate was reached.
func (s *solver) terminationStatus(step Step) Status {
	c := s.current
	if c.norm <= s.gradientTarget || c.norm <= max(s.GradientAbsolute, 0) || c.norm <= s.GradientToValue*math.Abs(c.value) {
		return GradientTolerance
	}
	if step.Index > 0 {
		if step.StepLength < s.StepTolerance {
			return StepTolerance
		}
		before := s.history[step.Index-1].Value
		if before-c.value <= s.FunctionTolerance*math.Abs(c.value) {
			s.flatCount++
		} else {
			s.flatCount = 0
		}
		if s.FunctionTolerance >= 0 && s.flatCount >= flatSteps {
			return FunctionTolerance
		}
		s.stalledCount++
		if c.value < s.least.value-float64(s.Noise*math.Abs(c.value)) {
			s.least.value, s.stalledCount = c.value, 0
		}
		if c.norm < s.least.norm {
			s.least.norm, s.stalledCount = c.norm, 0
		}
		if s.stalledCount >= stalledSteps {
			return Stalled
		}
	}
	if s.MaxSteps >= 0 && step.Index >= s.MaxSteps {
		return MaxSteps
	}
	return NotTerminated
}

// evaluate sets x.value. If the problem is not a Reverser, it also sets x.ambient.
func (s *solver) evaluate(x *iterate) evaluationOutcome {
	if s.ctx.Err() != nil {
		s.lastError = context.Cause(s.ctx)
		return canceled
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
		return s.classifyError(err)
	}
	if !isFinite(value) {
		return s.classifyError(errNotFinite)
	}
	return usable
}

// differentiate sets the gradients of x, which must be the latest point evaluated.
func (s *solver) differentiate(x *iterate) evaluationOutcome {
	if s.reverser != nil {
		if s.ctx.Err() != nil {
			s.lastError = context.Cause(s.ctx)
			return canceled
		}
		s.evaluations.Gradients++
		if err := s.reverser.Gradient(x.ambient); err != nil {
			return s.classifyError(err)
		}
	}
	s.manifold.Tangent(s.ctx, x.grad, x.point, x.ambient)
	if s.ctx.Err() != nil { // the projection may be unfinished
		if s.history != nil {
			s.lastError = context.Cause(s.ctx)
			return canceled
		}
		// The start has been evaluated, so Minimize returns the start. The gradient must be
		// complete.
		s.manifold.Tangent(context.WithoutCancel(s.ctx), x.grad, x.point, x.ambient)
	}
	x.norm = math.Sqrt(s.manifold.Inner(x.point, x.grad, x.grad))
	if !isFinite(x.norm) {
		return s.classifyError(errNotFinite)
	}
	return usable
}

// classifyError records err. It returns the outcome canceled if the context has ended or err is a
// context error, and the outcome unusable otherwise.
func (s *solver) classifyError(err error) evaluationOutcome {
	s.lastError = err
	if s.ctx.Err() != nil {
		s.lastError = context.Cause(s.ctx)
		return canceled
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return canceled
	}
	return unusable
}

func isFinite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
