package emd

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/pair"
	"github.com/gomonge/monge/internal/asm/price"
)

const (
	assignBytes      = 68      // bytes that Assign needs for each row and column
	reductionsPerRow = 2       // maximum number of reduction steps per free row
	rowsBlock        = 1 << 15 // elements in a row block; prepare reads each block twice while the block is in the cache
	tightColumns     = 128     // columns that firstTight searches at a time
	elementsPerCheck = 1 << 17 // elements between two checks of the context
)

// assignment is the workspace of Assign. The cost matrix must not have more rows than columns; Assign transposes a taller
// matrix.
//
// The slice v contains the dual variables of the columns. If row i is assigned to column j, the dual variable of row i is
// cost[i][j] − v[j]. No assigned column has a larger v than a free column, which makes the dual solution feasible for
// rectangular matrices.
type assignment[T dist.Float] struct {
	cost         dist.Matrix[T]
	transposed   []T
	v, d         []float64
	vacantV      []float64 // dual variables of free columns; −Inf for assigned columns
	zeros        []float64
	columnOf     []int32 // the column of each row, or −1
	rowOf        []int32 // the row of each column, or −1
	freeRows     []int32 // rows without a column
	nextFreeRows []int32
	freeColumns  []int32 // columns without a row
	steps        []pathStep
	untilCheck   int // elements until the next check of the context
}

// pathStep is a step of the shortest-path search. In each step, the search scans a row and then selects the column with the
// least distance.
type pathStep struct {
	column, row int32
	distance    float64
	v           float64
	u           float64 // dual variable of the row minus the distance at which the search reached the row
}

// Assign finds an assignment of the rows of a matrix to its columns with the least sum of costs. It sets dst (length cost.Rows)
// to the column of each row and returns the sum. If the matrix has more rows than columns, rows without a column get −1. A
// cost of +Inf forbids a pair.
//
// If several assignments are optimal, the choice among them depends only on the costs: the method prefers the lowest index
// among equal costs.
//
// Assign returns ErrShape if the length of dst is not cost.Rows, ErrNotFinite if a cost is NaN or −Inf, ErrInfeasible if
// every assignment contains a forbidden pair, ErrRange if sums of costs overflow, ErrSettings if the workspace exceeds
// MaxMemory, or the context's cause. After an error, dst is unchanged.
func (s *Solver[T]) Assign(ctx context.Context, dst []int, cost dist.Matrix[T]) (float64, error) {
	s.markBusy()
	defer s.markIdle()
	if err := checkMatrix("cost", cost); err != nil {
		return 0, err
	}
	if len(dst) != cost.Rows {
		return 0, fmt.Errorf("%w: dst has length %d, but there are %d rows", ErrShape, len(dst), cost.Rows)
	}
	n, m := cost.Rows, cost.Cols
	bytes := float64(assignBytes * (float64(n) + float64(m)))
	if n > m {
		bytes += float64(float64(elementSize[T]()) * float64(n) * float64(m))
	}
	if err := s.checkMemory(bytes); err != nil {
		return 0, err
	}
	ctx = s.timed.Of(ctx)
	x := &s.assign
	if err := x.prepare(ctx, cost); err != nil {
		return 0, err
	}
	if err := x.solve(ctx); err != nil {
		return 0, err
	}
	if n > m { // the matrix was transposed
		for i, j := range x.rowOf {
			dst[i] = int(j)
		}
	} else {
		for i, j := range x.columnOf {
			dst[i] = int(j)
		}
	}
	var sum preciseSum
	for i, j := range dst {
		if j >= 0 {
			sum.add(float64(cost.Data[i*cost.Stride+j]))
		}
	}
	return sum.value(), nil
}

// prepare checks the costs, transposes the matrix if necessary, and resizes the workspace. If the matrix is square, prepare
// also sets v to the least cost of each column.
func (x *assignment[T]) prepare(ctx context.Context, cost dist.Matrix[T]) error {
	x.cost, x.untilCheck = cost, 0
	n, m := min(cost.Rows, cost.Cols), max(cost.Rows, cost.Cols)
	for _, v := range []*[]float64{&x.v, &x.d, &x.zeros, &x.vacantV} {
		grow(v, m)
	}
	clear(x.v)
	clear(x.zeros)
	if n == m {
		for j := range x.v {
			x.v[j] = math.Inf(1)
		}
	}
	rows := 1 + rowsBlock/(1+cost.Cols)
	for first := 0; first < cost.Rows; first += rows {
		end := min(first+rows, cost.Rows)
		for i := first; i < end; i++ {
			if x.contextEnded(ctx) {
				return context.Cause(ctx)
			}
			row := cost.Row(i)
			if sum := float64(pair.Sum(row)); sum-sum == 0 {
				continue
			}
			for j, c := range row {
				if c != c || math.IsInf(float64(c), -1) {
					return fmt.Errorf("cost: %w", &dist.PositionError{Row: i, Column: j, Value: float64(c), Err: ErrNotFinite})
				}
			}
		}
		for i := first; i < end && n == m; i++ {
			price.Lower(x.v, cost.Row(i), 0, x.zeros)
		}
	}
	if cost.Rows > cost.Cols {
		grow(&x.transposed, n*m)
		x.cost = dist.Matrix[T]{Rows: n, Cols: m, Stride: m, Data: x.transposed}
		if n > 0 {
			if err := transpose(ctx, x.cost, cost); err != nil {
				return err
			}
		}
	}
	grow(&x.columnOf, n)
	grow(&x.rowOf, m)
	for i := range x.columnOf {
		x.columnOf[i] = -1
	}
	for j := range x.rowOf {
		x.rowOf[j] = -1
	}
	return nil
}

// contextEnded reports whether the context has ended. It must be called before each pass over a row. It reads the context once
// for every elementsPerCheck elements.
func (x *assignment[T]) contextEnded(ctx context.Context) bool {
	x.untilCheck -= 1 + x.cost.Cols
	return x.untilCheck <= 0 && x.checkContext(ctx)
}

// checkContext reports whether the context has ended, and resets the number of elements until the
// next check.
//
//go:noinline
func (x *assignment[T]) checkContext(ctx context.Context) bool {
	x.untilCheck = elementsPerCheck
	return ctx.Err() != nil
}

func (x *assignment[T]) row(i int32) []T { return x.cost.Data[int(i)*x.cost.Stride:][:x.cost.Cols] }

// solve finds an optimal assignment. prepare must be called first.
func (x *assignment[T]) solve(ctx context.Context) error {
	n, m := x.cost.Rows, x.cost.Cols
	if n == m {
		for j, v := range x.v {
			if math.IsInf(v, 1) {
				return fmt.Errorf("%w: all costs of column %d are +Inf", ErrInfeasible, j)
			}
		}
	}
	copy(x.vacantV, x.v)
	tied := n == m && x.hasTies()
	x.freeRows = x.freeRows[:0]
	lowest := 0
	for i := range n {
		if x.contextEnded(ctx) {
			return context.Cause(ctx)
		}
		if tied {
			for lowest < m && x.rowOf[lowest] >= 0 {
				lowest++
			}
			if j := x.firstTight(int32(i), lowest); j >= 0 {
				x.assignColumn(int32(i), int32(j))
				continue
			}
		}
		x.freeRows = append(x.freeRows, int32(i))
	}
	if err := x.reduceRows(ctx); err != nil {
		return err
	}
	x.freeColumns = x.freeColumns[:0]
	for j, i := range x.rowOf {
		if i < 0 {
			x.freeColumns = append(x.freeColumns, int32(j))
		}
	}
	for _, i := range x.freeRows {
		if err := x.augmentRow(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// reduceRows does the augmenting row reduction. Each free row takes its cheapest column, even if the column is assigned to
// another row. The dual variable v of this column then decreases until the second cheapest column of the row has the same
// reduced cost. Some rows may remain free.
func (x *assignment[T]) reduceRows(ctx context.Context) error {
	most := reductionsPerRow * len(x.freeRows)
	for sweep := 0; sweep < 2 && len(x.freeRows) > 0; sweep++ {
		x.nextFreeRows = x.nextFreeRows[:0]
		for k := 0; k < len(x.freeRows); {
			i := x.freeRows[k]
			if most--; most < 0 {
				x.nextFreeRows = append(x.nextFreeRows, x.freeRows[k:]...)
				break
			}
			k++
			if x.contextEnded(ctx) {
				return context.Cause(ctx)
			}
			row := x.row(i)
			least, at, second := price.Two(row, x.v)
			if at < 0 {
				return x.infeasibleError(i)
			}
			v := x.v[at]
			lowered := v - (second - least)
			lowers := second > least && lowered < v && !math.IsInf(second, 1)
			if x.rowOf[at] >= 0 && !lowers {
				var cost float64
				if cost, at = price.Least(row, 0, x.vacantV); cost != least {
					x.nextFreeRows = append(x.nextFreeRows, i)
					continue
				}
			}
			if lowers {
				x.v[at] = lowered
			}
			old := x.rowOf[at]
			x.assignColumn(i, int32(at))
			if old >= 0 {
				x.columnOf[old] = -1
				k--
				x.freeRows[k] = old
			}
		}
		x.freeRows, x.nextFreeRows = x.nextFreeRows, x.freeRows
	}
	return nil
}

// firstTight returns the first free column from column j on whose reduced cost in row i is 0. It returns −1 if there is none.
func (x *assignment[T]) firstTight(i int32, j int) int {
	row := x.row(i)
	for ; j < len(row); j += tightColumns {
		end := min(j+tightColumns, len(row))
		if least, at := price.Least(row[j:end], 0, x.vacantV[j:end]); least == 0 {
			return j + at
		}
	}
	return -1
}

// hasTies samples the first rows and reports whether the two least reduced costs are equal in most of the sampled rows.
func (x *assignment[T]) hasTies() bool {
	ties, sample := 0, 1+len(x.columnOf)/16
	sample = min(sample, 8)
	for i := range sample {
		if least, _, second := price.Two(x.row(int32(i)), x.v); least == second {
			ties++
		}
	}
	return 2*ties > sample
}

// assignColumn assigns column j to row i.
func (x *assignment[T]) assignColumn(i, j int32) {
	x.rowOf[j], x.columnOf[i] = i, j
	x.vacantV[j] = math.Inf(-1)
}

// infeasibleError returns the error for row i, which cannot get a column.
func (x *assignment[T]) infeasibleError(i int32) error {
	return fmt.Errorf("%w: row %d and the rows that compete with it have too few allowed columns", ErrInfeasible, i)
}

// augmentRow assigns a column to row i and changes other assignments along a shortest augmenting path.
func (x *assignment[T]) augmentRow(ctx context.Context, i int32) error {
	for j := range x.d {
		x.d[j] = math.Inf(1)
	}
	x.steps = x.steps[:0]
	root, u, distance := i, 0., 0.
	for {
		if x.contextEnded(ctx) {
			return context.Cause(ctx)
		}
		least, at := price.Relax(x.d, x.row(i), u, x.v)
		if at < 0 {
			return x.infeasibleError(root)
		}
		distance = least
		for _, j := range x.freeColumns {
			if x.d[j] == distance {
				at = int(j)
				break
			}
		}
		j := int32(at)
		x.steps = append(x.steps, pathStep{column: j, row: i, distance: distance, v: x.v[j], u: u})
		v := x.v[j]
		x.v[j], x.d[j] = math.Inf(-1), math.Inf(1)
		if x.rowOf[j] < 0 {
			break
		}
		i = x.rowOf[j]
		u = (float64(x.row(i)[j]) - v) - distance
	}
	if distance-distance != 0 {
		return fmt.Errorf("%w: a sum of costs overflows", ErrRange)
	}
	// Update the dual variables v of the columns that the search has selected. Then follow the shortest path from the last column
	// back to the free row where the search began (root). Assign each column to the first scanned row from which the path
	// reaches the column. The next column on the path is the column to which this row was assigned before.
	steps := x.steps
	for _, s := range steps {
		x.v[s.column] = s.v + (s.distance - distance)
	}
	for j, k := range x.freeColumns {
		if last := steps[len(steps)-1].column; k == last {
			x.freeColumns[j] = x.freeColumns[len(x.freeColumns)-1]
			x.freeColumns = x.freeColumns[:len(x.freeColumns)-1]
			break
		}
	}
	for at := len(steps) - 1; ; {
		s := steps[at]
		for at = 0; ; at++ {
			if t := steps[at]; (float64(x.row(t.row)[s.column])-t.u)-s.v == s.distance {
				break
			}
		}
		row := steps[at].row
		x.rowOf[s.column] = row
		x.columnOf[row] = s.column
		if row == root {
			return nil
		}
		// The old column of this row is steps[at-1].column.
		at--
	}
}
