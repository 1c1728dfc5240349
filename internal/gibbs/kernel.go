// Package gibbs has the cost matrix of a transport problem and its Gibbs kernel, and the passes over
// them of which Sinkhorn's iteration, Newton's method and their gradients consist. It knows where the
// matrices are stored, how a pass is cut into pieces, and which goroutines make it. The algorithms in
// package sinkhorn see vectors only.
//
// The bits of a result depend on the size of the problem, not on the storage (except in float32) or
// the number of goroutines.
package gibbs

import (
	"context"
	"math"
	"unsafe"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/gram"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/matrix"
)

// Kernel is the cost matrix M (n × m) of a transport problem and its kernel K:
//
//	K_ij = 2^(F_i + G_j − c M_ij),   c = λ·log₂e,
//
// where F and G are the potentials of the base, and 0 without one.
//
// To set up a problem, call SetPoints or SetCost, SetLambda, LayOut, Allocate and Transpose in this order.
// The matrices of the problem are read until the next problem is set, or until Release. Passes allocate
// nothing. They look at the context before every block of rows, and return its cause once it has ended;
// their results are then incomplete. A Kernel must not be used by two goroutines at once.
//
// Vectors over columns that a pass writes or reads as v, q or t must have room for padding: GrowColumn.
type Kernel[T dist.Float] struct {
	n, m, p int
	c       T // λ·log₂e

	// Number of columns and stride of the rows with which K is stored and passed over: see padded.
	cols, ld int

	// The problem: points, or a cost matrix.
	x, y   dist.Matrix[T]
	yt     []T             // Y transposed, p × m, if there are few features
	packed gram.Columns[T] // Y, if there are many
	points bool

	// Storage.
	free         bool           // matrix-free: neither of the following
	cost         dist.Matrix[T] // M: the matrix of the problem, or in distances
	dists        []T
	measured     bool // the distances are there
	mixed        bool // K is in float32
	kernel       []T  // K
	narrow       []float32
	baseF, baseG []T  // potentials of the base, to base 2; nil is 0
	filled       bool // K is there, for the base

	pieces pieces[T]
	passes passes[T]
}

const (
	// MaxStored is the largest number of bytes that M and K should take together where they need not be
	// stored: see Storable.
	MaxStored = 512 << 20

	blockSize   = 1 << 15 // elements of a block that is computed
	storedBlock = 1 << 18 // and of one that is stored, in big problems
	wideBlock   = 1 << 13 // and of one that is stored, and copied on the way
	unitRows    = 24      // a multiple of the rows of every kernel's tile
)

// Shape is the part of a problem that decides how much memory it takes: n × m costs, from points of p
// dimensions or from a matrix.
type Shape struct {
	N, M, P int
	Points  bool
}

// Shape returns the shape of the problem.
func (g *Kernel[T]) Shape() Shape { return Shape{g.n, g.m, g.p, g.points} }

// N returns the number of rows of M and K.
func (g *Kernel[T]) N() int { return g.n }

// M returns the number of columns of M and K.
func (g *Kernel[T]) M() int { return g.m }

// P returns the number of dimensions of the points, 0 for a cost matrix.
func (g *Kernel[T]) P() int { return g.p }

// Padded returns the number of columns with padding.
func (g *Kernel[T]) Padded() int { return g.cols }

// Size returns n·m.
func (g *Kernel[T]) Size() float64 { return float64(float64(g.n) * float64(g.m)) }

// C returns λ·log₂e.
func (g *Kernel[T]) C() float64 { return float64(g.c) }

// Mixed reports whether K is stored in float32 while T is float64.
func (g *Kernel[T]) Mixed() bool { return g.mixed }

// Large reports whether the passes are cut into pieces, which goroutines share.
func (g *Kernel[T]) Large() bool { return g.pieces.big }

// SetPoints makes M the squared distances between the rows of x (n × p) and the rows of y (m × p).
func (g *Kernel[T]) SetPoints(x, y dist.Matrix[T]) {
	g.points, g.x, g.y, g.cost = true, x, y, dist.Matrix[T]{}
	g.n, g.m, g.p = x.Rows, y.Rows, x.Cols
}

// SetCost makes M a cost matrix.
func (g *Kernel[T]) SetCost(m dist.Matrix[T]) {
	g.points, g.x, g.y, g.cost = false, dist.Matrix[T]{}, dist.Matrix[T]{}, m
	g.n, g.m, g.p = m.Rows, m.Cols, 0
}

// Release forgets the matrices of the problem, so that they can be freed.
func (g *Kernel[T]) Release() {
	g.x, g.y, g.cost = dist.Matrix[T]{}, dist.Matrix[T]{}, dist.Matrix[T]{}
}

// SetLambda sets λ, and reports whether λ·log₂e is finite in type T.
func (g *Kernel[T]) SetLambda(lambda float64) bool {
	g.c = T(lambda * math.Log2E)
	g.filled = false
	return !math.IsInf(float64(g.c), 1)
}

// Storable reports whether M and K take at most MaxStored bytes, or the problem is a cost matrix.
func (g *Kernel[T]) Storable() bool { return !g.points || g.n <= MaxStored/(2*ElementBytes[T]())/g.m }

// LayOut decides where K is stored and how a pass is cut into pieces: by the size of the problem and
// its arguments alone. If free, neither M nor K of points is stored. If mixed, a K in float64 is stored in
// float32. At most workers goroutines share a pass.
func (g *Kernel[T]) LayOut(free, mixed bool, workers int) {
	g.free = free && g.points
	g.mixed = mixed && num.IsFloat64[T]()
	g.cols, g.ld = padded[T](g.m, g.mixed)
	g.pieces.layOut(g.n, g.m, g.cols, workers)
}

// Bytes returns the memory that Allocate takes after LayOut.
func (g *Kernel[T]) Bytes() float64 {
	ld, workers := float64(g.ld), float64(g.pieces.workers)
	elements := float64(g.p)*float64(g.m) + float64(g.pieces.count)*ld
	if g.points && g.p >= gram.Features {
		elements += 4 * float64(g.m) // norms beside the packed Y
	}
	matrix := float64(g.n) * ld
	switch {
	case g.free:
		matrix = 0
		elements += workers * 3 * float64(g.blockRows()) * ld // K, M and M̄
	case g.mixed:
		elements += matrix/2 + workers*2*float64(g.copiedRows())*ld // K and M̄
	default:
		elements += matrix + workers*float64(g.copiedRows())*ld // M̄
	}
	if g.points {
		elements += matrix // M
	}
	return float64(elements * float64(ElementBytes[T]()))
}

// Allocate makes room for what LayOut has decided. There is no base. Nothing is computed yet.
func (g *Kernel[T]) Allocate() {
	n, m := g.n, g.m
	g.filled, g.measured, g.baseF, g.baseG = false, false, nil, nil
	if g.points && g.p < gram.Features {
		Grow(&g.yt, g.p*m)
	}
	if !g.free {
		if g.points {
			Grow(&g.dists, n*g.ld)
			g.cost = dist.Matrix[T]{Rows: n, Cols: m, Stride: g.ld, Data: g.dists}
		}
		if g.mixed {
			Grow(&g.narrow, n*g.ld)
		} else {
			Grow(&g.kernel, n*g.ld)
		}
	}
	g.pieces.allocate(g)
}

// padded returns the number of columns with which K is stored and passed over, and the stride
// of its rows. The stride is a multiple of 64 bytes, so that no row touches more cache lines than
// it must. The columns are a multiple of the lanes of the summation contract, so that no row ends
// in a short step. The columns behind m are zero. The contract pads short steps with zeros, too, so
// that the bits are those of m columns.
func padded[T dist.Float](m int, mixed bool) (cols, ld int) {
	lanes := num.Lanes[T]()
	cols = (m + lanes - 1) / lanes * lanes
	line := 64 / ElementBytes[T]()
	if mixed {
		line = 64 / 4
	}
	ld = (m + line - 1) / line * line
	return cols, ld
}

// GrowColumn sets the length of a vector over columns to m, with room for padding.
func (g *Kernel[T]) GrowColumn(v *[]T) { GrowColumn(v, g.m, g.cols) }

// GrowColumn sets the length of *v to m, with room for padded elements.
func GrowColumn[E any](v *[]E, m, padded int) {
	Grow(v, padded)
	*v = (*v)[:m]
}

// pad extends a vector over columns with zeros, up to the columns of K.
func (g *Kernel[T]) pad(v []T) []T {
	clear(v[g.m:g.cols])
	return v[:g.cols]
}

// blockRows returns the number of rows of a block.
func (g *Kernel[T]) blockRows() int {
	switch {
	case g.free && g.m <= blockSize/unitRows:
		return min(g.n, blockSize/g.m/unitRows*unitRows)
	case g.free:
		return min(g.n, unitRows/2)
	case g.pieces.big:
		return min(g.n, max(unitRows, storedBlock/g.m/unitRows*unitRows))
	}
	return g.n
}

// copiedRows returns the number of rows of a block if its rows are copied into a buffer, which
// should stay in the second-level cache.
func (g *Kernel[T]) copiedRows() int {
	return min(g.blockRows(), max(8, wideBlock/g.m/8*8))
}

// widenedRows returns the number of rows of a block that is copied only if K is in float32.
func (g *Kernel[T]) widenedRows() int {
	if g.mixed {
		return g.copiedRows()
	}
	return g.blockRows()
}

// SetBase makes F and G the potentials of the base, to base 2; nil for both means none. K is computed
// anew if F is another slice than before. If only its elements have changed, call Invalidate.
func (g *Kernel[T]) SetBase(baseF, baseG []T) {
	if unsafe.SliceData(g.baseF) != unsafe.SliceData(baseF) {
		g.filled = false
	}
	g.baseF, g.baseG = baseF, baseG
}

// HasBase reports whether there is a base.
func (g *Kernel[T]) HasBase() bool { return g.baseF != nil }

// Invalidate marks K as out of date, because the base has changed.
func (g *Kernel[T]) Invalidate() { g.filled = false }

// Transpose prepares Y for the kernels of distances.
func (g *Kernel[T]) Transpose(ctx context.Context) error {
	if !g.points {
		return nil
	}
	y, yt, p, m := g.y, g.yt, g.p, g.m
	if p >= gram.Features {
		g.packed.Reset(m, p, y.Data, y.Stride)
		return EachBlock(ctx, (m+gram.Unit-1)/gram.Unit, gram.Unit*p, func(first, last int) {
			g.packed.Pack(first*gram.Unit, min(last*gram.Unit, m))
		})
	}
	return EachBlock(ctx, m, p, func(first, last int) {
		for j := first; j < last; j++ {
			k := j
			for _, v := range y.Data[j*y.Stride:][:p] {
				yt[k] = v
				k += m
			}
		}
	})
}

// block returns r rows of a matrix with the columns of M.
func (g *Kernel[T]) block(x []T, stride, r int) dist.Matrix[T] {
	return dist.Matrix[T]{Rows: r, Cols: g.m, Stride: stride, Data: x}
}

// transposed returns Y transposed.
func (g *Kernel[T]) transposed() dist.Matrix[T] {
	return g.block(g.yt, g.m, g.p)
}

// distances sets d, of stride ldd, to rows i … i+r−1 of M.
func (g *Kernel[T]) distances(d []T, ldd, i, r int) {
	if g.p >= gram.Features {
		g.packed.SqEuclidean(0, r, g.m, d, ldd, g.x.Data[i*g.x.Stride:], g.x.Stride)
		return
	}
	matrix.SqEuclideanTrans(g.block(d, ldd, r), g.x.RowRange(i, i+r), g.transposed())
}

// compute sets k to rows i … i+r−1 of K. Where M is not stored, its rows are left in d; if d is
// nil they are lost.
func (g *Kernel[T]) compute(k, d []T, i, r int) {
	stored := !g.free && (g.measured || !g.points)
	ldd := g.ld
	if stored {
		d, ldd = g.cost.Data[i*g.cost.Stride:], g.cost.Stride
	}
	minusC := -g.c // the sign of λ
	switch {
	case g.baseF != nil:
		if !stored {
			if d == nil {
				d = k
			}
			g.distances(d, ldd, i, r)
		}
		exp.LogPlan(r, g.m, k, g.ld, d, ldd, g.c, g.baseF[i:], g.baseG)
	case stored:
		matrix.Exp2(g.block(k, g.ld, r), g.block(d, ldd, r), minusC)
	case g.p >= gram.Features:
		if d == nil {
			d = k
		}
		g.distances(d, ldd, i, r)
		matrix.Exp2(g.block(k, g.ld, r), g.block(d, ldd, r), minusC)
	default:
		var distances dist.Matrix[T]
		if d != nil {
			distances = g.block(d, ldd, r)
		}
		matrix.GibbsTrans(g.block(k, g.ld, r), distances, g.x.RowRange(i, i+r), g.transposed(), minusC)
	}
	for l := range r {
		clear(k[l*g.ld+g.m : l*g.ld+g.cols])
	}
}

// Fill computes K for the base, and M, where they are stored and not there yet.
func (g *Kernel[T]) Fill(ctx context.Context) error {
	if g.free || g.filled {
		return nil
	}
	if err := g.pieces.each(ctx, &g.passes.fill, g.widenedRows()); err != nil {
		return err
	}
	g.filled, g.measured = true, true
	return nil
}

// Measure computes M alone, where it is stored and not there yet.
func (g *Kernel[T]) Measure(ctx context.Context) error {
	if g.free || g.measured || !g.points {
		return nil
	}
	if err := g.pieces.each(ctx, &g.passes.measure, g.blockRows()); err != nil {
		return err
	}
	g.measured = true
	return nil
}

// CostSpan returns the largest minus the least cost. For points it returns an upper bound of the
// largest cost, from their bounding boxes.
func (g *Kernel[T]) CostSpan(ctx context.Context) (float64, error) {
	lo, hi := math.Inf(1), math.Inf(-1)
	if !g.points {
		err := EachRun(ctx, g.cost, func(x []T) {
			for _, x := range x {
				lo, hi = math.Min(lo, float64(x)), math.Max(hi, float64(x))
			}
		})
		return hi - lo, err
	}
	var sum float64
	for l := range g.p {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		lo, hi = math.Inf(1), math.Inf(-1)
		for i := range g.n {
			v := float64(g.x.Data[i*g.x.Stride+l])
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
		low, high := math.Inf(1), math.Inf(-1)
		for j := range g.m {
			v := float64(g.y.Data[j*g.y.Stride+l])
			low, high = math.Min(low, v), math.Max(high, v)
		}
		d := math.Max(hi-low, high-lo)
		sum = num.FMA(d, d, sum)
	}
	return sum, nil
}

// ElementBytes returns the size of an element of type T.
func ElementBytes[T dist.Float]() int {
	var x T
	return int(unsafe.Sizeof(x))
}

// Grow sets the length of *v to n. The old elements are lost if there was no room. The room
// grows by a quarter at least, so that a sequence of slowly growing problems does not allocate for
// each of them.
func Grow[E any](v *[]E, n int) {
	if k := cap(*v); k < n {
		*v = nil // so that both need not be there at once
		*v = make([]E, max(n, k+k/4))
	}
	*v = (*v)[:n]
}

// EachBlock calls f for consecutive blocks of rows, i … j−1, of a rows × cols matrix, until the
// context ends. A block has some 10⁵ elements.
func EachBlock(ctx context.Context, rows, cols int, f func(i, j int)) error {
	step := 1 + (1<<17)/max(1, cols)
	for i := 0; i < rows; i += step {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f(i, min(i+step, rows))
	}
	return nil
}

// EachRun calls f for runs of consecutive elements, until it has seen all elements of the matrix
// or the context ends.
func EachRun[T dist.Float](ctx context.Context, m dist.Matrix[T], f func(x []T)) error {
	return EachBlock(ctx, m.Rows, m.Cols, func(i, j int) {
		if m.Stride == m.Cols {
			f(m.Data[i*m.Stride : j*m.Stride])
			return
		}
		for ; i < j; i++ {
			f(m.Data[i*m.Stride:][:m.Cols])
		}
	})
}
