package wda

import (
	"context"
	"testing"
	"time"

	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/testdata"
)

// TestMiniBatchFits checks that mini-batches bring J near its optimum.
func TestMiniBatchFits(t *testing.T) {
	t.Parallel()
	x, labels := clusters(5, 12, 120, 60, 90)
	exact := mustFit(t, x, labels, &Settings{Components: 3, Objective: Objective{Shrinkage: FixedShrinkage(0)}})
	for _, f32 := range []bool{false, true} {
		if !testdata.IsLong() && !f32 {
			continue
		}
		set := &Settings{Components: 3, Optimizer: Optimizer{Method: MiniBatch{BatchSize: 24}}, Objective: Objective{Float32: f32, Shrinkage: FixedShrinkage(0)}}
		m := mustFit(t, x, labels, set)
		r := m.Report()
		if r.ObjectiveSamples != 270 || !r.Status.Converged() || r.Steps == 0 {
			t.Errorf("J of %d samples, %v after %d steps", r.ObjectiveSamples, r.Status, r.Steps)
		}
		if gap := 1 - r.Objective/exact.report.Objective; !(gap < 0.01) {
			t.Errorf("J is %.2g %% below the optimum", 100*gap)
		}
		set.Optimizer.MaxSteps = 3
		m = mustFit(t, x, labels, set)
		if again := mustFit(t, x, labels, set); !bitsEqual(again.projection, m.projection) {
			t.Error("the same seed gives another result")
		}
		set.Seed = 1
		if other := mustFit(t, x, labels, set); bitsEqual(other.projection, m.projection) {
			t.Error("the seed does not matter")
		}
	}
}

// TestMiniBatchLarge checks that MiniBatch evaluates J on a subset if there are too many samples. The report must
// contain J and the size of this subset, but λ and the class weights must come from all samples.
func TestMiniBatchLarge(t *testing.T) {
	t.Parallel()
	x, labels := clusters(5, 4, 700, 400, 100)
	for _, solver := range []Method{MiniBatch{}, ConjugateGradient{}} {
		set := paperSettings(Settings{Components: 2, Optimizer: Optimizer{Method: solver, MaxSteps: 4}, Objective: Objective{Proportional: true}})
		prepared, err := Prepare(t.Context(), x, labels, set.preparation())
		if err != nil {
			t.Fatal(err)
		}
		prepared.maxSamples = 303
		m, err := prepared.fitSince(t.Context(), set, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		checkModel(t, m)
		r, want := m.Report(), 1200
		if solver == Method(MiniBatch{}) {
			want = 176 + 101 + 25
		}
		if r.ObjectiveSamples != want {
			t.Errorf("%v: J of %d samples, want %d", solver, r.ObjectiveSamples, want)
		}
		all, err := discriminant.NewObjective(context.Background(), prepared.samples, objectiveConfig[float64](&r.Settings, prepared.samples.D))
		if err == nil {
			err = all.Prepare(context.Background(), r.Settings.Objective.Lambda.rule(), 0, prepared.principalStart)
		}
		if err != nil {
			t.Fatal(err)
		}
		if e := off(r.Lambda, all.Lambdas()); !(e <= 1e-14) {
			t.Errorf("%v: λ is off by %g", solver, e)
		}
		all.Ridge = r.Ridge / prepared.samples.ToDataUnits(1)
		if err := all.Evaluate(t.Context(), m.projection, false); err != nil {
			t.Fatal(err)
		}
		limit := 0.05
		if solver != Method(MiniBatch{}) {
			limit = 1e-13
		}
		if e := relative(r.Objective, all.Value()); !(e <= limit) {
			t.Errorf("%v: J = %v of %d samples, %v of all", solver, r.Objective, r.ObjectiveSamples, all.Value())
		}
		if r.Objective < r.History[0].Objective*(1-1e-12) {
			t.Errorf("%v: J falls from %v to %v", solver, r.History[0].Objective, r.Objective)
		}
	}
}
