// Package simplex solves transport problems without entropy by the network simplex method.
package simplex

import (
	"context"
	"math"
	"math/bits"

	"github.com/gomonge/monge/internal/asm/num"
)

// The network simplex method: R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network flows", 1993, chapter 11.
//
// Flows are integers, so that they are exact. The mass of a row is one more than a multiple of unit, and
// the last column has what is over, so that no part of the rows has the mass of a part of the columns.
// No flow of the tree is then ever 0, and every pivot lowers the cost. Dual variables are differences of
// costs along the tree. Only sums, differences and comparisons decide, which are the same on all machines.
//
// In partial transport one more row and one more column, the dummies, take the mass that is not moved. Their
// costs are 0, but moving mass from one to the other costs more than it can ever gain.

const (
	// NodeBytes is the memory that a Solver takes for each row and each column.
	NodeBytes = 80

	maxNodes = 1 << 16 // each has 2⁴⁴ units of mass on average, and the sum is in range
	slackOf  = 0x1p-40 // of reduced costs, in units of the largest cost: rounding
	noNode   = -1      // and the point of a dummy
)

// Costs are the costs of a problem, n × m.
type Costs[T num.Float] interface {
	// Row returns row i. It is valid until the next call.
	Row(i int) []T
}

// Problem is a transport problem.
type Problem[T num.Float] struct {
	Costs Costs[T]
	A, B  []T     // the weights of rows and columns
	Mass  float64 // if positive, the mass of the plan of partial transport
	Work  float64 // if positive, a limit of Solver.Work
}

// Solver solves one problem after the other in one workspace.
type Solver[T num.Float] struct {
	F, G []float64 // the dual variables of rows and columns: f_i + g_j = M_ij on the tree; 0 without weight
	Work float64   // elements and nodes that were looked at

	simplex[T]
}

// simplex is the tree. Nodes are the rows with weight, and then the columns with weight,
// a dummy being the last of its side. Each has an arc to its parent in a spanning tree, except for the root.
type simplex[T num.Float] struct {
	rows, cols        []int32   // the points that the nodes belong to
	parent, depth     []int32   // of a node
	first, next, prev []int32   // its first child, and its neighbors among the children of its parent
	flow              []int64   // of the arc to the parent,
	arc               []float64 // and its cost
	dual              []float64 // f of rows and g of columns: f_i + g_j = M_ij on the tree
	left              []int64   // mass that has no flow yet
	stack             []int32
	costs             []T     // scratch of a row
	work              float64 // elements and nodes that were looked at
}

// Solve sets the dual variables of p, and reports whether it has found them within p.Work and with finite
// costs.
func (s *Solver[T]) Solve(ctx context.Context, p *Problem[T]) (bool, error) {
	x := &s.simplex
	x.work = 0
	defer func() { s.Work = x.work }()
	sumA, sumB := weighty(&x.rows, p.A), weighty(&x.cols, p.B)
	restA, restB := 0., 0.
	if p.Mass > 0 {
		x.rows, x.cols = append(x.rows, noNode), append(x.cols, noNode)
		restA, restB = max(0, sumB-p.Mass), max(0, sumA-p.Mass)
	}
	n, m := len(x.rows), len(x.cols)
	if n+m > maxNodes {
		return false, nil
	}
	x.allocate(n + m)
	setMasses(x.left[:n], x.rows, p.A, restA, int64(n+1))
	setMasses(x.left[n:], x.cols, p.B, restB, int64(n+1))
	x.settle(n)
	grow(&x.costs, m)
	costs := costRows[T]{costs: p.Costs, points: x.rows, cols: x.cols, m: len(p.B), row: x.costs}
	largest := 0.
	for i := range n {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		for _, c := range costs.of(i) {
			largest = math.Max(largest, math.Abs(float64(c)))
		}
	}
	costs.corner = T(2 * largest)
	slack, most := float64(slackOf*largest), p.Work
	if !finite(largest) || p.Mass > 0 && !finite(float64(costs.corner)) {
		return false, nil
	}
	if err := plant(ctx, x, &costs); err != nil {
		return false, err
	}
	x.hang(int32(n - 1))
	// Rows take turns: the least reduced cost of a row enters the tree if it is negative.
	for i, clean := 0, 0; clean < n; i = (i + 1) % n {
		if most > 0 && x.work > most {
			return false, nil
		}
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		x.work += float64(m)
		row, f, g := costs.of(i), x.dual[i], x.dual[n:]
		least, at := -slack, noNode
		for k, c := range row {
			if r := (float64(c) - f) - g[k]; r < least {
				least, at = r, k
			}
		}
		if clean++; at >= 0 {
			x.hang(x.pivot(int32(i), int32(n+at), float64(row[at])))
			clean = 0
		}
	}
	s.spread(&s.F, x.rows, x.dual, len(p.A))
	s.spread(&s.G, x.cols, x.dual[n:], len(p.B))
	return true, nil
}

// spread sets dst to the dual variables of points.
func (s *Solver[T]) spread(dst *[]float64, points []int32, dual []float64, n int) {
	grow(dst, n)
	clear(*dst)
	for k, i := range points {
		if i >= 0 {
			(*dst)[i] = dual[k]
		}
	}
}

func finite(x float64) bool { return x-x == 0 }

// grow sets the length of *v to n. The old elements are lost if there was no room.
func grow[E any](v *[]E, n int) {
	if k := cap(*v); k < n {
		*v = make([]E, max(n, k+k/4))
	}
	*v = (*v)[:n]
}

// costRows are the costs of the arcs.
type costRows[T num.Float] struct {
	costs        Costs[T]
	points, cols []int32 // of the rows and the columns
	m            int
	corner       T   // from dummy to dummy
	row          []T // scratch
}

// of returns the costs from a row to the columns.
func (c *costRows[T]) of(node int) []T {
	i, dummy := int(c.points[node]), c.cols[len(c.cols)-1] < 0
	switch {
	case i < 0:
		clear(c.row)
		c.row[len(c.row)-1] = c.corner
		return c.row
	case !dummy && len(c.cols) == c.m:
		return c.costs.Row(i)
	}
	row := c.costs.Row(i)
	for k, j := range c.cols {
		if c.row[k] = 0; j >= 0 {
			c.row[k] = row[j]
		}
	}
	return c.row
}

// weighty sets points to those with a weight, and returns the sum of the weights.
func weighty[T num.Float](points *[]int32, weights []T) (sum float64) {
	*points = (*points)[:0]
	for i, w := range weights {
		if w > 0 {
			*points = append(*points, int32(i))
			sum += float64(w)
		}
	}
	return sum
}

// allocate makes room for so many nodes.
func (x *simplex[T]) allocate(nodes int) {
	for _, v := range []*[]int32{&x.parent, &x.depth, &x.first, &x.next, &x.prev} {
		grow(v, nodes)
	}
	grow(&x.flow, nodes)
	grow(&x.left, nodes)
	grow(&x.dual, nodes)
	grow(&x.arc, nodes)
}

// setMasses sets dst to the weights of points, rest for a dummy, as multiples of unit, of a sum near 2⁶¹. None
// is 0.
func setMasses[T num.Float](dst []int64, points []int32, weights []T, rest float64, unit int64) {
	weight := func(i int32) float64 {
		if i < 0 {
			return rest
		}
		return float64(weights[i])
	}
	var sum float64
	for _, i := range points {
		sum += weight(i)
	}
	whole := math.Ldexp(1, 61-bits.Len64(uint64(unit)))
	for k, i := range points {
		dst[k] = unit * max(1, int64(weight(i)/sum*whole))
	}
}

// settle makes the masses of the first n nodes, the rows, and of the others agree, and adds what makes
// all their partial sums differ.
func (x *simplex[T]) settle(n int) {
	var over int64
	heaviest := [2]int{0, n}
	for k, mass := range x.left {
		side := 0
		if k < n {
			over += mass
		} else {
			side, over = 1, over-mass
		}
		if mass > x.left[heaviest[side]] {
			heaviest[side] = k
		}
	}
	if over > 0 {
		x.left[heaviest[1]] += over
	} else {
		x.left[heaviest[0]] -= over
	}
	for k := range x.left[:n] {
		x.left[k]++
	}
	x.left[len(x.left)-1] += int64(n)
}

// plant makes a first tree, whose root is the last row. Row after row, the cheapest column that has mass
// left takes as much as it can. Either the row or the column then has nothing left, and the other becomes
// its parent.
func plant[T num.Float](ctx context.Context, x *simplex[T], costs *costRows[T]) error {
	n := len(x.rows)
	for k := range x.first {
		x.parent[k], x.first[k] = noNode, noNode
	}
	for i := range int32(n) {
		row := costs.of(int(i))
		for x.left[i] > 0 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			at := noNode
			for k, c := range row {
				if x.left[n+k] > 0 && (at < 0 || c < row[at]) {
					at = k
				}
			}
			x.work += float64(len(row))
			column := int32(n + at)
			flow, arc := min(x.left[i], x.left[column]), float64(row[at])
			x.left[i] -= flow
			if x.left[column] -= flow; x.left[column] == 0 {
				x.attach(column, i, flow, arc)
			} else {
				x.attach(i, column, flow, arc)
			}
		}
	}
	return nil
}

// attach makes node a child of parent.
func (x *simplex[T]) attach(node, parent int32, flow int64, arc float64) {
	x.parent[node], x.flow[node], x.arc[node] = parent, flow, arc
	x.prev[node], x.next[node] = noNode, x.first[parent]
	if next := x.next[node]; next >= 0 {
		x.prev[next] = node
	}
	x.first[parent] = node
}

// detach is the opposite of attach.
func (x *simplex[T]) detach(node int32) {
	prev, next := x.prev[node], x.next[node]
	if prev >= 0 {
		x.next[prev] = next
	} else {
		x.first[x.parent[node]] = next
	}
	if next >= 0 {
		x.prev[next] = prev
	}
}

// hang sets the depths and the dual variables of the nodes below top, and its own.
func (x *simplex[T]) hang(top int32) {
	x.stack = append(x.stack[:0], top)
	for len(x.stack) > 0 {
		node := x.stack[len(x.stack)-1]
		x.stack = x.stack[:len(x.stack)-1]
		x.work++
		if parent := x.parent[node]; parent < 0 {
			x.depth[node], x.dual[node] = 0, 0
		} else {
			x.depth[node] = x.depth[parent] + 1
			x.dual[node] = x.arc[node] - x.dual[parent]
		}
		for child := x.first[node]; child >= 0; child = x.next[child] {
			x.stack = append(x.stack, child)
		}
	}
}

// pivot adds the arc from row i to column j, with its cost, to the tree, which closes a cycle. It removes the arc of the
// cycle whose flow is the first to reach zero. It returns the end of the new arc whose parent is the other end.
//
// The flow of the new arc rises. From its ends upwards, the flows of the cycle fall and rise in turn: those
// from a node of the kind of its end fall.
func (x *simplex[T]) pivot(i, j int32, cost float64) int32 {
	rows := int32(len(x.rows))
	falls := func(node, end int32) bool { return (node < rows) == (end < rows) }
	least, leaves, from := int64(math.MaxInt64), int32(noNode), int32(noNode)
	p, q := i, j
	for p != q {
		node, end := &p, i
		if x.depth[q] > x.depth[p] {
			node, end = &q, j
		}
		if falls(*node, end) && x.flow[*node] < least {
			least, leaves, from = x.flow[*node], *node, end
		}
		*node = x.parent[*node]
		x.work++
	}
	for _, end := range [2]int32{i, j} {
		for node := end; node != p; node = x.parent[node] {
			if falls(node, end) {
				x.flow[node] -= least
			} else {
				x.flow[node] += least
			}
		}
	}
	// What is below the arc that leaves hangs from the new arc: its path to from turns around.
	node, parent, flow, arc := from, i+j-from, least, cost
	for {
		above, flowed, was := x.parent[node], x.flow[node], x.arc[node]
		x.detach(node)
		x.attach(node, parent, flow, arc)
		if node == leaves {
			return from
		}
		node, parent, flow, arc = above, node, flowed, was
	}
}
