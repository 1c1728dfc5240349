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

// Solver is a way to maximize J.
type Solver[T dist.Float] interface {
	// Maximize raises J from the start of a and records its steps in a. It returns why it ended, with the
	// error that ended it early, if any. The status NotTerminated means that it did not begin.
	Maximize(ctx context.Context, a *Ascent[T]) (descent.Status, error)
}

// Watcher judges the projections of one attempt by other means than J.
type Watcher interface {
	// See looks at the projection p of a step. An error ends the attempt; descent.ErrStop is a planned end.
	See(s Step, p *mat.Dense) error
	// Last looks at the end of an attempt, unless it has seen that step already.
	Last(a *Attempt) error
	// KeepBest makes the best projection that it has seen the result of the attempt.
	KeepBest(a *Attempt)
}

// Limits say when an attempt ends.
type Limits struct {
	MaxSteps          int
	Tolerance         float64 // of the norm of the gradient, relative to that at the start
	FunctionTolerance float64 // relative gain of J in each of three steps at which LBFGS and ConjugateGradient end; 0 is none
	Noise             float64 // relative rounding error of J
}

// Step is one accepted step of an attempt.
type Step struct {
	Start        int // index of the start
	Index        int // number of the step; 0 is the start itself
	Objective    float64
	GradientNorm float64
	StepSize     float64
}

// Attempt is where one start has led.
type Attempt struct {
	Index   int // of the start
	Point   *mat.Dense
	Value   float64 // J
	Norm    float64 // of its gradient
	Status  descent.Status
	Steps   int
	History []Step
	Loss    float64 // by the watcher
	Watcher Watcher // or nil
}

// Driver runs a solver from one start or several, and keeps count.
type Driver[T dist.Float] struct {
	Objective *Objective[T]
	Solver    Solver[T]
	Limits    Limits
	Start     *mat.Dense // P⁰
	// Search lets every attempt begin at the better of its start and the results of a few eigenvalue
	// iterations from there. Given says that Start was chosen by the caller: the search then tries the
	// principal components, too.
	Search, Given bool
	Starts        int
	// Random returns the random numbers for a start. The first start needs none.
	Random func(start int) *rand.Rand
	// Watch, if not nil, returns the watcher of an attempt.
	Watch func(ctx context.Context) Watcher
	// Report, if not nil, is called after every step, and ReportBatch after every mini-batch between two
	// steps. An error ends the fit.
	Report      func(Step) error
	ReportBatch func(done, total int, latest Step) error

	// Values and Gradients count evaluations. Objectives holds the J that each start led to, NaN if it is
	// not finite.
	Values, Gradients int
	Objectives        []float64
}

// Manifold returns the manifold of the projections.
func (o *Objective[T]) Manifold() *stiefel.Manifold {
	if o.stiefel == nil {
		o.stiefel = stiefel.New(o.Samples.D, o.p)
	}
	return o.stiefel
}

// Run makes an attempt from every start and returns the best one, or nil if none has begun, with the
// error that ended them early, if any.
func (d *Driver[T]) Run(ctx context.Context) (*Attempt, error) {
	var best *Attempt
	for i := range d.Starts {
		p := d.Start
		if i > 0 {
			p = mat.NewDense(d.Objective.Samples.D, d.Objective.p, nil)
			d.Objective.Manifold().Random(ctx, p, d.Random(i))
		}
		a, err := d.from(ctx, i, p)
		value := math.NaN()
		if a != nil {
			value = a.Value
			if best == nil || d.better(a, best) {
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

func (d *Driver[T]) better(a, b *Attempt) bool {
	if d.Watch != nil && a.Loss != b.Loss {
		return a.Loss < b.Loss
	}
	return a.Value > b.Value
}

// from makes an attempt from the start p, which it keeps. The attempt is nil if it did not begin. Otherwise
// an error is the one that ended it early.
func (d *Driver[T]) from(ctx context.Context, index int, p *mat.Dense) (*Attempt, error) {
	if d.Search {
		var err error
		if p, err = d.Objective.autoStart(ctx, p, d.Given && index == 0); err != nil {
			return nil, err
		}
	}
	a := &Ascent[T]{driver: d, attempt: &Attempt{Index: index, Point: p}}
	if d.Watch != nil {
		a.attempt.Watcher = d.Watch(ctx)
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
			err = w.Last(a.attempt)
		}
		w.KeepBest(a.attempt)
	}
	return a.attempt, err
}

// Ascent is an attempt on its way: the record that a solver keeps.
type Ascent[T dist.Float] struct {
	driver  *Driver[T]
	attempt *Attempt
	g       *mat.Dense // of the latest measurement
	goal    float64    // norm of the gradient at which nothing is left to be gained
}

// errNotFinite: J or its gradient cannot be computed at a projection.
//
//lint:ignore ST1005 J is the name of the objective.
var errNotFinite = errors.New("J or its gradient is not finite; use a smaller λ or a larger ρ, or check the scale of the features")

// Measure returns J and the norm of its Riemannian gradient at p. g, of the shape of
// p, is overwritten.
func (o *Objective[T]) Measure(ctx context.Context, p, g *mat.Dense) (value, norm float64, err error) {
	v, err := o.inverse(ctx, p, g)
	if err != nil {
		return math.NaN(), math.NaN(), err
	}
	o.Manifold().Tangent(ctx, g, p, g)
	value, norm = ofInverse(v, math.Sqrt(o.Manifold().Inner(p, g, g)))
	if value-value != 0 || norm-norm != 0 {
		err = errNotFinite
	}
	return value, norm, fault.Ended(ctx, err)
}

// measure is Objective.Measure, counted.
func (a *Ascent[T]) measure(ctx context.Context, p *mat.Dense) (value, norm float64, err error) {
	a.driver.Values++
	a.driver.Gradients++
	return a.driver.Objective.Measure(ctx, p, a.g)
}

// begin measures J at the start and begins the record of a solver that is not in package descent. The
// record holds the steps that raised J, so the last is the best. begin fails if there is no J at the start.
func (a *Ascent[T]) begin(ctx context.Context) error {
	o, p := a.driver.Objective, a.attempt.Point
	a.g = mat.NewDense(o.Samples.D, o.p, nil)
	value, norm, err := a.measure(ctx, p)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return &descent.StartError{Value: value, GradientNorm: norm, Infeasibility: o.Manifold().Infeasibility(ctx, p), Err: err}
	}
	a.goal = gradientNoise[T]() * value
	a.attempt.Value, a.attempt.Norm = value, norm
	a.attempt.History = []Step{{Start: a.attempt.Index, Objective: value, GradientNorm: norm}}
	return nil
}

// better reports whether value is more than rounding above the best so far.
func (a *Ascent[T]) better(value float64) bool {
	return value > a.attempt.Value+float64(a.driver.Limits.Noise*math.Abs(a.attempt.Value))
}

// accept makes p, which it copies, the best projection so far.
func (a *Ascent[T]) accept(p *mat.Dense, value, norm, size float64) {
	t := a.attempt
	t.Point, t.Value, t.Norm = mat.DenseCopyOf(p), value, norm
	t.Steps++
	t.History = append(t.History, Step{Start: t.Index, Index: t.Steps, Objective: value, GradientNorm: norm, StepSize: size})
}

// latest returns the latest accepted step.
func (a *Ascent[T]) latest() Step { return a.attempt.History[a.attempt.Steps] }

// report tells Report and the watcher of a step that has led to p.
func (a *Ascent[T]) report(s Step, p *mat.Dense) error {
	if report := a.driver.Report; report != nil {
		if err := report(s); err != nil {
			return err
		}
	}
	if w := a.attempt.Watcher; w != nil {
		return w.See(s, p)
	}
	return nil
}

// stationary reports whether the gradient has fallen to the tolerance.
func (a *Ascent[T]) stationary() bool {
	t := a.attempt
	return t.Norm <= a.driver.Limits.Tolerance*t.History[0].GradientNorm || t.Norm <= a.goal
}

// arrive reports the start or an accepted step, and returns why the attempt ends there, if it does.
func (a *Ascent[T]) arrive() (descent.Status, error) {
	if err := a.report(a.latest(), a.attempt.Point); err != nil {
		return descent.Stopped, err
	}
	if a.stationary() {
		return descent.GradientTolerance, nil
	}
	return descent.NotTerminated, nil
}

// gradientNoise is the norm of the gradient, relative to the value, that is rounding
// only: nothing is left to be gained. (Where p = d every projection has the same J.)
func gradientNoise[T dist.Float]() float64 {
	if num.IsFloat64[T]() {
		return 1e-14
	}
	return 1e-7
}

// Stay is the solver that makes no step: the result is the start.
type Stay[T dist.Float] struct{}

// Maximize implements Solver.
func (Stay[T]) Maximize(ctx context.Context, a *Ascent[T]) (descent.Status, error) {
	if err := a.begin(ctx); err != nil {
		return descent.NotTerminated, err
	}
	return descent.Stopped, a.report(a.latest(), a.attempt.Point)
}
