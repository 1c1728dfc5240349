package sinkhorn

import (
	"math"
	"testing"

	"github.com/gomonge/monge/dist"
)

// TestBarycentricMass checks the barycentric projection with penalties or Mass. The weighted sum must be divided by the row sum
// of the plan, which differs from the weight of the row.
func TestBarycentricMass(t *testing.T) {
	x, y := dist.NewMatrix(2, 1, []float64{0, 1}), dist.NewMatrix(2, 1, []float64{10, 12})
	for name, c := range map[string]struct {
		problem Problem[float64]
		want    []float64 // computed by an independent program
	}{
		"penalties":   {Problem[float64]{PenaltyA: 20, PenaltyB: 20}, []float64{10.00785, 10.35412}},
		"one penalty": {Problem[float64]{PenaltyB: 20}, nil},
		"partial":     {Problem[float64]{Mass: 0.3}, nil},
		"zero weight": {Problem[float64]{Mass: 0.3, A: []float64{0, 1}}, nil},
		"balanced":    {Problem[float64]{}, nil},
	} {
		p := c.problem
		p.X, p.Y, p.Lambda = x, y, 1
		for _, domain := range []Domain{DomainAuto, DomainLog} {
			r := mustSolve(t, Settings{Tolerance: 1e-12, Domain: domain}, &p)
			got, plan := dist.NewMatrix[float64](2, 1, nil), dist.NewMatrix[float64](2, 2, nil)
			if err := r.BarycentricTo(t.Context(), got); err != nil {
				t.Fatal(err)
			}
			if err := r.PlanTo(t.Context(), plan, 0); err != nil {
				t.Fatal(err)
			}
			for i, v := range got.Data {
				row := plan.Row(i)
				want := (10*row[0] + 12*row[1]) / (row[0] + row[1])
				if math.IsNaN(want) != math.IsNaN(v) || math.Abs(v-want) > 1e-12*want || c.want != nil && math.Abs(v-c.want[i]) > 5e-6 {
					t.Errorf("%s, %v: the image of point %d is %v, want %v", name, domain, i, v, want)
				}
			}
		}
	}
}
