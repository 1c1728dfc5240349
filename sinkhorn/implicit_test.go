package sinkhorn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/testdata"
)

// TestImplicitGradient compares the implicit gradient with the unrolled gradient and with central differences, at convergence.
func TestImplicitGradient(t *testing.T) {
	for _, c := range []struct {
		lambda float64
		zero   bool
		n, m   int
	}{{0.05, false, 14, 11}, {0.5, false, 14, 11}, {0.5, true, 14, 11}, {2, true, 14, 11}, {2, false, 11, 14}, {1, false, 1, 5}, {1, false, 5, 1}} {
		for _, domain := range []Domain{DomainPlain, DomainLog} {
			t.Run(fmt.Sprintf("λ=%v/zero=%v/%d×%d/%v", c.lambda, c.zero, c.n, c.m, domain), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(uint64(c.n), 21))
				const d = 3
				p := Problem[float64]{X: cloud[float64](rng, c.n, d, 0), Y: cloud[float64](rng, c.m, d, 0.4), Lambda: c.lambda}
				p.A, p.B = gradientWeights[float64](rng, c.n, c.zero), gradientWeights[float64](rng, c.m, c.zero)
				set := Settings{Iterations: 3000, Tolerance: 1e-14, Domain: domain, Gradient: true}
				dx, dy := dist.NewMatrix[float64](c.n, d, nil), dist.NewMatrix[float64](c.m, d, nil)
				ux, uy := dist.NewMatrix[float64](c.n, d, nil), dist.NewMatrix[float64](c.m, d, nil)
				im, um := dist.NewMatrix[float64](c.n, c.m, nil), dist.NewMatrix[float64](c.n, c.m, nil)
				r := mustSolve(t, set, &p)
				for _, err := range []error{r.PointGradientTo(t.Context(), ux, uy, GradientUnrolled), r.PointGradientTo(t.Context(), dx, dy, GradientImplicit), r.CostGradientTo(t.Context(), im, GradientImplicit), r.CostGradientTo(t.Context(), um, GradientUnrolled)} {
					if err != nil {
						t.Fatal(err)
					}
				}
				for what, m := range map[string][2]dist.Matrix[float64]{"∂X": {dx, ux}, "∂Y": {dy, uy}, "∂M": {im, um}} {
					if e := maxDifference(m[0], m[1]); !(e <= 1e-9) {
						t.Errorf("%s: implicit and unrolled gradient differ by %.3g of the largest", what, e)
					}
				}
				ex, ey := cloud[float64](rng, c.n, d, 0), cloud[float64](rng, c.m, d, 0)
				at := func(h float64) *Result[float64] {
					q := p
					q.X, q.Y = addScaled(p.X, ex, h), addScaled(p.Y, ey, h)
					return mustSolve(t, set, &q)
				}
				const h = 1e-5
				slope := inner(dx, ex) + inner(dy, ey)
				if e := math.Abs((at(h).Cost-at(-h).Cost)/(2*h)-slope) / math.Sqrt(inner(dx, dx)+inner(dy, dy)); !(e <= 1e-7) {
					t.Errorf("implicit gradient differs from central differences by %.3g of its norm", e)
				}
				if err := mustSolve(t, set, &p).PointGradientTo(t.Context(), dx, dy, GradientFrozen); err != nil {
					t.Fatal(err)
				}
				slope = inner(dx, ex) + inner(dy, ey)
				if e := math.Abs((regularized(t, at(h))-regularized(t, at(-h)))/(2*h)-slope) / math.Sqrt(inner(dx, dx)+inner(dy, dy)); !(e <= 1e-7) {
					t.Errorf("gradient of the regularized cost differs from central differences by %.3g of its norm", e)
				}
			})
		}
	}
}

func addScaled(m, e dist.Matrix[float64], h float64) dist.Matrix[float64] {
	out := dist.NewMatrix[float64](m.Rows, m.Cols, nil)
	for i := range out.Data {
		out.Data[i] = m.Data[i] + h*e.Data[i]
	}
	return out
}

func inner(x, y dist.Matrix[float64]) (sum float64) {
	for i := range x.Data {
		sum += x.Data[i] * y.Data[i]
	}
	return sum
}

func TestImplicitNeedsConvergence(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 21))
	p := &Problem[float64]{X: cloud[float64](rng, 9, 2, 0), Y: cloud[float64](rng, 9, 2, 1), Lambda: 1}
	dx, dy := dist.NewMatrix[float64](9, 2, nil), dist.NewMatrix[float64](9, 2, nil)
	if err := mustSolve(t, Settings{Iterations: 1}, p).PointGradientTo(t.Context(), dx, dy, GradientImplicit); err != ErrNotConverged {
		t.Errorf("after one iteration: %v", err)
	}
}

// TestImplicitFloat32 compares an implicit gradient in float32 with the same gradient in float64.
func TestImplicitFloat32(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 21))
	x, y := cloud[float32](rng, 40, 3, 0), cloud[float32](rng, 30, 3, 0.4)
	dx, dy := dist.NewMatrix[float32](40, 3, nil), dist.NewMatrix[float32](30, 3, nil)
	wx, wy := widen(dx), widen(dy)
	if err := mustSolve(t, Settings{Tolerance: 1e-6, Lambda: 0.3}, &Problem[float32]{X: x, Y: y}).PointGradientTo(t.Context(), dx, dy, GradientImplicit); err != nil {
		t.Fatal(err)
	}
	if err := mustSolve(t, Settings{Tolerance: 1e-13, Lambda: 0.3}, &Problem[float64]{X: widen(x), Y: widen(y)}).PointGradientTo(t.Context(), wx, wy, GradientImplicit); err != nil {
		t.Fatal(err)
	}
	if e := max(maxDifference(widen(dx), wx), maxDifference(widen(dy), wy)); !(e <= 1e-4) {
		t.Errorf("float32 is off by %.3g of the largest", e)
	}
}

// TestRegularizedCost compares RegularizedCost with its definition.
func TestRegularizedCost(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	a, b := gradientWeights[float64](rng, 12, true), gradientWeights[float64](rng, 10, true)
	p := &Problem[float64]{X: cloud[float64](rng, 12, 2, 0), Y: cloud[float64](rng, 10, 2, 1), A: a, B: b}
	for _, lambda := range []float64{0.3, 60} {
		for _, domain := range []Domain{DomainAuto, DomainLog} {
			for _, iterations := range []int{1, 9} {
				p.Lambda = lambda
				r := mustSolve(t, Settings{Domain: domain, Iterations: iterations}, p)
				plan := dist.NewMatrix[float64](12, 10, nil)
				r.PlanTo(t.Context(), plan, 0)
				want := r.Cost
				for i := range a {
					for j, v := range plan.Row(i) {
						if v > 0 {
							want += v * math.Log(v/(a[i]*b[j])) / lambda
						}
					}
				}
				if got := regularized(t, r); !(math.Abs(got/want-1) <= 1e-12) {
					t.Errorf("λ = %v, %v, %d iterations: %v, want %v", lambda, domain, iterations, got, want)
				}
			}
		}
	}
}

// TestImplicitGolden compares implicit and unrolled gradients for the cases of the fixtures. These cases converge slowly and
// have ill-conditioned linear systems.
func TestImplicitGolden(t *testing.T) {
	for _, name := range otCases {
		c := loadOT(t, name)
		p := &Problem[float64]{Cost: c.matrix(t, "M"), A: c.matrix(t, "a").Data, B: c.matrix(t, "b").Data, Lambda: c.meta.Lam}
		iterations := 40000
		if !testdata.IsLong() {
			iterations = 3000
		}
		set := Settings{Tolerance: 1e-14, Iterations: iterations, Gradient: true}
		r := mustSolve(t, set, p)
		if r.MarginalError > 1e-12 && !testdata.IsLong() {
			continue
		}
		im, un := dist.NewMatrix[float64](c.meta.N, c.meta.M, nil), dist.NewMatrix[float64](c.meta.N, c.meta.M, nil)
		if err := r.CostGradientTo(t.Context(), im, GradientImplicit); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := r.CostGradientTo(t.Context(), un, GradientUnrolled); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v after %d iterations, gradients differ by %.3g of the largest", name, r.Status, r.Iterations, maxDifference(im, un))
		if e := maxDifference(im, un); !(e <= 1e-7) {
			t.Errorf("%s: implicit and unrolled gradient differ by %.3g of the largest", name, e)
		}
	}
}
