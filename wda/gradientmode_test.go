package wda

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/sinkhorn"
	"gonum.org/v1/gonum/mat"
)

// slopeOfTwo reports whether errors of central differences at steps that fall tenfold
// fall a hundredfold, for two decades in a row.
func slopeOfTwo(errs []float64) bool {
	for k := 0; k+2 < len(errs); k++ {
		a, b := errs[k]/errs[k+1], errs[k+1]/errs[k+2]
		if a > 85 && a < 117 && b > 85 && b < 117 {
			return true
		}
	}
	return false
}

// TestImplicitGradientSlope: the implicit gradient is the derivative of the converged J.
func TestImplicitGradientSlope(t *testing.T) {
	for i, c := range gradientCases() {
		if c.inLog || c.set.Objective.Iterations != 0 {
			continue // so large a λ does not converge; L is not read
		}
		c.set.Objective.Gradient = sinkhorn.GradientImplicit
		x, labels := c.data(uint64(i))
		f, p, g, dir := gradientOf[float64](t, x, labels, c)
		want := inner(g, dir)
		var errs []float64
		for h := 0.3; h > 1e-5; h /= 10 {
			errs = append(errs, math.Abs((f(p, dir, h)-f(p, dir, -h))/(2*h)-want))
		}
		// Where a sample is far from the others of its class the iterations end at their
		// limit, and J is rough at 1e-7: one decade is then all there is room for.
		good := slopeOfTwo(errs)
		for k := 0; k+1 < len(errs); k++ {
			ratio := errs[k] / errs[k+1]
			good = good || ratio > 85 && ratio < 117 && slices.Min(errs) <= 1e-6*math.Abs(want)
		}
		if !good {
			t.Errorf("%s: errors of central differences do not fall 100 times per decade: %.3g (derivative %.3g)", c.name, errs, want)
		}
	}
}

// TestFrozenGradientSlope: the frozen gradient is the derivative of J with the plans
// at the place.
func TestFrozenGradientSlope(t *testing.T) {
	for i, c := range gradientCases() {
		if c.d == 1 {
			continue // with fixed plans J is then a constant
		}
		c.set.Objective.Gradient = sinkhorn.GradientFrozen
		x, labels := c.data(uint64(i))
		_, p, g, dir := gradientOf[float64](t, x, labels, c)
		f := frozen(t, x, labels, c, p)
		want := inner(g, dir)
		var errs []float64
		for h := 0.3; h > 1e-7; h /= 10 {
			errs = append(errs, math.Abs((f(p, dir, h)-f(p, dir, -h))/(2*h)-want))
		}
		if !slopeOfTwo(errs) {
			t.Errorf("%s: errors of central differences do not fall 100 times per decade: %.3g (derivative %.3g)", c.name, errs, want)
		}
	}
}

// frozen returns −J along a direction with the plans at p, by its definition.
func frozen(t *testing.T, x *mat.Dense, labels []int, c gradientCase, p *mat.Dense) func(p, dir *mat.Dense, h float64) float64 {
	t.Helper()
	s, err := newSamples(context.Background(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	set, err := pinned(c.set).withDefaults(context.Background(), s.n, s.d, len(s.classes))
	if err != nil {
		t.Fatal(err)
	}
	o, err := newObjective[float64](context.Background(), s, &set)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.prepare(t.Context(), &set, uniform(7, c.d, set.Components)); err != nil {
		t.Fatal(err)
	}
	solver, err := sinkhorn.NewSolver[float64](&sinkhorn.Settings{Iterations: set.Objective.Iterations})
	if err != nil {
		t.Fatal(err)
	}
	o.load(context.Background(), p)
	plans := make([]dist.Matrix[float64], len(o.pairs))
	for i, q := range o.pairs {
		a, b := class(s, o.y, q.c), class(s, o.y, q.e)
		res, err := solver.Solve(t.Context(), &sinkhorn.Problem[float64]{X: a, Y: b, Lambda: q.lambda})
		if err != nil {
			t.Fatal(err)
		}
		plans[i] = dist.NewMatrix[float64](a.Rows, b.Rows, nil)
		if err := res.PlanTo(t.Context(), plans[i], 0); err != nil {
			t.Fatal(err)
		}
	}
	return func(p, dir *mat.Dense, h float64) float64 {
		var at, y mat.Dense
		at.Scale(h, dir)
		at.Add(p, &at)
		y.Mul(s.x, &at)
		var between, within float64
		for k, q := range o.pairs {
			var cost float64
			for i := range plans[k].Rows {
				for j, v := range plans[k].Row(i) {
					for l, a := range y.RawRowView(s.offset[q.c] + i) {
						e := a - y.At(s.offset[q.e]+j, l)
						cost += v * e * e
					}
				}
			}
			if q.within() {
				within += q.weight * cost
			} else {
				between += q.weight * cost
			}
		}
		return -between / (within + o.ridge)
	}
}

// TestGradientModesAgree: after many iterations the unrolled gradient is the implicit
// one; the frozen one is another, except for a λ so small that plans do not depend on
// the projection.
func TestGradientModesAgree(t *testing.T) {
	x, labels := parts3(3, 50, 6)
	p := uniform(2, 6, 2)
	gradient := func(set Settings) *Scores { return mustScore(t, x, labels, p, &set) }
	for _, lambda := range []float64{0.3, 1, 3} {
		unrolled := gradient(Settings{Objective: Objective{Lambda: RelativeLambda(lambda), Iterations: 2000, Shrinkage: FixedShrinkage(0.2)}})
		implicit := gradient(Settings{Objective: Objective{Lambda: RelativeLambda(lambda), Gradient: sinkhorn.GradientImplicit, Shrinkage: FixedShrinkage(0.2)}})
		frozen := gradient(Settings{Objective: Objective{Lambda: RelativeLambda(lambda), Iterations: 2000, Gradient: sinkhorn.GradientFrozen, Shrinkage: FixedShrinkage(0.2)}})
		if e := relative(implicit.Objective, unrolled.Objective); !(e <= 1e-9) {
			t.Errorf("λ = %g: converged J is off by %.3g", lambda, e)
		}
		if e := off(implicit.Gradient, unrolled.Gradient); !(e <= 1e-7) {
			t.Errorf("λ = %g: implicit gradient is %.3g from that of 2000 iterations", lambda, e)
		}
		if frozen.Objective != unrolled.Objective {
			t.Errorf("λ = %g: J depends on the mode of the gradient", lambda)
		}
		if e := off(frozen.Gradient, unrolled.Gradient); !(e > 1e-2) {
			t.Errorf("λ = %g: the frozen gradient is that of J to %.3g", lambda, e)
		}
		for _, mode := range []sinkhorn.GradientMode{sinkhorn.GradientImplicit, sinkhorn.GradientFrozen} {
			set := Settings{Objective: Objective{Lambda: RelativeLambda(lambda), Gradient: mode, Shrinkage: FixedShrinkage(0.2)}}
			want := gradient(set)
			set.Objective.Float32 = true
			if e := off(gradient(set).Gradient, want.Gradient); !(e <= 1e-4) {
				t.Errorf("λ = %g, %v: float32 is off by %.3g", lambda, mode, e)
			}
		}
	}
	unrolled := gradient(Settings{Objective: Objective{Lambda: RelativeLambda(1e-7)}})
	for _, mode := range []sinkhorn.GradientMode{sinkhorn.GradientImplicit, sinkhorn.GradientFrozen} {
		if e := off(gradient(Settings{Objective: Objective{Lambda: RelativeLambda(1e-7), Gradient: mode}}).Gradient, unrolled.Gradient); !(e <= 1e-5) {
			t.Errorf("uniform plans: %v gradient is off by %.3g", mode, e)
		}
	}
}

// TestGradientModeFits: the implicit gradient leads where the unrolled one of many
// iterations does. With the frozen one J rises, to less than that.
func TestGradientModeFits(t *testing.T) {
	t.Parallel()
	x, labels := parts3(5, 40, 6)
	for _, solver := range []Method{Auto{}, ProjectedGradient{}, Eigen{}, MiniBatch{}} {
		if !testdata.IsLong() && solver != Method(Auto{}) && solver != Method(Eigen{}) {
			continue
		}
		long := Settings{Components: 2, Optimizer: Optimizer{Method: solver}, Objective: Objective{Iterations: 300, Shrinkage: FixedShrinkage(0.2)}}
		want := mustFit(t, x, labels, &long)
		short := long
		short.Objective.Iterations, short.Objective.Gradient = 0, sinkhorn.GradientImplicit
		got := mustFit(t, x, labels, &short)
		r, limit := got.Report(), 1e-8
		if solver == Method(MiniBatch{}) {
			limit = 1e-4
		}
		if e := relative(r.Objective, want.report.Objective); !(e <= limit) || !r.Status.Converged() {
			t.Errorf("%v: J = %v (%v), with 500 iterations unrolled %v", solver, r.Objective, r.Status, want.report.Objective)
		}
		if r.Settings.Objective.Iterations != implicitIterations || r.Settings.Objective.Gradient != sinkhorn.GradientImplicit {
			t.Errorf("%v: settings %+v", solver, r.Settings)
		}
		long.Objective.Gradient = sinkhorn.GradientFrozen
		r = mustFit(t, x, labels, &long).Report()
		if r.Objective < r.History[0].Objective*(1-1e-9) || r.Objective > want.report.Objective*(1+1e-6) && solver != Method(Eigen{}) {
			t.Errorf("%v: J goes from %v to %v with frozen plans, unrolled to %v", solver, r.History[0].Objective, r.Objective, want.report.Objective)
		}
		if !r.Status.Converged() && r.Status != StatusLineSearchFailed {
			t.Errorf("%v with frozen plans: %v", solver, r.Status)
		}
	}
}

// TestImplicitNotConverged: where the iterations do not converge there is no implicit
// gradient, and the error says what to do about it.
func TestImplicitNotConverged(t *testing.T) {
	x, labels := parts3(5, 60, 6)
	everyWay(t, Settings{Objective: Objective{Gradient: sinkhorn.GradientImplicit, Lambda: RelativeLambda(100), Iterations: 2}}, func(t *testing.T, set *Settings) {
		m, err := fitPinned(t.Context(), x, labels, set)
		if m != nil || !errors.Is(err, ErrSettings) || !errors.Is(err, sinkhorn.ErrNotConverged) || errors.Is(err, ErrNoSpread) || !strings.Contains(err.Error(), "more iterations") {
			t.Errorf("model %v, error %v", m != nil, err)
		}
	})
	if _, err := Score(t.Context(), x, labels, uniform(1, 6, 2), &Scoring{Objective: Objective{Gradient: sinkhorn.GradientImplicit, Lambda: RelativeLambda(100), Iterations: 2}}); !errors.Is(err, sinkhorn.ErrNotConverged) {
		t.Errorf("score: %v", err)
	}
}
