package sinkhorn_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/oracle"
	"github.com/gomonge/monge/internal/oracle/trial"
	"github.com/gomonge/monge/sinkhorn"
)

// blocked are the folders with sizes of blocks.
var blocked = []string{"sinkhorn", "internal/gibbs", "internal/asm/pass", "internal/asm/block", "internal/asm/lane"}

func TestOracle(t *testing.T) {
	t.Run("float64", testOracle[float64])
	t.Run("float32", testOracle[float32])
}

func testOracle[T dist.Float](t *testing.T) {
	used := new(history[T])
	t.Run("iterations", func(t *testing.T) { trial.Run(t, 40, blocked, func(c *trial.Case) { compareIterations(c, used) }) })
	t.Run("convergence", func(t *testing.T) { trial.Run(t, 30, blocked, func(c *trial.Case) { compareConvergence(c, used) }) })
	t.Run("masses", func(t *testing.T) { trial.Run(t, 20, blocked, func(c *trial.Case) { compareMasses(c, used) }) })
	t.Run("gradients", func(t *testing.T) { trial.Run(t, 12, blocked, func(c *trial.Case) { compareGradients(c, used) }) })
	t.Run("Divergence", func(t *testing.T) { trial.Run(t, 12, blocked, func(c *trial.Case) { compareDivergence(c, used) }) })
	t.Run("batches", func(t *testing.T) { trial.Run(t, 20, blocked, compareBatches[T]) })
}

// history has solvers that other cases have used before: for larger and smaller problems, and for some that failed or were
// canceled.
type history[T dist.Float] struct {
	solvers map[sinkhorn.Settings]*sinkhorn.Solver[T]
}

// solver returns a solver with these settings.
func (h *history[T]) solver(c *trial.Case, set sinkhorn.Settings) *sinkhorn.Solver[T] {
	if h.solvers == nil {
		h.solvers = make(map[sinkhorn.Settings]*sinkhorn.Solver[T])
	}
	s, ok := h.solvers[set]
	if !ok || c.Chance(16) {
		var err error
		if s, err = sinkhorn.NewSolver[T](&set); err != nil {
			c.Fatal(err)
		}
		h.solvers[set] = s
	}
	switch c.IntN(6) {
	case 0: // fails
		if r, err := s.Solve(context.Background(), &sinkhorn.Problem[T]{Cost: dist.NewMatrix[T](3, 2, nil), A: []T{1, -1, 1}, Lambda: 1}); err == nil {
			c.Errorf("a negative weight: %v", r)
		}
	case 1: // is canceled
		x := dist.NewMatrix[T](30+c.IntN(40), 2, nil)
		for i := range x.Data {
			x.Data[i] = T(c.NormFloat64())
		}
		s.Solve(ending.At(1+c.IntN(9)), &sinkhorn.Problem[T]{X: x, Y: x, Lambda: 1})
	case 2:
		s.Shrink()
	}
	return s
}

// instance is a problem for the library and for the oracle.
type instance[T dist.Float] struct {
	problem  sinkhorn.Problem[T]
	plain    oracle.Transport
	kernel   [][]oracle.Real
	x, y     [][]oracle.Real
	y0       float64 // λ times the largest cost
	dims     int
	set      sinkhorn.Settings
	mixed    bool
	solution [][]oracle.Real
}

func reals[T dist.Float](m trial.View[T]) [][]oracle.Real {
	rows := make([][]oracle.Real, m.Rows)
	for i := range rows {
		rows[i] = realsOf(m.Row(i))
	}
	return rows
}

func realsOf[T dist.Float](x []T) []oracle.Real {
	r := make([]oracle.Real, len(x))
	for i, v := range x {
		r[i] = oracle.Of(v)
	}
	return r
}

// draw draws a problem of n against m points, with λ·cost up to most.
func draw[T dist.Float](c *trial.Case, n, m int, most float64, zeros bool) *instance[T] {
	in := &instance[T]{}
	weights := func(n int) []T {
		w, sum := make([]T, n), T(0)
		zero := zeros && c.Chance(3) && n > 1
		for i := range w {
			if w[i] = T(0.1 + c.Float64()); zero && i > 0 && c.Chance(4) {
				w[i] = 0
			}
			sum += w[i]
		}
		for i := range w {
			w[i] /= sum
		}
		return trial.Vector(c, n, func(i int) T { return w[i] })
	}
	uniform := func(n int) []oracle.Real {
		w := make([]oracle.Real, n)
		for i := range w {
			w[i] = oracle.Of(1).Div(oracle.Of(n))
		}
		return w
	}
	p := &in.problem
	scale := math.Exp(c.NormFloat64())
	if c.Chance(2) {
		in.dims = 1 + c.Size(40)
		if c.Chance(8) {
			in.dims = 64 + c.IntN(8)
		}
		point := func(i, j int) T { return T(scale * c.NormFloat64() / math.Sqrt(float64(in.dims))) }
		x := trial.Matrix(c, n, in.dims, point)
		y := trial.Matrix(c, m, in.dims, point)
		if n == m && c.Chance(3) {
			y = x
		}
		p.X, p.Y, in.x, in.y = dist.Matrix[T](x), dist.Matrix[T](y), reals(x), reals(y)
		in.plain.Cost = oracle.Costs(in.x, in.y)
	} else {
		cost := trial.Matrix(c, n, m, func(i, j int) T { return T(scale * c.Float64()) })
		p.Cost, in.plain.Cost = dist.Matrix[T](cost), reals(cost)
	}
	in.plain.A, in.plain.B = uniform(n), uniform(m)
	if c.Chance(2) {
		p.A = weights(n)
		in.plain.A = realsOf(p.A)
	}
	if c.Chance(2) {
		p.B = weights(m)
		in.plain.B = realsOf(p.B)
	}
	largest := 0.0
	for _, row := range in.plain.Cost {
		for _, v := range row {
			largest = max(largest, v.Hi)
		}
	}
	in.y0 = most * math.Pow(c.Float64(), 2)
	p.Lambda = 1.0
	if largest > 0 {
		p.Lambda = in.y0 / largest
	}
	in.plain.Lambda = oracle.Of(p.Lambda)
	in.kernel = in.plain.Kernel()
	in.set = sinkhorn.Settings{
		Workers: 1 + c.IntN(3),
		Domain:  []sinkhorn.Domain{sinkhorn.DomainAuto, sinkhorn.DomainAuto, sinkhorn.DomainLog}[c.IntN(3)],
		Storage: sinkhorn.Storage(c.IntN(4)),
	}
	in.mixed = in.set.Storage == sinkhorn.StorageMixed
	return in
}

// bound returns the relative error of an element of the plan after k iterations.
func (in *instance[T]) bound(k int) float64 {
	u, factor := trial.Epsilon[T](), 1.0
	if in.dims >= 64 {
		factor = 50
	}
	kernel := (factor*float64(in.dims+3)*in.y0 + 2) * 2 * u
	if in.mixed {
		kernel += 0x1p-24
	}
	n := float64(max(len(in.plain.A), len(in.plain.B)))
	return float64(2*k+3) * (kernel + (n/4+12)*u)
}

// lost returns the bound of Result.PlanTo on the value of an element of the plan that has underflowed. f and g are its
// potentials.
func (in *instance[T]) lost(domain sinkhorn.Domain, f, g float64) float64 {
	normal, narrow := trial.Normal[T](), in.mixed || trial.Epsilon[T]() > 1e-10
	if narrow {
		normal = trial.Normal[float32]()
	}
	if domain == sinkhorn.DomainPlain { // of K, of K times a scaling, or of the element itself
		return normal * math.Exp(max(0, f, g, f+g)) * 1.01
	}
	least := 1.0
	for _, w := range slices.Concat(in.plain.A, in.plain.B) {
		if w.Hi > 0 {
			least = min(least, w.Hi)
		}
	}
	room := 0x1p966
	if narrow {
		room = 0x1p99
	}
	squared := room * least / float64(max(len(in.plain.A), len(in.plain.B)))
	switch {
	case trial.Epsilon[T]() > 1e-10:
		squared = min(squared, 0x1p80)
	case !narrow:
		squared = min(squared, 0x1p800)
	}
	return normal * squared
}

// compareResult compares a result with the plan of the oracle.
func compareResult[T dist.Float](c *trial.Case, in *instance[T], s oracle.Scalings, k int, costs []float64, plan, image trial.View[T], f, g []T) {
	e := in.bound(k)
	want := s.Plan(in.kernel)
	_, columns := oracle.Sums(want, len(g))
	mass, off := 0.0, oracle.Real{}
	for j, sum := range columns {
		mass += sum.Hi
		off = off.Add(sum.Sub(in.plain.B[j]).Abs())
	}
	most := 0.0
	for i, row := range want {
		for j, v := range row {
			trial.Near(c, plan.Row(i)[j], v, e*v.Hi+trial.Normal[T](), "plan %d, %d of %d × %d after %d iterations", i, j, len(f), len(g), k)
		}
		if c.Failed() {
			return
		}
	}
	potentials := func(got []T, u []oracle.Real, name string) {
		for i, v := range u {
			log := v.Log()
			if v.Hi == 0 {
				log = oracle.Of(math.Inf(-1))
			} else {
				most = max(most, math.Abs(log.Hi))
			}
			trial.Near(c, got[i], log, e+8*trial.Epsilon[T]()*(math.Abs(log.Hi)+in.y0), "potential %s %d", name, i)
		}
	}
	potentials(f, s.U, "f")
	potentials(g, s.V, "g")
	inner := oracle.Inner(want, in.plain.Cost)
	trial.Near(c, costs[0], inner, 2*e*inner.Hi, "cost of %d × %d after %d iterations", len(f), len(g), k)
	trial.Near(c, costs[1], off, 2*e*mass, "marginal error")
	regular := in.plain.Regularized(want)
	trial.Near(c, costs[2], regular, 2*e*mass*(most+in.y0+10)/in.plain.Lambda.Hi, "regularized cost")
	for i, row := range in.x {
		total, sum := oracle.Real{}, make([]oracle.Real, len(row))
		size := 0.0
		for j, q := range in.y {
			total = total.Add(want[i][j])
			for l, v := range q {
				sum[l] = sum[l].Add(want[i][j].Mul(v))
				size = max(size, math.Abs(v.Hi))
			}
		}
		for l, v := range sum {
			q := v.Div(total)
			if total.Hi == 0 {
				q = oracle.Of(math.NaN())
			}
			trial.Near(c, image.Row(i)[l], q, 3*e*size, "image %d, %d", i, l)
		}
	}
}

// outputs has everything that a result can give.
type outputs[T dist.Float] struct {
	plan, image trial.View[T]
	f, g        []T
	costs       []float64
}

func newOutputs[T dist.Float](c *trial.Case, in *instance[T]) *outputs[T] {
	n, m := len(in.plain.A), len(in.plain.B)
	return &outputs[T]{
		plan: trial.Output[T](c, n, m), image: trial.Output[T](c, len(in.x), in.problem.X.Cols),
		f: trial.OutputVector[T](c, n), g: trial.OutputVector[T](c, m), costs: trial.OutputVector[float64](c, 3),
	}
}

// set asks a result for everything, for the plan in two pieces.
func (o *outputs[T]) set(c *trial.Case, r *sinkhorn.Result[T], first int) {
	c.Helper()
	ctx := context.Background()
	o.costs[0], o.costs[1] = r.Cost, r.MarginalError
	var err error
	check := func(e error) {
		if e != nil {
			c.Error(e)
		}
	}
	o.costs[2], err = r.RegularizedCost(ctx)
	check(err)
	plan := dist.Matrix[T](o.plan)
	if first > 0 {
		check(r.PlanTo(ctx, plan.RowRange(0, first), 0))
	}
	check(r.PlanTo(ctx, plan.RowRange(first, plan.Rows), first))
	check(r.PotentialsTo(o.f, o.g))
	if o.image.Rows > 0 {
		check(r.BarycentricTo(ctx, dist.Matrix[T](o.image)))
	}
}

func sizes(c *trial.Case, small, large int) (n, m int) {
	s := c.Shape(1500, c.Budget(small, large), 1, 1)
	return max(1, s[0]), max(1, s[1])
}

func compareIterations[T dist.Float](c *trial.Case, used *history[T]) {
	c.Alone()
	n, m := sizes(c, 1<<10, 1<<14)
	in := draw[T](c, n, m, 50, true)
	in.set.Iterations = 1 + c.IntN(6)
	in.set.Gradient = c.Chance(4)
	u := make([]oracle.Real, n)
	for i := range u {
		u[i] = oracle.Of(1)
	}
	if c.Chance(3) {
		in.problem.Start = trial.Vector(c, n, func(i int) T {
			if in.plain.A[i].Hi == 0 && c.Chance(2) {
				return T(math.Inf(-1))
			}
			return T(c.NormFloat64())
		})
		for i, v := range in.problem.Start {
			u[i] = oracle.Of(v).Exp()
		}
	}
	out := newOutputs(c, in)
	frozen := trial.Output[T](c, n, m)
	solver, first := used.solver(c, in.set), c.IntN(n)
	c.Call("iterations", func() {
		r, err := solver.Solve(context.Background(), &in.problem)
		if err != nil {
			c.Fatal(err)
		}
		if r.Iterations != in.set.Iterations || r.Status != sinkhorn.StatusCompleted {
			c.Errorf("%d iterations, %v, want %d", r.Iterations, r.Status, in.set.Iterations)
		}
		out.set(c, r, first)
		if err := r.CostGradientTo(context.Background(), dist.Matrix[T](frozen), sinkhorn.GradientFrozen); err != nil {
			c.Error(err)
		}
	})
	compareResult(c, in, in.plain.Iterate(in.kernel, u, in.set.Iterations), in.set.Iterations, out.costs, out.plan, out.image, out.f, out.g)
	e := in.bound(in.set.Iterations)
	for i := range n {
		for j, v := range out.plan.Row(i) {
			trial.Near(c, frozen.Row(i)[j], oracle.Of(v), 2*e*float64(v)+trial.Normal[T](), "frozen gradient %d, %d", i, j)
		}
	}
}

// compareConvergence checks the result of a solve to a tolerance: the plan is T_ij = exp(f_i − λM_ij + g_j), its row sums are a,
// and its column sums differ from b by at most the tolerance.
func compareConvergence[T dist.Float](c *trial.Case, used *history[T]) {
	c.Alone()
	n, m := sizes(c, 1<<10, 1<<14)
	in := draw[T](c, n, m, []float64{10, 100, 1000}[c.IntN(3)], true)
	in.set.Tolerance = 1e-8
	if trial.Epsilon[T]() > 1e-10 {
		in.set.Tolerance = 1e-3
	} else if in.mixed {
		in.set.Tolerance = 1e-6
	}
	in.set.Unaccelerated = c.Chance(4)
	if c.Chance(4) {
		in.set.Anneal = 4
	}
	out := newOutputs(c, in)
	solver, first := used.solver(c, in.set), c.IntN(n)
	status, domain := sinkhorn.StatusConverged, sinkhorn.DomainPlain
	c.Call("convergence", func() {
		r, err := solver.Solve(context.Background(), &in.problem)
		if err != nil {
			c.Fatalf("λ·cost = %v: %v", in.y0, err)
		}
		domain = r.Domain
		if status = r.Status; status != sinkhorn.StatusConverged && !in.set.Unaccelerated {
			c.Errorf("%v after %d iterations: λ·cost = %v, %d × %d", r.Status, r.Iterations, in.y0, n, m)
		}
		out.set(c, r, first)
	})
	e := in.bound(4) + 8*trial.Epsilon[T]()*in.y0
	plan := reals(out.plan)
	for i, row := range plan {
		for j, got := range row {
			want := oracle.Of(out.f[i]).Add(oracle.Of(out.g[j])).Sub(in.plain.Lambda.Mul(in.plain.Cost[i][j])).Exp()
			own := e + 2*trial.Epsilon[T]()*(math.Abs(float64(out.f[i]))+math.Abs(float64(out.g[j])))
			lost := in.lost(domain, float64(out.f[i]), float64(out.g[j]))
			if math.IsInf(own, 1) { // a zero weight
				own, want, lost = 0, oracle.Real{}, 0
			}
			if !(math.Abs(got.Sub(want).Hi) <= own*want.Hi+lost) {
				c.Errorf("plan %d, %d of %d × %d is %v, its potentials give %v (λ·cost up to %v)", i, j, n, m, got.Hi, want.Hi, in.y0)
				return
			}
		}
	}
	rows, columns := oracle.Sums(plan, m)
	for i, r := range rows {
		if a := in.plain.A[i]; !(math.Abs(r.Sub(a).Hi) <= e*a.Hi+float64(m)*trial.Normal[T]()) {
			c.Errorf("row %d of %d × %d has the sum %v, not %v", i, n, m, r.Hi, a.Hi)
		}
	}
	off := 0.0
	for j, s := range columns {
		off += math.Abs(s.Sub(in.plain.B[j]).Hi)
	}
	if status == sinkhorn.StatusConverged && off > in.set.Tolerance*1.01+e || math.Abs(off-out.costs[1]) > e {
		c.Errorf("the columns are off by %v, the result says %v", off, out.costs[1])
	}
	inner := oracle.Inner(plan, in.plain.Cost)
	trial.Near(c, out.costs[0], inner, 2*e*inner.Hi, "cost of %d × %d", n, m)
}

func compareMasses[T dist.Float](c *trial.Case, used *history[T]) {
	c.Alone()
	s := c.Shape(20, 100, 1, 1)
	n, m := max(1, s[0]), max(1, s[1])
	in := draw[T](c, n, m, 6, false)
	in.set.Tolerance = 1e-9
	if trial.Epsilon[T]() > 1e-10 {
		in.set.Tolerance = 1e-4
	} else if in.mixed {
		in.set.Tolerance = 1e-6
	}
	total := 0.0
	for _, a := range in.plain.A {
		total += a.Hi
	}
	what := ""
	switch c.IntN(4) {
	case 0:
		in.problem.Mass = total * (0.2 + 0.7*c.Float64())
		what = fmt.Sprintf("mass %v", in.problem.Mass)
		in.solution = in.plain.Partial(in.kernel, in.problem.Mass)
	case 1:
		in.problem.PenaltyA, in.problem.PenaltyB = (0.2+c.Float64())/in.problem.Lambda, math.Inf(1)
		in.solution = in.plain.Penalized(in.kernel, in.problem.PenaltyA, in.problem.PenaltyB)
		if c.Chance(2) {
			in.problem.PenaltyB = 0 // means the same
		}
		what = fmt.Sprintf("penalties %v, %v", in.problem.PenaltyA, in.problem.PenaltyB)
	default:
		in.problem.PenaltyA, in.problem.PenaltyB = (0.2+c.Float64())/in.problem.Lambda, (0.2+c.Float64())/in.problem.Lambda
		what = fmt.Sprintf("penalties %v, %v", in.problem.PenaltyA, in.problem.PenaltyB)
		in.solution = in.plain.Penalized(in.kernel, in.problem.PenaltyA, in.problem.PenaltyB)
	}
	out := newOutputs(c, in)
	solver, first := used.solver(c, in.set), c.IntN(n)
	c.Call("masses", func() {
		r, err := solver.Solve(context.Background(), &in.problem)
		if err != nil {
			c.Fatal(err)
		}
		if r.Status != sinkhorn.StatusConverged {
			c.Errorf("%s: %v", what, r.Status)
		}
		out.set(c, r, first)
	})
	// The plan is as far from the optimum as the tolerance, times the condition of the problem, which is small here.
	e := in.bound(30) + 100*in.set.Tolerance
	size := 0.0
	for i, row := range in.solution {
		mean, sum := make([]oracle.Real, in.problem.X.Cols), oracle.Real{}
		for j, v := range row {
			size = max(size, v.Hi)
			trial.Near(c, out.plan.Row(i)[j], v, e*(v.Hi+0.01/float64(n*m)), "plan %d, %d of %d × %d with %s, λ·cost %v", i, j, n, m, what, in.y0)
			if c.Failed() {
				return
			}
			sum = sum.Add(v)
			if in.y != nil {
				for l, q := range in.y[j] {
					mean[l] = mean[l].Add(v.Mul(q))
				}
			}
		}
		for l := range in.problem.X.Cols {
			trial.Near(c, out.image.Row(i)[l], mean[l].Div(sum), 10*e*8, "image %d, %d with %s", i, l, what)
		}
	}
	inner := oracle.Inner(in.solution, in.plain.Cost)
	trial.Near(c, out.costs[0], inner, 2*e*(inner.Hi+0.01), "cost with %s", what)
}

func compareGradients[T dist.Float](c *trial.Case, used *history[T]) {
	c.Alone()
	n, m := 1+c.IntN(5), 1+c.IntN(5)
	in := draw[T](c, n, m, 3, false)
	for in.dims > 6 {
		in = draw[T](c, n, m, 3, false)
	}
	mode := sinkhorn.GradientMode(c.IntN(3))
	ones := make([]oracle.Real, n)
	for i := range ones {
		ones[i] = oracle.Of(1)
	}
	in.set.Iterations = 1 + c.IntN(5)
	cost := func() oracle.Real {
		k := in.plain.Kernel()
		return oracle.Inner(in.plain.Iterate(k, ones, in.set.Iterations).Plan(k), in.plain.Cost)
	}
	in.set.Gradient = mode == sinkhorn.GradientUnrolled
	if mode == sinkhorn.GradientImplicit {
		in.set.Iterations = 0
		in.set.Tolerance = 1e-10
		if trial.Epsilon[T]() > 1e-10 {
			in.set.Tolerance = 1e-5
		} else if in.mixed {
			in.set.Tolerance = 1e-8
		}
		cost = func() oracle.Real {
			k := in.plain.Kernel()
			return oracle.Inner(in.plain.Converged(k).Plan(k), in.plain.Cost)
		}
	}
	if mode == sinkhorn.GradientFrozen { // the plan is a constant
		plan := in.plain.Iterate(in.kernel, ones, in.set.Iterations).Plan(in.kernel)
		cost = func() oracle.Real { return oracle.Inner(plan, in.plain.Cost) }
	}
	points := in.x != nil
	byCost := trial.Output[T](c, n, m)
	dx, dy := trial.Output[T](c, len(in.x), in.dims), trial.Output[T](c, len(in.y), in.dims)
	solver := used.solver(c, in.set)
	c.Call("gradients", func() {
		r, err := solver.Solve(context.Background(), &in.problem)
		if err != nil {
			c.Fatal(err)
		}
		if err := r.CostGradientTo(context.Background(), dist.Matrix[T](byCost), mode); err != nil {
			c.Fatalf("%v gradient of %d × %d, λ·cost = %v: %v; %+v %+v", mode, n, m, in.y0, err, in.set, in.problem)
		}
		if points {
			if err := r.PointGradientTo(context.Background(), dist.Matrix[T](dx), dist.Matrix[T](dy), mode); err != nil {
				c.Fatal(err)
			}
		}
	})
	e := 30 * (1 + in.y0) * (in.bound(in.set.Iterations+5) + 100*in.set.Tolerance)
	near := func(got [][]T, at [][]oracle.Real, f func() oracle.Real, scale float64, what string) {
		for i, row := range at {
			for j := range row {
				want := oracle.Derivative(&at[i][j], f)
				trial.Near(c, got[i][j], want, e*scale, "%s, %v gradient at %d, %d of %d × %d", what, mode, i, j, n, m)
				if c.Failed() {
					return
				}
			}
		}
	}
	near(byCost.Table(), in.plain.Cost, cost, 1, "cost")
	if !points {
		return
	}
	ofPoints := func() oracle.Real {
		in.plain.Cost = oracle.Costs(in.x, in.y)
		return cost()
	}
	size := 1.0
	for _, rows := range [][][]oracle.Real{in.x, in.y} {
		for _, row := range rows {
			for _, v := range row {
				size = max(size, math.Abs(v.Hi))
			}
		}
	}
	near(dx.Table(), in.x, ofPoints, 4*size, "X")
	near(dy.Table(), in.y, ofPoints, 4*size, "Y")
}

func compareDivergence[T dist.Float](c *trial.Case, used *history[T]) {
	c.Alone()
	n, m := 1+c.IntN(6), 1+c.IntN(6)
	in := draw[T](c, n, m, 3, false)
	for in.x == nil || in.dims > 5 {
		in = draw[T](c, n, m, 3, false)
	}
	in.set.Tolerance = 1e-10
	if trial.Epsilon[T]() > 1e-10 {
		in.set.Tolerance = 1e-5
	} else if in.mixed {
		in.set.Tolerance = 1e-8
	}
	gradients := c.Chance(2)
	rho := math.Inf(1)
	if c.Chance(3) {
		rho = (0.2 + c.Float64()) / in.problem.Lambda
		in.problem.PenaltyA, in.problem.PenaltyB = rho, rho
	}
	var dx, dy trial.View[T]
	if gradients {
		dx, dy = trial.Output[T](c, n, in.dims), trial.Output[T](c, m, in.dims)
	}
	value := trial.OutputVector[float64](c, 1)
	solver := used.solver(c, in.set)
	c.Call("Divergence", func() {
		d, err := solver.Divergence(context.Background(), dist.Matrix[T](dx), dist.Matrix[T](dy), &in.problem)
		if err != nil {
			c.Fatal(err)
		}
		if d.Status != sinkhorn.StatusConverged {
			c.Errorf("%v", d.Status)
		}
		value[0] = d.Value
		iterations, most := 0, 0.0
		three := [3]sinkhorn.Problem[T]{in.problem, in.problem, in.problem}
		three[1].Y, three[1].B = three[1].X, three[1].A
		three[2].X, three[2].A = three[2].Y, three[2].B
		for _, q := range three {
			r, err := solver.Solve(context.Background(), &q)
			if err != nil {
				c.Fatal(err)
			}
			iterations, most = iterations+r.Iterations, max(most, r.MarginalError)
		}
		if d.Iterations != iterations || d.MarginalError != most {
			c.Errorf("a divergence with %d iterations and marginal error %v, alone %d and %v", d.Iterations, d.MarginalError, iterations, most)
		}
	})
	total := func(w []oracle.Real) (s oracle.Real) {
		for _, v := range w {
			s = s.Add(v)
		}
		return s
	}
	w := func(x, y [][]oracle.Real, a, b []oracle.Real) oracle.Real {
		p := oracle.Transport{Cost: oracle.Costs(x, y), A: a, B: b, Lambda: in.plain.Lambda}
		k := p.Kernel()
		if math.IsInf(rho, 1) {
			return p.Regularized(p.Converged(k).Plan(k))
		}
		// ⟨T, M⟩ + KL(T | a⊗b)/λ + ρ KL(T1 | a) + ρ KL(Tᵀ1 | b), each with KL(x | y) = Σ x log(x/y) − x + y.
		plan := p.Penalized(k, rho, rho)
		rows, columns := oracle.Sums(plan, len(b))
		mass, value := total(rows), p.Regularized(plan)
		value = value.Add(total(a).Mul(total(b)).Sub(mass).Div(p.Lambda))
		kl := func(r, w []oracle.Real) {
			s := total(w).Sub(total(r))
			for i, v := range r {
				s = s.Add(v.Mul(v.Div(w[i]).Log()))
			}
			value = value.Add(s.Mul(oracle.Of(rho)))
		}
		kl(rows, a)
		kl(columns, b)
		return value
	}
	a, b := in.plain.A, in.plain.B
	divergence := func() oracle.Real {
		s := w(in.x, in.y, a, b).Sub(w(in.x, in.x, a, a).Ldexp(-1)).Sub(w(in.y, in.y, b, b).Ldexp(-1))
		if !math.IsInf(rho, 1) {
			d := total(a).Sub(total(b))
			s = s.Add(d.Mul(d).Div(in.plain.Lambda).Ldexp(-1))
		}
		return s
	}
	e := 20 * (1 + in.y0) * (in.bound(20) + 10*in.set.Tolerance) * (1 + 1/in.plain.Lambda.Hi) * (1 + in.y0/in.plain.Lambda.Hi)
	trial.Near(c, value[0], divergence(), e, "divergence of %d and %d points, λ = %v, ρ = %v", n, m, in.problem.Lambda, rho)
	if gradients {
		for _, side := range []struct {
			at  [][]oracle.Real
			got trial.View[T]
		}{{in.x, dx}, {in.y, dy}} {
			if len(in.problem.X.Data) > 0 && &in.problem.X.Data[0] == &in.problem.Y.Data[0] {
				break // the derivatives below move one cloud only, as reals has copies; but costs of X with itself are symmetric
			}
			i, j := c.IntN(len(side.at)), c.IntN(in.dims)
			trial.Near(c, side.got.Row(i)[j], oracle.Derivative(&side.at[i][j], divergence), 20*e, "gradient %d, %d of the divergence, ρ = %v", i, j, rho)
		}
	}
}

// compareBatches compares the answers of a batch, and of a pool, with those of new solvers in bits.
func compareBatches[T dist.Float](c *trial.Case) {
	c.Alone()
	var problems []sinkhorn.Problem[T]
	first := draw[T](c, 1+c.IntN(40), 1+c.IntN(40), 20, true)
	set := first.set
	set.Iterations = 1 + c.IntN(6)
	if c.Chance(3) {
		set.Tolerance = 1e-3
		set.Iterations = 100
	}
	if c.Chance(2) { // small matrices without gaps, of almost the same shape
		m, most := 1+c.IntN(8), 1+c.IntN(3)
		for range 2 + c.IntN(20) {
			n := 1 + c.IntN(most)
			cost := dist.Matrix[T](trial.View[T]{Rows: n, Cols: m, Stride: m, Data: trial.Vector(c, n*m, func(int) T { return T(c.Float64()) })})
			problems = append(problems, sinkhorn.Problem[T]{Cost: cost, Lambda: 1 + c.Float64()})
		}
	}
	for len(problems) < 1+c.IntN(40) {
		in := draw[T](c, 1+c.IntN(36), 1+c.IntN(36), 20, true)
		if c.Chance(3) {
			in = first
		}
		p := in.problem
		for range 1 + c.IntN(2)*c.IntN(20) { // of one K, with weights of their own
			q := p
			if c.Chance(2) && p.A != nil {
				q.A = slices.Clone(p.A)
				slices.Reverse(q.A)
			}
			if c.Chance(8) {
				q.PenaltyA = 0.5
			}
			problems = append(problems, q)
		}
	}
	type answer struct {
		r    sinkhorn.Result[T]
		plan []T
		err  string
	}
	read := func(r *sinkhorn.Result[T], err error, p *sinkhorn.Problem[T]) answer {
		if err != nil {
			return answer{err: err.Error()}
		}
		plan := dist.NewMatrix[T](max(p.X.Rows, p.Cost.Rows), max(p.Y.Rows, p.Cost.Cols), nil)
		if err := r.PlanTo(context.Background(), plan, 0); err != nil {
			return answer{err: err.Error()}
		}
		return answer{sinkhorn.Result[T]{Cost: r.Cost, Iterations: r.Iterations, Annealing: r.Annealing, MarginalError: r.MarginalError, Status: r.Status, Domain: r.Domain}, plan.Data, ""}
	}
	batch, err := sinkhorn.NewSolver[T](&set)
	if err != nil {
		c.Fatal(err)
	}
	pool, err := sinkhorn.NewPool[T](&set, 2)
	if err != nil {
		c.Fatal(err)
	}
	c.Call("batches", func() {
		answers := make([]answer, len(problems))
		visited := make([]int, len(problems))
		err := batch.SolveBatch(context.Background(), problems, func(i int, r *sinkhorn.Result[T], err error) {
			answers[i] = read(r, err, &problems[i])
			visited[i]++
		})
		if err != nil {
			c.Error(err)
		}
		var work sync.WaitGroup
		lent := make([]answer, len(problems))
		for k := range 2 {
			work.Go(func() {
				for i := k; i < len(problems); i += 2 {
					err := pool.Solve(context.Background(), &problems[i], func(r *sinkhorn.Result[T]) error {
						lent[i] = read(r, nil, &problems[i])
						return nil
					})
					if err != nil {
						lent[i] = answer{err: err.Error()}
					}
				}
			})
		}
		work.Wait()
		for i := range problems {
			alone, err := sinkhorn.NewSolver[T](&set)
			if err != nil {
				c.Fatal(err)
			}
			r, err := alone.Solve(context.Background(), &problems[i])
			want := read(r, err, &problems[i])
			for what, got := range map[string]answer{"batch": answers[i], "pool": lent[i]} {
				if got.r.Cost != want.r.Cost || got.r.MarginalError != want.r.MarginalError || got.r.Iterations != want.r.Iterations || got.r.Status != want.r.Status ||
					got.r.Domain != want.r.Domain || got.err != want.err || !slices.Equal(got.plan, want.plan) || visited[i] != 1 {
					c.Errorf("%s: problem %d of %d, visited %d times: %+v, alone %+v", what, i, len(problems), visited[i], got.r, want.r)
					return
				}
			}
		}
	})
}
