package sinkhorn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
)

// optimality returns the largest error in the optimality conditions with penalties,
//
//	log T_ij/(a_i b_j) + λM_ij + λρ_a log((T1)_i/a_i) + λρ_b log((Tᵀ1)_j/b_j) = 0.
//
// If a marginal is exact, the conditions hold up to a constant in each row or column. Then optimality compares differences
// within a row or column, and also checks the exact marginal.
func optimality[T dist.Float](p *Problem[T], plan dist.Matrix[T]) (worst float64) {
	n, m := plan.Rows, plan.Cols
	rows, columns := make([]float64, n), make([]float64, m)
	for i := range n {
		for j, x := range plan.Row(i) {
			rows[i] += float64(x)
			columns[j] += float64(x)
		}
	}
	scale := 1 + p.Lambda*(p.PenaltyA+p.PenaltyB) + p.Lambda
	rest := func(i, j int) float64 {
		x := math.Log(float64(plan.At(i, j))/float64(p.A[i])/float64(p.B[j])) + p.Lambda*float64(p.Cost.At(i, j))
		if p.PenaltyA > 0 {
			x += p.Lambda * p.PenaltyA * math.Log(rows[i]/float64(p.A[i]))
		}
		if p.PenaltyB > 0 {
			x += p.Lambda * p.PenaltyB * math.Log(columns[j]/float64(p.B[j]))
		}
		return x
	}
	for i := range n {
		for j := range m {
			var x float64
			switch {
			case p.PenaltyA > 0 && p.PenaltyB > 0:
				x = rest(i, j)
			case p.PenaltyA > 0: // the term of column j is unknown and cancels
				x = rest(i, j) - rest(0, j)
			default:
				x = rest(i, j) - rest(i, 0)
			}
			worst = max(worst, math.Abs(x)/scale)
		}
	}
	switch {
	case p.PenaltyA == 0:
		for i, a := range p.A {
			worst = max(worst, math.Abs(rows[i]-float64(a))/float64(a))
		}
	case p.PenaltyB == 0:
		var e, mass float64
		for j, b := range p.B {
			e += math.Abs(columns[j] - float64(b))
			mass += float64(b)
		}
		worst = max(worst, e/mass)
	}
	return worst
}

// TestUnequalMasses checks that problems with penalties up to 10⁵ converge for any sums of a and b, and that the plan satisfies
// the optimality conditions. Plain iterations would take about 10⁴ passes, because log u and log v must change by about 10⁴ and
// a pass changes them by about 1. The solver therefore shifts log u and log v by constants (unequal.go).
func TestUnequalMasses(t *testing.T) {
	t.Run("float64", unequalMasses[float64])
	t.Run("float32", unequalMasses[float32])
}

func unequalMasses[T dist.Float](t *testing.T) {
	tolerance, limit := 1e-11, 1e-9
	if _, single := any(T(0)).(float32); single {
		tolerance, limit = 2e-5, 1e-3
	}
	solve := func(what string, set Settings, p *Problem[T]) *Result[T] {
		r := mustSolve(t, set, p)
		plan := dist.NewMatrix[T](p.Cost.Rows, p.Cost.Cols, nil)
		if err := r.PlanTo(t.Context(), plan, 0); err != nil {
			t.Fatal(err)
		}
		if e := optimality(p, plan); r.Status != StatusConverged || !(e <= limit) {
			t.Errorf("%s, %+v: %v after %d passes, marginal error %.2g, off by %.3g", what, set, r.Status, r.Iterations, r.MarginalError, e)
		}
		return r
	}
	// A 1 × 1 problem has the solution T = a b e^−λM (a/T)^λρ (b/T)^λρ. If only b has a penalty, T = a.
	one := &Problem[T]{Cost: dist.NewMatrix(1, 1, []T{1}), A: []T{1}, B: []T{2}, Lambda: 1, PenaltyA: 1e5, PenaltyB: 1e5}
	r := solve("1 × 1", Settings{Tolerance: tolerance}, one)
	if want := math.Exp((math.Log(2)*(1+1e5) - 1) / (1 + 2e5)); !(math.Abs(r.Cost/want-1) < limit) || r.Iterations > 20 {
		t.Errorf("1 × 1: cost %v after %d passes, want %v", r.Cost, r.Iterations, want)
	}
	one.PenaltyA = 0
	if r := solve("1 × 1, one penalty", Settings{Tolerance: tolerance}, one); !(math.Abs(r.Cost-1) < limit) || r.Iterations > 20 {
		t.Errorf("1 × 1, one penalty: cost %v after %d passes, want 1", r.Cost, r.Iterations)
	}

	rng := rand.New(rand.NewPCG(27, 3))
	for i := range 60 {
		n, m := 1+rng.IntN(20), 1+rng.IntN(20)
		p := &Problem[T]{Cost: dist.NewMatrix[T](n, m, nil), A: make([]T, n), B: make([]T, m), Lambda: math.Pow(10, 2*rng.Float64()-1)}
		for k := range p.Cost.Data {
			p.Cost.Data[k] = T(rng.Float64())
		}
		heavier := math.Pow(10, 6*rng.Float64()-3)
		for k := range p.A {
			p.A[k] = T(0.1 + rng.Float64())
		}
		for k := range p.B {
			p.B[k] = T((0.1 + rng.Float64()) * heavier)
		}
		rho := []float64{0, math.Pow(10, 4*rng.Float64()+1), math.Pow(10, 8*rng.Float64()-3), 1e5}
		p.PenaltyA, p.PenaltyB = rho[i%3], rho[1+i%2]
		if i%4 == 0 {
			p.PenaltyA, p.PenaltyB = p.PenaltyB, p.PenaltyA
		}
		if i%10 == 9 {
			p.PenaltyA, p.PenaltyB = 1e5, rho[3*rng.IntN(2)]
		}
		what := fmt.Sprintf("problem %d, %d×%d, λ = %.3g, ρ = %.3g and %.3g, masses 1 : %.3g", i, n, m, p.Lambda, p.PenaltyA, p.PenaltyB, heavier)
		sets := []Settings{{Tolerance: tolerance}, {Tolerance: tolerance, Domain: DomainLog}, {Tolerance: tolerance, Unaccelerated: true}, {Tolerance: tolerance, Anneal: 4}}
		for _, set := range sets {
			r = solve(what, set, p)
		}
		f, g := make([]T, n), make([]T, m)
		if err := r.PotentialsTo(f, g); err != nil {
			t.Fatal(err)
		}
		cost := r.Cost
		p.Start = f
		if r := solve(what+", from its potentials", sets[0], p); r.Iterations > 40 || !(math.Abs(r.Cost-cost) <= limit*cost) {
			t.Errorf("%s, from its potentials: cost %v after %d passes, want %v", what, r.Cost, r.Iterations, cost)
		}
	}
}

// TestUnequalMassGradients checks the gradients with respect to the costs and the weights. The sums of the
// weights differ and the penalties are large, so the shift between the potentials (see unequal.go) is large.
func TestUnequalMassGradients(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 4))
	for _, rho := range [][2]float64{{300, 300}, {1000, 20}, {0, 500}} {
		p := &Problem[float64]{Cost: dist.NewMatrix[float64](6, 5, nil), A: gradientWeights[float64](rng, 6, false), B: gradientWeights[float64](rng, 5, false), Lambda: 8, PenaltyA: rho[0], PenaltyB: rho[1]}
		for k := range p.Cost.Data {
			p.Cost.Data[k] = rng.Float64()
		}
		for k := range p.B {
			p.B[k] *= 3
		}
		set := Settings{Tolerance: 1e-13}
		r := mustSolve(t, set, p)
		da, db, dm := make([]float64, 6), make([]float64, 5), dist.NewMatrix[float64](6, 5, nil)
		if err := r.PotentialsTo(da, db); err != nil {
			t.Fatal(err)
		}
		for mode, want := range map[GradientMode]func() float64{
			GradientImplicit: func() float64 { return mustSolve(t, set, p).Cost },
			GradientFrozen:   func() float64 { return regularized(t, mustSolve(t, set, p)) },
		} {
			if err := mustSolve(t, set, p).CostGradientTo(t.Context(), dm, mode); err != nil {
				t.Fatal(err)
			}
			if got, want := slopes(rng, p.Cost.Data, dm.Data, want); !(math.Abs(got-want) <= 1e-5*(1+math.Abs(want))) {
				t.Errorf("ρ = %v, %v: derivative along M is %v, differences give %v", rho, mode, want, got)
			}
		}
		var sumA, sumB float64
		for _, a := range p.A {
			sumA += a
		}
		for _, b := range p.B {
			sumB += b
		}
		weightGradientPenalized(da, p.A, sumB, rho[0], p.Lambda)
		weightGradientPenalized(db, p.B, sumA, rho[1], p.Lambda)
		for _, g := range []struct {
			name    string
			x, grad []float64
		}{{"A", p.A, da}, {"B", p.B, db}} {
			got, want := slopes(rng, g.x, g.grad, func() float64 { return regularized(t, mustSolve(t, set, p)) })
			if !(math.Abs(got-want) <= 1e-5*(1+math.Abs(want))) {
				t.Errorf("ρ = %v: derivative along %s is %v, differences give %v", rho, g.name, want, got)
			}
		}
	}
}

// weightGradientPenalized replaces the potentials f by the gradient with respect to the weights a. PotentialsTo documents the
// formula. otherSum is the sum of the weights of the other side.
func weightGradientPenalized(f, a []float64, otherSum, rho, lambda float64) {
	for i := range f {
		phi := f[i] - math.Log(a[i])
		if f[i] = (phi + otherSum - 1) / lambda; rho > 0 {
			share := math.Exp(-phi / (rho * lambda))
			f[i] = (otherSum-share)/lambda + rho*(1-share)
		}
	}
}

// TestLittleMoved checks problems with points so far apart that almost no mass is transported. The tolerance must be relative to
// the transported mass.
func TestLittleMoved(t *testing.T) {
	for _, far := range []float64{10, 30, 100, 300} {
		for _, penalties := range [][2]float64{{1, 1}, {1, 0.5}} {
			p := &Problem[float64]{Cost: dist.NewMatrix(2, 2, []float64{far, far + 1, far + 0.5, far}), Lambda: 1, PenaltyA: penalties[0], PenaltyB: penalties[1]}
			for _, domain := range []Domain{DomainAuto, DomainLog} {
				_, want := planOf(t, Settings{Tolerance: 1e-14, Domain: domain}, p)
				r, got := planOf(t, Settings{Tolerance: 1e-6, Domain: domain, Unaccelerated: true}, p)
				for k, x := range got.Data {
					if e := math.Abs(x/want.Data[k] - 1); r.Status != StatusConverged || !(e < 1e-5) {
						t.Errorf("costs of %v, penalties %v, %v: %v, a relative error of %.3g", far, penalties, domain, r.Status, e)
					}
				}
			}
		}
	}
}
