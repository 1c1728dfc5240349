package sinkhorn

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
)

type unequalCase struct {
	Name          string
	Lam, Mass     float64
	PenaltyA      float64 `json:"rho_a"`
	PenaltyB      float64 `json:"rho_b"`
	X, Y, T       [][]float64
	A, B          []float64
	Cost, Value   float64
	Rows, Columns []float64
}

func (c *unequalCase) problem() *Problem[float64] {
	return &Problem[float64]{X: matrixOf(c.X), Y: matrixOf(c.Y), A: c.A, B: c.B, Lambda: c.Lam, PenaltyA: c.PenaltyA, PenaltyB: c.PenaltyB, Mass: c.Mass}
}

func matrixOf(rows [][]float64) dist.Matrix[float64] {
	m := dist.NewMatrix[float64](len(rows), len(rows[0]), nil)
	for i, r := range rows {
		copy(m.Row(i), r)
	}
	return m
}

// unequalCases reads results that testdata/unequal.py computed with 60 digits.
func unequalCases(t *testing.T) (cases []unequalCase) {
	data, err := os.ReadFile("testdata/unequal.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// TestUnequalGolden compares plan, cost and regularized cost with the results of testdata/unequal.py, in both domains and for
// every storage.
func TestUnequalGolden(t *testing.T) {
	for _, c := range unequalCases(t) {
		want := matrixOf(c.T)
		for _, domain := range []Domain{DomainAuto, DomainLog} {
			for _, storage := range []Storage{StorageDense, StorageMatrixFree, StorageMixed} {
				tol, tolerance := 1e-10, 1e-13
				if storage == StorageMixed {
					tol, tolerance = 1e-5, 1e-6
				}
				r := mustSolve(t, Settings{Tolerance: tolerance, Iterations: 200000, Domain: domain, Storage: storage}, c.problem())
				what := fmt.Sprintf("%s, %v, %v: %v after %d iterations, marginal error %.2g", c.Name, domain, storage, r.Status, r.Iterations, r.MarginalError)
				got := dist.NewMatrix[float64](want.Rows, want.Cols, nil)
				if err := r.PlanTo(t.Context(), got, 0); err != nil {
					t.Fatal(err)
				}
				value, err := r.RegularizedCost(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				plan, cost, val := maxDifference(got, want), math.Abs(r.Cost/c.Cost-1), math.Abs(value-c.Value)/math.Max(math.Abs(c.Value), c.Cost)
				if r.Status != StatusConverged || !(plan <= tol) || !(cost <= tol) || !(val <= tol) {
					t.Errorf("%s: plan off by %.3g, cost by %.3g, value by %.3g (%v, want %v)", what, plan, cost, val, value, c.Value)
				}
				t.Logf("%s: plan %.2g, cost %.2g, value %.2g", what, plan, cost, val)
			}
		}
	}
}

// TestUnequalFloat32 solves the problems of TestUnequalGolden in float32. It allows a relative error of 0.002 in the cost.
func TestUnequalFloat32(t *testing.T) {
	for _, c := range unequalCases(t) {
		p := c.problem()
		r := mustSolve(t, Settings{Tolerance: 1e-3, Iterations: 20000}, &Problem[float32]{X: narrow(p.X), Y: narrow(p.Y),
			A: narrow(dist.NewMatrix(1, len(p.A), p.A)).Data, B: narrow(dist.NewMatrix(1, len(p.B), p.B)).Data,
			Lambda: p.Lambda, PenaltyA: p.PenaltyA, PenaltyB: p.PenaltyB, Mass: p.Mass})
		if e := math.Abs(r.Cost/c.Cost - 1); r.Status != StatusConverged && r.Status != StatusLowPrecision || !(e < 2e-3) {
			t.Errorf("%s: %v after %d iterations, marginal error %.3g, cost off by %.3g", c.Name, r.Status, r.Iterations, r.MarginalError, e)
		}
	}
}

func narrow(m dist.Matrix[float64]) dist.Matrix[float32] {
	d := dist.NewMatrix[float32](m.Rows, m.Cols, nil)
	for i, x := range m.Data {
		d.Data[i] = float32(x)
	}
	return d
}

// TestUnequalBalanced checks that an infinite penalty gives the same bits as the balanced problem.
func TestUnequalBalanced(t *testing.T) {
	p := slowProblem[float64](30, 20)
	for _, set := range []Settings{{Iterations: 12}, {Tolerance: 1e-9}, {Iterations: 12, Domain: DomainLog}} {
		p.PenaltyA, p.PenaltyB = 0, 0
		want := dualOptimum(t, set, p)
		for _, rho := range []float64{math.Inf(1), 1e30} {
			p.PenaltyA, p.PenaltyB = rho, rho
			sameBits(t, fmt.Sprintf("ρ = %v", rho), dualOptimum(t, set, p), want)
		}
	}
	// The cost with a large penalty is close to the balanced cost.
	p.PenaltyA, p.PenaltyB = 0, 0
	set := Settings{Tolerance: 1e-11, Iterations: 100000}
	want := mustSolve(t, set, p).Cost
	for _, rho := range []float64{1e3, 1e5} {
		p.PenaltyA, p.PenaltyB = rho, rho
		if r := mustSolve(t, set, p); r.Status != StatusConverged || !(math.Abs(r.Cost-want) < 1/rho) {
			t.Errorf("ρ = %v: %v, cost %v, want nearly %v", rho, r.Status, r.Cost, want)
		}
	}
}

// TestUnequalNewton checks that Newton's method finds the same solution as plain iterations, with far fewer passes.
func TestUnequalNewton(t *testing.T) {
	for _, domain := range []Domain{DomainAuto, DomainLog} {
		for _, storage := range []Storage{StorageDense, StorageMatrixFree, StorageMixed} {
			for i, rho := range [][2]float64{{3, 0.3}, {0, 1}, {1, 0}, {0.3, 0.3}, {30, 100}} {
				if i > 0 && (domain != DomainAuto || storage != StorageDense) {
					break
				}
				p := slowProblem[float64](60, 300)
				p.PenaltyA, p.PenaltyB = rho[0], rho[1]
				set := Settings{Tolerance: 1e-10, Iterations: 100000, Domain: domain, Storage: storage}
				fast := mustSolve(t, set, p)
				set.Unaccelerated = true
				slow := mustSolve(t, set, p)
				what := fmt.Sprintf("ρ = %v, %v, %v: %d passes and %d, plain %d", rho, domain, storage, fast.Iterations, fast.Annealing, slow.Iterations)
				if fast.Status != StatusConverged || slow.Status != StatusConverged || !(fast.MarginalError <= 1e-10) {
					t.Errorf("%s: %v, %v, marginal error %v", what, fast.Status, slow.Status, fast.MarginalError)
				}
				if fast.Iterations+fast.Annealing > slow.Iterations/3 {
					t.Errorf("%s: too many", what)
				}
				got, want := dist.NewMatrix[float64](60, 63, nil), dist.NewMatrix[float64](60, 63, nil)
				if err := errors.Join(fast.PlanTo(t.Context(), got, 0), slow.PlanTo(t.Context(), want, 0)); err != nil {
					t.Fatal(err)
				}
				if e := math.Abs(fast.Cost/slow.Cost - 1); !(e < 1e-7) || !(maxDifference(got, want) < 1e-6) {
					t.Errorf("%s: cost is off by %.3g, plan by %.3g", what, e, maxDifference(got, want))
				}
				t.Log(what)
			}
		}
	}
}

// TestUnequalGain checks the gain and the slope that trialGain returns. The gain must be the increase of the dual, and the slope
// must agree with difference quotients of the gain.
func TestUnequalGain(t *testing.T) {
	for _, rho := range [][2]float64{{0.3, 0.5}, {0, 0.5}, {0.4, 0}, {1e4, 1e6}} {
		p := slowProblem[float64](20, 20)
		p.PenaltyA, p.PenaltyB = rho[0], rho[1]
		s, err := newSolver[float64](&Settings{Iterations: 3})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Solve(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		nw, d, beta := &s.solution.newton, s.solution.dual(), make([]float64, s.kernel.M())
		point := &nw.point
		if err := errors.Join(nw.enterDual(t.Context(), d), s.kernel.MulTrans(t.Context(), s.own.q, point.u)); err != nil {
			t.Fatal(err)
		}
		d.setResidual()
		before := d.value()
		rng := rand.New(rand.NewPCG(1, 2))
		var slope float64
		for j, e := range point.e {
			beta[j] = rng.Float64() - 0.5
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
		down, _ := along(-h)
		if got := (up - down) / (2 * h); !(math.Abs(got-slope) < 1e-7) {
			t.Errorf("ρ = %v: slope %v, differences give %v", rho, slope, got)
		}
		gain, after := along(0.5)
		more, _ := along(0.5 + h)
		less, _ := along(0.5 - h)
		if got := (more - less) / (2 * h); !(math.Abs(got-after) < 1e-7) {
			t.Errorf("ρ = %v: slope after %v, differences give %v", rho, after, got)
		}
		along(0.5)
		d.acceptTrial()
		point.storeIterate()
		d.setResidual()
		if got := d.value() - before; !(math.Abs(got-gain) < 1e-12*max(1, rho[0], rho[1])) {
			t.Errorf("ρ = %v: gain %v, the dual's values give %v", rho, gain, got)
		}
	}
}

// TestUnequalReported checks problems that users of POT have reported. The plan must satisfy the optimality conditions log
// T_ij/(a_i b_j) + λM_ij + λρ log((T1)_i/a_i) + λρ log((Tᵀ1)_j/b_j) = 0. For POT's issue #711, the methods of POT 0.9.7 give
// different results, and only one of the results satisfies the conditions. POT returns NaN if all costs are much larger than
// its parameter reg, as in issue #723.
func TestUnequalReported(t *testing.T) {
	swap := matrixOf([][]float64{{0, 1}, {1, 0}})
	for _, c := range []struct {
		name        string
		a, b        []float64
		lambda, rho float64
	}{
		{"#691", []float64{0.5, 0.5}, []float64{0.5, 0.5}, 1, 1},
		{"#711", []float64{0.3, 0.7}, []float64{0.7, 0.3}, 100, 100},
	} {
		for _, domain := range []Domain{DomainAuto, DomainLog} {
			p := &Problem[float64]{Cost: swap, A: c.a, B: c.b, Lambda: c.lambda, PenaltyA: c.rho, PenaltyB: c.rho}
			r := mustSolve(t, Settings{Tolerance: 1e-14, Iterations: 100000, Domain: domain}, p)
			plan := dist.NewMatrix[float64](2, 2, nil)
			if err := r.PlanTo(t.Context(), plan, 0); err != nil {
				t.Fatal(err)
			}
			for i, a := range c.a {
				for j, b := range c.b {
					row, column := plan.At(i, 0)+plan.At(i, 1), plan.At(0, j)+plan.At(1, j)
					rest := math.Log(plan.At(i, j)/(a*b)) + c.lambda*swap.At(i, j) + c.lambda*c.rho*(math.Log(row/a)+math.Log(column/b))
					if !(math.Abs(rest) < 1e-9*(1+c.lambda*c.rho)) {
						t.Errorf("%s, %v: the condition of (%d, %d) is off by %.3g; plan %v", c.name, domain, i, j, rest, plan.Data)
					}
				}
			}
			e := 1 + math.Exp(-1)
			if want := math.Cbrt(e/16) / e; c.name == "#691" && !(math.Abs(plan.At(0, 0)-want) < 1e-12) {
				t.Errorf("%s: %v, want %v", c.name, plan.At(0, 0), want)
			}
		}
	}

	rng := rand.New(rand.NewPCG(7, 23))
	p := &Problem[float64]{Cost: dist.NewMatrix[float64](20, 20, nil), A: make([]float64, 20), B: make([]float64, 20), Lambda: 100, Mass: 0.01}
	for i := range p.Cost.Data {
		p.Cost.Data[i] = 20 + 10*rng.Float64()
	}
	for i := range p.A {
		p.A[i], p.B[i] = 1/0.35/20, 1./20
	}
	r := mustSolve(t, Settings{Tolerance: 1e-12, Iterations: 100000}, p)
	plan := dist.NewMatrix[float64](20, 20, nil)
	if err := r.PlanTo(t.Context(), plan, 0); err != nil {
		t.Fatal(err)
	}
	var mass float64
	for _, x := range plan.Data {
		mass += x
	}
	if r.Status != StatusConverged || !(math.Abs(mass-0.01) < 1e-10) {
		t.Errorf("#723: %v, a mass of %v", r.Status, mass)
	}
}

// TestUnequalBits checks that results have the same bits for every instruction set and with StorageMatrixFree, and that a start
// from the solution needs few iterations.
func TestUnequalBits(t *testing.T) {
	t.Run("float64", unequalBits[float64])
	t.Run("float32", unequalBits[float32])
}

func unequalBits[T dist.Float](t *testing.T) {
	for _, lambda := range []float64{5, 300} {
		for i := range 3 {
			p := slowProblem[T](30, lambda)
			switch i {
			case 0:
				p.PenaltyA, p.PenaltyB = 0.3, 0.7
			case 1:
				p.PenaltyB = 0.2
			case 2:
				p.Mass = 0.4
			}
			set := Settings{Iterations: 30, Workers: 1}
			var want map[string][]T
			asmtest.At(t, asm.Ref, func() { want = dualOptimum(t, set, p) })
			for lv := range asmtest.Each(t) {
				sameBits(t, lv.String(), dualOptimum(t, set, p), want)
			}
			set.Storage = StorageMatrixFree
			sameBits(t, "matrix-free", dualOptimum(t, set, p), want)

			set = Settings{Tolerance: 1e-4, Iterations: 20000}
			r := mustSolve(t, set, p)
			p.Start = make([]T, 30)
			g := make([]T, 33)
			cold := r.Iterations
			r.PotentialsTo(p.Start, g)
			if r = mustSolve(t, set, p); r.Status != StatusConverged || r.Iterations > max(3, cold/4) {
				t.Errorf("λ = %v, case %d: %v after %d iterations from the solution, %d from nothing", lambda, i, r.Status, r.Iterations, cold)
			}
		}
	}
}

// TestUnequalGradients checks that the gradients with respect to points and weights are the derivatives of the regularized
// cost.
func TestUnequalGradients(t *testing.T) {
	set := Settings{Tolerance: 1e-13, Iterations: 100000}
	for _, c := range unequalCases(t) {
		if c.Lam > 100 || c.Name == "partial, all" {
			continue // finite differences are inaccurate for large λ, and the maximum mass has no derivative
		}
		p := c.problem()
		value := func() float64 { return regularized(t, mustSolve(t, set, p)) }
		r := mustSolve(t, set, p)
		dx, dy := dist.NewMatrix[float64](p.X.Rows, 2, nil), dist.NewMatrix[float64](p.Y.Rows, 2, nil)
		da, db := make([]float64, p.X.Rows), make([]float64, p.Y.Rows)
		if err := r.PointGradientTo(t.Context(), dx, dy, GradientFrozen); err != nil {
			t.Fatal(err)
		}
		plan := dist.NewMatrix[float64](len(da), len(db), nil)
		if err := r.PlanTo(t.Context(), plan, 0); err != nil {
			t.Fatal(err)
		}
		rows, columns := make([]float64, len(da)), make([]float64, len(db))
		for i := range rows {
			for j, x := range plan.Row(i) {
				rows[i] += x
				columns[j] += x
			}
		}
		r.PotentialsTo(da, db)
		weightGradient(da, p.A, rows, p.B, c.PenaltyA, c.Mass, c.Lam)
		weightGradient(db, p.B, columns, p.A, c.PenaltyB, c.Mass, c.Lam)
		rng := rand.New(rand.NewPCG(4, 4))
		for _, g := range []struct {
			name    string
			x, grad []float64
		}{{"X", p.X.Data, dx.Data}, {"Y", p.Y.Data, dy.Data}, {"A", p.A, da}, {"B", p.B, db}} {
			if (g.name == "A" && c.PenaltyA == 0 || g.name == "B" && c.PenaltyB == 0) && c.Mass == 0 && c.PenaltyA+c.PenaltyB == 0 {
				continue
			}
			got, want := slopes(rng, g.x, g.grad, value)
			if !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
				t.Errorf("%s: derivative along %s is %v, differences give %v", c.Name, g.name, want, got)
			}
		}
	}
}

// slopes computes the slope of value() along a random direction of x in two ways: from differences of value(), and from the
// gradient grad.
func slopes(rng *rand.Rand, x, grad []float64, value func() float64) (got, want float64) {
	at, dir := slices.Clone(x), make([]float64, len(x))
	for i := range dir {
		dir[i] = rng.Float64() - 0.5
		want += dir[i] * grad[i]
	}
	const h = 1e-4
	for _, s := range []float64{h, -h} {
		for i := range at {
			x[i] = at[i] + s*dir[i]
		}
		got += value() / (2 * s)
	}
	copy(x, at)
	return got, want
}

// TestUnequalCostGradients checks that GradientImplicit is the derivative of the cost and that GradientFrozen is the derivative
// of the regularized cost, with respect to points and costs. Partial transport supports only GradientFrozen.
func TestUnequalCostGradients(t *testing.T) {
	set := Settings{Tolerance: 1e-13, Iterations: 100000}
	rng := rand.New(rand.NewPCG(4, 6))
	for _, c := range unequalCases(t) {
		if c.Lam > 100 || c.Name == "partial, all" {
			continue
		}
		points := c.problem()
		n, m := points.X.Rows, points.Y.Rows
		costs := *points
		costs.Cost = dist.NewMatrix[float64](n, m, nil)
		dist.SqEuclidean(costs.Cost, points.X, points.Y)
		costs.X, costs.Y = dist.Matrix[float64]{}, dist.Matrix[float64]{}
		for _, domain := range []Domain{DomainPlain, DomainLog} {
			set.Domain = domain
			for _, mode := range []GradientMode{GradientImplicit, GradientFrozen} {
				of := func(p *Problem[float64]) func() float64 {
					return func() float64 {
						if r := mustSolve(t, set, p); mode == GradientImplicit {
							return r.Cost
						} else {
							return regularized(t, r)
						}
					}
				}
				dx, dy, dm := dist.NewMatrix[float64](n, 2, nil), dist.NewMatrix[float64](m, 2, nil), dist.NewMatrix[float64](n, m, nil)
				byPoints := mustSolve(t, set, points).PointGradientTo(t.Context(), dx, dy, mode)
				byCosts := mustSolve(t, set, &costs).CostGradientTo(t.Context(), dm, mode)
				if mode == GradientImplicit && c.Mass > 0 {
					if !errors.Is(byPoints, ErrSettings) || !errors.Is(byCosts, ErrSettings) {
						t.Errorf("%s: %v and %v, want ErrSettings", c.Name, byPoints, byCosts)
					}
					continue
				}
				if byPoints != nil || byCosts != nil {
					t.Fatalf("%s, %v, %v: %v, %v", c.Name, domain, mode, byPoints, byCosts)
				}
				for _, g := range []struct {
					name    string
					x, grad []float64
					value   func() float64
				}{{"X", points.X.Data, dx.Data, of(points)}, {"Y", points.Y.Data, dy.Data, of(points)}, {"M", costs.Cost.Data, dm.Data, of(&costs)}} {
					if got, want := slopes(rng, g.x, g.grad, g.value); !(math.Abs(got-want) <= 1e-5*(1+math.Abs(want))) {
						t.Errorf("%s, %v, %v: derivative along %s is %v, differences give %v", c.Name, domain, mode, g.name, want, got)
					}
				}
			}
		}
	}
}

// TestUnequalDivergence checks that the divergence is zero for a cloud with itself and positive otherwise, and that the
// returned gradient is the derivative of the divergence.
func TestUnequalDivergence(t *testing.T) {
	s, err := newSolver[float64](&Settings{Tolerance: 1e-13, Iterations: 100000})
	if err != nil {
		t.Fatal(err)
	}
	c := unequalCases(t)[0]
	p := c.problem()
	p.PenaltyA, p.PenaltyB = 0.8, 0.8
	none := dist.Matrix[float64]{}
	value := func(p *Problem[float64], dx, dy dist.Matrix[float64]) float64 {
		d, err := s.Divergence(t.Context(), dx, dy, p)
		if err != nil {
			t.Fatal(err)
		}
		return d.Value
	}
	self := *p
	self.Y, self.B = self.X, self.A
	if d := value(&self, none, none); !(math.Abs(d) < 1e-12) {
		t.Errorf("a cloud with itself: %v", d)
	}
	dx, dy := dist.NewMatrix[float64](p.X.Rows, 2, nil), dist.NewMatrix[float64](p.Y.Rows, 2, nil)
	if d := value(p, dx, dy); !(d > 0.01) {
		t.Errorf("two clouds: %v", d)
	}
	twice := *p
	twice.Y, twice.B = twice.X, make([]float64, len(twice.A))
	for i, a := range twice.A {
		twice.B[i] = 2 * a
	}
	if d := value(&twice, none, none); !(d > 0.01) {
		t.Errorf("a cloud with twice itself: %v", d)
	}
	const h = 1e-4
	x := p.X.Data[3]
	p.X.Data[3] = x + h
	up := value(p, none, none)
	p.X.Data[3] = x - h
	down := value(p, none, none)
	p.X.Data[3] = x
	if got := (up - down) / (2 * h); !(math.Abs(got-dx.Data[3]) < 1e-6) {
		t.Errorf("gradient %v, differences give %v", dx.Data[3], got)
	}
	p.PenaltyB = 1
	if _, err := s.Divergence(t.Context(), none, none, p); !errors.Is(err, ErrSettings) {
		t.Errorf("two penalties: %v", err)
	}
	p.PenaltyA, p.PenaltyB, p.Mass = 0, 0, 0.5
	if _, err := s.Divergence(t.Context(), none, none, p); !errors.Is(err, ErrSettings) {
		t.Errorf("a mass: %v", err)
	}
}

// TestUnequalErrors checks that unsupported requests return the documented errors, and that canceled solves have finite plans.
func TestUnequalErrors(t *testing.T) {
	p := unequalCases(t)[0].problem()
	for _, c := range []struct {
		rhoA, rhoB, mass float64
		want             error
	}{
		{-1, 1, 0, ErrSettings}, {1, math.NaN(), 0, ErrSettings}, {0, 0, -1, ErrSettings}, {0, 0, math.NaN(), ErrSettings},
		{0, 0, math.Inf(1), ErrSettings}, {1, 0, 0.5, ErrSettings}, {0, 0, 1.1, ErrMarginals}, {0, 0, 0, ErrMarginals},
		{math.Inf(1), math.Inf(1), 0, ErrMarginals},
	} {
		p.PenaltyA, p.PenaltyB, p.Mass = c.rhoA, c.rhoB, c.mass
		s, err := newSolver[float64](&Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := s.Solve(t.Context(), p); !errors.Is(err, c.want) || r != nil {
			t.Errorf("penalties %v and %v, mass %v: %v", c.rhoA, c.rhoB, c.mass, err)
		}
	}
	p.PenaltyA, p.PenaltyB, p.Mass = 1, 1, 0
	if s, err := newSolver[float64](&Settings{Gradient: true}); err != nil {
		t.Fatal(err)
	} else if _, err := s.Solve(t.Context(), p); !errors.Is(err, ErrSettings) {
		t.Errorf("gradient: %v", err)
	}
	far := unequalCases(t)[4].problem()
	s, err := newSolver[float64](&Settings{Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	plan := dist.NewMatrix[float64](far.X.Rows, far.Y.Rows, nil)
	for left := 0; left < 100; left++ {
		r, err := s.Solve(&countdown{t.Context(), left}, far)
		if err == nil {
			continue
		}
		if r.Iterations == 0 {
			checkNoResult(t, r)
			continue
		}
		if err := r.PlanTo(t.Context(), plan, 0); err != nil {
			t.Fatal(err)
		}
		for _, x := range plan.Data {
			if !finite(x) {
				t.Fatalf("%d checks: plan %v", left, plan.Data)
			}
		}
	}
}

// TestUnequalBatch checks that a batch of balanced, unbalanced and partial problems gives the results of Solve.
func TestUnequalBatch(t *testing.T) {
	base := *slowProblem[float64](20, 10)
	problems := []Problem[float64]{base, base, base, base, base, base}
	problems[1].PenaltyA, problems[1].PenaltyB = 1, 2
	problems[2].PenaltyB = 3
	problems[4].Mass = 0.5
	set := Settings{Tolerance: 1e-9, Workers: 1}
	s, err := newSolver[float64](&set)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SolveBatch(t.Context(), problems, func(i int, r *Result[float64], err error) {
		if err != nil {
			t.Error(err)
			return
		}
		plan := dist.NewMatrix[float64](20, 23, nil)
		if err := r.PlanTo(t.Context(), plan, 0); err != nil {
			t.Error(err)
		}
		want := dualOptimum(t, set, &problems[i])
		sameBits(t, fmt.Sprint("problem ", i), map[string][]float64{"plan": plan.Data}, map[string][]float64{"plan": want["plan"]})
	}); err != nil {
		t.Fatal(err)
	}
}

// weightGradient replaces the potentials f by the gradient of RegularizedCost with respect to the
// weights a (see PotentialsTo).
func weightGradient(f, a, r, b []float64, rho, mass, lambda float64) {
	sum, top := 0.0, 0.0
	for _, x := range b {
		sum += x
	}
	if mass > 0 {
		top = math.Inf(-1)
	}
	for i := range f {
		f[i] -= math.Log(a[i])
		if mass > 0 {
			top = math.Max(top, f[i])
		}
	}
	for i, phi := range f {
		if rho > 0 {
			share := math.Exp(-phi / (rho * lambda))
			f[i] = (sum-share)/lambda + rho*(1-share)
		} else {
			f[i] = (sum - r[i]/a[i] + phi - top) / lambda
		}
	}
}
