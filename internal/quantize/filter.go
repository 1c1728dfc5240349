package quantize

import (
	"context"
	"math"
	"slices"
	"unsafe"

	"github.com/gomonge/monge/internal/asm/codes"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/nearest"
)

// A filter has what lower bounds of distances are computed from: for every row and part, in 4 bits, the
// group of its code. Codes of 4 bits are groups of one. The 256 vectors of a codebook of 8 bits are divided into 16
// groups of 16 that are near to each other.
type filter struct {
	parts  int    // of the rows, the first ones; 0 if there is no filter
	packed []byte // the groups of all rows, in the blocks of codes.Sums4
	member []byte // 256 for each part: the codes of group 0, of group 1, … Empty for codes of 4 bits
}

const (
	groups = 16
	// filterRows is the least number of rows of 8-bit codes for which a filter is made.
	filterRows = 2 << 10
	// mostShare says that rows are summed one by one if they are fewer than one of so many.
	mostShare = 8
	// passing says that a filter is dropped if more than one of so many rows pass.
	passing = 10
)

// newFilter returns the filter of r.
func newFilter(r *Rows) filter {
	if r.bits == 4 {
		return filter{parts: r.parts, packed: r.packed}
	}
	if r.n < filterRows {
		return filter{}
	}
	f := filter{parts: min(r.parts, codes.Most4)}
	f.member = make([]byte, 256*f.parts)
	groupOf := make([]byte, len(f.member))
	for j := range f.parts {
		lo, hi := r.part(j)
		book, member := r.codebook.RowRange(lo, hi), f.member[256*j:][:256]
		group(member, book)
		for i, c := range member {
			groupOf[256*j+int(c)] = byte(i / groups)
		}
	}
	f.packed = make([]byte, blocks(r.n)*f.blockBytes())
	for i := range r.n {
		block, at, shift := i/codes.Block*f.blockBytes(), i%(codes.Block/2), i%codes.Block/(codes.Block/2)*4
		for j := range f.parts {
			f.packed[block+j*codes.Block/2+at] |= groupOf[256*j+int(r.Code(i, j))] << shift
		}
	}
	return f
}

// pays reports whether the filter of r passes over enough rows to take less time than it saves. Some rows are the queries. Where no row has near
// neighbors, the distances of the nearest differ less from others than bounds do.
func (r *Rows) pays() bool {
	const queries, neighbors = 8, 5
	var s Scratch
	var set nearest.Set[float64]
	b, y, passed := &s.bounds, make([]float64, r.Dim()), 0
	for q := range queries {
		r.Row(y, q*r.n/queries)
		set.Reset(neighbors)
		if Nearest(context.Background(), &set, r, y, &s) != nil || !b.start(r, s.tables) {
			return false
		}
		b.scale(set.Bound())
		for i := 0; i < r.n; i += chunk {
			n := min(chunk, r.n-i)
			b.sums(i, n)
			passed += b.count(n, b.limit(set.Bound()))
		}
	}
	return passing*passed <= queries*r.n
}

// tables is the number of tables of codes.Sums4, which is even.
func (f *filter) tables() int { return f.parts + f.parts%2 }

func (f *filter) blockBytes() int { return f.tables() * codes.Block / 2 }

// group orders the vectors (columns) of a book by groups: it halves those that are together, four times, along
// the component in which they differ most.
func group(member []byte, book matrix.Matrix[float32]) {
	for c := range member {
		member[c] = byte(c)
	}
	for size := len(member); size > groups; size /= 2 {
		for at := 0; at < len(member); at += size {
			some, widest, along := member[at:][:size], -1., 0
			for k := range book.Rows {
				if v := scatter(book.RowRange(k, k+1), some); v > widest {
					widest, along = v, k
				}
			}
			slices.SortStableFunc(some, func(a, b byte) int {
				x, y := book.At(along, int(a)), book.At(along, int(b))
				switch {
				case x < y:
					return -1
				case x > y:
					return 1
				}
				return int(a) - int(b)
			})
		}
	}
}

// scatter is the sum of the squared distances of some vectors (columns) from their mean.
func scatter(book matrix.Matrix[float32], some []byte) (sum float64) {
	for k := range book.Rows {
		var mean float64
		row := book.Row(k)
		for _, c := range some {
			mean += float64(row[c]) / float64(len(some))
		}
		for _, c := range some {
			d := float64(row[c]) - mean
			sum += float64(d * d)
		}
	}
	return sum
}

// bounds are lower bounds of the distances of one query. A row of groups g_j has the bound base + step·S,
// where S is the sum of coarse_j[g_j], and coarse_j[g] is the least entry of group g above the least of
// table j, in steps, rounded down, and at most largest. S is exact, and the bound is not above the exact sum of the entries.
type bounds struct {
	f          *filter
	least      []float32 // of every group of every table
	low        []float64 // the least of every table
	base, step float64
	within     float64 // what no distance of the nearest exceeds, as far as probe knows
	widest     float64 // the largest difference of least entries of a table
	slack      float64 // a sum in float32 is at least 1 − slack times the exact one
	coarse     []byte
	words      []uint64 // the memory of steps
	steps      []uint16 // sums, of a chunk, below 2¹⁵
	near       []int32  // rows of a chunk
}

// start takes the tables of a query. It reports false if r has no filter, or if entries are not finite or all
// equal.
func (b *bounds) start(r *Rows, tables []float32) bool {
	f := &r.filter
	if b.f = f; f.parts == 0 {
		return false
	}
	b.least, b.low = slices.Grow(b.least[:0], groups*f.parts)[:groups*f.parts], slices.Grow(b.low[:0], f.parts)[:f.parts]
	if r.bits == 4 {
		copy(b.least, tables)
	} else {
		leastOfGroups(b.least, tables, f.member)
	}
	b.base, b.widest = 0, 0
	for j := range f.parts {
		low, high := extremes((*[groups]float32)(b.least[groups*j:]))
		b.low[j], b.base, b.widest = low, b.base+low, max(b.widest, high-low)
	}
	// γ_m is below m·2⁻²³ for m parts in float32.
	b.slack = float64(r.parts) * 0x1p-23
	return b.base >= 0 && b.widest > 0 && b.widest < math.Inf(1) && b.slack < 0.5
}

// extremes returns the least and the largest entry. A NaN is larger than +Inf.
func extremes(some *[groups]float32) (low, high float64) {
	// No entry is negative, so that they have the order of their bits.
	x, y := uint32(math.MaxUint32), uint32(0)
	for _, d := range some {
		x, y = min(x, math.Float32bits(d)), max(y, math.Float32bits(d))
	}
	return float64(math.Float32frombits(x)), float64(math.Float32frombits(y))
}

// leastOfGroups sets least to the least entry of every group. Entries that are NaN do not count, since
// a row that has one is infinitely far.
func leastOfGroups(least, tables []float32, member []byte) {
	// No entry is negative, so that they have the order of their bits.
	for g := range least {
		table, some := tables[g/groups*256:][:256], member[groups*g:][:groups]
		x, y := math.Float32bits(table[some[0]]), math.Float32bits(table[some[1]])
		for i := 2; i < groups; i += 2 {
			x, y = min(x, math.Float32bits(table[some[i]])), min(y, math.Float32bits(table[some[i+1]]))
		}
		least[g] = math.Float32frombits(min(x, y))
	}
}

// largest is the largest entry of coarse, with which no sum is 2¹⁵ or more.
func (f *filter) largest() float64 {
	if f.parts > 128 {
		return 127
	}
	return 255
}

// scale sets the length of a step, where rows beyond bound need not be told apart.
//
// With the widest of m tables in 255 steps nothing is cut off. Where the bound is 32·m steps above the base, the rounding
// of m entries takes less than 2 % of it, and what is cut off is larger than the mean entry of a row within the bound by far.
func (b *bounds) scale(bound float64) {
	largest := b.f.largest()
	b.step = b.widest / largest
	if bound < math.Inf(1) {
		b.step = min(b.step, max((bound-b.base)/float64(32*b.f.parts), b.step/64, b.slack*bound))
	}
	b.coarse = slices.Grow(b.coarse[:0], groups*b.f.tables())[:groups*b.f.tables()]
	clear(b.coarse)
	scale := 1 / b.step
	for j, low := range b.low {
		for g, d := range b.least[groups*j:][:groups] {
			b.coarse[groups*j+g] = byte(min(int32(largest), int32((float64(d)-low)*scale))) // at most 64·largest, as step is
		}
	}
}

// limit returns the largest sum of steps of a row that can be within bound. A row whose sum S has
// (base + step·S)·(1 − slack) > bound is farther. One step more is for the rounding of this.
func (b *bounds) limit(bound float64) uint16 {
	steps := (bound/(1-b.slack)-b.base)/b.step + 1
	switch {
	case !(steps < math.MaxUint16):
		return math.MaxUint16
	case steps < 0:
		return 0
	}
	return uint16(steps)
}

// sums sets steps to the sums of n rows from row i on, which is the first of a block.
func (b *bounds) sums(i, n int) {
	b.resize(blocks(n))
	codes.Sums4(b.steps, b.f.packed[i/codes.Block*b.f.blockBytes():][:blocks(n)*b.f.blockBytes()], b.coarse)
}

// resize makes room for the sums of so many blocks.
func (b *bounds) resize(blocks int) {
	n := blocks * codes.Block
	b.words = slices.Grow(b.words[:0], n/4)[:n/4]
	b.steps = unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(b.words))), n)
}

// each16 has the number x in each 16 bits, and highest the highest bit of each. In each 16 bits of within(limit) − w, where w has
// four sums, the highest bit says whether the sum is at most limit. They do not borrow from each other, as sums are below 2¹⁵.
const highest = 1 << 15 * each16

const each16 = 1<<48 | 1<<32 | 1<<16 | 1

func within(limit uint16) uint64 { return (uint64(min(limit, 1<<15-1)) | 1<<15) * each16 }

// count returns how many of the first n sums, fewer than 2¹⁸, are at most limit.
func (b *bounds) count(n int, limit uint16) (count int) {
	x, lanes := within(limit), uint64(0)
	for _, w := range b.words[:n/4] {
		lanes += (x - w) >> 15 & each16
	}
	for ; lanes > 0; lanes >>= 16 {
		count += int(lanes & (1<<16 - 1))
	}
	for _, s := range b.steps[n/4*4 : n] {
		if s <= limit {
			count++
		}
	}
	return count
}

// limitOf returns a limit that at least want of the first n sums do not exceed, and not many more.
func (b *bounds) limitOf(n, want int) uint16 {
	low, high := 0, b.f.parts*int(b.f.largest())
	for low < high {
		mid := (low + high) / 2
		switch count := b.count(n, uint16(mid)); {
		case count < want:
			low = mid + 1
		case count < 2*want:
			return uint16(mid)
		default:
			high = mid
		}
	}
	return uint16(high)
}

// choose sets near to those of the first n sums that are at most limit. It reports false if they are more than
// most.
func (b *bounds) choose(n int, limit uint16, most int) bool {
	const some, half = 32, 16 // sums at a time
	b.near = slices.Grow(b.near[:0], n+some)[:n+some]
	words, sums, x, count := b.words, b.steps, within(limit), 0
	for i := 0; i < n && count <= most; i += some {
		w := (*[some / 4]uint64)(words)
		words = words[some/4:]
		hits := [2]uint64{(x - w[0]) | (x - w[1]) | (x - w[2]) | (x - w[3]), (x - w[4]) | (x - w[5]) | (x - w[6]) | (x - w[7])}
		if (hits[0]|hits[1])&highest == 0 {
			continue // nearly always
		}
		for h, y := range hits {
			if y&highest == 0 {
				continue
			}
			near, first := (*[half]int32)(b.near[count:]), i+half*h
			k := 0
			for j, steps := range (*[half]uint16)(sums[first:]) {
				// Without a branch, which would be mispredicted.
				near[k&(half-1)] = int32(first + j)
				k += int(1 - (uint32(limit)-uint32(steps))>>31)
			}
			count += k
		}
	}
	for count > 0 && int(b.near[count-1]) >= n {
		count--
	}
	b.near = b.near[:count]
	return count <= most
}
