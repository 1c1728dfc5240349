package search

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/query"
	"github.com/gomonge/monge/internal/asm/sketch"
	"github.com/gomonge/monge/internal/parallel"
)

const (
	storagePanic = "search: unknown storage"
	optionPanic  = "search: unknown option of rows"
	columnsPanic = "search: rows have no columns"
	indexPanic   = "search: index out of range of the rows"
)

// Rows is an immutable set of vectors to search. [NewRows] and [Collection.Snapshot] return Rows.
// Any number of goroutines may use the same Rows at the same time.
//
// A row has a position, from 0 to [Rows.Positions] − 1. In a snapshot, a deleted row keeps its
// position for some time; searches skip it.
type Rows struct {
	cols    int
	storage Storage
	plain   bool // without sketches
	parts   []part
	n       int    // positions
	live    int    // number of rows that are not deleted
	version uint64 // version of the collection; rows deleted in later versions are still present
	next    ID     // the identifier of the next row of the collection
}

// part is a segment together with the position of its first row.
type part struct {
	*segment
	at     int  // position of the first row of the segment
	shared bool // whether a collection can still append rows to the segment
}

// NewRows copies the rows of x (n × d), rounded to float32 and then to the storage format. The
// identifier of a row is its position.
//
// The error wraps [ErrNotFinite] if a value is NaN or infinite, and [ErrRange] if a value is beyond
// the largest number of the storage. Both errors contain the row and the column, counted from 0.
// NewRows panics if x has no columns, if the shape of x does not fit the length of x.Data, or if
// storage or an option is unknown.
//
// NewRows allocates [Rows.Bytes] bytes for the result, and memory for nine more rows while it
// works. Rows are padded with zeros to a multiple of 16 numbers.
func NewRows[T dist.Float](x dist.Matrix[T], storage Storage, options ...RowOption) (*Rows, error) {
	x.Check()
	if x.Cols == 0 {
		panic(columnsPanic)
	}
	r := &Rows{cols: x.Cols, storage: storage, plain: isPlain(options), n: x.Rows, live: x.Rows, next: ID(x.Rows)}
	if x.Rows == 0 {
		if !storageNames.Has(uint8(storage)) {
			panic(storagePanic)
		}
		return r, nil // an empty matrix may have any number of columns
	}
	s := newSegment(x.Cols, x.Rows, storage, r.plain || x.Rows < sketchedRows)
	if err := storeMatrix(s, 0, x, 0, x.Rows); err != nil {
		return nil, err
	}
	r.parts = []part{{segment: s}}
	return r, nil
}

// storeMatrix stores the rows x[from:to] as consecutive rows of s, beginning at row index first. If
// it returns an error, these rows of s are incomplete.
func storeMatrix[T dist.Float](s *segment, first int, x dist.Matrix[T], from, to int) error {
	row, scratch := make([]float32, s.cols), make([]float32, query.Rows*s.stride)
	for i := from; i < to; i++ {
		for j, v := range x.Row(i) {
			row[j] = float32(v)
			if row[j]-row[j] != 0 {
				return badValue("x", i, j, float64(v))
			}
		}
		if j, ok := s.storeRow(first+i-from, row, scratch); !ok {
			return badValue("x", i, j, float64(x.At(i, j)))
		}
	}
	return nil
}

// Len returns the number of rows.
func (r *Rows) Len() int { return r.live }

// Positions returns the number of positions, including the positions of deleted rows.
func (r *Rows) Positions() int { return r.n }

// Cols returns the number of elements of a row.
func (r *Rows) Cols() int { return r.cols }

// Storage returns the storage format of the rows.
func (r *Rows) Storage() Storage { return r.storage }

// Bytes returns the size of the stored rows in bytes. A collection and its snapshots share this
// memory.
func (r *Rows) Bytes() (n int) {
	for _, p := range r.parts {
		n += p.memoryBytes()
	}
	return n
}

// partCount returns the number of rows in part k, including deleted rows.
func (r *Rows) partCount(k int) int {
	if k+1 < len(r.parts) {
		return r.parts[k+1].at - r.parts[k].at
	}
	return r.n - r.parts[k].at
}

// segmentAt returns the segment that contains position i, and the index of the row in the segment.
// It panics if there is no such position.
func (r *Rows) segmentAt(i int) (*segment, int) {
	if uint(i) >= uint(r.n) {
		panic(indexPanic)
	}
	k := sort.Search(len(r.parts), func(k int) bool { return r.parts[k].at > i }) - 1
	return r.parts[k].segment, i - r.parts[k].at
}

// ID returns the identifier of the row at position i. It panics if there is no such position.
func (r *Rows) ID(i int) ID {
	s, at := r.segmentAt(i)
	return s.id(at)
}

// Row sets dst to the row at position i as it is stored. Converting stored numbers to float32 is exact. It
// panics if there is no such position, or if the length of dst is not [Rows.Cols].
func (r *Rows) Row(dst []float32, i int) {
	s, at := r.segmentAt(i)
	if len(dst) != r.cols {
		panic(fmt.Sprintf("%s: dst has %d elements, a row %d", asm.ShapePanic, len(dst), r.cols))
	}
	s.readRow(dst, at)
}

// SearchOptions configures a search for one query. Nil and the zero value search all rows on one
// goroutine.
type SearchOptions struct {
	// Filter, if not nil, reports whether a row may be in the result. A search calls Filter only
	// for rows that are near enough to be in the result. With several workers, it calls Filter from
	// several goroutines at the same time.
	Filter func(ID) bool
	// Among, if not nil, restricts the search to rows with these identifiers, which must ascend. Identifiers
	// without a row are ignored. Use Among for selective filters and for reranking.
	Among []ID
	// Workers is the number of goroutines; 0 means 1. Results do not depend on Workers.
	Workers int
}

// searchers contains idle Searchers, which keep their memory between searches.
var searchers = sync.Pool{New: func() any { return new(Searcher) }}

// Nearest appends the k rows nearest to a query to dst, nearest first, and returns the extended slice. If there are
// at most k rows, it appends all of them. Rows with equal values are sorted by identifier. An inner product that is
// NaN counts as −Inf. o may be nil.
//
// The error wraps [ErrNotFinite] if the query contains NaN or infinity. If the context ends, the error is its cause.
// Nearest panics if the query does not have the length of the rows, if k < 0, or if the measure is unknown. After
// warm-up, a search with one worker allocates only the result, and only if dst has too little capacity.
func (r *Rows) Nearest(ctx context.Context, dst []Neighbor, query []float32, k int, m Measure, o *SearchOptions) ([]Neighbor, error) {
	if k < 0 {
		panic(neighborPanic)
	}
	return r.search(ctx, dst, query, m, o, goal{k: min(k, r.live)})
}

// Within appends all rows within the given limit of a query to dst, nearest first, and returns the
// extended slice. A row is within the limit if its squared distance is at most limit, or if its
// inner product or cosine is at least limit. The order and the errors are as in [Rows.Nearest].
// Within panics if limit is NaN.
func (r *Rows) Within(ctx context.Context, dst []Neighbor, query []float32, limit float32, m Measure, o *SearchOptions) ([]Neighbor, error) {
	return r.search(ctx, dst, query, m, o, goal{within: true, limit: limitKey(limit, m)})
}

// search answers one query.
func (r *Rows) search(ctx context.Context, dst []Neighbor, q []float32, m Measure, o *SearchOptions, g goal) ([]Neighbor, error) {
	queries := dist.NewMatrix(1, len(q), q)
	checkQueries(r, queries, m)
	if o == nil {
		o = &SearchOptions{}
	}
	s := searchers.Get().(*Searcher)
	defer searchers.Put(s)
	if err := s.prepareQueries(r, queries, 0, 1, m, true); err != nil {
		return dst, err
	}
	s.keep = acceptance{r.version, o.Filter}
	defer func() { s.keep.filter = nil }()
	result := s.newCollector(0, g)
	var err error
	switch workers := parallel.Workers(max(1, o.Workers), len(r.parts)+r.n/minPerWorker); {
	case o.Among != nil:
		err = s.compareAmong(ctx, r, o.Among, m, result)
	case workers <= 1:
		err = s.findRows(ctx, r, 0, r.n, m, g)
	default:
		err = r.searchParallel(ctx, s, result, workers, m, g)
	}
	if err != nil {
		return dst, err
	}
	return result.appendTo(dst, r, m), nil
}

// minPerWorker is the minimum number of positions for each worker.
const minPerWorker = 1 << 12

// searchParallel divides the positions among several goroutines and merges the results.
func (r *Rows) searchParallel(ctx context.Context, s *Searcher, result collector, workers int, m Measure, g goal) error {
	helpers, results, errs := make([]*Searcher, workers), make([]collector, workers), make([]error, workers)
	defer func() {
		for _, h := range helpers {
			if h != nil {
				searchers.Put(h)
			}
		}
	}()
	size := padTo((r.n+workers-1)/workers, sketch.Rows)
	err := parallel.ForContext(ctx, workers, workers, 1, func(w, _ int) {
		h := searchers.Get().(*Searcher)
		helpers[w] = h
		h.copyPrepared(s)
		results[w] = h.newCollector(0, g)
		errs[w] = h.findRows(ctx, r, min(w*size, r.n), min((w+1)*size, r.n), m, g)
		h.keep.filter = nil
	})
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	for _, other := range results {
		result.merge(other)
	}
	return nil
}
