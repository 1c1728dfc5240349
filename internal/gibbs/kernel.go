// Package gibbs contains the cost matrix of a transport problem, its Gibbs kernel, and the passes
// over these matrices that Sinkhorn's iteration, Newton's method and their gradients use. The
// package decides where the matrices are stored, how a pass is divided into pieces, and which
// goroutines compute the pieces. The algorithms in package sinkhorn work on vectors only.
//
// The bits of a result depend on the size of the problem, and not on the number of goroutines. The
// bits depend on the storage only if a kernel for float64 vectors is stored in float32.
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
//	K_ij = 2^(F_i + G_j − c M_ij),   c = λ·log₂e.
//
// F and G are the base potentials. Without base potentials, F and G are 0.
//
// To set up a problem, call SetPoints or SetCost, SetLambda, LayOut, Allocate and Transpose in this
// order. The Kernel reads the matrices of the problem until the next problem is set or until
// Release is called. Passes do not allocate. A pass checks the context before every block of rows.
// If the context has ended, the pass returns the context's cause, and the results are incomplete. A
// Kernel must not be used by two goroutines at once.
//
// The vectors v, q and t of a pass have one element for each column and need capacity for padding.
// GrowColumn allocates such vectors.
type Kernel[T dist.Float] struct {
	n, m, p int
	c       T // λ·log₂e

	// cols is the number of columns of K, including padding, and ld is the stride of its rows (see
	// padded).
	cols, ld int

	// The problem is defined by points or by a cost matrix.
	x, y   dist.Matrix[T]
	yt     []T             // Y transposed, p × m, if there are few features
	packed gram.Columns[T] // Y packed, if there are many features
	points bool

	matrixFree     bool           // M and K are computed in every pass instead of stored
	cost           dist.Matrix[T] // M: the cost matrix of the problem, or the distances in dists
	dists          []T
	measured       bool // dists has been computed
	mixed          bool // K is stored in float32
	kernel         []T  // K
	storedKernel32 []float32
	baseF, baseG   []T  // base potentials F and G, as base-2 logarithms; nil means 0
	filled         bool // K has been computed for the current base potentials

	pieces pieces[T]
	passes passes[T]
}

const (
	// MaxStored is the maximum size of M and K together, in bytes, that Storable accepts for
	// points.
	MaxStored = 512 << 20

	blockSize   = 1 << 15 // number of elements of a row block in matrix-free passes
	storedBlock = 1 << 18 // number of elements of a block of stored rows in large problems
	wideBlock   = 1 << 13 // number of elements of a row block that is copied to a buffer
	unitRows    = 24      // multiple of the number of rows of every assembly tile
)

// Shape determines how much memory a problem takes. The cost matrix is N × M. If Points is set, the
// costs are distances between points of P dimensions.
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

// P returns the number of dimensions of the points, or 0 for a cost matrix.
func (g *Kernel[T]) P() int { return g.p }

// Padded returns the number of columns of K, including padding.
func (g *Kernel[T]) Padded() int { return g.cols }

// Size returns n·m.
func (g *Kernel[T]) Size() float64 { return float64(float64(g.n) * float64(g.m)) }

// C returns λ·log₂e.
func (g *Kernel[T]) C() float64 { return float64(g.c) }

// Mixed reports whether K is stored in float32 while T is float64.
func (g *Kernel[T]) Mixed() bool { return g.mixed }

// Large reports whether M has more than LargeSize elements. The passes over a large M are divided
// into pieces, which goroutines share.
func (g *Kernel[T]) Large() bool { return g.pieces.big }

// SetPoints sets M to the squared distances between the rows of x (n × p) and of y (m × p).
func (g *Kernel[T]) SetPoints(x, y dist.Matrix[T]) {
	g.points, g.x, g.y, g.cost = true, x, y, dist.Matrix[T]{}
	g.n, g.m, g.p = x.Rows, y.Rows, x.Cols
}

// SetCost sets M to a cost matrix.
func (g *Kernel[T]) SetCost(m dist.Matrix[T]) {
	g.points, g.x, g.y, g.cost = false, dist.Matrix[T]{}, dist.Matrix[T]{}, m
	g.n, g.m, g.p = m.Rows, m.Cols, 0
}

// Release drops the references to the matrices of the problem, so that their memory can be freed.
func (g *Kernel[T]) Release() {
	g.x, g.y, g.cost = dist.Matrix[T]{}, dist.Matrix[T]{}, dist.Matrix[T]{}
}

// SetLambda sets λ, and reports whether λ·log₂e is finite in type T.
func (g *Kernel[T]) SetLambda(lambda float64) bool {
	g.c = T(lambda * math.Log2E)
	g.filled = false
	return !math.IsInf(float64(g.c), 1)
}

// Storable reports whether M and K together take at most MaxStored bytes. It also reports true for
// a cost matrix of any size.
func (g *Kernel[T]) Storable() bool { return !g.points || g.n <= MaxStored/(2*ElementBytes[T]())/g.m }

// LayOut decides where K is stored and how a pass is divided into pieces. The decision depends only
// on the size of the problem and on the arguments. If free is true and the problem consists of
// points, neither M nor K is stored. If mixed is true and T is float64, K is stored in float32.
// workers is the maximum number of goroutines that share a pass.
func (g *Kernel[T]) LayOut(free, mixed bool, workers int) {
	g.matrixFree = free && g.points
	g.mixed = mixed && num.IsFloat64[T]()
	g.cols, g.ld = padded[T](g.m, g.mixed)
	g.pieces.layOut(g.n, g.m, g.cols, workers)
}

// Bytes returns the number of bytes that Allocate will allocate after LayOut.
func (g *Kernel[T]) Bytes() float64 {
	ld, workers := float64(g.ld), float64(g.pieces.workers)
	elements := float64(g.p)*float64(g.m) + float64(g.pieces.count)*ld
	if g.points && g.p >= gram.Features {
		elements += 4 * float64(g.m) // norms, bounds and ones, in addition to the packed Y
	}
	matrix := float64(g.n) * ld
	switch {
	case g.matrixFree:
		matrix = 0
		elements += workers * 3 * float64(g.blockRows()) * ld // a block of rows of K, M and M̄ for each worker
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

// Allocate allocates memory for the layout that LayOut has chosen, and removes the base potentials.
// It does not compute M or K.
func (g *Kernel[T]) Allocate() {
	n, m := g.n, g.m
	g.filled, g.measured, g.baseF, g.baseG = false, false, nil, nil
	if g.points && g.p < gram.Features {
		Grow(&g.yt, g.p*m)
	}
	if !g.matrixFree {
		if g.points {
			Grow(&g.dists, n*g.ld)
			g.cost = dist.Matrix[T]{Rows: n, Cols: m, Stride: g.ld, Data: g.dists}
		}
		if g.mixed {
			Grow(&g.storedKernel32, n*g.ld)
		} else {
			Grow(&g.kernel, n*g.ld)
		}
	}
	g.pieces.allocate(g)
}

// padded returns the number of columns of K, including padding, and the stride of its rows. The
// number of columns is a multiple of the number of vector lanes, so every row consists of full
// vectors. The padding is zero. Sums have the same bits as sums over m columns, because the
// summation contract of package asm also pads with zeros. The stride is a multiple of 64 bytes, so
// a row spans as few cache lines as possible.
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

// GrowColumn sets the length of *v to m. The capacity is at least the padded number of columns of
// K.
func (g *Kernel[T]) GrowColumn(v *[]T) { GrowColumn(v, g.m, g.cols) }

// GrowColumn sets the length of *v to m, and its capacity to at least the given capacity.
func GrowColumn[E any](v *[]E, m, capacity int) {
	Grow(v, capacity)
	*v = (*v)[:m]
}

// pad extends v from m elements to the padded number of columns of K. The additional elements are
// zero.
func (g *Kernel[T]) pad(v []T) []T {
	clear(v[g.m:g.cols])
	return v[:g.cols]
}

// blockRows returns the number of rows of a block.
func (g *Kernel[T]) blockRows() int {
	switch {
	case g.matrixFree && g.m <= blockSize/unitRows:
		return min(g.n, blockSize/g.m/unitRows*unitRows)
	case g.matrixFree:
		return min(g.n, unitRows/2)
	case g.pieces.big:
		return min(g.n, max(unitRows, storedBlock/g.m/unitRows*unitRows))
	}
	return g.n
}

// copiedRows returns the number of rows of a block that is copied to a buffer. The buffer should
// fit into the second-level cache.
func (g *Kernel[T]) copiedRows() int {
	return min(g.blockRows(), max(8, wideBlock/g.m/8*8))
}

// widenedRows returns the number of rows of a block in passes that need a buffer only in mixed
// precision. The buffer then holds a block of K that is converted from float32 to float64.
func (g *Kernel[T]) widenedRows() int {
	if g.mixed {
		return g.copiedRows()
	}
	return g.blockRows()
}

// SetBase sets the base potentials F and G, which are base-2 logarithms. Two nil slices mean no
// base potentials. SetBase invalidates K if F is another slice than before. After a change of
// elements of F or G, call Invalidate.
func (g *Kernel[T]) SetBase(baseF, baseG []T) {
	if unsafe.SliceData(g.baseF) != unsafe.SliceData(baseF) {
		g.filled = false
	}
	g.baseF, g.baseG = baseF, baseG
}

// HasBase reports whether K has base potentials.
func (g *Kernel[T]) HasBase() bool { return g.baseF != nil }

// Invalidate marks K as invalid. It must be called if elements of the base potentials have changed.
func (g *Kernel[T]) Invalidate() { g.filled = false }

// Transpose transposes or packs Y for the kernels that compute distances.
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

// block returns a matrix with r rows, as many columns as M, and the elements x.
func (g *Kernel[T]) block(x []T, stride, r int) dist.Matrix[T] {
	return dist.Matrix[T]{Rows: r, Cols: g.m, Stride: stride, Data: x}
}

// transposed returns Y transposed.
func (g *Kernel[T]) transposed() dist.Matrix[T] {
	return g.block(g.yt, g.m, g.p)
}

// distances sets d, which has stride ldd, to rows i … i+r−1 of M.
func (g *Kernel[T]) distances(d []T, ldd, i, r int) {
	if g.p >= gram.Features {
		g.packed.SqEuclidean(0, r, g.m, d, ldd, g.x.Data[i*g.x.Stride:], g.x.Stride)
		return
	}
	matrix.SqEuclideanTrans(g.block(d, ldd, r), g.x.RowRange(i, i+r), g.transposed())
}

// compute sets k to rows i … i+r−1 of K. It also sets d to the same rows of M, unless d is nil
// or M is already stored.
func (g *Kernel[T]) compute(k, d []T, i, r int) {
	stored := !g.matrixFree && (g.measured || !g.points)
	ldd := g.ld
	if stored {
		d, ldd = g.cost.Data[i*g.cost.Stride:], g.cost.Stride
	}
	minusC := -g.c // Exp2 and GibbsTrans take the factor −λ·log₂e
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

// Fill computes the stored matrices M and K, unless these matrices are already computed. K is
// computed for the current base potentials.
func (g *Kernel[T]) Fill(ctx context.Context) error {
	if g.matrixFree || g.filled {
		return nil
	}
	if err := g.pieces.each(ctx, &g.passes.fill, g.widenedRows()); err != nil {
		return err
	}
	g.filled, g.measured = true, true
	return nil
}

// Measure computes the stored distances M, unless they are already computed.
func (g *Kernel[T]) Measure(ctx context.Context) error {
	if g.matrixFree || g.measured || !g.points {
		return nil
	}
	if err := g.pieces.each(ctx, &g.passes.measure, g.blockRows()); err != nil {
		return err
	}
	g.measured = true
	return nil
}

// CostSpan returns the difference between the largest and the smallest cost. For points, it returns
// an upper bound of the largest cost, computed from the bounding boxes of the points.
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

// ElementBytes returns the size of an element of type T in bytes.
func ElementBytes[T dist.Float]() int {
	var x T
	return int(unsafe.Sizeof(x))
}

// Grow sets the length of *v to n. If the capacity is too small, Grow allocates a new array and the
// old elements are lost. The new capacity is at least a quarter larger, so that slowly growing
// problems do not allocate every time.
func Grow[E any](v *[]E, n int) {
	if k := cap(*v); k < n {
		*v = nil // allows the garbage collector to free the old array before the new array is allocated
		*v = make([]E, max(n, k+k/4))
	}
	*v = (*v)[:n]
}

// EachBlock divides the rows of a rows × cols matrix into blocks of about 10⁵ elements. It calls f(i, j)
// for each block of rows i … j−1, until the context ends.
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

// EachRun calls f for runs of consecutive elements of the matrix, until the context ends.
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
