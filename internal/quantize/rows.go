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

// Rows are stored rows. They do not change, and any number of goroutines may use them.
type Rows struct {
	*Quantizer
	n      int
	packed []byte // in the blocks of package codes
}

// Pack returns the rows whose codes are codes (n × Parts, by rows, each below 2^Bits), which are
// copied. It panics if their number is no multiple of Parts, or if a code has more bits.
func (q *Quantizer) Pack(c []byte) *Rows {
	if len(c)%q.parts != 0 {
		panic("quantize: a row of codes is not whole")
	}
	r := &Rows{Quantizer: q, n: len(c) / q.parts}
	r.packed = make([]byte, (r.n+codes.Block-1)/codes.Block*r.blockBytes())
	for i := range r.n {
		for j, v := range c[i*q.parts:][:q.parts] {
			at, shift := r.place(i, j)
			if int(v)>>q.bits != 0 {
				panic("quantize: a code has too many bits")
			}
			r.packed[at] |= v << shift
		}
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
	// For 4-bit codes: the entries of the tables above the least of each table, in steps, rounded
	// down; the sum of the least entries; the length of a step; sums of steps.
	coarse     []byte
	base, step float64
	steps      []uint16
}

// chunk is the number of rows whose distances are computed at a time: a multiple of codes.Block.
const chunk = 1 << 10

// Nearest offers the rows of r that can be among the nearest to y (length Dim) to set, with their
// distances. The context is asked every 1024 rows, and its cause is the error.
func Nearest[T num.Float](ctx context.Context, set *nearest.Set[T], r *Rows, y []T, s *Scratch) error {
	fill(s, r, y)
	coarse := r.bits == 4 && s.refine(r.Quantizer)
	for first := 0; first < r.n; first += chunk {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n := min(chunk, r.n-first)
		padded := (n + codes.Block - 1) / codes.Block * codes.Block
		packed := r.packed[first/codes.Block*r.blockBytes():][:padded/codes.Block*r.blockBytes()]
		switch {
		case coarse:
			s.steps = slices.Grow(s.steps[:0], padded)[:padded]
			codes.Sums4(s.steps, packed, s.coarse)
			offerCoarse(set, r, s, first, n)
		case r.bits == 4:
			for i := first; i < first+n; i++ {
				set.Offer(T(s.sum(r, i)), i)
			}
		default:
			s.sums = slices.Grow(s.sums[:0], padded)[:padded]
			codes.Sums8(s.sums, packed, s.tables)
			offer(set, s.sums[:n], first)
		}
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

// offer offers rows from first on to set. Hardly any enters, so that the loop only compares.
func offer[T num.Float](set *nearest.Set[T], distances []float32, first int) {
	bound := set.Bound()
	for i, d := range distances {
		if !(T(d) > bound) && set.Offer(T(d), first+i) {
			bound = set.Bound()
		}
	}
}

// sum is the distance of row i, as codes.Sums8 adds.
func (s *Scratch) sum(r *Rows, i int) float32 {
	at, shift := r.place(i, 0)
	var d float32
	for j := range r.parts {
		d += s.tables[j*16+int(r.packed[at+j*codes.Block/2]>>shift&15)]
	}
	return d
}

// refine makes coarse tables of those of a query. The widest table has 255 steps. It reports
// false if entries are not finite or all equal. base + step·S, with S the sum of coarse entries
// of a row, is no larger than the exact sum of the entries.
func (s *Scratch) refine(q *Quantizer) bool {
	s.base, s.step = 0, 0
	for j := range q.parts {
		table := s.tables[16*j:][:16]
		low, high := float64(slices.Min(table)), float64(slices.Max(table))
		s.base, s.step = s.base+low, max(s.step, high-low)
	}
	s.step *= (1 + 0x1p-40) / 255 // a margin for the rounding of quotients
	if !(s.step > 0) || math.IsInf(s.step, 1) {
		return false
	}
	s.coarse = slices.Grow(s.coarse[:0], 16*q.groups())[:16*q.groups()]
	clear(s.coarse)
	for j := range q.parts {
		table := s.tables[16*j:][:16]
		low := slices.Min(table)
		for c, d := range table {
			s.coarse[16*j+c] = byte(min(255, (float64(d)-float64(low))/s.step))
		}
	}
	return true
}

// offerCoarse offers those of n rows from first on that can be near enough by their sums of steps,
// at their exact distances.
//
// A sum of m ≤ 256 entries in float32 is at least 1 − γ_256 > 1 − 2⁻¹⁵ times the exact sum. A row
// whose sum of steps S has (base + step·S)·(1 − 2⁻¹⁵) > bound is therefore not near enough.
func offerCoarse[T num.Float](set *nearest.Set[T], r *Rows, s *Scratch, first, n int) {
	limit := s.within(float64(set.Bound()))
	for i, steps := range s.steps[:n] {
		if steps <= limit && set.Offer(T(s.sum(r, first+i)), first+i) {
			limit = s.within(float64(set.Bound()))
		}
	}
}

// within returns the largest number of steps of a row that can be within bound.
func (s *Scratch) within(bound float64) uint16 {
	steps := (bound/(1-0x1p-15)-s.base)/s.step + 1
	switch {
	case !(steps < math.MaxUint16):
		return math.MaxUint16
	case steps < 0:
		return 0
	}
	return uint16(steps)
}
