package sinkhorn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/ending"
	"github.com/gomonge/monge/internal/gibbs"
	"github.com/gomonge/monge/internal/oracle"
	"github.com/gomonge/monge/internal/oracle/trial"
	"github.com/gomonge/monge/sinkhorn"
)

// blocked lists the folders whose constants include block sizes. The tests pick many problem sizes near these constants.
var blocked = []string{"sinkhorn", "internal/gibbs", "internal/asm/pass", "internal/asm/block", "internal/asm/lane"}

func TestOracle(t *testing.T) {
	t.Run("float64", testOracle[float64])
	t.Run("float32", testOracle[float32])
}

func testOracle[T dist.Float](t *testing.T) {
	used := new(history[T])
	t.Run("iterations", func(t *testing.T) {
		trial.Run(t, 40, blocked, func(c *trial.Case) { compareIterations(c, used, false) })
	})
	t.Run("large", func(t *testing.T) {
		trial.Run(t, 14, blocked, func(c *trial.Case) { compareIterations(c, used, true) })
	})
	t.Run("convergence", func(t *testing.T) { trial.Run(t, 30, blocked, func(c *trial.Case) { compareConvergence(c, used) }) })
	t.Run("masses", func(t *testing.T) { trial.Run(t, 20, blocked, func(c *trial.Case) { compareMasses(c, used) }) })
	t.Run("gradients", func(t *testing.T) {
		trial.Run(t, 12, blocked, func(c *trial.Case) { compareGradients(c, used, false) })
	})
	t.Run("gradients/large", func(t *testing.T) { trial.Run(t, 10, blocked, func(c *trial.Case) { compareGradients(c, used, true) }) })
	t.Run("Divergence", func(t *testing.T) { trial.Run(t, 12, blocked, func(c *trial.Case) { compareDivergence(c, used) }) })
	t.Run("groups", func(t *testing.T) { trial.Run(t, 12, blocked, func(c *trial.Case) { compareGroups[T](c, false) }) })
	t.Run("groups/large", func(t *testing.T) { trial.Run(t, 3, blocked, func(c *trial.Case) { compareGroups[T](c, true) }) })
	t.Run("batches", func(t *testing.T) { trial.Run(t, 20, blocked, compareBatches[T]) })
}

// history contains solvers that earlier cases have used. The solvers have solved larger and smaller problems, and some solves
// have failed or been canceled.
type history[T dist.Float] struct {
	solvers map[sinkhorn.Settings]*sinkhorn.Solver[T]
}

// solver returns a solver with the given settings, sometimes after a failed or canceled solve.
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
	case 0: // a solve that fails and leaves NaN in the workspace
		x := dist.NewMatrix(90, 1, slices.Repeat([]T{T(math.NaN())}, 90))
		if r, err := s.Solve(context.Background(), &sinkhorn.Problem[T]{X: x, Y: x, Lambda: 1}); !errors.Is(err, sinkhorn.ErrNotFinite) {
			c.Errorf("points that are NaN: %v, %v", r, err)
		}
	case 1: // a solve that is canceled
		x := dist.NewMatrix[T](30+c.IntN(40), 2, nil)
		for i := range x.Data {
			x.Data[i] = T(c.NormFloat64())
		}
		ctx := ending.At(1 + c.IntN(9))
		if r, err := s.Solve(ctx, &sinkhorn.Problem[T]{X: x, Y: x, Lambda: 1}); r == nil || (err == nil) != (ctx.Context.Err() == nil) {
			c.Errorf("a context that ends: %v, %v", r, err)
		}
	case 2:
		s.Shrink()
	}
	return s
}

// instance is a problem for package sinkhorn and for the slow, exact package oracle. The problem for the oracle contains only
// the distinct points. The weight of a distinct point is the sum of the weights of its copies.
type instance[T dist.Float] struct {
	problem           sinkhorn.Problem[T]
	plain             oracle.Transport
	a, b              copies
	kernel            [][]oracle.Real
	x, y              [][]oracle.Real
	largestScaledCost float64 // λ times the largest cost
	dims              int
	set               sinkhorn.Settings
	mixed             bool
	solution          [][]oracle.Real
}

// copies describes the points on one side of a problem. Several points may be copies of the same original point.
type copies struct {
	original []int         // for each point: index of its original
	share    []oracle.Real // for each point: its weight divided by the total weight of all copies of its original
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

// randomWeights draws n weights that sum to 1.
func randomWeights[T dist.Float](c *trial.Case, n int, zeros bool) []T {
	w, sum := make([]T, n), T(0)
	zero := zeros && c.Chance(3) && n > 1
	for i := range w {
		if w[i] = T(0.1 + c.Float64()); zero && i > 0 && c.Chance(4) {
			w[i] = 0
		}
		sum += w[i]
	}
	return trial.Vector(c, n, func(i int) T { return w[i] / sum })
}

// group describes copies of n distinct points. Copy i repeats point originals[i] and has the weight given[i], or a uniform weight
// if given is nil. The second result contains, for each of the n points, the sum of the weights of its copies.
func group[T dist.Float](originals []int, n int, given []T) (copies, []oracle.Real) {
	w, sums := realsOf(given), make([]oracle.Real, n)
	if given == nil {
		w = slices.Repeat([]oracle.Real{oracle.Of(1).Div(oracle.Of(len(originals)))}, len(originals))
	}
	for i, k := range originals {
		sums[k] = sums[k].Add(w[i])
	}
	for i, k := range originals {
		if w[i] = w[i].Div(sums[k]); sums[k].Hi == 0 {
			w[i] = oracle.Of(1)
		}
	}
	return copies{originals, w}, sums
}

// repeat changes the problem to n source points and m target points, which are copies of the original points.
func (in *instance[T]) repeat(c *trial.Case, n, m int, zeros bool) {
	p := &in.problem
	choose := func(n, distinct int) []int {
		of := make([]int, n)
		for i := range of {
			if of[i] = i; i >= distinct {
				of[i] = c.IntN(distinct)
			}
		}
		c.Shuffle(n, func(i, j int) { of[i], of[j] = of[j], of[i] })
		return of
	}
	rows, columns := choose(n, len(in.plain.A)), choose(m, len(in.plain.B))
	if in.x != nil {
		x, y := p.X, p.Y
		p.X = dist.Matrix[T](trial.Matrix(c, n, in.dims, func(i, j int) T { return x.At(rows[i], j) }))
		if n == m && &x.Data[0] == &y.Data[0] {
			p.Y, columns = p.X, rows
		} else {
			p.Y = dist.Matrix[T](trial.Matrix(c, m, in.dims, func(i, j int) T { return y.At(columns[i], j) }))
		}
	} else {
		cost := p.Cost
		p.Cost = dist.Matrix[T](trial.Matrix(c, n, m, func(i, j int) T { return cost.At(rows[i], columns[j]) }))
	}
	in.a.original, in.b.original = rows, columns
	in.weigh(c, !c.Chance(4), !c.Chance(4), zeros)
	if c.Chance(3) {
		in.set.Domain = sinkhorn.DomainLog
	}
	c.Large()
}

// weigh draws random weights for side A if a is true, and for side B if b is true. Otherwise the weights of the side are
// uniform.
func (in *instance[T]) weigh(c *trial.Case, a, b, zeros bool) {
	p := &in.problem
	if p.A = nil; a {
		p.A = randomWeights[T](c, len(in.a.original), zeros)
	}
	if p.B = nil; b {
		p.B = randomWeights[T](c, len(in.b.original), zeros)
	}
	in.a, in.plain.A = group(in.a.original, len(in.plain.A), p.A)
	in.b, in.plain.B = group(in.b.original, len(in.plain.B), p.B)
}

// randomInstance returns a random problem of n × m points. The product of λ and the largest cost is at most limit.
func randomInstance[T dist.Float](c *trial.Case, n, m int, limit float64, zeros bool) *instance[T] {
	in := &instance[T]{}
	p := &in.problem
	scale := math.Exp(c.NormFloat64())
	if c.Chance(2) {
		in.dims = 1 + c.Size(40)
		if c.Chance(8) {
			in.dims = 64 + c.IntN(70)
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
	if c.Chance(2) {
		p.A = randomWeights[T](c, n, zeros)
	}
	if c.Chance(2) {
		p.B = randomWeights[T](c, m, zeros)
	}
	distinct := func(n int) []int {
		of := make([]int, n)
		for i := range of {
			of[i] = i
		}
		return of
	}
	in.a, in.plain.A = group(distinct(n), n, p.A)
	in.b, in.plain.B = group(distinct(m), m, p.B)
	largest := 0.0
	for _, row := range in.plain.Cost {
		for _, v := range row {
			largest = max(largest, v.Hi)
		}
	}
	in.largestScaledCost = limit * math.Pow(c.Float64(), 2)
	p.Lambda = 1.0
	if largest > 0 {
		p.Lambda = in.largestScaledCost / largest
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

// bound returns a bound of the relative error of an element of the plan after k iterations.
func (in *instance[T]) bound(k int) float64 {
	u, factor := trial.Epsilon[T](), 1.0
	if in.dims >= 64 {
		factor = 50
	}
	kernel := (factor*float64(in.dims+3)*in.largestScaledCost + 2) * 2 * u
	if in.mixed {
		kernel += 0x1p-24
	}
	n := float64(max(len(in.a.original), len(in.b.original)))
	return float64(2*k+3) * (kernel + (n/4+12)*u)
}

// planThreshold returns the documented value below which PlanTo may set an element of the plan to 0. f and g are the potentials of the
// row and the column of the element.
func (in *instance[T]) planThreshold(domain sinkhorn.Domain, f, g float64) float64 {
	normal, narrow := trial.Normal[T](), in.mixed || trial.Epsilon[T]() > 1e-10
	if narrow {
		normal = trial.Normal[float32]()
	}
	if domain == sinkhorn.DomainPlain { // above this threshold, K_ij, u_i K_ij, K_ij v_j and u_i K_ij v_j do not underflow
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

// compareResult compares the outputs of a solve with the outputs that package oracle computes.
func compareResult[T dist.Float](c *trial.Case, in *instance[T], s oracle.Scalings, k int, costs []float64, plan, image trial.View[T], f, g []T) {
	e := in.bound(k)
	want := s.Plan(in.kernel)
	_, columns := oracle.Sums(want, len(s.V))
	mass, off := 0.0, oracle.Real{}
	for j, sum := range columns {
		mass += sum.Hi
		off = off.Add(sum.Sub(in.plain.B[j]).Abs())
	}
	comparePlan(c, in, want, e, plan)
	most := max(comparePotentials(c, in, s.U, in.a, e, f, "f"), comparePotentials(c, in, s.V, in.b, e, g, "g"))
	inner := oracle.Inner(want, in.plain.Cost)
	trial.Near(c, costs[0], inner, 2*e*inner.Hi, "cost of %d × %d after %d iterations", len(f), len(g), k)
	trial.Near(c, costs[1], off, 2*e*mass, "marginal error")
	regular := in.plain.Regularized(want)
	trial.Near(c, costs[2], regular, 2*e*mass*(most+in.largestScaledCost+10)/in.plain.Lambda.Hi, "regularized cost")
	if in.x == nil {
		return
	}
	images, size := oracle.Multiply(want, in.y), 0.0
	for _, row := range in.y {
		for _, v := range row {
			size = max(size, math.Abs(v.Hi))
		}
	}
	rows, _ := oracle.Sums(want, len(s.V))
	for i, p := range in.a.original {
		for l, v := range images[p] {
			q := v.Div(rows[p])
			if rows[p].Hi == 0 || in.a.share[i].Hi == 0 {
				q = oracle.Of(math.NaN())
			}
			trial.Near(c, image.Row(i)[l], q, 3*e*size, "image %d, %d", i, l)
		}
	}
}

// comparePotentials compares got, the potentials of the rows or of the columns, with the logarithms of the scalings u. It
// returns the largest absolute value of these logarithms.
func comparePotentials[T dist.Float](c *trial.Case, in *instance[T], u []oracle.Real, side copies, e float64, got []T, name string) (most float64) {
	logs := make([]float64, len(u))
	for i, v := range u {
		if logs[i] = math.Inf(-1); v.Hi > 0 {
			logs[i] = v.Log().Hi
			most = max(most, math.Abs(logs[i]))
		}
	}
	for i, p := range side.original {
		own := math.Log(side.share[i].Hi)
		bound := e + 8*trial.Epsilon[T]()*(math.Abs(logs[p])+math.Abs(own)+in.largestScaledCost)
		trial.Near(c, got[i], oracle.Of(logs[p]+own), bound, "potential %s %d of %d", name, i, len(got))
	}
	return most
}

// comparePlan compares a plan with the oracle's plan. Elements may have a relative error of e.
func comparePlan[T dist.Float](c *trial.Case, in *instance[T], want [][]oracle.Real, e float64, plan trial.View[T]) {
	for i, p := range in.a.original {
		row := plan.Row(i)
		for j, q := range in.b.original {
			v := float64(in.a.share[i].Hi * in.b.share[j].Hi * want[p][q].Hi)
			if got := float64(row[j]); !(math.Abs(got-v) <= e*v+trial.Normal[T]()) {
				c.Errorf("plan %d, %d of %d × %d = %v, want %v to %v", i, j, plan.Rows, plan.Cols, got, v, e*v)
				return
			}
		}
	}
}

// outputs contains all outputs of a result.
type outputs[T dist.Float] struct {
	plan, image trial.View[T]
	f, g        []T
	costs       []float64
}

func newOutputs[T dist.Float](c *trial.Case, in *instance[T]) *outputs[T] {
	n, m := len(in.a.original), len(in.b.original)
	return &outputs[T]{
		plan: trial.Output[T](c, n, m), image: trial.Output[T](c, in.problem.X.Rows, in.problem.X.Cols),
		f: trial.OutputVector[T](c, n), g: trial.OutputVector[T](c, m), costs: trial.OutputVector[float64](c, 3),
	}
}

// computeAll copies all outputs of a result to o. It reads the plan in two pieces: rows 0 … first−1, and the remaining rows.
func (o *outputs[T]) computeAll(c *trial.Case, r *sinkhorn.Result[T], first int) {
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

// largeSizes draws the sizes of a wide, tall or almost square problem. Each pass over the problem needs several kernel calls.
func largeSizes(c *trial.Case) (n, m int) {
	short := []int{14 + c.IntN(8), 20 + c.IntN(44), 300 + c.IntN(500)}[c.IntN(3)]
	long := gibbs.LargeSize/short + 1 + c.IntN(100)
	switch c.IntN(6) {
	case 0:
		return long >> 3, short
	case 1:
		return short, long >> 2
	case 2, 3:
		if short > 20 {
			return long, short
		}
	}
	return short, long
}

func compareIterations[T dist.Float](c *trial.Case, used *history[T], large bool) {
	c.Alone()
	n, m := sizes(c, 1<<10, 1<<14)
	if large {
		n, m = 1+c.IntN(20), 1+c.IntN(20)
	}
	in := randomInstance[T](c, n, m, 50, true)
	if large {
		n, m = largeSizes(c)
		in.repeat(c, n, m, true)
	}
	in.set.Iterations = 1 + c.IntN(6)
	in.set.Gradient = c.Chance(4)
	if c.Chance(3) {
		in.problem.Start = trial.Vector(c, n, func(i int) T {
			if in.a.share[i].Hi*in.plain.A[in.a.original[i]].Hi == 0 && c.Chance(2) {
				return T(math.Inf(-1))
			}
			return T(c.NormFloat64())
		})
	}
	u := in.start()
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
		out.computeAll(c, r, first)
		if err := r.CostGradientTo(context.Background(), dist.Matrix[T](frozen), sinkhorn.GradientFrozen); err != nil {
			c.Error(err)
		}
	})
	after := in.plain.Iterate(in.kernel, u, in.set.Iterations)
	compareResult(c, in, after, in.set.Iterations, out.costs, out.plan, out.image, out.f, out.g)
	comparePlan(c, in, after.Plan(in.kernel), 2*in.bound(in.set.Iterations), frozen)
	// A canceled solve has the plan of its last whole iteration.
	counted := ending.At(0)
	if _, err := solver.Solve(counted, &in.problem); err != nil {
		c.Fatal(err)
	}
	r, err := solver.Solve(ending.At(1+c.IntN(counted.Checks())), &in.problem)
	if !errors.Is(err, ending.ErrAt) {
		c.Fatalf("a context that ends: %v", err)
	}
	if r.Iterations == 0 {
		return
	}
	if err := r.PlanTo(context.Background(), dist.Matrix[T](out.plan), 0); err != nil {
		c.Fatal(err)
	}
	comparePlan(c, in, in.plain.Iterate(in.kernel, u, r.Iterations).Plan(in.kernel), in.bound(r.Iterations), out.plan)
}

// start returns the initial scaling u⁰ of the distinct points. If a point has copies, it adds
// their scalings.
func (in *instance[T]) start() []oracle.Real {
	u := make([]oracle.Real, len(in.plain.A))
	for i, p := range in.a.original {
		first := oracle.Of(1)
		if in.problem.Start != nil {
			first = oracle.Of(in.problem.Start[i]).Exp()
		}
		u[p] = u[p].Add(first)
	}
	return u
}

// compareConvergence checks the result of a solve with a tolerance: the plan is T_ij = exp(f_i − λM_ij + g_j), its row sums are
// a, and its column sums differ from b by at most the tolerance.
func compareConvergence[T dist.Float](c *trial.Case, used *history[T]) {
	c.Alone()
	n, m := sizes(c, 1<<10, 1<<14)
	in := randomInstance[T](c, n, m, []float64{10, 100, 1000}[c.IntN(3)], true)
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
			c.Fatalf("λ·cost = %v: %v", in.largestScaledCost, err)
		}
		domain = r.Domain
		if status = r.Status; status != sinkhorn.StatusConverged && !in.set.Unaccelerated {
			c.Errorf("%v after %d iterations: λ·cost = %v, %d × %d", r.Status, r.Iterations, in.largestScaledCost, n, m)
		}
		out.computeAll(c, r, first)
	})
	e := in.bound(4) + 8*trial.Epsilon[T]()*in.largestScaledCost
	plan := reals(out.plan)
	for i, row := range plan {
		for j, got := range row {
			want := oracle.Of(out.f[i]).Add(oracle.Of(out.g[j])).Sub(in.plain.Lambda.Mul(in.plain.Cost[i][j])).Exp()
			own := e + 2*trial.Epsilon[T]()*(math.Abs(float64(out.f[i]))+math.Abs(float64(out.g[j])))
			lost := in.planThreshold(domain, float64(out.f[i]), float64(out.g[j]))
			if math.IsInf(own, 1) { // a zero weight
				own, want, lost = 0, oracle.Real{}, 0
			}
			if !(math.Abs(got.Sub(want).Hi) <= own*want.Hi+lost) {
				c.Errorf("plan %d, %d of %d × %d is %v, its potentials give %v (λ·cost up to %v)", i, j, n, m, got.Hi, want.Hi, in.largestScaledCost)
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
	in := randomInstance[T](c, n, m, 6, false)
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
			in.problem.PenaltyB = 0 // 0 means the same as +Inf
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
		out.computeAll(c, r, first)
	})
	// The error of the plan is about the tolerance times the condition number. The condition number of these problems is small.
	e := in.bound(30) + 100*in.set.Tolerance
	size := 0.0
	for i, row := range in.solution {
		mean, sum := make([]oracle.Real, in.problem.X.Cols), oracle.Real{}
		for j, v := range row {
			size = max(size, v.Hi)
			trial.Near(c, out.plan.Row(i)[j], v, e*(v.Hi+0.01/float64(n*m)), "plan %d, %d of %d × %d with %s, λ·cost %v", i, j, n, m, what, in.largestScaledCost)
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

func compareGradients[T dist.Float](c *trial.Case, used *history[T], large bool) {
	c.Alone()
	n, m := 1+c.IntN(5), 1+c.IntN(5)
	in := randomInstance[T](c, n, m, 3, false)
	if large {
		n, m = largeSizes(c)
		in.repeat(c, n, m, false)
		if in.problem.A != nil { // if the start is log a, the gradients of equal points are proportional to their weights
			in.problem.Start = trial.Vector(c, n, func(i int) T { return T(math.Log(float64(in.problem.A[i]))) })
		}
	}
	mode := sinkhorn.GradientMode(c.IntN(3))
	start := in.start()
	in.set.Iterations = 1 + c.IntN(5)
	cost := func() oracle.Real {
		k := in.plain.Kernel()
		return oracle.Inner(in.plain.Iterate(k, start, in.set.Iterations).Plan(k), in.plain.Cost)
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
		plan := in.plain.Iterate(in.kernel, start, in.set.Iterations).Plan(in.kernel)
		cost = func() oracle.Real { return oracle.Inner(plan, in.plain.Cost) }
	}
	byCost := trial.Output[T](c, n, m)
	dx, dy := trial.Output[T](c, in.problem.X.Rows, in.dims), trial.Output[T](c, in.problem.Y.Rows, in.dims)
	solver := used.solver(c, in.set)
	c.Call("gradients", func() {
		r, err := solver.Solve(context.Background(), &in.problem)
		if err != nil {
			c.Fatal(err)
		}
		if err := r.CostGradientTo(context.Background(), dist.Matrix[T](byCost), mode); err != nil {
			c.Fatalf("%v gradient of %d × %d, λ·cost = %v: %v; %+v", mode, n, m, in.largestScaledCost, err, in.set)
		}
		if in.x != nil {
			if err := r.PointGradientTo(context.Background(), dist.Matrix[T](dx), dist.Matrix[T](dy), mode); err != nil {
				c.Fatal(err)
			}
		}
	})
	e := 30 * (1 + in.largestScaledCost) * (in.bound(in.set.Iterations+5) + 100*in.set.Tolerance)
	by := make([][]oracle.Real, len(in.plain.Cost))
	for p, row := range in.plain.Cost {
		by[p] = make([]oracle.Real, len(row))
		for q := range row {
			by[p][q] = oracle.Derivative(&row[q], cost)
		}
	}
	for i, p := range in.a.original {
		row := byCost.Row(i)
		for j, q := range in.b.original {
			share := in.a.share[i].Hi * in.b.share[j].Hi
			if got, want := float64(row[j]), float64(by[p][q].Hi*share); !(math.Abs(got-want) <= e*share+trial.Normal[T]()) {
				c.Errorf("%v gradient by cost %d, %d of %d × %d = %v, want %v to %v", mode, i, j, n, m, got, want, e*share)
				return
			}
		}
	}
	if in.x == nil {
		return
	}
	// The derivative of ‖x − y‖² with respect to x is 2(x − y), and with respect to y it is −2(x − y).
	gx, gy, size := make([][]oracle.Real, len(in.x)), make([][]oracle.Real, len(in.y)), 1.0
	for q := range gy {
		gy[q] = make([]oracle.Real, in.dims)
	}
	for p, x := range in.x {
		gx[p] = make([]oracle.Real, in.dims)
		for q, y := range in.y {
			for l := range x {
				size = max(size, math.Abs(x[l].Hi), math.Abs(y[l].Hi))
				v := x[l].Sub(y[l]).Mul(by[p][q]).Ldexp(1)
				gx[p][l], gy[q][l] = gx[p][l].Add(v), gy[q][l].Sub(v)
			}
		}
	}
	near := func(got trial.View[T], want [][]oracle.Real, side copies, what string) {
		for i, p := range side.original {
			share := side.share[i]
			for l, v := range want[p] {
				trial.Near(c, got.Row(i)[l], v.Mul(share), 4*e*size*share.Hi, "%v gradient by %s %d, %d of %d × %d", mode, what, i, l, n, m)
			}
			if c.Failed() {
				return
			}
		}
	}
	near(dx, gx, in.a, "X")
	near(dy, gy, in.b, "Y")
}

func compareDivergence[T dist.Float](c *trial.Case, used *history[T]) {
	c.Alone()
	n, m := 1+c.IntN(6), 1+c.IntN(6)
	in := randomInstance[T](c, n, m, 3, false)
	for in.x == nil || in.dims > 5 {
		in = randomInstance[T](c, n, m, 3, false)
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
		// ⟨T, M⟩ + KL(T | a⊗b)/λ + ρ KL(T1 | a) + ρ KL(Tᵀ1 | b), where KL(x | y) = Σ x log(x/y) − x + y.
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
	e := 20 * (1 + in.largestScaledCost) * (in.bound(20) + 10*in.set.Tolerance) * (1 + 1/in.plain.Lambda.Hi) * (1 + in.largestScaledCost/in.plain.Lambda.Hi)
	trial.Near(c, value[0], divergence(), e, "divergence of %d and %d points, λ = %v, ρ = %v", n, m, in.problem.Lambda, rho)
	if gradients {
		for _, side := range []struct {
			at  [][]oracle.Real
			got trial.View[T]
		}{{in.x, dx}, {in.y, dy}} {
			if len(in.problem.X.Data) > 0 && &in.problem.X.Data[0] == &in.problem.Y.Data[0] {
				break // X and Y share memory, but the derivative below requires that only X or only Y changes
			}
			i, j := c.IntN(len(side.at)), c.IntN(in.dims)
			trial.Near(c, side.got.Row(i)[j], oracle.Derivative(&side.at[i][j], divergence), 20*e, "gradient %d, %d of the divergence, ρ = %v", i, j, rho)
		}
	}
}

// compareGroups solves problems with the same costs and the same λ in one batch, and compares the results with the oracle.
func compareGroups[T dist.Float](c *trial.Case, large bool) {
	c.Alone()
	in := randomInstance[T](c, 1+c.IntN(16), 1+c.IntN(16), 20, false)
	n, m := 60+c.IntN(100), 60+c.IntN(100)
	if large {
		n, m = largeSizes(c)
	}
	in.repeat(c, n, m, true)
	in.set.Iterations, in.set.Domain = 1+c.IntN(5), sinkhorn.DomainAuto
	count := 4 + c.IntN(5)
	all, problems := make([]instance[T], count), make([]sinkhorn.Problem[T], count)
	f, g, costs := trial.Output[T](c, count, n), trial.Output[T](c, count, m), trial.OutputVector[float64](c, count)
	for k := range all {
		in.weigh(c, k > 0, k != 1, true)
		all[k], problems[k] = *in, in.problem
	}
	solver, err := sinkhorn.NewSolver[T](&in.set)
	if err != nil {
		c.Fatal(err)
	}
	c.Call("groups", func() {
		if err := solver.SolveBatch(context.Background(), problems, func(k int, r *sinkhorn.Result[T], err error) {
			if err != nil {
				c.Error(err)
				return
			}
			if costs[k] = r.Cost; r.PotentialsTo(f.Row(k), g.Row(k)) != nil {
				c.Errorf("no potentials of problem %d", k)
			}
		}); err != nil {
			c.Error(err)
		}
	})
	e := in.bound(in.set.Iterations)
	for k, one := range all {
		s := one.plain.Iterate(in.kernel, one.start(), in.set.Iterations)
		comparePotentials(c, &one, s.U, one.a, e, f.Row(k), "f")
		comparePotentials(c, &one, s.V, one.b, e, g.Row(k), "g")
		inner := oracle.Inner(s.Plan(in.kernel), one.plain.Cost)
		trial.Near(c, costs[k], inner, 2*e*inner.Hi, "cost of problem %d of %d, %d × %d", k, count, n, m)
		if c.Failed() {
			return
		}
	}
}

// compareBatches checks that results of a batch and of a pool are bit-identical to results of new solvers.
func compareBatches[T dist.Float](c *trial.Case) {
	c.Alone()
	var problems []sinkhorn.Problem[T]
	first := randomInstance[T](c, 1+c.IntN(40), 1+c.IntN(40), 20, true)
	set := first.set
	set.Iterations = 1 + c.IntN(6)
	if c.Chance(3) {
		set.Tolerance = 1e-3
		set.Iterations = 100
	}
	if c.Chance(2) { // small matrices with contiguous rows and similar shapes
		m, most := 1+c.IntN(8), 1+c.IntN(3)
		for range 2 + c.IntN(20) {
			n := 1 + c.IntN(most)
			cost := dist.Matrix[T](trial.View[T]{Rows: n, Cols: m, Stride: m, Data: trial.Vector(c, n*m, func(int) T { return T(c.Float64()) })})
			problems = append(problems, sinkhorn.Problem[T]{Cost: cost, Lambda: 1 + c.Float64()})
		}
	}
	for len(problems) < 1+c.IntN(40) {
		in := randomInstance[T](c, 1+c.IntN(36), 1+c.IntN(36), 20, true)
		if c.Chance(3) {
			in = first
		}
		p := in.problem
		for range 1 + c.IntN(2)*c.IntN(20) { // problems that share K and have their own weights
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
