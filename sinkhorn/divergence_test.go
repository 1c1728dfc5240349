package sinkhorn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
)

func TestDivergence(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	const n, m, d = 15, 12, 2
	x, y := cloud[float64](rng, n, d, 0), cloud[float64](rng, m, d, 1)
	a, b := gradientWeights[float64](rng, n, true), gradientWeights[float64](rng, m, false)
	s, err := NewSolver[float64](&Settings{Tolerance: 1e-14, Iterations: 5000})
	if err != nil {
		t.Fatal(err)
	}
	none := dist.Matrix[float64]{}
	for _, lambda := range []float64{0.1, 2} {
		at := func(h float64, ex, ey dist.Matrix[float64]) float64 {
			v, err := s.Divergence(t.Context(), none, none, &Problem[float64]{X: addScaled(x, ex, h), Y: addScaled(y, ey, h), A: a, B: b, Lambda: lambda})
			if err != nil {
				t.Fatal(err)
			}
			return v.Value
		}
		dx, dy := dist.NewMatrix[float64](n, d, nil), dist.NewMatrix[float64](m, d, nil)
		v, err := s.Divergence(t.Context(), dx, dy, &Problem[float64]{X: x, Y: y, A: a, B: b, Lambda: lambda})
		if err != nil {
			t.Fatal(err)
		}
		ex, ey := cloud[float64](rng, n, d, 0), cloud[float64](rng, m, d, 0)
		const h = 1e-4
		slope := inner(dx, ex) + inner(dy, ey)
		if e := math.Abs((at(h, ex, ey)-at(-h, ex, ey))/(2*h)-slope) / math.Sqrt(inner(dx, dx)+inner(dy, dy)); !(e <= 1e-6) {
			t.Errorf("λ = %v: gradient differs from central differences by %.3g of its norm", lambda, e)
		}
		if !(v.Value > 0) {
			t.Errorf("λ = %v: divergence %v of different clouds", lambda, v.Value)
		}
		// For equal clouds, the divergence and its gradient are 0.
		gx, gy := dist.NewMatrix[float64](n, d, nil), dist.NewMatrix[float64](n, d, nil)
		v, err = s.Divergence(t.Context(), gx, gy, &Problem[float64]{X: x, Y: x, A: a, B: a, Lambda: lambda})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(v.Value) > 1e-13 || math.Sqrt(inner(gx, gx)+inner(gy, gy)) > 1e-11 {
			t.Errorf("λ = %v: divergence %v of equal clouds, gradient %v", lambda, v.Value, math.Sqrt(inner(gx, gx)+inner(gy, gy)))
		}
	}
}
