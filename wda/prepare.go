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

// Preparation says what Prepare does with the samples. Its fields mean the same as those of
// Settings. The zero value works.
type Preparation struct {
	// Components is the largest p of fits to come. Default 2, or d if d < 2.
	Components int
	// Data says how the features are prepared.
	Data Data
	// Validation, if not nil, holds samples out.
	Validation *Validation
	// Seed determines the samples that Validation holds out.
	Seed uint64
	// Workers is the largest number of goroutines. Default GOMAXPROCS.
	Workers int
}

// preparation returns what of the settings Prepare reads.
func (s *Settings) preparation() *Preparation {
	return &Preparation{s.Components, s.Data, s.Validation, s.Seed, s.Workers}
}

// Prepared holds samples that are ready for several fits: checked, scaled, reduced to their span,
// and with their principal components. Several goroutines may call Fit at the same time.
type Prepared struct {
	by     Preparation // with defaults
	held   *heldOut
	hash   string // of samples held out that are none of those of the fit, or ""
	s      *discriminant.Samples
	span   *discriminant.Span
	begins bool       // fits begin at the principal components
	start  *mat.Dense // these, in the span, once they are known
	// The most samples that MiniBatch evaluates J of, and the most classes that it, Auto and
	// methods without steps do.
	exact, classes int
	// source, if not nil, has the rows of which s is a sample.
	source *source
}

// Prepare prepares the samples x (n × d, rows are samples) and their labels for several fits.
// preparation may be nil. x and labels must not change before the last fit. Errors are those of
// Fit. If the context ends, the error is its cause.
func Prepare(ctx context.Context, x mat.Matrix, labels []int, preparation *Preparation) (*Prepared, error) {
	m, err := prepare(ctx, x, labels, preparation, true, 0)
	if err != nil {
		return nil, err
	}
	_, err = m.principal(ctx) // now, for fits of several goroutines
	return m, err
}

// principal returns the principal components in the span.
func (m *Prepared) principal(ctx context.Context) (*mat.Dense, error) {
	var err error
	if m.start == nil {
		m.start, err = baseline.Fit(ctx, m.span.Samples.X, nil, m.by.Components, baseline.PCA{Workers: m.by.Workers})
	}
	return m.start, err
}

// prepare is Prepare; components says whether the fits begin at the principal components. If
// not, these are computed when they are first needed. limit is that of readInput.
func prepare(ctx context.Context, x mat.Matrix, labels []int, by *Preparation, components bool, limit int) (*Prepared, error) {
	x, labels, source, err := readInput(ctx, x, labels, limit)
	if err != nil {
		return nil, err
	}
	m := &Prepared{held: &heldOut{trainX: x, trainLabels: labels}, exact: exactSamples, classes: exactClasses, source: source}
	if by != nil {
		m.by = *by
	}
	if v := m.by.Validation; v != nil {
		if source != nil && v.X == nil {
			return nil, fmt.Errorf("%w: if the samples are not in memory, Validation must have an X", ErrSettings)
		}
		if m.held, err = v.holdOut(ctx, x, labels, m.by.Seed); err != nil {
			return nil, err
		}
		if m.hash, err = v.hash(ctx); err != nil {
			return nil, err
		}
	}
	if m.s, err = discriminant.NewSamples(ctx, m.held.trainX, m.held.trainLabels); err != nil {
		return nil, err
	}
	if source != nil {
		m.s.Counts = source.counts
	}
	if m.by.Components, err = defaultComponents(m.by.Components, m.s.D); err != nil {
		return nil, err
	}
	if err := checkWorkers(m.by.Workers); err != nil {
		return nil, err
	}
	if m.by.Data.Standardize {
		if err := m.s.Standardize(ctx, m.held.trainX, m.held.trainLabels); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := discriminant.CheckMemory(discriminant.PrepareNeeds(m.s.N, m.s.D, m.by.Components)...); err != nil {
		return nil, err
	}
	m.span = discriminant.NewSpan(ctx, m.s, discriminant.ConditionLimit, m.by.Workers)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if m.begins = components; components && m.span.Samples.D < m.by.Components {
		m.span = m.span.Whole()
	}
	return m, nil
}

// Fit is the function Fit for prepared samples. Data, Validation and Components may be left out
// of the settings; those of Prepare then apply. Other Data or another Validation than in Prepare,
// or more Components, are an ErrSettings. With the Components of Prepare the result has the same
// bits as the function Fit; with fewer it agrees to rounding.
func (m *Prepared) Fit(ctx context.Context, settings *Settings) (*Model, error) {
	return m.fit(ctx, settings, time.Now())
}

func (m *Prepared) fit(ctx context.Context, settings *Settings, began time.Time) (*Model, error) {
	var set Settings
	if settings != nil {
		set = *settings
	}
	if set.Data.Standardize && !m.by.Data.Standardize || set.Validation != nil && set.Validation != m.by.Validation {
		return nil, fmt.Errorf("%w: the settings have other Data or another Validation than Prepare had; leave them out or prepare again", ErrSettings)
	}
	set.Data.Standardize, set.Validation = m.by.Data.Standardize, m.by.Validation
	if set.Data.Whitening.IsAuto() {
		set.Data.Whitening = m.by.Data.Whitening
	}
	if set.Components == 0 {
		set.Components = m.by.Components
	}
	set, err := set.withDefaults(ctx, m.s.N, m.s.D, len(m.s.Classes))
	if err != nil {
		return nil, err
	}
	if m.source != nil && !set.Optimizer.Method.traits().draws {
		return nil, fmt.Errorf("%w: the samples are not in memory, which only the method minibatch supports, not %v", ErrSettings, set.Optimizer.Method)
	}
	if set.Components > m.by.Components {
		return nil, fmt.Errorf("%w: %d components, but the samples were prepared for at most %d", ErrSettings, set.Components, m.by.Components)
	}
	if !set.open() {
		return m.fitWith(ctx, set.each(set.Mixture.members), nil, began)
	}
	var elsewhere comparer
	if m.source == nil { // otherwise the comparison is on a sample of rows that are not here
		elsewhere = m.compareAway(&set)
	}
	choice, err := choose(ctx, m.span, &set, elsewhere)
	if err != nil {
		return nil, err
	}
	var asked Optimizer
	if settings != nil {
		asked = settings.Optimizer
	}
	// Of few rows that differ, the best candidate may have a λ that is too large for all of them.
	var first error
	for range choice.Members {
		chosen := m.chosen(set, asked, choice)
		sets := chosen.each(nil)
		if choice.Mixed > 1 {
			sets = chosen.each(choice.Members[:choice.Mixed])
		}
		model, err := m.fitWith(ctx, sets, choice, began)
		if !errors.As(err, new(discriminant.LambdaError)) {
			return model, err
		}
		first = cmp.Or(first, err)
		choice.leaveOut(0)
	}
	return nil, first
}

// each returns the settings of the fits with each of the members, or s alone if there are none. All
// fits with steps make as many, from as many starts.
func (s Settings) each(members []Member) []Settings {
	if members == nil {
		s.Mixture = NoMixture()
		return []Settings{s}
	}
	s.Mixture = mixtureOf(members)
	out := make([]Settings, len(members))
	for i := range members {
		if out[i] = members[i].apply(s); out[i].Optimizer.Method.traits().stepless {
			out[i].Optimizer.Starts = 1
		}
	}
	return out
}

// chosen returns the settings of a fit with the best candidate. What the members of a mixture do not
// say is the same for all.
func (m *Prepared) chosen(set Settings, asked Optimizer, choice *Choice) Settings {
	open := set.Optimizer.Method.traits().open // an Auto, that may become another method
	set = choice.Members[0].apply(set)
	if open && choice.compared() && set.Objective.Samples == 0 && m.s.N > m.exact {
		set.Objective.Samples = m.exact
	}
	if o := &set.Optimizer; (o.Method.traits().open || choice.Mixed > 1) && o.Init == nil {
		if asked.Starts == 0 {
			o.Starts = startsOf(m.s.N, m.s.D, len(m.s.Classes))
		}
		if asked.MaxSteps == 0 && o.Starts == 1 {
			// What was compared is what is made of all rows: more steps fit closer, to noise.
			o.MaxSteps = stepsOfChoice(len(m.s.Classes))
		}
	}
	return set
}

// fitWith makes a fit with settings that leave nothing open, or a mixture of several.
func (m *Prepared) fitWith(ctx context.Context, sets []Settings, choice *Choice, began time.Time) (*Model, error) {
	for i := range sets {
		if o := &sets[i].Optimizer; o.Method == (Auto{}) && len(m.s.Classes) > m.classes {
			var err error
			if o.Method, err = checkedMethod(MiniBatch{}); err != nil {
				return nil, err
			}
		}
	}
	if sets[0].Objective.Float32 {
		return fit[float32](ctx, m, sets, choice, began)
	}
	return fit[float64](ctx, m, sets, choice, began)
}

// whitePrincipal is how precise the principal components of whitened features are: their
// variances are close to each other, and a start need not be more.
const whitePrincipal = 1e-4

// startFor returns P⁰ for a fit, which may change it, and the space that it is in.
func (m *Prepared) startFor(ctx context.Context, set *Settings) (*discriminant.Span, *mat.Dense, error) {
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
			p, err := sp.WhitenedInit(ctx, init)
			return sp, p, err
		}
		if sp.Samples.D < set.Components {
			return nil, nil, fmt.Errorf("%w: %d components of samples that span %d dimensions cannot be whitened", ErrSettings, set.Components, sp.Samples.D)
		}
		p, err := sp.Samples.Principal(ctx, set.Components, whitePrincipal, set.Workers)
		return sp, p, err
	}
	if init != nil {
		return m.span.From(ctx, init)
	}
	start, err := m.principal(ctx)
	if err != nil {
		return nil, nil, err
	}
	d, _ := start.Dims()
	return m.span, mat.DenseCopyOf(start.Slice(0, d, 0, set.Components)), nil
}
