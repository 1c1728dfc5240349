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
	noNode     = -1      // no node, and the column of no arc
	slack      = 0x1p-51 // of a reduced cost, in units of its dual variables: rounding
	blind      = 0x1p-44 // the same where roundings have added up
	manyPivots = 64      // of a node, before dual variables are exact
	often      = 1 << 14 // elements and nodes between two looks at the context
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

	partial   bool
	n, m      int       // rows and columns, with their dummies
	rows      []int32   // the rows that have mass
	nodes     []node    // rows, then columns
	kin       []kin     // of the nodes
	arcCost   []float64 // of the arc between a node and its parent
	active    int32     // nodes that have mass
	dual      []float64 // the dual variables, to which low adds what rounding has taken
	low       []float64
	scale     int // see above
	unit      int
	last      int32 // the row that has what is over
	root      int32
	ended     bool // the context has
	zeros     []T
	arcs      []arc
	queue     []int32
	assigned  assigned[T]
	slack     float64 // of a reduced cost, in units of its dual variables: rounding
	costWork  float64
	remaining float64 // work until the next look at the context
}

// node is a row or a column. It has an arc to its parent in a spanning tree, except for the root.
type node struct {
	parent int32
	size   int32 // of the subtree below it, itself included
	flow   wide  // of the arc; before there is a tree, the mass that is left
}

// kin are the first child of a node, and its neighbors among the children of its parent.
type kin struct{ first, next, prev int32 }

// arc is an arc of the problem.
type arc struct {
	row, column int32
	cost        float64
}

// Solve finds the plan of least cost. If the context ends, it returns the context's cause, and leaves a plan that
// is feasible.
func (s *Solver[T]) Solve(ctx context.Context, p *Problem[T]) error {
	s.Work, s.Pivots, s.remaining, s.Feasible = 0, 0, often, false
	s.costWork = max(1, p.CostWork)
	if len(p.A)+len(p.B) > 1<<30 {
		return ErrNodes
	}
	s.allocate(p)
	s.setMasses(p)
	if err := s.plant(ctx, p); err != nil {
		return err
	}
	if p.Columns == nil {
		if err := s.improve(ctx, p, false); err != nil {
			return err
		}
		s.refresh()
	}
	return s.finish(ctx, p)
}

// Again goes on from the tree of the last Solve, which has ended without an error. Costs of from and more have changed
// since then.
func (s *Solver[T]) Again(ctx context.Context, p *Problem[T], from float64) error {
	for k, cost := range s.arcCost {
		i, j := k, int(s.nodes[k].parent)-s.n
		if k >= s.n {
			i, j = j+s.n, k-s.n
		}
		if s.nodes[k].parent >= 0 && cost >= from && i < len(p.A) && j < len(p.B) {
			s.arcCost[k] = float64(p.Costs.Row(i)[j])
		}
	}
	s.hang(s.root)
	s.refresh()
	if err := s.improve(ctx, p, false); err != nil {
		return err
	}
	s.refresh()
	return s.finish(ctx, p)
}

// finish makes the tree the best, with exact dual variables.
func (s *Solver[T]) finish(ctx context.Context, p *Problem[T]) error {
	if err := s.improve(ctx, p, true); err != nil {
		return err
	}
	if s.partial {
		s.DummyF, s.DummyG = s.dual[s.n-1], s.dual[s.n+s.m-1]
	}
	for k, d := range s.dual {
		if s.nodes[k].size > 0 && !finite(d) {
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
		if grow(&s.zeros, len(p.B)); len(s.zeros) > 0 {
			clear(s.zeros)
		}
	}
	grow(&s.nodes, s.n+s.m)
	grow(&s.kin, s.n+s.m)
	grow(&s.queue, s.n+s.m+1)
	for _, v := range []*[]float64{&s.dual, &s.low, &s.arcCost} {
		grow(v, s.n+s.m)
	}
	grow(&s.rows, s.n)
	clear(s.nodes)
	s.F, s.G = s.dual[:len(p.A)], s.dual[s.n:][:len(p.B)]
	s.rows = s.rows[:0]
	for k := range s.nodes {
		s.nodes[k].parent, s.kin[k] = noNode, kin{noNode, noNode, noNode}
	}
}

// setMasses sets the masses of the nodes.
func (s *Solver[T]) setMasses(p *Problem[T]) {
	sumA, sumB := sum(p.A), sum(p.B)
	_, exponent := math.Frexp(sumA + sumB)
	s.unit = bits.Len(uint(s.m)) + 1
	s.scale = 124 - s.unit - exponent // so that the masses of a side are below 2¹²⁵
	var a, b wide
	s.active = 0
	heaviest := s.n
	for i, w := range p.A {
		if w > 0 {
			s.rows = append(s.rows, int32(i))
			x := &s.nodes[i]
			x.flow = atLeastOne(wideOf(float64(w), s.scale))
			a = a.plus(x.flow)
			s.active++
			s.last = int32(i)
		}
	}
	columns := uint64(0)
	for j, w := range p.B {
		s.G[j] = math.Inf(-1)
		if w > 0 {
			x := &s.nodes[s.n+j]
			x.flow = atLeastOne(wideOf(float64(w), s.scale))
			b = b.plus(x.flow)
			s.G[j] = 0
			s.active++
			columns++
			if s.nodes[heaviest].flow.less(x.flow) {
				heaviest = s.n + j
			}
		}
	}
	if s.partial {
		mass := atLeastOne(wideOf(p.Mass, s.scale))
		for _, most := range [2]wide{a, b} {
			if most.less(mass) {
				mass = most
			}
		}
		s.rows = append(s.rows, int32(s.n-1))
		s.last = int32(s.n - 1)
		s.nodes[s.last].flow = b.minus(mass)
		s.nodes[s.n+s.m-1].flow = a.minus(mass)
		s.dual[s.n+s.m-1] = 0
		s.active += 2
		columns++
	} else if excess := a.minus(b); excess != (wide{}) {
		// B is scaled, and the heaviest column has what is left of the rounding.
		ratio := excess.signed(-s.scale) / b.signed(-s.scale)
		if math.Abs(ratio) > 0x1p-80 {
			b = wide{}
		}
		for j, w := range p.B {
			if w > 0 && math.Abs(ratio) > 0x1p-80 {
				x := &s.nodes[s.n+j]
				if d := float64(w) * ratio; d >= 0 {
					x.flow = x.flow.plus(wideOf(d, s.scale))
				} else {
					x.flow = x.flow.minus(wideOf(-d, s.scale))
				}
				b = b.plus(x.flow)
			}
		}
		x := &s.nodes[heaviest]
		x.flow = x.flow.plus(a.minus(b))
	}
	for _, i := range s.rows {
		x := &s.nodes[i]
		x.flow = x.flow.shift(s.unit)
	}
	for j := range s.m {
		if s.dual[s.n+j] == 0 {
			x := &s.nodes[s.n+j]
			x.flow = x.flow.shift(s.unit).plus(wide{0, 1})
		}
	}
	x := &s.nodes[s.last]
	x.flow = x.flow.plus(wide{0, columns})
}

func sum[T num.Float](w []T) (s float64) {
	for _, x := range w {
		s += float64(x)
	}
	return s
}

// pause reports whether the context has ended. It counts costs that are going to be read, and checks the context once in
// often units of work.
func (s *Solver[T]) pause(ctx context.Context, costs int) bool {
	s.Work += float64(costs)
	s.remaining -= float64(float64(costs) * s.costWork)
	return s.remaining <= 0 && s.checkContext(ctx)
}

// checkContext reports whether the context has ended, and starts to count work anew.
//
//go:noinline
func (s *Solver[T]) checkContext(ctx context.Context) bool {
	s.remaining = often
	return ctx.Err() != nil
}

// plant makes a first tree, of an assignment if there is one. When the context ends, the tree is of the first arcs that
// have mass left, so that there is a plan.
func (s *Solver[T]) plant(ctx context.Context, p *Problem[T]) error {
	s.ended = ctx.Err() != nil
	var err error
	if p.Columns != nil && !s.ended {
		err = s.plantAssigned(ctx, p)
	} else {
		err = s.plantCheapest(ctx, p)
	}
	if err != nil {
		return err
	}
	s.Feasible = true
	if s.ended {
		s.priceFilledArcs(p)
		return context.Cause(ctx)
	}
	s.countSizes()
	s.dual[s.root] = 0
	s.hang(s.root)
	s.refresh()
	return nil
}

// plantCheapest makes a tree of arcs that take as much mass as they can, the cheapest first. Either the row or the
// column then has nothing left, and the other becomes its parent. What is last is the root. The dummy row comes first,
// so that it does not need the dummy column.
//
// The dual variable of a column is 0 while it has mass left, and then −Inf.
func (s *Solver[T]) plantCheapest(ctx context.Context, p *Problem[T]) error {
	rows := s.rows
	if s.partial {
		rows = rows[:len(rows)-1]
		for more := true; more; {
			_, at := price.Least(s.zeros, 0, s.dual[s.n:])
			more = s.fill(arc{row: int32(s.n - 1), column: int32(at)})
		}
	}
	// A heap of the cheapest arcs of the rows. An arc may lead to a column that has no mass left: then it is
	// cheaper than the next arc of the row.
	heap := s.arcs[:0]
	for _, i := range rows {
		if s.ended = s.ended || s.pause(ctx, s.m); s.ended {
			break
		}
		row := p.Costs.Row(int(i))
		if err := CheckFinite(row, int(i)); err != nil {
			return err
		}
		heap = append(heap, s.cheapest(i, row))
	}
	for k := len(heap)/2 - 1; k >= 0 && !s.ended; k-- {
		sink(heap, k)
	}
	for len(heap) > 0 && !s.ended {
		x := &heap[0]
		if s.dual[s.n+int(x.column)] != 0 || s.fill(*x) {
			if s.ended = s.pause(ctx, s.m); s.ended {
				break
			}
			*x = s.cheapest(x.row, p.Costs.Row(int(x.row)))
		} else {
			*x = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		sink(heap, 0)
	}
	s.arcs = heap[:0]
	if s.ended {
		s.fillRows(rows)
	}
	return nil
}

// fillRows moves the mass that rows have left to the first columns that have mass left. The costs of these arcs are NaN.
func (s *Solver[T]) fillRows(rows []int32) {
	column := 0
	for _, i := range rows {
		for left := s.nodes[i].parent < 0 && s.nodes[i].flow.positive(); left; {
			for s.dual[s.n+column] != 0 {
				column++
			}
			left = s.fill(arc{i, int32(column), math.NaN()})
		}
	}
}

// priceFilledArcs sets the costs of the arcs of fillRows that carry mass.
func (s *Solver[T]) priceFilledArcs(p *Problem[T]) {
	s.Arcs(len(p.A), len(p.B), func(k, i, j int, _, cost float64) {
		if cost != cost {
			s.arcCost[k] = float64(p.Costs.At(i, j))
		}
	})
}

// sink restores the order of a heap whose element k may be too dear.
func sink(heap []arc, k int) {
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

// cheapest returns the cheapest arc from a row to a column that has mass left.
func (s *Solver[T]) cheapest(i int32, row []T) arc {
	g, last := s.dual[s.n:], s.m-1
	cost, at := price.Least(row, 0, g)
	if s.partial && g[last] == 0 && !(cost <= 0) {
		cost, at = 0, last
	}
	return arc{i, int32(at), cost}
}

// fill moves as much mass on an arc as there is left, and adds it to the tree. It reports whether the row has mass
// left.
func (s *Solver[T]) fill(a arc) bool {
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
	if finite(float64(pair.Sum(row))) {
		return nil
	}
	for j, c := range row {
		if !finite(float64(c)) {
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

// refresh computes all dual variables anew. Its constant makes those of rows as small as it can, so that their
// rounding is small. In partial transport it makes that of the dummy column 0.
func (s *Solver[T]) refresh() {
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
	s.hang(s.root)
}

// dualSum returns the sum of the dual variables of two nodes.
func (s *Solver[T]) dualSum(k, l int) float64 {
	x, y := s.dual[k], s.dual[l]
	sum := x + y
	t := sum - x
	return sum + (((x - (sum - t)) + (y - t)) + (s.low[k] + s.low[l]))
}

// countSizes sets the sizes of all subtrees.
func (s *Solver[T]) countSizes() {
	order := s.below(s.root)
	for _, k := range order {
		s.nodes[k].size = 1
	}
	for k := len(order) - 1; k > 0; k-- {
		x := &s.nodes[order[k]]
		s.nodes[x.parent].size += x.size
	}
}

// below returns the nodes of the subtree below top, and top, which is the first. A node comes after its parent.
func (s *Solver[T]) below(top int32) []int32 {
	queue := s.queue
	queue[0], queue[1] = top, s.kin[top].first
	tail := 2 + queue[1]>>31 // −1 counts as none
	for head := int32(1); head < tail; head++ {
		x := &s.kin[queue[head]]
		queue[tail] = x.first
		tail += 1 + x.first>>31
		queue[tail] = x.next
		tail += 1 + x.next>>31
	}
	return queue[:tail]
}

// improve makes pivots until no reduced cost is negative. Of some rows it takes the least reduced costs. As long as
// they stay negative, and not much smaller than the first, the most negative enters the tree. Then come the next
// rows.
//
// Unless it is exact, it adds to dual variables, and computes them anew now and then. It is then blind to what rounding
// may hide, and ends after many pivots, so that it does not go in circles.
func (s *Solver[T]) improve(ctx context.Context, p *Problem[T], exact bool) error {
	most := min(max(len(s.rows)/16, 4), 32)
	s.slack = slack
	if !exact {
		s.slack = blind
	}
	pivots, fresh := manyPivots*int(s.active), int(s.active)
	for k, clean := 0, 0; ; {
		list := s.arcs[:0]
		for n := 0; clean < len(s.rows) && (n < most || len(list) == 0); n++ {
			if p.Work > 0 && s.Work > p.Work {
				return ErrWork
			}
			if s.pause(ctx, s.m) {
				return context.Cause(ctx)
			}
			if k++; k >= len(s.rows) {
				k = 0
			}
			clean++
			if a, r := s.priced(p, s.rows[k]); s.negative(a, r) {
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
				r := s.reduced(list[k])
				if !s.negative(list[k], r) {
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
				s.hang(top)
			} else {
				s.lift(top)
			}
			if s.pause(ctx, 0) {
				return context.Cause(ctx)
			}
			if exact {
				continue
			}
			if pivots--; pivots < 0 {
				return nil
			}
			if fresh--; fresh < 0 {
				s.refresh()
				fresh = int(s.active)
			}
		}
	}
}

// priced returns the arc of row i whose reduced cost is the least, and this.
func (s *Solver[T]) priced(p *Problem[T], i int32) (arc, float64) {
	f, g, last := s.dual[i], s.dual[s.n:], s.m-1
	if s.partial && int(i) == s.n-1 {
		r, at := price.Least(s.zeros, f, g)
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

// reduced returns the reduced cost of an arc.
func (s *Solver[T]) reduced(a arc) float64 {
	return (a.cost - s.dual[a.row]) - s.dual[s.n+int(a.column)]
}

// negative reports whether a reduced cost is negative, and not only by rounding.
func (s *Solver[T]) negative(a arc, r float64) bool {
	return r < -s.slack*(math.Abs(s.dual[a.row])+math.Abs(s.dual[s.n+int(a.column)]))
}

// attach makes a node a child of parent.
func (s *Solver[T]) attach(k, parent int32, flow wide, cost float64) {
	x := &s.nodes[k]
	x.parent, x.flow, s.arcCost[k] = parent, flow, cost
	next := s.kin[parent].first
	y := &s.kin[k]
	y.prev, y.next = noNode, next
	if next >= 0 {
		s.kin[next].prev = k
	}
	s.kin[parent].first = k
}

// detach is the opposite of attach.
func (s *Solver[T]) detach(k int32) {
	x := s.kin[k]
	if x.prev >= 0 {
		s.kin[x.prev].next = x.next
	} else {
		s.kin[s.nodes[k].parent].first = x.next
	}
	if x.next >= 0 {
		s.kin[x.next].prev = x.prev
	}
}

// hang computes the dual variables of the nodes below top, and its own, from its parent's. That of the root keeps
// its value.
func (s *Solver[T]) hang(top int32) {
	order := s.below(top)
	s.Work += float64(len(order))
	s.remaining -= float64(len(order))
	if s.nodes[top].parent < 0 {
		s.low[top] = 0
		order = order[1:]
	}
	for _, k := range order {
		// hi + low = cost − (dual + low) of the parent, by TwoSum.
		parent, cost := s.nodes[k].parent, s.arcCost[k]
		above := -s.dual[parent]
		d := cost + above
		t := d - cost
		low := (cost - (d - t)) + (above - t) - s.low[parent]
		hi := d + low
		s.dual[k], s.low[k] = hi, low-(hi-d)
	}
}

// lift adds to the dual variables below top, and to its own, what its new arc asks for. Low is not kept.
func (s *Solver[T]) lift(top int32) {
	order := s.below(top)
	s.Work += float64(len(order))
	s.remaining -= float64(len(order))
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
	least, leaves, from := wide{math.MaxInt64, math.MaxUint64}, int32(noNode), int32(noNode)
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
	if 2*part <= s.active {
		for k := nodes[leaves].parent; k != p; k = nodes[k].parent {
			nodes[k].size -= part
		}
		for k := to; k != p; k = nodes[k].parent {
			nodes[k].size += part
		}
		s.turn(from, to, leaves, part, least, a.cost)
		return from
	}
	for k := nodes[leaves].parent; k >= 0; k = nodes[k].parent {
		nodes[k].size -= part
	}
	s.detach(leaves)
	rest := s.active - part
	nodes[leaves].parent = noNode
	for k := from; k >= 0; k = nodes[k].parent {
		nodes[k].size += rest
	}
	root := s.root
	s.root = leaves
	s.turn(to, from, root, rest, least, a.cost)
	return to
}

// turn hangs the part of the tree whose top was top from a new arc: from node up to top, children become parents.
func (s *Solver[T]) turn(k, parent, top, part int32, flow wide, cost float64) {
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
	return x.flow.plus(wide{0, 1}.shift(s.unit - 1)).shift(-s.unit).float(-s.scale)
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

func finite(x float64) bool { return x-x == 0 }

// grow sets the length of *v to n. The old elements are lost if there was no room.
func grow[E any](v *[]E, n int) {
	if k := cap(*v); k < n {
		*v = make([]E, max(n, k+k/4))
	}
	*v = (*v)[:n]
}
