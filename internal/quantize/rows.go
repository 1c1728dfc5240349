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
// take half as much memory again, for a filter of searches.
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
	r.filter = newFilter(r)
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
}

const (
	// chunk is the number of rows whose distances are computed at a time: a multiple of codes.Block.
	chunk = 1 << 10
	// first is the number of rows at the beginning that show how near the nearest rows are.
	first = 1 << 8
)

// Nearest offers the rows of r that can be among the nearest to y (length Dim) to set, with their
// distances. The context is asked every 1024 rows, and its cause is the error.
func Nearest[T num.Float](ctx context.Context, set *nearest.Set[T], r *Rows, y []T, s *Scratch) error {
	fill(s, r, y)
	b := &s.bounds
	use, scaled := b.start(r, s.tables), false
	pause, last := 0, 0 // chunks that are not filtered, since there was too little to pass over
	for i, n := 0, first; i < r.n; i, n = i+n, chunk {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n = min(n, r.n-i)
		known := float64(set.Bound()) < math.Inf(1)
		if use && !scaled && (known || r.bits == 4) {
			b.scale(float64(set.Bound()))
			scaled = known
		}
		switch {
		case !use || r.bits == 8 && !known:
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
	for j := range r.parts {
		lo, hi := r.part(j)
		matrix.SqEuclideanTrans(matrix.OfRow(s.tables[j*size:][:size]), matrix.OfRow(s.query[lo:hi]), r.codebook.RowRange(lo, hi))
	}
}

// offerAll offers n rows from row i on, at their distances.
func offerAll[T num.Float](set *nearest.Set[T], r *Rows, s *Scratch, i, n int) {
	if r.bits == 4 {
		for k := i; k < i+n; k++ {
			set.Offer(T(s.sum(r, k)), k)
		}
		return
	}
	padded := blocks(n) * codes.Block
	s.sums = slices.Grow(s.sums[:0], padded)[:padded]
	codes.Sums8(s.sums, r.packed[i*r.parts:][:padded*r.parts], s.tables)
	// Hardly any enters, so that the loop only compares.
	bound := set.Bound()
	for k, d := range s.sums[:n] {
		if !(T(d) > bound) && set.Offer(T(d), i+k) {
			bound = set.Bound()
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
	limit := b.limit(float64(set.Bound()))
	if !b.choose(n, limit, most) {
		return false
	}
	for _, k := range b.near {
		if b.steps[k] <= limit {
			at := i + int(k)
			if set.Offer(T(s.sum(r, at)), at) {
				limit = b.limit(float64(set.Bound()))
			}
		}
	}
	return true
}

// sum is the distance of row i, as codes.Sums8 adds.
func (s *Scratch) sum(r *Rows, i int) float32 {
	at, shift := r.place(i, 0)
	var d float32
	if r.bits == 8 {
		tables := s.tables
		for row := r.packed[at:]; len(tables) >= 256; tables = tables[256:] {
			d += (*[256]float32)(tables)[row[0]]
			row = row[min(codes.Block, len(row)):]
		}
		return d
	}
	for j := range r.parts {
		d += s.tables[j*16+int(r.packed[at+j*codes.Block/2]>>shift&15)]
	}
	return d
}

// blocks is the number of blocks of n rows.
func blocks(n int) int { return (n + codes.Block - 1) / codes.Block }
