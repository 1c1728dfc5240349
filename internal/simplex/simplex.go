// Package simplex solves transport problems exactly with the network simplex method.
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

// The network simplex method is described in R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network
// flows", 1993, chapter 11.
//
// Flows are integers of 128 bits, so they are exact. A weight w becomes the mass
// ⌊w·2^massScale⌋·2^perturbationBits. To perturb the problem, one unit is added to the mass of each
// column, and the sum of these units is added to the mass of one row, the excess row. No proper
// subset of the rows then has the same mass as a subset of the columns. Therefore no flow of a tree
// is 0, every pivot lowers the cost, and the method cannot cycle. The units change a flow by less
// than 2^(perturbationBits−1). Rounding a flow to a multiple of 2^perturbationBits therefore gives
// the exact flow of the original weights, which is not negative.
//
// Dual variables are differences of costs along the tree. In the first phase, a pivot adds a number
// to the dual variables that it changes. This is fast, but rounding errors accumulate. In the exact
// phase, a dual variable is the sum of two float64 numbers, dual and dualLow, with a precision of
// about 100 bits. A reduced cost counts as negative if it is below 0 by more than the rounding
// error of dual. The method ends when no reduced cost is negative.
//
// In partial transport, an additional row and an additional column, called dummies, take the mass
// that is not moved. The costs of the dummies are 0. No arc connects the two dummies.

// NodeBytes is the number of bytes that a Solver needs for each row and each column.
const NodeBytes = 112

const (
	noNode           = -1      // no parent, child or sibling
	exactSlack       = 0x1p-51 // bound for the rounding error of a reduced cost, relative to the size of its dual variables
	approximateSlack = 0x1p-44 // like exactSlack, but for dual variables with accumulated rounding errors
	pivotsPerNode    = 64      // maximum number of pivots of the first phase, per node
	checkInterval    = 1 << 14 // number of costs and nodes between two checks of the context
)

var (
	// ErrWork means that Solver.Work exceeds Problem.Work.
	ErrWork = errors.New("simplex: the work exceeds its limit")
	// ErrRange means that sums of costs overflow.
	ErrRange = errors.New("simplex: sums of costs exceed the floating-point range")
	// ErrNodes means that the problem has more than 2³⁰ rows and columns.
	ErrNodes = errors.New("simplex: more than 2³⁰ rows and columns")
)

// NotFiniteError is the position of a cost that is NaN or infinite.
type NotFiniteError struct{ Row, Column int }

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("simplex: the cost of row %d and column %d is not finite", e.Row, e.Column)
}

// Costs are the costs of a problem, n × m.
type Costs[T num.Float] interface {
	// Row returns row i. The slice is valid until the next call.
	Row(i int) []T
	// At returns the cost of row i and column j. It does not compute the other costs of the row.
	At(i, j int) T
}

// Problem is a transport problem. Weights must be finite and not negative. A and B must each
// contain a positive weight. If Mass is 0, Solve scales B to the sum of A.
type Problem[T num.Float] struct {
	Costs Costs[T]
	A, B  []T     // weights of rows and columns
	Mass  float64 // if positive, the total mass of a partial plan; at most the smaller of the sums of A and B
	Work  float64 // if positive, Solve returns ErrWork when Solver.Work exceeds this limit
	// CostWork is the time to compute a cost, in units of the time to read a stored cost; 0 means
	// 1. CostWork determines how often Solve checks the context.
	CostWork float64
	// Columns, if not nil, is an assignment: the column of each row. Solve starts from this
	// assignment. V contains the dual variables of the columns. With these dual variables, the
	// assignment must be optimal up to rounding errors. All weights must be equal.
	Columns []int32
	V       []float64
}

// Solver solves problems one after the other in the same workspace.
type Solver[T num.Float] struct {
	// F and G are the dual variables of rows and columns. The sum f_i + g_j equals the cost M_ij
	// for arcs of the tree. For all other arcs, f_i + g_j ≤ M_ij up to rounding. If the weight of row
	// i is 0, f_i is undefined. If the weight of column j is 0, g_j is −Inf.
	F, G []float64
	// DummyF and DummyG are the dual variables of the dummy row and the dummy column in partial
	// transport.
	DummyF, DummyG float64
	Work           float64 // number of costs and nodes that were visited
	Pivots         int
	Feasible       bool // whether the Solver contains a feasible transport plan, even if Solve has failed

	partial          bool
	n, m             int       // numbers of rows and columns, including dummies
	rows             []int32   // rows with positive mass
	nodes            []node    // rows, then columns
	links            []links   // of each node
	arcCost          []float64 // cost of the arc from each node to its parent
	activeNodes      int32     // number of nodes with positive mass
	dual             []float64 // dual variables, rounded to float64
	dualLow          []float64 // rounding errors of dual
	massScale        int       // exponent of the masses; see the comment at the top of the file
	perturbationBits int
	excessRow        int32 // row whose mass includes the units that perturb the columns; see the top of the file
	root             int32
	canceled         bool // whether the context ended before the first spanning tree was complete
	zeroCosts        []T
	arcs             []arc
	cheapest         cheapestColumns
	queue            []int32
	assignedTree     assignedTree[T]
	relativeSlack    float64 // rounding error of a reduced cost, relative to its dual variables
	costWork         float64
	remainingWork    float64 // work that remains until the next check of the context
}

// node is a row or a column. In the spanning tree, every node except the root has an arc to its
// parent.
type node struct {
	parent int32
	size   int32  // number of nodes of the subtree below the node, including the node
	flow   int128 // flow on the arc to the parent; the remaining mass if the node has no parent
}

// links contains the first child of a node, its next sibling and its previous sibling.
type links struct{ first, next, prev int32 }

// arc is an arc from a row to a column.
type arc struct {
	row, column int32
	cost        float64
}

// Solve finds a transport plan of least cost. If the context ends, Solve returns the context's
// cause, and the Solver contains a feasible plan.
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

// SolveChanged solves the problem of the previous Solve after some costs have changed. It starts
// from the previous tree. The previous Solve must have succeeded. The changed costs must have been at
// least minChanged in that Solve.
func (s *Solver[T]) SolveChanged(ctx context.Context, p *Problem[T], minChanged float64) error {
	for k, cost := range s.arcCost {
		i, j := k, int(s.nodes[k].parent)-s.n
		if k >= s.n {
			i, j = j+s.n, k-s.n
		}
		if s.nodes[k].parent >= 0 && cost >= minChanged && i < len(p.A) && j < len(p.B) {
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

// improveExactly makes pivots with exact dual variables until the tree is optimal.
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

// allocate resizes the workspace for the problem p and resets all nodes.
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

// setMasses sets the integer masses of the nodes from the weights.
func (s *Solver[T]) setMasses(p *Problem[T]) {
	sumA, sumB := sumWeights(p.A), sumWeights(p.B)
	_, exponent := math.Frexp(sumA + sumB)
	s.perturbationBits = bits.Len(uint(s.m)) + 1
	s.massScale = 124 - s.perturbationBits - exponent // makes the sums of the masses less than 2¹²⁵
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
		// Scale B to the sum of A. The heaviest column takes the rounding error of the sum.
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

// contextEnded reports whether the context has ended. The caller passes the number of costs that it
// is about to read. This number counts as work, and the context is checked once per checkInterval
// units of work.
func (s *Solver[T]) contextEnded(ctx context.Context, costs int) bool {
	s.Work += float64(costs)
	s.remainingWork -= float64(float64(costs) * s.costWork)
	return s.remainingWork <= 0 && s.checkContext(ctx)
}

// checkContext reports whether the context has ended. It restarts the count of the work until the
// next check.
//
//go:noinline
func (s *Solver[T]) checkContext(ctx context.Context) bool {
	s.remainingWork = checkInterval
	return ctx.Err() != nil
}

// makeFirstTree makes the first tree. It starts from Problem.Columns if Columns is set. If the
// context ends, makeFirstTree completes a feasible plan: it assigns the remaining mass of each row
// to the first columns that still need mass.
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

// makeGreedyTree moves as much mass as possible on the cheapest arc, then on the next cheapest arc,
// and so on. Each arc exhausts its row or its column, and the other node of the arc becomes the
// parent of the exhausted node. The last parent is the root. The dummy row comes first, so that it
// does not need an arc to the dummy column.
//
// While makeGreedyTree runs, the dual variable of a column is 0 if the column has remaining mass,
// and −Inf otherwise.
func (s *Solver[T]) makeGreedyTree(ctx context.Context, p *Problem[T]) error {
	rows := s.rows
	if s.partial {
		rows = rows[:len(rows)-1]
		for more := true; more; {
			_, at := price.Least(s.zeroCosts, 0, s.dual[s.n:])
			more = s.fillArc(arc{row: int32(s.n - 1), column: int32(at)})
		}
	}
	s.resetCheapest()
	// The heap contains the cheapest arc of each row. If the column of an arc has been exhausted in
	// the meantime, the cost of the arc is a lower bound of the cost of the row's next arc.
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
			var row []T
			if s.needsScan(x.row) {
				if s.canceled = s.contextEnded(ctx, s.m); s.canceled {
					break
				}
				row = p.Costs.Row(int(x.row))
			}
			*x = s.cheapestArc(x.row, row)
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

// fillRemainingRows moves the remaining mass of rows to the first columns with remaining mass. It
// sets the costs of the new arcs to NaN.
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

// setFilledArcCosts replaces the NaN costs that fillRemainingRows has set. It skips arcs without
// mass.
func (s *Solver[T]) setFilledArcCosts(p *Problem[T]) {
	s.Arcs(len(p.A), len(p.B), func(k, i, j int, _, cost float64) {
		if cost != cost {
			s.arcCost[k] = float64(p.Costs.At(i, j))
		}
	})
}

// siftDown restores the order of a heap in which element k may be more expensive than its children.
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

// cheapestArc returns the cheapest arc from row i to a column with remaining mass. costs contains the
// costs of row i. It may be nil unless needsScan reports true for row i.
func (s *Solver[T]) cheapestArc(i int32, costs []T) arc {
	g, last := s.dual[s.n:], s.m-1
	var cost float64
	var at int
	if s.cheapest.perRow > 0 {
		cost, at = s.nextCheapest(i, costs)
	} else {
		cost, at = price.Least(costs, 0, g)
	}
	if s.partial && g[last] == 0 && !(cost <= 0) {
		cost, at = 0, last
	}
	return arc{i, int32(at), cost}
}

// fillArc moves as much mass as possible on arc a and adds the arc to the tree. It reports whether
// the row has remaining mass.
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

// CheckFinite returns a NotFiniteError if row i contains NaN or an infinity.
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

// DualTo sets u and v to the dual variables of rows and columns. It returns price, the dual variable
// of the total mass. For every arc of the tree, u_i + v_j + price is the cost of the arc. If Mass is
// not set, price is 0. If Mass is set, u and v are shifted, in twice the precision, so that the dual
// variables of the dummies become 0.
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

// recomputeDuals computes all dual variables from the tree and shifts the dual variables by a
// constant. The constant minimizes the largest magnitude of the rows' dual variables, to keep
// rounding errors small. In partial transport, the constant instead makes the dual variable of the
// dummy column 0.
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

// dualSum returns the sum of the dual variables of nodes k and l in twice the precision, rounded
// once.
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

// subtree returns the node top and its descendants. Every node comes after its parent.
func (s *Solver[T]) subtree(top int32) []int32 {
	queue := s.queue
	queue[0], queue[1] = top, s.links[top].first
	tail := 2 + queue[1]>>31 // excludes queue[1] if it is noNode, which is −1
	for head := int32(1); head < tail; head++ {
		x := &s.links[queue[head]]
		queue[tail] = x.first
		tail += 1 + x.first>>31
		queue[tail] = x.next
		tail += 1 + x.next>>31
	}
	return queue[:tail]
}

// pivotUntilOptimal makes pivots until no reduced cost is negative. From each of a few rows, it
// collects the arc of least reduced cost as a candidate. The candidate with the most negative
// reduced cost enters the tree. pivotUntilOptimal repeats this step until the most negative reduced
// cost of the candidates is less than an eighth of its initial magnitude. Then it continues with the
// next rows.
//
// If exact is false, a pivot only shifts dual variables, and all dual variables are recomputed from
// time to time. Two rules then prevent an endless loop due to rounding errors: a reduced cost
// within the accumulated rounding errors does not count as negative, and the number of pivots is
// limited.
func (s *Solver[T]) pivotUntilOptimal(ctx context.Context, p *Problem[T], exact bool) error {
	rowsPerPass := min(max(len(s.rows)/16, 4), 32)
	s.relativeSlack = exactSlack
	if !exact {
		s.relativeSlack = approximateSlack
	}
	pivotsLeft, untilRecompute := pivotsPerNode*int(s.activeNodes), int(s.activeNodes)
	// cleanRows is the number of consecutive rows in which the search found no negative reduced
	// cost. Each pivot sets it to 0.
	for k, cleanRows := 0, 0; ; {
		candidates := s.arcs[:0]
		for n := 0; cleanRows < len(s.rows) && (n < rowsPerPass || len(candidates) == 0); n++ {
			if p.Work > 0 && s.Work > p.Work {
				return ErrWork
			}
			if s.contextEnded(ctx, s.m) {
				return context.Cause(ctx)
			}
			if k++; k >= len(s.rows) {
				k = 0
			}
			cleanRows++
			if a, r := s.leastReducedArc(p, s.rows[k]); s.isNegative(a, r) {
				candidates = append(candidates, a)
				cleanRows = 0
			}
		}
		s.arcs = candidates
		if len(candidates) == 0 {
			return nil
		}
		for first := 0.; len(candidates) > 0; {
			least, at := 0., 0
			for k := 0; k < len(candidates); {
				r := s.reducedCost(candidates[k])
				if !s.isNegative(candidates[k], r) {
					candidates[k] = candidates[len(candidates)-1]
					candidates = candidates[:len(candidates)-1]
					continue
				}
				if r < least {
					least, at = r, k
				}
				k++
			}
			if len(candidates) == 0 || least > first/8 {
				break
			}
			if first == 0 {
				first = least
			}
			top := s.pivot(candidates[at])
			cleanRows = 0
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
			if pivotsLeft--; pivotsLeft < 0 {
				return nil
			}
			if untilRecompute--; untilRecompute < 0 {
				s.recomputeDuals()
				untilRecompute = int(s.activeNodes)
			}
		}
	}
}

// leastReducedArc returns the arc of row i with the least reduced cost, and the reduced cost.
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

// isNegative reports whether the reduced cost r of arc a is below 0 by more than rounding errors.
func (s *Solver[T]) isNegative(a arc, r float64) bool {
	return r < -s.relativeSlack*(math.Abs(s.dual[a.row])+math.Abs(s.dual[s.n+int(a.column)]))
}

// attach makes node k a child of parent.
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

// detach removes node k from the children of its parent.
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

// setDualsBelow computes the dual variables of the node top and its descendants from their parents.
// If top is the root, its dual variable does not change.
func (s *Solver[T]) setDualsBelow(top int32) {
	order := s.subtree(top)
	s.Work += float64(len(order))
	s.remainingWork -= float64(len(order))
	if s.nodes[top].parent < 0 {
		s.dualLow[top] = 0
		order = order[1:]
	}
	for _, k := range order {
		// Subtract the dual variable of the parent, dual + dualLow, from cost. TwoSum computes the
		// rounding error of the difference.
		parent, cost := s.nodes[k].parent, s.arcCost[k]
		above := -s.dual[parent]
		d := cost + above
		t := d - cost
		low := (cost - (d - t)) + (above - t) - s.dualLow[parent]
		hi := d + low
		s.dual[k], s.dualLow[k] = hi, low-(hi-d)
	}
}

// shiftDualsBelow shifts the dual variables of the node top and its descendants so that the new arc
// from this node to its parent has a reduced cost of 0. It does not update dualLow.
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

// pivot adds arc a to the tree, which closes a cycle. It removes the arc of the cycle whose flow
// reaches zero first, which splits the tree. It attaches the smaller part of the tree to the larger
// part and returns the new top of the smaller part.
//
// The flow of the new arc increases. On the path up from the row of the new arc, the flow of an arc
// decreases if the lower node is a row, and increases if the lower node is a column. On the path up
// from the column of the new arc, the flow of an arc decreases if the lower node is a column, and
// increases if the lower node is a row.
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

// attachReversed attaches a subtree whose root is the node top. The subtree has part nodes. The new
// arc connects node k of the subtree to the node parent. Node k becomes the root of the subtree, so
// attachReversed reverses the arcs between k and top.
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

// mass returns the mass on the arc from node x to its parent, without the perturbation.
func (s *Solver[T]) mass(x *node) float64 {
	return x.flow.plus(int128{0, 1}.shift(s.perturbationBits - 1)).shift(-s.perturbationBits).toFloat(-s.massScale)
}

// Arcs calls f for each arc of the spanning tree that carries mass between one of the first n rows
// and one of the first m columns. It skips arcs of dummy rows and columns. Arcs from rows to their
// parents come first, in ascending order of rows. Arcs from columns to their parents follow, in
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

// grow sets the length of *v to n. If grow must allocate, the old elements are lost.
func grow[E any](v *[]E, n int) {
	if k := cap(*v); k < n {
		*v = make([]E, max(n, k+k/4))
	}
	*v = (*v)[:n]
}
