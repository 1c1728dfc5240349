package descent_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gomonge/monge/internal/descent"
)

// rosenbrock is Σ 100(y − x²)² + (1 − x)² over the rows (x, y): a curved valley of
// condition 2500 at its end, (1, 1).
type rosenbrock struct{}

func (rosenbrock) Evaluate(p, grad *mat.Dense) (float64, error) {
	value := 0.
	for i := range p.RawMatrix().Rows {
		x, y := p.At(i, 0), p.At(i, 1)
		off := y - x*x
		value += 100*off*off + (1-x)*(1-x)
		if grad != nil {
			grad.SetRow(i, []float64{-400*x*off - 2*(1-x), 200 * off})
		}
	}
	return value, nil
}

// TestLBFGS: from five places to the end of the valley in as many steps and evaluations
// as scipy 1.17's L-BFGS-B with ten pairs, which takes 161 and 186.
func TestLBFGS(t *testing.T) {
	const rows = 5
	x := mat.NewDense(rows, 2, nil)
	for i := range rows {
		x.SetRow(i, []float64{-1.2 - 0.1*float64(i), 1})
	}
	r, err := descent.Minimize(t.Context(), rosenbrock{}, descent.Euclidean{Rows: rows, Cols: 2}, x,
		&descent.Settings{Method: descent.LBFGS, GradientTolerance: 1e-11})
	if err != nil || r.Status != descent.GradientTolerance {
		t.Fatalf("%+v, %v", r, err)
	}
	for i := range rows {
		if e := math.Hypot(r.Point.At(i, 0)-1, r.Point.At(i, 1)-1); !(e < 1e-9) {
			t.Errorf("row %d is %g off", i, e)
		}
	}
	if r.Steps > 165 || r.Evaluations.Values > 190 {
		t.Errorf("%d steps, %d evaluations", r.Steps, r.Evaluations.Values)
	}
}

// TestEuclidean: what is not finite is no start.
func TestEuclidean(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1, 2, math.Inf(1), 4})
	if r, err := descent.Minimize(t.Context(), rosenbrock{}, descent.Euclidean{Rows: 2, Cols: 2}, x, nil); err == nil {
		t.Errorf("an infinite start: %+v", r)
	}
}
