package wda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// Status says how a fit ended.
type Status = descent.Status

// Report is how a fit went.
type Report struct {
	Objective float64 // J, with the ridge
	// Between and Within are σ_b² and σ_w², in the units of the data. They, and Warnings,
	// are missing where the context ended the fit.
	Between, Within float64
	Ridge           float64
	// ObjectiveSamples is the number of samples that all this was evaluated on: fewer
	// than there are if MiniBatch had too many. A class is represented by its share.
	ObjectiveSamples int
	GradientNorm     float64 // of J, Riemannian, at the result, as Objective.Gradient says
	Status           Status
	Steps            int
	Evaluations      descent.Evaluations // of all starts
	History          []Step
	Elapsed          time.Duration
	// Start is the start that led to the result, and StartObjectives the J that each
	// has led to, NaN for one where J is not finite.
	Start           int
	StartObjectives []float64
	// ValidationError is the lowest error on the held-out samples, that of the
	// result, and Validations all errors, from the start that led to the result.
	ValidationError float64
	Validations     []ValidationPoint
	// Warnings say what is odd about the data or the settings, one sentence each.
	Warnings []string
	// Lambda holds λ_cc', in the units of the data.
	Lambda *mat.SymDense
	// Ratios are those of the components, largest first: of their transport between
	// classes to that within, the ridge included.
	Ratios []float64
	// Choice is how settings that were left open have been chosen, nil if none was.
	Choice *Choice
	// Settings are those of the fit, with the defaults filled in.
	Settings Settings
}

// InterruptedError is the error of a Fit that was ended early when it had a projection
// already: by its context, by Progress, or by an evaluation of J that failed.
type InterruptedError struct {
	Model *Model // of the best projection so far, never nil
	Err   error  // the context's cause, or the error of Progress or of the evaluation
}

// Error implements error.
func (e *InterruptedError) Error() string {
	return fmt.Sprintf("wda: fit interrupted after %d steps: %v", e.Model.report.Steps, e.Err)
}

// Unwrap returns Err.
func (e *InterruptedError) Unwrap() error { return e.Err }

// Fit finds the projection that maximizes J for samples x (n × d, rows are samples)
// and their labels, and returns it as a Model. settings may be nil. x is not
// changed.
//
// If the context ends, or Progress returns an error, Fit returns an error that wraps
// the context's cause or that error. If there is a projection already it is an
// *InterruptedError, which has the best so far. Errors of data and settings wrap the
// sentinel errors of this package.
//
// With more features than samples the fit is done in the span of the samples, which
// holds the solution.
func Fit(ctx context.Context, x mat.Matrix, labels []int, settings *Settings) (*Model, error) {
	began := time.Now()
	if settings == nil {
		settings = new(Settings)
	}
	m, err := prepare(ctx, x, labels, settings.preparation(), settings.Solver.Init == nil)
	if err != nil {
		return nil, err
	}
	return m.fit(ctx, settings, began)
}

func fit[T dist.Float](ctx context.Context, m *Prepared, set Settings, choice *Choice, began time.Time) (*Model, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s := m.s
	span, start, err := m.startFor(ctx, &set)
	if err != nil {
		return nil, err
	}
	o, err := objectiveFor[T](span.s, &set, m.exact)
	if err != nil {
		return nil, err
	}
	f := &fitter[T]{objective: o, set: &set, manifold: stiefel.New(span.s.d, set.Components), start: start}
	if err := o.prepare(ctx, &set, f.start); err != nil {
		return nil, err
	}
	if set.Validation != nil {
		f.validator = newValidator(s, span, m.held, &set)
	}
	best, cause := f.all(ctx)
	if best == nil {
		return nil, fitError(cause)
	}
	rep := Report{
		Objective: best.value, Ridge: o.s.units(o.ridge), ObjectiveSamples: o.s.n,
		GradientNorm: best.norm, Status: best.status, Steps: best.steps,
		Evaluations: f.evaluations, History: best.history, Start: best.index, StartObjectives: f.objectives,
		Lambda: o.lambdas(), Choice: choice, Settings: set,
	}
	// The numbers reported are those of the result, not of the last trial. Whoever has
	// ended the fit does not wait for them, nor for its canonical components.
	parts := &components{p: best.point}
	if ctx.Err() == nil {
		axes, err := o.canonical(ctx, best.point)
		if err == nil {
			parts = axes.scaled(len(o.s.classes), &set)
			err = o.evaluate(ctx, best.point, false)
		}
		if err == nil {
			rep.Objective, rep.Between, rep.Within, rep.Warnings = o.ratio(), o.s.units(o.b), o.s.units(o.w), warnings(s, o, &set)
			rep.Ratios = parts.ratios
		} else if ctx.Err() == nil {
			return nil, err
		}
	}
	if ctx.Err() != nil && rep.Ratios == nil {
		parts, rep.Status = &components{p: best.point}, descent.Cancelled
		if cause == nil {
			cause = context.Cause(ctx)
		}
	}
	if f.validator != nil {
		rep.ValidationError, rep.Validations = best.err, best.validations
	}
	p, err := span.effective(parts.p)
	if err != nil {
		return nil, err
	}
	definiteSigns(p)
	rep.Elapsed = time.Since(began)
	model := newModel(s, p, rep)
	model.scales, model.ratios = parts.scales, parts.ratios
	if cause != nil {
		return nil, &InterruptedError{model, fitError(cause)}
	}
	return model, nil
}

// definiteSigns makes the element largest in magnitude of every column positive.
func definiteSigns(p *mat.Dense) {
	d, k := p.Dims()
	column := make([]float64, d)
	for l := range k {
		if algebra.Sign(mat.Col(column, l, p)) < 0 {
			for i := range d {
				p.Set(i, l, -p.At(i, l))
			}
		}
	}
}

// fitter runs the solver from every start.
type fitter[T dist.Float] struct {
	*objective[T]
	set         *Settings
	manifold    *stiefel.Manifold
	start       *mat.Dense // P⁰
	validator   *validator
	evaluations descent.Evaluations
	objectives  []float64
}

// attempt is where one start has led.
type attempt struct {
	index       int
	point       *mat.Dense
	value       float64 // J
	norm        float64 // of its gradient
	status      Status
	steps       int
	history     []Step
	err         float64 // on the held-out samples
	validations []ValidationPoint
}

// all returns the best attempt, if there is any, and what ended the fit early.
func (f *fitter[T]) all(ctx context.Context) (*attempt, error) {
	var best *attempt
	for i := range f.set.Solver.Starts {
		p, components := f.start, f.set.Solver.Init != nil
		if i > 0 {
			p, components = mat.NewDense(f.s.d, f.p, nil), false
			f.manifold.Random(p, rand.New(rand.NewPCG(f.set.Seed, streamStarts+uint64(i))))
		}
		a, err := f.attempt(ctx, i, p, components)
		if a != nil {
			f.objectives = append(f.objectives, a.value)
			if best == nil || f.better(a, best) {
				best = a
			}
		} else {
			f.objectives = append(f.objectives, math.NaN())
		}
		var se *descent.StartError
		if err != nil && !(i > 0 && errors.As(err, &se)) {
			return best, err
		}
	}
	return best, nil
}

func (f *fitter[T]) better(a, b *attempt) bool {
	if f.validator != nil && a.err != b.err {
		return a.err < b.err
	}
	return a.value > b.value
}

// attempt runs the solver from p. A result may come with an error.
func (f *fitter[T]) attempt(ctx context.Context, index int, p *mat.Dense, components bool) (*attempt, error) {
	set := f.set
	if set.Solver.Method == Auto || set.Solver.Method == MiniBatch {
		var err error
		if p, err = f.autoStart(ctx, set, p, components); err != nil {
			return nil, err
		}
	}
	switch set.Solver.Method {
	case Principal:
		return f.end(ctx, index, p)
	case Fisher:
		return f.end(ctx, index, f.s.fisher(p))
	case Eigen, EigenTraceRatio:
		return f.eigenvectors(ctx, index, p)
	case MiniBatch:
		return f.miniBatches(ctx, index, p)
	}
	var problem descent.Problem = inverse[T]{f.objective, ctx}
	ds := descent.Settings{MaxSteps: set.Solver.MaxSteps, GradientTolerance: set.Solver.Tolerance, GradientToValue: gradientNoise64}
	objectiveOf, normOf := inverseToJ, inverseNormToJ
	switch set.Solver.Method {
	case SteepestDescent:
		ds.Method = descent.SteepestDescent
	case ProjectedGradient:
		ds.Method = descent.ProjectedGradient
		problem = negative[T]{f.objective, ctx}
		objectiveOf, normOf = negativeToJ, negativeNormToJ
	}
	ds.Noise = set.noise()
	if set.Objective.Float32 {
		ds.GradientToValue = gradientNoise32
	}
	step := func(d descent.Step) Step {
		return Step{Start: index, Index: d.Index, Objective: objectiveOf(d.Value), GradientNorm: normOf(d.Value, d.GradientNorm), StepSize: d.StepSize}
	}
	var watch *watch
	if f.validator != nil {
		watch = f.validator.watch(ctx)
	}
	ds.Progress = func(d descent.Step, p *mat.Dense) error {
		if err := set.report(step(d)); err != nil {
			return err
		}
		if watch != nil {
			return watch.see(step(d), p)
		}
		return nil
	}
	res, cause := descent.Minimize(ctx, problem, f.manifold, p, &ds)
	if res == nil {
		return nil, cause
	}
	f.evaluations.Values += res.Evaluations.Values
	f.evaluations.Gradients += res.Evaluations.Gradients
	a := &attempt{
		index: index, point: res.Point, value: objectiveOf(res.Value), norm: normOf(res.Value, res.GradientNorm),
		status: res.Status, steps: res.Steps,
	}
	for _, h := range res.History {
		a.history = append(a.history, step(h))
	}
	if watch != nil {
		if cause == nil {
			cause = watch.last(a)
		}
		watch.keepBest(a)
	}
	return a, cause
}

// end is an attempt that makes no step.
func (f *fitter[T]) end(ctx context.Context, index int, p *mat.Dense) (*attempt, error) {
	s, err := f.newAscent(ctx, index, p)
	if err != nil {
		return nil, err
	}
	return s.end(descent.Stopped, s.report())
}

// gradientNoise is the norm of the gradient, relative to the value, that is rounding
// only: nothing is left to be gained. (Where p = d every projection has the same J.)
const (
	gradientNoise64 = 1e-14
	gradientNoise32 = 1e-7
)

// fitError passes on what ended a fit; an error of the start means that the data
// have no ratio there.
func fitError(err error) error {
	var se *descent.StartError
	if errors.As(err, &se) {
		if errors.Is(err, ErrSettings) {
			return se.Err
		}
		return fmt.Errorf("%w: the objective is not finite at the start: %w", ErrNoSpread, err)
	}
	return err
}

// prepare fixes λ and the ridge at the start p.
func (o *objective[T]) prepare(ctx context.Context, set *Settings, p *mat.Dense) error {
	if err := o.setLambdas(set, p); err != nil {
		return err
	}
	o.ridge = 0
	if err := o.evaluate(ctx, p, false); err != nil {
		return err
	}
	o.ridge = float64(set.Objective.Shrinkage.rho * o.w)
	if !(o.b > 0) {
		return fmt.Errorf("%w between classes", ErrNoSpread)
	}
	if !(o.w+o.ridge > 0) {
		distance := o.s.meanSquaredDistances(p, o.width)
		for c, label := range o.s.classes {
			// Samples are of the order of 1.
			if !o.s.coincides(c) && distance(c, c) > 1e-28 {
				return fmt.Errorf("%w: λ is so large that every sample of class %d is transported to itself", ErrSettings, label)
			}
		}
		return fmt.Errorf("%w within classes", ErrNoSpread)
	}
	return nil
}

// lambdas returns λ_cc' in the units of the data.
func (o *objective[T]) lambdas() *mat.SymDense {
	l := mat.NewSymDense(len(o.s.classes), nil)
	for _, q := range o.pairs {
		l.SetSym(q.c, q.e, o.s.perUnits(q.lambda))
	}
	return l
}

func workerCount(n int) int {
	if n == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// J and the norm of its gradient, from the value f that the solver minimizes and
// the norm of f's gradient: f = 1/J, or f = −J.
func inverseToJ(f float64) float64         { return 1 / f }
func inverseNormToJ(f, g float64) float64  { return g / (f * f) }
func negativeToJ(f float64) float64        { return -f }
func negativeNormToJ(_, g float64) float64 { return g }
