package sinkhorn

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

// geometry is the cost M of a problem and its kernel K, relative to a base:
//
//	K_ij = 2^(F_i + G_j − c M_ij),   c = λ·log₂e.
//
// It knows where M and K are stored, how a pass over them is cut into pieces, and which
// goroutines make it. The algorithms see its passes only (pass.go): columns, rows, iterate,
// sweep and so on.
type geometry[T dist.Float] struct {
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
	free     bool           // matrix-free: neither of the following
	cost     dist.Matrix[T] // M: that of the problem, or in distances
	dists    []T
	measured bool // the distances are there
	mixed    bool // K is in float32
	kernel   []T  // K
	narrow   []float32
	base     base[T]
	filled   bool // K is there, for the base

	parts  parts[T]
	passes passes[T]
}

// base are the potentials, to base 2, to which K is relative; nil is 0.
type base[T dist.Float] struct {
	id   baseID
	f, g []T
}

// baseID distinguishes bases.
type baseID uint8

const (
	noBase baseID = iota
	forwardBase
	reverseBase
)

const (
	maxStored   = 512 << 20 // bytes that StorageAuto stores
	blockSize   = 1 << 15   // elements of a block that is computed
	storedBlock = 1 << 18   // and of one that is stored, in big problems
	wideBlock   = 1 << 13   // and of one that is stored, and copied on the way
	unitRows    = 24        // a multiple of the rows of every kernel's tile
)

// shape is what decides how much room a problem takes.
type shape struct {
	n, m, p int
	points  bool
}

func (geo *geometry[T]) shape() shape { return shape{geo.n, geo.m, geo.p, geo.points} }

// setPoints makes M the squared distances between the rows of x and the rows of y.
func (geo *geometry[T]) setPoints(x, y dist.Matrix[T]) {
	geo.points, geo.x, geo.y, geo.cost = true, x, y, dist.Matrix[T]{}
	geo.n, geo.m, geo.p = x.Rows, y.Rows, x.Cols
}

// setCost makes M a cost matrix.
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

// layOut decides where K is stored and how a pass is cut into pieces. Only the size of the
// problem and the settings count.
func (geo *geometry[T]) layOut(set *Settings) {
	n, m := geo.n, geo.m
	geo.free = geo.points && (set.Storage == StorageMatrixFree || set.Storage == StorageAuto && n > maxStored/(2*size[T]())/m)
	geo.mixed = set.Storage == StorageMixed && num.IsFloat64[T]()
	geo.cols, geo.ld = padded[T](m, geo.mixed)
	geo.parts.layOut(n, m, geo.cols, set.Workers)
}

// bytes returns the memory that the geometry takes, once it has been laid out.
func (geo *geometry[T]) bytes() float64 {
	ld, workers := float64(geo.ld), float64(geo.parts.workers)
	elements := float64(geo.p)*float64(geo.m) + float64(geo.parts.count)*ld
	if geo.points && geo.p >= gram.Features {
		elements += 4 * float64(geo.m) // norms beside the packed Y
	}
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
	return float64(elements * float64(size[T]()))
}

// allocate makes room for what layOut has decided. Nothing is computed yet.
func (geo *geometry[T]) allocate() {
	n, m := geo.n, geo.m
	geo.filled, geo.measured, geo.base = false, false, base[T]{}
	if geo.points && geo.p < gram.Features {
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
	geo.parts.allocate(geo)
}

// padded returns the number of columns with which K is stored and passed over, and the stride
// of its rows. The stride is a multiple of 64 bytes, so that no row touches more cache lines than
// it must. The columns are a multiple of the lanes of the summation contract, so that no row ends
// in a short step. The columns behind m are zero. The contract pads short steps with zeros, too, so
// that the bits are those of m columns.
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

// pad extends a vector over columns with zeros, up to the columns of K.
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
	case geo.parts.big:
		return min(geo.n, max(unitRows, storedBlock/geo.m/unitRows*unitRows))
	}
	return geo.n
}

// copiedRows is the number of rows of a block if its rows are copied into a buffer, which
// should stay in the second-level cache.
func (geo *geometry[T]) copiedRows() int {
	return min(geo.blockRows(), max(8, wideBlock/geo.m/8*8))
}

// setBase sets the base. A caller that changes the potentials of the base at hand must clear
// filled.
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
	if p >= gram.Features {
		geo.packed.Reset(m, p, y.Data, y.Stride)
		return eachBlock(ctx, (m+gram.Unit-1)/gram.Unit, gram.Unit*p, func(first, last int) {
			geo.packed.Pack(first*gram.Unit, min(last*gram.Unit, m))
		})
	}
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
	if geo.p >= gram.Features {
		geo.packed.SqEuclidean(0, r, geo.m, d, ldd, geo.x.Data[i*geo.x.Stride:], geo.x.Stride)
		return
	}
	matrix.SqEuclideanTrans(geo.block(d, ldd, r), geo.x.RowRange(i, i+r), geo.transposed())
}

// compute sets k to rows i … i+r−1 of K. Where M is not stored, its rows are left in d; if d is
// nil they are lost.
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
	case geo.p >= gram.Features:
		if d == nil {
			d = k
		}
		geo.distances(d, ldd, i, r)
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

// fill computes the stored K for the base, and the stored distances.
func (geo *geometry[T]) fill(ctx context.Context) error {
	if geo.free || geo.filled {
		return nil
	}
	step := geo.blockRows()
	if geo.mixed {
		step = geo.copiedRows()
	}
	if err := geo.parts.each(ctx, &geo.passes.fill, step); err != nil {
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
	if err := geo.parts.each(ctx, &geo.passes.measure, geo.blockRows()); err != nil {
		return err
	}
	geo.measured = true
	return nil
}

// span returns the largest minus the least cost. For points it returns an upper bound of the
// largest cost, from their bounding boxes.
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

// grow sets the length of *v to n. The old elements are lost if there was no room. The room
// grows by a quarter at least, so that a sequence of slowly growing problems does not allocate for
// each of them.
func grow[E any](v *[]E, n int) {
	if k := cap(*v); k < n {
		*v = nil // so that both need not be there at once
		*v = make([]E, max(n, k+k/4))
	}
	*v = (*v)[:n]
}

// eachBlock calls f for consecutive blocks of rows, i … j−1, of a rows × cols matrix, until the
// context ends. A block has some 10⁵ elements.
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

// eachRun calls f for runs of consecutive elements, until it has seen all elements of the matrix
// or the context ends.
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
