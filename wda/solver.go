package wda

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/wda/baseline"
	"gonum.org/v1/gonum/mat"
)

// solver is a way to maximize J.
type solver interface {
	// maximize returns where p, the start of that index, leads. It keeps p. A result may
	// come with an error that has ended it early.
	maximize(ctx context.Context, index int, p *mat.Dense) (*attempt, error)
}

// watcher judges the projections of one attempt by other means than J.
type watcher interface {
	// see looks at a step. An error ends the attempt: descent.ErrStop, as planned.
	see(s Step, p *mat.Dense) error
	// last looks at the end of an attempt, unless it has seen it.
	last(a *attempt) error
	// keepBest makes the best that it has seen the result.
	keepBest(a *attempt)
}

// solver returns the solver of the method of the settings.
func (f *fitter[T]) solver() solver {
	switch m := f.set.Optimizer.Method.(type) {
	case Principal, Fisher:
		return end[T]{f}
	case Eigen:
		return alternating[T]{f, m.TraceRatio}
	case MiniBatch:
		return miniBatches[T]{f, m.BatchSize}
	case ProjectedGradient:
		return descending[T]{f, negative[T]{f.objective}, descent.ProjectedGradient}
	case SteepestDescent:
		return descending[T]{f, inverse[T]{f.objective}, descent.SteepestDescent}
	case ConjugateGradient:
		return descending[T]{f, inverse[T]{f.objective}, descent.ConjugateGradient}
	default: // Auto
		return descending[T]{f, inverse[T]{f.objective}, descent.LBFGS}
	}
}

// fitter runs a solver from every start.
type fitter[T dist.Float] struct {
	*objective[T]
	set         *Settings
	manifold    *stiefel.Manifold
	start       *mat.Dense                        // P⁰
	watch       func(ctx context.Context) watcher // of an attempt, or nil
	population  func() *population                // that mini-batches are drawn from
	evaluations Evaluations
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
	solver := f.solver()
	for i := range f.set.Optimizer.Starts {
		p, components := f.start, f.set.Optimizer.Init != nil
		if i > 0 {
			p, components = mat.NewDense(f.s.d, f.p, nil), false
			f.manifold.Random(ctx, p, rand.New(rand.NewPCG(f.set.Seed, streamStarts+uint64(i))))
		}
		a, err := f.attempt(ctx, solver, i, p, components)
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

// sameMaximum is the share of J by which starts that have led to one maximum differ.
const sameMaximum = 1e-3

// maxima returns the different values among those that starts have led to, largest first,
// and how many have led to each.
func maxima(objectives []float64) (values []float64, starts []int) {
	last := math.NaN()
	for _, v := range slices.Backward(slices.Sorted(slices.Values(objectives))) {
		if math.IsNaN(v) {
			break // they come first
		}
		if last-v <= float64(sameMaximum*last) {
			starts[len(starts)-1]++
		} else {
			values, starts = append(values, v), append(starts, 1)
		}
		last = v
	}
	return values, starts
}

func (f *fitter[T]) better(a, b *attempt) bool {
	if f.watch != nil && a.err != b.err {
		return a.err < b.err
	}
	return a.value > b.value
}

// attempt runs the solver from p, or with Auto and MiniBatch from a better start.
func (f *fitter[T]) attempt(ctx context.Context, solver solver, index int, p *mat.Dense, components bool) (*attempt, error) {
	if f.set.Optimizer.Method.traits().searches && !f.asCompared() {
		var err error
		if p, err = f.autoStart(ctx, f.set, p, components); err != nil {
			return nil, err
		}
	}
	return solver.maximize(ctx, index, p)
}

// asCompared reports whether the fit begins as those that settings are compared by do, at
// principal components or discriminants: where eigenvalue iterations would lead to a
// maximum that fits noise.
func (f *fitter[T]) asCompared() bool {
	return f.set.Optimizer.Init == nil && separable(f.s.n, f.s.d)
}

// end is the solver that makes no step: of Principal and Fisher.
type end[T dist.Float] struct{ *fitter[T] }

func (f end[T]) maximize(ctx context.Context, index int, p *mat.Dense) (*attempt, error) {
	s, err := f.newAscent(ctx, index, p)
	if err != nil {
		return nil, err
	}
	return s.end(StatusStopped, s.report())
}

// autoStart returns the best of p0, the principal components if components is set,
// and what the eigenvalue iteration makes of these, or else of p0. If the context
// ends it returns p0 and the context's error.
func (o *objective[T]) autoStart(ctx context.Context, set *Settings, p0 *mat.Dense, components bool) (*mat.Dense, error) {
	base := p0
	candidates := []*mat.Dense{p0}
	if components {
		var err error
		if base, err = baseline.Fit(ctx, o.s.x, nil, o.p, baseline.PCA{Workers: set.Workers}); err != nil {
			return p0, err
		}
		candidates = append(candidates, base)
	}
	e, err := newEigen(ctx, o, set, eigenSamples, eigenClasses)
	if err != nil {
		return p0, err
	}
	steps, ridges := eigenSteps, eigenRidges
	if o.s.d > eigenDense {
		steps, ridges = eigenBlockSteps, eigenRidges[:1]
	}
	// The plans of the first step are the same for all ridges.
	first := make([]*mat.Dense, len(ridges))
	err = e.assemble(ctx, base)
	for i, ridge := range ridges {
		p := mat.DenseCopyOf(base)
		if err == nil && e.ratioTrace(ctx, p, ridge, eigenInner) == nil {
			first[i] = p
		}
		if ctx.Err() != nil {
			return p0, context.Cause(ctx)
		}
	}
	for i, ridge := range ridges {
		p := first[i]
		for step := 1; p != nil && step < steps; step++ {
			if e.improve(ctx, p, ridge, eigenInner) != nil {
				break // no better start this way
			}
		}
		if ctx.Err() != nil {
			return p0, context.Cause(ctx)
		}
		if p != nil {
			candidates = append(candidates, p)
		}
	}
	return o.highest(ctx, candidates...)
}

// highest returns the projection whose J is the largest, of those that are not nil, or the first
// if there is none. If the context ends it returns the first and the context's error.
func (o *objective[T]) highest(ctx context.Context, candidates ...*mat.Dense) (*mat.Dense, error) {
	best, value := candidates[0], 0.0
	for _, p := range candidates {
		if p == nil {
			continue
		}
		if err := o.evaluate(ctx, p, false); err != nil {
			if ctx.Err() != nil {
				return candidates[0], context.Cause(ctx)
			}
			continue
		}
		if j := o.ratio(); j > value {
			best, value = p, j
		}
	}
	return best, nil
}
