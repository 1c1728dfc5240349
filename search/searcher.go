package search

import (
	"context"
	"fmt"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/pair"
	"github.com/gomonge/monge/internal/asm/query"
	"github.com/gomonge/monge/internal/asm/sketch"
)

const (
	measurePanic  = "search: unknown measure"
	neighborPanic = "search: number of neighbors below 0"
	limitPanic    = "search: limit is NaN"
)

// Neighbor is a row found by a search.
type Neighbor struct {
	Row   int     // position of the row
	ID    ID      // identifier of the row
	Value float32 // value of the measure for the query and the row; a zero is +0
}

// Searcher compares many queries with [Rows]. Queries are the rows of a matrix. The zero value is
// ready. A Searcher reuses its memory: after warm-up it does not allocate. Only one goroutine may
// use a Searcher at a time; several Searchers may share the same Rows.
//
// Many queries in one call take less time than many calls, because they share the rows that are
// loaded from memory. The methods return an error that wraps [ErrNotFinite] if a query contains NaN
// or infinity. If the context ends, the methods return its cause. The methods panic if queries and
// rows differ in their number of columns, if the shape of a matrix does not fit the length of its
// data, or if the measure is unknown.
type Searcher struct {
	queries  []float32       // queries of a block, padded with zeros
	prepared []preparedQuery // queries of the block
	values   []float32       // values of the measure for the queries and a block of rows
	nearest  []nearestCollector
	within   []withinCollector
	found    [][]Neighbor
	keep     acceptance
	tail     *segment // copies of up to query.Rows rows; the kernels read only whole groups of consecutive rows

	// The following fields belong to searches that filter rows by their sketches.
	filters []filterState                  // filters of the prepared queries; empty if rows are not filtered
	codes   []int8                         // codes of the query sketches, in blocks of sketch.Queries queries
	infos   [][sketch.Queries]sketch.Query // coefficients of the query filters, in the same blocks
	hits    []hit                          // groups of rows with at least one row that passes a filter
	masks   []uint32                       // masks of the rows that pass a filter
	passing *segment                       // copies of the candidate rows of one query
	direct  []int                          // queries that are compared with all rows of a block
	// chosen and chosenPrepared are copies of selected queries in consecutive rows.
	chosen         []float32
	chosenPrepared []preparedQuery
}

// preparedQuery is a query that is ready to be compared.
type preparedQuery struct {
	x []float32 // elements, padded like a stored row; negated in a search for the largest products
	// For cosines, norm is 1/‖x‖ and scratch is a buffer of eight rows. All rows of the buffer
	// except the first are zero.
	norm    float64
	scratch []float32
}

const (
	// queryBlock is the number of queries that share one pass over the rows.
	queryBlock = 21 * query.Queries
	// wideRow is the minimum length of rows for which several queries are compared at once. Shorter
	// rows gain nothing, because most of the time is spent adding the lanes of a SIMD register.
	wideRow = 4 * query.Unit
	// rowElements is the maximum number of elements of a block of rows. It is so small that a block
	// stays in the second-level cache while several queries read it.
	rowElements = 1 << 16
	// If float32 rows have at least farElements elements in total, a single query uses the kernels for rows that are not in
	// a cache. NOTES.md of internal/asm/query has the measurements, which were made with 32 MiB of third-level cache.
	farElements = 7 << 20
	// mostValues is the maximum number of pairs of a query and a row in one block of rows.
	mostValues = 1 << 14
)

// Compare sets dst_ij to the measure of query i and the row at position j. The matrix queries is m
// × d, and dst is m × n for n positions. Deleted rows that still have a position are included.
// Compare panics if dst has a different shape or overlaps queries. After an error the contents of
// dst are undefined.
func (s *Searcher) Compare(ctx context.Context, dst dist.Matrix[float32], rows *Rows, queries dist.Matrix[float32], measure Measure) error {
	checkQueries(rows, queries, measure)
	if dst.Rows != queries.Rows || dst.Cols != rows.n {
		panic(fmt.Sprintf("%s: dst is %d × %d for %d queries and %d rows", asm.ShapePanic, dst.Rows, dst.Cols, queries.Rows, rows.n))
	}
	dst.Check()
	asm.CheckOverlap((*asm.View[float32])(&dst), (*asm.View[float32])(&queries))
	return s.scan(ctx, rows, queries, measure, func(i, at int, values []float32) {
		copy(dst.Row(i)[at:], values)
	})
}

// Nearest returns the k nearest rows of every query, with the order and the values of [Rows.Nearest]. It
// panics if k < 0.
//
// Element i of the result belongs to query i. The result is valid until the next call.
func (s *Searcher) Nearest(ctx context.Context, rows *Rows, queries dist.Matrix[float32], k int, measure Measure) ([][]Neighbor, error) {
	checkQueries(rows, queries, measure)
	if k < 0 {
		panic(neighborPanic)
	}
	return s.answerQueries(ctx, rows, queries, measure, goal{k: min(k, rows.live)})
}

// Within returns all rows within the given limit of each query, with the order and the values of [Rows.Within]. It
// panics if limit is NaN.
//
// Element i of the result belongs to query i. The result is valid until the next call.
func (s *Searcher) Within(ctx context.Context, rows *Rows, queries dist.Matrix[float32], limit float32, measure Measure) ([][]Neighbor, error) {
	key := limitKey(limit, measure)
	checkQueries(rows, queries, measure)
	return s.answerQueries(ctx, rows, queries, measure, goal{within: true, limit: key})
}

// goal selects the rows that a search finds: the k nearest rows, or the rows within a limit.
type goal struct {
	within bool
	k      int
	limit  float32 // the limit, converted to a key by limitKey
}

// newCollector returns an empty collector for query i of a block.
func (s *Searcher) newCollector(i int, g goal) collector {
	if g.within {
		for len(s.within) <= i {
			s.within = append(s.within, withinCollector{})
		}
		s.within[i].limit, s.within[i].found = g.limit, s.within[i].found[:0]
	} else {
		for len(s.nearest) <= i {
			s.nearest = append(s.nearest, nearestCollector{})
		}
		s.nearest[i].set.Reset(g.k)
	}
	return s.collector(i, g)
}

// collector returns the collector for query i of a block.
func (s *Searcher) collector(i int, g goal) collector {
	if g.within {
		return &s.within[i]
	}
	return &s.nearest[i]
}

// answerQueries returns the result of every query.
func (s *Searcher) answerQueries(ctx context.Context, rows *Rows, queries dist.Matrix[float32], measure Measure, g goal) ([][]Neighbor, error) {
	found := s.emptyLists(queries.Rows)
	if rows.n == 0 {
		return found, s.checkFinite(queries)
	}
	s.keep = acceptance{version: rows.version}
	for lo := 0; lo < queries.Rows; lo += findBlock {
		hi := min(lo+findBlock, queries.Rows)
		if err := s.prepareQueries(rows, queries, lo, hi, measure, true); err != nil {
			return nil, err
		}
		for i := range hi - lo {
			s.newCollector(i, g)
		}
		if err := s.findRows(ctx, rows, 0, rows.n, measure, g); err != nil {
			return nil, err
		}
		for i := lo; i < hi; i++ {
			found[i] = s.collector(i-lo, g).appendTo(found[i], rows, measure)
		}
	}
	return found, nil
}

// checkFinite returns an error if a query has a value that is not finite.
func (s *Searcher) checkFinite(queries dist.Matrix[float32]) error {
	for i := range queries.Rows {
		if err := checkFiniteQuery(queries, i); err != nil {
			return err
		}
	}
	return nil
}

// checkFiniteQuery returns an error if query i has a value that is not finite.
func checkFiniteQuery(queries dist.Matrix[float32], i int) error {
	row := queries.Row(i)
	if pair.SqEuclidean(row, row) == 0 { // v − v is 0 if v is finite, and NaN otherwise
		return nil
	}
	j := slices.IndexFunc(row, func(v float32) bool { return v-v != 0 })
	return badValue("queries", i, j, float64(row[j]))
}

// limitKey converts a limit to a key, which is smaller for nearer rows. The key of a squared distance is the squared distance
// itself. The key of a product is its negative.
func limitKey(limit float32, measure Measure) float32 {
	if limit != limit {
		panic(limitPanic)
	}
	if measure != MeasureSqEuclidean {
		return -limit
	}
	return limit
}

// checkQueries panics if the shape of queries does not fit the rows, or if measure is unknown.
func checkQueries(r *Rows, queries dist.Matrix[float32], measure Measure) {
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

func (s *Searcher) emptyLists(m int) [][]Neighbor {
	for len(s.found) < m {
		s.found = append(s.found, nil)
	}
	for i := range s.found {
		s.found[i] = s.found[i][:0]
	}
	return s.found[:m]
}

// scan computes the measure of every query and every row. It calls the function visit with the
// index of a query, a position, and the values of the rows from this position on. The positions
// ascend. The slice values is valid during the call of visit.
func (s *Searcher) scan(ctx context.Context, r *Rows, queries dist.Matrix[float32], measure Measure, visit func(i, at int, values []float32)) error {
	for lo := 0; lo < queries.Rows; lo += queryBlock {
		hi := min(lo+queryBlock, queries.Rows)
		if err := s.prepareQueries(r, queries, lo, hi, measure, false); err != nil {
			return err
		}
		together := hi-lo > 1 && padTo(r.cols, query.Unit) >= wideRow
		width := func(p *part) int {
			n := rowsAtOnce(p.stride, together, queries.Rows == 1)
			if n >= sketch.Rows {
				n = n / sketch.Rows * sketch.Rows
			}
			return n
		}
		err := s.blocks(ctx, r, 0, r.n, width, func(b block) error {
			if together {
				ld := padTo(b.n, query.Rows)
				m := padTo(hi-lo, query.Queries)
				s.values = slices.Grow(s.values[:0], m*ld)[:m*ld]
				b.source.compareMany(s.values, m, ld, ld, s.queries, s.prepared[:hi-lo], b.first, measure)
				for i := lo; i < hi; i++ {
					visit(i, b.position, s.values[(i-lo)*ld:][:b.n])
				}
				return nil
			}
			for i := lo; i < hi; i++ {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				s.compareBlock(b.source, r, i-lo, b.first, b.n, measure, queries.Rows == 1)
				visit(i, b.position, s.values[:b.n])
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rowsAtOnce returns the number of rows in a block, a multiple of query.Rows.
func rowsAtOnce(stride int, together, single bool) int {
	n := rowElements / stride
	if together {
		n = min(n, mostValues/queryBlock)
	}
	if single {
		n *= 4 // a single query reads each row only once, so a block may exceed the cache
	}
	return max(n/query.Rows*query.Rows, query.Rows)
}

// compareBlock compares prepared query i with n rows of a segment, beginning at row index first. It
// stores the distances or similarities, as measure selects, in s.values. If single is true, there is
// only one query, and the rows may be in main memory instead of the cache.
func (s *Searcher) compareBlock(source *segment, r *Rows, i, first, n int, measure Measure, single bool) {
	width := padTo(n, query.Rows)
	s.values = slices.Grow(s.values[:0], width)[:width]
	source.compare(s.values, &s.prepared[i], first, measure, single && r.n*source.stride >= farElements)
}

// blocks divides the rows at positions lo to hi−1 into blocks, and calls f for each block. A block
// lies in a single part of r. The function width returns the maximum number of rows in a block of
// the given part. This number must be a multiple of query.Rows. If the part has sketches and f
// filters rows, the number must also be a multiple of sketch.Rows.
func (s *Searcher) blocks(ctx context.Context, r *Rows, lo, hi int, width func(*part) int, f func(block) error) error {
	for k := range r.parts {
		p := &r.parts[k]
		begin, end := max(lo-p.at, 0), min(hi-p.at, r.partCount(k))
		for from := begin; from < end; {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			b := block{segment: p.segment, index: from, n: min(width(p), end-from), position: p.at + from, source: p.segment, first: from}
			switch {
			case from%query.Rows > 0 || p.shared && end-from < query.Rows: // the kernels read rows in groups
				b.n = min(b.n, query.Rows-from%query.Rows)
				b.first, b.source = 0, s.copyTail(p.segment, from, from+b.n)
			case p.isSketched() && from%sketch.Rows > 0:
				b.n = min(b.n, sketch.Rows-from%sketch.Rows)
			case p.isSketched() && (!p.shared || b.n >= sketch.Rows):
				b.grouped = true
				if p.shared {
					b.n = b.n / sketch.Rows * sketch.Rows
				}
			}
			if p.shared && b.source == p.segment {
				b.n = b.n / query.Rows * query.Rows
			}
			if err := f(b); err != nil {
				return err
			}
			from += b.n
		}
	}
	return nil
}

// copyTail copies rows lo to hi−1 of a segment to s.tail, and returns s.tail. At most query.Rows rows fit in s.tail. The
// other rows of s.tail are zero or copies from earlier calls.
func (s *Searcher) copyTail(seg *segment, lo, hi int) *segment {
	if t := s.tail; t == nil || t.cols != seg.cols || t.storage != seg.storage {
		s.tail = newSegment(seg.cols, query.Rows, seg.storage, true)
	}
	for i := lo; i < hi; i++ {
		s.tail.copyRow(i-lo, seg, i)
	}
	return s.tail
}

// compareAmong compares the prepared query with the rows whose identifiers are in ids. The identifiers must ascend.
func (s *Searcher) compareAmong(ctx context.Context, r *Rows, ids []ID, measure Measure, result collector) error {
	k, asked := 0, 0
	var group [query.Rows]int // indices of rows in the segment
	n := 0
	compare := func(p part) {
		for i, row := range group[:n] {
			s.copyTailRow(p.segment, i, row)
		}
		s.compareBlock(s.tail, r, 0, 0, n, measure, false)
		for i, row := range group[:n] {
			result.offer(&s.keep, p.segment, row, p.at+row, s.values[i:i+1])
		}
		n = 0
	}
	for j := 0; j < len(ids) && k < len(r.parts); {
		if asked++; asked%idsBetweenChecks == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p, count := r.parts[k], r.partCount(k)
		switch row, ok := p.rowOf(ids[j], count); {
		case ok:
			if j == 0 || ids[j] != ids[j-1] {
				group[n] = row
				if n++; n == len(group) {
					compare(p)
				}
			}
			j++
		case count > 0 && ids[j] > p.id(count-1): // in a later segment
			if n > 0 {
				compare(p)
			}
			k++
		default:
			j++
		}
	}
	if n > 0 {
		compare(r.parts[k])
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// idsBetweenChecks is the number of identifiers between two checks of the context.
const idsBetweenChecks = 256

// copyTailRow copies the given row of a segment to row i of s.tail.
func (s *Searcher) copyTailRow(seg *segment, i, row int) {
	s.copyTail(seg, row, row) // makes s.tail fit
	s.tail.copyRow(i, seg, row)
}

// rowOf returns the index of the row with the given identifier, and reports whether the row is among the first n rows.
func (s *segment) rowOf(id ID, n int) (int, bool) {
	if s.ids == nil {
		row := int(id - s.first)
		return row, id >= s.first && id-s.first < ID(n)
	}
	return slices.BinarySearch(s.ids[:n], id)
}

// prepareQueries copies the queries lo to hi−1 into s.queries. In a search for the largest
// products, it negates the copies. It also makes the sketches of the queries if the rows have
// sketches.
func (s *Searcher) prepareQueries(r *Rows, queries dist.Matrix[float32], lo, hi int, measure Measure, search bool) error {
	stride := padTo(queries.Cols, query.Unit)
	n, size := stride, stride
	if hi-lo > 1 || measure == MeasureCosine {
		// Reserve whole groups of query.Queries queries for the kernels, and query.Rows more rows
		// for normOf.
		n = padTo(hi-lo, query.Queries) * stride
		size = n + query.Rows*stride
	}
	s.queries = slices.Grow(s.queries[:0], size)[:size]
	clear(s.queries)
	s.prepared, s.filters = s.prepared[:0], s.filters[:0]
	filter := search && r.n >= sketchedRows && slices.ContainsFunc(r.parts, func(p part) bool { return p.isSketched() })
	if filter {
		blocks := (hi - lo + sketch.Queries - 1) / sketch.Queries
		size := blocks * sketch.Queries * sketchFeatures(r.cols)
		s.codes = slices.Grow(s.codes[:0], size)[:size]
		s.infos = slices.Grow(s.infos[:0], blocks)[:blocks]
		clear(s.infos)
	}
	for i := lo; i < hi; i++ {
		x := s.queries[(i-lo)*stride:][:stride]
		if err := checkFiniteQuery(queries, i); err != nil {
			return err
		}
		copy(x, queries.Row(i))
		q := preparedQuery{x: x}
		if measure == MeasureCosine {
			q.scratch = s.queries[n:]
			copy(q.scratch, x)
			if q.norm = normOf(q.scratch); q.norm < 0 {
				scaleRow(x)
				q.norm = -q.norm
			}
		}
		if filter {
			s.prepareSketch(i-lo, hi-lo, x[:sketchFeatures(r.cols)])
		}
		if search && measure != MeasureSqEuclidean {
			for j := range x {
				x[j] = -x[j]
			}
		}
		s.prepared = append(s.prepared, q)
	}
	return nil
}

// copyPrepared copies the single prepared query of another searcher to s.
func (s *Searcher) copyPrepared(from *Searcher) {
	q := from.prepared[0]
	s.queries = slices.Grow(s.queries[:0], len(q.scratch))[:len(q.scratch)]
	clear(s.queries)
	q.scratch = s.queries
	s.prepared = append(s.prepared[:0], q)
	s.filters = append(s.filters[:0], from.filters...)
	s.codes = append(s.codes[:0], from.codes...)
	s.infos = append(s.infos[:0], from.infos...)
	s.keep = from.keep
}
