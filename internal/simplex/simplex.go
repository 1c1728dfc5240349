// Package simplex solves transport problems without entropy by the network simplex method.
package simplex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/price"
	"github.com/gomonge/monge/internal/asm/vector"
)

// The network simplex method: R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network flows", 1993, chapter 11.
//
// Flows are integers, so that they are exact. A weight is a multiple of 2^-scale, to 50 bits below the last bit
// that counts, and its mass is that multiple times 2^unit. The mass of a row is one more, and the last column
// has as many more, so that no part of the rows has the mass of a part of the columns. No flow of the tree is then
// ever 0, and every pivot lowers the cost. What is added is less than half a unit in every flow, so that the
// rounded flow is the exact flow of the weights themselves, and not negative.
//
// Dual variables are differences of costs along the tree. They have two parts, hi and low, as good as 100 bits, so
// that a reduced cost that is negative by more than the rounding of hi is negative. The method ends when there is
// none.
//
// In partial transport one more row and one more column, the dummies, take the mass that is not moved. Their
// costs are 0. There is no arc from one to the other.

// NodeBytes is the memory that a Solver takes for each row and each column.
const NodeBytes = 80

const (
	noNode = -1      // no node, and the column of no arc
	slack  = 0x1p-51 // of a reduced cost, in units of its dual variables: rounding
	often  = 1 << 14 // elements and nodes between two looks at the context
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
}

// Problem is a transport problem. Weights are finite and not negative, and each side has a positive one. Sums of
// A and B that differ a little are made equal by scaling B.
type Problem[T num.Float] struct {
	Costs Costs[T]
	A, B  []T     // the weights of rows and columns
	Mass  float64 // if positive, the mass of the plan of partial transport, at most the sum of A and that of B
	Work  float64 // if positive, a limit of Solver.Work
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

	partial   bool
	n, m      int     // rows and columns, with their dummies
	rows      []int32 // the rows that have mass
	nodes     []node  // rows, then columns
	active    int32   // nodes that have mass
	dual      []float64
	scale     int // see above
	unit      int
	last      int32 // the column that has what is over
	zeros     []T
	stack     []int32
	remaining float64 // work until the next look at the context
}

// node is a row or a column. It has an arc to its parent in a spanning tree, except for the root.
type node struct {
	parent, first, next, prev int32 // first: of its children; next, prev: among those of its parent
	size                      int32 // of the subtree below it, itself included
	flow                      wide  // of the arc; before there is a tree, the mass that is left
	arc                       float64
	low                       float64 // the dual variable is dual + low
}

// Solve finds the plan of least cost. If the context ends, it returns the context's cause, and leaves a plan that
// is feasible.
func (s *Solver[T]) Solve(ctx context.Context, p *Problem[T]) error {
	s.Work, s.Pivots, s.remaining = 0, 0, often
	if len(p.A)+len(p.B) > 1<<30 {
		return ErrNodes
	}
	s.allocate(p)
	s.setMasses(p)
	if err := s.plant(ctx, p); err != nil {
		return err
	}
	if err := s.improve(ctx, p); err != nil {
		return err
	}
	for _, i := range s.rows {
		if !finite(s.dual[i]) {
			return ErrRange
		}
	}
	return nil
}

// Feasible reports whether there is a plan, after an error of Solve.
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
	grow(&s.dual, s.n+s.m)
	grow(&s.stack, s.n+s.m)
	grow(&s.rows, s.n)
	clear(s.nodes)
	s.F, s.G = s.dual[:len(p.A)], s.dual[s.n:][:len(p.B)]
	s.rows = s.rows[:0]
	for k := range s.nodes {
		x := &s.nodes[k]
		x.parent, x.first, x.next, x.prev = noNode, noNode, noNode, noNode
	}
}

// setMasses sets the masses of the nodes.
func (s *Solver[T]) setMasses(p *Problem[T]) {
	sumA, sumB := sum(p.A), sum(p.B)
	_, exponent := math.Frexp(sumA + sumB)
	s.unit = bits.Len(uint(s.n)) + 1
	s.scale = 124 - s.unit - exponent // so that the masses of a side are below 2¹²⁵
	var a, b wide
	s.active = 0
	heaviest := s.n
	for i, w := range p.A {
		if w > 0 {
			s.rows = append(s.rows, int32(i))
			x := &s.nodes[i]
			x.flow = wideOf(float64(w), s.scale)
			a = a.plus(x.flow)
			s.active++
		}
	}
	for j, w := range p.B {
		s.G[j] = math.Inf(-1)
		if w > 0 {
			x := &s.nodes[s.n+j]
			x.flow = wideOf(float64(w), s.scale).plus(wide{0, 1})
			b = b.plus(x.flow)
			s.G[j] = 0
			s.active++
			s.last = int32(s.n + j)
			if s.nodes[heaviest].flow.less(x.flow) {
				heaviest = s.n + j
			}
		}
	}
	if s.partial {
		mass := wideOf(p.Mass, s.scale)
		for _, most := range [2]wide{a, b} {
			if most.less(mass) {
				mass = most
			}
		}
		s.rows = append(s.rows, int32(s.n-1))
		s.last = int32(s.n + s.m - 1)
		s.nodes[s.n-1].flow = b.minus(mass)
		s.nodes[s.last].flow = a.minus(mass)
		s.dual[s.last] = 0
		s.active += 2
	} else if excess := a.minus(b); excess != (wide{}) {
		// B is scaled, and the heaviest column has what is left of the rounding.
		difference := excess.float2(-s.scale)
		ratio := difference / b.float(-s.scale)
		b = wide{}
		for j, w := range p.B {
			if w > 0 {
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
		x.flow = x.flow.shift(s.unit).plus(wide{0, 1})
	}
	for j := range s.m {
		x := &s.nodes[s.n+j]
		x.flow = x.flow.shift(s.unit)
	}
	x := &s.nodes[s.last]
	x.flow = x.flow.plus(wide{0, uint64(len(s.rows))})
}

// float2 is float for an x of any sign.
func (x wide) float2(k int) float64 {
	if x.hi < 0 {
		return -wide{}.minus(x).float(k)
	}
	return x.float(k)
}

func sum[T num.Float](w []T) (s float64) {
	for _, x := range w {
		s += float64(x)
	}
	return s
}

// pause reports whether the context has ended. It looks now and then.
func (s *Solver[T]) pause(ctx context.Context, work int) bool {
	s.Work += float64(work)
	if s.remaining -= float64(work); s.remaining > 0 {
		return false
	}
	s.remaining = often
	return ctx.Err() != nil
}

// plant makes a first tree, whose root is the last row. Row after row, the cheapest column that has mass
// left takes as much as it can. Either the row or the column then has nothing left, and the other becomes
// its parent. The dummy row comes first, so that it does not need the dummy column. When the context ends,
// the rows that are left take the first columns that have mass, so that there is a plan.
func (s *Solver[T]) plant(ctx context.Context, p *Problem[T]) error {
	rows, g := s.rows, s.G // 0, or −Inf for a column that has no mass left
	var ended bool
	from := 0
	if s.partial {
		s.plantRow(int32(s.n-1), s.zeros, &ended, &from, ctx)
		rows = rows[:len(rows)-1]
	}
	for _, i := range rows {
		row := p.Costs.Row(int(i))
		if !finite(float64(vector.Sum(row))) {
			for j, c := range row {
				if !finite(float64(c)) {
					return &NotFiniteError{int(i), j}
				}
			}
		}
		s.plantRow(i, row, &ended, &from, ctx)
	}
	// The root is the last of the rows.
	root := rows[len(rows)-1]
	_ = g
	s.countSizes(root)
	s.hang(root)
	if ended {
		return context.Cause(ctx)
	}
	return nil
}

// plantRow gives the mass of row i to columns.
func (s *Solver[T]) plantRow(i int32, row []T, ended *bool, from *int, ctx context.Context) {
	x, g := &s.nodes[i], s.dual[s.n:]
	dummy := s.partial && int(i) < s.n-1
	for x.flow.positive() {
		var cost float64
		var at int
		if !*ended {
			*ended = s.pause(ctx, len(row))
			cost, at = price.Least(row, 0, g)
			if last := s.m - 1; dummy && g[last] == 0 && !(cost <= 0) {
				cost, at = 0, last
			}
		}
		if *ended {
			for g[*from] != 0 {
				*from++
			}
			if at = *from; at < len(row) {
				cost = float64(row[at])
			} else {
				cost = 0
			}
		}
		column := int32(s.n + at)
		y := &s.nodes[column]
		if x.flow.less(y.flow) {
			y.flow = y.flow.minus(x.flow)
			s.attach(i, column, x.flow, cost)
			return
		}
		flow := y.flow
		x.flow = x.flow.minus(flow)
		g[at] = math.Inf(-1)
		s.attach(column, i, flow, cost)
	}
}
