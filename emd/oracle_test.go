package emd_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/emd"
	"github.com/gomonge/monge/internal/oracle"
	"github.com/gomonge/monge/internal/oracle/trial"
)

// blocked lists the folders whose constants include block sizes. The tests pick many problem sizes near these constants.
var blocked = []string{"emd", "internal/simplex", "internal/asm/price"}

func TestOracle(t *testing.T) {
	t.Run("float64", testOracle[float64])
	t.Run("float32", testOracle[float32])
}

func testOracle[T dist.Float](t *testing.T) {
	s := new(emd.Solver[T]) // all cases share this solver
	t.Run("Solve", func(t *testing.T) { trial.Run(t, 60, blocked, func(c *trial.Case) { compareSolve(c, s) }) })
	t.Run("Assign", func(t *testing.T) { trial.Run(t, 60, blocked, func(c *trial.Case) { compareAssign(c, s) }) })
	t.Run("Assign/wide", func(t *testing.T) { trial.Run(t, 8, blocked, func(c *trial.Case) { compareWideAssign(c, s) }) })
	t.Run("copies", func(t *testing.T) {
		trial.Run(t, 2, blocked, func(c *trial.Case) { compareCopies(c, s, 20+c.IntN(20), 1000+c.IntN(900), 64+c.IntN(8)) })
	})
	t.Run("copies/large", func(t *testing.T) {
		n := 2 + int(math.Sqrt((32<<20)/float64(unsafe.Sizeof(T(0))))) // the distances need more than 32 MiB
		trial.RunLong(t, 4, blocked, func(c *trial.Case) { compareCopies(c, s, n+c.IntN(20), n, 1+c.IntN(3)) })
	})
	t.Run("lines", func(t *testing.T) { trial.Run(t, 60, blocked, func(c *trial.Case) { compareLines(c, s) }) })
	t.Run("Sliced", func(t *testing.T) { trial.Run(t, 30, blocked, func(c *trial.Case) { compareSliced(c, s) }) })
}

func reals[E dist.Float](rows [][]E) [][]oracle.Real {
	r := make([][]oracle.Real, len(rows))
	for i, row := range rows {
		for _, v := range row {
			r[i] = append(r[i], oracle.Of(v))
		}
	}
	return r
}

// randomWeights returns random weights with a sum of about 1, or nil for uniform weights. Some weights may be zero or equal. The
// second result contains the same weights as values of type oracle.Real.
func randomWeights[T dist.Float](c *trial.Case, n int) ([]T, []oracle.Real) {
	r := make([]oracle.Real, n)
	if c.Chance(3) {
		for i := range r {
			r[i] = oracle.Of(T(1) / T(n)) // rounded
		}
		return nil, r
	}
	whole := c.Chance(2)
	w, sum := make([]float64, n), 0.0
	for i := range w {
		if w[i] = c.Float64() + 0.01; whole {
			w[i] = float64(c.IntN(4))
		}
		if i == 0 {
			w[i]++
		}
		sum += w[i]
	}
	given := trial.Vector(c, n, func(i int) T { return T(w[i] / sum) })
	for i, v := range given {
		r[i] = oracle.Of(v)
	}
	return given, r
}

// misuseSolver randomly makes a Solve call fail, cancels a Solve call, frees the memory of the solver, or does nothing.
func misuseSolver[T dist.Float](c *trial.Case, s *emd.Solver[T]) {
	cost := dist.NewMatrix[T](20, 20, nil)
	for i := range cost.Data {
		cost.Data[i] = T(c.Float64())
	}
	switch c.IntN(5) {
	case 0:
		if _, err := s.Solve(context.Background(), &emd.Problem[T]{Cost: cost, A: make([]T, 3)}); !errors.Is(err, emd.ErrShape) {
			c.Errorf("%v", err)
		}
	case 1:
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if r, err := s.Solve(ctx, &emd.Problem[T]{Cost: cost}); err == nil || r == nil || r.Status != emd.StatusCanceled {
			c.Errorf("%v, %v", r, err)
		}
	case 2:
		s.Shrink()
	}
}

func compareSolve[T dist.Float](c *trial.Case, s *emd.Solver[T]) {
	c.Alone()
	sizes := c.Shape(1000, c.Budget(1<<10, 1<<14), 1, 1)
	n, m := max(1, sizes[0]), max(1, sizes[1])
	var p emd.Problem[T]
	var cost [][]oracle.Real
	value := c.Values()
	if c.Chance(2) {
		d := 1 + c.Size(40)
		point := func(i, j int) T { return T(value()) }
		x, y := trial.Matrix(c, n, d, point), trial.Matrix(c, m, d, point)
		if n == m && c.Chance(2) {
			y = x
		}
		p.X, p.Y = dist.Matrix[T](x), dist.Matrix[T](y)
		cost = oracle.Costs(reals(x.Table()), reals(y.Table()))
	} else {
		x := trial.Matrix(c, n, m, func(i, j int) T { return T(value()) })
		p.Cost, cost = dist.Matrix[T](x), reals(x.Table())
	}
	var a, b []oracle.Real
	p.A, a = randomWeights[T](c, n)
	p.B, b = randomWeights[T](c, m)
	if c.Chance(3) {
		p.Mass = 0.9 * (1 - c.Float64())
	}
	most := 0.0
	for _, row := range cost {
		for _, v := range row {
			most = max(most, math.Abs(v.Hi))
		}
	}
	misuseSolver(c, s)
	plan := trial.Output[T](c, n, m)
	u, v, numbers := trial.OutputVector[float64](c, n), trial.OutputVector[float64](c, m), trial.OutputVector[float64](c, 7)
	var entries []emd.Entry
	first := c.IntN(n)
	ctx := context.Background()
	batch := new(emd.Solver[T])
	c.Call("Solve", func() {
		r, err := s.Solve(ctx, &p)
		if err != nil {
			c.Fatal(err)
		}
		copy(u, r.U)
		copy(v, r.V)
		q := r.Certificate
		copy(numbers, []float64{r.Cost, r.Price, q.Violation, q.MarginalError, q.Primal, q.Dual, q.Gap})
		entries = slices.Clone(r.Plan)
		to := dist.Matrix[T](plan)
		if first > 0 {
			if err := r.PlanTo(ctx, to.RowRange(0, first), 0); err != nil {
				c.Error(err)
			}
		}
		if err := r.PlanTo(ctx, to.RowRange(first, n), first); err != nil {
			c.Error(err)
		}
		var lock sync.Mutex
		seen := 0
		problems := []emd.Problem[T]{p, p}
		if err := batch.SolveBatch(ctx, problems, func(i int, o *emd.Result[T], err error) {
			lock.Lock()
			defer lock.Unlock()
			seen++
			if err != nil || o.Cost != numbers[0] || !slices.Equal(o.Plan, entries) || !slices.Equal(o.U, u) || !slices.Equal(o.V, v) {
				c.Errorf("problem %d of a batch has cost %v, %v, alone %v", i, o.Cost, err, numbers[0])
			}
		}); err != nil || seen != len(problems) {
			c.Errorf("batch: %v, %d visits", err, seen)
		}
	})
	own := make([]oracle.Entry, len(entries))
	dense := make([][]float64, n)
	for i := range dense {
		dense[i] = make([]float64, m)
	}
	for k, e := range entries {
		own[k] = oracle.Entry(e)
		dense[e.Row][e.Column] = e.Mass
		if e.Mass <= 0 || k > 0 && (e.Row < entries[k-1].Row || e.Row == entries[k-1].Row && e.Column <= entries[k-1].Column) {
			c.Errorf("entry %d of the plan is %v, after %v", k, e, entries[max(0, k-1)])
		}
	}
	if len(entries) > n+m-1 {
		c.Errorf("%d entries for %d × %d", len(entries), n, m)
	}
	for i := range n {
		for j, got := range plan.Row(i) {
			if got != T(dense[i][j]) {
				c.Errorf("PlanTo sets %d, %d to %v, the entry is %v", i, j, got, dense[i][j])
				return
			}
		}
	}
	proof := oracle.Prove(cost, a, b, own, u, v, numbers[1], p.Mass)
	compareCanceled(c, s, &p, cost, proof.Primal.Hi)
	unit := trial.Epsilon[T]()
	tiny := float64(n+m) * 0x1p-50
	size := tiny * (most + math.Abs(numbers[1]))
	for _, w := range slices.Concat(u, v) {
		size += tiny * math.Abs(w) / float64(n+m)
	}
	if p.Cost.Data == nil { // distances are computed in the precision of T
		size += 200 * float64(p.X.Cols+2) * unit * most
	}
	if p.A == nil || p.B == nil || unit > 1e-10 {
		size += tiny * most
	}
	near := func(name string, got, want float64) {
		if !(math.Abs(got-want) <= size) {
			c.Errorf("%s of %d × %d, mass %v: %v, want %v to %v", name, n, m, p.Mass, got, want, size)
		}
	}
	near("Cost", numbers[0], proof.Primal.Hi)
	near("Primal", numbers[4], proof.Primal.Hi)
	near("Dual", numbers[5], proof.Dual.Hi)
	near("Violation", numbers[2], proof.Violation)
	if !(math.Abs(numbers[3]-proof.MarginalError) <= tiny) || proof.MarginalError > tiny {
		c.Errorf("marginal error %v, the certificate says %v", proof.MarginalError, numbers[3])
	}
	total := proof.Total
	if p.Mass > 0 {
		total = total.Neg()
		for _, w := range slices.Concat(a, b) {
			total = total.Add(w)
		}
	}
	gap := total.Hi*proof.Violation + math.Abs(proof.Primal.Sub(proof.Dual).Hi)
	near("Gap", numbers[6], gap)
	if gap > 20*size+1e-9*most {
		c.Errorf("%d × %d, mass %v: the plan may be %v above the optimum", n, m, p.Mass, gap)
	}
}

// compareCanceled compares the cost of a canceled solve with the cost of its plan.
func compareCanceled[T dist.Float](c *trial.Case, s *emd.Solver[T], p *emd.Problem[T], cost [][]oracle.Real, least float64) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := s.Solve(ctx, p)
	if !errors.Is(err, context.Canceled) || r.Status != emd.StatusCanceled {
		c.Fatalf("canceled: %v, %v", r, err)
	}
	want, size := oracle.Real{}, 0.0
	for _, e := range r.Plan {
		v := cost[e.Row][e.Column].Mul(oracle.Of(e.Mass))
		want, size = want.Add(v), size+math.Abs(v.Hi)
	}
	bound := (50*float64(p.X.Cols+2)*trial.Epsilon[T]() + float64(len(r.Plan))*0x1p-52) * size
	if math.Abs(want.Sub(oracle.Of(r.Cost)).Hi) > bound {
		c.Errorf("a canceled solve has cost %v, its plan %v to %v (optimum %v)", r.Cost, want.Hi, bound, least)
	}
}

// compareCopies solves a problem whose point clouds contain many copies of a few distinct points. It merges the copies in the
// plan, and checks that the merged plan is optimal for the distinct points.
func compareCopies[T dist.Float](c *trial.Case, s *emd.Solver[T], n, m, d int) {
	c.Alone()
	c.Large()
	const distinct = 20
	points := make([][2][]T, distinct) // pairs of nearby points; half of the pairs are near the origin, and half are far away
	for k := range points {
		x, y, apart := make([]T, d), make([]T, d), math.Exp(-5*c.Float64())
		if c.Chance(2) { // test distances near the limit below which distances are computed from coordinate differences
			apart = 0.25 + 0.1*c.Float64()
		}
		for l := range x {
			scale := []float64{1, 100}[2*k/distinct]
			x[l] = T(scale * c.NormFloat64())
			y[l] = x[l] + T(scale*apart*c.NormFloat64())
		}
		points[k] = [2][]T{x, y}
	}
	var of [2][]int
	var sides [2]dist.Matrix[T]
	var weights [2][]oracle.Real
	for k, n := range [2]int{n, m} {
		of[k], weights[k] = make([]int, n), make([]oracle.Real, distinct)
		for i := range of[k] {
			of[k][i] = i * distinct / n
			weights[k][of[k][i]] = weights[k][of[k][i]].Add(oracle.Of(1).Div(oracle.Of(n)))
		}
		sides[k] = dist.Matrix[T](trial.Matrix(c, n, d, func(i, j int) T { return points[of[k][i]][k][j] }))
	}
	cost := make([][]oracle.Real, distinct)
	for i := range cost {
		for j := range points {
			cost[i] = append(cost[i], oracle.Costs(reals([][]T{points[i][0]}), reals([][]T{points[j][1]}))[0][0])
		}
	}
	masses := make([]oracle.Entry, 0, distinct*distinct)
	u, v, total := make([]float64, distinct), make([]float64, distinct), trial.OutputVector[float64](c, 1)
	c.Call("Solve", func() {
		r, err := s.Solve(context.Background(), &emd.Problem[T]{X: sides[0], Y: sides[1]})
		if err != nil {
			c.Fatal(err)
		}
		total[0], masses = r.Cost, masses[:0]
		sums, most := [2][]float64{make([]float64, n), make([]float64, m)}, [2][]float64{u, v}
		for _, e := range r.Plan {
			sums[0][e.Row], sums[1][e.Column] = sums[0][e.Row]+e.Mass, sums[1][e.Column]+e.Mass
			masses = append(masses, oracle.Entry{Row: of[0][e.Row], Column: of[1][e.Column], Mass: e.Mass})
		}
		for k, dual := range [2][]float64{r.U, r.V} {
			for i, p := range of[k] {
				if want := 1 / float64(len(dual)); math.Abs(sums[k][i]-want) > float64(n+m)*trial.Epsilon[T]()*want {
					c.Errorf("side %d, point %d has the sum %v, want %v", k, i, sums[k][i], want)
				}
				if i == 0 || p != of[k][i-1] || dual[i] > most[k][p] {
					most[k][p] = dual[i]
				}
			}
		}
	})
	proof := oracle.Prove(cost, weights[0], weights[1], masses, u, v, 0, 0)
	relative := 50*float64(d+2)*trial.Epsilon[T]() + float64(n+m)*trial.Epsilon[T]()
	trial.Near(c, total[0], proof.Primal, relative*proof.Primal.Hi, "cost of %d × %d copies", n, m)
	size := relative * float64(d) * 1e5 // the largest cost is about 1e4·d
	if gap := proof.Violation + math.Abs(proof.Primal.Sub(proof.Dual).Hi); gap > size {
		c.Errorf("%d × %d copies: the plan may be %v above the optimum %v", n, m, gap, proof.Primal.Hi)
	}
}

// compareWideAssign checks Assign for rows that are longer than the blocks of the kernels.
func compareWideAssign[T dist.Float](c *trial.Case, s *emd.Solver[T]) {
	c.Alone()
	n, m := 2+c.IntN(5), 32_000+c.IntN(70_000)
	common := make([]float64, m)
	for j := range common {
		common[j] = c.NormFloat64()
	}
	x := trial.Matrix(c, n, m, func(i, j int) T { return T(common[j] + 0.02*c.NormFloat64()) })
	// An optimal assignment needs only the n cheapest columns of each row.
	var few []int
	for _, row := range x.Table() {
		var best []int
		for j, v := range row {
			if len(best) < n || v < row[best[n-1]] {
				k, _ := slices.BinarySearchFunc(best, v, func(i int, v T) int { return cmp.Compare(row[i], v) })
				best = slices.Insert(best, k, j)[:min(n, len(best)+1)]
			}
		}
		few = append(few, best...)
	}
	slices.Sort(few)
	few = slices.Compact(few)
	cost := make([][]float64, n)
	for i := range cost {
		for _, j := range few {
			cost[i] = append(cost[i], float64(x.Row(i)[j]))
		}
	}
	want, _ := oracle.Assignment(cost)
	dst, sum := trial.OutputVector[int](c, n), trial.OutputVector[float64](c, 1)
	c.Call("Assign", func() {
		var err error
		if sum[0], err = s.Assign(context.Background(), dst, dist.Matrix[T](x)); err != nil {
			c.Error(err)
		}
	})
	total := oracle.Real{}
	for i, j := range dst {
		total = total.Add(oracle.Of(x.Row(i)[j]))
		if slices.Contains(dst[:i], j) {
			c.Errorf("column %d is assigned twice", j)
		}
	}
	bound := float64(n*n) * 8 * 0x1p-53 // all costs are below 8
	trial.Near(c, sum[0], total, bound, "cost of columns %v", dst)
	trial.Near(c, sum[0], want, bound, "cost of %d rows of %d columns", n, m)
}

func compareAssign[T dist.Float](c *trial.Case, s *emd.Solver[T]) {
	c.Alone()
	n, m := c.IntN(9), c.IntN(9)
	if c.Chance(20) {
		n, m = 30+c.IntN(5), c.IntN(7)
	}
	value := c.Values()
	forbidden := c.IntN(3)
	x := trial.Matrix(c, n, m, func(i, j int) T {
		if forbidden == 0 && c.Chance(3) {
			return T(math.Inf(1))
		}
		return T(value())
	})
	cost := make([][]float64, n)
	size := 0.0
	for i, row := range x.Table() {
		cost[i] = make([]float64, m)
		for j, v := range row {
			if cost[i][j] = float64(v); !math.IsInf(float64(v), 0) {
				size = max(size, math.Abs(float64(v)))
			}
		}
	}
	want, ok := oracle.Assignment(cost)
	dst := trial.OutputVector[int](c, n)
	sum := trial.OutputVector[float64](c, 1)
	misuseSolver(c, s)
	c.Call("Assign", func() {
		got, err := s.Assign(context.Background(), dst, dist.Matrix[T](x))
		if sum[0] = got; ok != (err == nil) || !ok && !errors.Is(err, emd.ErrInfeasible) {
			c.Errorf("Assign of %d × %d: %v", n, m, err)
		}
	})
	if !ok || c.Failed() {
		return
	}
	taken, pairs, total := make([]bool, m), 0, oracle.Real{}
	for i, j := range dst {
		if j == -1 && n > m {
			continue
		}
		if j < 0 || j >= m || taken[j] {
			c.Errorf("row %d of %d × %d has column %d", i, n, m, j)
			return
		}
		taken[j] = true
		pairs++
		total = total.Add(oracle.Of(cost[i][j]))
	}
	bound := float64(n+m) * 0x1p-52 * size
	if pairs != min(n, m) || total.Sub(want).Hi > bound || math.Abs(total.Sub(oracle.Of(sum[0])).Hi) > bound {
		c.Errorf("%d pairs of %d × %d cost %v, said to be %v; the best cost %v", pairs, n, m, total.Hi, sum[0], want.Hi)
	}
}

func compareLines[T dist.Float](c *trial.Case, s *emd.Solver[T]) {
	c.Alone()
	sizes := c.Shape(3000, c.Budget(1<<12, 1<<17), 1, 1)
	n, m := max(1, sizes[0]), max(1, sizes[1])
	value := c.Values()
	sample := func(int) T { return T(value()) }
	x, y := trial.Vector(c, n, sample), trial.Vector(c, m, sample)
	if c.Chance(4) {
		y, m = x, n
	}
	wa, a := randomWeights[T](c, n)
	wb, b := randomWeights[T](c, m)
	if wa == nil { // not rounded
		for i := range a {
			a[i] = oracle.Of(1).Div(oracle.Of(n))
		}
	}
	if wb == nil {
		for j := range b {
			b[j] = oracle.Of(1).Div(oracle.Of(m))
		}
	}
	p := []float64{1, 2, math.Inf(1), 1 + 3*c.Float64()}[c.IntN(4)]
	misuseSolver(c, s)
	got := trial.OutputVector[float64](c, 1)
	c.Call("Distance1D", func() {
		w, err := s.Distance1D(context.Background(), x, y, wa, wb, p)
		if err != nil {
			c.Error(err)
		}
		got[0] = w
	})
	w, _, _ := oracle.Line(reals([][]T{x})[0], reals([][]T{y})[0], a, b, p)
	size := 0.0
	for _, v := range slices.Concat(x, y) {
		size = max(size, math.Abs(float64(v)))
	}
	if math.IsInf(p, 1) {
		// Two partial sums of weights may differ only by rounding errors, which can change the largest difference. This cannot
		// happen if all weights are equal.
		if wa == nil && wb == nil && n == m && got[0] != w.Hi {
			c.Errorf("W_∞ of %d samples = %v, want %v", n, got[0], w.Hi)
		}
		return
	}
	// Rounding errors may move a tiny mass to the neighboring sample.
	bound := 1e-13*w.Hi + float64(n+m)*0x1p-50*math.Pow(2*size, p)
	if math.Abs(math.Pow(got[0], p)-w.Hi) > bound+1e-12*p*w.Hi*(2+math.Abs(math.Log(w.Hi+1e-300)))/10 {
		c.Errorf("W of %d and %d samples, p = %v: %v, want %v", n, m, p, math.Pow(got[0], p), w.Hi)
	}
}

func compareSliced[T dist.Float](c *trial.Case, s *emd.Solver[T]) {
	c.Alone()
	sizes := c.Shape(500, c.Budget(1<<10, 1<<14), 1, 1)
	n, m := max(1, sizes[0]), max(1, sizes[1])
	value := c.Values()
	sample := func(int, int) T { return T(value()) }
	x, y := trial.Matrix(c, n, 1, sample), trial.Matrix(c, m, 1, sample)
	p := emd.Problem[T]{X: dist.Matrix[T](x), Y: dist.Matrix[T](y)}
	var a, b []oracle.Real
	p.A, a = randomWeights[T](c, n)
	p.B, b = randomWeights[T](c, m)
	order := []float64{1, 2, 1 + 2*c.Float64()}[c.IntN(3)]
	directions := 1 + c.Size(60)
	options := &emd.SlicedOptions{Order: order, Directions: directions, Seed: c.Uint64()}
	if order == 2 && c.Chance(2) {
		options.Order = 0
	}
	dx, dy := trial.Output[T](c, n, 1), trial.Output[T](c, m, 1)
	got := trial.OutputVector[float64](c, 3)
	// wide returns the points with a second coordinate of 0. Each projected distance is then |θ₁| times the distance on the
	// line.
	wide := func(v trial.View[T]) dist.Matrix[T] {
		return dist.Matrix[T](trial.Matrix(c, v.Rows, 2, func(i, j int) T { return v.Row(i)[0] * T(1-j) }))
	}
	plane := emd.Problem[T]{X: wide(x), Y: wide(y), A: p.A, B: p.B}
	unit := emd.Problem[T]{X: dist.NewMatrix(1, 2, []T{1, 0}), Y: dist.NewMatrix(1, 2, []T{0, 0})}
	misuseSolver(c, s)
	ctx := context.Background()
	c.Call("Sliced", func() {
		var none dist.Matrix[T]
		for k, q := range []*emd.Problem[T]{&p, &plane, &unit} {
			to, also := none, none
			if k == 0 {
				to, also = dist.Matrix[T](dx), dist.Matrix[T](dy)
			}
			w, err := s.Sliced(ctx, to, also, q, options)
			if err != nil {
				c.Error(err)
			}
			got[k] = w
		}
	})
	// On a line, the directions are ±1.
	xs, ys := [][]oracle.Real{make([]oracle.Real, n)}, [][]oracle.Real{make([]oracle.Real, m)}
	size := 0.0
	for i := range n {
		xs[0][i] = oracle.Of(x.Row(i)[0])
		size = max(size, math.Abs(xs[0][i].Hi))
	}
	for i := range m {
		ys[0][i] = oracle.Of(y.Row(i)[0])
		size = max(size, math.Abs(ys[0][i].Hi))
	}
	w, gx, gy := oracle.Line(xs[0], ys[0], a, b, order)
	u := 8 * trial.Epsilon[T]()
	bound := (u*20+float64(n+m)*0x1p-50)*math.Pow(2*size, order)*order + 1e-11*w.Hi
	if math.Abs(math.Pow(got[0], order)-w.Hi) > bound {
		c.Errorf("sliced distance of %d and %d points on a line, order %v: %v, want %v", n, m, order, math.Pow(got[0], order), w.Hi)
	}
	if math.Abs(math.Pow(got[1], order)-w.Hi*math.Pow(got[2], order)) > 4*bound {
		c.Errorf("sliced distance of %d and %d points on an axis, order %v: %v, want %v times %v", n, m, order, math.Pow(got[1], order), w.Hi, math.Pow(got[2], order))
	}
	if bound > 1e-3*w.Hi || size == 0 { // the distance is 0 or within the rounding errors, so its gradients are not determined
		return
	}
	slope := order * math.Pow(2*size, order-1)
	same := make(map[float64]int)
	for _, v := range slices.Concat(xs[0], ys[0]) {
		same[v.Hi]++
	}
	for _, side := range []struct {
		at   [][]oracle.Real
		got  trial.View[T]
		want []oracle.Real
	}{{xs, dx, gx}, {ys, dy, gy}} {
		for i, want := range side.want {
			if same[side.at[0][i].Hi] > 1 {
				continue // the gradient of equal points depends on their order
			}
			trial.Near(c, side.got.Row(i)[0], want, (u+float64(n+m)*0x1p-48)*slope+u*want.Abs().Hi, "gradient %d of the sliced distance of %d and %d points, order %v", i, n, m, order)
			if c.Failed() {
				return
			}
		}
	}
}
