package fuzz

import (
	"math"
	"testing"
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/asmtest"
	"github.com/gomonge/monge/internal/asm/block"
	"github.com/gomonge/monge/internal/asm/codes"
	"github.com/gomonge/monge/internal/asm/compact"
	"github.com/gomonge/monge/internal/asm/distance"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/gram"
	"github.com/gomonge/monge/internal/asm/lane"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pair"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/asm/price"
	"github.com/gomonge/monge/internal/asm/project"
	"github.com/gomonge/monge/internal/asm/query"
	"github.com/gomonge/monge/internal/asm/sketch"
	"github.com/gomonge/monge/internal/asm/vector"
	"github.com/gomonge/monge/vecmath"
)

func FuzzExpFloat64(f *testing.F)         { fuzz(f, expKernel[float64]) }
func FuzzExpFloat32(f *testing.F)         { fuzz(f, expKernel[float32]) }
func FuzzSumExpFloat64(f *testing.F)      { fuzz(f, sumExpKernel[float64]) }
func FuzzSumExpFloat32(f *testing.F)      { fuzz(f, sumExpKernel[float32]) }
func FuzzExp2Float64(f *testing.F)        { fuzz(f, exp2Kernel[float64]) }
func FuzzExp2Float32(f *testing.F)        { fuzz(f, exp2Kernel[float32]) }
func FuzzSqEuclideanFloat64(f *testing.F) { fuzz(f, sqEuclideanKernel[float64]) }
func FuzzSqEuclideanFloat32(f *testing.F) { fuzz(f, sqEuclideanKernel[float32]) }
func FuzzGibbsFloat64(f *testing.F)       { fuzz(f, gibbsKernel[float64]) }
func FuzzGibbsFloat32(f *testing.F)       { fuzz(f, gibbsKernel[float32]) }
func FuzzGramFloat64(f *testing.F)        { fuzz(f, gramKernel[float64]) }
func FuzzGramFloat32(f *testing.F)        { fuzz(f, gramKernel[float32]) }
func FuzzScaleFloat64(f *testing.F)       { fuzz(f, scaleKernel[float64]) }
func FuzzScaleFloat32(f *testing.F)       { fuzz(f, scaleKernel[float32]) }
func FuzzAdjointFloat64(f *testing.F)     { fuzz(f, adjointKernel[float64]) }
func FuzzAdjointFloat32(f *testing.F)     { fuzz(f, adjointKernel[float32]) }
func FuzzLogScaleFloat64(f *testing.F)    { fuzz(f, logScaleKernel[float64]) }
func FuzzLogScaleFloat32(f *testing.F)    { fuzz(f, logScaleKernel[float32]) }
func FuzzAdjCostFloat64(f *testing.F)     { fuzz(f, adjCostKernel[float64]) }
func FuzzAdjCostFloat32(f *testing.F)     { fuzz(f, adjCostKernel[float32]) }
func FuzzPanelFloat64(f *testing.F)       { fuzz(f, panelKernel[float64]) }
func FuzzPanelFloat32(f *testing.F)       { fuzz(f, panelKernel[float32]) }
func FuzzNormsFloat64(f *testing.F)       { fuzz(f, normsKernel[float64]) }
func FuzzNormsFloat32(f *testing.F)       { fuzz(f, normsKernel[float32]) }
func FuzzProjectFloat64(f *testing.F)     { fuzz(f, projectKernel[float64]) }
func FuzzProjectFloat32(f *testing.F)     { fuzz(f, projectKernel[float32]) }
func FuzzMatVecFloat64(f *testing.F)      { fuzz(f, matVecKernel[float64]) }
func FuzzMatVecFloat32(f *testing.F)      { fuzz(f, matVecKernel[float32]) }
func FuzzVecFloat64(f *testing.F)         { fuzz(f, vecKernel[float64]) }
func FuzzVecFloat32(f *testing.F)         { fuzz(f, vecKernel[float32]) }
func FuzzVectorFloat64(f *testing.F)      { fuzz(f, vectorKernel[float64]) }
func FuzzVectorFloat32(f *testing.F)      { fuzz(f, vectorKernel[float32]) }
func FuzzPairFloat64(f *testing.F)        { fuzz(f, pairKernel[float64]) }
func FuzzPairFloat32(f *testing.F)        { fuzz(f, pairKernel[float32]) }

func FuzzVecmathFloat64(f *testing.F) { fuzz(f, vecmathFunction[float64]) }
func FuzzVecmathFloat32(f *testing.F) { fuzz(f, vecmathFunction[float32]) }

// vecmathFunction calls functions of package vecmath. The destination may be the source slice.
func vecmathFunction[T num.Float](c *call[T]) {
	n := c.numberUpTo(600)
	maps := [...]func(dst, src []T){
		vecmath.Exp[T], vecmath.Exp2[T], vecmath.Log[T], vecmath.Log2[T], vecmath.Sigmoid[T], vecmath.Softmax[T], vecmath.LogSoftmax[T],
	}
	if k := c.numberUpTo(len(maps)); k < len(maps) {
		if c.numberUpTo(1) == 0 {
			maps[k](c.Out(n), c.readOnlySlice(n))
			return
		}
		x := c.mutableSlice(n, c.numberUpTo(5))
		maps[k](x, x)
		return
	}
	x := c.readOnlySlice(n)
	out := c.Out(3)
	out[0], out[1], out[2] = vecmath.Sum(x), vecmath.Dot(x, c.readOnlySlice(n)), vecmath.LogSumExp(x)
}

func FuzzQuery(f *testing.F) { fuzz(f, queryKernel) }

// queryKernel calls the functions of package query, which compare a vector with rows.
func queryKernel(c *call[float32]) {
	n, d := query.Rows*c.numberUpTo(5), query.Unit*c.numberUpTo(9)
	q, x := c.readOnlySlice(d), c.readOnlySlice(n*d)
	// The slices halves and bytes share the memory of x.
	halves := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(x))), 2*len(x))
	bytes := unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
	switch format := query.Half(c.numberUpTo(1)); c.numberUpTo(6) {
	case 6:
		manyKernel(c, n, d, format)
	case 0:
		query.SqEuclidean(c.Out(n), q, x)
		query.SqEuclideanFar(c.Out(n), q, x)
	case 1:
		query.Dot(c.Out(n), q, x)
		query.DotFar(c.Out(n), q, x)
	case 2:
		query.SqEuclideanHalf(c.Out(n), q, halves[n*d:], format)
	case 3:
		query.DotHalf(c.Out(n), q, halves[n*d:], format)
	case 4:
		query.SqEuclideanInt8(c.Out(n), q, bytes[3*n*d:], c.readOnlySlice(n))
	default:
		query.DotInt8(c.Out(n), q, bytes[3*n*d:], c.readOnlySlice(n))
	}
}

func FuzzSketch(f *testing.F) { fuzz(f, sketchKernel) }

// sketchKernel calls the functions of package sketch, with or without optional instructions such as VNNI.
func sketchKernel(c *call[float32]) {
	if c.numberUpTo(1) == 0 {
		defer asm.SwitchExtensions(0)()
	}
	n, d, m := c.numberUpTo(4), sketch.Step*c.numberUpTo(40), 1
	numbers := func(all int, number func(i int) float32) { // converts integers to float32; their bits could be NaNs, which the comparison would treat as equal
		out := c.Out(all)
		for i := range out {
			out[i] = number(i)
		}
	}
	switch c.numberUpTo(3) {
	case 0:
		x, row := c.mutableSlice(d, c.numberUpTo(5)), bytesOf(c.mutableSlice(d*sketch.Rows/4, 0))
		stride := sketch.Step * (1 + c.numberUpTo(sketch.Queries))
		query := signed(bytesOf(c.mutableSlice(d/sketch.Step*stride/4, 0)))
		for k, v := range x {
			if v-v != 0 {
				x[k] = 1
			}
		}
		var sums [4]float64
		out := c.Out(3)
		out[0], sums[0], sums[1] = sketch.QuantizeRow(row, x)
		var sum int32
		out[1], sum, sums[2], sums[3] = sketch.QuantizeQuery(query, stride, x)
		out[2] = float32(sum)
		numbers(16, func(i int) float32 { return float32(math.Float64bits(sums[i/4]) >> (16 * (i % 4)) & 0xffff) })
		numbers(len(row), func(i int) float32 { return float32(row[i]) })
		numbers(len(query), func(i int) float32 { return float32(query[i]) })
		return
	case 1:
	default:
		m = sketch.Queries
	}
	codes := bytesOf(c.mutableSlice(n*d*sketch.Rows/4, c.numberUpTo(5)))
	for i := range codes {
		codes[i] &= 127
	}
	groups := unsafe.Slice((*sketch.Group)(unsafe.Pointer(unsafe.SliceData(c.readOnlySlice(n*3*sketch.Rows)))), n)
	queries, q := signed(bytesOf(c.readOnlySlice(m*d/4))), unsafe.Slice((*sketch.Query)(unsafe.Pointer(unsafe.SliceData(c.readOnlySlice(5*m)))), m)
	masks := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(c.Out(n*m)))), n*m)
	if m == 1 {
		sketch.FilterOne(masks, codes, groups, queries, &q[0])
	} else {
		sketch.Filter(masks, codes, groups, queries, (*[sketch.Queries]sketch.Query)(q))
	}
	numbers(2*n*m, func(i int) float32 { return float32(masks[i/2] >> (16 * (i % 2)) & 0xffff) })
}

func signed(b []byte) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
}

// manyKernel calls a function of package query that compares several vectors with rows, such as DotMany.
func manyKernel(c *call[float32], n, d int, format query.Half) {
	m, ldd := query.Queries*c.numberUpTo(3), n+c.numberUpTo(5)
	q, x, dst := c.readOnlySlice(m*d), c.mutableSlice(n*d, c.numberUpTo(5)), c.mutableSlice(m*ldd, c.numberUpTo(5))
	halves := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(x))), 2*len(x))
	bytes := unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
	switch c.numberUpTo(5) {
	case 0:
		query.SqEuclideanMany(m, n, d, dst, ldd, q, x)
	case 1:
		query.DotMany(m, n, d, dst, ldd, q, x)
	case 2:
		query.SqEuclideanHalfMany(m, n, d, dst, ldd, q, halves[n*d:], format)
	case 3:
		query.DotHalfMany(m, n, d, dst, ldd, q, halves[n*d:], format)
	case 4:
		query.SqEuclideanInt8Many(m, n, d, dst, ldd, q, bytes[3*n*d:], c.readOnlySlice(n))
	default:
		query.DotInt8Many(m, n, d, dst, ldd, q, bytes[3*n*d:], c.readOnlySlice(n))
	}
}

// The following tests call kernels that combine a float32 matrix with float64 vectors.

func FuzzScaleMixed(f *testing.F)   { fuzz(f, scaleMixed) }
func FuzzAdjointMixed(f *testing.F) { fuzz(f, adjointMixed) }
func FuzzMatVecMixed(f *testing.F)  { fuzz(f, matVecMixed) }
func FuzzVecMixed(f *testing.F)     { fuzz(f, vecMixed) }

// The following tests call kernels that process blocks of vectors. FuzzBlockMixed combines a float32 matrix with float64
// vectors.

func FuzzBlockFloat32(f *testing.F) {
	fuzz(f, func(c *call[float32]) { blockKernel(c, c.matrix) })
}
func FuzzBlockMixed(f *testing.F) {
	fuzz(f, func(c *call[float64]) { blockKernel(c, c.narrowMatrix) })
}

// The following tests call kernels that solve several problems at once, one problem in each vector lane.

func FuzzLaneFloat64(f *testing.F) { fuzz(f, laneKernel[float64]) }
func FuzzLaneFloat32(f *testing.F) { fuzz(f, laneKernel[float32]) }

// The following tests call kernels that find the least reduced costs.

func FuzzPriceFloat64(f *testing.F) {
	fuzz(f, func(c *call[float64]) { priceKernel(c, c.matrix) })
}

func FuzzPriceFloat32(f *testing.F) {
	fuzz(f, func(c *call[float64]) { priceKernel(c, c.narrowMatrix) })
}

// priceKernel calls one of the functions of package price for a row of costs.
func priceKernel[T num.Float](c *call[float64], costs func(rows, cols int) ([]T, int)) {
	n := c.numberUpTo(600)
	row, _ := costs(1, n)
	row = row[:n]
	u, v := scalar[float64](&c.input, c.Rand), c.readOnlySlice(n)
	out := c.Out(3 + 17)
	if whole := n / 16 * 16; whole > 0 {
		// Unlike the functions below, LeastLanes and RelaxLanes return one result for each lane.
		if lanes, at := (*[16]float64)(out[3:]), &out[19]; c.numberUpTo(1) == 0 {
			price.LeastLanes(lanes, at, row[:whole], u, v)
		} else {
			price.RelaxLanes(lanes, at, c.mutableSlice(n, c.numberUpTo(5)), row[:whole], u, v)
		}
	}
	least, at, second := 0., 0, 0.
	switch c.numberUpTo(3) {
	case 0:
		least, at = price.Least(row, u, v)
	case 1:
		least, at = price.Relax(c.mutableSlice(n, c.numberUpTo(5)), row, u, v)
	case 2:
		least, at, second = price.Two(row, v)
	case 3:
		price.Lower(c.mutableSlice(n, c.numberUpTo(5)), row, u, v)
	}
	out[0], out[1], out[2] = least, float64(at), second
}

// FuzzCodes calls the kernels that sum table entries. Codes select the entries.

func FuzzCodes(f *testing.F) { fuzz(f, codesKernel) }

func codesKernel(c *call[float32]) {
	n, m := codes.Block*c.numberUpTo(4), c.numberUpTo(20)
	if c.numberUpTo(1) == 0 {
		codes.Sums8(c.Out(n), bytesOf(c.mutableSlice(n*m/4, c.numberUpTo(5))), c.readOnlySlice(256*m))
		return
	}
	dst := c.Out(n / 2)
	words := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(dst))), n)
	codes.Sums4(words, bytesOf(c.mutableSlice(n*m/4, c.numberUpTo(5))), bytesOf(c.readOnlySlice(8*m)))
}

func FuzzCompact(f *testing.F) { fuzz(f, compactKernel) }

// compactKernel calls the functions of package compact, which compare vectors of bytes or convert numbers.
func compactKernel(c *call[float32]) {
	words := c.numberUpTo(200)
	n := max(0, 4*words-c.numberUpTo(3))
	bytes := func() []byte {
		b := bytesOf(c.mutableSlice(words, c.numberUpTo(5)))
		return b[len(b)-n:]
	}
	signed := func() []int8 {
		b := bytes()
		return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(b))), len(b))
	}
	if c.numberUpTo(1) == 0 {
		defer asm.SwitchExtensions(0)()
	}
	out := c.Out(2)
	switch c.numberUpTo(4) {
	case 4:
		x, m := c.readOnlySlice(words), c.numberUpTo(1) // x may contain any numbers, such as NaN, infinities or subnormal numbers
		halves := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(c.mutableSlice(words, 0)))), words)
		codes := bytesOf(c.mutableSlice(words, 0))[:words]
		compact.NarrowFloat16(halves, x)
		compact.SignBits(codes[:(words+7)/8], x)
		if m == 1 {
			compact.NarrowBFloat16(halves, x)
			out[0] = compact.QuantizeInt8(unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(codes))), words), x)
		}
		numbers := c.Out(2 * words) // converts results to floating point, because the comparison treats all NaN bit patterns as equal
		for i, h := range halves {
			numbers[2*i], numbers[2*i+1] = float32(h), float32(codes[i])
		}
	case 3:
		halves := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(c.mutableSlice(words, c.numberUpTo(5))))), 2*words)
		compact.WidenFloat16(c.Out(n/2), halves[:n/2])
		compact.WidenBFloat16(c.Out(n/2), halves[:n/2])
	case 0:
		out[0] = float32(compact.DotInt8(signed(), signed())) // exact: below 2^24
	case 1:
		d := compact.SqEuclideanInt8(signed(), signed())
		out[0], out[1] = float32(d>>16), float32(d&0xffff)
	case 2:
		out[0] = float32(compact.Hamming(bytes(), bytes()))
		word := func() []uint64 { return []uint64{uint64(c.Rand.Uint64()), 7, 0, uint64(n)} }
		out[1] = float32(compact.HammingWords(word(), word()))
	}
}

// bytesOf returns the memory of s.
func bytesOf(s []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 4*len(s))
}

// laneKernel calls one of the functions of package lane.
func laneKernel[T num.Float](c *call[T]) {
	w := num.Lanes[T]()
	m, n, d := 4*c.numberUpTo(4), w*(1+c.numberUpTo(2)), c.numberUpTo(3)
	switch c.numberUpTo(5) {
	case 0:
		lane.Rows(m, n, c.Out(m*w), c.readOnlySlice(m*n*w), c.readOnlySlice(n*w))
	case 1:
		lane.Columns(m, n, c.mutableSlice(n*w, c.numberUpTo(5)), c.readOnlySlice(m*n*w), c.readOnlySlice(m*w))
	case 2:
		lane.SqEuclidean(m, n, d, c.Out(m*n*w), c.readOnlySlice(m*d*w), c.readOnlySlice(n*d*w))
	case 3:
		lane.Mul(m, c.Out(m*w), c.readOnlySlice(m*w), c.readOnlySlice(max(m, 1)*w), d == 0)
	case 4:
		var x [num.MaxLanes][]T
		ldx := n + d
		for p := range w {
			x[p] = c.readOnlySlice(m * ldx)
		}
		lane.Interleave(m, n-c.numberUpTo(w-1), c.mutableSlice(m*ldx*w, c.numberUpTo(5)), ldx, &x, ldx)
	default:
		lane.Divide(m, c.Out(m*w), c.readOnlySlice(m*w), c.readOnlySlice(m*w), c.readOnlySlice(w), c.readOnlySlice(w), c.mutableSlice(w, c.numberUpTo(5)), d == 0)
	}
}

// blockKernel calls one of the functions of package block. The number of columns is a multiple of the number of SIMD lanes.
func blockKernel[K, T num.Float](c *call[T], matrix func(m, n int) ([]K, int)) {
	m, n := c.randomSides()
	w := num.Lanes[T]()
	n = (n + w - 1) / w * w
	k, ldk := matrix(m, n)
	var v, a, u, q [block.Size][]T
	for s := range block.Size {
		v[s], a[s], u[s], q[s] = c.readOnlySlice(n), c.readOnlySlice(m), c.Out(m), c.mutableSlice(n, c.numberUpTo(5))
	}
	scratch := c.InOut(block.Scratch[T](), asmtest.Unit)
	clear(scratch)
	switch c.numberUpTo(2) {
	case 0:
		block.Rows(m, n, &u, k, ldk, &v, scratch)
	case 1:
		block.Columns(m, n, &q, k, ldk, &a)
	default:
		block.Iterate(m, n, k, ldk, &v, &a, &u, &q, scratch)
	}
}

func expKernel[T num.Float](c *call[T]) {
	n := c.numberUpTo(600)
	if c.numberUpTo(1) == 0 {
		exp.Exp(c.Out(n+c.numberUpTo(3)), c.readOnlySlice(n))
		return
	}
	x := c.mutableSlice(n, c.numberUpTo(5))
	exp.Exp(x, x)
}

func sumExpKernel[T num.Float](c *call[T]) {
	n, out := c.numberUpTo(600), c.Out(3)
	s := exp.Sum[T]{Top: scalar[T](&c.input, c.Rand)}
	switch c.numberUpTo(2) {
	case 0:
		exp.SumExp(&s, c.Out(n+c.numberUpTo(3)), c.readOnlySlice(n))
	case 1:
		x := c.mutableSlice(n, c.numberUpTo(5))
		exp.SumExp(&s, x, x)
	default:
		exp.SumExp(&s, nil, c.readOnlySlice(n))
	}
	out[0], out[1], out[2] = s.Top, s.Rest, s.Count
}

func exp2Kernel[T num.Float](c *call[T]) {
	n, factor := c.numberUpTo(600), scalar[T](&c.input, c.Rand)
	if c.numberUpTo(1) == 0 {
		exp.Exp2(c.Out(n+c.numberUpTo(3)), c.readOnlySlice(n), factor)
		return
	}
	x := c.mutableSlice(n, c.numberUpTo(5))
	exp.Exp2(x, x, factor)
}

// randomDims returns three dimensions. At most one of them is large.
func (c *call[T]) randomDims() (m, n, d int) {
	e := [3]int{c.numberUpTo(27), c.numberUpTo(67), c.numberUpTo(27)}
	switch c.numberUpTo(5) {
	case 0:
		e[0] = c.numberUpTo(255)
	case 1:
		e[1] = c.numberUpTo(255)
	case 2:
		e[2] = c.numberUpTo(600)
	}
	for e[0]*e[1]*e[2] > 20_000 { // limits the running time of the Go reference implementation
		for i := range e {
			e[i] -= e[i] / 4
		}
	}
	return e[0], e[1], e[2]
}

func sqEuclideanKernel[T num.Float](c *call[T]) {
	m, n, d := c.randomDims()
	add := c.numberUpTo(1) == 1
	dst, ldd := c.target(m, n)
	x, ldx := c.matrix(m, d)
	zt, ldz := c.matrix(d, n)
	distance.SqEuclidean(m, n, d, dst, ldd, x, ldx, zt, ldz, add)
}

// gramKernel computes squared distances from the rows of x to other points. These points are the columns of a matrix, the rows
// of a matrix, or some rows of x.
func gramKernel[T num.Float](c *call[T]) {
	m, n, d := c.randomDims()
	dst, ldd := c.target(m, n)
	x, ldx := c.matrix(m, d)
	switch c.numberUpTo(2) {
	case 0:
		zt, ldz := c.matrix(d, n)
		gram.SqEuclideanTrans(m, n, d, dst, ldd, x, ldx, zt, ldz)
	case 1:
		z, ldz := c.matrix(n, d)
		gram.SqEuclidean(m, n, d, dst, ldd, x, ldx, z, ldz)
	default: // distances of x to some rows of x
		from := c.numberUpTo(m) / gram.Unit * gram.Unit
		dst, ldd := c.target(m, m-from)
		var z gram.Columns[T]
		z.Reset(m, d, x, ldx)
		z.Pack(0, m)
		z.SqEuclidean(from, m, m-from, dst, ldd, x, ldx)
	}
}

func gibbsKernel[T num.Float](c *call[T]) {
	m, n, d := c.randomDims()
	factor := scalar[T](&c.input, c.Rand)
	k, ldk := c.target(m, n)
	var dist []T
	var ldd int
	if c.numberUpTo(1) == 1 {
		dist, ldd = c.target(m, n)
	}
	x, ldx := c.matrix(m, d)
	zt, ldz := c.matrix(d, n)
	distance.Gibbs(m, n, d, k, ldk, dist, ldd, x, ldx, zt, ldz, factor)
}

// randomSides returns the dimensions of a matrix with at least one column.
func (c *call[T]) randomSides() (m, n int) {
	m, n = c.numberUpTo(37), 1+c.numberUpTo(127)
	switch c.numberUpTo(5) {
	case 0:
		m = c.numberUpTo(400)
	case 1:
		n = 1 + c.numberUpTo(1200)
	}
	for m*n > 20_000 {
		m, n = m-m/4, n-n/4
	}
	return m, n
}

func scaleKernel[T num.Float](c *call[T]) {
	m, n := c.randomSides()
	k, ldk := c.matrix(m, n)
	pass.Iterate(m, n, k, ldk, c.readOnlySlice(n), c.readOnlySlice(m), c.Out(m), c.mutableSlice(n, c.numberUpTo(5)))
}

func adjointKernel[T num.Float](c *call[T]) {
	m, n := c.randomSides()
	k, ldk := c.matrix(m, n)
	if c.numberUpTo(1) == 0 {
		pass.Sweep(m, n, k, ldk, c.readOnlySlice(n), c.readOnlySlice(m), c.Out(m), c.mutableSlice(n, c.numberUpTo(5)))
		return
	}
	mat, ldm := c.matrix(m, n)
	pass.Begin(m, n, k, ldk, mat, ldm, c.readOnlySlice(n), c.readOnlySlice(m), c.readOnlySlice(m), c.Out(m), c.Out(m), c.mutableSlice(n, c.numberUpTo(5)))
}

func logScaleKernel[T num.Float](c *call[T]) {
	m, n := c.randomSides()
	factor := scalar[T](&c.input, c.Rand)
	op := c.numberUpTo(3)
	if op == 3 && c.numberUpTo(1) == 1 { // the destination may be the source matrix
		t, ldt := c.target(m, n)
		exp.LogPlan(m, n, t, ldt, t, ldt, factor, c.readOnlySlice(m), c.readOnlySlice(n))
		return
	}
	mat, ldm := c.matrix(m, n)
	switch op {
	case 0:
		exp.LogRows(m, n, mat, ldm, factor, c.readOnlySlice(n), c.readOnlySlice(m), c.Out(m), c.Out(m), c.mutableSlice(n, c.numberUpTo(5)), c.Out(n))
	case 1:
		exp.LogColumnMax(m, n, mat, ldm, factor, c.readOnlySlice(m), c.mutableSlice(n, c.numberUpTo(5)))
	case 2:
		exp.LogColumnSum(m, n, mat, ldm, factor, c.readOnlySlice(m), c.readOnlySlice(n), c.mutableSlice(n, c.numberUpTo(5)))
	case 3:
		t, ldt := c.target(m, n)
		exp.LogPlan(m, n, t, ldt, mat, ldm, factor, c.readOnlySlice(m), c.readOnlySlice(n))
	}
}

func adjCostKernel[T num.Float](c *call[T]) {
	m, n, r := c.randomDims()
	lambda := scalar[T](&c.input, c.Rand)
	alias := c.numberUpTo(2) == 0
	k, ldk := c.matrix(m, n)
	a, lda := c.matrix(m, r)
	b, ldb := c.matrix(r, n)
	u, v := c.readOnlySlice(m), c.readOnlySlice(n)
	g, ldg := c.target(m, n)
	mat, ldm := g, ldg // AdjCost may write its result g over its input mat
	if !alias {
		mat, ldm = c.matrix(m, n)
	}
	distance.AdjCost(m, n, r, g, ldg, k, ldk, mat, ldm, a, lda, b, ldb, u, v, lambda)
}

// panelKernel calls project.Pack for four rows, and project.Panel for groups of four rows.
func panelKernel[T num.Float](c *call[T]) {
	m, d, w := 4*c.numberUpTo(8), c.numberUpTo(80), project.PanelColumns[T]()
	x, ldx := c.matrix(4, d)
	to, step := c.target(d, 4)
	project.Pack(d, to, step, x, ldx, -2)
	var r, f, h []T
	if c.numberUpTo(1) == 1 {
		r = c.readOnlySlice(m)
	}
	if c.numberUpTo(1) == 1 {
		f, h = c.readOnlySlice(m), c.mutableSlice(w, c.numberUpTo(5))
	}
	a, b, s := c.readOnlySlice(m*d), c.readOnlySlice(d*w), c.readOnlySlice(w)
	y, ldy := c.target(m, w)
	project.Panel(m, d, y, ldy, a, b, r, s, f, h)
}

func normsKernel[T num.Float](c *call[T]) {
	rows, d := project.NormRows[T](), c.numberUpTo(80)
	x, ldx := c.matrix(rows, d)
	project.Norms(d, c.mutableSlice(rows, c.numberUpTo(5)), x, ldx, c.numberUpTo(1) == 1)
}

func projectKernel[T num.Float](c *call[T]) {
	m, p, d := c.randomDims()
	add := c.numberUpTo(1) == 1
	x, ldx := c.matrix(m, d)
	if c.numberUpTo(1) == 0 {
		b, ldb := c.matrix(d, p)
		y, ldy := c.target(m, p)
		project.Mul(m, p, d, y, ldy, x, ldx, b, ldb, add)
		return
	}
	y, ldy := c.matrix(m, p)
	g, ldg := c.target(p, d)
	project.TransMul(m, p, d, g, ldg, x, ldx, y, ldy, add)
}

func matVecKernel[T num.Float](c *call[T]) {
	m, n := c.randomSides()
	k, ldk := c.matrix(m, n)
	if c.numberUpTo(1) == 0 {
		pass.Rows(m, n, c.Out(m), k, ldk, c.readOnlySlice(n))
		return
	}
	pass.Columns(m, n, c.mutableSlice(n, c.numberUpTo(5)), k, ldk, c.readOnlySlice(m))
}

func vecKernel[T num.Float](c *call[T]) {
	n := c.numberUpTo(600)
	switch c.numberUpTo(3) {
	case 0:
		pass.Divide(c.Out(n), c.readOnlySlice(n), c.readOnlySlice(n))
	case 1:
		x := c.mutableSlice(n, c.numberUpTo(5))
		pass.Divide(x, x, c.readOnlySlice(n))
	case 2:
		y := c.mutableSlice(n, c.numberUpTo(5))
		pass.Divide(y, c.readOnlySlice(n), y)
	case 3:
		lo, hi := scalar[T](&c.input, c.Rand), scalar[T](&c.input, c.Rand)
		count := pass.CountOutside(c.readOnlySlice(n), lo, hi)
		c.Out(1)[0] = T(count)
	}
}

// pairKernel calls the functions that sum over one or two vectors.
func pairKernel[T num.Float](c *call[T]) {
	n := c.numberUpTo(600)
	x, y, out := c.readOnlySlice(n), c.readOnlySlice(n), c.Out(6)
	out[4], out[5] = vecmath.CosineSimilarity(x, y), vecmath.Norm(x)
	vecmath.Normalize(c.Out(n), x)
	out[0], out[1], out[2], out[3] = pair.Dot(x, y), pair.SqEuclidean(x, y), pair.Manhattan(x, y), pair.Sum(x)
	w := n / pair.Lanes[T]() * pair.Lanes[T]()
	pair.AddLanes(pair.Op(c.numberUpTo(4)), (*[pair.MaxLanes]T)(c.mutableSlice(pair.MaxLanes, c.numberUpTo(5))), x[:w], y[:w])
}

// vectorKernel calls one of the functions of package vector.
func vectorKernel[T num.Float](c *call[T]) {
	n := c.numberUpTo(600)
	f := [...]func(dst, x []T){
		vector.Log[T], vector.Log2[T],
		func(dst, x []T) { vector.Affine(dst, x, scalar[T](&c.input, c.Rand), scalar[T](&c.input, c.Rand)) },
		func(dst, x []T) { vector.Shift(dst, x, scalar[T](&c.input, c.Rand), scalar[T](&c.input, c.Rand)) },
		func(dst, x []T) {
			c.Out(1)[0] = vector.Max(x)
		},
	}[c.numberUpTo(4)]
	if c.numberUpTo(1) == 0 {
		f(c.Out(n+c.numberUpTo(3)), c.readOnlySlice(n))
		return
	}
	x := c.mutableSlice(n, c.numberUpTo(5))
	f(x, x)
}

func scaleMixed(c *call[float64]) {
	m, n := c.randomSides()
	k, ldk := c.narrowMatrix(m, n)
	pass.Iterate(m, n, k, ldk, c.readOnlySlice(n), c.readOnlySlice(m), c.Out(m), c.mutableSlice(n, c.numberUpTo(5)))
}

func adjointMixed(c *call[float64]) {
	m, n := c.randomSides()
	k, ldk := c.narrowMatrix(m, n)
	pass.Sweep(m, n, k, ldk, c.readOnlySlice(n), c.readOnlySlice(m), c.Out(m), c.mutableSlice(n, c.numberUpTo(5)))
}

func matVecMixed(c *call[float64]) {
	m, n := c.randomSides()
	k, ldk := c.narrowMatrix(m, n)
	if c.numberUpTo(1) == 0 {
		pass.Rows(m, n, c.Out(m), k, ldk, c.readOnlySlice(n))
		return
	}
	pass.Columns(m, n, c.mutableSlice(n, c.numberUpTo(5)), k, ldk, c.readOnlySlice(m))
}

func vecMixed(c *call[float64]) {
	n := c.numberUpTo(600)
	if c.numberUpTo(1) == 0 {
		pass.Narrow(c.Narrow().Out(n), c.readOnlySlice(n))
		return
	}
	x, _ := c.narrowMatrix(1, n)
	pass.Widen(c.Out(n), x)
}
