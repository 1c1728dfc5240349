package sinkhorn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/testdata"
)

// Kinds of costs of random problems.
const (
	lineCosts = iota // |x − y| of equidistant points
	squaredLineCosts
	gridCosts
	squaredGridCosts
	scatteredCosts // |x − y| of random points on a line
	squaredScatteredCosts
	randomCosts
	wholeCosts // 0, 1, 2 or 3
	costKinds
)

// Kinds of weights of random problems.
const (
	uniformWeights = iota
	randomWeights
	tinyWeights // down to 10⁻⁴⁰
	zeroWeights // a third of the weights are zero
	weightKinds
)

// structuredCosts returns costs from 0 to 1 of the given kind.
func structuredCosts(rng *rand.Rand, n, m, kind int) dist.Matrix[float64] {
	c := dist.NewMatrix[float64](n, m, nil)
	side := int(math.Ceil(math.Sqrt(float64(max(n, m)))))
	x, y := make([]float64, n), make([]float64, m)
	for i := range x {
		x[i] = rng.Float64()
	}
	for j := range y {
		y[j] = rng.Float64()
	}
	top := 0.
	for i := range n {
		for j := range m {
			even, row, column := math.Abs(float64(i)/float64(n)-float64(j)/float64(m)), math.Abs(float64(i/side-j/side)), math.Abs(float64(i%side-j%side))
			d := [costKinds]float64{even, even * even, row + column, row*row + column*column, math.Abs(x[i] - y[j]), (x[i] - y[j]) * (x[i] - y[j]), rng.Float64(), float64(rng.IntN(4))}[kind]
			c.Row(i)[j] = d
			top = max(top, d)
		}
	}
	for k := range c.Data {
		c.Data[k] /= max(top, 1e-9)
	}
	return c
}

// weightsOf returns n weights of the given kind with sum 1.
func weightsOf(rng *rand.Rand, n, kind int) []float64 {
	w, sum := make([]float64, n), 0.
	for i := range w {
		w[i] = [weightKinds]float64{1, 0.05 + rng.Float64(), math.Pow(10, -40*rng.Float64()), math.Max(0, rng.Float64()-1./3)}[kind]
		sum += w[i]
	}
	if sum == 0 {
		w[0], sum = 1, 1
	}
	for i := range w {
		w[i] /= sum
	}
	return w
}

// largeLambda returns random problem number i. A tiny problem has at most 6 × 6 points. Other problems have 25 to 225 source
// points.
func largeLambda(i int, tiny bool, lambda float64) *Problem[float64] {
	rng := rand.New(rand.NewPCG(uint64(i), uint64(lambda)))
	n, m := 1+rng.IntN(6), 1+rng.IntN(6)
	if !tiny {
		side := 5 + rng.IntN(11)
		n, m = side*side, side*side
		if rng.IntN(2) == 0 {
			m = 10 + rng.IntN(200)
		}
	}
	weights := i / costKinds % weightKinds
	return &Problem[float64]{Cost: structuredCosts(rng, n, m, i%costKinds), A: weightsOf(rng, n, weights), B: weightsOf(rng, m, weights), Lambda: lambda}
}

// TestLargeLambda checks that at least 99 % of random problems converge to 1e-9 for λ·max M up to 10⁶, and that the converged
// plans have the correct marginals. The problems include costs on lines and grids, and weights down to 10⁻⁴⁰.
func TestLargeLambda(t *testing.T) {
	counts := map[bool]int{true: 60, false: 5}
	if testdata.IsLong() {
		counts = map[bool]int{true: 1000, false: 120}
	}
	two := &Problem[float64]{Cost: dist.NewMatrix(2, 3, []float64{.5977362347757502, 1, .6417581602802764, .2215270791285754, .20885059775919693, .4571685335287204}),
		A: []float64{.2352168449817957, .7647831550182044}, B: []float64{.3632886602815235, .4042727964921879, .23243854322628862}, Lambda: 3000}
	s, err := newSolver[float64](&Settings{Tolerance: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	solve := func(what string, p *Problem[float64]) bool {
		r, err := s.Solve(t.Context(), p)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return false
		}
		if r.Status != StatusConverged {
			t.Logf("%s: %v, marginal error %.3g", what, r.Status, r.MarginalError)
			return false
		}
		plan := dist.NewMatrix[float64](p.Cost.Rows, p.Cost.Cols, nil)
		if err := r.PlanTo(t.Context(), plan, 0); err != nil {
			t.Fatal(err)
		}
		var worst, columns float64
		for i, a := range p.A {
			sum := 0.
			for _, x := range plan.Row(i) {
				sum += x
			}
			worst = max(worst, math.Abs(sum-a))
		}
		for j, b := range p.B {
			sum := 0.
			for i := range p.A {
				sum += plan.At(i, j)
			}
			columns += math.Abs(sum - b)
		}
		if rounding := 1e-14 + 0x1p-51*p.Lambda; !(worst <= rounding) || !(columns <= 1e-9+rounding) {
			t.Errorf("%s: a row is off by %.3g, the columns by %.3g", what, worst, columns)
		}
		return true
	}
	if !solve("2 × 3", two) {
		t.Error("the 2 × 3 problem does not converge")
	}
	for _, tiny := range []bool{true, false} {
		solved, total := 0, 0
		for _, lambda := range []float64{1e3, 1e4, 1e5, 1e6} {
			for i := range counts[tiny] {
				total++
				if i = i * 7 % 997; solve(fmt.Sprintf("λ = %g, tiny %v, problem %d", lambda, tiny, i), largeLambda(i, tiny, lambda)) {
					solved++
				}
			}
		}
		if t.Logf("tiny %v: %d of %d", tiny, solved, total); 100*solved < 99*total {
			t.Errorf("tiny %v: %d of %d problems converge", tiny, solved, total)
		}
	}
}

// TestWeightlessRows increases the potentials of the columns. It checks that rows of weight zero do not make the column sums
// infinite.
func TestWeightlessRows(t *testing.T) {
	ctx := t.Context()
	s, err := newSolver[float64](&Settings{Tolerance: 1e-9, Iterations: 1000, Domain: DomainLog})
	if err != nil {
		t.Fatal(err)
	}
	p := largeLambda(zeroWeights*costKinds, false, 1e4)
	nw, d := &s.solution.newton, s.solution.dual()
	if err := errors.Join(prepare(ctx, s, p), s.solution.solveFrom(ctx, 20, 1e-9, nil), nw.enterDual(ctx, d)); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		for i := range nw.point.u {
			nw.point.u[i] *= 0x1p-300
		}
		for j := range nw.point.v {
			nw.point.v[j] *= 0x1p300
		}
		if !nw.absorb() {
			t.Fatal("absorbs nothing")
		}
	}
	if err := errors.Join(s.kernel.Fill(ctx), s.kernel.MulTrans(ctx, s.own.q, nw.point.u)); err != nil {
		t.Fatal(err)
	}
	for j, q := range s.own.q {
		if !(p.B[j] == 0 || q > 0) || !finite(q) {
			t.Fatalf("the sum of column %d is %v", j, q)
		}
	}
}

// TestKeptIterate checks that later changes of newton.f do not change the iterate that keepIterate has saved.
func TestKeptIterate(t *testing.T) {
	for _, domain := range []Domain{DomainPlain, DomainLog} {
		s, err := newSolver[float64](&Settings{Tolerance: 1e-9, Iterations: 1000, Domain: domain})
		if err != nil {
			t.Fatal(err)
		}
		ctx, it, nw := t.Context(), &s.own, &s.solution.newton
		if err := errors.Join(prepare(ctx, s, slowProblem[float64](20, 100)), s.solution.solveFrom(ctx, 20, 1e-9, nil)); err != nil {
			t.Fatal(err)
		}
		before := it.res.MarginalError
		s.solution.keepIterate()
		if err := nw.enterDual(ctx, s.solution.dual()); err != nil {
			t.Fatal(err)
		}
		for i := range nw.f { // the same loop as in newton.absorb
			nw.f[i] += 1 + float64(i)
		}
		s.solution.restoreIterate()
		if err := it.columnSums(ctx); err != nil {
			t.Fatal(err)
		}
		var after float64
		for j, b := range it.b {
			after += math.Abs(it.columns[j] - b)
		}
		if !(math.Abs(after-before) <= 1e-12) {
			t.Errorf("%v: the marginal error is %v, and was %v", domain, after, before)
		}
	}
}
