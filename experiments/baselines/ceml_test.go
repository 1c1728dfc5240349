package baselines

import (
	"math"
	"testing"

	"github.com/gomonge/monge/internal/projection/projectiontest"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

func TestCEMLGradient(t *testing.T) {
	data := dataset.Simulation{NoiseDims: 3, Seed: 8}.Generate(30)
	for _, alpha := range []float64{0.7, 1.01, 2, 3.5} {
		f := newEntropy(data.X, data.Labels, alpha, math.Sqrt2)
		p := projectiontest.Random(1, 5, 2, 0.7)
		grad := mat.NewDense(5, 2, nil)
		if _, err := f.forward(ctx, p); err != nil {
			t.Fatal(err)
		}
		if err := f.backward(ctx, grad); err != nil {
			t.Fatal(err)
		}
		e := gradientError(p, grad, 1e-5, func(p *mat.Dense) float64 { v, _ := f.forward(ctx, p); return v })
		// If α < 1, eigenvalues at the rounding level affect the result.
		if limit := map[bool]float64{true: 1e-7, false: 1e-3}[alpha > 1]; !(e < limit) {
			t.Errorf("α = %v: gradient is off by %.3g", alpha, e)
		}
	}
}

// TestEntropy compares the entropy with closed-form values. If all samples are far apart, K is the
// identity. If all samples are equal, every K_ij is 1.
func TestEntropy(t *testing.T) {
	x := mat.NewDense(8, 1, []float64{0, 100, 200, 300, 400, 500, 600, 700})
	labels := []int{0, 0, 0, 0, 1, 1, 1, 1}
	one := mat.NewDense(1, 1, []float64{1})
	for _, alpha := range []float64{0.5, 1.01, 2} {
		// If all samples are far apart, S(K) = S(K ∘ L) = log₂ 8.
		if v, err := newEntropy(x, labels, alpha, 1).forward(ctx, one); err != nil || !(math.Abs(v) < 1e-12) {
			t.Errorf("α = %v, samples far apart: %v, %v; want 0", alpha, v, err)
		}
		// If all samples are equal, S(K) = 0, and S(K ∘ L) = 1 bit for two classes of equal size.
		if v, err := newEntropy(mat.NewDense(8, 1, nil), labels, alpha, 1).forward(ctx, one); err != nil || !(math.Abs(v-1) < 1e-6) {
			t.Errorf("α = %v, samples equal: %v, %v; want 1", alpha, v, err)
		}
	}
}

func TestCEMLTrace(t *testing.T) {
	data := dataset.Simulation{NoiseDims: 2, Seed: 8}.Generate(30)
	data.X.Scale(1000, data.X)
	v, err := Fit(t.Context(), data.X, data.Labels, 3, CEML{})
	if err != nil {
		t.Fatal(err)
	}
	if norm := mat.Norm(v, 2); !(math.Abs(norm*norm-3) < 1e-12) {
		t.Errorf("tr(PᵀP) = %v, want 3", norm*norm)
	}
}
