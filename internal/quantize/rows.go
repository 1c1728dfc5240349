package quantize

import (
	"context"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/asm/codes"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/nearest"
)

// Rows contains encoded rows. It is immutable and safe for concurrent use. Many rows with 8-bit
// codes may also have a filter that makes searches faster. The filter takes half as much memory as
// the codes.
type Rows struct {
	*Quantizer
	n      int
	packed []byte // codes in the block layout of package codes
	filter filter
}

// Pack returns Rows with a copy of the codes c (n × Parts, row-major, each below 2^Bits). It panics
// if len(c) is not a multiple of Parts, or if a code is too large.
func (q *Quantizer) Pack(c []byte) *Rows {
	if len(c)%q.parts != 0 {
		panic("quantize: a row of codes is not whole")
	}
	r := &Rows{Quantizer: q, n: len(c) / q.parts}
	r.packed = make([]byte, blockCount(r.n)*r.blockBytes())
	for i := range r.n {
		for j, v := range c[i*q.parts:][:q.parts] {
			at, shift := r.codePosition(i, j)
			if int(v)>>q.bits != 0 {
				panic("quantize: a code has too many bits")
			}
			r.packed[at] |= v << shift
		}
	}
	if r.filter = newFilter(r); r.bits == 8 && r.filter.parts > 0 && !r.filterPays() {
		r.filter = filter{}
	}
	return r
}

// blockCodes returns the number of codes for each row of a block. The number of 4-bit codes is
// rounded up to an even number.
func (q *Quantizer) blockCodes() int {
	if q.bits == 4 {
		return q.parts + q.parts%2
	}
	return q.parts
}

func (q *Quantizer) blockBytes() int { return codes.Block * q.blockCodes() * q.bits / 8 }

// codePosition returns the position of the code of part j of row i: the index of a byte in packed,
// and the index of the first bit in the byte.
func (q *Quantizer) codePosition(i, j int) (at, shift int) {
	const half = codes.Block / 2
	block, r := i/codes.Block*q.blockBytes(), i%codes.Block
	if q.bits == 8 {
		return block + j*codes.Block + r, 0
	}
	return block + j*half + r%half, r / half * 4
}

// Len returns the number of rows.
func (r *Rows) Len() int { return r.n }

// Code returns the code of part j of row i.
func (r *Rows) Code(i, j int) byte {
	at, shift := r.codePosition(i, j)
	return r.packed[at] >> shift & byte(1<<r.bits-1)
}

// Row sets dst (length Dim) to the decoded row i.
func (r *Rows) Row(dst []float64, i int) {
	rotated := dst
	if !r.rotation.IsEmpty() {
		rotated = make([]float64, r.Dim())
	}
	for j := range r.parts {
		c := int(r.Code(i, j))
		for k, end := r.partRange(j); k < end; k++ {
			rotated[k] = float64(r.codebook.At(k, c))
		}
	}
	if r.rotation.IsEmpty() {
		return
	}
	clear(dst)
	for k, y := range rotated {
		for l, x := range r.rotation.Row(k) {
			dst[l] = num.FMA(y, x, dst[l])
		}
	}
}

// Scratch is the memory of one searching goroutine. The zero value is ready to use. A Scratch may
// be used for different Rows. After warm-up it does not allocate.
type Scratch struct {
	query64  []float64 // the query, followed by the rotated query
	query32  []float32
	tables   []float32
	sums     []float32 // for 8-bit codes
	bounds   lowerBounds
	probeSet nearest.Set[float32]
}

const (
	// chunkRows is the number of rows whose distances are computed at a time, a multiple of
	// codes.Block.
	chunkRows = 1 << 10
	// probeBlocks is the number of blocks that probeDistance examines.
	probeBlocks = 32
	// Until a bound of the distances is known, distances are computed for at most initialRows rows
	// at a time.
	initialRows = 1 << 8
)

// Nearest searches r for the rows nearest to the query y (length Dim). It calls set.Offer with
// every row that can be among the nearest rows, and with the distance of the row. It checks ctx at
// least every 1024 rows. If ctx ends, it returns context.Cause(ctx).
func Nearest[T num.Float](ctx context.Context, set *nearest.Set[T], r *Rows, y []T, s *Scratch) error {
	fillTables(s, r, y)
	b := &s.bounds
	use, scaled := b.setTables(r, s.tables), false
	if use {
		b.probeBound = probeDistance(r, s, set.Room())
	}
	// If the filter skips too few rows of a chunk, the search pauses the filter. The variable pause
	// counts the remaining chunks of the pause, and last is the length of the latest pause.
	pause, last := 0, 0
	for i, n := 0, 0; i < r.n; i += n {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if bound := distanceBound(set, b); use && !scaled && bound < math.Inf(1) {
			b.setStep(bound)
			scaled = true
		}
		if n = min(chunkRows, r.n-i); use && !scaled {
			n = min(initialRows, n)
		}
		switch {
		case !scaled:
		case pause > 0:
			pause--
		case offerCandidates(set, r, s, i, n):
			last = 0
			continue
		default:
			last = 2*last + 1
			pause = last
		}
		offerAll(set, r, s, i, n)
	}
	return nil
}

// distanceBound returns an upper bound of the distances of the nearest rows.
func distanceBound[T num.Float](set *nearest.Set[T], b *lowerBounds) float64 {
	return min(float64(set.Bound()), b.probeBound)
}

// probeDistance examines blocks at equal intervals. It returns an upper bound for the k-th smallest
// distance between the query and a row, where k = rows, or +Inf.
func probeDistance(r *Rows, s *Scratch, rows int) float64 {
	b, all := &s.bounds, r.n/codes.Block
	some := min(probeBlocks, all/4)
	if rows <= 0 || 8*rows > some*codes.Block {
		return math.Inf(1)
	}
	b.setStep(math.Inf(1))
	b.growSteps(some)
	size := b.filter.blockBytes()
	for i := range some {
		codes.Sums4(b.steps[i*codes.Block:][:codes.Block], b.filter.packed[i*all/some*size:][:size], b.coarse)
	}
	n := some * codes.Block
	b.selectCandidates(n, b.findLimit(n, 2*rows), n)
	s.probeSet.Reset(rows)
	for len(b.candidates) > 0 {
		var four [4]int
		count := min(len(four), len(b.candidates))
		for k, at := range b.candidates[:count] {
			four[k] = int(at)/codes.Block*all/some*codes.Block + int(at)%codes.Block
		}
		offerFour(&s.probeSet, r, s, four, count)
		b.candidates = b.candidates[count:]
	}
	return float64(s.probeSet.Bound())
}

// fillTables computes the tables of a query: the squared distances between each part of the query
// and the vectors of its codebook.
func fillTables[T num.Float](s *Scratch, r *Rows, y []T) {
	dim, size := r.Dim(), 1<<r.bits
	if len(y) != dim {
		panic("quantize: query and rows of different length")
	}
	s.query64 = slices.Grow(s.query64[:0], 2*dim)[:2*dim]
	s.query32 = slices.Grow(s.query32[:0], dim)[:dim]
	s.tables = slices.Grow(s.tables[:0], r.parts*size)[:r.parts*size]
	for k, x := range y {
		s.query64[k] = float64(x)
	}
	turned := s.query64[:dim]
	if !r.rotation.IsEmpty() {
		turned = s.query64[dim:]
		matrix.MulVec(turned, r.rotation, s.query64[:dim])
	}
	pass.Narrow(s.query32, turned)
	if r.bits == 4 && r.parts == dim {
		for k, x := range s.query32 {
			t := (*[16]float32)(s.tables[16*k:])
			for c, v := range (*[16]float32)(r.codebook.Row(k)) {
				t[c] = (x - v) * (x - v) // same result as SqEuclideanTrans, without the cost of a call
			}
		}
		return
	}
	for j := range r.parts {
		lo, hi := r.partRange(j)
		matrix.SqEuclideanTrans(matrix.OfRow(s.tables[j*size:][:size]), matrix.OfRow(s.query32[lo:hi]), r.codebook.RowRange(lo, hi))
	}
}

// offerAll computes the distances of rows i … i+n−1 and offers the rows to the set.
func offerAll[T num.Float](set *nearest.Set[T], r *Rows, s *Scratch, i, n int) {
	if r.bits == 4 {
		for k := i; k < i+n; k += 4 {
			offerFour(set, r, s, [4]int{k, k + 1, k + 2, k + 3}, min(4, i+n-k))
		}
		return
	}
	padded := blockCount(n) * codes.Block
	s.sums = slices.Grow(s.sums[:0], padded)[:padded]
	codes.Sums8(s.sums, r.packed[i*r.parts:][:padded*r.parts], s.tables)
	// The set accepts few rows, so most groups of four rows are skipped. Rounding the bound to float32
	// never skips an acceptable row, because the distances are also float32.
	bound := float32(set.Bound())
	for k := 0; k < n; k += 4 {
		d := (*[4]float32)(s.sums[k:])
		if d[0] > bound && d[1] > bound && d[2] > bound && d[3] > bound {
			continue
		}
		for j, d := range d {
			if k+j < n && !(d > bound) && set.Offer(T(d), i+k+j) {
				bound = float32(set.Bound())
			}
		}
	}
}

// offerCandidates offers rows to the nearest-neighbor set: those of the rows i … i+n−1 whose lower
// bounds are small enough. If there are so many such rows that offerAll is faster, offerCandidates
// returns false and offers no row.
func offerCandidates[T num.Float](set *nearest.Set[T], r *Rows, s *Scratch, i, n int) bool {
	b, most := &s.bounds, n
	if r.bits == 8 {
		most = n / candidateDivisor
	}
	b.sumSteps(i, n)
	limit := b.stepLimit(distanceBound(set, b))
	if !b.selectCandidates(n, limit, most) {
		return false
	}
	var rows [4]int
	count := 0
	for _, k := range b.candidates {
		if b.steps[k] > limit {
			continue
		}
		rows[count] = i + int(k)
		if count++; count == len(rows) {
			offerFour(set, r, s, rows, count)
			limit, count = b.stepLimit(distanceBound(set, b)), 0
		}
	}
	offerFour(set, r, s, rows, count)
	return true
}

// offerFour offers rows[:count] to the set, with the distances that codes.Sums8 would compute. For
// speed, it computes four distances at once. The remaining rows are ignored and may be out of range.
func offerFour[T num.Float](set *nearest.Set[T], r *Rows, s *Scratch, rows [4]int, count int) {
	if count == 0 {
		return
	}
	var at [4]int
	var shift [4]uint8
	for k := range rows {
		from, by := r.codePosition(rows[min(k, count-1)], 0)
		at[k], shift[k] = from, uint8(by&7)
	}
	var d0, d1, d2, d3 float32
	p0, p1, p2, p3 := r.packed[at[0]:], r.packed[at[1]:], r.packed[at[2]:], r.packed[at[3]:]
	if r.bits == 8 {
		for j, tables := 0, s.tables; len(tables) >= 256; j, tables = j+codes.Block, tables[256:] {
			t := (*[256]float32)(tables)
			d0, d1, d2, d3 = d0+t[p0[j]], d1+t[p1[j]], d2+t[p2[j]], d3+t[p3[j]]
		}
	} else {
		s0, s1, s2, s3 := shift[0]&7, shift[1]&7, shift[2]&7, shift[3]&7
		for j, tables := 0, s.tables; len(tables) >= 16; j, tables = j+codes.Block/2, tables[16:] {
			t := (*[16]float32)(tables)
			d0, d1 = d0+t[p0[j]>>s0&15], d1+t[p1[j]>>s1&15]
			d2, d3 = d2+t[p2[j]>>s2&15], d3+t[p3[j]>>s3&15]
		}
	}
	for k, d := range [4]float32{d0, d1, d2, d3} {
		if k < count {
			set.Offer(T(d), rows[k])
		}
	}
}

// blockCount returns the number of blocks that n rows take.
func blockCount(n int) int { return (n + codes.Block - 1) / codes.Block }
