package search

import (
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/compact"
	"github.com/gomonge/monge/internal/asm/query"
	"github.com/gomonge/monge/internal/asm/sketch"
)

// ID identifies a row of a [Collection].
type ID uint64

// segment stores rows consecutively. A stored row never changes. A collection appends new rows to
// the last segment, after the rows that snapshots use.
type segment struct {
	cols    int
	stride  int // cols, rounded up to a multiple of query.Unit; the padding of a row is 0
	storage Storage

	// One of the next three fields contains the rows. The number of rows in the field is a multiple
	// of query.Rows. Unused rows are zero.
	data   []float32
	halves []uint16
	bytes  []int8

	scales []float32 // scale of each row of StorageInt8
	norms  []float64 // result of normOf for each row

	// codes and groups are the sketches of the rows, or nil. A group has the scales and norms of
	// sketch.Rows rows.
	codes  []uint8
	groups []sketch.Group

	first ID   // identifier of row 0
	ids   []ID // identifiers of all rows; nil if the identifiers are first, first+1, …
	// deleted contains, for each row, the version of the collection in which the row was deleted, or 0. The pointer is
	// nil if no row of the segment has been deleted.
	deleted atomic.Pointer[[]atomic.Uint64]
}

// newSegment returns an empty segment with room for at least the given number of rows. If plain is true, the segment has
// no sketches.
func newSegment(cols, rows int, storage Storage, plain bool) *segment {
	s := &segment{cols: cols, stride: padTo(cols, query.Unit), storage: storage}
	n := padTo(rows, query.Rows)
	if hasSketches(cols, storage, plain) {
		n = padTo(rows, sketch.Rows)
		s.codes, s.groups = make([]uint8, n*sketchFeatures(cols)), make([]sketch.Group, n/sketch.Rows)
	}
	switch storage {
	case StorageFloat32:
		s.data = make([]float32, n*s.stride)
	case StorageFloat16, StorageBFloat16:
		s.halves = make([]uint16, n*s.stride)
	case StorageInt8:
		s.bytes, s.scales = make([]int8, n*s.stride), make([]float32, n)
	default:
		panic(storagePanic)
	}
	if n > 0 {
		s.norms = make([]float64, n)
	}
	return s
}

// capacity returns the maximum number of rows of the segment.
func (s *segment) capacity() int { return len(s.norms) }

// memoryBytes returns the size of the segment in bytes.
func (s *segment) memoryBytes() int {
	n := 4*(len(s.data)+len(s.scales)) + 8*(len(s.norms)+len(s.ids)) + 2*len(s.halves) + len(s.bytes)
	n += len(s.codes) + len(s.groups)*int(unsafe.Sizeof(sketch.Group{}))
	if d := s.deleted.Load(); d != nil {
		n += 8 * len(*d)
	}
	return n
}

// id returns the identifier of row i.
func (s *segment) id(i int) ID {
	if s.ids != nil {
		return s.ids[i]
	}
	return s.first + ID(i)
}

// isDeleted reports whether row i was deleted in the given version of the collection or in an
// earlier version.
func (s *segment) isDeleted(i int, version uint64) bool {
	d := s.deleted.Load()
	if d == nil {
		return false
	}
	at := (*d)[i].Load()
	return at > 0 && at <= version
}

// storeRow stores a finite row as row i. The buffer scratch has room for eight rows. If a number is
// too large for the storage, storeRow returns the column of the number and false.
func (s *segment) storeRow(i int, row, scratch []float32) (column int, ok bool) {
	at := i * s.stride
	switch s.storage {
	case StorageFloat32:
		copy(s.data[at:], row)
	case StorageInt8:
		s.scales[i] = compact.QuantizeInt8(s.bytes[at:][:s.cols], row)
		if 127*float64(s.scales[i]) > math.MaxFloat32 {
			for j, v := range row {
				if math.Abs(float64(v)) > math.Abs(float64(row[column])) {
					column = j
				}
			}
			return column, false
		}
	default:
		for j, v := range row {
			if s.halves[at+j], ok = s.storage.half().Narrow(v); !ok {
				return j, false
			}
		}
	}
	s.readRow(scratch[:s.cols], i)
	s.finishRow(i, scratch)
	return 0, true
}

// finishRow sets the norm and the sketch of the stored row i. The buffer scratch begins with the
// row and has room for eight rows. finishRow changes the buffer.
func (s *segment) finishRow(i int, scratch []float32) {
	if s.isSketched() {
		s.sketchRow(i, scratch[:s.stride])
	}
	s.norms[i] = normOf(scratch)
}

func (s *segment) readRow(dst []float32, i int) {
	at := i * s.stride
	switch s.storage {
	case StorageFloat32:
		copy(dst, s.data[at:])
	case StorageInt8:
		for j, c := range s.bytes[at:][:len(dst)] {
			dst[j] = s.scales[i] * float32(c) // exact
		}
	default:
		for j, h := range s.halves[at:][:len(dst)] {
			dst[j] = s.storage.half().Widen(h)
		}
	}
}

// copyRow copies row j of another segment to row i of s. The segments must have the same storage and number of columns.
func (s *segment) copyRow(i int, from *segment, j int) {
	to, at := i*s.stride, j*s.stride
	switch s.storage {
	case StorageFloat32:
		copy(s.data[to:][:s.stride], from.data[at:])
	case StorageInt8:
		copy(s.bytes[to:][:s.stride], from.bytes[at:])
		s.scales[i] = from.scales[j]
	default:
		copy(s.halves[to:][:s.stride], from.halves[at:])
	}
	s.norms[i] = from.norms[j]
}

// A sum of squares between leastSquares and mostSquares is accurate even if some of the squares
// underflow. The product of two such sums does not overflow.
const (
	leastSquares = 0x1p-80
	mostSquares  = 0x1p120
)

// normOf returns 1/‖r‖ for the first row r of the eight rows in x, or 0 if r is zero. The other
// seven rows must be zero. If ‖r‖² is out of range, normOf scales r with [scaleRow] and returns
// −1/‖r‖ for the scaled row.
func normOf(x []float32) float64 {
	squares := func() float64 {
		var sums [query.Rows]float32
		query.Dot(sums[:], x[:len(x)/query.Rows], x)
		return float64(sums[0])
	}
	sum := squares()
	if sum >= leastSquares && sum <= mostSquares {
		return 1 / math.Sqrt(sum)
	}
	if !scaleRow(x[:len(x)/query.Rows]) {
		return 0
	}
	return -1 / math.Sqrt(squares())
}

// scaleRow scales a row by a power of two so that its largest absolute value is at least 1 and below 2. It reports false
// for a zero row, which does not change.
func scaleRow(x []float32) bool {
	largest := float32(0)
	for _, v := range x {
		largest = max(largest, float32(math.Abs(float64(v))))
	}
	if largest == 0 {
		return false
	}
	_, exponent := math.Frexp(float64(largest))
	for j, v := range x {
		x[j] = float32(math.Ldexp(float64(v), 1-exponent))
	}
	return true
}

// compare sets dst to the products or squared distances of a prepared query and consecutive rows,
// beginning at row index first. far is true if float32 rows are in main memory and not in a cache.
func (s *segment) compare(dst []float32, q *preparedQuery, first int, measure Measure, far bool) {
	at, sq := first*s.stride, measure == MeasureSqEuclidean
	switch {
	case s.storage == StorageFloat32 && far && sq:
		query.SqEuclideanFar(dst, q.x, s.data[at:][:len(dst)*s.stride])
	case s.storage == StorageFloat32 && far:
		query.DotFar(dst, q.x, s.data[at:][:len(dst)*s.stride])
	case s.storage == StorageFloat32 && sq:
		query.SqEuclidean(dst, q.x, s.data[at:][:len(dst)*s.stride])
	case s.storage == StorageFloat32:
		query.Dot(dst, q.x, s.data[at:][:len(dst)*s.stride])
	case s.storage == StorageInt8 && sq:
		query.SqEuclideanInt8(dst, q.x, s.bytes[at:][:len(dst)*s.stride], s.scales[first:])
	case s.storage == StorageInt8:
		query.DotInt8(dst, q.x, s.bytes[at:][:len(dst)*s.stride], s.scales[first:])
	case sq:
		query.SqEuclideanHalf(dst, q.x, s.halves[at:][:len(dst)*s.stride], s.storage.half())
	default:
		query.DotHalf(dst, q.x, s.halves[at:][:len(dst)*s.stride], s.storage.half())
	}
	if measure == MeasureCosine {
		s.divide(dst, q, first)
	}
}

// compareMany is like compare for n rows and m prepared queries. The elements of the queries are in
// q. The stride of dst is ld.
func (s *segment) compareMany(dst []float32, m, n, ld int, q []float32, prepared []preparedQuery, first int, measure Measure) {
	d, at, sq := s.stride, first*s.stride, measure == MeasureSqEuclidean
	switch {
	case s.storage == StorageFloat32 && sq:
		query.SqEuclideanMany(m, n, d, dst, ld, q, s.data[at:][:n*d])
	case s.storage == StorageFloat32:
		query.DotMany(m, n, d, dst, ld, q, s.data[at:][:n*d])
	case s.storage == StorageInt8 && sq:
		query.SqEuclideanInt8Many(m, n, d, dst, ld, q, s.bytes[at:][:n*d], s.scales[first:])
	case s.storage == StorageInt8:
		query.DotInt8Many(m, n, d, dst, ld, q, s.bytes[at:][:n*d], s.scales[first:])
	case sq:
		query.SqEuclideanHalfMany(m, n, d, dst, ld, q, s.halves[at:][:n*d], s.storage.half())
	default:
		query.DotHalfMany(m, n, d, dst, ld, q, s.halves[at:][:n*d], s.storage.half())
	}
	if measure == MeasureCosine {
		for i := range prepared {
			s.divide(dst[i*ld:][:n], &prepared[i], first)
		}
	}
}

// divide divides each product in dst by the norms of the query and the row. The first product belongs to row index first.
func (s *segment) divide(dst []float32, q *preparedQuery, first int) {
	for i, norm := range s.norms[first:][:len(dst)] {
		if norm < 0 {
			dst[i] = s.scaledDot(q, first+i)
			norm = -norm
		}
		// If the query equals the row, rounding to float32 makes the cosine exactly 1.
		dst[i] = clamp(float32(float64(dst[i]) * (q.norm * norm)))
	}
}

// scaledDot returns the dot product of a query and a copy of row i that is scaled by scaleRow.
func (s *segment) scaledDot(q *preparedQuery, i int) float32 {
	rows := q.scratch
	s.readRow(rows[:s.cols], i)
	scaleRow(rows[:s.cols])
	var dots [query.Rows]float32
	query.Dot(dots[:], q.x, rows)
	return dots[0]
}

// clamp returns v limited to the range from −1 to 1.
func clamp(v float32) float32 {
	if v > 1 {
		return 1
	}
	if v < -1 {
		return -1
	}
	return v
}

// badValue returns an error for an element that is not finite or is out of range.
func badValue(matrix string, i, j int, v float64) error {
	err := ErrNotFinite
	if v-v == 0 {
		err = ErrRange
	}
	return fmt.Errorf("%s: %w", matrix, &dist.PositionError{Row: i, Column: j, Value: v, Err: err})
}

// padTo returns n rounded up to a multiple of unit.
func padTo(n, unit int) int { return (n + unit - 1) / unit * unit }
