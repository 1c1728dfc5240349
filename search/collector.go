package search

import (
	"math"
	"slices"

	"github.com/gomonge/monge/internal/nearest"
)

// acceptance determines which rows may be in a result.
type acceptance struct {
	version uint64        // rows deleted in this or an earlier version are rejected
	filter  func(ID) bool // nil accepts all rows
}

// acceptsAll reports whether every row of a segment is accepted because there is no filter and no row has been deleted.
func (a *acceptance) acceptsAll(s *segment) bool { return a.filter == nil && s.deleted.Load() == nil }

// accepts reports whether row i of a segment may be in the result.
func (a *acceptance) accepts(s *segment, i int) bool {
	return !s.isDeleted(i, a.version) && (a.filter == nil || a.filter(s.id(i)))
}

// collector collects the results of one query.
type collector interface {
	// bound returns an upper limit for the keys of rows that can still enter the result. The limit
	// may be infinite. A key is a squared distance, or a negative inner product or cosine.
	bound() float32
	// offer offers len(keys) consecutive rows of a segment. The first row has the given index in the
	// segment and the given position in the Rows. keys contains the key of each row. A row with a
	// smaller key is nearer, and a NaN key counts as +Inf.
	offer(a *acceptance, s *segment, index, position int, keys []float32)
	// merge adds the results of a collector of the same kind.
	merge(other collector)
	// appendTo appends the results, the nearest first.
	appendTo(dst []Neighbor, r *Rows, m Measure) []Neighbor
}

// nearestCollector keeps the k nearest rows.
type nearestCollector struct{ set nearest.Set[float32] }

func (c *nearestCollector) offer(a *acceptance, s *segment, index, position int, keys []float32) {
	if a.acceptsAll(s) {
		c.set.OfferAll(keys, position)
		return
	}
	for j, key := range keys {
		if c.set.Enters(key, position+j) && a.accepts(s, index+j) {
			c.set.Offer(key, position+j)
		}
	}
}

func (c *nearestCollector) bound() float32 { return c.set.Bound() }

func (c *nearestCollector) merge(other collector) {
	o := &other.(*nearestCollector).set
	for i, key := range o.Distances() {
		c.set.Offer(key, o.Rows()[i])
	}
}

func (c *nearestCollector) appendTo(dst []Neighbor, r *Rows, m Measure) []Neighbor {
	c.set.Sort()
	rows := c.set.Rows()
	dst = slices.Grow(dst, len(rows))
	for i, key := range c.set.Distances() {
		dst = append(dst, r.neighbor(rows[i], key, m))
	}
	return dst
}

// withinCollector keeps all rows whose key is at most limit. Nearer rows have smaller keys.
type withinCollector struct {
	limit float32 // limit of the search, converted to a key
	found []keyed
}

type keyed struct {
	key float32
	at  int
}

func (c *withinCollector) offer(a *acceptance, s *segment, index, position int, keys []float32) {
	all := a.acceptsAll(s)
	for j, key := range keys {
		if key != key {
			key = float32(math.Inf(1))
		}
		if key <= c.limit && (all || a.accepts(s, index+j)) {
			c.found = append(c.found, keyed{key, position + j})
		}
	}
}

func (c *withinCollector) bound() float32 { return c.limit }

func (c *withinCollector) merge(other collector) {
	c.found = append(c.found, other.(*withinCollector).found...)
}

func (c *withinCollector) appendTo(dst []Neighbor, r *Rows, m Measure) []Neighbor {
	slices.SortFunc(c.found, func(a, b keyed) int {
		switch {
		case a.key < b.key || a.key == b.key && a.at < b.at:
			return -1
		case a == b:
			return 0
		}
		return 1
	})
	dst = slices.Grow(dst, len(c.found))
	for _, f := range c.found {
		dst = append(dst, r.neighbor(f.at, f.key, m))
	}
	return dst
}

// neighbor converts the position and the key of a row to a Neighbor.
func (r *Rows) neighbor(at int, key float32, m Measure) Neighbor {
	if m != MeasureSqEuclidean {
		key = 0 - key // the subtraction also turns −0 into +0
	}
	s, row := r.segmentAt(at)
	return Neighbor{Row: at, ID: s.id(row), Value: key}
}
