package dist

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/query"
	"github.com/gomonge/monge/internal/enum"
	"github.com/gomonge/monge/internal/nearest"
)

// Measure is what a [Searcher] computes of a query q and a row x.
type Measure uint8

const (
	// MeasureSqEuclidean is the squared distance ‖q − x‖². Smaller is nearer. It is a sum of
	// direct differences, never NaN, and exactly 0 for equal vectors. The relative error is at
	// most about (d/16 + 7)·2⁻²⁴ with d elements. A sum beyond the largest float32 is +Inf.
	MeasureSqEuclidean Measure = iota
	// MeasureInnerProduct is Σ_k q_k·x_k. Larger is nearer. The error is at most about
	// (d/16 + 5)·2⁻²⁴·Σ_k |q_k·x_k|. A sum that overflows in both directions is NaN, and counts as
	// −Inf in a search.
	MeasureInnerProduct
	// MeasureCosine is Σ_k q_k·x_k / (‖q‖·‖x‖), from −1 to 1, and 0 if q or x is 0. Larger is
	// nearer. The error is at most about (d/16 + 8)·2⁻²⁴, as long as norms are from 10⁻³⁰ to 10³⁰.
	MeasureCosine
)

const (
	measurePanic  = "dist: unknown measure"
	neighborPanic = "dist: number of neighbors below 0"
	limitPanic    = "dist: limit is NaN"
)

var measureNames = enum.New("Measure", ErrSettings, "sqeuclidean", "inner-product", "cosine")

// String returns "sqeuclidean", "inner-product" or "cosine".
func (m Measure) String() string { return measureNames.Name(uint8(m)) }

// MarshalText returns the name of the measure, or [ErrSettings] if it has none.
func (m Measure) MarshalText() ([]byte, error) { return measureNames.Text(uint8(m)) }

// UnmarshalText sets m to the measure of that name. It returns [ErrSettings] for an unknown name.
func (m *Measure) UnmarshalText(text []byte) error { return enum.Parse(m, text, measureNames) }

// Neighbor is a row that a search has found.
type Neighbor struct {
	Row   int     // counted from 0
	Value float32 // the measure of the query and the row; a zero is +0
}

// Searcher compares queries with [Rows]. Queries are the rows of a matrix; a single one is
// NewMatrix(1, len(q), q). The zero value is ready. A Searcher keeps its memory for later calls,
// and allocates nothing once it has grown. It belongs to one goroutine at a time; goroutines with
// a Searcher each may share the rows.
//
// A value depends on the query and the row alone: not on other rows, on their number, or on the
// machine. Several queries in one call take less time than one after the other, since they share what is
// loaded. The methods ask the context between blocks of at most 2²² products, and return the cause of
// its end. They return an error that wraps [ErrNotFinite] if a query has a value that is NaN or
// infinite. They panic if the queries have another number of columns than the rows, if a matrix
// does not fit its data, and for an unknown measure.
type Searcher struct {
	queries []float32 // filled up with zeros, of a block
	values  []float32 // of queries and a block of rows
	sets    []nearest.Set[float32]
	found   [][]Neighbor
}

const (
	// queryBlock is the number of queries that read the rows together.
	queryBlock = 21 * query.Queries
	// wide is the number of elements of a row from which on several queries are compared at once.
	// Shorter rows gain nothing, since folding their lanes takes most of the time.
	wide = 4 * query.Unit
	// rowElements is the number of elements of a block of rows, which several queries
	// read from the second-level cache.
	rowElements = 1 << 16
	// farElements is the number of elements of float32 rows that come from memory, which the kernel for one
	// query then reads in ascending order. Measured with 32 MiB of third-level cache: internal/asm/query/NOTES.md.
	farElements = 7 << 20
)

// Compare sets dst_ij (m × n) to the measure of query i (m × d) and row j (n × d). It panics if
// dst has another shape, or overlaps the queries. After an error dst is unfinished.
func (s *Searcher) Compare(ctx context.Context, dst Matrix[float32], rows *Rows, queries Matrix[float32], measure Measure) error {
	checkQueries(rows, queries, measure)
	if dst.Rows != queries.Rows || dst.Cols != rows.n {
		panic(fmt.Sprintf("%s: dst is %d × %d for %d queries and %d rows", asm.ShapePanic, dst.Rows, dst.Cols, queries.Rows, rows.n))
	}
	dst.Check()
	asm.CheckOverlap((*asm.View[float32])(&dst), (*asm.View[float32])(&queries))
	return s.scan(ctx, rows, queries, measure, false, func(i, first int, values []float32) {
		copy(dst.Row(i)[first:], values)
	})
}

// Nearest returns the k nearest rows of every query, the nearest first, and all rows if there are
// no more than k. Among rows with the same value, the one with the smaller index is nearer. It
// panics if k < 0.
//
// Element i of the result belongs to query i. The result is valid until the next call.
func (s *Searcher) Nearest(ctx context.Context, rows *Rows, queries Matrix[float32], k int, measure Measure) ([][]Neighbor, error) {
	checkQueries(rows, queries, measure)
	if k < 0 {
		panic(neighborPanic)
	}
	k = min(k, rows.n)
	for len(s.sets) < min(queries.Rows, queryBlock) {
		s.sets = append(s.sets, nearest.Set[float32]{})
	}
	found := s.empty(queries.Rows)
	err := s.scan(ctx, rows, queries, measure, true, func(i, first int, keys []float32) {
		set := &s.sets[i%queryBlock]
		if first == 0 {
			set.Reset(k)
		}
		set.OfferAll(keys, first)
		if first+len(keys) < rows.n {
			return
		}
		set.Sort()
		distances := set.Distances()
		found[i] = slices.Grow(found[i], k)
		for j, row := range set.Rows() {
			found[i] = append(found[i], Neighbor{row, value(distances[j], measure)})
		}
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Within returns all rows that are as near to a query as limit or nearer, the nearest first, in the order of
// [Searcher.Nearest]: with a squared distance of at most limit, or with an inner product or
// a cosine of at least limit. It panics if limit is NaN.
//
// Element i of the result belongs to query i. The result is valid until the next call.
func (s *Searcher) Within(ctx context.Context, rows *Rows, queries Matrix[float32], limit float32, measure Measure) ([][]Neighbor, error) {
	checkQueries(rows, queries, measure)
	if limit != limit {
		panic(limitPanic)
	}
	if measure != MeasureSqEuclidean {
		limit = -limit
	}
	found := s.empty(queries.Rows)
	err := s.scan(ctx, rows, queries, measure, true, func(i, first int, keys []float32) {
		for j, key := range keys {
			if key <= limit {
				found[i] = append(found[i], Neighbor{first + j, key})
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, list := range found {
		slices.SortFunc(list, func(a, b Neighbor) int {
			switch {
			case a.Value < b.Value || a.Value == b.Value && a.Row < b.Row:
				return -1
			case a == b:
				return 0
			}
			return 1
		})
		for j := range list {
			list[j].Value = value(list[j].Value, measure)
		}
	}
	return found, nil
}

// checkQueries panics unless queries fit the rows, and measure is known.
func checkQueries(r *Rows, queries Matrix[float32], measure Measure) {
	if measure > MeasureCosine {
		panic(measurePanic)
	}
	if r.cols == 0 {
		panic(columnsPanic)
	}
	queries.Check()
	if queries.Cols != r.cols {
		panic(fmt.Sprintf("%s: queries have %d columns, rows %d", asm.ShapePanic, queries.Cols, r.cols))
	}
}

// value returns the measure that has the given key. It turns −0 into +0.
func value(key float32, measure Measure) float32 {
	if measure == MeasureSqEuclidean {
		return key
	}
	return 0 - key
}

// empty returns m lists without elements.
func (s *Searcher) empty(m int) [][]Neighbor {
	for len(s.found) < m {
		s.found = append(s.found, nil)
	}
	for i := range s.found {
		s.found[i] = s.found[i][:0]
	}
	return s.found[:m]
}

// scan computes the measure of every query and every row, and calls visit for query i and rows
// from first on, in ascending order for each query. values are valid during the call. If keys,
// they are keys of a search, of which the smaller is the nearer: inner products and cosines are
// negated.
func (s *Searcher) scan(ctx context.Context, r *Rows, queries Matrix[float32], measure Measure, keys bool, visit func(i, first int, values []float32)) error {
	width := max(query.Rows, rowElements/r.stride/query.Rows*query.Rows)
	far := queries.Rows == 1 && len(r.data) >= farElements
	if queries.Rows == 1 {
		width *= 4 // a single query reads a row once
	}
	width = min(width, upTo(r.n, query.Rows))
	s.values = slices.Grow(s.values[:0], width)[:width]
	for lo := 0; lo < queries.Rows; lo += queryBlock {
		hi := min(lo+queryBlock, queries.Rows)
		if err := s.prepare(queries, lo, hi, r.stride, measure, keys); err != nil {
			return err
		}
		if hi-lo > 1 && r.stride >= wide {
			if err := s.together(ctx, r, lo, hi, measure, visit); err != nil {
				return err
			}
			continue
		}
		for first := 0; first < r.n; first += width {
			values := s.values[:min(width, r.n-first)]
			for i := lo; i < hi; i++ {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				r.compare(s.values[:upTo(len(values), query.Rows)], s.queries[(i-lo)*r.stride:][:r.stride], first, measure, far)
				visit(i, first, values)
			}
		}
	}
	return nil
}

// together does what scan does, for the prepared queries lo … hi−1 at once.
func (s *Searcher) together(ctx context.Context, r *Rows, lo, hi int, measure Measure, visit func(i, first int, values []float32)) error {
	const most = 1 << 14 // values of a block
	m := upTo(hi-lo, query.Queries)
	width := min(rowElements/r.stride, most/m) / query.Rows * query.Rows
	width = min(max(width, query.Rows), upTo(r.n, query.Rows))
	s.values = slices.Grow(s.values[:0], m*width)[:m*width]
	for first := 0; first < r.n; first += width {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n := min(width, r.n-first)
		r.compareMany(s.values, m, upTo(n, query.Rows), width, s.queries, first, measure)
		for i := lo; i < hi; i++ {
			visit(i, first, s.values[(i-lo)*width:][:n])
		}
	}
	return nil
}

// prepare copies queries lo … hi−1 into s.queries. For cosines it divides them by their norms; for
// keys of inner products and cosines it negates them.
func (s *Searcher) prepare(queries Matrix[float32], lo, hi, stride int, measure Measure, keys bool) error {
	n := upTo(hi-lo, query.Queries) * stride
	s.queries = slices.Grow(s.queries[:0], n)[:n]
	clear(s.queries)
	for i := lo; i < hi; i++ {
		q := s.queries[(i-lo)*stride:][:queries.Cols]
		factor := float32(1)
		row := queries.Row(i)
		if measure == MeasureCosine {
			factor = inverseNorm(row)
		}
		if keys && measure != MeasureSqEuclidean {
			factor = -factor
		}
		for j, v := range row {
			if v-v != 0 {
				return badValue("queries", i, j, float64(v))
			}
			q[j] = v * factor
		}
	}
	return nil
}

// compare sets dst to the measure of a prepared query and rows first, first+1, … If far, float32 rows come
// from memory.
func (r *Rows) compare(dst, q []float32, first int, measure Measure, far bool) {
	at, sq := first*r.stride, measure == MeasureSqEuclidean
	switch {
	case r.storage == StorageFloat32 && far && sq:
		query.SqEuclideanFar(dst, q, r.data[at:])
	case r.storage == StorageFloat32 && far:
		query.DotFar(dst, q, r.data[at:])
	case r.storage == StorageFloat32 && sq:
		query.SqEuclidean(dst, q, r.data[at:])
	case r.storage == StorageFloat32:
		query.Dot(dst, q, r.data[at:])
	case r.storage == StorageInt8 && sq:
		query.SqEuclideanInt8(dst, q, r.bytes[at:], r.scales[first:])
	case r.storage == StorageInt8:
		query.DotInt8(dst, q, r.bytes[at:], r.scales[first:])
	case sq:
		query.SqEuclideanHalf(dst, q, r.halves[at:], r.storage.half())
	default:
		query.DotHalf(dst, q, r.halves[at:], r.storage.half())
	}
	if measure == MeasureCosine {
		r.scale(dst, first)
	}
}

// compareMany does the same for m prepared queries and n rows. Rows of dst are ld apart.
func (r *Rows) compareMany(dst []float32, m, n, ld int, q []float32, first int, measure Measure) {
	d, at, sq := r.stride, first*r.stride, measure == MeasureSqEuclidean
	switch {
	case r.storage == StorageFloat32 && sq:
		query.SqEuclideanMany(m, n, d, dst, ld, q, r.data[at:])
	case r.storage == StorageFloat32:
		query.DotMany(m, n, d, dst, ld, q, r.data[at:])
	case r.storage == StorageInt8 && sq:
		query.SqEuclideanInt8Many(m, n, d, dst, ld, q, r.bytes[at:], r.scales[first:])
	case r.storage == StorageInt8:
		query.DotInt8Many(m, n, d, dst, ld, q, r.bytes[at:], r.scales[first:])
	case sq:
		query.SqEuclideanHalfMany(m, n, d, dst, ld, q, r.halves[at:], r.storage.half())
	default:
		query.DotHalfMany(m, n, d, dst, ld, q, r.halves[at:], r.storage.half())
	}
	if measure == MeasureCosine {
		for i := range m {
			r.scale(dst[i*ld:][:n], first)
		}
	}
}

// scale divides products of a query of length 1 and rows from first on by the norms of the rows.
func (r *Rows) scale(dst []float32, first int) {
	for i, w := range r.inverse[first:][:len(dst)] {
		dst[i] = clamp(dst[i] * w)
	}
}

// clamp moves a number beyond −1 or 1 there.
func clamp(v float32) float32 {
	if math.Abs(float64(v)) > 1 {
		return float32(math.Copysign(1, float64(v)))
	}
	return v
}
