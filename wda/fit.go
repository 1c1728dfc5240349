package wda

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/projection"
	"gonum.org/v1/gonum/mat"
)

// Fit finds the projection that maximizes the objective J for the samples x (n × d, one row for each
// sample) and their labels, and returns the projection as a Model. settings may be nil. x and labels
// are not changed. If there are more features than samples, Fit works in the span of the samples,
// which contains the solution.
//
// Errors in data or settings wrap a sentinel error of this package and name the position. If ctx
// ends, Progress returns an error, or J can no longer be computed, the error wraps the cause. If
// Fit has already found a projection, it returns the best projection as a Model together with the
// error. This Model is usable, and its Report has the status StatusCanceled, StatusStopped or
// StatusEvaluationFailed. Fit has no projection before the first step and while it compares
// candidate settings.
//
// # Samples that do not fit in memory
//
// x may have the method
//
//	ReadRows(dst []float64, first int) error
//
// which fills dst with consecutive rows of x, beginning at row index first. Several goroutines may
// call ReadRows at the same time. Reader.Rows of package dataset returns such a matrix for a file. Fit
// then reads all rows once to check them, and keeps a sample of about 2²³ numbers: the same fraction
// of each class, evenly spaced. The mean, the preparation of the features, the starting point, λ, the
// ridge and the choice of settings come from this sample. The mini-batches come from all rows.
//
// If the sample contains all rows, the result is bit-identical to the result for a matrix in memory.
// Otherwise only the method MiniBatch is supported, and Validation, if any, must have an X; other
// settings return ErrSettings. An error of ReadRows ends the fit.
func Fit(ctx context.Context, x mat.Matrix, labels []int, settings *Settings) (*Model, error) {
	began := time.Now()
	if settings == nil {
		settings = new(Settings)
	}
	m, err := prepare(ctx, x, labels, settings.preparation(), settings.Optimizer.Init == nil, 0)
	if err != nil {
		return nil, err
	}
	return m.fitSince(ctx, settings, began)
}

// runFits makes one fit to prepared samples for each element of sets. No setting may be automatic. The
// result is the model of the only fit, or the mixture of several fits.
func runFits[T dist.Float](ctx context.Context, m *Prepared, sets []Settings, choice *Choice, began time.Time) (*Model, error) {
	progress := sets[0].Progress
	chainProgress(sets)
	f, err := newOutcome[T](ctx, m, sets[0], choice)
	if err == nil && len(sets) > 1 {
		err = f.mixWith(ctx, sets[1:])
	}
	if err != nil {
		return nil, err
	}
	f.report.Settings.Progress = progress
	return f.newModel(began)
}

// outcome is the result of a fit before it becomes a Model.
type outcome[T dist.Float] struct {
	run        *run[T]
	report     Report
	best       *discriminant.Attempt
	canonical  *discriminant.Components // canonical components before they are scaled
	components *discriminant.Components // components of the projection, scaled
	projection *mat.Dense               // projection for the prepared samples
	cause      error                    // reason of an interruption, or nil
}

// newOutcome makes one fit with the given settings.
func newOutcome[T dist.Float](ctx context.Context, m *Prepared, set Settings, choice *Choice) (*outcome[T], error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r := &run[T]{prepared: m, all: set, set: set}
	if err := r.setUp(ctx); err != nil {
		return nil, err
	}
	best, cause := r.driver.Run(ctx)
	if best == nil {
		return nil, fault.Ended(ctx, fitError(cause))
	}
	f := &outcome[T]{run: r, report: r.newReport(best, choice), best: best, cause: cause}
	var err error
	f.canonical, f.components, err = r.canonicalForm(ctx, best.Projection, &f.report)
	if f.recordInterruption(ctx, err) {
		f.components, err = &discriminant.Components{P: best.Projection}, nil // the best projection so far, without its canonical form
	}
	if err == nil {
		f.components, err = r.addPrincipal(ctx, f.components, best)
	}
	if err != nil {
		return nil, err
	}
	f.projection, err = r.projectionOf(ctx, f.components)
	if f.recordInterruption(ctx, err) {
		f.projection, err = r.span.ToFeatures(context.WithoutCancel(ctx), f.components.P, r.polishFor(f.components, discriminant.AnyOrthonormalBasis))
	}
	return f, err
}

// recordInterruption reports whether err is due to the end of ctx. If so, it records status and
// cause, and the fit continues with the best projection.
func (f *outcome[T]) recordInterruption(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() == nil {
		return false
	}
	if f.report.Status = StatusCanceled; f.cause == nil {
		f.cause = context.Cause(ctx)
	}
	return true
}

// newModel returns the model, and an error if the fit was interrupted.
func (f *outcome[T]) newModel(began time.Time) (*Model, error) {
	projection.FixSigns(f.projection)
	f.report.Elapsed, f.report.Ratios = time.Since(began), f.components.Ratios
	model := newModel(f.run.prepared.samples, f.projection, f.report)
	if err := model.checkFinite(); err != nil {
		return nil, err
	}
	model.scales, model.ratios, model.validated = f.components.Scales, f.components.Ratios, f.run.prepared.hash
	if f.cause != nil {
		return model, fmt.Errorf("fit interrupted after %d steps: %w", f.report.Steps, fitError(f.cause))
	}
	return model, nil
}

// run has the state of one fit.
type run[T dist.Float] struct {
	prepared  *Prepared
	all       Settings           // settings for all components
	set       Settings           // settings for only the components in the objective
	span      *discriminant.Span // space in which the fit computes
	initial   *mat.Dense         // starting point P⁰ in the span, with all components
	objective *discriminant.Objective[T]
	driver    *discriminant.Driver[T]
}

// setUp finds the starting point P⁰, computes λ and the ridge at P⁰, and creates the driver.
func (r *run[T]) setUp(ctx context.Context) error {
	m, set := r.prepared, &r.set
	var err error
	if r.span, r.initial, err = m.startPoint(ctx, set); err != nil {
		return err
	}
	sp, start := r.span, r.initial
	if q := set.objectiveComponents(len(m.samples.Classes)); q < set.Components {
		set.Components = q
		start = mat.DenseCopyOf(r.initial.Slice(0, sp.Samples.D, 0, q))
	}
	o, err := discriminant.NewObjective(ctx, sp.Samples, fitConfig[T](set, sp.Samples.D, m.maxSamples, m.maxClasses))
	if err != nil {
		return err
	}
	r.objective = o
	from := sp.Samples.Population
	if m.source != nil {
		from = func() *discriminant.Population { return m.source.population(m.samples, sp) }
	}
	if err := o.Prepare(ctx, set.Objective.Lambda.rule(), set.Objective.Shrinkage.rho, start); err != nil {
		return err
	}
	method, given := set.Optimizer.Method.traits(), set.Optimizer.Init != nil
	// If the samples are separable, eigenvalue iterations would lead to a maximum that fits noise.
	// The fit then starts at principal components or discriminants, like the fits that compare
	// candidate settings.
	asCompared := !given && discriminant.Separable(o.Samples.N, o.Samples.D)
	switch {
	case method.startsAtFisher:
		start = sp.FisherDirections(ctx, start, whitenedTolerance)
	case method.searchesStart && asCompared:
		if start, err = o.BestOf(ctx, nil, start, sp.FisherDirections(ctx, start, whitenedTolerance)); err != nil {
			return fault.Ended(ctx, err)
		}
	}
	r.driver = &discriminant.Driver[T]{
		Objective: o, Solver: newSolver[T](set, from), Limits: limits[T](set), Start: start, SearchStart: method.searchesStart && !asCompared, CallerStart: given,
		Starts: set.Optimizer.Starts, Random: set.newRandom(streamStarts), ReportStep: set.reportStep, ReportBatch: set.reportBatch,
	}
	if set.Validation != nil {
		v := newValidator(ctx, m.samples, sp, m.held, set)
		r.driver.NewWatcher = func(ctx context.Context) discriminant.Watcher { return v.newWatch(ctx) }
	}
	return nil
}

// newReport returns an incomplete report of the fit, which canonicalForm completes.
func (r *run[T]) newReport(best *discriminant.Attempt, choice *Choice) Report {
	d := r.driver
	rep := Report{
		Objective: best.Objective, Ridge: r.reportedCost(r.objective.Ridge), ObjectiveSamples: r.objective.Samples.N,
		GradientNorm: best.GradientNorm, Status: Status(best.Status), Steps: best.Steps,
		Evaluations: Evaluations{d.Values, d.Gradients}, Start: best.Index, StartObjectives: d.Objectives,
		Lambda: r.objective.Lambdas(), Choice: choice, Settings: r.all,
	}
	for _, s := range best.History {
		rep.History = append(rep.History, Step(s))
	}
	rep.Maxima, rep.LedTo = maxima(d.Objectives)
	if w, ok := best.Watcher.(*validationWatch); ok {
		rep.ValidationError, rep.Validations = best.Loss, w.points
	}
	return rep
}

// reportedCost returns a cost in the units of the data.
func (r *run[T]) reportedCost(cost float64) float64 {
	return clampReported(r.objective.Samples.ToDataUnits(cost))
}

// canonicalForm returns the canonical components of the projection p, unscaled and scaled. It also
// completes the report rep: it evaluates J at p, because the last evaluation may have been at another
// projection.
func (r *run[T]) canonicalForm(ctx context.Context, p *mat.Dense, rep *Report) (axes, parts *discriminant.Components, err error) {
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if axes, err = r.objective.Canonical(ctx, p); err != nil {
		return nil, nil, err
	}
	parts = axes.WithLengths(ctx, r.set.Scale.lengths(r.set.Leading))
	said, err := findWarnings(ctx, r.prepared.samples, r.objective.PairCounts(), &r.set, parts.Rank, rep.Choice)
	if err != nil {
		return nil, nil, err
	}
	if !rep.Choice.wasCompared() {
		more, err := r.prepared.trainingErrorWarning(ctx, r.span, parts.P, r.all.Components, r.set.Workers)
		if err != nil {
			return nil, nil, err
		}
		said = append(said, more...)
	}
	costs := r.objective.Costs()
	rep.Objective, rep.Between, rep.Within, rep.Warnings = r.objective.Value(), r.reportedCost(costs.Between), r.reportedCost(costs.Within), said
	return axes, parts, nil
}

// addPrincipal appends principal components to c if the settings request more components than the
// objective has.
func (r *run[T]) addPrincipal(ctx context.Context, c *discriminant.Components, best *discriminant.Attempt) (*discriminant.Components, error) {
	if r.set.Components == r.all.Components {
		return c, nil
	}
	return c.WithColumns(context.WithoutCancel(ctx), best.Projection, r.initial)
}

// projectionOf returns the projection with the components c, scaled to unit variance within classes
// unless the scale is ScaleOrthonormal.
func (r *run[T]) projectionOf(ctx context.Context, c *discriminant.Components) (*mat.Dense, error) {
	p, err := r.span.ToFeatures(ctx, c.P, r.polishFor(c, discriminant.NearestOrthonormal))
	if err != nil || r.set.Scale == ScaleOrthonormal || c.Scales == nil {
		return p, err
	}
	length, err := c.UnitOfLength(ctx, r.span.Samples, min(r.set.Components, r.set.Leading), r.prepared.samples.Scale, r.set.Workers)
	if err != nil {
		return nil, err
	}
	algebra.Scale(c.Scales, length)
	p.Scale(length, p)
	return p, nil
}

// polishFor returns the given Polish, or NoPolish if the columns of the components c are not
// orthonormal.
func (r *run[T]) polishFor(c *discriminant.Components, how discriminant.Polish) discriminant.Polish {
	all := r.all.Components
	if r.set.Components < all || c.Scales != nil && (r.set.Leading < all || !r.set.Scale.equalLengths()) {
		return discriminant.NoPolish
	}
	return how
}

// leaveOneOutRows is the largest number of rows that trainingErrorWarning uses.
const leaveOneOutRows = 500

// trainingErrorWarning returns a warning if the projection p of the samples of sp has a larger
// leave-one-out error on training rows than principal components. The comparison needs no further fit,
// but favors p, which was fitted to the same rows.
func (m *Prepared) trainingErrorWarning(ctx context.Context, sp *discriminant.Span, p *mat.Dense, components int, workers int) ([]Warning, error) {
	var plain *mat.Dense
	var err error
	if m.fromPrincipal {
		plain, err = m.principalComponents(ctx)
	} else {
		plain, err = m.span.Samples.PrincipalComponents(ctx, min(components, m.span.Samples.D), choiceTolerance, workers)
	}
	if err != nil {
		return nil, err
	}
	d, k := plain.Dims()
	plain = mat.DenseCopyOf(plain.Slice(0, d, 0, min(components, k)))
	some := func(s *discriminant.Samples) *discriminant.Samples {
		return s.WithFewerClasses(ctx, leaveOneOutRows/2).WithFewerSamples(ctx, leaveOneOutRows)
	}
	x, y := some(sp.Samples), some(m.span.Samples)
	own, err := leaveOneOutError(ctx, x, p, workers)
	if err != nil {
		return nil, err
	}
	principal, err := leaveOneOutError(ctx, y, plain, workers)
	if err != nil || !(own > principal+float64(3*shareError(principal, x.N))) {
		return nil, err
	}
	values := []float64{float64(x.N), float64(min(choiceNeighbors, x.N-1)), own, principal}
	return []Warning{{Code: WarningTrainingError, Values: values}}, nil
}

// fitError returns the error to report for a fit that ended with err. A StartError means that J is
// undefined at the starting point.
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

func newModel(s *discriminant.Samples, p *mat.Dense, rep Report) *Model {
	m := &Model{projection: s.ToInput(p), mean: s.Mean, labels: s.Classes, report: rep.clone()}
	m.setOffset()
	return m
}

// checkFinite returns an error if the projection or the offset is out of range of float64. Load
// would refuse such a model.
func (m *Model) checkFinite() error {
	for j := range m.mean {
		if firstNotFinite(m.projection.RawRowView(j)) >= 0 {
			return fmt.Errorf("%w: the projection of feature %d, counted from 0, in the unit of the data; multiply the features by a power of two first", ErrNotFinite, j)
		}
	}
	if firstNotFinite(m.offset) >= 0 {
		return fmt.Errorf("%w: the projection of the mean; multiply the features by a power of two first", ErrNotFinite)
	}
	return nil
}
