package sinkhorn

import (
	"context"
	"math"
	"unsafe"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/parallel"
)

// geometry is the cost M of a problem and its kernel K, relative to a base:
//
//	K_ij = 2^(F_i + G_j − c M_ij),   c = λ·log₂e.
//
// It knows where they are, in how many pieces they are passed over, and by whom; the
// algorithms know its passes (pass.go): columns, rows, iterate, sweep and so on.
//
// A pass touches all n × m elements. It takes blocks of whole rows one after the
// other, from memory or, matrix-free, computed into a buffer: a row sum sees its whole
// row in both cases, and the chains over i go on from block to block, so that the bits
// do not depend on where K is.
//
// The rows of a large problem are cut into pieces, by its size alone. Each piece has
// its own chain over i, that is its own sums over rows, and the pieces' are added in
// ascending order. Goroutines take the next piece when they are done with one: who
// computes it makes no difference. Every other pass takes the pieces from the last to
// the first: what the pass before it read last is still in the third-level cache.
type geometry[T dist.Float] struct {
	n, m, p int
	c       T // λ·log₂e

	// What K is stored and passed over with: see padded.
	cols, ld int

	// The problem: points, or a cost matrix.
	x, y   dist.Matrix[T]
	yt     []T // Y transposed, p × m
	points bool

	// Storage.
	free     bool           // matrix-free: neither of the following
	cost     dist.Matrix[T] // M: that of the problem, or in distances
	dists    []T
	measured bool // the distances are there
	mixed    bool // K is in float32
	kernel   []T  // K
	narrow   []float32
	base     base[T]
	filled   bool // K is there, and that of the base

	// How passes are made.
	pieces    int
	big       bool
	workers   int
	partials  []T // the pieces' sums over rows
	ones      []T
	strips    []*strip[T]
	crew      *parallel.Crew
	backwards bool // the pass at hand takes the pieces from the last to the first
	passes    passes[T]
	at        struct { // the pass at hand, for the crew
		pass  rowPass[T]
		step  int
		sums  bool
		start T
	}
	take func(ctx context.Context, w, piece int) error
}

// base are the potentials, to base 2, that K is relative to; nil is 0.
type base[T dist.Float] struct {
	id   baseID
	f, g []T
}

// baseID tells bases apart.
type baseID uint8

const (
	noBase baseID = iota
	forwardBase
	reverseBase
)

const (
	maxStored   = 512 << 20 // bytes that StorageAuto stores
	bigProblem  = 1 << 19   // elements from which a problem is cut into pieces
	pieceRows   = 64        // at least so many rows a piece
	blockSize   = 1 << 15   // elements of a block that is computed
	storedBlock = 1 << 18   // and of one that is stored, in big problems
	wideBlock   = 1 << 13   // and of one that is stored, and copied on the way
	maxPieces   = 64
	maxPartials = 1 << 20 // elements of all partial sums, if that leaves 16 pieces
	unitRows    = 24      // a multiple of all tiles' rows
)

// shape is what the room depends on that a problem takes.
type shape struct {
	n, m, p int
	points  bool
}

func (geo *geometry[T]) shape() shape { return shape{geo.n, geo.m, geo.p, geo.points} }

// setPoints makes the geometry that of the squared distances between the rows of x and
// those of y.
func (geo *geometry[T]) setPoints(x, y dist.Matrix[T]) {
	geo.points, geo.x, geo.y, geo.cost = true, x, y, dist.Matrix[T]{}
	geo.n, geo.m, geo.p = x.Rows, y.Rows, x.Cols
}

// setCost makes the geometry that of a cost matrix.
func (geo *geometry[T]) setCost(m dist.Matrix[T]) {
	geo.points, geo.x, geo.y, geo.cost = false, dist.Matrix[T]{}, dist.Matrix[T]{}, m
	geo.n, geo.m, geo.p = m.Rows, m.Cols, 0
}

// size returns n·m.
func (geo *geometry[T]) size() float64 { return float64(float64(geo.n) * float64(geo.m)) }

// setLambda sets λ, and reports whether λ·log₂e is a number of type T.
func (geo *geometry[T]) setLambda(lambda float64) bool {
	geo.c = T(lambda * math.Log2E)
	geo.filled = false
	return !math.IsInf(float64(geo.c), 1)
}

// layOut decides, from the size of the problem and the settings alone, where K is, how
// its rows are cut and who takes them.
func (geo *geometry[T]) layOut(set *Settings) {
	n, m := geo.n, geo.m
	geo.free = geo.points && (set.Storage == StorageMatrixFree || set.Storage == StorageAuto && n > maxStored/(2*size[T]())/m)
	geo.mixed = set.Storage == StorageMixed && num.IsFloat64[T]()
	geo.cols, geo.ld = padded[T](m, geo.mixed)
	geo.pieces, geo.workers, geo.big = 1, 1, n > bigProblem/m
	if geo.big {
		geo.pieces = max(1, min(n/pieceRows, maxPieces, max(16, maxPartials/m)))
		geo.workers = parallel.Workers(set.Workers, geo.pieces)
	}
}

// bytes returns what a geometry takes that has been laid out.
func (geo *geometry[T]) bytes() float64 {
	ld, workers := float64(geo.ld), float64(geo.workers)
	elements := float64(geo.p)*float64(geo.m) + float64(geo.pieces)*ld
	matrix := float64(geo.n) * ld
	switch {
	case geo.free:
		matrix = 0
		elements += workers * 3 * float64(geo.blockRows()) * ld // K, M and M̄
	case geo.mixed:
		elements += matrix/2 + workers*2*float64(geo.copiedRows())*ld // K and M̄
	default:
		elements += matrix + workers*float64(geo.copiedRows())*ld // M̄
	}
	if geo.points {
		elements += matrix // M
	}
	return elements * float64(size[T]())
}

// allocate makes room for what layOut has decided on. Nothing is computed yet.
func (geo *geometry[T]) allocate() {
	n, m := geo.n, geo.m
	geo.filled, geo.measured, geo.base = false, false, base[T]{}
	if geo.points {
		grow(&geo.yt, geo.p*m)
	}
	if !geo.free {
		if geo.points {
			grow(&geo.dists, n*geo.ld)
			geo.cost = dist.Matrix[T]{Rows: n, Cols: m, Stride: geo.ld, Data: geo.dists}
		}
		if geo.mixed {
			grow(&geo.narrow, n*geo.ld)
		} else {
			grow(&geo.kernel, n*geo.ld)
		}
	}
	if geo.crew == nil {
		geo.crew = new(parallel.Crew)
	}
	if geo.pieces > 1 {
		grow(&geo.partials, geo.pieces*geo.cols)
		if geo.ones == nil {
			geo.ones = make([]T, maxPieces)
			for i := range geo.ones {
				geo.ones[i] = 1
			}
		}
	}
	for len(geo.strips) < geo.workers {
		geo.strips = append(geo.strips, &strip[T]{geometry: geo})
	}
}

// padded returns the number of columns that K is stored and passed over with, and the
// stride of its rows. Both are whole vectors of 64 bytes, so that no row crosses a line
// of the cache more than it must and none ends in a short step. The last columns are
// zero, up to the contract's step and no further: there a short step counts as padded
// with zeros, so that the bits are those of m columns.
func padded[T dist.Float](m int, mixed bool) (cols, ld int) {
	lanes := num.Lanes[T]()
	cols = (m + lanes - 1) / lanes * lanes
	line := 64 / size[T]()
	if mixed {
		line = 64 / 4
	}
	ld = (m + line - 1) / line * line
	return cols, ld
}

// column sets the length of a vector over columns to m, with room for padding.
func (geo *geometry[T]) column(v *[]T) {
	grow(v, geo.cols)
	*v = (*v)[:geo.m]
}

// pad returns the vector over columns with zeros up to the columns of K.
func (geo *geometry[T]) pad(v []T) []T {
	clear(v[geo.m:geo.cols])
	return v[:geo.cols]
}

// blockRows is the number of rows of a block.
func (geo *geometry[T]) blockRows() int {
	switch {
	case geo.free && geo.m <= blockSize/unitRows:
		return min(geo.n, blockSize/geo.m/unitRows*unitRows)
	case geo.free:
		return min(geo.n, unitRows/2)
	case geo.big:
		return min(geo.n, max(unitRows, storedBlock/geo.m/unitRows*unitRows))
	}
	return geo.n
}

// copiedRows is the number of rows of a block if rows of a stored matrix, or what is made
// of them, are put into buffers, which should stay in the second-level cache.
func (geo *geometry[T]) copiedRows() int {
	return min(geo.blockRows(), max(8, wideBlock/geo.m/8*8))
}

// setBase sets what K is relative to. Whoever changes the potentials of the base at
// hand clears filled.
func (geo *geometry[T]) setBase(id baseID, f, g []T) {
	if geo.base.id != id {
		geo.filled = false
	}
	geo.base = base[T]{id, f, g}
}

// transpose prepares Y for the distance kernels.
func (geo *geometry[T]) transpose(ctx context.Context) error {
	if !geo.points {
		return nil
	}
	y, yt, p, m := geo.y, geo.yt, geo.p, geo.m
	return eachBlock(ctx, m, p, func(first, last int) {
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
func (geo *geometry[T]) block(x []T, stride, r int) dist.Matrix[T] {
	return dist.Matrix[T]{Rows: r, Cols: geo.m, Stride: stride, Data: x}
}

// transposed returns Y transposed.
func (geo *geometry[T]) transposed() dist.Matrix[T] {
	return geo.block(geo.yt, geo.m, geo.p)
}

// distances sets d, of stride ldd, to rows i … i+r−1 of M.
func (geo *geometry[T]) distances(d []T, ldd, i, r int) {
	matrix.SqDistTrans(geo.block(d, ldd, r), geo.x.RowRange(i, i+r), geo.transposed())
}

// compute sets k to rows i … i+r−1 of K. d is room for those of M that are not stored;
// without it they take that of k, and are lost.
func (geo *geometry[T]) compute(k, d []T, i, r int) {
	stored := !geo.free && (geo.measured || !geo.points)
	ldd := geo.ld
	if stored {
		d, ldd = geo.cost.Data[i*geo.cost.Stride:], geo.cost.Stride
	}
	minusC := -geo.c // the sign of λ
	switch {
	case geo.base.f != nil:
		if !stored {
			if d == nil {
				d = k
			}
			geo.distances(d, ldd, i, r)
		}
		exp.LogPlan(r, geo.m, k, geo.ld, d, ldd, geo.c, geo.base.f[i:], geo.base.g)
	case stored:
		matrix.Exp2(geo.block(k, geo.ld, r), geo.block(d, ldd, r), minusC)
	default:
		var distances dist.Matrix[T]
		if d != nil {
			distances = geo.block(d, ldd, r)
		}
		matrix.GibbsTrans(geo.block(k, geo.ld, r), distances, geo.x.RowRange(i, i+r), geo.transposed(), minusC)
	}
	for l := range r {
		clear(k[l*geo.ld+geo.m : l*geo.ld+geo.cols])
	}
}

// fill makes the stored K, and the distances, that of the base.
func (geo *geometry[T]) fill(ctx context.Context) error {
	if geo.free || geo.filled {
		return nil
	}
	step := geo.blockRows()
	if geo.mixed {
		step = geo.copiedRows()
	}
	if err := geo.each(ctx, &geo.passes.fill, step); err != nil {
		return err
	}
	geo.filled, geo.measured = true, true
	return nil
}

// measure computes the stored distances alone.
func (geo *geometry[T]) measure(ctx context.Context) error {
	if geo.free || geo.measured || !geo.points {
		return nil
	}
	if err := geo.each(ctx, &geo.passes.measure, geo.blockRows()); err != nil {
		return err
	}
	geo.measured = true
	return nil
}

// span returns the largest minus the least cost, or for points an upper bound of the
// largest: that of the boxes that they lie in.
func (geo *geometry[T]) span(ctx context.Context) (float64, error) {
	lo, hi := math.Inf(1), math.Inf(-1)
	if !geo.points {
		err := eachRun(ctx, geo.cost, func(x []T) {
			for _, x := range x {
				lo, hi = math.Min(lo, float64(x)), math.Max(hi, float64(x))
			}
		})
		return hi - lo, err
	}
	var sum float64
	for l := range geo.p {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		lo, hi = math.Inf(1), math.Inf(-1)
		for i := range geo.n {
			v := float64(geo.x.Data[i*geo.x.Stride+l])
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
		low, high := math.Inf(1), math.Inf(-1)
		for j := range geo.m {
			v := float64(geo.y.Data[j*geo.y.Stride+l])
			low, high = math.Min(low, v), math.Max(high, v)
		}
		d := math.Max(hi-low, high-lo)
		sum = num.FMA(d, d, sum)
	}
	return sum, nil
}

// size returns the bytes of an element.
func size[T dist.Float]() int {
	var x T
	return int(unsafe.Sizeof(x))
}

// grow sets the length of *v to n. What was in it is lost unless there was room. It
// grows by a quarter at least, so that problems that become larger one by one do not
// allocate for every one of them.
func grow[E any](v *[]E, n int) {
	if k := cap(*v); k < n {
		*v = nil // so that both need not be there at once
		*v = make([]E, max(n, k+k/4))
	}
	*v = (*v)[:n]
}

// eachBlock calls f for consecutive rows i … j−1 of a rows × cols matrix, some 10⁵
// elements at a time, until the context ends.
func eachBlock(ctx context.Context, rows, cols int, f func(i, j int)) error {
	step := 1 + (1<<17)/max(1, cols)
	for i := 0; i < rows; i += step {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f(i, min(i+step, rows))
	}
	return nil
}

// eachRun calls f for all elements of a matrix, as many consecutive ones at a time as
// there are in a block, until the context ends.
func eachRun[T dist.Float](ctx context.Context, m dist.Matrix[T], f func(x []T)) error {
	return eachBlock(ctx, m.Rows, m.Cols, func(i, j int) {
		if m.Stride == m.Cols {
			f(m.Data[i*m.Stride : j*m.Stride])
			return
		}
		for ; i < j; i++ {
			f(m.Data[i*m.Stride:][:m.Cols])
		}
	})
}
