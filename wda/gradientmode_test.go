package wda

import (
	"errors"
	"strings"
	"testing"

	"github.com/gomonge/monge/internal/testdata"
	"github.com/gomonge/monge/sinkhorn"
)

// TestGradientModesAgree checks that the unrolled gradient converges to the implicit gradient. The frozen gradient must
// differ unless λ is so small that the transport plans do not depend on the projection.
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

// TestGradientModeFits checks that the implicit gradient reaches the same J as the unrolled gradient of many
// iterations. The frozen gradient must raise J. It may exceed the J of the unrolled gradient only with Eigen.
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

// TestImplicitNotConverged checks that the implicit gradient is an error if the iterations do not converge, and that
// the error suggests what to change.
func TestImplicitNotConverged(t *testing.T) {
	x, labels := parts3(5, 60, 6)
	forEverySolver(t, Settings{Objective: Objective{Gradient: sinkhorn.GradientImplicit, Lambda: RelativeLambda(100), Iterations: 2}}, func(t *testing.T, set *Settings) {
		m, err := fitPinned(t.Context(), x, labels, set)
		if m != nil || !errors.Is(err, ErrSettings) || !errors.Is(err, sinkhorn.ErrNotConverged) || errors.Is(err, ErrNoSpread) || !strings.Contains(err.Error(), "more iterations") {
			t.Errorf("model %v, error %v", m != nil, err)
		}
	})
	if _, err := Score(t.Context(), x, labels, uniform(1, 6, 2), &Scoring{Objective: Objective{Gradient: sinkhorn.GradientImplicit, Lambda: RelativeLambda(100), Iterations: 2}}); !errors.Is(err, sinkhorn.ErrNotConverged) {
		t.Errorf("score: %v", err)
	}
}
