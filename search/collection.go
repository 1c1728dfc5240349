package search

import (
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/query"
)

// Collection is a set of vectors to which rows can be added and from which rows can be deleted. Its
// methods are safe for concurrent use. Searches use a [Collection.Snapshot], which does not change,
// so a search never waits for a change of the collection.
//
// Every row has an identifier. Identifiers ascend in the order of [Collection.Append]. An
// identifier is never reused, even after the collection is written to a file and read again.
//
// Rows are stored in segments of up to 2²⁰ numbers. A deleted row is marked. When half of the rows
// of a segment have been deleted, [Collection.Delete] copies the remaining rows to a new segment.
// The old segment can be freed when no snapshot uses it. To replace one segment, Delete copies at
// most a few MiB of rows, and 24 bytes for each segment of the collection.
type Collection struct {
	cols    int
	storage Storage
	plain   bool // without sketches
	now     atomic.Pointer[Rows]

	mu   sync.Mutex // held while a method changes the collection
	next ID
	// deleted counts the deleted rows of each segment in the current snapshot.
	deleted map[*segment]int
}

const (
	// firstRoom is the number of rows of the first segment. A new segment has room for twice as many rows as the
	// previous segment, up to segmentElements elements.
	firstRoom       = 64
	segmentElements = 1 << 20
)

// NewCollection returns an empty collection of rows with cols elements. It panics if cols < 1, or if
// storage or an option is unknown.
func NewCollection(cols int, storage Storage, options ...RowOption) *Collection {
	if cols < 1 {
		panic(columnsPanic)
	}
	if !storageNames.Has(uint8(storage)) {
		panic(storagePanic)
	}
	c := &Collection{cols: cols, storage: storage, plain: isPlain(options), deleted: map[*segment]int{}}
	c.now.Store(&Rows{cols: cols, storage: storage, plain: c.plain})
	return c
}

// Snapshot returns the current rows of the collection, without copying them. Its time and memory do
// not depend on the number of rows.
func (c *Collection) Snapshot() *Rows { return c.now.Load() }

// mostRows returns the number of rows of the largest segment.
func (c *Collection) mostRows() int {
	return max(query.Rows, segmentElements/padTo(c.cols, query.Unit)/query.Rows*query.Rows)
}

// newPart returns a part with an empty segment, which can be appended to the parts of a snapshot. The
// segment has room for at least the given number of rows, but never for more than c.mostRows() rows.
func (c *Collection) newPart(snapshot *Rows, rows int) part {
	room := firstRoom
	if last := len(snapshot.parts) - 1; last >= 0 {
		room = max(room, 2*snapshot.parts[last].capacity())
	}
	return part{newSegment(c.cols, min(max(room, rows), c.mostRows()), c.storage, c.plain), snapshot.n, true}
}

// Append adds copies of the rows of x. The new rows get the identifiers first, first+1, …. If
// Append returns an error, it adds no row. The errors are those of [NewRows]. Append panics if x
// does not have the number of columns of the collection, or if the shape of x does not fit the
// length of x.Data.
func (c *Collection) Append(x dist.Matrix[float32]) (first ID, err error) {
	x.Check()
	if x.Cols != c.cols {
		panic(asm.ShapePanic + ": the collection has another number of columns than x")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := *c.now.Load()
	first = c.next
	for done := 0; done < x.Rows; {
		last := len(now.parts) - 1
		if last < 0 || now.partCount(last) == now.parts[last].capacity() || now.parts[last].ids != nil {
			p := c.newPart(&now, x.Rows-done)
			p.first = first + ID(done)
			// Snapshots share the array of parts, but no snapshot reads beyond the length of its
			// own slice.
			now.parts = append(now.parts, p)
			continue
		}
		p, used := now.parts[last], now.partCount(last)
		n := min(p.capacity()-used, x.Rows-done)
		if err := storeMatrix(p.segment, used, x, done, done+n); err != nil {
			return 0, err
		}
		done += n
		now.n += n
		now.live += n
	}
	c.next += ID(x.Rows)
	now.next = c.next
	if k := len(now.parts) - 2; k >= 0 { // Delete did not compact segment k while it was the last segment
		c.compact(&now, k)
	}
	c.now.Store(&now)
	return first, nil
}

// Delete deletes the rows with the given identifiers and returns the number of deleted rows. It ignores
// identifiers without a row.
func (c *Collection) Delete(ids ...ID) (deleted int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := *c.now.Load()
	now.version++
	var touched []*segment
	for _, id := range ids {
		k := now.partOf(id)
		if k < 0 {
			continue
		}
		p := now.parts[k]
		row, ok := p.rowOf(id, now.partCount(k))
		if !ok {
			continue
		}
		marks := p.deleted.Load()
		if marks == nil {
			m := make([]atomic.Uint64, p.capacity())
			marks = &m
			p.deleted.Store(marks)
		}
		if !(*marks)[row].CompareAndSwap(0, now.version) {
			continue // the row has already been deleted
		}
		deleted++
		if c.deleted[p.segment]++; !slices.Contains(touched, p.segment) {
			touched = append(touched, p.segment)
		}
	}
	if deleted == 0 {
		return 0
	}
	now.live -= deleted
	for _, s := range touched {
		if k := slices.IndexFunc(now.parts, func(p part) bool { return p.segment == s }); k >= 0 {
			c.compact(&now, k)
		}
	}
	c.now.Store(&now)
	return deleted
}

// partOf returns the index of the last part whose first identifier is at most id, or −1.
func (r *Rows) partOf(id ID) int {
	return sort.Search(len(r.parts), func(k int) bool { return r.parts[k].id(0) > id }) - 1
}

// compact copies the remaining rows of segment k to a new segment if at least half of the segment's
// rows have been deleted. If segment k−1 is also small, compact copies its rows to the same new
// segment. It does not change the last segment.
func (c *Collection) compact(now *Rows, k int) {
	if k == len(now.parts)-1 || 2*c.deleted[now.parts[k].segment] < now.partCount(k) {
		return
	}
	left := func(k int) int { return now.partCount(k) - c.deleted[now.parts[k].segment] }
	lo, rows := k, left(k)
	if k > 0 && rows+left(k-1) <= c.mostRows()/2 {
		lo--
		rows += left(lo)
	}
	parts := slices.Clone(now.parts[:lo])
	at := now.parts[lo].at
	if rows > 0 {
		to := newSegment(c.cols, rows, c.storage, c.plain)
		for j := lo; j <= k; j++ {
			p := now.parts[j]
			for i := range now.partCount(j) {
				if !p.isDeleted(i, now.version) {
					to.copyRow(len(to.ids), p.segment, i)
					to.ids = append(to.ids, p.id(i))
				}
			}
		}
		to.sketchRows(rows)
		parts = append(parts, part{to, at, false})
	}
	freed := now.parts[k+1].at - at - rows
	for _, p := range now.parts[k+1:] {
		p.at -= freed
		parts = append(parts, p)
	}
	for _, p := range now.parts[lo : k+1] {
		delete(c.deleted, p.segment)
	}
	now.parts = parts
	now.n -= freed
}
