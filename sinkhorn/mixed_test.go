package sinkhorn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/testdata"
)

// TestMixedIsRoundedKernel checks that StorageMixed only rounds K to float32. Plain float64 iterations with the rounded K must
// give the same plan up to float64 rounding.
func TestMixedIsRoundedKernel(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	for _, shape := range [][2]int{{1, 1}, {1, 9}, {40, 33}, {130, 257}} {
		n, m := shape[0], shape[1]
		x, y := cloud[float64](rng, n, 2, 0), cloud[float64](rng, m, 2, 0.5)
		a, b := gradientWeights[float64](rng, n, n > 1), gradientWeights[float64](rng, m, m > 1)
		const lambda, iterations = 0.7, 7
		p := &Problem[float64]{X: x, Y: y, A: a, B: b, Lambda: lambda}
		r := mustSolve(t, Settings{Iterations: iterations, Domain: DomainPlain, Storage: StorageMixed, Gradient: true}, p)
		got, cost, want := dist.NewMatrix[float64](n, m, nil), dist.NewMatrix[float64](n, m, nil), dist.NewMatrix[float64](n, m, nil)
		r.PlanTo(t.Context(), got, 0)
		dist.SqEuclidean(cost, x, y)
		u, v := make([]float64, n), make([]float64, m)
		for i := range u {
			u[i] = 1
		}
		k := func(i, j int) float64 { return float64(float32(math.Exp(-lambda * cost.At(i, j)))) }
		for range iterations {
			for j := range v {
				var sum float64
				for i := range u {
					sum += k(i, j) * u[i]
				}
				v[j] = b[j] / sum
			}
			for i := range u {
				var sum float64
				for j := range v {
					sum += k(i, j) * v[j]
				}
				u[i] = a[i] / sum
			}
		}
		var total float64
		off := 0
		for i := range u {
			for j := range v {
				want.Set(i, j, u[i]*k(i, j)*v[j])
				total += want.At(i, j) * cost.At(i, j)
				if math.Abs(got.At(i, j)-want.At(i, j)) > 1e-13*want.At(i, j) {
					off++ // math.Exp and exp.Exp may round differently
				}
			}
		}
		if e := maxDifference(got, want); off > n*m/1000 || e > 1e-7 {
			t.Errorf("%d×%d: %d elements of the plan are off, the worst by %.3g of the largest", n, m, off, e)
		}
		if e := math.Abs(r.Cost/total - 1); !(e <= 1e-9) {
			t.Errorf("%d×%d: cost %v, want %v (%.3g)", n, m, r.Cost, total, e)
		}
	}
}

// TestGoldenMixed checks the documented accuracy of StorageMixed for the plans of the fixtures, in both domains.
func TestGoldenMixed(t *testing.T) {
	var worstPlan, worstCost float64
	for _, name := range otCases {
		c := loadOT(t, name)
		p := &Problem[float64]{Cost: c.matrix(t, "M"), A: c.matrix(t, "a").Data, B: c.matrix(t, "b").Data, Lambda: c.meta.Lam}
		for _, iterations := range []int{1, 2, 10, 100} {
			for _, domain := range []Domain{DomainAuto, DomainLog} {
				r := mustSolve(t, Settings{Iterations: iterations, Domain: domain, Storage: StorageMixed}, p)
				got := dist.NewMatrix[float64](c.meta.N, c.meta.M, nil)
				r.PlanTo(t.Context(), got, 0)
				plan, cost := maxDifference(got, c.matrix(t, "T_"+strconv.Itoa(iterations))), math.Abs(r.Cost/c.meta.Cost[iterations]-1)
				worstPlan, worstCost = max(worstPlan, plan), max(worstCost, cost)
				if !(plan <= 2e-7 && cost <= 1e-7) {
					t.Errorf("%s, %d iterations, %v (%v): plan is off by %.3g of its largest entry, cost by %.3g", name, iterations, domain, r.Domain, plan, cost)
				}
			}
		}
		r := mustSolve(t, Settings{Tolerance: 1e-12, Iterations: 200000, Anneal: 4, Storage: StorageMixed}, p)
		got := dist.NewMatrix[float64](c.meta.N, c.meta.M, nil)
		r.PlanTo(t.Context(), got, 0)
		plan, cost := maxDifference(got, c.matrix(t, "T_conv")), math.Abs(r.Cost/c.meta.Conv-1)
		t.Logf("%s: converged: plan %.3g, cost %.3g; marginal error %.3g", name, plan, cost, r.MarginalError)
		if !(r.Status == StatusConverged && r.MarginalError <= 1e-12 && plan <= 1e-6 && cost <= 1e-6) {
			t.Errorf("%s: %v: plan is off by %.3g of its largest entry, cost by %.3g, marginal by %.3g", name, r.Status, plan, cost, r.MarginalError)
		}
	}
	t.Logf("worst of exact iterates: plan %.3g, cost %.3g", worstPlan, worstCost)
}

// TestMixedGradients compares gradients of StorageMixed with gradients of StorageDense. The cases cover both domains, several
// segments of the reverse pass, zero weights, two identical point clouds, and implicit gradients at convergence.
func TestMixedGradients(t *testing.T) {
	worstOf := map[string]float64{}
	for _, c := range gradientCases() {
		rng := rand.New(rand.NewPCG(uint64(c.iterations), uint64(c.n)))
		x, y := cloud[float64](rng, c.n, c.p, 0), cloud[float64](rng, c.m, c.p, 0.7)
		if c.shared {
			y = x
		}
		p := &Problem[float64]{X: x, Y: y, A: gradientWeights[float64](rng, c.n, c.zero), B: gradientWeights[float64](rng, c.m, c.zero), Lambda: c.lambda}
		type gradients struct{ dx, dy, dm dist.Matrix[float64] }
		var got [2]gradients
		for k, storage := range []Storage{StorageDense, StorageMixed} {
			g := gradients{dist.NewMatrix[float64](c.n, c.p, nil), dist.NewMatrix[float64](c.m, c.p, nil), dist.NewMatrix[float64](c.n, c.m, nil)}
			r := mustSolve(t, Settings{Iterations: c.iterations, Domain: c.domain, Gradient: true, Storage: storage}, p)
			if err := errors.Join(r.PointGradientTo(t.Context(), g.dx, g.dy, GradientUnrolled), r.CostGradientTo(t.Context(), g.dm, GradientUnrolled)); err != nil {
				t.Fatal(err)
			}
			got[k] = g
		}
		// The tolerance is relative to λ·cost, because terms of this order cancel in the gradient.
		var largest float64
		cost := dist.NewMatrix[float64](c.n, c.m, nil)
		dist.SqEuclidean(cost, x, y)
		for _, v := range cost.Data {
			largest = max(largest, v)
		}
		unit := 1 + c.lambda*largest
		for what, m := range map[string][2]dist.Matrix[float64]{"∂X": {got[1].dx, got[0].dx}, "∂Y": {got[1].dy, got[0].dy}, "∂M": {got[1].dm, got[0].dm}} {
			e := maxDifference(m[0], m[1]) / unit
			worstOf[what] = max(worstOf[what], e)
			if !(e <= 2e-7) {
				t.Errorf("%s: %s is off by %.3g (1 + λ·max M) of its largest", c.name, what, e)
			}
		}
	}
	for _, lambda := range []float64{0.05, 0.5, 2} {
		for _, domain := range []Domain{DomainPlain, DomainLog} {
			rng := rand.New(rand.NewPCG(14, 21))
			p := &Problem[float64]{X: cloud[float64](rng, 14, 3, 0), Y: cloud[float64](rng, 11, 3, 0.4), A: gradientWeights[float64](rng, 14, true), Lambda: lambda}
			var dx, dy, rx, ry [2]dist.Matrix[float64]
			for k, storage := range []Storage{StorageDense, StorageMixed} {
				for _, m := range []*dist.Matrix[float64]{&dx[k], &rx[k]} {
					*m = dist.NewMatrix[float64](14, 3, nil)
				}
				for _, m := range []*dist.Matrix[float64]{&dy[k], &ry[k]} {
					*m = dist.NewMatrix[float64](11, 3, nil)
				}
				r := mustSolve(t, Settings{Iterations: 3000, Tolerance: 1e-12, Domain: domain, Storage: storage}, p)
				if r.Status != StatusConverged {
					t.Errorf("λ = %v, %v, %v: %v, marginal error %v", lambda, domain, storage, r.Status, r.MarginalError)
				}
				if err := errors.Join(r.PointGradientTo(t.Context(), rx[k], ry[k], GradientFrozen), r.PointGradientTo(t.Context(), dx[k], dy[k], GradientImplicit)); err != nil {
					t.Fatal(err)
				}
			}
			for what, m := range map[string][2]dist.Matrix[float64]{"implicit ∂X": {dx[1], dx[0]}, "implicit ∂Y": {dy[1], dy[0]}, "regularized ∂X": {rx[1], rx[0]}, "regularized ∂Y": {ry[1], ry[0]}} {
				e := maxDifference(m[0], m[1])
				worstOf[what] = max(worstOf[what], e)
				if !(e <= 5e-6) {
					t.Errorf("λ = %v, %v: %s is off by %.3g of its largest", lambda, domain, what, e)
				}
			}
		}
	}
	t.Logf("%v", worstOf)
}

// TestMixedBits checks that results of StorageMixed have the same bits for any number of workers, for every instruction set,
// and in batches. In float32, the results must be bit-identical to results of StorageDense.
func TestMixedBits(t *testing.T) {
	shapes := [][3]int{{1, 1, 1}, {1, 40, 2}, {40, 1, 2}, {25, 31, 3}, {90, 77, 70}, {801, 703, 2}, {9000, 61, 1}}
	if !testdata.IsLong() {
		shapes = shapes[:5]
	}
	for _, shape := range shapes {
		n, m, d := shape[0], shape[1], shape[2]
		rng := rand.New(rand.NewPCG(uint64(n), uint64(m)))
		p := &Problem[float64]{X: cloud[float64](rng, n, d, 0), Y: cloud[float64](rng, m, d, 0.5), A: gradientWeights[float64](rng, n, n > 1), B: gradientWeights[float64](rng, m, m > 1)}
		for _, lambda := range []float64{0.3, 30} {
			for _, domain := range []Domain{DomainAuto, DomainLog} {
				p.Lambda = lambda / float64(d)
				set := Settings{Iterations: 4, Domain: domain, Gradient: true, Storage: StorageMixed, Workers: 1}
				want := allResults(t, set, p)
				for _, workers := range []int{2, 5} {
					if n*m > 1<<19 && (workers == 2) == (domain == DomainAuto) {
						continue // too slow here
					}
					set.Workers = workers
					sameBits(t, fmt.Sprintf("%d×%d, d = %d, λ = %v, %v, %d workers", n, m, d, lambda, domain, workers), allResults(t, set, p), want)
				}
				if n*m < 10000 {
					asmtest.At(t, asm.Ref, func() {
						sameBits(t, fmt.Sprintf("%d×%d, d = %d, λ = %v, %v, ref", n, m, d, lambda, domain), allResults(t, set, p), want)
					})
				}
			}
		}
	}

	ps := batchProblems[float64](60)
	one, err := NewSolver[float64](&Settings{Storage: StorageMixed})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, len(ps))
	for i := range ps {
		r, err := one.Solve(t.Context(), &ps[i])
		if err != nil {
			t.Fatal(err)
		}
		want[i] = r.Cost
	}
	many, err := NewSolver[float64](&Settings{Storage: StorageMixed, Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	if err := many.SolveBatch(t.Context(), ps, func(i int, r *Result[float64], err error) {
		if err != nil || r.Cost != want[i] {
			t.Errorf("problem %d of a batch: %v, want cost %v", i, err, want[i])
		}
	}); err != nil {
		t.Fatal(err)
	}

	rng := rand.New(rand.NewPCG(9, 9))
	p := &Problem[float32]{X: cloud[float32](rng, 30, 3, 0), Y: cloud[float32](rng, 20, 3, 0.5), Lambda: 0.4}
	set := Settings{Gradient: true, Storage: StorageDense}
	stored := allResults(t, set, p)
	set.Storage = StorageMixed
	sameBits(t, "float32", allResults(t, set, p), stored)
}

// TestMixedWeights checks that weights are rejected if they or their reciprocals do not fit float32, and that the
// nearest valid weights are accepted.
func TestMixedWeights(t *testing.T) {
	x := dist.NewMatrix(2, 1, []float64{0, 1})
	for _, c := range []struct {
		w    []float64
		want error
	}{
		{[]float64{1e30, 1e38}, nil}, {[]float64{1e-20, 1e-24}, nil}, {[]float64{1, 1e-24}, nil},
		{[]float64{1, 1e-30}, ErrMarginals}, {[]float64{1, 1e39}, ErrMarginals},
	} {
		for _, domain := range []Domain{DomainAuto, DomainLog} {
			s, err := NewSolver[float64](&Settings{Storage: StorageMixed, Domain: domain})
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Solve(t.Context(), &Problem[float64]{X: x, Y: x, A: c.w, B: c.w, Lambda: 3})
			if !errors.Is(err, c.want) {
				t.Errorf("weights %v: %v, want %v", c.w, err, c.want)
			}
			if err != nil {
				continue
			}
			want := mustSolve(t, Settings{Storage: StorageDense}, &Problem[float64]{X: x, Y: x, A: c.w, B: c.w, Lambda: 3})
			plan, wantPlan := dist.NewMatrix[float64](2, 2, nil), dist.NewMatrix[float64](2, 2, nil)
			r.PlanTo(t.Context(), plan, 0)
			want.PlanTo(t.Context(), wantPlan, 0)
			for k, w := range wantPlan.Data {
				if e := math.Abs(plan.Data[k] - w); !(e <= 2e-7*w+0x1p-126) {
					t.Errorf("weights %v, %v: plan %v, stored %v", c.w, domain, plan.Data, wantPlan.Data)
					break
				}
			}
		}
	}
}
