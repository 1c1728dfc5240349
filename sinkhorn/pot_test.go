package sinkhorn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/simplex"
)

// The tests in this file check properties that POT tests and that no other test of this package checks. The table lists the
// counterpart of each test of POT 0.9.7 (commit aed0120):
//
//	test_bregman.py
//	  sinkhorn, sinkhorn_backends, sinkhorn2_backends, sinkhorn_empty, sinkhorn_variants,
//	    sinkhorn_variants_log, empirical_sinkhorn, lazy_empirical_sinkhorn      TestPOTVariants
//	  sinkhorn_variants_dtype_device, sinkhorn2_variants_dtype_device          TestGoldenFloat32
//	  sinkhorn_multi_b, sinkhorn_variants_multi_b, sinkhorn2_variants_multi_b,
//	    sinkhorn_variants_log_multib, stabilized_vs_sinkhorn_multidim           TestTogether, TestSolveBatch
//	  convergence_warning                                                      TestPOTEnds
//	  nan_warning (a reg of 0), not_implemented_method                         TestErrors
//	  sinkhorn_stabilization                                                   TestPOTLine
//	  sinkhorn2_gradients                                                      TestCostGradient, TestImplicitGradient
//	  sinkhorn_warmstart, empirical_sinkhorn_warmstart                         TestPOTExactStart
//	  empirical_sinkhorn_divergence, …_gradient, …_warmstart                   TestPOTDivergence, TestDivergence
//	unbalanced/test_sinkhorn.py
//	  unbalanced_convergence, sinkhorn_unbalanced2                             TestPOTUnbalanced, TestUnequalGolden
//	  unbalanced_marginals, unbalanced_warmstart, stabilized_vs_sinkhorn       TestPOTUnbalancedVariants
//	  unbalanced_relaxation_parameters, …_pair                                 TestPOTUnbalanced (0 is +Inf), TestUnequalBalanced
//	  unbalanced_multiple_inputs                                               TestPOTUnbalancedVariants (a batch), TestUnequalBatch
//	test_partial.py
//	  raise_errors, entropic_…_input_validation                                TestPOTEnds
//	  entropic_…_matches_old_at_large_reg, …_method_sinkhorn_log_matches       TestPOTVariants (partial)
//	  entropic_…_no_nan_at_small_reg                                           TestPartialNewton
//	  entropic_…_approaches_exact_at_small_reg                                 TestPOTPartial
//	  entropic_…_gradient                                                      TestUnequalCostGradients
//	test_dr.py
//	  wda, wda_low_reg, wda_normalized     TestGoldenFits and TestGoldenObjective of package wda: fits of POT and its J
//	  fda                                  TestFDAIsScikitLearns of package baseline
//
// Tests of the following have no counterpart, because this package does not support it:
//
//	barycenters, unmixing, convolutions, screenkhorn, greenkhorn, geomloss
//	metrics other than squared distances, except as a cost matrix
//	reference measures and divergences other than KL from a⊗b (reference_measure, reg_type, returnCost, test_mm.py, test_lbfgs.py)
//	transport on lines and slices (test_1d_solver.py, test_sliced.py)
//	partial and Gromov transport without entropy, other back ends, projection robust Wasserstein and EWCA

// planOf returns the result and the plan of a solve.
func planOf(t *testing.T, set Settings, p *Problem[float64]) (r *Result[float64], plan dist.Matrix[float64]) {
	t.Helper()
	r = mustSolve(t, set, p)
	n, m := p.Cost.Rows, p.Cost.Cols
	if p.Cost.IsEmpty() {
		n, m = p.X.Rows, p.Y.Rows
	}
	plan = dist.NewMatrix[float64](n, m, nil)
	if err := r.PlanTo(t.Context(), plan, 0); err != nil {
		t.Fatal(err)
	}
	return r, plan
}

// TestPOTVariants checks that a problem has the same plan in every domain, with stored and computed costs, and with and
// without ε-scaling and Newton's method. The test passes points or distances, and omits or passes the uniform weights. One
// solve starts from the solution.
func TestPOTVariants(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	const n, m = 40, 30
	x, y := cloud[float64](rng, n, 2, 0), cloud[float64](rng, m, 2, 0.3)
	cost := dist.NewMatrix[float64](n, m, nil)
	dist.SqEuclidean(cost, x, y)
	a, b := make([]float64, n), make([]float64, m)
	for i := range a {
		a[i] = 1. / n
	}
	for j := range b {
		b[j] = 1. / m
	}
	for name, less := range map[string]Problem[float64]{"balanced": {}, "penalties": {PenaltyA: 2, PenaltyB: 3}, "one penalty": {PenaltyB: 0.5}, "partial": {Mass: 0.7}} {
		problem := func(points, explicit bool) *Problem[float64] {
			p := less
			p.Lambda = 3
			if p.Cost = cost; points {
				p.Cost, p.X, p.Y = dist.Matrix[float64]{}, x, y
			}
			if explicit {
				p.A, p.B = a, b
			}
			return &p
		}
		set := Settings{Tolerance: 1e-11, Iterations: 100000}
		first, want := planOf(t, set, problem(false, false))
		f, g := make([]float64, n), make([]float64, m)
		if err := first.PotentialsTo(f, g); err != nil {
			t.Fatal(err)
		}
		cold := first.Iterations
		for i, set := range []Settings{set, {Domain: DomainPlain}, {Domain: DomainLog}, {Anneal: 4}, {Unaccelerated: true}, {Storage: StorageMatrixFree}} {
			set.Tolerance, set.Iterations = 1e-11, 100000
			r, got := planOf(t, set, problem(i%2 == 0, i%3 == 0))
			if e := maxDifference(got, want); r.Status != StatusConverged || !(e < 1e-8) {
				t.Errorf("%s, variant %d: %v, the plan is off by %.3g", name, i, r.Status, e)
			}
		}
		again := problem(true, false)
		again.Start = f
		r, got := planOf(t, set, again)
		if e := maxDifference(got, want); r.Iterations > max(3, cold/4) || !(e < 1e-8) {
			t.Errorf("%s: %d passes from the solution, %d from nothing, the plan is off by %.3g", name, r.Iterations, cold, e)
		}
	}
}

// TestPOTPartial checks partial transport. The row and column sums must not exceed the weights, and the mass must be the
// requested mass, even if all of the mass moves. For λ → ∞, the cost must approach the cost of the best assignment.
func TestPOTPartial(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 2))
	const n = 7
	p := &Problem[float64]{Cost: dist.NewMatrix[float64](n, n, nil)}
	for k := range p.Cost.Data {
		p.Cost.Data[k] = rng.Float64()
	}
	for k := 1; k <= n; k++ {
		p.Mass = float64(k) / n
		exact := bestOf(p.Cost, k, 0, 0) / n
		for _, lambda := range []float64{1, 1e2, 1e4} {
			p.Lambda = lambda
			r, plan := planOf(t, Settings{Tolerance: 1e-10}, p)
			columns, mass := make([]float64, n), 0.
			for i := range n {
				row := 0.
				for j, x := range plan.Row(i) {
					row += x
					columns[j] += x
				}
				mass += row
				if !(row <= 1./n+1e-12) {
					t.Errorf("%d points, λ = %v: row %d has the sum %v", k, lambda, i, row)
				}
			}
			if top := slices.Max(columns); r.Status != StatusConverged || !(math.Abs(mass-p.Mass) < 1e-9) || !(top <= 1./n+1e-9) {
				t.Errorf("%d points, λ = %v: %v, a mass of %v, column sums up to %v", k, lambda, r.Status, mass, top)
			}
			// The cost exceeds the least cost by at most log(n²)/λ, because the mass is at most 1.
			if over := r.Cost - exact; !(over >= -1e-9) || !(over <= 2*math.Log(n)/lambda) {
				t.Errorf("%d points, λ = %v: the cost is %v, that of the best assignment %v", k, lambda, r.Cost, exact)
			}
		}
	}
}

// bestOf returns the minimum cost of assigning k of the rows i, i+1, … to columns. used is a bit set of
// the columns that are already assigned.
func bestOf(cost dist.Matrix[float64], k, i, used int) float64 {
	switch {
	case k == 0:
		return 0
	case k > cost.Rows-i:
		return math.Inf(1)
	}
	best := bestOf(cost, k, i+1, used)
	for j, c := range cost.Row(i) {
		if used>>j&1 == 0 {
			best = min(best, c+bestOf(cost, k-1, i+1, used|1<<j))
		}
	}
	return best
}

// TestPOTEnds checks the result of a solve whose iteration limit is too low, for every kind of problem and both domains. A mass
// that is negative or exceeds the total mass must cause an error.
func TestPOTEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 3))
	x, y := cloud[float64](rng, 30, 2, 0), cloud[float64](rng, 30, 2, 3)
	for _, p := range []Problem[float64]{{}, {PenaltyA: 1, PenaltyB: 1}, {PenaltyA: 1}, {Mass: 0.5}} {
		for _, domain := range []Domain{DomainAuto, DomainLog} {
			p.X, p.Y, p.Lambda = x, y, 1e3
			r, plan := planOf(t, Settings{Tolerance: 1e-12, Iterations: 2, Domain: domain}, &p)
			if r.Status != StatusIterationLimit || r.Iterations != 2 || !(r.MarginalError > 1e-12) || math.IsNaN(r.Cost) || slices.ContainsFunc(plan.Data, math.IsNaN) {
				t.Errorf("%v: %v after %d passes, error %v, cost %v", domain, r.Status, r.Iterations, r.MarginalError, r.Cost)
			}
		}
	}
	s, err := NewSolver[float64](nil)
	if err != nil {
		t.Fatal(err)
	}
	for mass, want := range map[float64]error{2: ErrMarginals, -1: ErrSettings} {
		if _, err := s.Solve(t.Context(), &Problem[float64]{X: x, Y: y, Lambda: 1, Mass: mass}); !errors.Is(err, want) {
			t.Error(fmt.Sprintf("mass %v:", mass), err)
		}
	}
}

// TestPOTUnbalanced checks problems with unequal masses. A further update of u or v must not change the scalings of the
// solution, and an infinite penalty must give an exact marginal.
func TestPOTUnbalanced(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 4))
	const n = 30
	x := cloud[float64](rng, n, 2, 0)
	a, b, cost := make([]float64, n), make([]float64, n), dist.NewMatrix[float64](n, n, nil)
	dist.SqEuclidean(cost, x, x)
	for i := range a {
		a[i], b[i] = 1./n, 1.5/n
	}
	set := Settings{Tolerance: 1e-11}
	inf := math.Inf(1)
	for _, penalties := range [][2]float64{{1, 1}, {1, inf}, {inf, 1}} {
		p := &Problem[float64]{Cost: cost, A: a, B: b, Lambda: 1, PenaltyA: penalties[0], PenaltyB: penalties[1]}
		r, plan := planOf(t, set, p)
		f, g := make([]float64, n), make([]float64, n)
		if err := r.PotentialsTo(f, g); err != nil {
			t.Fatal(err)
		}
		for side, x := range [2][]float64{f, g} {
			weights, other, share := [2][]float64{a, b}[side], [2][]float64{g, f}[side], 0.5
			if math.IsInf(penalties[side], 1) {
				share = 1
			}
			for i := range n {
				sum := 0.
				for j := range n {
					sum += math.Exp(other[j] - cost.At(i, j)) // both sides use this formula, because cost is symmetric
				}
				// The scaling exp(x_i) must be (w_i/sum)^share · w_i^(1 − share). The exponent share is 1 if the marginal is exact.
				if want := share*math.Log(weights[i]/sum) + (1-share)*math.Log(weights[i]); r.Status != StatusConverged || !(math.Abs(x[i]-want) < 1e-9) {
					t.Fatalf("penalties %v, side %d, point %d: %v, the potential %v, want %v", penalties, side, i, r.Status, x[i], want)
				}
			}
		}
		for k := range penalties {
			if math.IsInf(penalties[k], 1) {
				*[2]*float64{&p.PenaltyA, &p.PenaltyB}[k] = 0
			}
		}
		if _, same := planOf(t, set, p); maxDifference(same, plan) != 0 {
			t.Errorf("penalties %v: 0 gives another plan than +Inf", penalties)
		}
	}
}

// TestPOTUnbalancedVariants checks that problems with penalties have the same plan in each domain, by each method, with default
// or explicit weights, and in a batch. The start must not change the plan.
func TestPOTUnbalancedVariants(t *testing.T) {
	const n = 40
	bell := func(mean, deviation float64) []float64 {
		w, sum := make([]float64, n), 0.
		for i := range w {
			w[i] = math.Exp(-0.5 * math.Pow((float64(i)-mean)/deviation, 2))
			sum += w[i]
		}
		for i := range w {
			w[i] /= sum
		}
		return w
	}
	cost := dist.NewMatrix[float64](n, n, nil)
	for i := range n {
		for j := range n {
			cost.Row(i)[j] = float64((i-j)*(i-j)) / 100
		}
	}
	var problems []Problem[float64]
	for i, rho := range [][2]float64{{1, 1}, {0, 1}, {1, 0}, {0.1, 10}} {
		problems = append(problems, Problem[float64]{Cost: cost, A: bell(8, 3), B: bell([]float64{24, 12}[i%2], 3), Lambda: 1, PenaltyA: rho[0], PenaltyB: rho[1]})
	}
	uniform := weightsOf(rand.New(rand.NewPCG(1, 1)), n, uniformWeights)
	problems = append(problems, Problem[float64]{Cost: cost, Lambda: 3, PenaltyA: 1, PenaltyB: 1})
	plans := make([]dist.Matrix[float64], len(problems))
	for i := range problems {
		p := problems[i]
		_, plans[i] = planOf(t, Settings{Tolerance: 1e-12}, &p)
		if p.A == nil {
			p.A, p.B = uniform, uniform
		}
		var x simplex.Solver[float64]
		if err := x.Solve(t.Context(), &simplex.Problem[float64]{Costs: cost, A: p.A, B: p.B}); err != nil {
			t.Fatal(err)
		}
		for k, start := range [][]float64{nil, make([]float64, n), x.F} {
			p.Start = start
			for _, set := range []Settings{{}, {Domain: DomainPlain}, {Domain: DomainLog}, {Anneal: 4}, {Unaccelerated: true, Iterations: 100000}} {
				set.Tolerance = 1e-12
				if r, got := planOf(t, set, &p); r.Status != StatusConverged || !(maxDifference(got, plans[i]) < 1e-9) {
					t.Errorf("problem %d, start %d, %+v: %v, the plan is off by %.3g", i, k, set, r.Status, maxDifference(got, plans[i]))
				}
			}
		}
	}
	s, err := NewSolver[float64](&Settings{Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SolveBatch(t.Context(), problems, func(i int, r *Result[float64], err error) {
		plan := dist.NewMatrix[float64](n, n, nil)
		if err := errors.Join(err, r.PlanTo(t.Context(), plan, 0)); err != nil || maxDifference(plan, plans[i]) != 0 {
			t.Errorf("problem %d of a batch: %v, the plan is off by %.3g", i, err, maxDifference(plan, plans[i]))
		}
	}); err != nil {
		t.Fatal(err)
	}
}

// TestPOTExactStart checks that the plan does not change if Solve starts from the dual variables of the unregularized problem.
func TestPOTExactStart(t *testing.T) {
	const n, m = 10, 20
	p := &Problem[float64]{Cost: dist.NewMatrix[float64](n, m, nil), A: make([]float64, n), B: make([]float64, m)}
	for i := range n {
		p.A[i] = 1. / n
		for j := range m {
			p.Cost.Row(i)[j], p.B[j] = float64((i-j)*(i-j)), 1./m
		}
	}
	var x simplex.Solver[float64]
	if err := x.Solve(t.Context(), &simplex.Problem[float64]{Costs: p.Cost, A: p.A, B: p.B}); err != nil {
		t.Fatal(err)
	}
	for _, lambda := range []float64{0.1, 1} {
		p.Lambda, p.Start = lambda, nil
		_, want := planOf(t, Settings{Tolerance: 1e-12}, p)
		p.Start = make([]float64, n)
		for i := range p.Start {
			p.Start[i] = lambda * x.F[i]
		}
		for _, set := range []Settings{{}, {Domain: DomainLog}, {Anneal: 4}, {Unaccelerated: true, Iterations: 100000}} {
			set.Tolerance = 1e-12
			if r, got := planOf(t, set, p); r.Status != StatusConverged || !(maxDifference(got, want) < 1e-9) {
				t.Errorf("λ = %v, %+v: %v, the plan is off by %.3g", lambda, set, r.Status, maxDifference(got, want))
			}
		}
	}
}

// TestPOTLine checks two bell curves on a line, with λ times the cost up to 10⁹. All solvers must
// give the same cost. For large λ, it must be close to the cost of exact transport, which moves
// masses on a line in order.
func TestPOTLine(t *testing.T) {
	const n = 100
	p := &Problem[float64]{Cost: dist.NewMatrix[float64](n, n, nil), A: make([]float64, n), B: make([]float64, n)}
	for side, w := range [2][]float64{p.A, p.B} {
		sum := 0.
		for i := range w {
			w[i] = math.Exp(-0.5 * math.Pow((float64(i)-30-10*float64(side))/10, 2))
			sum += w[i]
		}
		for i := range w {
			w[i] /= sum
		}
	}
	for i := range n {
		for j := range n {
			p.Cost.Row(i)[j] = float64((i - j) * (i - j))
		}
	}
	exact := 0.
	for i, j, x, y := 0, 0, p.A[0], p.B[0]; i < n && j < n; {
		moved := min(x, y)
		exact += moved * p.Cost.At(i, j)
		x, y = x-moved, y-moved
		if x > 0 {
			if j++; j < n {
				y = p.B[j]
			}
		} else if i++; i < n {
			x = p.A[i]
		}
	}
	for _, lambda := range []float64{1, 1e2, 1e5} {
		p.Lambda = lambda
		first := 0.
		for _, set := range []Settings{{}, {Domain: DomainLog}, {Anneal: 4}} {
			set.Tolerance = 1e-9
			r := mustSolve(t, set, p)
			if first == 0 {
				first = r.Cost
			}
			if r.Status != StatusConverged || !(math.Abs(r.Cost-first) < 1e-6) || lambda > 1 && !(math.Abs(r.Cost-exact) < 1e-6) {
				t.Errorf("λ = %v, %+v: %v, cost %v, before %v, without entropy %v", lambda, set, r.Status, r.Cost, first, exact)
			}
		}
	}
}

// TestPOTDivergenceOfCosts checks the definition of POT's empirical_sinkhorn_divergence (0.9.7, reg = 1): the cost between the
// clouds minus half of the cost of each cloud with itself. Solver.Divergence uses the regularized cost and differs.
func TestPOTDivergenceOfCosts(t *testing.T) {
	x, y := dist.NewMatrix(4, 2, []float64{0, 0, 1, 2, 3, 1, 2, 2}), dist.NewMatrix(3, 2, []float64{5, 1, 4, 4, 6, 0})
	s, err := newSolver[float64](&Settings{Tolerance: 1e-13, Lambda: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := 0.
	for _, c := range []struct {
		x, y   dist.Matrix[float64]
		factor float64
	}{{x, y, 1}, {x, x, -0.5}, {y, y, -0.5}} {
		r, err := s.Solve(t.Context(), &Problem[float64]{X: c.x, Y: c.y})
		if err != nil {
			t.Fatal(err)
		}
		got += c.factor * r.Cost
	}
	const want = 15.321863907826302
	d, err := s.Divergence(t.Context(), dist.Matrix[float64]{}, dist.Matrix[float64]{}, &Problem[float64]{X: x, Y: y})
	if err != nil || math.Abs(got-want) > 1e-10 || math.Abs(d.Value-want) < 1e-3 {
		t.Errorf("%v, POT has %v; the divergence is %v, %v", got, want, d.Value, err)
	}
}

// TestPOTDivergence compares Divergence with its definition, which combines three regularized costs. It tests two values of
// Problem.Start.
func TestPOTDivergence(t *testing.T) {
	const n = 10
	x, y := dist.NewMatrix[float64](n, 1, nil), dist.NewMatrix[float64](n, 1, nil)
	a, b := make([]float64, n), make([]float64, n)
	for i := range n {
		x.Data[i], y.Data[i] = float64(i), float64(2*i)
		a[i], b[i] = float64(i+1)/55, 1./n
	}
	s, err := NewSolver[float64](&Settings{Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	for _, less := range []Problem[float64]{{Lambda: 1}, {Lambda: 0.1}, {Lambda: 1, PenaltyA: 2, PenaltyB: 2}} {
		value := func(x, y dist.Matrix[float64], a, b []float64) float64 {
			p := less
			p.X, p.Y, p.A, p.B = x, y, a, b
			r, err := s.Solve(t.Context(), &p)
			if err != nil {
				t.Fatal(err)
			}
			v, err := r.RegularizedCost(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		want := value(x, y, a, b) - value(x, x, a, a)/2 - value(y, y, b, b)/2
		p := less
		p.X, p.Y, p.A, p.B = x, y, a, b
		for _, start := range [][]float64{nil, b} {
			p.Start = start
			d, err := s.Divergence(t.Context(), dist.Matrix[float64]{}, dist.Matrix[float64]{}, &p)
			if err != nil || d.Status != StatusConverged || !(math.Abs(d.Value-want) < 1e-9*want) {
				t.Errorf("λ = %v, penalty %v, start %v: %v, want %v, %v, %v", less.Lambda, less.PenaltyA, start, d.Value, want, d.Status, err)
			}
		}
	}
}
