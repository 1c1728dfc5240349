package simplex

import (
	"cmp"
	"math"
	"slices"
)

// wideRatio is the smallest ratio of columns to rows for which makeGreedyTree uses cheapestColumns.
const wideRatio = 32

// cheapestColumns contains the cheapest columns of each row, in ascending order of cost. If there
// are many more columns than rows, makeGreedyTree takes columns from these lists. It reads all costs
// of a row only when the list of the row is empty.
type cheapestColumns struct {
	perRow int            // largest number of columns listed for a row; 0 if the problem is not wide
	buffer []columnCost   // perRow elements for each row
	next   [][]columnCost // for each row, the listed columns that have not been used, cheapest first
}

// columnCost is a column and its cost in a row.
type columnCost struct {
	cost   float64
	column int32
}

// compare compares by cost, and by column if the costs are equal.
func (a columnCost) compare(b columnCost) int {
	return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.column, b.column))
}

// resetCheapest prepares cheapestColumns for the current problem.
func (s *Solver[T]) resetCheapest() {
	c := &s.cheapest
	if c.perRow = s.m / s.n; c.perRow < wideRatio {
		c.perRow = 0
		return
	}
	c.buffer = slices.Grow(c.buffer[:0], s.n*c.perRow)[:s.n*c.perRow]
	c.next = slices.Grow(c.next[:0], s.n)[:s.n]
	clear(c.next)
}

// needsScan reports whether cheapestArc must scan the costs of row i.
func (s *Solver[T]) needsScan(i int32) bool {
	if s.cheapest.perRow == 0 {
		return true
	}
	next := s.cheapest.next[i]
	for len(next) > 0 && s.dual[s.n+int(next[0].column)] != 0 {
		next = next[1:]
	}
	s.cheapest.next[i] = next
	return len(next) == 0
}

// nextCheapest returns the smallest cost of row i among the columns with remaining mass, and the
// first column with this cost. If no column has remaining mass, the cost is +Inf.
func (s *Solver[T]) nextCheapest(i int32, row []T) (float64, int) {
	if s.needsScan(i) {
		s.scanCheapest(int(i), row)
	}
	if next := s.cheapest.next[i]; len(next) > 0 {
		return next[0].cost, int(next[0].column)
	}
	return math.Inf(1), 0
}

// scanCheapest finds the columns with the smallest costs in row i, among the columns with remaining mass.
func (s *Solver[T]) scanCheapest(i int, row []T) {
	g := s.dual[s.n:]
	k := s.cheapest.perRow
	heap := s.cheapest.buffer[i*k : i*k : (i+1)*k] // once the heap is full, its first element is the most expensive column
	for j, c := range row {
		x := columnCost{float64(c), int32(j)}
		switch {
		case g[j] != 0:
		case len(heap) < k:
			if heap = append(heap, x); len(heap) == k {
				for at := k/2 - 1; at >= 0; at-- {
					siftExpensiveDown(heap, at)
				}
			}
		case x.cost < heap[0].cost:
			heap[0] = x
			siftExpensiveDown(heap, 0)
		}
	}
	slices.SortFunc(heap, columnCost.compare)
	s.cheapest.next[i] = heap
}

// siftExpensiveDown restores the order of a heap in which the element heap[at] may be cheaper than
// its children.
func siftExpensiveDown(heap []columnCost, at int) {
	for {
		child := 2*at + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && heap[child+1].compare(heap[child]) > 0 {
			child++
		}
		if heap[child].compare(heap[at]) <= 0 {
			return
		}
		heap[at], heap[child] = heap[child], heap[at]
		at = child
	}
}
