package sinkhorn

import (
	"context"
	"math"
	"math/bits"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
)

// Where λ is large, λ times the dual variables of the problem without entropy are a start from which
// Newton's steps need not find out anew which parts of the plan are connected. They come from the network
// simplex method (R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network flows", 1993, chapter 11), on one
// goroutine.
//
// Flows are integers, so that they are exact. The mass of a row is one more than a multiple of unit, and
// the last column has what is over, so that no part of the rows has the mass of a part of the columns.
// No flow of the tree is then ever 0, and every pivot lowers the cost. Dual variables are differences of
// costs along the tree. Only sums, differences and comparisons decide, which are the same on all machines.
//
// In partial transport one more row and one more column, the dummies, take the mass that is not moved. Their
// costs are 0, but moving mass from one to the other costs more than it can ever gain.

const (
	exactPasses = 500     // the most work, in passes over the costs
	exactNodes  = 1 << 16 // and the most nodes: each has 2⁴⁴ units of mass on average, and the sum is in range
	exactSlack  = 0x1p-40 // of reduced costs, in units of the largest cost: rounding
	exactBytes  = 72      // of a node
	noNode      = -1      // and the point of a dummy
)

// simplex is the network simplex method. Nodes are the rows with weight, and then the columns with weight,
// a dummy being the last of its side. Each has an arc to its parent in a spanning tree, except for the root.
type simplex[T dist.Float] struct {
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

// exactStart sets the start to λ times the dual variables of the rows for λ = ∞, and reports whether it
// has found them. Its work counts as passes of ε-scaling.
func (s *solution[T]) exactStart(ctx context.Context) (bool, error) {
	if err := s.geo.measure(ctx); err != nil {
		return false, err
	}
	x := &s.exact
	ok, err := solveExact(ctx, x, &s.geo, s.a, s.b, s.iteration.partial)
	s.res.Annealing = int(math.Ceil(x.work / s.geo.size()))
	if err != nil || !ok {
		return false, err
	}
	grow(&s.warm, s.geo.n)
	for i := range s.warm {
		s.warm[i] = T(math.Inf(-1))
	}
	for k, i := range x.rows {
		switch f := float64(s.lambda * x.dual[k]); {
		case i < 0:
		case s.iteration.partial > 0: // points at their cap have scalings in proportion to their weights
			s.warm[i] = T(f + num.Log(float64(s.a[i])))
		default:
			s.warm[i] = T(f)
		}
	}
	s.startShift, s.startOffset = 0, 0
	s.problem.Start = s.warm
	return true, nil
}

// solveExact sets the dual variables of the transport problem without entropy, and reports whether it has
// found them within exactPasses. If mass is positive, the transport is partial. Costs that are not stored are
// computed a few rows at a time, by the same kernel, so that the answer does not depend on the storage.
func solveExact[T dist.Float](ctx context.Context, x *simplex[T], geo *geometry[T], a, b []T, mass float64) (bool, error) {
	x.work = 0
	sumA, sumB := weighty(&x.rows, a), weighty(&x.cols, b)
	restA, restB := 0., 0.
	if mass > 0 {
		x.rows, x.cols = append(x.rows, noNode), append(x.cols, noNode)
		restA, restB = max(0, sumB-mass), max(0, sumA-mass)
	}
	n, m := len(x.rows), len(x.cols)
	if n+m > exactNodes {
		return false, nil
	}
	x.allocate(n + m)
	setMasses(x.left[:n], x.rows, a, restA, int64(n+1))
	setMasses(x.left[n:], x.cols, b, restB, int64(n+1))
	x.settle(n)
	grow(&x.costs, m)
	costs := costRows[T]{strip: geo.parts.strips[0], points: x.rows, cols: x.cols, costs: x.costs}
	largest := 0.
	for i := range n {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		for _, c := range costs.row(i) {
			largest = math.Max(largest, math.Abs(float64(c)))
		}
	}
	costs.corner = T(2 * largest)
	slack, most := float64(exactSlack*largest), float64(exactPasses*float64(n)*float64(m))
	if !finite(largest) || mass > 0 && !finite(float64(costs.corner)) {
		return false, nil
	}
	if err := plant(ctx, x, &costs); err != nil {
		return false, err
	}
	x.hang(int32(n - 1))
	// Rows take turns: the least reduced cost of a row enters the tree if it is negative.
	for i, clean := 0, 0; clean < n; i = (i + 1) % n {
		if x.work > most {
			return false, nil
		}
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		x.work += float64(m)
		row, f, g := costs.row(i), x.dual[i], x.dual[n:]
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
	return true, nil
}

// costRows are the costs of the arcs.
type costRows[T dist.Float] struct {
	strip        *strip[T]
	points, cols []int32 // of the rows and the columns
	corner       T       // from dummy to dummy
	from, to     int     // the rows of M at hand
	d            []T
	ld           int
	costs        []T // scratch of a row
}

// row returns the costs from a row to the columns.
func (c *costRows[T]) row(node int) []T {
	i, dummy := int(c.points[node]), c.cols[len(c.cols)-1] < 0
	switch {
	case i < 0:
		clear(c.costs)
		c.costs[len(c.costs)-1] = c.corner
		return c.costs
	case !dummy && len(c.cols) == c.strip.m:
		return c.stored(node, i)
	}
	row := c.stored(node, i)
	for k, j := range c.cols {
		if c.costs[k] = 0; j >= 0 {
			c.costs[k] = row[j]
		}
	}
	return c.costs
}

// stored returns row i of M, which belongs to node. If its costs are not stored, the next rows are computed
// with it.
func (c *costRows[T]) stored(node, i int) []T {
	b := c.strip
	if i < c.from || i >= c.to {
		b.i, b.r = i, 1
		for most := b.blockRows(); b.r < most && node+b.r < len(c.points) && int(c.points[node+b.r]) == i+b.r; {
			b.r++
		}
		c.d, c.ld = b.cost()
		c.from, c.to = i, i+b.r
	}
	return c.d[(i-c.from)*c.ld:][:b.m]
}

// weighty sets points to those with a weight, and returns the sum of the weights.
func weighty[T dist.Float](points *[]int32, weights []T) (sum float64) {
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
func setMasses[T dist.Float](dst []int64, points []int32, weights []T, rest float64, unit int64) {
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
func plant[T dist.Float](ctx context.Context, x *simplex[T], costs *costRows[T]) error {
	n := len(x.rows)
	for k := range x.first {
		x.parent[k], x.first[k] = noNode, noNode
	}
	for i := range int32(n) {
		row := costs.row(int(i))
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
