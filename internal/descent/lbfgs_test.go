package descent_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gomonge/monge/internal/descent"
)

// rosenbrock is Σ 100(y − x²)² + (1 − x)² over the rows (x, y). It is a curved valley with
// condition number 2500 at its minimum (1, 1).
type rosenbrock struct{}

func (rosenbrock) Evaluate(p, grad *mat.Dense) (float64, error) {
	value := 0.
	for i := range p.RawMatrix().Rows {
		x, y := p.At(i, 0), p.At(i, 1)
		off := y - float64(x*x)
		value += float64(100*off*off) + float64((1-x)*(1-x))
		if grad != nil {
			grad.SetRow(i, []float64{float64(-400*x*off) - float64(2*(1-x)), 200 * off})
		}
	}
	return value, nil
}

// quadratic is ½ Σ_i c_i (p_i − 1)², with c_i from 1 to 10⁴. The products are rounded explicitly
// because the number of steps depends on every bit.
type quadratic struct{}

func (quadratic) Evaluate(p, grad *mat.Dense) (float64, error) {
	value := 0.
	n := p.RawMatrix().Rows
	for i := range n {
		c, x := float64(float32(math.Pow(10, 4*float64(i)/float64(n-1)))), p.At(i, 0)-1
		value += float64(c * x * x / 2)
		if grad != nil {
			grad.Set(i, 0, c*x)
		}
	}
	return value, nil
}

// TestLBFGS checks that LBFGS reaches the minimum, a vector of ones. It may take at most 10 % more
// steps and evaluations than L-BFGS-B of scipy 1.17 with a memory of ten pairs of vectors.
func TestLBFGS(t *testing.T) {
	valley := mat.NewDense(5, 2, nil)
	for i := range 5 {
		valley.SetRow(i, []float64{-1.2 - 0.1*float64(i), 1})
	}
	for _, c := range []struct {
		f                  descent.Problem
		start              *mat.Dense
		steps, evaluations int
	}{{rosenbrock{}, valley, 161, 186}, {quadratic{}, mat.NewDense(20, 1, nil), 569, 626}} {
		rows, cols := c.start.Dims()
		r, err := descent.Minimize(t.Context(), c.f, descent.Euclidean{Rows: rows, Cols: cols}, c.start,
			&descent.Settings{Method: descent.LBFGS, GradientTolerance: 1e-11, MaxSteps: 2000})
		if err != nil || r.Status != descent.GradientTolerance {
			t.Fatalf("%T: no minimum, %v", c.f, err)
		}
		for _, v := range r.Point.RawMatrix().Data {
			if !(math.Abs(v-1) < 1e-6) {
				t.Errorf("%T: at %v", c.f, v)
			}
		}
		if r.Steps > c.steps*11/10 || r.Evaluations.Values > c.evaluations*11/10 {
			t.Errorf("%T: %d steps, %d evaluations", c.f, r.Steps, r.Evaluations.Values)
		}
	}
}

// TestEuclidean checks that a start with an infinite or NaN element is rejected.
func TestEuclidean(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1, 2, math.Inf(1), 4})
	if r, err := descent.Minimize(t.Context(), rosenbrock{}, descent.Euclidean{Rows: 2, Cols: 2}, x, nil); err == nil {
		t.Errorf("an infinite start: %+v", r)
	}
}
