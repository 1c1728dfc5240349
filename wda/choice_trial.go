package wda

import (
	"context"
	"math/rand/v2"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// choicePrincipal is how precise the principal components of a fold are.
const choicePrincipal = 1e-2

// trial fits candidates with one whitening to the rows of one fold.
type trial struct {
	fold  *division
	set   Settings
	white *discriminant.Span // whitened
	held  *mat.Dense         // in its coordinates
	// Principal components, and as many of them as a fit is of.
	components, start *mat.Dense
	fisher            *mat.Dense               // and these, completed by principal components
	last              *mat.Dense               // where the fit before this one has led
	fitted            Member                   // that it was of, whatever the scale
	axes              *discriminant.Components // and what it has led to
	objective         *discriminant.Objective[float32]
	prepared          bool                  // the objective is prepared
	lambda            Lambda                // with this λ
	costs             [2]discriminant.Costs // at the start and at fisher for this λ, or 0
	search            *knn.Search[float64]
}

func newTrial(ctx context.Context, set *Settings, f *division, w Whitening, workers int) (*trial, error) {
	t := &trial{fold: f, set: *set}
	t.set.Workers, t.set.Objective.Float32, t.set.Optimizer.Starts = workers, true, 1
	t.set.Optimizer.MaxSteps = stepsOfChoice(len(f.samples.Classes))
	base, rows, rule := f.span, f.rows, w.rule()
	if rule != nil && rule.Features && f.all != nil {
		// Nothing else tells one orthonormal basis from another.
		var all *discriminant.Samples
		all, rows = f.all.RowsCentered(ctx, f.train, f.held)
		base = base.WithFeatures(all)
	}
	var err error
	if t.white, err = base.Whitened(ctx, rule, 0, workers); err != nil {
		return nil, err
	}
	t.held = t.white.Entered(ctx, rows, f.inSpan)
	t.set.Components = min(set.Components, t.white.Samples.D)
	if t.objective, err = t.objectiveOf(ctx, &t.set); err != nil {
		return nil, err
	}
	if t.components, err = t.objective.Principal(ctx, choicePrincipal); err != nil {
		return nil, err
	}
	t.start = t.components
	return t, nil
}

// pairsPerClass is about the number of other classes that every class is paired with in a comparison.
const pairsPerClass = 32

// objectiveOf returns the objective of set that candidates maximize, of some pairs of classes
// where there are many.
func (t *trial) objectiveOf(ctx context.Context, set *Settings) (*discriminant.Objective[float32], error) {
	o, err := discriminant.NewObjective(ctx, t.white.Samples, config[float32](set, t.white.Samples.D))
	if err == nil {
		o.SomePairs(pairsPerClass, rand.New(rand.NewPCG(set.Seed, streamPairs)))
		o.Remember = true // candidates with another ρ begin where J and its gradient are known
	}
	return o, err
}

// losses returns how c does on the rows held out, with every number of components.
func (t *trial) losses(ctx context.Context, c *Member, counts []int) ([]loss, error) {
	set := c.apply(t.set)
	set.Leading = 0
	if fitted := c.fit(); fitted != t.fitted {
		if err := t.fit(ctx, &set); err != nil {
			return nil, err
		}
		var err error
		if t.axes, err = t.canonical(ctx, &set); err != nil {
			return nil, err
		}
		t.fitted = fitted
	}
	p := t.axes.Scaled(ctx, set.Scale.lengths(0)).P
	x, y := discriminant.Project(ctx, t.white.Samples.X, p, t.set.Workers), discriminant.Project(ctx, t.held, p, t.set.Workers)
	if t.fold.votes != nil {
		for i, r := range t.fold.votes { // ascending
			copy(x.Row(i), x.Row(r))
		}
		x = x.RowRange(0, len(t.fold.votes))
	}
	var points *knn.Points[float64]
	if t.set.For == UseNeighbors {
		var err error
		if points, err = knn.NewColumns(ctx, x, t.fold.own); err != nil {
			return nil, err
		}
	}
	if t.search == nil {
		t.search = new(knn.Search[float64])
	}
	out := make([]loss, len(counts))
	for i, q := range counts {
		q = min(q, x.Cols)
		var err error
		if t.set.For == UseNeighbors {
			out[i], err = judge(ctx, t.search, points.First(q), y.ColRange(0, q), t.fold.labels, min(t.fold.neighbors, x.Rows))
		} else {
			a, b := dist.NewMatrix[float64](x.Rows, q, nil), dist.NewMatrix[float64](y.Rows, q, nil)
			for r := range x.Rows {
				copy(a.Row(r), x.Row(r))
			}
			for r := range y.Rows {
				copy(b.Row(r), y.Row(r))
			}
			out[i], err = judgeMeans(ctx, a, t.fold.own, b, t.fold.labels, t.set.For)
		}
		if err != nil {
			return nil, err
		}
		if tooFew(out, i) {
			break
		}
	}
	return out, nil
}

// fit returns what of c a fit of the comparison depends on.
func (c *Member) fit() Member {
	return Member{Whitening: c.Whitening, Method: c.Method, Shrinkage: c.Shrinkage, Lambda: c.Lambda}
}

// fit sets last to where a few steps lead.
func (t *trial) fit(ctx context.Context, set *Settings) error {
	o, rho := t.objective, set.Objective.Shrinkage.rho
	if t.prepared && t.lambda == set.Objective.Lambda {
		o.SetShrinkage(rho)
	} else if err := o.Prepare(ctx, set.Objective.Lambda.rule(), rho, t.start); err != nil {
		t.prepared = false
		return err
	} else {
		t.lambda, t.prepared, t.costs = set.Objective.Lambda, true, [2]discriminant.Costs{o.Costs()}
	}
	switch of := set.Optimizer.Method.traits(); {
	case of.means:
		t.last = t.fisherStart(ctx)
		return nil
	case of.stepless:
		t.last = t.start
		return nil
	}
	// From the principal components, these completed by discriminants, or where the fit before has led.
	from, err := o.Highest(ctx, t.costs[:], t.start, t.fisherStart(ctx), t.last)
	if err != nil {
		return err
	}
	d := &discriminant.Driver[float32]{
		Objective: o, Solver: discriminant.Descend[float32]{Method: descent.ConjugateGradient}, Start: from, Starts: 1,
		Limits: discriminant.Limits{MaxSteps: set.Optimizer.MaxSteps, Tolerance: 1e-3, FunctionTolerance: 1e-3, Noise: 1e-6},
	}
	best, err := d.Run(ctx)
	if err != nil {
		return err
	}
	t.last = best.Point
	return nil
}

// canonical returns the canonical components of last, as many as the fit of set is of.
func (t *trial) canonical(ctx context.Context, set *Settings) (*discriminant.Components, error) {
	if !set.Optimizer.Method.traits().means {
		return t.objective.Canonical(ctx, t.last)
	}
	few, d := *set, t.white.Samples.D
	few.Components = set.fitted(len(t.fold.samples.Classes))
	o, err := t.objectiveOf(ctx, &few)
	if err != nil {
		return nil, err
	}
	p := mat.DenseCopyOf(t.last.Slice(0, d, 0, few.Components))
	if err := o.Prepare(ctx, few.Objective.Lambda.rule(), few.Objective.Shrinkage.rho, p); err != nil {
		return nil, err
	}
	return o.Canonical(ctx, p)
}

func (t *trial) fisherStart(ctx context.Context) *mat.Dense {
	if t.fisher == nil {
		t.fisher = t.white.Fisher(ctx, t.start, choicePrincipal)
	}
	return t.fisher
}

// narrow makes t one of q components, as many as it has at most, with the first of all,
// canonical components of more, for a start.
func (t *trial) narrow(ctx context.Context, q int, all *mat.Dense) error {
	d, p := t.components.Dims()
	t.set.Components = min(q, p)
	t.start = mat.DenseCopyOf(t.components.Slice(0, d, 0, t.set.Components))
	t.fisher, t.last, t.fitted, t.prepared = nil, nil, Member{}, false
	if all != nil {
		t.last = mat.DenseCopyOf(all.Slice(0, d, 0, t.set.Components))
		if _, err := stiefel.New(t.last.Dims()).Orthonormalize(ctx, t.last, t.last); err != nil {
			return err
		}
	}
	var err error
	t.objective, err = t.objectiveOf(ctx, &t.set)
	return err
}
