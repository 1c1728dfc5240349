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

// Rows are stored rows. They do not change, and any number of goroutines may use them. Many rows with codes of 8 bits
// take half as much memory again, for a filter of searches, unless it would save no time.
type Rows struct {
	*Quantizer
	n      int
	packed []byte // in the blocks of package codes
	filter filter
}

// Pack returns the rows whose codes are codes (n × Parts, by rows, each below 2^Bits), which are
// copied. It panics if their number is no multiple of Parts, or if a code has more bits.
func (q *Quantizer) Pack(c []byte) *Rows {
	if len(c)%q.parts != 0 {
		panic("quantize: a row of codes is not whole")
	}
	r := &Rows{Quantizer: q, n: len(c) / q.parts}
	r.packed = make([]byte, blocks(r.n)*r.blockBytes())
	for i := range r.n {
		for j, v := range c[i*q.parts:][:q.parts] {
			at, shift := r.place(i, j)
			if int(v)>>q.bits != 0 {
				panic("quantize: a code has too many bits")
			}
			r.packed[at] |= v << shift
		}
	}
	if r.filter = newFilter(r); r.bits == 8 && r.filter.parts > 0 && !r.pays() {
		r.filter = filter{}
	}
	return r
}

// groups is the number of groups of codes in a block: of 4 bits an even number.
func (q *Quantizer) groups() int {
	if q.bits == 4 {
		return q.parts + q.parts%2
	}
	return q.parts
}

func (q *Quantizer) blockBytes() int { return codes.Block * q.groups() * q.bits / 8 }

// place says where the code of part j of row i is, and in which bit it begins.
func (q *Quantizer) place(i, j int) (at, shift int) {
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
	at, shift := r.place(i, j)
	return r.packed[at] >> shift & byte(1<<r.bits-1)
}

// Row sets dst (length Dim) to what row i stands for.
func (r *Rows) Row(dst []float64, i int) {
	rotated := dst
	if !r.rotation.IsEmpty() {
		rotated = make([]float64, r.Dim())
	}
	for j := range r.parts {
		c := int(r.Code(i, j))
		for k, end := r.part(j); k < end; k++ {
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

// Scratch is the memory of one goroutine that searches. The zero value is ready. It grows as it is
// used, also from one set of rows to another, and then allocates nothing.
type Scratch struct {
	wide   []float64 // the query, and the rotated query
	query  []float32
	tables []float32
	sums   []float32 // of 8-bit codes
	bounds bounds
	probe  nearest.Set[float32]
}

const (
	// chunk is the number of rows whose distances are computed at a time: a multiple of codes.Block.
	chunk = 1 << 10
	// probed is the number of blocks that show how near the nearest rows are.
	probed = 32
	// first is the number of rows whose distances are computed at a time until that is known.
	first = 1 << 8
)

// Nearest offers the rows of r that can be among the nearest to y (length Dim) to set, with their
// distances. It checks the context every 1024 rows and returns context.Cause(ctx).
func Nearest[T num.Float](ctx context.Context, set *nearest.Set[T], r *Rows, y []T, s *Scratch) error {
	fill(s, r, y)
	b := &s.bounds
	use, scaled := b.start(r, s.tables), false
	if use {
		b.within = probe(r, s, set.Room())
	}
	pause, last := 0, 0 // chunks that are not filtered, since there was too little to pass over
	for i, n := 0, 0; i < r.n; i += n {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if bound := nearEnough(set, b); use && !scaled && bound < math.Inf(1) {
			b.scale(bound)
			scaled = true
		}
		if n = min(chunk, r.n-i); use && !scaled {
			n = min(first, n)
		}
		switch {
		case !scaled:
		case pause > 0:
			pause--
		case offerNear(set, r, s, i, n):
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

// nearEnough returns a distance that no row of the nearest exceeds.
func nearEnough[T num.Float](set *nearest.Set[T], b *bounds) float64 {
	return min(float64(set.Bound()), b.within)
}

// probe looks at blocks of rows at equal intervals, and returns a distance that at least so many rows do not exceed, or +Inf.
func probe(r *Rows, s *Scratch, rows int) float64 {
	b, all := &s.bounds, r.n/codes.Block
	some := min(probed, all/4)
	if rows <= 0 || 8*rows > some*codes.Block {
		return math.Inf(1)
	}
	b.scale(math.Inf(1))
	b.resize(some)
	size := b.f.blockBytes()
	for i := range some {
		codes.Sums4(b.steps[i*codes.Block:][:codes.Block], b.f.packed[i*all/some*size:][:size], b.coarse)
	}
	n := some * codes.Block
	b.choose(n, b.limitOf(n, 2*rows), n)
	s.probe.Reset(rows)
	for len(b.near) > 0 {
		var four [4]int
		count := min(len(four), len(b.near))
		for k, at := range b.near[:count] {
			four[k] = int(at)/codes.Block*all/some*codes.Block + int(at)%codes.Block
		}
		offerFour(&s.probe, r, s, four, count)
		b.near = b.near[count:]
	}
	return float64(s.probe.Bound())
}

// fill computes the tables of a query: the squared distances of its parts from the codebooks.
func fill[T num.Float](s *Scratch, r *Rows, y []T) {
	dim, size := r.Dim(), 1<<r.bits
	if len(y) != dim {
		panic("quantize: query and rows of different length")
	}
	s.wide = slices.Grow(s.wide[:0], 2*dim)[:2*dim]
	s.query = slices.Grow(s.query[:0], dim)[:dim]
	s.tables = slices.Grow(s.tables[:0], r.parts*size)[:r.parts*size]
	for k, x := range y {
		s.wide[k] = float64(x)
	}
	turned := s.wide[:dim]
	if !r.rotation.IsEmpty() {
		turned = s.wide[dim:]
		matrix.MulVec(turned, r.rotation, s.wide[:dim])
	}
	pass.Narrow(s.query, turned)
	if r.bits == 4 && r.parts == dim {
		for k, x := range s.query {
			t := (*[16]float32)(s.tables[16*k:])
			for c, v := range (*[16]float32)(r.codebook.Row(k)) {
				t[c] = (x - v) * (x - v) // as SqEuclideanTrans has it, in less time than its call takes
			}
		}
		return
	}
	for j := range r.parts {
		lo, hi := r.part(j)
		matrix.SqEuclideanTrans(matrix.OfRow(s.tables[j*size:][:size]), matrix.OfRow(s.query[lo:hi]), r.codebook.RowRange(lo, hi))
	}
}

// offerAll offers n rows from row i on, at their distances.
func offerAll[T num.Float](set *nearest.Set[T], r *Rows, s *Scratch, i, n int) {
	if r.bits == 4 {
		for k := i; k < i+n; k += 4 {
			offerFour(set, r, s, [4]int{k, k + 1, k + 2, k + 3}, min(4, i+n-k))
		}
		return
	}
	padded := blocks(n) * codes.Block
	s.sums = slices.Grow(s.sums[:0], padded)[:padded]
	codes.Sums8(s.sums, r.packed[i*r.parts:][:padded*r.parts], s.tables)
	// Hardly any enters, so that the loop only compares. No float32 is between a bound and what it is rounded to.
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

// offerNear offers those of n rows from row i on that can be near enough by their lower bounds, at their
// distances. It reports false, and offers none, if they are so many that offerAll takes less time.
func offerNear[T num.Float](set *nearest.Set[T], r *Rows, s *Scratch, i, n int) bool {
	b, most := &s.bounds, n
	if r.bits == 8 {
		most = n / mostShare
	}
	b.sums(i, n)
	limit := b.limit(nearEnough(set, b))
	if !b.choose(n, limit, most) {
		return false
	}
	var rows [4]int
	count := 0
	for _, k := range b.near {
		if b.steps[k] > limit {
			continue
		}
		rows[count] = i + int(k)
		if count++; count == len(rows) {
			offerFour(set, r, s, rows, count)
			limit, count = b.limit(nearEnough(set, b)), 0
		}
	}
	offerFour(set, r, s, rows, count)
	return true
}

// offerFour offers the first of four rows, at the distances that codes.Sums8 adds. The four sums do not wait for each other. The others may be
// any rows, or beyond the last.
func offerFour[T num.Float](set *nearest.Set[T], r *Rows, s *Scratch, rows [4]int, count int) {
	if count == 0 {
		return
	}
	var at [4]int
	var shift [4]uint8
	for k := range rows {
		from, by := r.place(rows[min(k, count-1)], 0)
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

// blocks is the number of blocks of n rows.
func blocks(n int) int { return (n + codes.Block - 1) / codes.Block }
