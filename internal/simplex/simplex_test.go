package simplex

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/internal/asm/num"
)

// exactly solves a problem without entropy and proves the answer: no reduced cost is negative, all are 0 on
// the tree, every flow is positive, and the flows are the masses.
func exactly[T num.Float](t *testing.T, x *Solver[T], cost matrix[T], a, b []T) {
	t.Helper()
	ok, err := x.Solve(t.Context(), &Problem[T]{Costs: cost, A: a, B: b})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	n, m := len(x.rows), len(x.cols)
	masses := make([]int64, n+m)
	setMasses(masses[:n], x.rows, a, 0, int64(n+1))
	setMasses(masses[n:], x.cols, b, 0, int64(n+1))
	left := x.left
	x.left = masses
	x.settle(n)
	x.left = left
	largest := 0.
	for _, i := range x.rows {
		for _, j := range x.cols {
			largest = max(largest, math.Abs(float64(cost.at(int(i), int(j)))))
		}
	}
	roots := 0
	for node, parent := range x.parent {
		if parent < 0 {
			roots++
			continue
		}
		row, column := min(node, int(parent)), max(node, int(parent))
		masses[row] -= x.flow[node]
		masses[column] -= x.flow[node]
		if r := float64(cost.at(int(x.rows[row]), int(x.cols[column-n]))) - x.dual[row] - x.dual[column]; x.flow[node] <= 0 || !(math.Abs(r) <= slackOf*largest) {
			t.Errorf("arc %d–%d has the flow %d and the reduced cost %v", row, column, x.flow[node], r)
		}
	}
	for node, mass := range masses {
		if mass != 0 || roots != 1 {
			t.Errorf("node %d has the mass %d without flow; %d roots", node, mass, roots)
		}
	}
	for k, i := range x.rows {
		for l, j := range x.cols {
			if r := float64(cost.at(int(i), int(j))) - x.dual[k] - x.dual[n+l]; !(r >= -2*slackOf*largest) {
				t.Errorf("element %d, %d has the reduced cost %v", i, j, r)
			}
		}
	}
}

// TestSolve: the network simplex method is right for all kinds of costs and weights, also if it was used for
// another problem before, and for the best assignment, which is found by trying all.
func TestSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 1))
	var x Solver[float64]
	for i := range 4 * costKinds * weightKinds {
		n, m := 1+rng.IntN(30), 1+rng.IntN(30)
		cost := structuredCosts(rng, n, m, i%costKinds)
		if i%3 == 0 {
			for k := range cost.data {
				cost.data[k] -= 0.5
			}
		}
		exactly(t, &x, cost, weightsOf(rng, n, i/costKinds%weightKinds), weightsOf(rng, m, rng.IntN(weightKinds)))
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
	exactly(t, new(Solver[float32]), cost, a, b)
	for n := 1; n < 7; n++ {
		cost, w := structuredCosts(rng, n, n, randomCosts), weightsOf(rng, n, uniformWeights)
		exactly(t, &x, cost, w, w)
		sum := 0.
		for _, d := range x.dual {
			sum += d
		}
		if want := bestOf(cost, n, 0, 0); !(math.Abs(sum-want) <= 1e-10) {
			t.Errorf("%d points: %v, the best assignment costs %v", n, sum, want)
		}
		// In partial transport, the dummies have the dual variables and the masses that are left.
		for k := range n {
			for c := range cost.data {
				cost.data[c] -= 0.1
			}
			mass := float64(k+1) / float64(n)
			if ok, err := x.Solve(t.Context(), &Problem[float64]{Costs: cost, A: w, B: w, Mass: mass}); !ok || err != nil {
				t.Fatal(ok, err)
			}
			sum := (1 - mass) * (x.dual[n] + x.dual[2*n+1])
			for _, d := range append(x.dual[:n:n], x.dual[n+1:2*n+1]...) {
				sum += d / float64(n)
			}
			if want := bestOf(cost, k+1, 0, 0) / float64(n); !(math.Abs(sum-want) <= 1e-10) {
				t.Errorf("%d of %d points: %v, the best assignment costs %v", k+1, n, sum, want)
			}
		}
	}
}

// TestEnds: costs that are not finite, too many points and a context that ends are no start, but no harm.
func TestEnds(t *testing.T) {
	var x Solver[float64]
	cost := matrix[float64]{2, []float64{1, 2, math.NaN(), 3}}
	if ok, err := x.Solve(t.Context(), &Problem[float64]{Costs: cost, A: []float64{1, 1}, B: []float64{1, 1}}); ok || err != nil {
		t.Error("NaN:", ok, err)
	}
	many := make([]float64, maxNodes)
	for i := range many {
		many[i] = 1
	}
	if ok, err := x.Solve(t.Context(), &Problem[float64]{Costs: matrix[float64]{len(many), many}, A: []float64{1}, B: many}); ok || err != nil {
		t.Error("too many points:", ok, err)
	}
	ended, cancel := context.WithCancelCause(t.Context())
	want := errors.New("enough")
	cancel(want)
	cost.data[2] = 0
	if _, err := x.Solve(ended, &Problem[float64]{Costs: cost, A: []float64{1, 1}, B: []float64{1, 1}}); !errors.Is(err, want) {
		t.Error("an ended context:", err)
	}
}

// matrix is a cost matrix, row by row.
type matrix[T num.Float] struct {
	cols int
	data []T
}

func (c matrix[T]) Row(i int) []T { return c.data[i*c.cols:][:c.cols] }

func (c matrix[T]) at(i, j int) T { return c.data[i*c.cols+j] }

const (
	randomCosts    = 6 // kinds of costs of structuredCosts
	costKinds      = 8
	uniformWeights = 0 // kinds of weights of weightsOf
	weightKinds    = 4
)

// structuredCosts returns costs of one kind: of points on a line or on a grid, random, or equal to many others.
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

// weightsOf returns n weights of one kind, whose sum is 1.
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

// bestOf returns the least cost of assigning k rows from row i on to columns that are not in used.
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
