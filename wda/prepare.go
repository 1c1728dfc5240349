package wda

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/wda/baseline"
	"gonum.org/v1/gonum/mat"
)

// Preparation configures Prepare. The fields have the same meaning as in Settings. The zero value
// works.
type Preparation struct {
	// Components is the largest number of components of a fit. Default 2, or 1 for a single
	// feature.
	Components int
	// Data selects the preparation of the features.
	Data Data
	// Validation, if not nil, holds out samples.
	Validation *Validation
	// Seed determines the samples that Validation holds out.
	Seed uint64
	// Workers is the largest number of goroutines. Default GOMAXPROCS.
	Workers int
}

// preparation returns the settings that Prepare uses.
func (s *Settings) preparation() *Preparation {
	return &Preparation{s.Components, s.Data, s.Validation, s.Seed, s.Workers}
}

// Prepared contains samples that are ready for several fits: they are checked, scaled and reduced
// to their span, and their principal components are known. Several goroutines may call Fit at the
// same time.
type Prepared struct {
	preparation    Preparation // with defaults
	held           *heldOut
	hash           string // hash of Validation.X, or ""
	samples        *discriminant.Samples
	span           *discriminant.Span
	fromPrincipal  bool       // fits start at the principal components
	principalStart *mat.Dense // principal components in the span; nil until needed
	// maxSamples is the largest number of samples on which MiniBatch evaluates J. maxClasses is the
	// largest number of classes for MiniBatch, Auto, Principal and Fisher.
	maxSamples, maxClasses int
	// source reads all rows if the samples in memory are only some of the rows. Otherwise it is nil.
	source *rowSource
}

// Prepare prepares the samples x (n × d, one row for each sample) and their labels for several
// fits. preparation may be nil. x and labels must not change before the last fit. Errors are those
// of Fit. If ctx ends, the error is context.Cause(ctx).
func Prepare(ctx context.Context, x mat.Matrix, labels []int, preparation *Preparation) (*Prepared, error) {
	m, err := prepare(ctx, x, labels, preparation, true, 0)
	if err != nil {
		return nil, err
	}
	_, err = m.principalComponents(ctx) // computed here, because several goroutines may call Fit
	return m, err
}

// principalComponents returns the principal components of the samples in m.span. The first call
// computes them.
func (m *Prepared) principalComponents(ctx context.Context) (*mat.Dense, error) {
	var err error
	if m.principalStart == nil {
		m.principalStart, err = baseline.Fit(ctx, m.span.Samples.X, nil, m.preparation.Components, baseline.PCA{Workers: m.preparation.Workers})
	}
	return m.principalStart, err
}

// prepare is like Prepare, but does not compute principal components. fromPrincipal tells whether
// fits will start at principal components. limit is as in readInput.
func prepare(ctx context.Context, x mat.Matrix, labels []int, by *Preparation, fromPrincipal bool, limit int) (*Prepared, error) {
	x, labels, source, err := readInput(ctx, x, labels, limit)
	if err != nil {
		return nil, err
	}
	m := &Prepared{held: &heldOut{trainX: x, trainLabels: labels}, maxSamples: exactSamples, maxClasses: exactClasses, source: source}
	if by != nil {
		m.preparation = *by
	}
	if v := m.preparation.Validation; v != nil {
		if source != nil && v.X == nil {
			return nil, fmt.Errorf("%w: if the samples are not in memory, Validation must have an X", ErrSettings)
		}
		if m.held, err = v.holdOut(ctx, x, labels, m.preparation.Seed); err != nil {
			return nil, err
		}
		if m.hash, err = v.checkedHash(ctx); err != nil {
			return nil, err
		}
	}
	if m.samples, err = discriminant.NewSamples(ctx, m.held.trainX, m.held.trainLabels); err != nil {
		return nil, err
	}
	if source != nil {
		m.samples.CompleteSizes = source.counts
	}
	if m.preparation.Components, err = defaultComponents(m.preparation.Components, m.samples.D); err != nil {
		return nil, err
	}
	if err := checkWorkers(m.preparation.Workers); err != nil {
		return nil, err
	}
	if m.preparation.Data.Standardize {
		if err := m.samples.Standardize(ctx, m.held.trainX, m.held.trainLabels); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := discriminant.CheckMemory(discriminant.PrepareNeeds(m.samples.N, m.samples.D, m.preparation.Components)...); err != nil {
		return nil, err
	}
	m.span = discriminant.NewSpan(ctx, m.samples, discriminant.ConditionLimit, m.preparation.Workers)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if m.fromPrincipal = fromPrincipal; fromPrincipal && m.span.Samples.D < m.preparation.Components {
		m.span = m.span.Whole()
	}
	return m, nil
}

// Fit is like the function Fit, for prepared samples. Data, Validation and Components of settings
// may be omitted. Omitted fields have the values of the Preparation. Fit returns ErrSettings if Data
// or Validation differs from the Preparation, or if Components is larger than in the Preparation. With
// the same Components as in the Preparation, the result is bit-identical to the result of the function
// Fit. With fewer Components, the two results agree up to rounding.
func (m *Prepared) Fit(ctx context.Context, settings *Settings) (*Model, error) {
	return m.fitSince(ctx, settings, time.Now())
}

func (m *Prepared) fitSince(ctx context.Context, settings *Settings, began time.Time) (*Model, error) {
	var set Settings
	if settings != nil {
		set = *settings
	}
	if set.Data.Standardize && !m.preparation.Data.Standardize || set.Validation != nil && set.Validation != m.preparation.Validation {
		return nil, fmt.Errorf("%w: the settings have other Data or another Validation than Prepare had; leave them out or prepare again", ErrSettings)
	}
	set.Data.Standardize, set.Validation = m.preparation.Data.Standardize, m.preparation.Validation
	if set.Data.Whitening.IsAuto() {
		set.Data.Whitening = m.preparation.Data.Whitening
	}
	if set.Components == 0 {
		set.Components = m.preparation.Components
	}
	set, err := set.withDefaults(ctx, m.samples.N, m.samples.D, len(m.samples.Classes))
	if err != nil {
		return nil, err
	}
	if m.source != nil && !set.Optimizer.Method.traits().samplesRows {
		return nil, fmt.Errorf("%w: the samples are not in memory, which only the method minibatch supports, not %v", ErrSettings, set.Optimizer.Method)
	}
	if set.Components > m.preparation.Components {
		return nil, fmt.Errorf("%w: %d components, but the samples were prepared for at most %d", ErrSettings, set.Components, m.preparation.Components)
	}
	if !set.leavesOpen() {
		return m.fitComplete(ctx, set.forMembers(set.Mixture.members), nil, began)
	}
	var remote compareFunc
	if m.source == nil { // otherwise candidates are compared on a sample that the executor does not have
		remote = m.remoteComparer(&set)
	}
	choice, err := chooseSettings(ctx, m.span, &set, remote)
	if err != nil {
		return nil, err
	}
	var asked Optimizer
	if settings != nil {
		asked = settings.Optimizer
	}
	// If there are few distinct rows, the λ of the best candidate may be too large for the fit to all
	// rows. In this case, try the next candidate.
	var first error
	for range choice.Members {
		chosen := m.applyChoice(set, asked, choice)
		sets := chosen.forMembers(nil)
		if choice.Mixed > 1 {
			sets = chosen.forMembers(choice.Members[:choice.Mixed])
		}
		model, err := m.fitComplete(ctx, sets, choice, began)
		if !errors.As(err, new(discriminant.LambdaError)) {
			return model, err
		}
		first = cmp.Or(first, err)
		choice.moveLast(0)
	}
	return nil, first
}

// forMembers returns the settings of the fit with each member, or s alone if members is nil. All
// iterative fits have the same numbers of starting points and steps.
func (s Settings) forMembers(members []Member) []Settings {
	if members == nil {
		s.Mixture = NoMixture()
		return []Settings{s}
	}
	s.Mixture = mixtureOf(members)
	out := make([]Settings, len(members))
	for i := range members {
		if out[i] = members[i].applyTo(s); out[i].Optimizer.Method.traits().stepless {
			out[i].Optimizer.Starts = 1
		}
	}
	return out
}

// applyChoice returns the given settings with the values of the best candidate. asked is the
// Optimizer that the caller specified. The members of a mixture differ only in the fields of Member.
func (m *Prepared) applyChoice(set Settings, asked Optimizer, choice *Choice) Settings {
	chooses := set.Optimizer.Method.traits().chooses // whether Fit may compare the method with other methods
	set = choice.Members[0].applyTo(set)
	if chooses && choice.wasCompared() && set.Objective.Samples == 0 && m.samples.N > m.maxSamples {
		set.Objective.Samples = m.maxSamples
	}
	if o := &set.Optimizer; (o.Method.traits().chooses || choice.Mixed > 1) && o.Init == nil {
		if asked.Starts == 0 {
			o.Starts = defaultStarts(m.samples.N, m.samples.D, len(m.samples.Classes))
		}
		if asked.MaxSteps == 0 && o.Starts == 1 {
			// Use the step limit of the fits that compared settings. More steps would fit noise.
			o.MaxSteps = candidateSteps(len(m.samples.Classes))
		}
	}
	return set
}

// fitComplete makes one fit for each of the given settings, and a mixture if there are several fits.
// The settings must not contain automatic values that Fit would have to choose.
func (m *Prepared) fitComplete(ctx context.Context, sets []Settings, choice *Choice, began time.Time) (*Model, error) {
	for i := range sets {
		if o := &sets[i].Optimizer; o.Method == (Auto{}) && len(m.samples.Classes) > m.maxClasses {
			var err error
			if o.Method, err = methodWithDefaults(MiniBatch{}); err != nil {
				return nil, err
			}
		}
	}
	if sets[0].Objective.Float32 {
		return runFits[float32](ctx, m, sets, choice, began)
	}
	return runFits[float64](ctx, m, sets, choice, began)
}

// whitenedTolerance is the relative tolerance of the principal components of whitened features. A smaller
// tolerance would take long, because the variances are close to each other, and a starting point need
// not be precise.
const whitenedTolerance = 1e-4

// startPoint returns the starting point P⁰ of a fit, and the span that contains P⁰. The caller may
// change P⁰.
func (m *Prepared) startPoint(ctx context.Context, set *Settings) (*discriminant.Span, *mat.Dense, error) {
	var init *mat.Dense
	var err error
	if set.Optimizer.Init != nil {
		if init, err = discriminant.Orthonormal(ctx, set.Optimizer.Init); err != nil {
			return nil, nil, err
		}
	}
	if set.Data.Whitening != NoWhitening() {
		sp, err := m.span.Whitened(ctx, set.Data.Whitening.rule(), discriminant.ConditionLimit, set.Workers)
		if err != nil {
			return nil, nil, err
		}
		if init != nil {
			p, err := sp.StartInSpan(ctx, init)
			return sp, p, err
		}
		if sp.Samples.D < set.Components {
			return nil, nil, fmt.Errorf("%w: %d components of samples that span %d dimensions cannot be whitened", ErrSettings, set.Components, sp.Samples.D)
		}
		p, err := sp.Samples.PrincipalComponents(ctx, set.Components, whitenedTolerance, set.Workers)
		return sp, p, err
	}
	if init != nil {
		return m.span.WithStart(ctx, init)
	}
	start, err := m.principalComponents(ctx)
	if err != nil {
		return nil, nil, err
	}
	d, _ := start.Dims()
	return m.span, mat.DenseCopyOf(start.Slice(0, d, 0, set.Components)), nil
}
