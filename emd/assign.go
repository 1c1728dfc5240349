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
	assignBytes      = 68      // of a row or column of Assign
	reductionsPerRow = 2       // most steps of the row reduction, in units of the rows
	rowsBlock        = 1 << 15 // elements that the first pass reads twice while they are in a cache
	tightColumns     = 128     // columns of a row that are searched at a time
	elementsPerCheck = 1 << 17 // elements between two checks of the context
)

// assignment is the workspace of Assign. Its matrix has at least as many columns as rows.
//
// The dual variable of a column is v. That of a row that has a column is its cost there, less v. A column without a
// row has the largest v, so that the dual is feasible for rectangular matrices, too.
type assignment[T dist.Float] struct {
	cost         dist.Matrix[T]
	transposed   []T
	v, d         []float64
	vacantV      []float64 // v of columns without a row, else −Inf
	zeros        []float64
	columnOf     []int32 // of a row, or −1
	rowOf        []int32 // of a column, or −1
	freeRows     []int32 // rows without a column
	nextFreeRows []int32
	freeColumns  []int32 // columns without a row
	steps        []pathStep
	untilCheck   int // elements until the next check of the context
}

// pathStep is a column that a search for a shortest path has reached: at which distance, and from which row the search
// went on, with that row's dual variable less the distance.
type pathStep struct {
	column, row int32
	distance    float64
	v           float64
	u           float64
}

// Assign finds the best assignment of the rows of a matrix to its columns. It sets dst (length cost.Rows) to the column of each
// row, and returns the sum of their costs, which is the least possible. In a matrix with more rows than columns, the
// rows without a column get −1. A cost of +Inf forbids a pair.
//
// If several assignments are the best, the choice among them depends on the costs alone: the method takes the lowest
// index of equal ones.
//
// Assign returns ErrShape if dst has another length, ErrNotFinite if a cost is NaN or −Inf, ErrInfeasible if there is
// no whole assignment, ErrRange if sums of costs overflow, ErrSettings if the workspace exceeds MaxMemory, or the
// context's cause. After an error dst is not changed.
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
	if n > m { // the rows are the columns of x
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

// prepare checks the costs and makes room. For a square matrix it sets v to the least cost of each column in the same pass.
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

// contextEnded reports whether the context has ended. It is called before each pass over a row, and checks the context once in
// often elements.
func (x *assignment[T]) contextEnded(ctx context.Context) bool {
	x.untilCheck -= 1 + x.cost.Cols
	return x.untilCheck <= 0 && x.checkContext(ctx)
}

// checkContext reports whether the context has ended, and starts to count elements anew.
//
//go:noinline
func (x *assignment[T]) checkContext(ctx context.Context) bool {
	x.untilCheck = elementsPerCheck
	return ctx.Err() != nil
}

func (x *assignment[T]) row(i int32) []T { return x.cost.Data[int(i)*x.cost.Stride:][:x.cost.Cols] }

// solve finds the best assignment.
func (x *assignment[T]) solve(ctx context.Context) error {
	n, m := x.cost.Rows, x.cost.Cols
	if n == m {
		for j, v := range x.v {
			if math.IsInf(v, 1) {
				return fmt.Errorf("%w: every row is forbidden for column %d", ErrInfeasible, j)
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

// reduceRows is the augmenting row reduction: a free row takes its cheapest column from the row that has it, if any, and
// lowers v there until the second cheapest column is as cheap. Free rows remain.
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

// firstTight returns the first column from j on that has no row and whose least cost is in row i, or −1.
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

// hasTies reports whether most rows, of a few, have two columns of the same cost, both the least.
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

// assignColumn gives a row a column.
func (x *assignment[T]) assignColumn(i, j int32) {
	x.rowOf[j], x.columnOf[i] = i, j
	x.vacantV[j] = math.Inf(-1)
}

// infeasibleError returns the error of a row, or of a column of a matrix that was transposed, without a place.
func (x *assignment[T]) infeasibleError(i int32) error {
	return fmt.Errorf("%w: the rows that row %d competes with have too few columns that are allowed", ErrInfeasible, i)
}

// augmentRow gives row i a column, by a shortest path.
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
	// The columns on the way become as dear as the path is long. Its last column gets the row from which it was
	// reached: the first that gave it its distance. That row's own column is next.
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
		// The row was reached by its own column: the step before the one that scanned it.
		at--
	}
}
