// Package nearest keeps the k nearest of many candidates. After warm-up it does not allocate.
//
// A candidate has a distance and a row. Candidates are ordered by distance, and by row at equal
// distances. The k nearest candidates therefore do not depend on the order in which candidates are
// offered. NaN counts as +Inf.
package nearest

import (
	"math"
	"slices"

	"github.com/gomonge/monge/internal/asm/num"
)

// Set contains the k nearest candidates offered to it. The zero value has k = 0. A Set must not be
// used by several goroutines at once.
//
// Up to maxSorted candidates are sorted, the nearest first. More candidates form a heap, with the
// farthest on top, until Sort is called.
type Set[T num.Float] struct {
	distances []T
	rows      []int
	k         int
}

// maxSorted is the largest k for which candidates are kept sorted. Insertion into a short sorted
// list is faster than a heap.
const maxSorted = 16

// farthestIndex returns the index of the farthest candidate.
func (s *Set[T]) farthestIndex() int {
	if s.k <= maxSorted {
		return len(s.distances) - 1
	}
	return 0
}

// Reset empties s and sets k, the largest number of candidates. It allocates only if k is larger
// than in every earlier call.
func (s *Set[T]) Reset(k int) {
	if k < 0 {
		panic("nearest: number of candidates below 0")
	}
	s.k = k
	s.distances, s.rows = slices.Grow(s.distances[:0], k), slices.Grow(s.rows[:0], k)
}

// Len returns the number of candidates in s, at most k.
func (s *Set[T]) Len() int { return len(s.distances) }

// Room returns the number of candidates that s can accept until it is full.
func (s *Set[T]) Room() int { return s.k - len(s.distances) }

// Bound returns the distance of the farthest candidate if s is full. A candidate with a larger
// distance is not accepted. Bound returns +Inf if s is not full, and −Inf if k = 0.
func (s *Set[T]) Bound() T {
	switch {
	case len(s.distances) < s.k:
		return T(math.Inf(1))
	case s.k == 0:
		return T(math.Inf(-1))
	}
	return s.distances[s.farthestIndex()]
}

// Enters reports whether Offer would accept a candidate.
func (s *Set[T]) Enters(distance T, row int) bool {
	if distance != distance {
		distance = T(math.Inf(1))
	}
	n := len(s.distances)
	return n < s.k || n > 0 && nearer(distance, row, s.distances[s.farthestIndex()], s.rows[s.farthestIndex()])
}

// Offer offers one candidate. It reports whether the candidate was accepted.
func (s *Set[T]) Offer(distance T, row int) bool {
	if distance != distance {
		distance = T(math.Inf(1))
	}
	n, top := len(s.distances), s.farthestIndex()
	switch {
	case n < s.k:
		s.distances, s.rows = append(s.distances, distance), append(s.rows, row)
		if s.k > maxSorted {
			s.siftUp(n, distance, row)
			return true
		}
	case n == 0 || !nearer(distance, row, s.distances[top], s.rows[top]):
		return false
	case s.k > maxSorted:
		s.siftDown(n, distance, row)
		return true
	}
	s.insertSorted(distance, row)
	return true
}

// insertSorted inserts a candidate at its place in the order and drops the last candidate.
func (s *Set[T]) insertSorted(d T, row int) {
	ds, rs := s.distances, s.rows[:len(s.distances)]
	i := len(ds) - 1
	for ; i > 0 && nearer(d, row, ds[i-1], rs[i-1]); i-- {
		ds[i], rs[i] = ds[i-1], rs[i-1]
	}
	ds[i], rs[i] = d, row
}

// OfferAll offers a candidate for each distance. Candidate j has the distance distances[j] and the row first + j.
func (s *Set[T]) OfferAll(distances []T, first int) {
	j := 0
	for ; j < len(distances) && len(s.distances) < s.k; j++ {
		s.Offer(distances[j], first+j)
	}
	if s.k == 0 {
		return
	}
	for len(distances) > j {
		// Few candidates are accepted, so the common path is one comparison.
		bound := s.distances[s.farthestIndex()]
		for ; j < len(distances) && !(distances[j] <= bound); j++ {
		}
		if j < len(distances) {
			s.Offer(distances[j], first+j)
			j++
		}
	}
}

// OfferWithin is like OfferAll, but skips candidates whose distance is larger than bound. The caller
// must know that at least k candidates have a distance of at most bound.
func (s *Set[T]) OfferWithin(distances []T, first int, bound T) {
	j := 0
	for ; j+4 <= len(distances); j += 4 {
		d := distances[j:][:4]
		if d[0] > bound && d[1] > bound && d[2] > bound && d[3] > bound {
			continue // common case
		}
		bound = s.offerSome(d, first+j, bound)
	}
	s.offerSome(distances[j:], first+j, bound)
}

// offerSome implements OfferWithin. It returns the bound for the following candidates.
func (s *Set[T]) offerSome(distances []T, first int, bound T) T {
	for j, d := range distances {
		if d <= bound && s.Offer(d, first+j) && len(s.distances) == s.k {
			bound = s.distances[s.farthestIndex()]
		}
	}
	return bound
}

// Sort sorts the candidates, the nearest first. After Sort, no candidate may be offered until
// Reset.
func (s *Set[T]) Sort() {
	if s.k <= maxSorted {
		return
	}
	for n := len(s.distances) - 1; n > 0; n-- {
		d, r := s.distances[n], s.rows[n]
		s.distances[n], s.rows[n] = s.distances[0], s.rows[0]
		s.siftDown(n, d, r)
	}
}

// Distances returns the distances of the candidates, valid until the next Reset.
func (s *Set[T]) Distances() []T { return s.distances }

// Rows returns the rows of the candidates, in the order of Distances.
func (s *Set[T]) Rows() []int { return s.rows }

func nearer[T num.Float](d T, row int, than T, thanRow int) bool {
	return d < than || d == than && row < thanRow
}

// siftUp inserts a candidate at index i of the heap or at an ancestor of index i.
func (s *Set[T]) siftUp(i int, d T, row int) {
	for i > 0 {
		p := (i - 1) / 2
		if !nearer(s.distances[p], s.rows[p], d, row) {
			break
		}
		s.distances[i], s.rows[i] = s.distances[p], s.rows[p]
		i = p
	}
	s.distances[i], s.rows[i] = d, row
}

// siftDown replaces the top of a heap of n elements by a candidate and restores the heap order.
func (s *Set[T]) siftDown(n int, d T, row int) {
	i := 0
	ds, rs := s.distances[:n], s.rows[:n]
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && nearer(ds[c], rs[c], ds[c+1], rs[c+1]) {
			c++
		}
		if !nearer(d, row, ds[c], rs[c]) {
			break
		}
		ds[i], rs[i] = ds[c], rs[c]
		i = c
	}
	ds[i], rs[i] = d, row
}
