package emd

import (
	"context"
	"unsafe"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/gram"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/matrix"
)

const (
	maxStored = 32 << 20 // bytes of distances that are stored
	stripSize = 1 << 14  // elements of a strip of distances
	// computeStep is the work between two looks at the context, in elements of points.
	computeStep = 1 << 22
)

// costs are the rows of M.
type costs[T dist.Float] struct {
	m        dist.Matrix[T] // a cost matrix, or stored distances
	x, y     dist.Matrix[T] // points whose distances are not stored
	yt       []T            // Y transposed, if there are few features
	packed   gram.Columns[T]
	distance []T // stored distances, or a strip of them
	from, to int // the rows of the strip
	cap      T   // if positive, what larger costs are replaced by
	capped   []T
}

// setCost makes M a matrix.
func (c *costs[T]) setCost(m dist.Matrix[T]) {
	c.m, c.x, c.y, c.cap = m, dist.Matrix[T]{}, dist.Matrix[T]{}, 0
}

// setPoints makes M the distances of points. If the context ends, distances are computed when they are needed.
func (c *costs[T]) setPoints(ctx context.Context, x, y dist.Matrix[T]) {
	n, m, p := x.Rows, y.Rows, x.Cols
	c.m, c.x, c.y, c.from, c.to, c.cap = dist.Matrix[T]{}, x, y, 0, 0, 0
	if p >= gram.Features {
		c.packed.Reset(m, p, y.Data, y.Stride)
		c.packed.Pack(0, m)
	} else {
		grow(&c.yt, p*m)
		matrix.Transpose(dist.Matrix[T]{Rows: p, Cols: m, Stride: m, Data: c.yt}, y)
	}
	grow(&c.distance, m*stripRows[T](n, m))
	if stripRows[T](n, m) < n {
		return
	}
	step := max(1, computeStep/(m*p))
	for i := 0; i < n; i += step {
		if ctx.Err() != nil {
			return
		}
		c.compute(i, min(step, n-i), c.distance[i*m:])
	}
	c.m = dist.Matrix[T]{Rows: n, Cols: m, Stride: m, Data: c.distance}
}

// stripRows returns how many rows of distances there is room for: all if they are stored.
func stripRows[T dist.Float](n, m int) int {
	if n <= maxStored/elementSize[T]()/m {
		return n
	}
	return max(1, stripSize/m)
}

// elementSize returns the bytes of an element.
func elementSize[T dist.Float]() int {
	var x T
	return int(unsafe.Sizeof(x))
}

// compute sets dst to the distances of rows i … i+r−1.
func (c *costs[T]) compute(i, r int, dst []T) {
	m, p := c.y.Rows, c.x.Cols
	if p >= gram.Features {
		c.packed.SqEuclidean(0, r, m, dst, m, c.x.Data[i*c.x.Stride:], c.x.Stride)
		return
	}
	matrix.SqEuclideanTrans(dist.Matrix[T]{Rows: r, Cols: m, Stride: m, Data: dst}, c.x.RowRange(i, i+r), dist.Matrix[T]{Rows: p, Cols: m, Stride: m, Data: c.yt})
}

// Row returns row i of M, with the cap. It is valid until the next call.
func (c *costs[T]) Row(i int) []T {
	row := c.row(i)
	if c.cap <= 0 {
		return row
	}
	grow(&c.capped, len(row))
	for j, x := range row {
		c.capped[j] = min(x, c.cap)
	}
	return c.capped
}

// At returns an element of M, with the cap. The rounding of a distance may differ from that of Row.
func (c *costs[T]) At(i, j int) T {
	var x T
	if c.m.Rows > 0 {
		x = c.m.At(i, j)
	} else {
		y := c.y.Row(j)
		for l, a := range c.x.Row(i) {
			d := a - y[l]
			x = num.FMA(d, d, x)
		}
	}
	if c.cap > 0 {
		x = min(x, c.cap)
	}
	return x
}

// row returns row i of M. If rows are read in order, a strip of them is computed at once.
func (c *costs[T]) row(i int) []T {
	if c.m.Rows > 0 {
		return c.m.Data[i*c.m.Stride:][:c.m.Cols]
	}
	m := c.y.Rows
	if i < c.from || i >= c.to {
		r := 1
		if i == c.to {
			r = min(stripRows[T](c.x.Rows, m), c.x.Rows-i)
		}
		c.compute(i, r, c.distance)
		c.from, c.to = i, i+r
	}
	return c.distance[(i-c.from)*m:][:m]
}
