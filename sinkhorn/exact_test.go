package sinkhorn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomonge/monge/dist"
)

// exactly solves a problem without entropy and proves the answer: no reduced cost is negative, all are 0 on
// the tree, every flow is positive, and the flows are the masses.
func exactly[T dist.Float](t *testing.T, x *simplex[T], cost dist.Matrix[T], a, b []T) {
	t.Helper()
	ok, err := solveExact(t.Context(), x, storedCosts(cost), a, b, 0)
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
			largest = max(largest, math.Abs(float64(cost.At(int(i), int(j)))))
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
		if r := float64(cost.At(int(x.rows[row]), int(x.cols[column-n]))) - x.dual[row] - x.dual[column]; x.flow[node] <= 0 || !(math.Abs(r) <= exactSlack*largest) {
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
			if r := float64(cost.At(int(i), int(j))) - x.dual[k] - x.dual[n+l]; !(r >= -2*exactSlack*largest) {
				t.Errorf("element %d, %d has the reduced cost %v", i, j, r)
			}
		}
	}
}

// storedCosts returns the geometry of a cost matrix.
func storedCosts[T dist.Float](cost dist.Matrix[T]) *geometry[T] {
	geo := new(geometry[T])
	geo.setCost(cost)
	geo.layOut(&Settings{})
	geo.allocate()
	return geo
}

// TestExact: the network simplex method is right for all kinds of costs and weights, also if it was used for
// another problem before, and for the best assignment, which is found by trying all.
func TestExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 1))
	var x simplex[float64]
	for i := range 4 * costKinds * weightKinds {
		n, m := 1+rng.IntN(30), 1+rng.IntN(30)
		cost := structuredCosts(rng, n, m, i%costKinds)
		if i%3 == 0 {
			for k := range cost.Data {
				cost.Data[k] -= 0.5
			}
		}
		exactly(t, &x, cost, weightsOf(rng, n, i/costKinds%weightKinds), weightsOf(rng, m, rng.IntN(weightKinds)))
	}
	cost := dist.NewMatrix[float32](20, 25, nil)
	for k := range cost.Data {
		cost.Data[k] = float32(rng.NormFloat64())
	}
	a, b := make([]float32, 20), make([]float32, 25)
	for i := range a {
		a[i] = float32(i)
	}
	for j := range b {
		b[j] = 7.6
	}
	exactly(t, new(simplex[float32]), cost, a, b)
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
			for c := range cost.Data {
				cost.Data[c] -= 0.1
			}
			mass := float64(k+1) / float64(n)
			if ok, err := solveExact(t.Context(), &x, storedCosts(cost), w, w, mass); !ok || err != nil {
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

// TestExactEnds: costs that are not finite, too many points and a context that ends are no start, but no harm.
func TestExactEnds(t *testing.T) {
	var x simplex[float64]
	cost := dist.NewMatrix(2, 2, []float64{1, 2, math.NaN(), 3})
	if ok, err := solveExact(t.Context(), &x, storedCosts(cost), []float64{1, 1}, []float64{1, 1}, 0); ok || err != nil {
		t.Error("NaN:", ok, err)
	}
	many := make([]float64, exactNodes)
	for i := range many {
		many[i] = 1
	}
	if ok, err := solveExact(t.Context(), &x, storedCosts(dist.NewMatrix[float64](1, len(many), nil)), []float64{1}, many, 0); ok || err != nil {
		t.Error("too many points:", ok, err)
	}
	ended, cancel := context.WithCancelCause(t.Context())
	want := errors.New("enough")
	cancel(want)
	cost.Data[2] = 0
	if _, err := solveExact(ended, &x, storedCosts(cost), []float64{1, 1}, []float64{1, 1}, 0); !errors.Is(err, want) {
		t.Error("an ended context:", err)
	}
}
