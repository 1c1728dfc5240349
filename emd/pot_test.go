package emd

import (
	"math"
	"testing"

	"github.com/gomonge/monge/dist"
)

// TestPOT checks the results that the guide compares with POT. The expected values are results of POT 0.9.7.
func TestPOT(t *testing.T) {
	var s Solver[float64]
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if !(math.Abs(got-want) <= tolerance) {
			t.Errorf("%s: %v, POT has %v", what, got, want)
		}
	}
	// ot.emd and ot.emd2.
	p := &Problem[float64]{
		Cost: dist.NewMatrix(3, 4, []float64{3, 1, 4, 1.5, 5, 9, 2.25, 6, 5.25, 3.5, 5, 8}), A: []float64{0.5, 0.3, 0.2}, B: []float64{0.1, 0.4, 0.25, 0.25},
	}
	r, err := s.Solve(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	near("emd2", r.Cost, 2.225, 1e-15)
	plan := dist.NewMatrix[float64](3, 4, nil)
	if err := r.PlanTo(t.Context(), plan, 0); err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{0, 0.25, 0, 0.25, 0.05, 0, 0.25, 0, 0.05, 0.15, 0, 0} {
		near("emd", plan.Data[k], want, 1e-15)
	}
	// ot.wasserstein_1d returns the p-th power of the distance.
	for order, want := range map[float64]float64{1: 1.625, 2: 3.3625, 3: 7.6812499999999995} {
		w, err := s.Distance1D(t.Context(), []float64{3, 0, 1, 2.5}, []float64{5, -1, 0.5}, []float64{0.1, 0.2, 0.3, 0.4}, []float64{0.5, 0.25, 0.25}, order)
		if err != nil {
			t.Fatal(err)
		}
		near("wasserstein_1d", math.Pow(w, order), want, 1e-14)
	}
	// ot.sliced_wasserstein_distance returns the p-th root. POT computed the expected values with 400 000 random directions.
	clouds := &Problem[float64]{X: dist.NewMatrix(4, 2, []float64{0, 0, 1, 2, 3, 1, 2, 2}), Y: dist.NewMatrix(3, 2, []float64{5, 1, 4, 4, 6, 0})}
	for order, want := range map[float64]float64{1: 2.3886774172435143, 2: 2.6897923191888546} {
		w, err := s.Sliced(t.Context(), dist.Matrix[float64]{}, dist.Matrix[float64]{}, clouds, &SlicedOptions{Directions: 20000, Order: order})
		if err != nil {
			t.Fatal(err)
		}
		near("sliced_wasserstein_distance", w, want, 0.02)
	}
}
