package wda

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// choicePrincipal is how precise the principal components of a fold are.
const choicePrincipal = 1e-2

// trial fits candidates with one whitening to the rows of one fold.
type trial struct {
	*division
	set   Settings
	white *span      // whitened
	held  *mat.Dense // in its coordinates
	// Principal components, and as many of them as a fit is of.
	components, start *mat.Dense
	fisher            *mat.Dense  // and these, completed by principal components
	last              *mat.Dense  // where the fit before this one has led
	fitted            Member      // that it was of, whatever the scale
	axes              *components // and what it has led to
	objective         *objective[float32]
	lambda            Lambda                    // that it was prepared with
	within            float64                   // and σ_w² at the start
	values            [2]struct{ b, w float64 } // σ_b² and σ_w² at the start and at fisher for this λ, or 0
	search            *knn.Search[float64]
}

func newTrial(ctx context.Context, set *Settings, f *division, w Whitening, workers int) (*trial, error) {
	t := &trial{division: f, set: *set, held: f.inSpan}
	t.set.Workers, t.set.Objective.Float32, t.set.Optimizer.Starts = workers, true, 1
	t.set.Optimizer.MaxSteps = stepsOfChoice(len(f.samples.classes))
	var err error
	base, rows := *f.span, f.rows
	if w.kind == whiteningDiagonal && f.all != nil {
		// Nothing else tells one orthonormal basis from another.
		base.full, rows = f.all.rowsCentered(ctx, f.train, f.held)
	}
	if t.white, err = base.whitened(ctx, w, 0, workers); err != nil {
		return nil, err
	}
	if t.white.factor != nil {
		t.held = mat.DenseCopyOf(rows)
		multiplyColumns(ctx, t.held, t.white.factor)
		t.held = t.white.rowsIn(ctx, t.held)
	}
	if t.white.white != nil {
		t.held = mat.DenseCopyOf(t.held)
		t.white.white.SolveRows(ctx, dense.View(t.held))
	}
	t.set.Components = min(set.Components, t.white.s.d)
	if t.objective, err = t.objectiveOf(ctx, &t.set); err != nil {
		return nil, err
	}
	if t.components, err = principalOf(ctx, t.white.s, t.objective.x, t.set.Components, choicePrincipal, workers); err != nil {
		return nil, err
	}
	t.start = t.components
	return t, nil
}

// objectiveOf returns the objective of set that candidates maximize, of some pairs of classes
// where there are many.
func (t *trial) objectiveOf(ctx context.Context, set *Settings) (*objective[float32], error) {
	o, err := newObjective[float32](ctx, t.white.s, set)
	if err == nil {
		o.pairs = somePairs(o.pairs, len(t.white.s.classes), set.Seed)
		o.remember = true // candidates with another ρ begin where J and its gradient are known
	}
	return o, err
}

// pairsPerClass is about the number of other classes that every class is paired with in a comparison.
const pairsPerClass = 32

// somePairs returns those of all pairs whose classes differ by one of pairsPerClass/2 numbers,
// modulo the number of classes, and the pairs of a class with itself. The numbers are drawn. Every
// class has as many others as any, and the weights make the sum an estimate of the sum over all
// pairs: the graph of the pairs is a random circulant graph, which is near to a complete one.
func somePairs(all []pair, classes int, seed uint64) []pair {
	half := classes / 2
	if half <= pairsPerClass/2 {
		return all
	}
	chosen := make([]bool, half+1)
	for _, k := range rand.New(rand.NewPCG(seed, streamPairs)).Perm(half)[:pairsPerClass/2] {
		chosen[k+1] = true
	}
	some := make([]pair, 0, classes*(pairsPerClass/2+1))
	for _, q := range all {
		if q.within() || chosen[min(q.e-q.c, classes-q.e+q.c)] {
			some = append(some, q)
		}
	}
	scale := float64(len(all)-classes) / float64(len(some)-classes)
	for i := range some {
		if q := &some[i]; !q.within() {
			q.weight *= scale
		}
	}
	return some
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
	p := t.axes.scaled(ctx, &set).p
	x, y := projected(ctx, t.white.s.x, p, t.set.Workers), projected(ctx, t.held, p, t.set.Workers)
	if t.votes != nil {
		for i, r := range t.votes { // ascending
			copy(x.Row(i), x.Row(r))
		}
		x = x.RowRange(0, len(t.votes))
	}
	var points *knn.Points[float64]
	if t.set.For == UseNeighbors {
		var err error
		if points, err = knn.NewColumns(ctx, x, t.own); err != nil {
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
			out[i], err = judge(ctx, t.search, points.First(q), y.ColRange(0, q), t.labels, min(t.neighbors, x.Rows))
		} else {
			a, b := dist.NewMatrix[float64](x.Rows, q, nil), dist.NewMatrix[float64](y.Rows, q, nil)
			for r := range x.Rows {
				copy(a.Row(r), x.Row(r))
			}
			for r := range y.Rows {
				copy(b.Row(r), y.Row(r))
			}
			out[i], err = judgeMeans(ctx, a, t.own, b, t.labels, t.set.For)
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
	if o := t.objective; t.within > 0 && t.lambda == set.Objective.Lambda {
		o.ridge = float64(set.Objective.Shrinkage.rho * t.within)
	} else if err := o.prepare(ctx, set, t.start); err != nil {
		return err
	} else {
		t.lambda, t.within = set.Objective.Lambda, o.w
		clear(t.values[:])
		t.values[0].b, t.values[0].w = o.b, o.w
	}
	switch of := set.Optimizer.Method.traits(); {
	case of.means:
		t.last = t.fisherStart(ctx)
		return nil
	case of.stepless:
		t.last = t.start
		return nil
	}
	from, err := t.highest(ctx)
	if err != nil {
		return err
	}
	problem := at{inverse[float32]{t.objective}, ctx}
	res, err := descent.Minimize(ctx, problem, stiefel.New(t.white.s.d, t.set.Components), from, &descent.Settings{
		MaxSteps: set.Optimizer.MaxSteps, GradientTolerance: 1e-3, FunctionTolerance: 1e-3, GradientToValue: gradientNoise32, Noise: 1e-6,
	})
	if err != nil {
		return err
	}
	t.last = res.Point
	return nil
}

// highest returns the projection with the largest J of three: the principal components, these
// completed by discriminants, and where the fit before has led. If the context ends it returns its cause.
func (t *trial) highest(ctx context.Context) (*mat.Dense, error) {
	o, starts := t.objective, [...]*mat.Dense{t.start, t.fisherStart(ctx), t.last}
	best, value := t.start, 0.
	for i, p := range starts {
		if p == nil || slices.Contains(starts[:i], p) {
			continue
		}
		b, w := 0., 0.
		if i < len(t.values) && t.values[i].b > 0 { // J alone depends on ρ
			b, w = t.values[i].b, t.values[i].w
		} else if err := o.evaluate(ctx, p, false); ctx.Err() != nil {
			return nil, context.Cause(ctx)
		} else if err != nil {
			continue
		} else if b, w = o.b, o.w; i < len(t.values) {
			t.values[i].b, t.values[i].w = b, w
		}
		if j := b / (w + o.ridge); j > value {
			best, value = p, j
		}
	}
	return best, nil
}

// canonical returns the canonical components of last, as many as the fit of set is of.
func (t *trial) canonical(ctx context.Context, set *Settings) (*components, error) {
	if !set.Optimizer.Method.traits().means {
		return t.objective.canonical(ctx, t.last)
	}
	few, d := *set, t.white.s.d
	few.Components = set.fitted(len(t.samples.classes))
	o, err := t.objectiveOf(ctx, &few)
	if err != nil {
		return nil, err
	}
	p := mat.DenseCopyOf(t.last.Slice(0, d, 0, few.Components))
	if err := o.prepare(ctx, &few, p); err != nil {
		return nil, err
	}
	return o.canonical(ctx, p)
}

func (t *trial) fisherStart(ctx context.Context) *mat.Dense {
	if t.fisher == nil {
		t.fisher = t.white.fisher(ctx, t.start, choicePrincipal)
	}
	return t.fisher
}

// narrow makes t one of q components, as many as it has at most, with the first of all,
// canonical components of more, for a start.
func (t *trial) narrow(ctx context.Context, q int, all *mat.Dense) error {
	d, p := t.components.Dims()
	t.set.Components = min(q, p)
	t.start = mat.DenseCopyOf(t.components.Slice(0, d, 0, t.set.Components))
	t.fisher, t.last, t.fitted, t.within = nil, nil, Member{}, 0
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
