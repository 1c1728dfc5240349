package wda

import (
	"context"
	"errors"
	"slices"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// If there are few rows, several candidates have almost the same loss on held-out rows, and the best
// candidate depends on the seed. A mixture of candidates depends less on the seed, and classifies
// better than most of its members.
//
// Member i has the projection P_i, scaled to unit variance within classes. Let (P_1 … P_k) be the
// d × kp matrix of all projections side by side, and
//
//	Y = X·(P_1 … P_k)/√k.
//
// The squared distance of two rows of Y is the mean of their squared distances in the k members. The
// mixture is the best p-dimensional approximation of Y: P = (P_1 … P_k)·V, where V contains the
// leading principal components of Y.

// mixWith replaces the projection of f by a mixture of this projection and the projections of fits with
// the given settings. If f.report.Choice is not nil, the settings are those of Choice.Members[1:Mixed], and
// mixWith omits members that cannot be fitted to all rows. If a fit is interrupted, the projection is not
// changed.
func (f *outcome[T]) mixWith(ctx context.Context, others []Settings) error {
	if f.cause != nil {
		return f.keepSingle(f.report.Status, f.cause)
	}
	all, leading := []*mat.Dense{f.projection}, f.informativeComponents()
	choice, starts, members := f.report.Choice, f.report.Settings.Optimizer.Starts, []Member{memberOf(&f.report.Settings)}
	done := []*outcome[T]{f} // finished fits, for fitOrReuse
	for i, other := range others {
		o, err := f.fitOrReuse(ctx, done, other)
		if err == nil && slices.ContainsFunc(others[i+1:], func(s Settings) bool { return sameFit(memberOf(&s), memberOf(&other)) }) {
			done = append(done, o)
		}
		switch {
		case ctx.Err() != nil:
			return f.keepSingle(StatusCanceled, context.Cause(ctx))
		case err != nil && choice == nil:
			return err
		case err != nil:
			choice.moveLast(len(all))
		case o.cause != nil:
			return f.keepSingle(o.report.Status, o.cause)
		default:
			all, leading = append(all, o.projection), max(leading, o.informativeComponents())
			members, starts = append(members, memberOf(&other)), max(starts, other.Optimizer.Starts)
		}
	}
	if len(all) == 1 {
		return f.keepSingle(f.report.Status, nil)
	}
	p, err := discriminant.MixProjections(ctx, f.run.prepared.samples, all, leading, f.report.Settings.Workers)
	if err == nil {
		err = f.setMixture(ctx, p, leading)
	}
	if ctx.Err() != nil {
		return f.keepSingle(StatusCanceled, context.Cause(ctx))
	}
	if errors.Is(err, discriminant.ErrRankDeficient) { // the other projections add no direction
		return f.keepSingle(f.report.Status, nil)
	}
	f.report.Settings.Mixture, f.report.Settings.Optimizer.Starts = mixtureOf(members), starts
	return err
}

// fitOrReuse returns the outcome of a fit with the given settings. If an outcome in done has the
// same settings except for Scale, fitOrReuse scales the components of that outcome instead of
// fitting again.
func (f *outcome[T]) fitOrReuse(ctx context.Context, done []*outcome[T], set Settings) (*outcome[T], error) {
	at := slices.IndexFunc(done, func(o *outcome[T]) bool { return sameFit(memberOf(&o.run.all), memberOf(&set)) })
	if at < 0 {
		return newOutcome[T](ctx, f.run.prepared, set, f.report.Choice)
	}
	o, r := *done[at], *done[at].run
	r.all.Scale, r.set.Scale = set.Scale, set.Scale
	o.run, o.report.Settings = &r, r.all
	var err error
	if o.components, err = r.addPrincipal(ctx, o.canonical.WithLengths(ctx, r.set.Scale.lengths(r.set.Leading)), o.best); err != nil {
		return nil, err
	}
	o.projection, err = r.projectionOf(ctx, o.components)
	return &o, fault.Ended(ctx, err)
}

// sameFit reports whether a and b differ at most in Scale.
func sameFit(a, b Member) bool {
	a.Scale, b.Scale = 0, 0
	return a == b
}

// memberOf returns a Member with the settings that s contains.
func memberOf(s *Settings) Member {
	return Member{
		Whitening: s.Data.Whitening, Method: s.Optimizer.Method, Shrinkage: s.Objective.Shrinkage, Lambda: s.Objective.Lambda,
		Scale: s.Scale, Leading: s.Leading,
	}
}

// keepSingle leaves the projection unchanged and records that there is no mixture. cause is the
// reason why a fit was interrupted, or nil.
func (f *outcome[T]) keepSingle(status Status, cause error) error {
	if f.report.Choice != nil {
		f.report.Choice.Mixed = 1
	}
	f.report.Settings.Mixture, f.report.Status, f.cause = NoMixture(), status, cause
	return nil
}

// informativeComponents returns the number of informative components (see Settings.Leading).
func (f *outcome[T]) informativeComponents() int {
	return min(f.run.set.Components, f.report.Settings.Leading)
}

// setMixture sets the projection to the mixture p with k leading components. The report contains the
// objective J at p, computed with the whitening, λ and ρ of the first member of the mixture.
func (f *outcome[T]) setMixture(ctx context.Context, p *mat.Dense, k int) error {
	r := f.run
	if r.set.Components != k {
		set := r.all
		set.Leading, set.Optimizer.Method = k, Auto{}
		r = &run[T]{prepared: r.prepared, all: set, set: set}
		if err := r.setUp(ctx); err != nil {
			return err
		}
	}
	d, columns := p.Dims()
	inside, err := r.span.FromFeatures(ctx, p.Slice(0, d, 0, k).(*mat.Dense))
	if err != nil {
		return err
	}
	point := mat.DenseCopyOf(inside)
	rank, err := r.objective.Manifold().Orthonormalize(ctx, point, point)
	if err == nil && rank < k {
		err = discriminant.ErrRankDeficient
	}
	if err != nil {
		return err
	}
	rows, _ := point.Dims()
	rep := f.report
	if _, rep.GradientNorm, err = r.objective.Measure(ctx, point, mat.NewDense(rows, k, nil)); err != nil {
		return err
	}
	axes, _, err := r.canonicalForm(ctx, point, &rep)
	if err != nil {
		return err
	}
	turn := mat.NewDense(k, k, nil)
	dense.TransMul(ctx, turn, point, inside)
	ridge := r.objective.Ridge
	rep.Ridge, rep.Lambda, rep.Settings.Leading = r.reportedCost(ridge), r.objective.Lambdas(), k
	ratios := make([]float64, columns)
	copy(ratios, axes.RatiosOf(turn, ridge))
	f.projection, f.report, f.components = p, rep, &discriminant.Components{P: p, Ratios: ratios}
	return fault.Ended(ctx, nil)
}

// chainProgress makes all Progress functions report the progress over all fits. Each element of
// sets contains the settings of one fit.
func chainProgress(sets []Settings) {
	total := 0
	for i := range sets {
		own := memberOf(&sets[i])
		if slices.ContainsFunc(sets[:i], func(s Settings) bool { return sameFit(memberOf(&s), own) }) {
			continue
		}
		tell, done := sets[i].Progress, total
		total += sets[i].Optimizer.Starts * sets[i].Optimizer.MaxSteps
		if tell == nil {
			continue
		}
		sets[i].Progress = func(p Progress) error {
			if p.Phase == PhaseFit {
				p.Done, p.Total = p.Done+done, total
			}
			return tell(p)
		}
	}
}
