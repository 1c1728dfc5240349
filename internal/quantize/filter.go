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

// filter contains the data for lower bounds of distances: a 4-bit group number for each code of each
// row. The group number of a 4-bit code is the code itself. For 8-bit codes, the 256 vectors of a
// codebook are divided into 16 groups of 16 close vectors.
type filter struct {
	parts      int    // number of leading parts of a row that the filter uses; 0 if there is no filter
	packed     []byte // the groups of all rows, in the block layout of codes.Sums4
	groupOrder []byte // the 256 codes of each part of a row, ordered by group; empty for 4-bit codes
}

const (
	groupCount = 16
	// Rows with 8-bit codes have a filter only if there are at least minFilterRows rows.
	minFilterRows = 2 << 10
	// If at most n/candidateDivisor of the n rows of a chunk with 8-bit codes are candidates, a
	// search computes only the distances of the candidates.
	candidateDivisor = 8
	// A filter is dropped if more than 1/passDivisor of the rows pass it.
	passDivisor = 10
)

func newFilter(r *Rows) filter {
	if r.bits == 4 {
		return filter{parts: r.parts, packed: r.packed}
	}
	if r.n < minFilterRows {
		return filter{}
	}
	f := filter{parts: min(r.parts, codes.Most4)}
	f.groupOrder = make([]byte, 256*f.parts)
	groupOf := make([]byte, len(f.groupOrder))
	for j := range f.parts {
		lo, hi := r.partRange(j)
		book, member := r.codebook.RowRange(lo, hi), f.groupOrder[256*j:][:256]
		groupVectors(member, book)
		for i, c := range member {
			groupOf[256*j+int(c)] = byte(i / groupCount)
		}
	}
	f.packed = make([]byte, blockCount(r.n)*f.blockBytes())
	for i := range r.n {
		block, at, shift := i/codes.Block*f.blockBytes(), i%(codes.Block/2), i%codes.Block/(codes.Block/2)*4
		for j := range f.parts {
			f.packed[block+j*codes.Block/2+at] |= groupOf[256*j+int(r.Code(i, j))] << shift
		}
	}
	return f
}

// filterPays reports whether the filter of r skips enough rows to save time. It uses some of the
// rows as queries. A filter saves no time if the rows have no near neighbors, because then the
// lower bounds of most rows are less than the distance of the nearest neighbors.
func (r *Rows) filterPays() bool {
	const queries, neighbors = 8, 5
	var s Scratch
	var set nearest.Set[float64]
	b, y, passed := &s.bounds, make([]float64, r.Dim()), 0
	for q := range queries {
		r.Row(y, q*r.n/queries)
		set.Reset(neighbors)
		if Nearest(context.Background(), &set, r, y, &s) != nil || !b.setTables(r, s.tables) {
			return false
		}
		b.setStep(set.Bound())
		for i := 0; i < r.n; i += chunkRows {
			n := min(chunkRows, r.n-i)
			b.sumSteps(i, n)
			passed += b.countWithin(n, b.stepLimit(set.Bound()))
		}
	}
	return passDivisor*passed <= queries*r.n
}

// tableCount returns the number of tables for codes.Sums4: the number of parts, rounded up to an
// even number.
func (f *filter) tableCount() int { return f.parts + f.parts%2 }

func (f *filter) blockBytes() int { return f.tableCount() * codes.Block / 2 }

// groupVectors orders the vectors (columns) of a codebook by group. It divides the vectors in half
// four times, each time along the component with the largest spread.
func groupVectors(member []byte, book matrix.Matrix[float32]) {
	for c := range member {
		member[c] = byte(c)
	}
	for size := len(member); size > groupCount; size /= 2 {
		for at := 0; at < len(member); at += size {
			some, widest, along := member[at:][:size], -1., 0
			for k := range book.Rows {
				if v := sumSquaredDeviations(book.RowRange(k, k+1), some); v > widest {
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

// sumSquaredDeviations returns the sum of the squared distances of the given columns of book from
// the mean of these columns.
func sumSquaredDeviations(book matrix.Matrix[float32], columns []byte) (sum float64) {
	for k := range book.Rows {
		var mean float64
		row := book.Row(k)
		for _, c := range columns {
			mean += float64(row[c]) / float64(len(columns))
		}
		for _, c := range columns {
			d := float64(row[c]) - mean
			sum += float64(d * d)
		}
	}
	return sum
}

// lowerBounds computes lower bounds of the distances from one query. A distance is the sum of one
// table entry for each part j of a row. The bound replaces each entry by the least entry of its
// group, rounded down to a multiple of step. Let coarse_j[g] be the least entry of group g minus the
// least entry of table j, divided by step, rounded down and limited to maxCoarse. The bound is
// base + step·S with the integer S = Σ_j coarse_j[g_j], where g_j is the group of part j.
type lowerBounds struct {
	filter      *filter
	groupMin    []float32 // least entry of every group of every table
	tableMin    []float64 // least entry of every table
	base, step  float64
	probeBound  float64  // upper bound, found by probeDistance, of the distances of the nearest rows
	widestRange float64  // largest difference between two entries of groupMin for the same table
	slack       float64  // a float32 sum is at least (1 − slack) times the exact sum
	coarse      []byte   // coarse_j[g] for every table j and every group g
	words       []uint64 // backing storage of the field steps
	steps       []uint16 // the sum S of each row of a chunk, below 2¹⁵
	candidates  []int32  // indices of the candidate rows of a chunk
}

// setTables prepares the bounds for the tables of a query. It returns false if r has no filter, if
// table entries are not finite, or if the filter cannot distinguish rows.
func (b *lowerBounds) setTables(r *Rows, tables []float32) bool {
	f := &r.filter
	if b.filter = f; f.parts == 0 {
		return false
	}
	b.groupMin, b.tableMin = slices.Grow(b.groupMin[:0], groupCount*f.parts)[:groupCount*f.parts], slices.Grow(b.tableMin[:0], f.parts)[:f.parts]
	if r.bits == 4 {
		copy(b.groupMin, tables)
	} else {
		setGroupMin(b.groupMin, tables, f.groupOrder)
	}
	b.base, b.widestRange = 0, 0
	for j := range f.parts {
		low, high := minMax((*[groupCount]float32)(b.groupMin[groupCount*j:]))
		b.tableMin[j], b.base, b.widestRange = low, b.base+low, max(b.widestRange, high-low)
	}
	// The relative error γ_m of a float32 sum of m parts is below m·2⁻²³.
	b.slack = float64(r.parts) * 0x1p-23
	return b.base >= 0 && b.widestRange > 0 && b.widestRange < math.Inf(1) && b.slack < 0.5
}

// minMax returns the minimum and the maximum entry. NaN compares as larger than +Inf.
func minMax(some *[groupCount]float32) (low, high float64) {
	// The bits of nonnegative numbers, read as integers, have the same order as the numbers.
	x, y := uint32(math.MaxUint32), uint32(0)
	for _, d := range some {
		x, y = min(x, math.Float32bits(d)), max(y, math.Float32bits(d))
	}
	return float64(math.Float32frombits(x)), float64(math.Float32frombits(y))
}

// setGroupMin sets least[g] to the minimum table entry of the members of group g. It ignores NaN,
// because a row with a NaN entry is infinitely far.
func setGroupMin(least, tables []float32, member []byte) {
	// The bits of nonnegative numbers, read as integers, have the same order as the numbers.
	for g := range least {
		table, some := tables[g/groupCount*256:][:256], member[groupCount*g:][:groupCount]
		x, y := math.Float32bits(table[some[0]]), math.Float32bits(table[some[1]])
		for i := 2; i < groupCount; i += 2 {
			x, y = min(x, math.Float32bits(table[some[i]])), min(y, math.Float32bits(table[some[i+1]]))
		}
		least[g] = math.Float32frombits(min(x, y))
	}
}

// maxCoarse returns the largest allowed value of an element of coarse. With this limit, every sum of
// these elements is below 2¹⁵.
func (f *filter) maxCoarse() float64 {
	if f.parts > 128 {
		return 127
	}
	return 255
}

// setStep chooses the step length. The longest step divides the widest range of a table into
// maxCoarse steps, so no entry of coarse exceeds maxCoarse. A shorter step makes rounding errors
// smaller, but setStep must then replace large entries by maxCoarse.
//
// If bound is finite, setStep prefers the step length (bound − base)/(32·m), where m is the number of
// parts. With this step length, rounding loses on average less than 2 % of the bound. Rows within
// the bound rarely have an entry that was replaced by maxCoarse.
func (b *lowerBounds) setStep(bound float64) {
	largest := b.filter.maxCoarse()
	b.step = b.widestRange / largest
	if bound < math.Inf(1) {
		b.step = min(b.step, max((bound-b.base)/float64(32*b.filter.parts), b.step/64, b.slack*bound))
	}
	b.coarse = slices.Grow(b.coarse[:0], groupCount*b.filter.tableCount())[:groupCount*b.filter.tableCount()]
	clear(b.coarse)
	scale := 1 / b.step
	for j, low := range b.tableMin {
		for g, d := range b.groupMin[groupCount*j:][:groupCount] {
			b.coarse[groupCount*j+g] = byte(min(int32(largest), int32((float64(d)-low)*scale))) // the product is at most about 64·largest, so it fits in int32
		}
	}
}

// stepLimit returns an upper limit for the sum S of a row whose distance is at most bound. The
// distance exceeds bound if (base + step·S)·(1 − slack) > bound. One extra step allows for the
// rounding of this calculation.
func (b *lowerBounds) stepLimit(bound float64) uint16 {
	steps := (bound/(1-b.slack)-b.base)/b.step + 1
	switch {
	case !(steps < math.MaxUint16):
		return math.MaxUint16
	case steps < 0:
		return 0
	}
	return uint16(steps)
}

// sumSteps computes the sums S of n rows, beginning with row i. S is defined at lowerBounds. Row i
// must be the first row of a block.
func (b *lowerBounds) sumSteps(i, n int) {
	b.growSteps(blockCount(n))
	codes.Sums4(b.steps, b.filter.packed[i/codes.Block*b.filter.blockBytes():][:blockCount(n)*b.filter.blockBytes()], b.coarse)
}

// growSteps provides memory for the sums of the given number of blocks.
func (b *lowerBounds) growSteps(blocks int) {
	n := blocks * codes.Block
	b.words = slices.Grow(b.words[:0], n/4)[:n/4]
	b.steps = unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(b.words))), n)
}

// highBits16 consists of four 16-bit lanes in which only the highest bit is set. addLimit returns
// four lanes, each with limit plus this bit. If the lanes of w contain four sums, the highest bit of
// a lane of addLimit(limit) − w is set if the sum in the lane is at most limit. Lanes do not borrow
// from each other, because sums are below 2¹⁵.
const highBits16 = 1 << 15 * ones16

const ones16 = 1<<48 | 1<<32 | 1<<16 | 1

func addLimit(limit uint16) uint64 { return (uint64(min(limit, 1<<15-1)) | 1<<15) * ones16 }

// countWithin returns how many of the first n sums are at most limit. n must be below 2¹⁸.
func (b *lowerBounds) countWithin(n int, limit uint16) (count int) {
	x, lanes := addLimit(limit), uint64(0)
	for _, w := range b.words[:n/4] {
		lanes += (x - w) >> 15 & ones16
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

// findLimit returns a limit for the first n sums. At least want sums are within the limit, and
// usually fewer than 2·want sums.
func (b *lowerBounds) findLimit(n, want int) uint16 {
	low, high := 0, b.filter.parts*int(b.filter.maxCoarse())
	for low < high {
		mid := (low + high) / 2
		switch count := b.countWithin(n, uint16(mid)); {
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

// selectCandidates sets candidates to the rows, among the first n, whose sums are at most limit. It
// returns false if there are more than maxCandidates.
func (b *lowerBounds) selectCandidates(n int, limit uint16, maxCandidates int) bool {
	const batch, half = 32, 16 // batch is the number of sums that are compared at a time
	b.candidates = slices.Grow(b.candidates[:0], n+batch)[:n+batch]
	words, sums, x, count := b.words, b.steps, addLimit(limit), 0
	for i := 0; i < n && count <= maxCandidates; i += batch {
		w := (*[batch / 4]uint64)(words)
		words = words[batch/4:]
		hits := [2]uint64{(x - w[0]) | (x - w[1]) | (x - w[2]) | (x - w[3]), (x - w[4]) | (x - w[5]) | (x - w[6]) | (x - w[7])}
		if (hits[0]|hits[1])&highBits16 == 0 {
			continue // common case
		}
		for h, y := range hits {
			if y&highBits16 == 0 {
				continue
			}
			near, first := (*[half]int32)(b.candidates[count:]), i+half*h
			k := 0
			for j, steps := range (*[half]uint16)(sums[first:]) {
				// avoid a branch that would be mispredicted
				near[k&(half-1)] = int32(first + j)
				k += int(1 - (uint32(limit)-uint32(steps))>>31)
			}
			count += k
		}
	}
	for count > 0 && int(b.candidates[count-1]) >= n {
		count--
	}
	b.candidates = b.candidates[:count]
	return count <= maxCandidates
}
