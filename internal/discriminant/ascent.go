package discriminant

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// Solver maximizes J.
type Solver[T dist.Float] interface {
	// Maximize raises J, beginning at the start of the attempt a, and records its steps in a. It
	// returns the reason why the attempt ended, and the error that ended the attempt early, if any.
	// The status NotTerminated means that the attempt could not begin.
	Maximize(ctx context.Context, a *Ascent[T]) (descent.Status, error)
}

// Watcher judges the projections of one attempt by a criterion other than J.
type Watcher interface {
	// Observe is called with the projection p of each step. If Observe returns an error, the
	// attempt ends. The error descent.ErrStop ends the attempt without an error.
	Observe(s Step, p *mat.Dense) error
	// Finish is called at the end of an attempt. It does nothing if Observe was called for the last
	// step.
	Finish(a *Attempt) error
	// KeepBest replaces the result of the attempt with the best projection seen.
	KeepBest(a *Attempt)
}

// Limits contains the stopping criteria of an attempt.
type Limits struct {
	MaxSteps          int
	Tolerance         float64 // gradient norm relative to the norm at the start
	FunctionTolerance float64 // LBFGS and ConjugateGradient end after three successive steps with at most this relative gain of J; 0 means off
	RoundingError     float64 // relative rounding error of J
}

// Step is one accepted step of an attempt.
type Step struct {
	Start        int // index of the start
	Index        int // number of the step; 0 is the start itself
	Objective    float64
	GradientNorm float64
	StepSize     float64
}

// Attempt is the result of running a solver from one start.
type Attempt struct {
	Index        int // index of the start
	Projection   *mat.Dense
	Objective    float64 // J
	GradientNorm float64
	Status       descent.Status
	Steps        int
	History      []Step
	Loss         float64 // set by the watcher
	Watcher      Watcher // or nil
}

// Driver runs a solver from one or several starts and counts evaluations.
type Driver[T dist.Float] struct {
	Objective *Objective[T]
	Solver    Solver[T]
	Limits    Limits
	Start     *mat.Dense // first start
	// If SearchStart is set, an attempt compares its start with the results of a few eigenvalue
	// iterations and begins at the projection with the largest J. CallerStart means that the caller
	// chose Start. In this case, the search of the first attempt also tries the principal components.
	SearchStart, CallerStart bool
	Starts                   int
	// Random returns the source of random numbers for a start. The first start does not use it.
	Random func(start int) *rand.Rand
	// NewWatcher, if not nil, is called for every attempt and returns the Watcher of the attempt.
	NewWatcher func(ctx context.Context) Watcher
	// ReportStep, if not nil, is called after every step. ReportBatch, if not nil, is called after
	// every mini-batch between two steps. An error of either function ends the fit.
	ReportStep  func(Step) error
	ReportBatch func(done, total int, latest Step) error

	// Values and Gradients count the evaluations of J and of its gradient. Objectives contains, for
	// each starting point, the J that was reached, or NaN if no fit from this point began.
	Values, Gradients int
	Objectives        []float64
}

// Manifold returns the Stiefel manifold of the projections.
func (o *Objective[T]) Manifold() *stiefel.Manifold {
	if o.stiefel == nil {
		o.stiefel = stiefel.New(o.Samples.D, o.p)
	}
	return o.stiefel
}

// Run makes an attempt from every start and returns the best attempt, or nil if no attempt has
// begun. It also returns the error that ended the attempts early, if any.
func (d *Driver[T]) Run(ctx context.Context) (*Attempt, error) {
	var best *Attempt
	for i := range d.Starts {
		p := d.Start
		if i > 0 {
			p = mat.NewDense(d.Objective.Samples.D, d.Objective.p, nil)
			d.Objective.Manifold().Random(ctx, p, d.Random(i))
		}
		a, err := d.attemptFrom(ctx, i, p)
		value := math.NaN()
		if a != nil {
			value = a.Objective
			if best == nil || d.isBetter(a, best) {
				best = a
			}
		}
		d.Objectives = append(d.Objectives, value)
		var se *descent.StartError
		if err != nil && !(i > 0 && errors.As(err, &se)) {
			return best, err
		}
	}
	return best, nil
}

func (d *Driver[T]) isBetter(a, b *Attempt) bool {
	if d.NewWatcher != nil && a.Loss != b.Loss {
		return a.Loss < b.Loss
	}
	return a.Objective > b.Objective
}

// attemptFrom makes an attempt from the start p, which it retains. It returns nil if the attempt
// did not begin. If it returns an attempt and an error, the error ended the attempt early.
func (d *Driver[T]) attemptFrom(ctx context.Context, index int, p *mat.Dense) (*Attempt, error) {
	if d.SearchStart {
		var err error
		if p, err = d.Objective.searchStart(ctx, p, d.CallerStart && index == 0); err != nil {
			return nil, err
		}
	}
	a := &Ascent[T]{driver: d, attempt: &Attempt{Index: index, Projection: p}}
	if d.NewWatcher != nil {
		a.attempt.Watcher = d.NewWatcher(ctx)
	}
	status, err := d.Solver.Maximize(ctx, a)
	if status == descent.NotTerminated {
		return nil, err
	}
	a.attempt.Status = status
	if errors.Is(err, descent.ErrStop) {
		err = nil
	}
	if w := a.attempt.Watcher; w != nil {
		if err == nil {
			err = w.Finish(a.attempt)
		}
		w.KeepBest(a.attempt)
	}
	return a.attempt, err
}

// Ascent is the run of a solver from one start. The solver records its steps in the Ascent.
type Ascent[T dist.Float] struct {
	driver        *Driver[T]
	attempt       *Attempt
	grad          *mat.Dense // Riemannian gradient at the latest measured projection
	gradientFloor float64    // gradient norms up to this value are only rounding error
}

// errNotFinite means that J or its gradient cannot be computed at a projection.
//
//lint:ignore ST1005 J is the name of the objective.
var errNotFinite = errors.New("J or its gradient is not finite; use a smaller λ or a larger ρ, or check the scale of the features")

// Measure returns J and the norm of its Riemannian gradient at p. It overwrites g, which must have
// the shape of p.
func (o *Objective[T]) Measure(ctx context.Context, p, g *mat.Dense) (value, norm float64, err error) {
	v, err := o.inverseRatio(ctx, p, g)
	if err != nil {
		return math.NaN(), math.NaN(), err
	}
	o.Manifold().Tangent(ctx, g, p, g)
	value, norm = ratioOfInverse(v, math.Sqrt(o.Manifold().Inner(p, g, g)))
	if value-value != 0 || norm-norm != 0 {
		err = errNotFinite
	}
	return value, norm, fault.Ended(ctx, err)
}

// measure calls Objective.Measure and counts the evaluation.
func (a *Ascent[T]) measure(ctx context.Context, p *mat.Dense) (value, norm float64, err error) {
	a.driver.Values++
	a.driver.Gradients++
	return a.driver.Objective.Measure(ctx, p, a.grad)
}

// measureStart measures J at the start and begins the history of the attempt. It returns an error if
// J cannot be computed at the start. Only solvers that do not use package descent call measureStart.
func (a *Ascent[T]) measureStart(ctx context.Context) error {
	o, p := a.driver.Objective, a.attempt.Projection
	a.grad = mat.NewDense(o.Samples.D, o.p, nil)
	value, norm, err := a.measure(ctx, p)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return &descent.StartError{Value: value, GradientNorm: norm, Infeasibility: o.Manifold().Infeasibility(ctx, p), Err: err}
	}
	a.gradientFloor = gradientNoise[T]() * value
	a.attempt.Objective, a.attempt.GradientNorm = value, norm
	a.attempt.History = []Step{{Start: a.attempt.Index, Objective: value, GradientNorm: norm}}
	return nil
}

// improves reports whether value exceeds the best J so far by more than the rounding error of J.
func (a *Ascent[T]) improves(value float64) bool {
	return value > a.attempt.Objective+float64(a.driver.Limits.RoundingError*math.Abs(a.attempt.Objective))
}

// acceptStep records a copy of p as the best projection so far.
func (a *Ascent[T]) acceptStep(p *mat.Dense, value, norm, size float64) {
	t := a.attempt
	t.Projection, t.Objective, t.GradientNorm = mat.DenseCopyOf(p), value, norm
	t.Steps++
	t.History = append(t.History, Step{Start: t.Index, Index: t.Steps, Objective: value, GradientNorm: norm, StepSize: size})
}

// latestStep returns the latest accepted step.
func (a *Ascent[T]) latestStep() Step { return a.attempt.History[a.attempt.Steps] }

// reportStep passes the step s, which led to p, to ReportStep and to the watcher.
func (a *Ascent[T]) reportStep(s Step, p *mat.Dense) error {
	if report := a.driver.ReportStep; report != nil {
		if err := report(s); err != nil {
			return err
		}
	}
	if w := a.attempt.Watcher; w != nil {
		return w.Observe(s, p)
	}
	return nil
}

// stationary reports whether the gradient norm is within the tolerance or is only rounding error.
func (a *Ascent[T]) stationary() bool {
	t := a.attempt
	return t.GradientNorm <= a.driver.Limits.Tolerance*t.History[0].GradientNorm || t.GradientNorm <= a.gradientFloor
}

// reportLatest reports the start or the latest accepted step. It returns the reason to stop at this
// step, or NotTerminated.
func (a *Ascent[T]) reportLatest() (descent.Status, error) {
	if err := a.reportStep(a.latestStep(), a.attempt.Projection); err != nil {
		return descent.Stopped, err
	}
	if a.stationary() {
		return descent.GradientTolerance, nil
	}
	return descent.NotTerminated, nil
}

// gradientNoise returns the largest norm of a gradient, relative to J, that may be only rounding
// error. If p = d, every projection has the same J, and every gradient is rounding error.
func gradientNoise[T dist.Float]() float64 {
	if num.IsFloat64[T]() {
		return 1e-14
	}
	return 1e-7
}

// NoSteps is a Solver that makes no steps, so its result is the starting projection.
type NoSteps[T dist.Float] struct{}

// Maximize implements Solver.
func (NoSteps[T]) Maximize(ctx context.Context, a *Ascent[T]) (descent.Status, error) {
	if err := a.measureStart(ctx); err != nil {
		return descent.NotTerminated, err
	}
	return descent.Stopped, a.reportStep(a.latestStep(), a.attempt.Projection)
}
