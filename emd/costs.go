package emd

import (
	"context"
	"unsafe"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/gram"
	"github.com/gomonge/monge/internal/asm/pair"
	"github.com/gomonge/monge/internal/matrix"
)

const (
	maxStoredBytes = 32 << 20 // maximum bytes of stored distances
	stripElements  = 1 << 14  // number of distances in a strip of rows
	// workPerCheck is the number of coordinates that are read between two checks of the context.
	workPerCheck = 1 << 22
	// copiesPerCheck is the number of elements that are copied or compared between two checks of the context.
	copiesPerCheck = 1 << 17
)

// costs gives access to the cost matrix M. The rows of M are stored, or computed from points.
type costs[T dist.Float] struct {
	m                    dist.Matrix[T] // M if all elements are stored; otherwise empty
	x, y                 dist.Matrix[T] // points
	yt                   []T            // Y transposed, if there are few features
	packed               gram.Columns[T]
	distance             []T // all distances, or the distances of a strip of rows
	stripStart, stripEnd int // row range of the strip
	limit                T   // if positive, Row and At replace larger costs by limit
	limitedRow           []T
}

// setMatrix sets M to the matrix m.
func (c *costs[T]) setMatrix(m dist.Matrix[T]) {
	c.m, c.x, c.y, c.limit = m, dist.Matrix[T]{}, dist.Matrix[T]{}, 0
}

// setPoints sets M to the squared distances between the points. If the context ends during the call, only At may be called
// afterwards.
func (c *costs[T]) setPoints(ctx context.Context, x, y dist.Matrix[T]) {
	n, m, p := x.Rows, y.Rows, x.Cols
	c.m, c.x, c.y, c.stripStart, c.stripEnd, c.limit = dist.Matrix[T]{}, x, y, 0, 0, 0
	if p >= gram.Features {
		c.packed.Reset(m, p, y.Data, y.Stride)
		step := (1 + copiesPerCheck/(gram.Unit*p)) * gram.Unit
		for j := 0; j < m; j += step {
			if ctx.Err() != nil {
				return
			}
			c.packed.Pack(j, min(j+step, m))
		}
	} else {
		grow(&c.yt, p*m)
		if transpose(ctx, dist.Matrix[T]{Rows: p, Cols: m, Stride: m, Data: c.yt}, y) != nil {
			return
		}
	}
	grow(&c.distance, m*stripRows[T](n, m))
	if stripRows[T](n, m) < n {
		return
	}
	step := max(1, workPerCheck/(m*p))
	for i := 0; i < n; i += step {
		if ctx.Err() != nil {
			return
		}
		c.computeRows(i, min(step, n-i), c.distance[i*m:])
	}
	c.m = dist.Matrix[T]{Rows: n, Cols: m, Stride: m, Data: c.distance}
}

// rowWork returns the time to get a row of M, relative to the time to read a stored row.
func (c *costs[T]) rowWork() float64 {
	if c.m.Rows > 0 {
		return 1
	}
	return 1 + float64(c.x.Cols)/4
}

// transpose sets dst = aᵀ. It returns the context's cause if the context ends first.
func transpose[T dist.Float](ctx context.Context, dst, a dist.Matrix[T]) error {
	step := 8 * (1 + copiesPerCheck/(8*a.Cols)) // Transpose writes 8 elements of a row at a time
	for i := 0; i < a.Rows; i += step {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		j := min(i+step, a.Rows)
		matrix.Transpose(dist.Matrix[T]{Rows: dst.Rows, Cols: j - i, Stride: dst.Stride, Data: dst.Data[i:]}, a.RowRange(i, j))
	}
	return nil
}

// stripRows returns the number of rows in a strip. A strip contains all n rows if the distances fit in maxStoredBytes.
func stripRows[T dist.Float](n, m int) int {
	if n <= maxStoredBytes/elementSize[T]()/m {
		return n
	}
	return max(1, stripElements/m)
}

// elementSize returns the size of a T in bytes.
func elementSize[T dist.Float]() int {
	var x T
	return int(unsafe.Sizeof(x))
}

// computeRows sets dst to rows i … i+r−1 of the distances.
func (c *costs[T]) computeRows(i, r int, dst []T) {
	m, p := c.y.Rows, c.x.Cols
	if p >= gram.Features {
		c.packed.SqEuclidean(0, r, m, dst, m, c.x.Data[i*c.x.Stride:], c.x.Stride)
		return
	}
	matrix.SqEuclideanTrans(dist.Matrix[T]{Rows: r, Cols: m, Stride: m, Data: dst}, c.x.RowRange(i, i+r), dist.Matrix[T]{Rows: p, Cols: m, Stride: m, Data: c.yt})
}

// Row returns row i of M. If c.limit is positive, Row replaces larger elements by c.limit. The slice is valid until the next
// call.
func (c *costs[T]) Row(i int) []T {
	row := c.row(i)
	if c.limit <= 0 {
		return row
	}
	grow(&c.limitedRow, len(row))
	for j, x := range row {
		c.limitedRow[j] = min(x, c.limit)
	}
	return c.limitedRow
}

// At returns element i, j of M. If c.limit is positive, At returns at most c.limit. A distance may be rounded differently than
// in Row.
func (c *costs[T]) At(i, j int) T {
	var x T
	if c.m.Rows > 0 {
		x = c.m.At(i, j)
	} else {
		x = pair.SqEuclidean(c.x.Row(i), c.y.Row(j))
	}
	if c.limit > 0 {
		x = min(x, c.limit)
	}
	return x
}

// row returns row i of M. Unlike Row, it does not apply the limit. If rows are read in order, row computes a strip of
// rows at once.
func (c *costs[T]) row(i int) []T {
	if c.m.Rows > 0 {
		return c.m.Data[i*c.m.Stride:][:c.m.Cols]
	}
	m := c.y.Rows
	if i < c.stripStart || i >= c.stripEnd {
		r := 1
		if i == c.stripEnd {
			r = min(stripRows[T](c.x.Rows, m), c.x.Rows-i)
		}
		c.computeRows(i, r, c.distance)
		c.stripStart, c.stripEnd = i, i+r
	}
	return c.distance[(i-c.stripStart)*m:][:m]
}
