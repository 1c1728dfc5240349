package sinkhorn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/gibbs"
	"github.com/gomonge/monge/internal/testdata"
)

// slowProblem returns a problem of n and n+3 uniform points in the unit square with random weights,
// some of them zero. λ·max M is at most 2λ.
func slowProblem[T dist.Float](n int, lambda float64) *Problem[T] {
	rng := rand.New(rand.NewPCG(uint64(n), 77))
	p := &Problem[T]{X: dist.NewMatrix[T](n, 2, nil), Y: dist.NewMatrix[T](n+3, 2, nil), Lambda: lambda}
	for _, m := range []dist.Matrix[T]{p.X, p.Y} {
		for i := range m.Data {
			m.Data[i] = T(rng.Float64())
		}
	}
	p.A, p.B = gradientWeights[T](rng, n, true), gradientWeights[T](rng, n+3, true)
	return p
}

// TestNewton checks that Newton's method finds the same solution as plain iterations, with far fewer passes if plain iterations
// are slow.
func TestNewton(t *testing.T) {
	for _, domain := range []Domain{DomainAuto, DomainPlain, DomainLog} {
		for _, storage := range []Storage{StorageDense, StorageMatrixFree, StorageMixed} {
			for _, lambda := range []float64{50, 100, 300} {
				if lambda > 100 && domain == DomainPlain {
					continue // underflows
				}
				p := slowProblem[float64](60, lambda)
				set := Settings{Tolerance: 1e-10, Iterations: 100000, Domain: domain, Storage: storage}
				fast := mustSolve(t, set, p)
				set.Unaccelerated = true
				slow := mustSolve(t, set, p)
				what := fmt.Sprintf("λ = %v, %v, %v: %d passes and %d, plain %d", lambda, domain, storage, fast.Iterations, fast.Annealing, slow.Iterations)
				if fast.Status != StatusConverged || slow.Status != StatusConverged || !(fast.MarginalError <= 1e-10) {
					t.Errorf("%s: %v, %v, marginal error %v", what, fast.Status, slow.Status, fast.MarginalError)
				}
				if !(fast.Iterations+fast.Annealing < slow.Iterations/int(min(4, 1+lambda/30))) {
					t.Errorf("%s: too many", what)
				}
				if e := math.Abs(fast.Cost/slow.Cost - 1); !(e < 1e-7) {
					t.Errorf("%s: cost %v, want %v", what, fast.Cost, slow.Cost)
				}
				got, want := dist.NewMatrix[float64](60, 63, nil), dist.NewMatrix[float64](60, 63, nil)
				if err := errors.Join(fast.PlanTo(t.Context(), got, 0), slow.PlanTo(t.Context(), want, 0)); err != nil {
					t.Fatal(err)
				}
				if e := maxDifference(got, want); !(e < 1e-6) {
					t.Errorf("%s: plan is off by %.3g", what, e)
				}
				checkMarginals(t, what, got, p, fast.MarginalError)
				t.Log(what)
			}
		}
	}
	few := slowProblem[float64](60, 30) // plain iterations are fast for this problem
	if got, want := mustSolve(t, Settings{Tolerance: 1e-10}, few), mustSolve(t, Settings{Tolerance: 1e-10, Unaccelerated: true}, few); got.Iterations != want.Iterations || got.Annealing > 0 {
		t.Errorf("λ = 30: %d passes and %d, plain %d", got.Iterations, got.Annealing, want.Iterations)
	}
	p := slowProblem[float32](60, 300)
	fast := mustSolve(t, Settings{Tolerance: 1e-4, Iterations: 100000}, p)
	slow := mustSolve(t, Settings{Tolerance: 1e-4, Iterations: 100000, Unaccelerated: true}, p)
	if fast.Status != StatusConverged || fast.Iterations+fast.Annealing >= slow.Iterations/2 {
		t.Errorf("float32: %v after %d passes and %d, plain %d", fast.Status, fast.Iterations, fast.Annealing, slow.Iterations)
	}
}

// TestFactor checks problems for which Newton's method needs a sparse list of the plan and a Cholesky factor. The solves must
// converge within 200 passes, with the same bits for every instruction set, and without allocations.
func TestFactor(t *testing.T) {
	const n = 140
	rng := rand.New(rand.NewPCG(5, 77))
	p := Problem[float64]{Cost: dist.NewMatrix[float64](n, n+1, nil), A: slices.Repeat([]float64{1}, n), B: slices.Repeat([]float64{1}, n+1), Lambda: 2000}
	for i := range p.Cost.Data {
		p.Cost.Data[i] = rng.Float64()
	}
	p.B[n/2] = 0
	priced := p
	priced.PenaltyA, priced.PenaltyB = 3, 20
	for _, c := range []struct {
		*Problem[float64]
		storage Storage
	}{{&p, StorageDense}, {&p, StorageMixed}, {&priced, StorageDense}} {
		set := Settings{Tolerance: 1e-11, Iterations: 200, Storage: c.storage, Workers: 1} // 200 passes are enough only with a sparse list and a factor
		s, err := newSolver[float64](&set)
		if err != nil {
			t.Fatal(err)
		}
		var want [][]float64
		for lv := range asmtest.Each(t) {
			r, err := s.Solve(t.Context(), c.Problem)
			if err != nil {
				t.Fatal(err)
			}
			f, g := make([]float64, n), make([]float64, n+1)
			r.PotentialsTo(f, g)
			got := [][]float64{f, g, {r.Cost, r.MarginalError, float64(r.Iterations)}}
			for i := range want {
				asmtest.SameSlices(t, lv.String(), got[i], want[i])
			}
			want = got
		}
		if k := asmtest.Allocations(func() {
			if _, err := s.Solve(t.Context(), c.Problem); err != nil {
				t.Fatal(err)
			}
		}); k > 0 {
			t.Errorf("%v allocations", k)
		}
		r, err := s.Solve(t.Context(), c.Problem)
		if err != nil || r.Status != StatusConverged {
			t.Fatal(err, r.Status)
		}
		if c.Problem == &p && c.storage == StorageDense { // the plan has the form diag(u) K diag(v), so correct marginals prove optimality
			plan := dist.NewMatrix[float64](n, n+1, nil)
			if err := r.PlanTo(t.Context(), plan, 0); err != nil {
				t.Fatal(err)
			}
			for i, x := range plan.Data {
				plan.Data[i] = x / n
			}
			unit := p
			unit.A, unit.B = slices.Repeat([]float64{1. / n}, n), slices.Repeat([]float64{1. / n}, n+1)
			unit.B[n/2] = 0
			checkMarginals(t, "factor", plan, &unit, r.MarginalError/n)
		}
	}
}

// TestFactorInTime checks how many steps of conjugate gradients cost as much as a Cholesky factor, and that the factor is then
// computed. At n = 4000, a factor costs as much as a few hundred passes over K, or thousands of passes over the list of elements.
func TestFactorInTime(t *testing.T) {
	for _, c := range []struct{ n, listed, least, most int }{
		{256, 0, 60, 140}, {1000, 0, 60, 140}, {4000, 0, 150, 450},
		{256, 1500, 40, 150}, {1000, 11000, 200, 900}, {4000, 88000, 1500, 6000},
	} {
		var s solver[float64]
		s.resetWorkspace(Settings{})
		s.kernel.SetCost(dist.Matrix[float64]{Rows: c.n, Cols: c.n})
		sys := &s.system
		sp := &sys.sparse
		sp.made, sp.pieces = c.listed > 0, make([]listPiece, 1)
		sp.count.Store(int64(c.listed))
		for i := range c.n {
			sp.pieces[0].ends = append(sp.pieces[0].ends, (i+1)*c.listed/c.n)
		}
		cost, _ := sys.stepCost()
		if steps := int(sys.factorCost() / cost); steps < c.least || steps > c.most {
			t.Errorf("n = %d, %d elements listed: a factor after %d steps", c.n, c.listed, steps)
		}
	}
	ctx := t.Context()
	s, err := newSolver[float64](&Settings{Tolerance: 1e-12, Iterations: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	p := slowProblem[float64](150, 3000)
	nw, sys, d := &s.solution.newton, &s.system, s.solution.dual()
	if err := errors.Join(prepare(ctx, s, p), s.solution.solveFrom(ctx, 300, 1e-12, nil), nw.enterDual(ctx, d)); err != nil {
		t.Fatal(err)
	}
	d.setResidual()
	if err := nw.direction(ctx, d, 1e-20, math.Inf(1), 1<<20); err != nil {
		t.Fatal(err)
	}
	if !sys.sparse.made || !sys.direct.made {
		t.Errorf("list %v, factor %v", sys.sparse.made, sys.direct.made)
	}
	for _, c := range []struct {
		n, m int
		want bool
	}{{2, 8, true}, {2, 9, false}, {9, 2, true}, {2048, 8192, true}, {8193, 8193, false}} {
		s.kernel.SetCost(dist.Matrix[float64]{Rows: c.n, Cols: c.m})
		if factorable(&s.kernel) != c.want || factorBytes(&s.kernel) > 0 != c.want {
			t.Errorf("%d × %d: a factor is possible: %v, of %v bytes", c.n, c.m, factorable(&s.kernel), factorBytes(&s.kernel))
		}
	}
}

// TestTriangular checks that RᵀR = H, that solve returns H⁻¹b, that two goroutines give the same bits as one, and that a
// matrix that is not positive definite is rejected. The sizes have partial blocks of rows and columns.
func TestTriangular(t *testing.T) {
	for _, m := range []int{1, 47, 193, 300} {
		rng := rand.New(rand.NewPCG(uint64(m), 2))
		h := make([]float64, m*m)
		for i := range h {
			h[i] = rng.Float64() - 0.5
			if i%(m+1) == 0 {
				h[i] += float64(m)
			}
		}
		var want []float64
		for _, workers := range []int{1, 2} {
			var kernel gibbs.Kernel[float64]
			kernel.SetCost(dist.Matrix[float64]{Rows: 1 << 10, Cols: 1 << 10}) // large enough for several workers
			kernel.LayOut(false, false, workers)
			d := direct[float64]{m: m, h: slices.Clone(h), less: make([]float64, directLines)}
			if ok, err := d.factorizeRows(t.Context(), &kernel); !ok || err != nil {
				t.Fatal(ok, err)
			}
			for j := range m {
				for k := j; k < m; k++ {
					var sum float64
					for i := range j + 1 {
						sum += d.h[i*m+j] * d.h[i*m+k]
					}
					if !(math.Abs(sum-h[j*m+k]) <= 1e-13*float64(m)) {
						t.Fatalf("m = %d: (RᵀR)_%d,%d is %v, want %v", m, j, k, sum, h[j*m+k])
					}
				}
			}
			b := asmtest.Values[float64](asmtest.NewRand(3), m, asmtest.Gauss)
			x := slices.Clone(b)
			d.solve(x)
			for j := range m {
				var sum float64
				for k := range m {
					sum += h[min(j, k)*m+max(j, k)] * x[k]
				}
				if !(math.Abs(sum-b[j]) <= 1e-13*float64(m)) {
					t.Fatalf("m = %d: (Hx)_%d is %v, want %v", m, j, sum, b[j])
				}
			}
			if want == nil {
				want = d.h
			}
			asmtest.SameSlices(t, fmt.Sprintf("m = %d, two goroutines", m), d.h, want)
			d.h = slices.Clone(h)
			d.h[m*m-1] = -1
			if ok, err := d.factorizeRows(t.Context(), &kernel); ok || err != nil {
				t.Errorf("m = %d, not definite: %v, %v", m, ok, err)
			}
		}
	}
}

// TestSparse checks that a product with the list of relevant elements of K equals the product with all of K. It
// also checks that no list is made if too many elements are relevant. The product and the factorization must have the same bits
// for any number of workers.
func TestSparse(t *testing.T) {
	var alone []float64
	for _, c := range []struct {
		storage            Storage
		n, workers, groups int
		lambda             float64
	}{
		{StorageDense, 150, 1, 1, 3000}, {StorageMatrixFree, 150, 1, 1, 3000}, {StorageMixed, 150, 1, 1, 3000},
		{StorageDense, 800, 1, 2, 1500}, {StorageDense, 800, 3, 2, 1500},
	} {
		ctx, storage := t.Context(), c.storage
		s, err := newSolver[float64](&Settings{Tolerance: 1e-12, Iterations: 1000, Storage: storage, Workers: c.workers})
		if err != nil {
			t.Fatal(err)
		}
		p := slowProblem[float64](c.n, c.lambda)
		nw, sys, d := &s.solution.newton, &s.system, s.solution.dual()
		start := func(p *Problem[float64]) {
			if err := errors.Join(prepare(ctx, s, p), s.solution.solveFrom(ctx, 50, 1e-12, nil), nw.enterDual(ctx, d)); err != nil {
				t.Fatal(err)
			}
			d.setResidual()
			sys.setup(&s.own, plan[float64]{nw.point.u, nw.point.v}, s.columns, s.own.a)
		}
		start(p)
		m, u, v := s.kernel.M(), nw.point.u, nw.point.v
		rng := rand.New(rand.NewPCG(4, 4))
		for j, v := range v {
			sys.d[j] = rng.Float64()
			sys.z[j] = v * sys.d[j]
		}
		for i, a := range s.own.a {
			if sys.sweep.w[i] = 0; a > 0 {
				sys.sweep.w[i] = u[i] / a * u[i]
			}
		}
		got := make([]float64, m)
		if err := errors.Join(s.kernel.Sweep(ctx, sys.sweep.s, sys.sd, sys.z, sys.sweep.w), sys.makeList(ctx), sys.sparse.multiply(ctx, &s.kernel, got, sys.d)); err != nil {
			t.Fatal(err)
		}
		for j, v := range v {
			if want := v * sys.sd[j]; !(math.Abs(got[j]-want) <= 1e-13*s.columns[j]) {
				t.Errorf("%v: product %d is %v, want %v", storage, j, got[j], want)
			}
		}
		if k := int(sys.sparse.count.Load()); !sys.sparse.made || k < s.kernel.N() || k > s.kernel.N()*m/sparseShare || sys.sparse.groups != c.groups {
			t.Errorf("%v, n = %d: %d elements in %d groups", storage, c.n, k, sys.sparse.groups)
		}
		if c.groups > 1 {
			if alone == nil {
				alone = got
			}
			asmtest.SameSlices(t, "three goroutines", got, alone)
			continue
		}
		sys.direct.m = m
		var h [2][]float64
		for i := range h {
			sys.direct.h = make([]float64, m*m)
			if err := sys.subtractSquare(ctx); err != nil {
				t.Fatal(err)
			}
			h[i] = sys.direct.h
			sys.sparse.made = false
		}
		for j := range m {
			for k := j; k < m; k++ {
				if x, y := h[0][j*m+k], h[1][j*m+k]; !(math.Abs(x-y) <= 1e-14) || j == k && s.columns[j] > 0 && !(x < 0) {
					t.Errorf("%v: H_%d,%d is %v of a list, and %v", storage, j, k, x, y)
				}
			}
		}
		start(slowProblem[float64](150, 3))
		if err := sys.makeList(ctx); err != nil || sys.sparse.made {
			t.Errorf("%v: %d elements of %d are a list, %v", storage, sys.sparse.count.Load(), s.kernel.N()*m, err)
		}
	}
}

// checkMarginals compares the marginals of a plan with the marginals of its problem. reported is the error of the column
// sums according to the result.
func checkMarginals[T dist.Float](t *testing.T, what string, plan dist.Matrix[T], p *Problem[T], reported float64) {
	t.Helper()
	columns := make([]float64, plan.Cols)
	for i := range plan.Rows {
		var sum float64
		for j, x := range plan.Row(i) {
			sum += float64(x)
			columns[j] += float64(x)
		}
		if !(math.Abs(sum-float64(p.A[i])) <= 1e-13) {
			t.Errorf("%s: row %d sums to %v, want %v", what, i, sum, p.A[i])
		}
	}
	var e float64
	for j, c := range columns {
		e += math.Abs(c - float64(p.B[j]))
	}
	if !(math.Abs(e-reported) <= 1e-13+1e-3*reported) {
		t.Errorf("%s: marginal error %.3g, said to be %.3g", what, e, reported)
	}
}

// TestNewtonClimbs checks that neither Newton's method nor plain iterations decrease the dual by more than rounding errors.
func TestNewtonClimbs(t *testing.T) {
	for _, domain := range []Domain{DomainAuto, DomainLog} {
		for _, lambda := range []float64{30, 300, 3000, 30000} {
			p := slowProblem[float64](60, lambda)
			s, err := newSolver[float64](&Settings{Tolerance: 1e-12, Iterations: 1 << 30, Domain: domain})
			if err != nil {
				t.Fatal(err)
			}
			ctx := t.Context()
			it := &s.own
			if err := errors.Join(prepare(ctx, s, p), it.setStart(ctx, 0, nil)); err != nil {
				t.Fatal(err)
			}
			steps := 0
			for before := math.Inf(-1); it.res.Iterations < 3000 && !it.converged(); steps++ {
				if k := it.res.Iterations; steps%7 == 0 { // make some plain iterations, too
					err = it.advance(ctx, k+2, 1e-12, nil)
				} else {
					err = s.solution.newton.climb(ctx, s.solution.dual(), k+2+steps*7%60)
				}
				if err != nil {
					t.Fatal(err)
				}
				d := s.solution.dual().value()
				if !(d >= before-1e-12*math.Abs(d)) {
					t.Errorf("%v, λ = %v, after %d passes: dual %v, before %v", domain, lambda, it.res.Iterations, d, before)
				}
				before = d
			}
			if steps < 4 {
				t.Errorf("%v, λ = %v: only %d steps", domain, lambda, steps)
			}
		}
	}
}

// TestNewtonCanceled ends the context at different times during a solve. The returned iterate must have correct row sums and
// the reported marginal error. The solver must remain usable.
func TestNewtonCanceled(t *testing.T) {
	for _, domain := range []Domain{DomainAuto, DomainLog} {
		p := slowProblem[float64](40, 300)
		s, err := newSolver[float64](&Settings{Tolerance: 1e-10, Iterations: 100000, Domain: domain})
		if err != nil {
			t.Fatal(err)
		}
		plan := dist.NewMatrix[float64](40, 43, nil)
		canceled := 0
		for left := 40; ; left += 1 + left/40 {
			r, err := s.Solve(&countdown{t.Context(), left}, p)
			if err == nil {
				if r.Status != StatusConverged {
					t.Errorf("%v after %d iterations", r.Status, r.Iterations)
				}
				break
			}
			if r == nil || err != context.Canceled || r.Status != StatusCanceled {
				t.Fatalf("%d checks: %v, result %v", left, err, r)
			}
			canceled++
			if err := r.PlanTo(t.Context(), plan, 0); err != nil {
				t.Fatal(err)
			}
			checkMarginals(t, fmt.Sprintf("%v, %d checks, %d passes", domain, left, r.Iterations), plan, p, r.MarginalError)
		}
		if canceled < 20 {
			t.Errorf("canceled %d times only", canceled)
		}
	}
}

// TestNewtonGivesUp checks that a solve with a tolerance below rounding errors ends at the iteration limit with an accurate
// result. It also checks that the last iterate is restored if ε-scaling finds a worse start.
func TestNewtonGivesUp(t *testing.T) {
	p := slowProblem[float64](40, 100)
	r := mustSolve(t, Settings{Tolerance: 1e-18, Iterations: 4000}, p)
	if r.Status != StatusIterationLimit || r.Iterations != 4000 || !(r.MarginalError < 1e-14) {
		t.Errorf("%v after %d passes, marginal error %v", r.Status, r.Iterations, r.MarginalError)
	}
	for i, domain := range []Domain{DomainAuto, DomainLog, DomainLog} {
		s, err := newSolver[float64](&Settings{Tolerance: 1e-9, Iterations: 100000, Domain: domain})
		if err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		p := slowProblem[float64](40, []float64{300, 300, 2000}[i])
		if err := errors.Join(prepare(ctx, s, p), s.solution.solveFrom(ctx, 30000, 1e-4, nil)); err != nil {
			t.Fatal(err)
		}
		it := &s.own
		before := it.res
		if ok, err := s.solution.tryStart(ctx, attempt[float64]{start: &s.solution.annealed}); ok || err != nil {
			t.Fatalf("%v: ε-scaling is better than an error of %v, %v", domain, before.MarginalError, err)
		}
		if it.res.Iterations != before.Iterations || it.res.MarginalError != before.MarginalError || it.res.Annealing == 0 {
			t.Errorf("%v: %+v, before %+v", domain, it.res, before)
		}
		if err := it.advance(ctx, before.Iterations+1, 1e-9, nil); err != nil {
			t.Fatal(err)
		}
		if e := it.res.MarginalError; !(e < before.MarginalError && e > before.MarginalError/2) {
			t.Errorf("%v: the next iteration has an error of %v, after %v", domain, e, before.MarginalError)
		}
	}
}

// TestAbsorb checks that absorbing scalings into the base does not change the iterate and its
// column sums.
func TestAbsorb(t *testing.T) {
	ctx := t.Context()
	s, err := newSolver[float64](&Settings{Tolerance: 1e-9, Iterations: 1000, Domain: DomainLog})
	if err != nil {
		t.Fatal(err)
	}
	p := slowProblem[float64](40, 100)
	nw, d := &s.solution.newton, s.solution.dual()
	if err := errors.Join(prepare(ctx, s, p), s.solution.solveFrom(ctx, 20, 1e-9, nil), nw.enterDual(ctx, d)); err != nil {
		t.Fatal(err)
	}
	column := func() []float64 {
		c := make([]float64, 43)
		for j, v := range nw.point.v {
			c[j] = v * s.own.q[j]
		}
		return c
	}
	want := column()
	if !nw.absorb() || nw.absorb() {
		t.Error("absorbs nothing, or twice")
	}
	if err := errors.Join(s.kernel.Fill(ctx), s.kernel.MulTrans(ctx, nw.point.tq, nw.point.u)); err != nil {
		t.Fatal(err)
	}
	for j, c := range column() {
		if sum := nw.point.tq[j] * nw.point.v[j]; !(math.Abs(c-want[j]) <= 1e-15) || !(math.Abs(sum-c) <= 1e-14) {
			t.Errorf("column %d: %v, was %v, sums to %v", j, c, want[j], sum)
		}
	}
	nw.leaveDual(d)
	if e := math.Abs(s.own.res.MarginalError); !(e > 0 && e < 1) {
		t.Errorf("marginal error %v", e)
	}
}

// TestNewtonSpares checks that Newton's method is not used if plain iterations converge fast. The result must have the same bits
// as the result of a solve with the same number of iterations and no tolerance.
func TestNewtonSpares(t *testing.T) {
	for _, lambda := range []float64{0.1, 1, 3} {
		p := slowProblem[float64](40, lambda)
		set := Settings{Tolerance: 1e-9}
		got := dualOptimum(t, set, p)
		k := mustSolve(t, set, p).Iterations
		sameBits(t, fmt.Sprintf("λ = %v", lambda), got, dualOptimum(t, Settings{Iterations: k}, p))
		if k > 40 {
			t.Errorf("λ = %v is slow: %d iterations", lambda, k)
		}
	}
}

// TestNewtonBits checks that results have the same bits for every instruction set, with StorageMatrixFree, and for two workers.
func TestNewtonBits(t *testing.T) {
	t.Run("float64", newtonBits[float64])
	t.Run("float32", newtonBits[float32])
}

func newtonBits[T dist.Float](t *testing.T) {
	p := slowProblem[T](50, 300)
	set := Settings{Tolerance: 1e-4, Iterations: 1000, Workers: 1}
	var want map[string][]T
	asmtest.At(t, asm.Ref, func() { want = dualOptimum(t, set, p) })
	for lv := range asmtest.Each(t) {
		sameBits(t, lv.String(), dualOptimum(t, set, p), want)
	}
	set.Storage = StorageMatrixFree
	sameBits(t, "matrix-free", dualOptimum(t, set, p), want)
	if !testdata.IsLong() {
		return
	}
	p = slowProblem[T](800, 300)
	set = Settings{Tolerance: 1e-4, Iterations: 300, Workers: 1}
	want = dualOptimum(t, set, p)
	set.Workers, set.Storage = 2, StorageMatrixFree
	sameBits(t, "two workers, matrix-free", dualOptimum(t, set, p), want)
}

// dualOptimum returns the results of a solve without gradients.
func dualOptimum[T dist.Float](t *testing.T, set Settings, p *Problem[T]) map[string][]T {
	r := mustSolve(t, set, p)
	n, m := p.X.Rows, p.Y.Rows
	plan, f, g := dist.NewMatrix[T](n, m, nil), make([]T, n), make([]T, m)
	if err := r.PlanTo(t.Context(), plan, 0); err != nil {
		t.Fatal(err)
	}
	r.PotentialsTo(f, g)
	return map[string][]T{"plan": plan.Data, "f": f, "g": g, "cost": {T(r.Cost), T(r.MarginalError), T(r.Annealing)}}
}
