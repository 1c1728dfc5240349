package sinkhorn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/testdata"
)

// certificate solves p and checks the optimality conditions, using only the plan and the potentials. The regularized problem is
// strictly convex, so these conditions prove that the result is correct:
//
//	T_ij = exp(f_i + g_j − λM_ij), the cost is ⟨T, M⟩, and
//	T1 = a and Tᵀ1 = b                                       if both marginals are exact,
//	(T1)_i = a_i exp(−φ_i/(ρλ)), φ_i = f_i − log a_i,        with a penalty, and likewise for b,
//	T1 ≤ a, and (T1)_i = a_i unless φ_i is the largest φ     with Mass, and likewise for b.
//
// Row sums must be correct up to rounding, and column sums up to the tolerance. A solve that has not converged must report its
// true marginal error.
func certificate(ctx interface {
	solve(p *Problem[float64]) (*Result[float64], error)
}, t *testing.T, p *Problem[float64], tolerance float64) (converged bool, err error) {
	r, err := ctx.solve(p)
	if err != nil {
		return false, err
	}
	n, m := p.Cost.Rows, p.Cost.Cols
	plan, f, g := dist.NewMatrix[float64](n, m, nil), make([]float64, n), make([]float64, m)
	if err := errors.Join(r.PlanTo(t.Context(), plan, 0), r.PotentialsTo(f, g)); err != nil {
		return false, err
	}
	var largest, cost, costs, mass float64
	rows, columns := make([]float64, n), make([]float64, m)
	for i := range n {
		for j, x := range plan.Row(i) {
			c := p.Cost.At(i, j)
			rows[i] += x
			columns[j] += x
			mass += x
			cost += x * c
			costs += x * math.Abs(c)
			largest = max(largest, math.Abs(c))
			if !(x >= 0) || math.IsInf(x, 1) {
				return false, fmt.Errorf("T[%d,%d] is %v", i, j, x)
			}
		}
	}
	potential := p.Lambda * largest
	for _, x := range [2][]float64{f, g} {
		for _, x := range x {
			if finite(x) {
				potential = max(potential, math.Abs(x))
			}
		}
	}
	rounding := 1e-13 + 0x1p-49*potential
	for i := range n {
		for j, x := range plan.Row(i) {
			if want := f[i] + g[j] - p.Lambda*p.Cost.At(i, j); x > 1e-290 && !(math.Abs(math.Log(x)-want) <= rounding) {
				return false, fmt.Errorf("log T[%d,%d] is %v, the potentials give %v", i, j, math.Log(x), want)
			}
		}
	}
	if !(math.Abs(cost-r.Cost) <= 1e-13*(costs+1e-300)) {
		return false, fmt.Errorf("the cost is %v, the plan gives %v", r.Cost, cost)
	}
	row, err := violation(p, rows, p.A, f, p.PenaltyA)
	if err != nil {
		return false, err
	}
	if slack := rounding * math.Max(mass, sumOf(p.A)); !(row <= slack) {
		return false, fmt.Errorf("the rows are off by %.3g", row)
	}
	column, err := violation(p, columns, p.B, g, p.PenaltyB)
	if err != nil {
		return false, err
	}
	slack := rounding * math.Max(mass, sumOf(p.B))
	if !(math.Abs(column-r.MarginalError) <= slack+1e-2*r.MarginalError+0.05*tolerance*mass) {
		return false, fmt.Errorf("the columns are off by %.3g, the result says %.3g", column, r.MarginalError)
	}
	if p.Mass > 0 && !(math.Abs(mass-p.Mass) <= (rounding+2*tolerance)*p.Mass+2*r.MarginalError) {
		return false, fmt.Errorf("a mass of %v is moved, want %v", mass, p.Mass)
	}
	if r.Status == StatusConverged && !(column <= 4*tolerance*mass+slack) {
		return false, fmt.Errorf("%v, but the columns are off by %.3g", r.Status, column)
	}
	return r.Status == StatusConverged, nil
}

// violation returns by how much the row sums, or the column sums, violate the optimality conditions. The result is the total
// over all points.
func violation(p *Problem[float64], sums, weights, f []float64, rho float64) (e float64, err error) {
	top := math.Inf(-1)
	for i, w := range weights {
		if w > 0 {
			top = max(top, f[i]-math.Log(w))
		}
	}
	// With Mass, the next scaling of a point is w·e^factor, where w is the weight of the point. The scaling is smaller if
	// the new row or column sum would exceed w. Bisection finds the factor for which all sums add up to Mass.
	lo, hi := -2000., 2000.
	for p.Mass > 0 && hi-lo > 1e-15*(1+math.Abs(lo)) && (lo+hi)/2 != lo && (lo+hi)/2 != hi {
		factor, sum := (lo+hi)/2, 0.
		for i, w := range weights {
			sum += nextSum(sums[i], w, f[i]-top, factor)
		}
		if sum < p.Mass {
			lo = factor
		} else {
			hi = factor
		}
	}
	factor := lo + top
	for i, w := range weights {
		switch {
		case w == 0:
			if sums[i] != 0 || !math.IsInf(f[i], -1) {
				return 0, fmt.Errorf("point %d without weight has the mass %v and the potential %v", i, sums[i], f[i])
			}
		case p.Mass > 0:
			e += math.Abs(sums[i] - nextSum(sums[i], w, f[i], factor))
		case rho > 0: // the change by the next scaling, as in Result.MarginalError
			x := rho * p.Lambda
			if sums[i] > 0 {
				e += sums[i] * math.Abs(math.Expm1(-(f[i]-math.Log(w))/(1+x)-x/(1+x)*math.Log(sums[i]/w)))
			}
		default:
			e += math.Abs(sums[i] - w)
		}
	}
	return e, nil
}

// nextSum returns a row or column sum of the plan after the next scaling. sum is the current sum, w is the weight of the row or
// column, and f is its potential. The next scaling replaces e^f by w·e^factor, or by a smaller value if the new sum would
// exceed w.
func nextSum(sum, w, f, factor float64) float64 {
	if w == 0 || sum == 0 {
		return 0
	}
	return min(w, sum*math.Exp(factor-(f-math.Log(w))))
}

func sumOf(w []float64) (sum float64) {
	for _, w := range w {
		sum += w
	}
	return sum
}

// solving is a solver that uses the context of a test.
type solving struct {
	*solver[float64]
	t *testing.T
}

func (s solving) solve(p *Problem[float64]) (*Result[float64], error) {
	return s.Solve(s.t.Context(), p)
}

// certified returns random problem number i, with n ≤ most and m ≤ most. The problem is balanced, has penalties, or is partial
// transport. In a fifth of the problems, some costs are negative. Weights are equal, random, tiny or zero.
func certified(i, most int) *Problem[float64] {
	rng := rand.New(rand.NewPCG(27, uint64(i)))
	n, m := 1+rng.IntN(most), 1+rng.IntN(most)
	p := &Problem[float64]{Cost: structuredCosts(rng, n, m, rng.IntN(costKinds)), A: weightsOf(rng, n, rng.IntN(weightKinds)), B: weightsOf(rng, m, rng.IntN(weightKinds))}
	p.Lambda = math.Pow(10, 5*rng.Float64()-1)
	if rng.IntN(5) == 0 {
		for k := range p.Cost.Data {
			p.Cost.Data[k] -= 0.6
		}
	}
	rho := [3]float64{0, math.Pow(10, 5*rng.Float64()-2), math.Pow(10, 5*rng.Float64()-2)}
	heavier := math.Pow(10, 2*rng.Float64()-1)
	switch i % 4 {
	case 1:
		p.PenaltyA, p.PenaltyB = rho[rng.IntN(3)], rho[1]
	case 2:
		p.PenaltyA = rho[2]
	case 3:
		p.Lambda = math.Pow(10, 3*rng.Float64()-1)
		p.Mass = (0.05 + 0.9*rng.Float64()) * math.Min(1, heavier)
	}
	if i%4 > 0 {
		for j := range p.B {
			p.B[j] *= heavier
		}
	}
	return p
}

// TestCertificates checks that the results of random problems satisfy the optimality conditions, and that nearly all solves
// converge.
func TestCertificates(t *testing.T) {
	count := 56
	if testdata.IsLong() {
		count = 560
	}
	s, err := newSolver[float64](&Settings{Tolerance: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	var solved, total [4]int
	for i := range count {
		p := certified(i, 40)
		ok, err := certificate(solving{s, t}, t, p, 1e-9)
		if err != nil {
			t.Errorf("problem %d, %d×%d, λ = %v, ρ = %v, %v, mass %v: %v", i, p.Cost.Rows, p.Cost.Cols, p.Lambda, p.PenaltyA, p.PenaltyB, p.Mass, err)
		}
		total[i%4]++
		if ok {
			solved[i%4]++
		}
	}
	if t.Logf("%v of %v converge", solved, total); solved[0]+solved[1]+solved[2] < (total[0]+total[1]+total[2])*98/100 || solved[3] < total[3]*98/100 {
		t.Errorf("%v of %v converge", solved, total)
	}
}

// TestManyCertificates checks many small problems with every instruction set for wrong answers and
// for a false StatusConverged. MONGE_CERTIFICATES sets the number of problems.
func TestManyCertificates(t *testing.T) {
	count := 1000
	if testdata.IsLong() {
		count = 40000
	}
	if many := os.Getenv("MONGE_CERTIFICATES"); many != "" {
		var err error
		if count, err = strconv.Atoi(many); err != nil {
			t.Fatal(err)
		}
	}
	s, err := newSolver[float64](&Settings{Tolerance: 1e-9, Iterations: 2000})
	if err != nil {
		t.Fatal(err)
	}
	for level := range asmtest.Each(t) {
		solved := 0
		for i := range count {
			ok, err := certificate(solving{s, t}, t, certified(i, 6), 1e-9)
			if err != nil {
				t.Errorf("%v, problem %d: %v", level, i, err)
			}
			if ok {
				solved++
			}
		}
		t.Logf("%v: %d of %d converge", level, solved, count)
	}
}
