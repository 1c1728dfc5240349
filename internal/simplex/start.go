package simplex

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/price"
)

// assignedTree is the workspace of makeAssignedTree.
type assignedTree[T num.Float] struct {
	rowOf       []int32   // row of each column in the assignment
	v           []float64 // dual variables of columns; −Inf if the column is in the tree
	d, previous []float64 // distances of columns from the tree: current, and before the latest row was added
	from        []int32   // for each column, the row of the tree from which the shortest path reaches the column
	order       []arc     // arcs of the tree in the order in which they were found
}

// makeAssignedTree makes the first tree from the pairs of an assignment and from shortest paths
// with respect to the reduced costs. The paths begin at the excess row, because its perturbation
// flows to every column. If the assignment and its dual variables are optimal, the tree is also optimal.
func (s *Solver[T]) makeAssignedTree(ctx context.Context, p *Problem[T]) error {
	x, n := &s.assignedTree, s.n
	grow(&x.rowOf, n)
	grow(&x.from, n)
	for _, v := range []*[]float64{&x.v, &x.d, &x.previous} {
		grow(v, n)
	}
	copy(x.v, p.V)
	for j := range x.d {
		x.d[j], x.previous[j] = math.Inf(1), math.Inf(1)
	}
	for i, j := range p.Columns {
		x.rowOf[j] = int32(i)
	}
	x.order = x.order[:0]
	i, distance := s.excessRow, 0.
	for range n {
		if s.contextEnded(ctx, n) {
			s.canceled = true
			return s.makeGreedyTree(ctx, p)
		}
		row, own := p.Costs.Row(int(i)), p.Columns[i]
		if err := CheckFinite(row, int(i)); err != nil {
			return err
		}
		u := (float64(row[own]) - p.V[own]) - distance
		if i == s.excessRow {
			x.order = append(x.order, arc{i, own, float64(row[own])})
			x.v[own] = math.Inf(-1)
		}
		_, at := price.Relax(x.d, row, u, x.v)
		if len(x.order) == 2*n-1 {
			break
		}
		for j, d := range x.d {
			if d != x.previous[j] {
				x.previous[j], x.from[j] = d, i
			}
		}
		if at < 0 { // every distance is infinite, because sums of costs overflow
			return ErrRange
		}
		above := x.from[at]
		x.order = append(x.order, arc{above, int32(at), float64(p.Costs.Row(int(above))[at])})
		i, distance = x.rowOf[at], x.d[at]
		x.order = append(x.order, arc{i, int32(at), float64(p.Costs.Row(int(i))[at])})
		x.v[at], x.d[at], x.previous[at] = math.Inf(-1), math.Inf(1), math.Inf(1)
	}
	for k := len(x.order) - 1; k >= 0; k-- {
		s.fillArc(x.order[k])
	}
	return nil
}
