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

// choiceTolerance is the relative tolerance of the principal components and discriminants of a fold.
const choiceTolerance = 1e-2

// foldTrial fits candidates to the rows of one fold. All its candidates have the same whitening.
type foldTrial struct {
	fold     *choiceFold
	set      Settings
	span     *discriminant.Span // whitened span of the training rows
	heldRows *mat.Dense         // coordinates of the held-out rows in span
	// principal contains the principal components for the largest number of components. start
	// contains the first columns of principal, one for each component of the current fit.
	principal, start *mat.Dense
	fisher           *mat.Dense               // Fisher discriminants, followed by principal components; nil until needed
	lastPoint        *mat.Dense               // the result of the last fit
	lastFit          Member                   // the candidate of the last fit, without its scale
	canonical        *discriminant.Components // canonical components of the last fit
	objective        *discriminant.Objective[float32]
	prepared         bool // whether objective is prepared for lambda
	lambda           Lambda
	costs            [2]discriminant.Costs // for λ = lambda, transport costs at the projections t.start and t.fisher; 0 if unknown
	search           *knn.Search[float64]
}

func newTrial(ctx context.Context, set *Settings, f *choiceFold, w Whitening, workers int) (*foldTrial, error) {
	t := &foldTrial{fold: f, set: *set}
	t.set.Workers, t.set.Objective.Float32, t.set.Optimizer.Starts = workers, true, 1
	t.set.Optimizer.MaxSteps = candidateSteps(len(f.samples.Classes))
	base, rows, rule := f.span, f.heldOut, w.rule()
	if rule != nil && rule.Features && f.features != nil {
		// Diagonal whitening needs the features, because coordinates in the span refer to an
		// arbitrary orthonormal basis.
		var all *discriminant.Samples
		all, rows = f.features.CenteredRows(ctx, f.trainRows, f.heldRows)
		base = base.WithFeatures(all)
	}
	var err error
	if t.span, err = base.Whitened(ctx, rule, 0, workers); err != nil {
		return nil, err
	}
	t.heldRows = t.span.WhitenedRows(ctx, rows, f.heldInSpan)
	t.set.Components = min(set.Components, t.span.Samples.D)
	if t.objective, err = t.newObjective(ctx, &t.set); err != nil {
		return nil, err
	}
	if t.principal, err = t.objective.PrincipalComponents(ctx, choiceTolerance); err != nil {
		return nil, err
	}
	t.start = t.principal
	return t, nil
}

// pairsPerClass is the approximate number of pairs that newObjective keeps for each class if there
// are many classes.
const pairsPerClass = 32

// newObjective returns the objective that candidates maximize with the given settings. If there are
// many classes, the objective contains only a random sample of the pairs of classes.
func (t *foldTrial) newObjective(ctx context.Context, set *Settings) (*discriminant.Objective[float32], error) {
	o, err := discriminant.NewObjective(ctx, t.span.Samples, objectiveConfig[float32](set, t.span.Samples.D))
	if err == nil {
		o.SamplePairs(pairsPerClass, rand.New(rand.NewPCG(set.Seed, streamPairs)))
		o.CacheResult = true // the next candidate may start at the last point, with known costs and gradients
	}
	return o, err
}

// candidateLosses returns the losses of the candidate c on the held-out rows, one loss for each
// number of components in counts.
func (t *foldTrial) candidateLosses(ctx context.Context, c *Member, counts []int) ([]loss, error) {
	set := c.applyTo(t.set)
	set.Leading = 0
	if fitted := c.withoutScale(); fitted != t.lastFit {
		if err := t.optimize(ctx, &set); err != nil {
			return nil, err
		}
		var err error
		if t.canonical, err = t.canonicalComponents(ctx, &set); err != nil {
			return nil, err
		}
		t.lastFit = fitted
	}
	p := t.canonical.WithLengths(ctx, set.Scale.lengths(0)).P
	x, y := discriminant.Project(ctx, t.span.Samples.X, p, t.set.Workers), discriminant.Project(ctx, t.heldRows, p, t.set.Workers)
	if t.fold.voters != nil {
		for i, r := range t.fold.voters { // ascending
			copy(x.Row(i), x.Row(r))
		}
		x = x.RowRange(0, len(t.fold.voters))
	}
	var points *knn.Points[float64]
	if t.set.For == UseNeighbors {
		var err error
		if points, err = knn.NewColumns(ctx, x, t.fold.voterLabels); err != nil {
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
			out[i], err = neighborLoss(ctx, t.search, points.First(q), y.ColRange(0, q), t.fold.heldLabels, min(t.fold.neighbors, x.Rows))
		} else {
			a, b := dist.NewMatrix[float64](x.Rows, q, nil), dist.NewMatrix[float64](y.Rows, q, nil)
			for r := range x.Rows {
				copy(a.Row(r), x.Row(r))
			}
			for r := range y.Rows {
				copy(b.Row(r), y.Row(r))
			}
			out[i], err = gaussianLoss(ctx, a, t.fold.voterLabels, b, t.fold.heldLabels, t.set.For)
		}
		if err != nil {
			return nil, err
		}
		if discardSmallerCounts(out, i) {
			break
		}
	}
	return out, nil
}

// withoutScale returns the settings of c that determine its fit. The scale does not affect the fit.
func (c *Member) withoutScale() Member {
	return Member{Whitening: c.Whitening, Method: c.Method, Shrinkage: c.Shrinkage, Lambda: c.Lambda}
}

// optimize fits a projection with the given settings in a few steps, and stores the result in
// lastPoint.
func (t *foldTrial) optimize(ctx context.Context, set *Settings) error {
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
	case of.startsAtFisher:
		t.lastPoint = t.fisherStart(ctx)
		return nil
	case of.stepless:
		t.lastPoint = t.start
		return nil
	}
	// Start at the principal components, the discriminants or the last result, whichever has the
	// largest objective.
	from, err := o.BestOf(ctx, t.costs[:], t.start, t.fisherStart(ctx), t.lastPoint)
	if err != nil {
		return err
	}
	d := &discriminant.Driver[float32]{
		Objective: o, Solver: discriminant.DescentSolver[float32]{Method: descent.ConjugateGradient}, Start: from, Starts: 1,
		Limits: discriminant.Limits{MaxSteps: set.Optimizer.MaxSteps, Tolerance: 1e-3, FunctionTolerance: 1e-3, RoundingError: 1e-6},
	}
	best, err := d.Run(ctx)
	if err != nil {
		return err
	}
	t.lastPoint = best.Projection
	return nil
}

// canonicalComponents returns the canonical components of the projection t.lastPoint. If the method
// is Fisher, it uses only the first k columns of the projection, where k is the number of components
// of the objective.
func (t *foldTrial) canonicalComponents(ctx context.Context, set *Settings) (*discriminant.Components, error) {
	if !set.Optimizer.Method.traits().startsAtFisher {
		return t.objective.Canonical(ctx, t.lastPoint)
	}
	few, d := *set, t.span.Samples.D
	few.Components = set.objectiveComponents(len(t.fold.samples.Classes))
	o, err := t.newObjective(ctx, &few)
	if err != nil {
		return nil, err
	}
	p := mat.DenseCopyOf(t.lastPoint.Slice(0, d, 0, few.Components))
	if err := o.Prepare(ctx, few.Objective.Lambda.rule(), few.Objective.Shrinkage.rho, p); err != nil {
		return nil, err
	}
	return o.Canonical(ctx, p)
}

func (t *foldTrial) fisherStart(ctx context.Context) *mat.Dense {
	if t.fisher == nil {
		t.fisher = t.span.FisherDirections(ctx, t.start, choiceTolerance)
	}
	return t.fisher
}

// restart resets t for fits with at most q components. If components is not nil, it contains the
// canonical components of a larger fit. The next fit may then start at the first q of these
// components, after they have been made orthonormal.
func (t *foldTrial) restart(ctx context.Context, q int, components *mat.Dense) error {
	d, p := t.principal.Dims()
	t.set.Components = min(q, p)
	t.start = mat.DenseCopyOf(t.principal.Slice(0, d, 0, t.set.Components))
	t.fisher, t.lastPoint, t.lastFit, t.prepared = nil, nil, Member{}, false
	if components != nil {
		t.lastPoint = mat.DenseCopyOf(components.Slice(0, d, 0, t.set.Components))
		if _, err := stiefel.New(t.lastPoint.Dims()).Orthonormalize(ctx, t.lastPoint, t.lastPoint); err != nil {
			return err
		}
	}
	var err error
	t.objective, err = t.newObjective(ctx, &t.set)
	return err
}
