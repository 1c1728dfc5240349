package sinkhorn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
)

func cloud[T dist.Float](rng *rand.Rand, n, p int, shift float64) dist.Matrix[T] {
	m := dist.NewMatrix[T](n, p, nil)
	for i := range m.Data {
		m.Data[i] = T(rng.NormFloat64() + shift)
	}
	return m
}

func gradientWeights[T dist.Float](rng *rand.Rand, n int, zero bool) []T {
	w, sum := make([]float64, n), 0.0
	for i := range w {
		w[i] = 0.2 + rng.Float64()
	}
	if zero {
		w[n/2] = 0
	}
	for _, v := range w {
		sum += v
	}
	out := make([]T, n)
	for i := range w {
		out[i] = T(w[i] / sum)
	}
	return out
}

func mustSolve[T dist.Float](t testing.TB, set Settings, p *Problem[T]) *Result[T] {
	t.Helper()
	s, err := NewSolver[T](&set)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Solve(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func regularized[T dist.Float](t testing.TB, r *Result[T]) float64 {
	t.Helper()
	c, err := r.RegularizedCost(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// gradientCase is a problem of the gradient tests. The cases cover the branches of the reverse pass.
type gradientCase struct {
	name         string
	n, m, p      int
	lambda       float64
	iterations   int
	domain       Domain
	zero, shared bool // whether a weight is zero; whether X and Y are the same cloud
}

func gradientCases() []gradientCase {
	var cs []gradientCase
	for _, d := range []Domain{DomainPlain, DomainLog} {
		for _, l := range []int{1, 2, 5, 10, 50} {
			cs = append(cs,
				gradientCase{fmt.Sprintf("%v/L=%d", d, l), 9, 7, 3, 0.3, l, d, false, false},
				gradientCase{fmt.Sprintf("%v/L=%d/zero", d, l), 9, 7, 3, 0.3, l, d, true, false},
				gradientCase{fmt.Sprintf("%v/L=%d/self", d, l), 8, 8, 2, 0.5, l, d, false, true},
			)
		}
	}
	// Distant clouds and a large λ need the log domain. The base potentials then change during the
	// iterations.
	for _, l := range []int{1, 3, 20} {
		cs = append(cs, gradientCase{fmt.Sprintf("far/L=%d", l), 6, 5, 2, 40, l, DomainAuto, false, false})
	}
	return append(cs,
		gradientCase{"row", 1, 6, 2, 0.5, 4, DomainAuto, false, false},
		gradientCase{"column", 6, 1, 2, 0.5, 4, DomainAuto, false, false})
}

// TestPointGradientSlope compares the gradient with central differences along a random direction.
// The error of the differences must decrease like h².
func TestPointGradientSlope(t *testing.T) {
	for _, c := range gradientCases() {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(c.iterations), uint64(c.n)))
			x := cloud[float64](rng, c.n, c.p, 0)
			y := cloud[float64](rng, c.m, c.p, 0.7)
			if c.shared {
				y = x
			}
			prob := &Problem[float64]{X: x, Y: y, A: gradientWeights[float64](rng, c.n, c.zero), B: gradientWeights[float64](rng, c.m, c.zero), Lambda: c.lambda}
			set := Settings{Iterations: c.iterations, Domain: c.domain, Gradient: true}
			r := mustSolve(t, set, prob)
			dx, dy := dist.NewMatrix[float64](c.n, c.p, nil), dist.NewMatrix[float64](c.m, c.p, nil)
			if err := r.PointGradientTo(t.Context(), dx, dy, GradientUnrolled); err != nil {
				t.Fatal(err)
			}
			ex, ey := cloud[float64](rng, c.n, c.p, 0), cloud[float64](rng, c.m, c.p, 0)
			if c.shared {
				ey = ex
			}
			var slope, size float64
			for i := range dx.Data {
				slope += dx.Data[i] * ex.Data[i]
				size += dx.Data[i] * dx.Data[i]
			}
			for i := range dy.Data {
				slope += dy.Data[i] * ey.Data[i]
				size += dy.Data[i] * dy.Data[i]
			}
			size = math.Sqrt(size)
			cost := func(h float64) float64 {
				at := func(m, e dist.Matrix[float64]) dist.Matrix[float64] {
					q := dist.NewMatrix[float64](m.Rows, m.Cols, nil)
					for i := range q.Data {
						q.Data[i] = m.Data[i] + h*e.Data[i]
					}
					return q
				}
				p := *prob
				p.X = at(x, ex)
				p.Y = p.X
				if !c.shared {
					p.Y = at(y, ey)
				}
				return mustSolve(t, set, &p).Cost
			}
			best := math.Inf(1)
			var first float64
			for h := 1e-3; h > 1e-7; h /= 10 {
				e := math.Abs((cost(h)-cost(-h))/(2*h)-slope) / size
				if h == 1e-3 {
					first = e
				}
				best = min(best, e)
			}
			if !(best <= 1e-7) {
				t.Errorf("central differences come no closer than %.3g, relative to the gradient's norm %.3g (error at h = 1e-3: %.3g)", best, size, first)
			}
			// When the step h decreases from 1e-3 to 1e-4, the error decreases a hundredfold, unless the error is only
			// rounding.
			e4 := math.Abs((cost(1e-4)-cost(-1e-4))/(2e-4)-slope) / size
			if e4 > max(first/30, 1e-8) && c.lambda < 10 {
				t.Errorf("error of central differences falls from %.3g to %.3g for a tenth of the step; it should fall a hundredfold", first, e4)
			}
		})
	}
}

func TestCostGradient(t *testing.T) {
	for _, c := range gradientCases() {
		rng := rand.New(rand.NewPCG(7, uint64(c.iterations)))
		m := dist.NewMatrix[float64](c.n, c.m, nil)
		for i := range m.Data {
			m.Data[i] = rng.Float64() * 5
		}
		prob := &Problem[float64]{Cost: m, A: gradientWeights[float64](rng, c.n, c.zero), B: gradientWeights[float64](rng, c.m, c.zero), Lambda: c.lambda}
		set := Settings{Iterations: c.iterations, Domain: c.domain, Gradient: true}
		r := mustSolve(t, set, prob)
		g := dist.NewMatrix[float64](c.n, c.m, nil)
		if err := r.CostGradientTo(t.Context(), g, GradientUnrolled); err != nil {
			t.Fatal(err)
		}
		var size float64
		for _, v := range g.Data {
			size = max(size, math.Abs(v))
		}
		const h = 1e-5
		for k := range m.Data {
			old := m.Data[k]
			m.Data[k] = old + h
			up := mustSolve(t, set, prob).Cost
			m.Data[k] = old - h
			down := mustSolve(t, set, prob).Cost
			m.Data[k] = old
			if d := (up - down) / (2 * h); !(math.Abs(d-g.Data[k]) <= 2e-7*size*math.Max(1, c.lambda*c.lambda/100)) {
				t.Errorf("%s: ∂Cost/∂M at %d is %v, central difference %v", c.name, k, g.Data[k], d)
				break
			}
		}
	}
}

// TestDomainsAgree compares results of the plain domain and the log domain, in both float types.
func TestDomainsAgree(t *testing.T) {
	t.Run("float64", func(t *testing.T) { domainsAgree[float64](t, 1e-12) })
	t.Run("float32", func(t *testing.T) { domainsAgree[float32](t, 2e-5) })
}

func domainsAgree[T dist.Float](t *testing.T, tol float64) {
	for _, iterations := range []int{1, 3, 10} {
		rng := rand.New(rand.NewPCG(3, uint64(iterations)))
		x, y := cloud[T](rng, 40, 3, 0), cloud[T](rng, 33, 3, 0.5)
		prob := &Problem[T]{X: x, Y: y, A: gradientWeights[T](rng, 40, true), B: gradientWeights[T](rng, 33, true), Lambda: 0.4}
		var plan, dx, dy [2]dist.Matrix[T]
		for k, d := range []Domain{DomainPlain, DomainLog} {
			r := mustSolve(t, Settings{Iterations: iterations, Domain: d, Gradient: true}, prob)
			if r.Domain != d {
				t.Fatalf("domain %v, want %v", r.Domain, d)
			}
			plan[k], dx[k], dy[k] = dist.NewMatrix[T](40, 33, nil), dist.NewMatrix[T](40, 3, nil), dist.NewMatrix[T](33, 3, nil)
			r.PlanTo(t.Context(), plan[k], 0)
			if err := r.PointGradientTo(t.Context(), dx[k], dy[k], GradientUnrolled); err != nil {
				t.Fatal(err)
			}
		}
		for what, m := range map[string][2]dist.Matrix[T]{"plan": plan, "∂X": dx, "∂Y": dy} {
			if e := worstT(m[0], m[1]); !(e <= tol) {
				t.Errorf("L = %d: %s of plain and log domain differ by %.3g of the largest", iterations, what, e)
			}
		}
	}
}

func worstT[T dist.Float](got, want dist.Matrix[T]) float64 {
	var diff, size float64
	for i, w := range want.Data {
		d := math.Abs(float64(got.Data[i] - w))
		if !(d <= diff) {
			diff = d
		}
		size = max(size, math.Abs(float64(w)))
	}
	return diff / size
}

// TestFloat32Gradient compares the float32 gradient with the float64 gradient.
func TestFloat32Gradient(t *testing.T) {
	for _, lambda := range []float64{0.1, 1, 20} {
		rng := rand.New(rand.NewPCG(5, 5))
		x, y := cloud[float32](rng, 30, 4, 0), cloud[float32](rng, 25, 4, 0.3)
		x64, y64 := widen(x), widen(y)
		set := Settings{Iterations: 10, Gradient: true}
		r := mustSolve(t, set, &Problem[float32]{X: x, Y: y, Lambda: lambda})
		w := mustSolve(t, set, &Problem[float64]{X: x64, Y: y64, Lambda: lambda})
		dx, dy := dist.NewMatrix[float32](30, 4, nil), dist.NewMatrix[float32](25, 4, nil)
		wx, wy := widen(dx), widen(dy)
		if err := r.PointGradientTo(t.Context(), dx, dy, GradientUnrolled); err != nil {
			t.Fatal(err)
		}
		if err := w.PointGradientTo(t.Context(), wx, wy, GradientUnrolled); err != nil {
			t.Fatal(err)
		}
		tol := 1e-5 * math.Max(1, lambda*4)
		if e := math.Abs(r.Cost/w.Cost - 1); !(e <= tol) {
			t.Errorf("λ = %v: cost %v, in float64 %v", lambda, r.Cost, w.Cost)
		}
		if e := max(worstT(widen(dx), wx), worstT(widen(dy), wy)); !(e <= 10*tol) {
			t.Errorf("λ = %v (%v): gradient is off by %.3g of its largest", lambda, r.Domain, e)
		}
	}
}

func widen[T dist.Float](m dist.Matrix[T]) dist.Matrix[float64] {
	w := dist.NewMatrix[float64](m.Rows, m.Cols, nil)
	for i, v := range m.Data {
		w.Data[i] = float64(v)
	}
	return w
}
