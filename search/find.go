package search

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/gomonge/monge/internal/asm/query"
	"github.com/gomonge/monge/internal/asm/sketch"
)

const (
	// findBlock is the number of queries that share one pass over the rows in a search.
	findBlock = 42 * sketch.Queries
	// findElements is the number of elements of a block of rows in a search.
	findElements = 1 << 18
	// fewQueries is the maximum number of queries that are filtered one by one instead of as a block.
	fewQueries = 4
	// A filter is worthwhile if at most n/passingShare + passingRows of n rows pass it. If more
	// rows pass, the search pauses the filter: it compares all rows of the current block and of the
	// next firstPause blocks. After the pause, it tries the filter on the first probeRows rows of a
	// block. If too many of these rows pass, the filter pauses twice as long, up to lastPause
	// blocks.
	passingShare = 12
	passingRows  = 4
	firstPause   = 1
	lastPause    = 64
	probeRows    = 2 * sketch.Rows
	// A search for the k nearest rows begins to filter rows after it has compared seenFor·k rows.
	seenFor = 8
)

var (
	// sketchedRows and sketchedCols are the minimum numbers of rows and columns of a search that
	// filters rows. Tests set smaller values.
	sketchedRows, sketchedCols = 2048, 8
	// firstBlock is the number of rows of the first block. A later block has as many rows as all
	// earlier blocks together, but at most findElements elements. Every filter can therefore use
	// the results of many compared rows. Tests set a smaller value.
	firstBlock = 256
)

// filterState is the state of a prepared query in a search that filters rows.
type filterState struct {
	sketch    querySketch
	filterKey float32 // the filter passes all rows whose key is at most filterKey
	filterSet bool    // a filter for filterKey exists
	wait      int     // number of blocks to compare without a filter
	pause     int     // next value of the field wait
	trusted   bool    // the filter has rejected most rows of the last block
	waiting   int     // number of candidates that have not been compared yet
	list      [query.Rows]candidate
}

// candidate is a row that passed a filter.
type candidate struct {
	seg     *segment
	row, at int // index of the row in seg, and its position among all rows of the search
}

// block contains n consecutive rows of a segment. The field index is the index of the first row in
// the segment, and the field position is its position in the Rows.
type block struct {
	*segment
	index, n, position int
	// source is the segment, or a copy of the rows of the block if the kernels cannot read whole
	// groups of query.Rows rows from the segment. first is the row of source at which the block begins.
	source *segment
	first  int
	// grouped means that the sketches of the block can be read. The block begins at the first row of
	// a group of sketches, and no goroutine writes to the groups that contain the block.
	grouped bool
}

// findRows offers the rows at positions lo … hi−1 to the collectors of the prepared queries.
func (s *Searcher) findRows(ctx context.Context, r *Rows, lo, hi int, measure Measure, g goal) error {
	for i := range s.filters {
		f := &s.filters[i]
		f.filterSet, f.wait, f.pause, f.trusted, f.waiting = false, 0, firstPause, false, 0
	}
	seen := 0
	width := func(p *part) int {
		n := max(findElements/p.stride/sketch.Rows*sketch.Rows, sketch.Rows)
		if p.isSketched() && len(s.filters) > 0 {
			n = min(n, max(firstBlock, seen/sketch.Rows*sketch.Rows))
		}
		return n
	}
	err := s.blocks(ctx, r, lo, hi, width, func(b block) error {
		s.direct = s.direct[:0]
		if b.grouped && len(s.filters) > 0 && (g.within || seen/seenFor >= g.k) {
			if err := s.filterBlock(ctx, b, measure, g); err != nil {
				return err
			}
		} else {
			for i := range s.prepared {
				s.direct = append(s.direct, i)
			}
		}
		seen += b.n
		return s.compareDirect(ctx, r, b, measure, g)
	})
	if err != nil {
		return err
	}
	for i := range s.filters {
		s.flushCandidates(i, measure, g)
	}
	return nil
}

// filterBlock compares each query with the rows of a block that pass the filter of the query. It
// adds queries without a useful filter to s.direct.
func (s *Searcher) filterBlock(ctx context.Context, b block, measure Measure, g goal) error {
	d := sketchFeatures(b.cols)
	first, end := b.index/sketch.Rows, (b.index+b.n+sketch.Rows-1)/sketch.Rows
	groups, codes := b.segment.groups[first:end], b.codes[first*sketch.Rows*d:end*sketch.Rows*d]
	all := b.deleted.Load() == nil
	for q := 0; q < len(s.prepared); q += sketch.Queries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		m := min(sketch.Queries, len(s.prepared)-q)
		info := &s.infos[q/sketch.Queries]
		var use [sketch.Queries]bool
		left, unknown := 0, false // left is the number of filters in use; unknown is true if one of these filters is not trusted
		for j := range m {
			if use[j] = s.aimFilter(q+j, &info[j], measure, g); use[j] {
				left++
				unknown = unknown || !s.filters[q+j].trusted
			}
		}
		if unknown && b.n >= 2*probeRows {
			s.filter(q, use[:m], info, d, groups[:probeRows/sketch.Rows], codes, probeRows)
			left = s.dropFilters(q, use[:m], probeRows)
		}
		if left > 0 {
			s.filter(q, use[:m], info, d, groups, codes, b.n)
			s.dropFilters(q, use[:m], b.n)
			for _, h := range s.hits {
				if !use[h.query] {
					continue
				}
				for mask := h.mask; mask != 0; mask &= mask - 1 {
					k := int(h.group)*sketch.Rows + bits.TrailingZeros32(mask)
					if all || !b.isDeleted(b.index+k, s.keep.version) {
						s.offerLater(q+int(h.query), candidate{b.segment, b.index + k, b.position + k}, measure, g)
					}
				}
			}
		}
		for j := range m {
			if !use[j] {
				s.direct = append(s.direct, q+j)
			}
		}
	}
	return nil
}

// hit contains the mask of a group of rows and a query. Bit i of the mask is set if row i of the
// group passes the filter of the query.
type hit struct {
	mask  uint32
	group uint16
	query uint8
}

// filter applies the filters of queries q, q+1, … to the first n rows of the given groups. It
// stores the rows that pass in s.hits. A sketch has d features.
func (s *Searcher) filter(q int, use []bool, info *[sketch.Queries]sketch.Query, d int, groups []sketch.Group, codes []uint8, n int) {
	last := ^uint32(0) >> (uint(-n) % sketch.Rows) // mask of the last group, which may have fewer rows
	s.hits = s.hits[:0]
	s.masks = slices.Grow(s.masks[:0], len(groups)*sketch.Queries)[:len(groups)*sketch.Queries]
	if len(use) <= fewQueries {
		for j, use := range use {
			if !use {
				continue
			}
			masks := s.masks[:len(groups)]
			sketch.FilterOne(masks, codes, groups, s.codes[(q+j)*d:][:d], &info[j])
			masks[len(masks)-1] &= last
			for i, mask := range masks {
				if mask != 0 {
					s.hits = append(s.hits, hit{mask, uint16(i), uint8(j)})
				}
			}
		}
		return
	}
	sketch.Filter(s.masks, codes, groups, s.codes[q*d:][:sketch.Queries*d], info)
	for i := len(s.masks) - sketch.Queries; i < len(s.masks); i++ {
		s.masks[i] &= last
	}
	for i := range groups {
		masks := (*[sketch.Queries]uint32)(s.masks[i*sketch.Queries:])
		for j := 0; j < sketch.Queries; j += 4 {
			if masks[j]|masks[j+1]|masks[j+2]|masks[j+3] == 0 {
				continue // in nearly all groups, no row passes
			}
			for k, mask := range masks[j : j+4] {
				if mask != 0 {
					s.hits = append(s.hits, hit{mask, uint16(i), uint8(j + k)})
				}
			}
		}
	}
}

// dropFilters disables the filters that have passed too many of n rows. It returns the number of remaining filters.
func (s *Searcher) dropFilters(q int, use []bool, n int) (left int) {
	var passing [sketch.Queries]int
	for _, h := range s.hits {
		passing[h.query] += bits.OnesCount32(h.mask)
	}
	for j := range use {
		if !use[j] {
			continue
		}
		f := &s.filters[q+j]
		f.trusted = passing[j] <= passingRows+n/passingShare
		if f.trusted {
			f.pause = firstPause
			left++
			continue
		}
		use[j] = false
		f.wait, f.pause = f.pause, min(2*f.pause, lastPause)
	}
	return left
}

// aimFilter sets the filter of query i so that it passes all rows that may be in the result. It
// returns false if the query must be compared with all rows of the block instead. The filter is then
// set to reject every row with a usable sketch.
func (s *Searcher) aimFilter(i int, to *sketch.Query, measure Measure, g goal) bool {
	f := &s.filters[i]
	if f.wait > 0 {
		f.wait--
		f.filterSet = false
	} else if key := s.collector(i, g).bound(); !f.filterSet || key != f.filterKey {
		f.filterKey, f.filterSet = key, f.sketch.setFilter(to, key, measure)
	}
	if !f.filterSet {
		*to = sketch.Query{Threshold: float32(math.Inf(1))}
	}
	return f.filterSet
}

// offerLater stores a candidate row of query i. When query.Rows candidates are stored, offerLater
// compares the candidates with the query.
func (s *Searcher) offerLater(i int, c candidate, measure Measure, g goal) {
	f := &s.filters[i]
	f.list[f.waiting] = c
	if f.waiting++; f.waiting == len(f.list) {
		s.flushCandidates(i, measure, g)
	}
}

// flushCandidates compares the stored candidates of query i with the query, and then removes them.
func (s *Searcher) flushCandidates(i int, measure Measure, g goal) {
	f := &s.filters[i]
	if f.waiting == 0 {
		return
	}
	list := f.list[:f.waiting]
	f.waiting = 0
	if t := s.passing; t == nil || t.cols != list[0].seg.cols || t.storage != list[0].seg.storage {
		s.passing = newSegment(list[0].seg.cols, query.Rows, list[0].seg.storage, true)
	}
	for j, c := range list {
		s.passing.copyRow(j, c.seg, c.row)
	}
	keys := slices.Grow(s.values[:0], query.Rows)[:query.Rows]
	s.values = keys
	s.passing.compare(keys, &s.prepared[i], 0, measure, false)
	collector := s.collector(i, g)
	bound := collector.bound()
	for j, c := range list {
		if keys[j] > bound {
			continue // skip the call of offer for about half of the candidates
		}
		collector.offer(&s.keep, c.seg, c.row, c.at, keys[j:j+1])
		bound = collector.bound()
	}
}

// compareDirect compares all rows of a block with the queries in s.direct.
func (s *Searcher) compareDirect(ctx context.Context, r *Rows, b block, measure Measure, g goal) error {
	queries, single := s.direct, len(s.prepared) == 1
	together := len(queries) > 1 && b.stride >= wideRow
	width := rowsAtOnce(b.stride, together, single)
	for from := 0; from < b.n; from += width {
		n := min(width, b.n-from)
		if !together {
			for _, i := range queries {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				s.compareBlock(b.source, r, i, b.first+from, n, measure, single)
				s.collector(i, g).offer(&s.keep, b.segment, b.index+from, b.position+from, s.values[:n])
			}
			continue
		}
		for rest := queries; len(rest) > 0; {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			some := rest[:min(len(rest), queryBlock)]
			rest = rest[len(some):]
			x, prepared := s.gatherQueries(some, b.stride)
			ld := padTo(n, query.Rows)
			m := padTo(len(some), query.Queries)
			s.values = slices.Grow(s.values[:0], m*ld)[:m*ld]
			b.source.compareMany(s.values, m, ld, ld, x, prepared, b.first+from, measure)
			for j, i := range some {
				s.collector(i, g).offer(&s.keep, b.segment, b.index+from, b.position+from, s.values[j*ld:][:n])
			}
		}
	}
	return nil
}

// gatherQueries returns the elements of the given queries in consecutive rows, and the prepared queries in the same order.
func (s *Searcher) gatherQueries(queries []int, stride int) ([]float32, []preparedQuery) {
	first, n := queries[0], len(queries)
	m := padTo(n, query.Queries)
	if queries[n-1]-first == n-1 { // already consecutive
		return s.queries[first*stride:][:m*stride], s.prepared[first:][:n]
	}
	s.chosen = slices.Grow(s.chosen[:0], m*stride)[:m*stride]
	clear(s.chosen[n*stride:])
	s.chosenPrepared = s.chosenPrepared[:0]
	for j, i := range queries {
		copy(s.chosen[j*stride:][:stride], s.queries[i*stride:])
		s.chosenPrepared = append(s.chosenPrepared, s.prepared[i])
	}
	return s.chosen, s.chosenPrepared
}

// prepareSketch makes the sketch of query i of m queries. The slice x contains the elements of the query, padded with zeros.
func (s *Searcher) prepareSketch(i, m int, x []float32) {
	d := len(x)
	first := i / sketch.Queries * sketch.Queries
	codes, stride := s.codes[first*d:], sketch.Step
	if min(m-first, sketch.Queries) > fewQueries {
		codes, stride = codes[(i-first)*sketch.Step:], sketch.Queries*sketch.Step
	} else {
		codes = codes[(i-first)*d:]
	}
	s.filters = append(s.filters, filterState{sketch: newQuerySketch(codes, stride, x)})
}
