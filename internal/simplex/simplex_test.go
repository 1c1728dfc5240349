package simplex

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/ending"
)

// solveAndProve solves a problem and proves with plain loops that the transport plan is optimal. No
// entry may be negative, the marginals must be correct, and the duality gap and the violation of
// the dual constraints must be rounding errors.
func solveAndProve[T num.Float](t *testing.T, s *Solver[T], cost matrix[T], a, b []T, mass float64) (plan []float64, total float64) {
	t.Helper()
	if err := s.Solve(t.Context(), &Problem[T]{Costs: cost, A: a, B: b, Mass: mass}); err != nil {
		t.Fatal(err)
	}
	n, m := len(a), len(b)
	plan = make([]float64, n*m)
	rows, columns := make([]float64, n), make([]float64, m)
	scale := sumWeights(a) / sumWeights(b)
	if mass > 0 {
		scale = 1
	}
	left := sumWeights(a) + sumWeights(b)
	s.Arcs(n, m, func(_, i, j int, mass, c float64) {
		if !(mass > 0) || plan[i*m+j] != 0 || c != float64(cost.At(i, j)) {
			t.Fatalf("arc %d, %d has the mass %v and the cost %v", i, j, mass, c)
		}
		plan[i*m+j] = mass
		rows[i] += mass
		columns[j] += mass
		total += mass * c
		left -= 2 * mass
	})
	moved, duals := 0., 0.
	check := func(what string, got, want float64) {
		moved += got
		if over := got - want; math.Abs(over) > 0x1p-49*want+0x1p-100*sumWeights(a) && (over > 0 || mass == 0) {
			t.Fatalf("%s has the mass %v, not %v", what, got, want)
		}
	}
	for i, w := range a {
		check("a row", rows[i], float64(w))
		if w > 0 {
			duals += float64(w) * s.F[i]
		}
	}
	for j, w := range b {
		check("a column", columns[j], float64(w)*scale)
		if w > 0 {
			duals += float64(w) * scale * s.G[j]
		}
	}
	if mass > 0 {
		duals += (sumWeights(b)-mass)*s.DummyF + (sumWeights(a)-mass)*s.DummyG
		if math.Abs(moved/2-mass) > 0x1p-48*mass {
			t.Fatalf("the mass is %v, not %v", moved/2, mass)
		}
	}
	largest, worst := 0., 0.
	for i := range a {
		for j := range b {
			if a[i] > 0 && b[j] > 0 {
				largest = max(largest, math.Abs(s.F[i])+math.Abs(s.G[j]))
				worst = max(worst, s.F[i]+s.G[j]-float64(cost.At(i, j)))
			}
		}
	}
	if worst > 0x1p-50*largest {
		t.Fatalf("the dual is violated by %v", worst)
	}
	if gap := total - duals; !(math.Abs(gap) <= float64(n+m)*0x1p-50*max(moved, left+moved)*largest) {
		t.Fatalf("the cost is %v, that of the dual %v: off by %.3g", total, duals, gap)
	}
	return plan, total
}

// TestSolve checks problems with all kinds of costs and weights, with a single Solver. It compares
// small assignments with the best of all permutations.
func TestSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 1))
	var s Solver[float64]
	for i := range 8 * costKinds * weightKinds {
		n, m := 1+rng.IntN(30), 1+rng.IntN(30)
		cost := structuredCosts(rng, n, m, i%costKinds)
		if i%3 == 0 {
			for k := range cost.data {
				cost.data[k] -= 0.5
			}
		}
		a, b := weightsOf(rng, n, i/costKinds%weightKinds), weightsOf(rng, m, rng.IntN(weightKinds))
		solveAndProve(t, &s, cost, a, b, 0)
		solveAndProve(t, &s, cost, a, b, rng.Float64())
	}
	cost := matrix[float32]{25, make([]float32, 20*25)}
	for k := range cost.data {
		cost.data[k] = float32(rng.NormFloat64())
	}
	a, b := make([]float32, 20), make([]float32, 25)
	for i := range a {
		a[i] = float32(i)
	}
	for j := range b {
		b[j] = 7.6
	}
	solveAndProve(t, new(Solver[float32]), cost, a, b, 0)
	for n := 1; n < 7; n++ {
		cost, w := structuredCosts(rng, n, n, randomCosts), weightsOf(rng, n, uniformWeights)
		_, total := solveAndProve(t, &s, cost, w, w, 0)
		if want := bestOf(cost, n, 0, 0) / float64(n); !(math.Abs(total-want) <= 1e-14) {
			t.Errorf("%d points: %v, the best assignment costs %v", n, total, want)
		}
		for k := range n {
			for c := range cost.data {
				cost.data[c] -= 0.1
			}
			_, total := solveAndProve(t, &s, cost, w, w, float64(k+1)/float64(n))
			if want := bestOf(cost, k+1, 0, 0) / float64(n); !(math.Abs(total-want) <= 1e-14) {
				t.Errorf("%d of %d points: %v, the best assignment costs %v", k+1, n, total, want)
			}
		}
	}
}

// TestConstant checks the constant by which dual variables are shifted. The largest magnitude of
// the rows' dual variables must be as small as possible. In partial transport, the dual variable of
// the dummy column must be 0.
func TestConstant(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 4))
	var s Solver[float64]
	for range 20 {
		n := 20 + rng.IntN(20)
		cost := structuredCosts(rng, n, n, randomCosts)
		solveAndProve(t, &s, cost, weightsOf(rng, n, randomWeights), weightsOf(rng, n, randomWeights), 0)
		if low, high := slices.Min(s.F), slices.Max(s.F); math.Abs(low+high) > 1e-14 || low == high {
			t.Errorf("dual variables are between %v and %v", low, high)
		}
		solveAndProve(t, &s, cost, weightsOf(rng, n, randomWeights), weightsOf(rng, n, randomWeights), rng.Float64())
		if math.Abs(s.DummyG) > 1e-14 || s.DummyF > -1e-3 {
			t.Errorf("the dummies have the dual variables %v and %v", s.DummyF, s.DummyG)
		}
	}
}

// TestErrors checks the errors for costs that are not finite, for costs whose sums overflow, for
// the limit of the work, and for a context that ends. After the context has ended, the transport
// plan must be feasible.
func TestErrors(t *testing.T) {
	var s Solver[float64]
	w := []float64{1, 1}
	cost := matrix[float64]{2, []float64{1, 2, math.NaN(), 3}}
	var where *NotFiniteError
	if err := s.Solve(t.Context(), &Problem[float64]{Costs: cost, A: w, B: w}); !errors.As(err, &where) || where.Row != 1 || where.Column != 0 {
		t.Error("NaN:", err)
	}
	for k := range cost.data {
		cost.data[k] = math.MaxFloat64 * float64(1-(k+1)/2%2*2)
	}
	if err := s.Solve(t.Context(), &Problem[float64]{Costs: cost, A: w, B: w}); !errors.Is(err, ErrRange) {
		t.Error("sums that overflow:", err)
	}
	rng := rand.New(rand.NewPCG(51, 2))
	const n = 300
	big := structuredCosts(rng, n, n, randomCosts)
	w = weightsOf(rng, n, randomWeights)
	if err := s.Solve(t.Context(), &Problem[float64]{Costs: big, A: w, B: w, Work: 2 * n * n}); !errors.Is(err, ErrWork) {
		t.Error("work:", err)
	}
	for checks := range 20 {
		p := &Problem[float64]{Costs: big, A: w, B: w, Mass: float64(checks%2) / 2}
		if err := s.Solve(ending.At(checks+1), p); err != ending.ErrAt || !s.Feasible {
			t.Fatal("an ended context:", err)
		}
		moved, rows := 0., make([]float64, n)
		s.Arcs(n, n, func(_, i, j int, mass, _ float64) { moved += mass; rows[i] += mass })
		for i := range rows {
			if over := rows[i] - w[i]; over > 1e-17 || p.Mass == 0 && over < -1e-17 {
				t.Fatalf("row %d has the mass %v, not %v", i, rows[i], w[i])
			}
		}
		if wanted := 1 - p.Mass; math.Abs(moved-wanted) > 1e-14 {
			t.Errorf("%v moved, not %v", moved, wanted)
		}
	}
}

// checkedCosts counts the costs that are read between two checks of a context.
type checkedCosts struct {
	matrix[float64]
	ctx                *ending.Context
	checks, read, most int
	late               bool // whether a row was read after the context ended
}

func (c *checkedCosts) Row(i int) []float64 {
	if checks := c.ctx.Checks(); checks != c.checks {
		c.checks, c.read = checks, 0
	}
	c.read += c.cols
	c.most = max(c.most, c.read)
	c.late = c.late || c.ctx.Context.Err() != nil
	return c.matrix.Row(i)
}

// TestContextChecks checks that Solve reads a bounded number of costs between two checks of its
// context, and that Solve reads no row after the context has ended.
func TestContextChecks(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 6))
	var s Solver[float64]
	for _, size := range [][2]int{{6, 4000}, {8000, 3}, {100, 100}} {
		n, m := size[0], size[1]
		costs := checkedCosts{matrix: matrix[float64]{m, make([]float64, n*m)}}
		for k := range costs.data { // with these costs every plan is optimal, so there are no pivots
			costs.data[k] = float64(k/m%7 + k%m%5)
		}
		for _, work := range []float64{1, 20} {
			p := &Problem[float64]{Costs: &costs, A: weightsOf(rng, n, randomWeights), B: weightsOf(rng, m, randomWeights), CostWork: work}
			costs.ctx, costs.most = ending.At(0), 0
			if err := s.Solve(costs.ctx, p); err != nil {
				t.Fatal(err)
			}
			if limit := checkInterval/int(work) + 2*m; costs.most > limit {
				t.Errorf("%d × %d costs: %d are read between two checks, not at most %d", n, m, costs.most, limit)
			}
			checks := costs.ctx.Checks()
			for last := 1; last <= checks; last += 1 + checks/10 {
				costs.ctx = ending.At(last)
				if err := s.Solve(costs.ctx, p); err != ending.ErrAt || costs.late || costs.ctx.ChecksAfterEnd() > 1 {
					t.Errorf("%d × %d costs: Solve goes on after check %d of %d: %v", n, m, last, checks, err)
				}
			}
		}
	}
}

// TestInt128 compares int128 with big.Int.
func TestInt128(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 3))
	value := func(x int128) *big.Int {
		v := big.NewInt(x.hi)
		return v.Lsh(v, 64).Or(v, new(big.Int).SetUint64(x.lo))
	}
	for range 3000 {
		x, y := int128{int64(rng.Uint64()) >> (2 + rng.IntN(62)), rng.Uint64()}, int128{int64(rng.Uint64()) >> (2 + rng.IntN(62)), rng.Uint64()}
		k := rng.IntN(180) - 140
		shifted := value(x)
		if k < 0 {
			shifted.Rsh(shifted, uint(-k))
		} else {
			shifted.Lsh(shifted, uint(k))
		}
		if shifted.BitLen() < 127 && value(x.shift(k)).Cmp(shifted) != 0 ||
			value(x.plus(y)).Cmp(new(big.Int).Add(value(x), value(y))) != 0 || value(x.minus(y)).Cmp(new(big.Int).Sub(value(x), value(y))) != 0 ||
			x.less(y) != (value(x).Cmp(value(y)) < 0) {
			t.Fatal(x, y, k)
		}
		if want, _ := new(big.Float).SetInt(value(x)).Float64(); x.toSignedFloat(k) != math.Ldexp(want, k) {
			t.Fatalf("%v is %v, not %v", x, x.toSignedFloat(0), want)
		}
		w := math.Ldexp(rng.Float64(), rng.IntN(300)-150)
		scaled, _ := new(big.Float).SetMantExp(big.NewFloat(w), k).Int(nil)
		if scaled.BitLen() < 127 && value(int128Of(w, k)).Cmp(scaled) != 0 {
			t.Fatal(w, k)
		}
	}
}

// matrix is a cost matrix in row-major order.
type matrix[T num.Float] struct {
	cols int
	data []T
}

func (c matrix[T]) Row(i int) []T { return c.data[i*c.cols:][:c.cols] }

func (c matrix[T]) At(i, j int) T { return c.data[i*c.cols+j] }

const (
	randomCosts    = 6 // argument kind of structuredCosts for random costs
	costKinds      = 8
	uniformWeights = 0 // argument kind of weightsOf for uniform weights
	randomWeights  = 1
	weightKinds    = 4
)

// structuredCosts returns costs of the given kind: distances of points on a line or on a grid, random
// costs, or costs with many ties.
func structuredCosts(rng *rand.Rand, n, m, kind int) matrix[float64] {
	c := matrix[float64]{m, make([]float64, n*m)}
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
	for k := range c.data {
		c.data[k] /= max(top, 1e-9)
	}
	return c
}

// weightsOf returns n weights of the given kind. The sum of the weights is 1.
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

// bestOf returns the least cost of assigning k of the rows i, i+1, … to different columns. Bit j of
// used is 1 if column j is not available.
func bestOf(cost matrix[float64], k, i, used int) float64 {
	switch {
	case k == 0:
		return 0
	case k > len(cost.data)/cost.cols-i:
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
