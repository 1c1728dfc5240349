// Package simplex solves transport problems without entropy by the network simplex method.
package simplex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pair"
	"github.com/gomonge/monge/internal/asm/price"
)

// The network simplex method: R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network flows", 1993, chapter 11.
//
// Flows are integers, so that they are exact. A weight is a multiple of 2^-scale, to 50 bits below the last bit
// that counts, and its mass is that multiple times 2^unit. The mass of a column is one more, and the last row
// has as many more, so that no part of the rows has the mass of a part of the columns. No flow of the tree is then
// ever 0, and every pivot lowers the cost. What is added is less than half a unit in every flow, so that the
// rounded flow is the exact flow of the weights themselves, and not negative.
//
// Dual variables are differences of costs along the tree. At first a pivot adds a number to those that it changes, which
// is fast, and their roundings add up. At the end they have two parts, hi and low, as good as 100 bits, so that a reduced
// cost that is negative by more than the rounding of hi is negative. The method ends when there is none.
//
// In partial transport one more row and one more column, the dummies, take the mass that is not moved. Their
// costs are 0. There is no arc from one to the other.

// NodeBytes is the memory that a Solver takes for each row and each column.
const NodeBytes = 112

const (
	noNode           = -1      // no node, and the column of no arc
	exactSlack       = 0x1p-51 // of a reduced cost, in units of its dual variables: rounding
	approximateSlack = 0x1p-44 // the same where roundings have added up
	pivotsPerNode    = 64      // of a node, before dual variables are exact
	checkInterval    = 1 << 14 // elements and nodes between two looks at the context
)

var (
	// ErrWork: the work has reached Problem.Work.
	ErrWork = errors.New("simplex: the limit of the work is reached")
	// ErrRange: sums of costs overflow.
	ErrRange = errors.New("simplex: sums of costs are beyond the floating-point range")
	// ErrNodes: there are more than 2³⁰ rows and columns.
	ErrNodes = errors.New("simplex: there are more than 2³⁰ rows and columns")
)

// NotFiniteError says which cost is NaN or infinite.
type NotFiniteError struct{ Row, Column int }

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("simplex: the cost of row %d and column %d is not finite", e.Row, e.Column)
}

// Costs are the costs of a problem, n × m.
type Costs[T num.Float] interface {
	// Row returns row i. It is valid until the next call.
	Row(i int) []T
	// At returns the cost of row i and column j, without the rest of the row.
	At(i, j int) T
}

// Problem is a transport problem. Weights are finite and not negative, and each side has a positive one. Sums of
// A and B that differ a little are made equal by scaling B.
type Problem[T num.Float] struct {
	Costs Costs[T]
	A, B  []T     // the weights of rows and columns
	Mass  float64 // if positive, the mass of the plan of partial transport, at most the sum of A and that of B
	Work  float64 // if positive, a limit of Solver.Work
	// CostWork is the time that computing a cost takes, in units of the time to read one; 0 means 1. The context is
	// checked as often as it asks for.
	CostWork float64
	// Columns, if not nil, is an assignment from which Solve starts: the column of each row. V are dual variables of
	// columns that prove it, or almost. All weights must be equal.
	Columns []int32
	V       []float64
}

// Solver solves one problem after the other in one workspace.
type Solver[T num.Float] struct {
	// F and G are the dual variables of rows and columns: f_i + g_j = M_ij on the tree, and
	// f_i + g_j ≤ M_ij but for rounding elsewhere. Without weight, f is 0 and g is −Inf.
	F, G []float64
	// DummyF and DummyG are those of the dummies, in partial transport.
	DummyF, DummyG float64
	Work           float64 // elements and nodes that were looked at
	Pivots         int
	Feasible       bool // there is a plan, even if Solve has failed

	partial          bool
	n, m             int       // rows and columns, with their dummies
	rows             []int32   // the rows that have mass
	nodes            []node    // rows, then columns
	links            []links   // of the nodes
	arcCost          []float64 // of the arc between a node and its parent
	activeNodes      int32     // nodes that have mass
	dual             []float64 // the dual variables, to which low adds what rounding has taken
	dualLow          []float64
	massScale        int // see above
	perturbationBits int
	excessRow        int32 // the row that has what is over
	root             int32
	canceled         bool // the context has
	zeroCosts        []T
	arcs             []arc
	queue            []int32
	assignedTree     assignedTree[T]
	relativeSlack    float64 // of a reduced cost, in units of its dual variables: rounding
	costWork         float64
	remainingWork    float64 // work until the next look at the context
}

// node is a row or a column. It has an arc to its parent in a spanning tree, except for the root.
type node struct {
	parent int32
	size   int32  // of the subtree below it, itself included
	flow   int128 // of the arc; before there is a tree, the mass that is left
}

// links are the first child of a node, and its neighbors among the children of its parent.
type links struct{ first, next, prev int32 }

// arc is an arc of the problem.
type arc struct {
	row, column int32
	cost        float64
}

// Solve finds the plan of least cost. If the context ends, it returns the context's cause, and leaves a plan that
// is feasible.
func (s *Solver[T]) Solve(ctx context.Context, p *Problem[T]) error {
	s.Work, s.Pivots, s.remainingWork, s.Feasible = 0, 0, checkInterval, false
	s.costWork = max(1, p.CostWork)
	if len(p.A)+len(p.B) > 1<<30 {
		return ErrNodes
	}
	s.allocate(p)
	s.setMasses(p)
	if err := s.makeFirstTree(ctx, p); err != nil {
		return err
	}
	if p.Columns == nil {
		if err := s.pivotUntilOptimal(ctx, p, false); err != nil {
			return err
		}
		s.recomputeDuals()
	}
	return s.improveExactly(ctx, p)
}

// SolveChanged goes on from the tree of the last Solve, which has ended without an error. Costs of from and more have changed
// since then.
func (s *Solver[T]) SolveChanged(ctx context.Context, p *Problem[T], from float64) error {
	for k, cost := range s.arcCost {
		i, j := k, int(s.nodes[k].parent)-s.n
		if k >= s.n {
			i, j = j+s.n, k-s.n
		}
		if s.nodes[k].parent >= 0 && cost >= from && i < len(p.A) && j < len(p.B) {
			s.arcCost[k] = float64(p.Costs.Row(i)[j])
		}
	}
	s.setDualsBelow(s.root)
	s.recomputeDuals()
	if err := s.pivotUntilOptimal(ctx, p, false); err != nil {
		return err
	}
	s.recomputeDuals()
	return s.improveExactly(ctx, p)
}

// improveExactly makes the tree the best, with exact dual variables.
func (s *Solver[T]) improveExactly(ctx context.Context, p *Problem[T]) error {
	if err := s.pivotUntilOptimal(ctx, p, true); err != nil {
		return err
	}
	if s.partial {
		s.DummyF, s.DummyG = s.dual[s.n-1], s.dual[s.n+s.m-1]
	}
	for k, d := range s.dual {
		if s.nodes[k].size > 0 && !isFinite(d) {
			return ErrRange
		}
	}
	return nil
}

// allocate makes room for the nodes.
func (s *Solver[T]) allocate(p *Problem[T]) {
	s.partial = p.Mass > 0
	s.n, s.m = len(p.A), len(p.B)
	if s.partial {
		s.n, s.m = s.n+1, s.m+1
		if grow(&s.zeroCosts, len(p.B)); len(s.zeroCosts) > 0 {
			clear(s.zeroCosts)
		}
	}
	grow(&s.nodes, s.n+s.m)
	grow(&s.links, s.n+s.m)
	grow(&s.queue, s.n+s.m+1)
	for _, v := range []*[]float64{&s.dual, &s.dualLow, &s.arcCost} {
		grow(v, s.n+s.m)
	}
	grow(&s.rows, s.n)
	clear(s.nodes)
	s.F, s.G = s.dual[:len(p.A)], s.dual[s.n:][:len(p.B)]
	s.rows = s.rows[:0]
	for k := range s.nodes {
		s.nodes[k].parent, s.links[k] = noNode, links{noNode, noNode, noNode}
	}
}

// setMasses sets the masses of the nodes.
func (s *Solver[T]) setMasses(p *Problem[T]) {
	sumA, sumB := sumWeights(p.A), sumWeights(p.B)
	_, exponent := math.Frexp(sumA + sumB)
	s.perturbationBits = bits.Len(uint(s.m)) + 1
	s.massScale = 124 - s.perturbationBits - exponent // so that the masses of a side are below 2¹²⁵
	var a, b int128
	s.activeNodes = 0
	heaviest := s.n
	for i, w := range p.A {
		if w > 0 {
			s.rows = append(s.rows, int32(i))
			x := &s.nodes[i]
			x.flow = atLeastOne(int128Of(float64(w), s.massScale))
			a = a.plus(x.flow)
			s.activeNodes++
			s.excessRow = int32(i)
		}
	}
	columns := uint64(0)
	for j, w := range p.B {
		s.G[j] = math.Inf(-1)
		if w > 0 {
			x := &s.nodes[s.n+j]
			x.flow = atLeastOne(int128Of(float64(w), s.massScale))
			b = b.plus(x.flow)
			s.G[j] = 0
			s.activeNodes++
			columns++
			if s.nodes[heaviest].flow.less(x.flow) {
				heaviest = s.n + j
			}
		}
	}
	if s.partial {
		mass := atLeastOne(int128Of(p.Mass, s.massScale))
		for _, most := range [2]int128{a, b} {
			if most.less(mass) {
				mass = most
			}
		}
		s.rows = append(s.rows, int32(s.n-1))
		s.excessRow = int32(s.n - 1)
		s.nodes[s.excessRow].flow = b.minus(mass)
		s.nodes[s.n+s.m-1].flow = a.minus(mass)
		s.dual[s.n+s.m-1] = 0
		s.activeNodes += 2
		columns++
	} else if excess := a.minus(b); excess != (int128{}) {
		// B is scaled, and the heaviest column has what is left of the rounding.
		ratio := excess.toSignedFloat(-s.massScale) / b.toSignedFloat(-s.massScale)
		if math.Abs(ratio) > 0x1p-80 {
			b = int128{}
		}
		for j, w := range p.B {
			if w > 0 && math.Abs(ratio) > 0x1p-80 {
				x := &s.nodes[s.n+j]
				if d := float64(w) * ratio; d >= 0 {
					x.flow = x.flow.plus(int128Of(d, s.massScale))
				} else {
					x.flow = x.flow.minus(int128Of(-d, s.massScale))
				}
				b = b.plus(x.flow)
			}
		}
		x := &s.nodes[heaviest]
		x.flow = x.flow.plus(a.minus(b))
	}
	for _, i := range s.rows {
		x := &s.nodes[i]
		x.flow = x.flow.shift(s.perturbationBits)
	}
	for j := range s.m {
		if s.dual[s.n+j] == 0 {
			x := &s.nodes[s.n+j]
			x.flow = x.flow.shift(s.perturbationBits).plus(int128{0, 1})
		}
	}
	x := &s.nodes[s.excessRow]
	x.flow = x.flow.plus(int128{0, columns})
}

func sumWeights[T num.Float](w []T) (s float64) {
	for _, x := range w {
		s += float64(x)
	}
	return s
}

// contextEnded reports whether the context has ended. It counts costs that are going to be read, and checks the context once in
// often units of work.
func (s *Solver[T]) contextEnded(ctx context.Context, costs int) bool {
	s.Work += float64(costs)
	s.remainingWork -= float64(float64(costs) * s.costWork)
	return s.remainingWork <= 0 && s.checkContext(ctx)
}

// checkContext reports whether the context has ended, and starts to count work anew.
//
//go:noinline
func (s *Solver[T]) checkContext(ctx context.Context) bool {
	s.remainingWork = checkInterval
	return ctx.Err() != nil
}

// makeFirstTree makes a first tree, of an assignment if there is one. When the context ends, the tree is of the first arcs that
// have mass left, so that there is a plan.
func (s *Solver[T]) makeFirstTree(ctx context.Context, p *Problem[T]) error {
	s.canceled = ctx.Err() != nil
	var err error
	if p.Columns != nil && !s.canceled {
		err = s.makeAssignedTree(ctx, p)
	} else {
		err = s.makeGreedyTree(ctx, p)
	}
	if err != nil {
		return err
	}
	s.Feasible = true
	if s.canceled {
		s.setFilledArcCosts(p)
		return context.Cause(ctx)
	}
	s.countSizes()
	s.dual[s.root] = 0
	s.setDualsBelow(s.root)
	s.recomputeDuals()
	return nil
}

// makeGreedyTree makes a tree of arcs that take as much mass as they can, the cheapest first. Either the row or the
// column then has nothing left, and the other becomes its parent. What is last is the root. The dummy row comes first,
// so that it does not need the dummy column.
//
// The dual variable of a column is 0 while it has mass left, and then −Inf.
func (s *Solver[T]) makeGreedyTree(ctx context.Context, p *Problem[T]) error {
	rows := s.rows
	if s.partial {
		rows = rows[:len(rows)-1]
		for more := true; more; {
			_, at := price.Least(s.zeroCosts, 0, s.dual[s.n:])
			more = s.fillArc(arc{row: int32(s.n - 1), column: int32(at)})
		}
	}
	// A heap of the cheapest arcs of the rows. An arc may lead to a column that has no mass left: then it is
	// cheaper than the next arc of the row.
	heap := s.arcs[:0]
	for _, i := range rows {
		if s.canceled = s.canceled || s.contextEnded(ctx, s.m); s.canceled {
			break
		}
		row := p.Costs.Row(int(i))
		if err := CheckFinite(row, int(i)); err != nil {
			return err
		}
		heap = append(heap, s.cheapestArc(i, row))
	}
	for k := len(heap)/2 - 1; k >= 0 && !s.canceled; k-- {
		siftDown(heap, k)
	}
	for len(heap) > 0 && !s.canceled {
		x := &heap[0]
		if s.dual[s.n+int(x.column)] != 0 || s.fillArc(*x) {
			if s.canceled = s.contextEnded(ctx, s.m); s.canceled {
				break
			}
			*x = s.cheapestArc(x.row, p.Costs.Row(int(x.row)))
		} else {
			*x = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		siftDown(heap, 0)
	}
	s.arcs = heap[:0]
	if s.canceled {
		s.fillRemainingRows(rows)
	}
	return nil
}

// fillRemainingRows moves the mass that rows have left to the first columns that have mass left. The costs of these arcs are NaN.
func (s *Solver[T]) fillRemainingRows(rows []int32) {
	column := 0
	for _, i := range rows {
		for left := s.nodes[i].parent < 0 && s.nodes[i].flow.positive(); left; {
			for s.dual[s.n+column] != 0 {
				column++
			}
			left = s.fillArc(arc{i, int32(column), math.NaN()})
		}
	}
}

// setFilledArcCosts sets the costs of the arcs of fillRows that carry mass.
func (s *Solver[T]) setFilledArcCosts(p *Problem[T]) {
	s.Arcs(len(p.A), len(p.B), func(k, i, j int, _, cost float64) {
		if cost != cost {
			s.arcCost[k] = float64(p.Costs.At(i, j))
		}
	})
}

// siftDown restores the order of a heap whose element k may be too dear.
func siftDown(heap []arc, k int) {
	for {
		child := 2*k + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && heap[child+1].cost < heap[child].cost {
			child++
		}
		if !(heap[child].cost < heap[k].cost) {
			return
		}
		heap[k], heap[child] = heap[child], heap[k]
		k = child
	}
}

// cheapestArc returns the cheapest arc from a row to a column that has mass left.
func (s *Solver[T]) cheapestArc(i int32, row []T) arc {
	g, last := s.dual[s.n:], s.m-1
	cost, at := price.Least(row, 0, g)
	if s.partial && g[last] == 0 && !(cost <= 0) {
		cost, at = 0, last
	}
	return arc{i, int32(at), cost}
}

// fillArc moves as much mass on an arc as there is left, and adds it to the tree. It reports whether the row has mass
// left.
func (s *Solver[T]) fillArc(a arc) bool {
	column := int32(s.n) + a.column
	x, y := &s.nodes[a.row], &s.nodes[column]
	s.root = a.row
	if x.flow.less(y.flow) {
		y.flow = y.flow.minus(x.flow)
		s.attach(a.row, column, x.flow, a.cost)
		return false
	}
	flow := y.flow
	x.flow = x.flow.minus(flow)
	s.dual[column] = math.Inf(-1)
	s.attach(column, a.row, flow, a.cost)
	return x.flow.positive()
}

// CheckFinite returns a NotFiniteError if a cost of row i is not finite.
func CheckFinite[T num.Float](row []T, i int) error {
	if isFinite(float64(pair.Sum(row))) {
		return nil
	}
	for j, c := range row {
		if !isFinite(float64(c)) {
			return &NotFiniteError{i, j}
		}
	}
	return nil
}

// DualTo sets u and v to the dual variables of rows and columns, and returns the price of mass: u_i + v_j + price is the
// cost on the tree. Without Mass, the price is 0. With Mass, those of the dummies, which are 0, are subtracted, in
// twice the precision.
func (s *Solver[T]) DualTo(u, v []float64) (price float64) {
	copy(u, s.F)
	copy(v, s.G)
	if !s.partial {
		return 0
	}
	row, column := s.n-1, s.n+s.m-1
	for i := range u {
		u[i] = s.dualSum(i, column)
	}
	for j := range v {
		v[j] = s.dualSum(s.n+j, row)
	}
	return -s.dualSum(row, column)
}

// recomputeDuals computes all dual variables anew. Its constant makes those of rows as small as it can, so that their
// rounding is small. In partial transport it makes that of the dummy column 0.
func (s *Solver[T]) recomputeDuals() {
	g := 0.
	if s.partial {
		g = s.dual[s.n+s.m-1]
	} else {
		least, most := math.Inf(1), math.Inf(-1)
		for _, i := range s.rows {
			least, most = min(least, s.dual[i]), max(most, s.dual[i])
		}
		g = -(float64(least/2) + float64(most/2))
	}
	if s.root < int32(s.n) {
		g = -g
	}
	s.dual[s.root] -= g
	s.setDualsBelow(s.root)
}

// dualSum returns the sum of the dual variables of two nodes.
func (s *Solver[T]) dualSum(k, l int) float64 {
	x, y := s.dual[k], s.dual[l]
	sum := x + y
	t := sum - x
	return sum + (((x - (sum - t)) + (y - t)) + (s.dualLow[k] + s.dualLow[l]))
}

// countSizes sets the sizes of all subtrees.
func (s *Solver[T]) countSizes() {
	order := s.subtree(s.root)
	for _, k := range order {
		s.nodes[k].size = 1
	}
	for k := len(order) - 1; k > 0; k-- {
		x := &s.nodes[order[k]]
		s.nodes[x.parent].size += x.size
	}
}

// subtree returns the nodes of the subtree below top, and top, which is the first. A node comes after its parent.
func (s *Solver[T]) subtree(top int32) []int32 {
	queue := s.queue
	queue[0], queue[1] = top, s.links[top].first
	tail := 2 + queue[1]>>31 // −1 counts as none
	for head := int32(1); head < tail; head++ {
		x := &s.links[queue[head]]
		queue[tail] = x.first
		tail += 1 + x.first>>31
		queue[tail] = x.next
		tail += 1 + x.next>>31
	}
	return queue[:tail]
}

// pivotUntilOptimal makes pivots until no reduced cost is negative. Of some rows it takes the least reduced costs. As long as
// they stay negative, and not much smaller than the first, the most negative enters the tree. Then come the next
// rows.
//
// Unless it is exact, it adds to dual variables, and computes them anew now and then. It is then blind to what rounding
// may hide, and ends after many pivots, so that it does not go in circles.
func (s *Solver[T]) pivotUntilOptimal(ctx context.Context, p *Problem[T], exact bool) error {
	most := min(max(len(s.rows)/16, 4), 32)
	s.relativeSlack = exactSlack
	if !exact {
		s.relativeSlack = approximateSlack
	}
	pivots, fresh := pivotsPerNode*int(s.activeNodes), int(s.activeNodes)
	for k, clean := 0, 0; ; {
		list := s.arcs[:0]
		for n := 0; clean < len(s.rows) && (n < most || len(list) == 0); n++ {
			if p.Work > 0 && s.Work > p.Work {
				return ErrWork
			}
			if s.contextEnded(ctx, s.m) {
				return context.Cause(ctx)
			}
			if k++; k >= len(s.rows) {
				k = 0
			}
			clean++
			if a, r := s.leastReducedArc(p, s.rows[k]); s.isNegative(a, r) {
				list = append(list, a)
				clean = 0
			}
		}
		s.arcs = list
		if len(list) == 0 {
			return nil
		}
		for first := 0.; len(list) > 0; {
			least, at := 0., 0
			for k := 0; k < len(list); {
				r := s.reducedCost(list[k])
				if !s.isNegative(list[k], r) {
					list[k] = list[len(list)-1]
					list = list[:len(list)-1]
					continue
				}
				if r < least {
					least, at = r, k
				}
				k++
			}
			if len(list) == 0 || least > first/8 {
				break
			}
			if first == 0 {
				first = least
			}
			top := s.pivot(list[at])
			clean = 0
			if exact {
				s.setDualsBelow(top)
			} else {
				s.shiftDualsBelow(top)
			}
			if s.contextEnded(ctx, 0) {
				return context.Cause(ctx)
			}
			if exact {
				continue
			}
			if pivots--; pivots < 0 {
				return nil
			}
			if fresh--; fresh < 0 {
				s.recomputeDuals()
				fresh = int(s.activeNodes)
			}
		}
	}
}

// leastReducedArc returns the arc of row i whose reduced cost is the least, and this.
func (s *Solver[T]) leastReducedArc(p *Problem[T], i int32) (arc, float64) {
	f, g, last := s.dual[i], s.dual[s.n:], s.m-1
	if s.partial && int(i) == s.n-1 {
		r, at := price.Least(s.zeroCosts, f, g)
		return arc{i, int32(at), 0}, r
	}
	row := p.Costs.Row(int(i))
	r, at := price.Least(row, f, g)
	if s.partial {
		if d := (0 - f) - g[last]; d < r {
			return arc{i, int32(last), 0}, d
		}
	}
	if at < 0 {
		return arc{}, r
	}
	return arc{i, int32(at), float64(row[at])}, r
}

// reducedCost returns the reduced cost of an arc.
func (s *Solver[T]) reducedCost(a arc) float64 {
	return (a.cost - s.dual[a.row]) - s.dual[s.n+int(a.column)]
}

// isNegative reports whether a reduced cost is negative, and not only by rounding.
func (s *Solver[T]) isNegative(a arc, r float64) bool {
	return r < -s.relativeSlack*(math.Abs(s.dual[a.row])+math.Abs(s.dual[s.n+int(a.column)]))
}

// attach makes a node a child of parent.
func (s *Solver[T]) attach(k, parent int32, flow int128, cost float64) {
	x := &s.nodes[k]
	x.parent, x.flow, s.arcCost[k] = parent, flow, cost
	next := s.links[parent].first
	y := &s.links[k]
	y.prev, y.next = noNode, next
	if next >= 0 {
		s.links[next].prev = k
	}
	s.links[parent].first = k
}

// detach is the opposite of attach.
func (s *Solver[T]) detach(k int32) {
	x := s.links[k]
	if x.prev >= 0 {
		s.links[x.prev].next = x.next
	} else {
		s.links[s.nodes[k].parent].first = x.next
	}
	if x.next >= 0 {
		s.links[x.next].prev = x.prev
	}
}

// setDualsBelow computes the dual variables of the nodes below top, and its own, from its parent's. That of the root keeps
// its value.
func (s *Solver[T]) setDualsBelow(top int32) {
	order := s.subtree(top)
	s.Work += float64(len(order))
	s.remainingWork -= float64(len(order))
	if s.nodes[top].parent < 0 {
		s.dualLow[top] = 0
		order = order[1:]
	}
	for _, k := range order {
		// hi + low = cost − (dual + low) of the parent, by TwoSum.
		parent, cost := s.nodes[k].parent, s.arcCost[k]
		above := -s.dual[parent]
		d := cost + above
		t := d - cost
		low := (cost - (d - t)) + (above - t) - s.dualLow[parent]
		hi := d + low
		s.dual[k], s.dualLow[k] = hi, low-(hi-d)
	}
}

// shiftDualsBelow adds to the dual variables below top, and to its own, what its new arc asks for. Low is not kept.
func (s *Solver[T]) shiftDualsBelow(top int32) {
	order := s.subtree(top)
	s.Work += float64(len(order))
	s.remainingWork -= float64(len(order))
	dual, rows := s.dual, int32(s.n)
	d := (s.arcCost[top] - dual[s.nodes[top].parent]) - dual[top]
	if top >= rows {
		d = -d
	}
	signed := [2]float64{-d, d}
	for _, k := range order {
		dual[k] += signed[uint32(k-rows)>>31]
	}
}

// pivot adds an arc to the tree, which closes a cycle. It removes the arc of the
// cycle whose flow is the first to reach zero, and hangs the smaller part of the tree from the larger. It returns
// the top of that part.
//
// The flow of the new arc rises. From its ends upwards, the flows of the cycle fall and rise in turn: those
// from a node of the kind of its end fall.
func (s *Solver[T]) pivot(a arc) int32 {
	s.Pivots++
	i, j := a.row, int32(s.n)+a.column
	nodes, rows := s.nodes, int32(s.n)
	least, leaves, from := int128{math.MaxInt64, math.MaxUint64}, int32(noNode), int32(noNode)
	p, q := i, j
	for p != q {
		if nodes[p].size < nodes[q].size {
			if x := &nodes[p]; p < rows && x.flow.less(least) {
				least, leaves, from = x.flow, p, i
			}
			p = nodes[p].parent
		} else {
			if x := &nodes[q]; q >= rows && x.flow.less(least) {
				least, leaves, from = x.flow, q, j
			}
			q = nodes[q].parent
		}
	}
	for k := i; k != p; k = nodes[k].parent {
		if x := &nodes[k]; k < rows {
			x.flow = x.flow.minus(least)
		} else {
			x.flow = x.flow.plus(least)
		}
	}
	for k := j; k != p; k = nodes[k].parent {
		if x := &nodes[k]; k >= rows {
			x.flow = x.flow.minus(least)
		} else {
			x.flow = x.flow.plus(least)
		}
	}
	part := nodes[leaves].size
	to := i + j - from
	if 2*part <= s.activeNodes {
		for k := nodes[leaves].parent; k != p; k = nodes[k].parent {
			nodes[k].size -= part
		}
		for k := to; k != p; k = nodes[k].parent {
			nodes[k].size += part
		}
		s.attachReversed(from, to, leaves, part, least, a.cost)
		return from
	}
	for k := nodes[leaves].parent; k >= 0; k = nodes[k].parent {
		nodes[k].size -= part
	}
	s.detach(leaves)
	rest := s.activeNodes - part
	nodes[leaves].parent = noNode
	for k := from; k >= 0; k = nodes[k].parent {
		nodes[k].size += rest
	}
	root := s.root
	s.root = leaves
	s.attachReversed(to, from, root, rest, least, a.cost)
	return to
}

// attachReversed hangs the part of the tree whose top was top from a new arc: from node up to top, children become parents.
func (s *Solver[T]) attachReversed(k, parent, top, part int32, flow int128, cost float64) {
	size := part
	for {
		x := &s.nodes[k]
		above, flowed, was, below := x.parent, x.flow, s.arcCost[k], x.size
		if above >= 0 {
			s.detach(k)
		}
		s.attach(k, parent, flow, cost)
		x.size = size
		if k == top {
			return
		}
		k, parent, flow, cost, size = above, k, flowed, was, part-below
	}
}

// mass returns the mass on the arc between a node and its parent.
func (s *Solver[T]) mass(x *node) float64 {
	return x.flow.plus(int128{0, 1}.shift(s.perturbationBits - 1)).shift(-s.perturbationBits).toFloat(-s.massScale)
}

// Arcs calls f for the arcs of the plan that carry mass between the n rows and m columns, without the dummies. It first
// visits the arcs from rows to their parents, in ascending order of rows, and then the arcs from columns to their parents, in
// ascending order of columns.
func (s *Solver[T]) Arcs(n, m int, f func(node, row, column int, mass, cost float64)) {
	visit := func(k, i, j int) {
		if i >= 0 && i < n && j >= 0 && j < m {
			if mass := s.mass(&s.nodes[k]); mass > 0 {
				f(k, i, j, mass, s.arcCost[k])
			}
		}
	}
	for i := range n {
		visit(i, i, int(s.nodes[i].parent)-s.n)
	}
	for j := range m {
		visit(s.n+j, int(s.nodes[s.n+j].parent), j)
	}
}

func isFinite(x float64) bool { return x-x == 0 }

// grow sets the length of *v to n. The old elements are lost if there was no room.
func grow[E any](v *[]E, n int) {
	if k := cap(*v); k < n {
		*v = make([]E, max(n, k+k/4))
	}
	*v = (*v)[:n]
}
