package sinkhorn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/testdata"
)

// scatteredMass returns a problem of 50 × 50 points in a square with random weights and a mass of 0.6. Costs are up to
// 100. POT tests its log-domain solver with such problems down to reg = 5e-4.
func scatteredMass[T dist.Float](reg float64) *Problem[T] {
	rng := rand.New(rand.NewPCG(1, 1))
	p := &Problem[T]{A: gradientWeights[T](rng, 50, false), B: gradientWeights[T](rng, 50, false), X: dist.NewMatrix[T](50, 2, nil), Y: dist.NewMatrix[T](50, 2, nil), Lambda: 1 / reg, Mass: 0.6}
	for _, x := range [2][]T{p.X.Data, p.Y.Data} {
		for i := range x {
			x[i] = T(math.Sqrt(50) * rng.Float64())
		}
	}
	return p
}

// partialProblem returns random problem number i of partial transport, with up to 60 points and λ·max M up to 10⁵.
func partialProblem(i int) *Problem[float64] {
	p := certified(4*i+3, 60)
	p.Lambda = math.Pow(10, 6*rand.New(rand.NewPCG(99, uint64(i))).Float64()-1)
	return p
}

// TestPartialNewton compares Newton's method with plain iterations. Newton's method must need far fewer passes, and must
// converge even if plain iterations would need more than ten thousand passes.
func TestPartialNewton(t *testing.T) {
	for _, domain := range []Domain{DomainAuto, DomainLog} {
		for _, storage := range []Storage{StorageDense, StorageMatrixFree, StorageMixed} {
			for _, reg := range []float64{0.05, 0.01, 1e-3, 5e-4} {
				if !testdata.IsLong() && domain == DomainLog && (reg == 0.01 || reg == 1e-3) {
					continue // without MONGE_LONG=1, two values of reg are tested in the log domain
				}
				p := scatteredMass[float64](reg)
				set := Settings{Tolerance: 1e-9, Iterations: 20000, Domain: domain, Storage: storage}
				tolerance := 1e-6
				if storage == StorageMixed {
					set.Tolerance, tolerance = 1e-6, 1e-3
				}
				fast := mustSolve(t, set, p)
				what := fmt.Sprintf("reg %v, %v, %v: %d passes and %d", reg, domain, storage, fast.Iterations, fast.Annealing)
				if fast.Status != StatusConverged || fast.Iterations+fast.Annealing > 3000 {
					t.Errorf("%s: %v, marginal error %.3g", what, fast.Status, fast.MarginalError)
				}
				t.Log(what)
				if reg < 0.05 {
					continue
				}
				set.Unaccelerated = true
				slow := mustSolve(t, set, p)
				got, want := dist.NewMatrix[float64](50, 50, nil), dist.NewMatrix[float64](50, 50, nil)
				if err := errors.Join(fast.PlanTo(t.Context(), got, 0), slow.PlanTo(t.Context(), want, 0)); err != nil {
					t.Fatal(err)
				}
				if e := math.Abs(fast.Cost/slow.Cost - 1); !(e < tolerance) || !(maxDifference(got, want) < 10*tolerance) || slow.Status != StatusConverged {
					t.Errorf("%s: cost is off by %.3g, plan by %.3g, plain %v", what, e, maxDifference(got, want), slow.Status)
				}
				if fast.Iterations+fast.Annealing > slow.Iterations/2 {
					t.Errorf("%s, plain %d: too many", what, slow.Iterations)
				}
			}
		}
	}
}

// TestPartialCertificates checks that random problems converge and that the results satisfy the optimality conditions.
func TestPartialCertificates(t *testing.T) {
	count := 30
	if testdata.IsLong() {
		count = 300
	}
	s, err := newSolver[float64](&Settings{Tolerance: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	for i := range count {
		p := partialProblem(i)
		if ok, err := certificate(solving{s, t}, t, p, 1e-9); err != nil || !ok {
			t.Errorf("problem %d, %d×%d, λ = %v, mass %v: %v, converged: %v", i, p.Cost.Rows, p.Cost.Cols, p.Lambda, p.Mass, err, ok)
		}
	}
}

// TestPartialFar checks problems whose points are far apart. Rounding errors split the plan into disconnected blocks, so
// ε-scaling fails. The solver must converge from the solution of the unregularized problem.
func TestPartialFar(t *testing.T) {
	for i, c := range []struct {
		seed      uint64
		mass, reg float64
	}{{2, 0.3, 0.01}, {2, 0.6, 0.01}, {9, 0.9, 0.01}, {14, 0.9, 0.001}} {
		rng := rand.New(rand.NewPCG(1, c.seed))
		p := &Problem[float64]{A: gradientWeights[float64](rng, 50, false), B: gradientWeights[float64](rng, 50, false), Cost: dist.NewMatrix[float64](50, 50, nil), Lambda: 1 / c.reg, Mass: c.mass}
		points := [2]dist.Matrix[float64]{dist.NewMatrix[float64](50, 2, nil), dist.NewMatrix[float64](50, 2, nil)}
		for _, x := range points {
			for i := range x.Data {
				x.Data[i] = 7 * rng.NormFloat64()
			}
		}
		dist.SqEuclidean(p.Cost, points[0], points[1])
		for k, domain := range []Domain{DomainAuto, DomainLog} {
			if !testdata.IsLong() && k != i%2 {
				continue // without MONGE_LONG=1, each problem is tested in one domain
			}
			s, err := newSolver[float64](&Settings{Tolerance: 1e-9, Domain: domain})
			if err != nil {
				t.Fatal(err)
			}
			if ok, err := certificate(solving{s, t}, t, p, 1e-9); err != nil || !ok {
				t.Errorf("%+v, %v: %v, converged: %v", c, domain, err, ok)
			}
		}
	}
}

// TestPartialBits checks that results have the same bits for every instruction set, with StorageMatrixFree and two workers, and
// in a batch.
func TestPartialBits(t *testing.T) {
	t.Run("float64", partialBits[float64])
	t.Run("float32", partialBits[float32])
}

func partialBits[T dist.Float](t *testing.T) {
	p := scatteredMass[T](0.025)
	set := Settings{Tolerance: 1e-4, Workers: 1}
	r := mustSolve(t, set, p)
	if r.Status != StatusConverged {
		t.Fatalf("%v after %d passes", r.Status, r.Iterations)
	}
	if plain := mustSolve(t, Settings{Tolerance: 1e-4, Unaccelerated: true, Iterations: 20000}, p); r.Iterations >= plain.Iterations {
		t.Errorf("%d passes, plain %d: Newton's steps were not tested", r.Iterations, plain.Iterations)
	}
	var want map[string][]T
	asmtest.At(t, asm.Ref, func() { want = dualOptimum(t, set, p) })
	for lv := range asmtest.Each(t) {
		sameBits(t, lv.String(), dualOptimum(t, set, p), want)
	}
	set.Storage, set.Workers = StorageMatrixFree, 2
	sameBits(t, "matrix-free, two workers", dualOptimum(t, set, p), want)

	s, err := newSolver[T](&Settings{Tolerance: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	problems := []Problem[T]{*p, *p, *scatteredMass[T](2), *p}
	if err := s.SolveBatch(t.Context(), problems, func(i int, r *Result[T], err error) {
		if err != nil {
			t.Error(err)
			return
		}
		plan := dist.NewMatrix[T](50, 50, nil)
		if err := r.PlanTo(t.Context(), plan, 0); err != nil {
			t.Error(err)
		}
		if i != 2 {
			sameBits(t, fmt.Sprintf("problem %d of a batch", i), map[string][]T{"plan": plan.Data}, map[string][]T{"plan": want["plan"]})
		}
	}); err != nil {
		t.Fatal(err)
	}
}

// TestPartialGain checks the gain and the slope that trialGain returns for a direction from clipDirection. It compares them with
// values and finite differences of the dual. In the second case, the direction lowers all column scalings
// that are at their upper bound.
func TestPartialGain(t *testing.T) {
	for _, move := range []bool{false, true} {
		p := slowProblem[float64](20, 20)
		p.Mass = 0.4
		s, err := newSolver[float64](&Settings{Iterations: 3})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Solve(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		nw, d, sys := &s.solution.newton, &s.solution.partial, &s.system
		point := &nw.point
		if err := errors.Join(nw.enterDual(t.Context(), d), s.kernel.MulTrans(t.Context(), s.own.q, point.u)); err != nil {
			t.Fatal(err)
		}
		d.setResidual()
		before := d.value()
		diag, rows, _ := d.system()
		sys.setup(&s.own, plan[float64]{point.u, point.v}, diag, rows)
		if err := d.completeSystem(t.Context(), sys); err != nil {
			t.Fatal(err)
		}
		if d.noneHeld || d.cappedTotal == 0 || sys.commonRow == nil {
			t.Fatal("no row or no column is at its cap")
		}
		rng, beta := rand.New(rand.NewPCG(1, 2)), make([]float64, s.kernel.M())
		for j := range beta {
			switch {
			case !d.held[j]:
				beta[j] = -rng.Float64()
			case move:
				beta[j] = -0.3 // lowers all column scalings that are at their upper bound
			}
		}
		if move {
			clear(d.held) // clipDirection does not clip held columns
		}
		d.clipDirection(beta)
		var slope float64
		for j, e := range point.e {
			slope += e * beta[j]
		}
		along := func(h float64) (gain, after float64) {
			for j, v := range point.v {
				point.tv[j] = v * math.Exp(h*beta[j])
			}
			if ok, err := nw.tryPoint(t.Context(), d); !ok || err != nil {
				t.Fatal(ok, err)
			}
			return d.trialGain(h, beta)
		}
		const h = 1e-4
		up, _ := along(h)
		down, _ := along(2 * h)
		if got := (4*up - down) / (2 * h); !(math.Abs(got-slope) < 1e-6) {
			t.Errorf("slope %v, differences give %v", slope, got)
		}
		gain, after := along(0.5)
		more, _ := along(0.5 + h)
		less, _ := along(0.5 - h)
		if got := (more - less) / (2 * h); !(math.Abs(got-after) < 1e-6) {
			t.Errorf("slope after %v, differences give %v", after, got)
		}
		along(0.5)
		d.acceptTrial()
		point.storeIterate()
		d.setResidual()
		if got := d.value() - before; !(math.Abs(got-gain) < 1e-12) {
			t.Errorf("gain %v, the dual's values give %v", gain, got)
		}
	}
}

// TestPartialEdges covers a mass that equals the sum of one or both sides, points without weight,
// rows and columns that no mass can reach, and a single point.
func TestPartialEdges(t *testing.T) {
	one := dist.NewMatrix(1, 1, []float64{3})
	far := dist.NewMatrix(3, 3, []float64{0, 1, 1e4, 1, 0, 1e4, 1e4, 1e4, 2e4})
	s, err := newSolver[float64](&Settings{Tolerance: 1e-10})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range []Problem[float64]{
		{Cost: one, A: []float64{2}, B: []float64{1}, Mass: 0.5, Lambda: 1},
		{Cost: one, A: []float64{2}, B: []float64{1}, Mass: 1, Lambda: 1e3},
		{Cost: far, A: []float64{1, 1, 1}, B: []float64{1, 1, 1}, Mass: 1.9, Lambda: 30},
		{Cost: far, A: []float64{1, 1, 1}, B: []float64{1, 1, 1}, Mass: 2.5, Lambda: 30},
		{Cost: far, A: []float64{1, 0, 2}, B: []float64{0, 1, 3}, Mass: 3, Lambda: 3},
		{Cost: far, A: []float64{1, 2, 1}, B: []float64{2, 1, 1}, Mass: 4, Lambda: 0.1},
		{Cost: far, A: []float64{1e-30, 2, 1}, B: []float64{2, 1e-20, 1}, Mass: 1.5, Lambda: 10},
	} {
		if ok, err := certificate(solving{s, t}, t, &p, 1e-10); err != nil || !ok {
			t.Errorf("problem %d: %v, converged: %v", i, err, ok)
		}
	}
}
