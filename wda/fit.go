package wda

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

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
//
// Samples that do not fit in memory are an x with a method
//
//	ReadRows(dst []float64, first int) error
//
// that sets dst to the rows from first on, as many as have room in it, and that several
// goroutines may call: Reader.Rows of package dataset makes one of a file. Fit then reads
// all of it once, to check it, and holds about 2²³ of its numbers, of every class the same
// share of rows, evenly spaced: what it is centred, standardized and whitened by, where it
// begins, λ, the ridge and what is chosen are those of that sample; the mini-batches are of
// all rows. Where the sample is all of them the result is, in every bit, that of a matrix. Of
// more, only MiniBatch can be made, and Validation needs an X; anything else is an error
// that wraps ErrSettings. An error of ReadRows ends the fit.
func Fit(ctx context.Context, x mat.Matrix, labels []int, settings *Settings) (*Model, error) {
	began := time.Now()
	if settings == nil {
		settings = new(Settings)
	}
	m, err := prepare(ctx, x, labels, settings.preparation(), settings.Optimizer.Init == nil)
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
	all, asked := start, set
	if q := set.fitted(len(s.classes)); q < set.Components {
		// J is of the leading components alone.
		set.Components = q
		start = mat.DenseCopyOf(all.Slice(0, span.s.d, 0, set.Components))
	}
	o, err := objectiveFor[T](ctx, span.s, &set, m.exact)
	if err != nil {
		return nil, err
	}
	f := &fitter[T]{objective: o, set: &set, manifold: stiefel.New(span.s.d, set.Components), start: start}
	f.population = o.whole.population
	if m.source != nil {
		f.population = func() *population { return m.source.population(s, span) }
	}
	if err := o.prepare(ctx, &set, f.start); err != nil {
		return nil, err
	}
	switch m := set.Optimizer.Method; {
	case m == Fisher:
		f.start = span.fisher(ctx, start, whitePrincipal)
	case (m == Auto || m == MiniBatch) && f.asCompared():
		if f.start, err = o.highest(ctx, start, span.fisher(ctx, start, whitePrincipal)); err != nil {
			return nil, ended(ctx, err)
		}
	}
	if set.Validation != nil {
		f.watch = newValidator(ctx, s, span, m.held, &set).watch
	}
	best, cause := f.all(ctx)
	if best == nil {
		return nil, ended(ctx, fitError(cause))
	}
	rep := Report{
		Objective: best.value, Ridge: o.s.units(o.ridge), ObjectiveSamples: o.s.n,
		GradientNorm: best.norm, Status: best.status, Steps: best.steps,
		Evaluations: f.evaluations, History: best.history, Start: best.index, StartObjectives: f.objectives,
		Lambda: o.lambdas(), Choice: choice, Settings: asked,
	}
	rep.Maxima, rep.LedTo = maxima(f.objectives)
	// The numbers reported are those of the result, not of the last trial. Whoever has
	// ended the fit does not wait for them, nor for its canonical components.
	parts := &components{p: best.point}
	if ctx.Err() == nil {
		var said []string
		axes, err := o.canonical(ctx, best.point)
		if err == nil {
			parts = axes.scaled(ctx, &set)
			err = o.evaluate(ctx, best.point, false)
		}
		if err == nil {
			said, err = warnings(ctx, s, o, &set, parts.rank, choice)
		}
		if err == nil && !choice.compared() {
			var more []string
			more, err = m.beside(ctx, span, parts.p, asked.Components, set.Workers)
			said = append(said, more...)
		}
		if err == nil {
			rep.Objective, rep.Between, rep.Within, rep.Warnings = o.ratio(), o.s.units(o.b), o.s.units(o.w), said
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
	if set.Components < asked.Components {
		if parts, err = parts.completed(context.WithoutCancel(ctx), best.point, all); err != nil {
			return nil, err
		}
		if rep.Ratios != nil {
			rep.Ratios = parts.ratios
		}
	}
	if f.watch != nil {
		rep.ValidationError, rep.Validations = best.err, best.validations
	}
	p, err := span.effective(ctx, parts.p, true)
	if err != nil && ctx.Err() != nil {
		// The best so far is owed all the same.
		if rep.Status = descent.Cancelled; cause == nil {
			cause = context.Cause(ctx)
		}
		p, err = span.effective(context.WithoutCancel(ctx), parts.p, false)
	}
	if err != nil {
		return nil, err
	}
	definiteSigns(p)
	rep.Elapsed = time.Since(began)
	model := newModel(s, p, rep)
	model.scales, model.ratios, model.validated = parts.scales, parts.ratios, m.hash
	if cause != nil {
		return nil, &InterruptedError{model, fitError(cause)}
	}
	return model, nil
}

// besideRows bounds the rows that a result which nothing was held out for is judged by.
const besideRows = 500

// beside warns of a projection p of the samples of sp, for which nothing was held out, that
// errs more than the principal components do on the rows that it was fitted to, each left out
// in turn. That is lenient to p, which has seen them all, and takes no other fit.
func (m *Prepared) beside(ctx context.Context, sp *span, p *mat.Dense, components int, workers int) ([]string, error) {
	var plain *mat.Dense
	var err error
	if m.begins {
		plain, err = m.principal(ctx)
	} else {
		plain, err = m.span.s.principal(ctx, min(components, m.span.s.d), choicePrincipal, workers)
	}
	if err != nil {
		return nil, err
	}
	d, k := plain.Dims()
	plain = mat.DenseCopyOf(plain.Slice(0, d, 0, min(components, k)))
	x, y := sp.s.thinned(ctx, besideRows), m.span.s.thinned(ctx, besideRows)
	own, err := x.leftOut(ctx, p, workers)
	if err != nil {
		return nil, err
	}
	principal, err := y.leftOut(ctx, plain, workers)
	if err != nil || !(own > principal+float64(3*standardError(principal, x.n))) {
		return nil, err
	}
	return []string{fmt.Sprintf("of %d rows that it was fitted to %d nearest neighbors get %.1f %% wrong in the projection, each row being left out, and %.1f %% among the principal components: "+besideAdvice,
		x.n, min(choiceNeighbors, x.n-1), 100*own, 100*principal)}, nil
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

func newModel(s *samples, p *mat.Dense, rep Report) *Model {
	m := &Model{projection: s.effective(p), mean: s.mean, labels: s.classes, report: rep.clone()}
	m.setOffset()
	return m
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
