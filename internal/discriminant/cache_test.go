package discriminant

import (
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// TestCacheResult makes a random sequence of evaluations with CacheResult and without CacheResult.
// The results must be bit-identical. TestCacheResult also checks that CacheResult skips repeated
// evaluations.
func TestCacheResult(t *testing.T) {
	ctx := t.Context()
	x, labels := clusters(3, 5, 14, 9)
	sp := NewSpan(ctx, mustSamples(t, x, labels), ConditionLimit, 0)
	var err error
	var os [2]*Objective[float32]
	var points [2]*mat.Dense
	for i := range os {
		if os[i], err = NewObjective(ctx, sp.Samples, configOf[float32](usualSettings(2))); err != nil {
			t.Fatal(err)
		}
		points[i] = mat.NewDense(sp.Samples.D, 2, nil)
		stiefel.New(sp.Samples.D, 2).Random(ctx, points[i], rand.New(rand.NewPCG(uint64(i), 1)))
	}
	os[1].CacheResult = true
	rng, remembered := rand.New(rand.NewPCG(5, 6)), 0
	lambda := relativeLambda(1)
	for step := range 200 {
		p, gradient := points[rng.IntN(2)], rng.IntN(2) == 0
		if step == 0 || rng.IntN(8) == 0 {
			lambda = relativeLambda(1 + rng.Float64())
		}
		if rng.IntN(4) == 0 {
			if _, _, err := os[1].scatters(ctx, points[rng.IntN(2)]); err != nil {
				t.Fatal(err)
			}
		}
		ridge, again := rng.Float64(), rng.IntN(8) == 0
		var grads [2]*mat.Dense
		for i, o := range os {
			if step == 0 || again {
				if err := o.setLambdas(ctx, lambda, points[0]); err != nil {
					t.Fatal(err)
				}
			}
			if o.Ridge = ridge; i == 1 {
				if o.setProjection(p); o.evaluated && (o.gradient || !gradient) {
					remembered++
				}
			}
			if gradient {
				grads[i] = mat.NewDense(sp.Samples.D, 2, nil)
			}
			if _, err := o.inverseRatio(ctx, p, grads[i]); err != nil {
				t.Fatal(err)
			}
		}
		if os[0].betweenCost != os[1].betweenCost || os[0].withinCost != os[1].withinCost || gradient && !mat.Equal(grads[0], grads[1]) {
			t.Fatalf("step %d: σ_b² %v and σ_w² %v, want %v and %v; gradients %v, %v", step, os[1].betweenCost, os[1].withinCost, os[0].betweenCost, os[0].withinCost, grads[1], grads[0])
		}
	}
	if remembered < 30 {
		t.Errorf("remembered %d of 200", remembered)
	}
}

// TestBestOf checks that BestOf chooses the projection with the largest J and sets unknown costs. If
// the costs are known, BestOf must compute J from these costs and the current ridge.
func TestBestOf(t *testing.T) {
	x, labels := clusters(3, 5, 14, 9)
	start, other := uniform(1, 5, 2), uniform(2, 5, 2)
	o := objectiveOf[float64](t, mustSamples(t, x, labels), usualSettings(2), start)
	var costs [2]Costs
	best, err := o.BestOf(ctx, costs[:], start, nil, other, start)
	if err != nil {
		t.Fatal(err)
	}
	if best != start && best != other || costs[1] != (Costs{}) {
		t.Errorf("costs %v", costs)
	}
	largest := 0.
	for _, p := range []*mat.Dense{other, start} {
		if err := o.Evaluate(ctx, p, false); err != nil {
			t.Fatal(err)
		}
		if largest = max(largest, o.Value()); p == best && o.Value() < largest {
			t.Errorf("J = %v is not the largest, %v", o.Value(), largest)
		}
	}
	if costs[0] != o.Costs() {
		t.Errorf("costs %v at the start, want %v", costs[0], o.Costs())
	}
	// With the following costs, J is larger at the second projection without a ridge, and at the
	// first projection with ρ = 1.
	costs = [2]Costs{{Between: 10, Within: 1}, {Between: 1, Within: 0.01}}
	for rho, want := range map[float64]*mat.Dense{0: other, 1: start} {
		o.SetShrinkage(rho)
		if best, err := o.BestOf(ctx, costs[:], start, other); err != nil || best != want {
			t.Errorf("ρ = %v: another projection is chosen: %v", rho, err)
		}
	}
}
