// Package nearest keeps the k best of many candidates, without allocation once it has grown.
//
// A candidate has a distance and a row. The nearer of two is the one with the smaller
// distance, and at equal distance the one with the smaller row. So the k best do not depend on
// the order in which candidates come. A distance of NaN counts as +Inf.
package nearest

import (
	"math"
	"slices"

	"github.com/gomonge/monge/internal/asm/num"
)

// Set holds the k nearest candidates that it was offered. The zero value is for k = 0. It
// belongs to one goroutine.
//
// Up to sortedMost candidates are in order, the nearest first. More are a heap with the farthest
// on top, until Sort is called.
type Set[T num.Float] struct {
	distances []T
	rows      []int
	k         int
}

// sortedMost is the largest k whose candidates are kept in order. To insert one among so few takes
// less time than to mend a heap.
const sortedMost = 16

// top is the index of the farthest candidate.
func (s *Set[T]) top() int {
	if s.k <= sortedMost {
		return len(s.distances) - 1
	}
	return 0
}

// Reset empties s and sets k, the largest number of candidates that it holds. It allocates
// only if k is larger than any before.
func (s *Set[T]) Reset(k int) {
	if k < 0 {
		panic("nearest: number of candidates below 0")
	}
	s.k = k
	s.distances, s.rows = slices.Grow(s.distances[:0], k), slices.Grow(s.rows[:0], k)
}

// Len returns the number of candidates that s holds, at most k.
func (s *Set[T]) Len() int { return len(s.distances) }

// Room returns the number of candidates that s can still hold until it is full.
func (s *Set[T]) Room() int { return s.k - len(s.distances) }

// Bound returns the distance of the farthest candidate if s is full. A candidate with a larger
// distance cannot enter. It returns +Inf if s is not full, and −Inf if k = 0.
func (s *Set[T]) Bound() T {
	switch {
	case len(s.distances) < s.k:
		return T(math.Inf(1))
	case s.k == 0:
		return T(math.Inf(-1))
	}
	return s.distances[s.top()]
}

// Enters reports whether Offer would take a candidate.
func (s *Set[T]) Enters(distance T, row int) bool {
	if distance != distance {
		distance = T(math.Inf(1))
	}
	n := len(s.distances)
	return n < s.k || n > 0 && nearer(distance, row, s.distances[s.top()], s.rows[s.top()])
}

// Offer offers one candidate, and reports whether it entered.
func (s *Set[T]) Offer(distance T, row int) bool {
	if distance != distance {
		distance = T(math.Inf(1))
	}
	n, top := len(s.distances), s.top()
	switch {
	case n < s.k:
		s.distances, s.rows = append(s.distances, distance), append(s.rows, row)
		if s.k > sortedMost {
			s.up(n, distance, row)
			return true
		}
	case n == 0 || !nearer(distance, row, s.distances[top], s.rows[top]):
		return false
	case s.k > sortedMost:
		s.down(n, distance, row)
		return true
	}
	s.insert(distance, row)
	return true
}

// insert puts a candidate where it belongs in order. The last one is lost.
func (s *Set[T]) insert(d T, row int) {
	ds, rs := s.distances, s.rows[:len(s.distances)]
	i := len(ds) - 1
	for ; i > 0 && nearer(d, row, ds[i-1], rs[i-1]); i-- {
		ds[i], rs[i] = ds[i-1], rs[i-1]
	}
	ds[i], rs[i] = d, row
}

// OfferAll offers the candidates first, first+1, … at the given distances.
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
		bound := s.distances[s.top()]
		for ; j < len(distances) && !(distances[j] <= bound); j++ {
		}
		if j < len(distances) {
			s.Offer(distances[j], first+j)
			j++
		}
	}
}

// OfferWithin is OfferAll for a caller who knows that k of the candidates have at most the
// distance bound: the others are passed over.
func (s *Set[T]) OfferWithin(distances []T, first int, bound T) {
	j := 0
	for ; j+4 <= len(distances); j += 4 {
		d := distances[j:][:4]
		if d[0] > bound && d[1] > bound && d[2] > bound && d[3] > bound {
			continue // nearly always
		}
		bound = s.offerSome(d, first+j, bound)
	}
	s.offerSome(distances[j:], first+j, bound)
}

// offerSome is OfferWithin. It returns the distance that the next candidates must not exceed.
func (s *Set[T]) offerSome(distances []T, first int, bound T) T {
	for j, d := range distances {
		if d <= bound && s.Offer(d, first+j) && len(s.distances) == s.k {
			bound = s.distances[s.top()]
		}
	}
	return bound
}

// Sort orders the candidates, the nearest first. Until the next Reset nothing can be offered.
func (s *Set[T]) Sort() {
	if s.k <= sortedMost {
		return
	}
	for n := len(s.distances) - 1; n > 0; n-- {
		d, r := s.distances[n], s.rows[n]
		s.distances[n], s.rows[n] = s.distances[0], s.rows[0]
		s.down(n, d, r)
	}
}

// Distances returns the distances of the candidates, valid until the next Reset.
func (s *Set[T]) Distances() []T { return s.distances }

// Rows returns the rows of the candidates, in the order of Distances.
func (s *Set[T]) Rows() []int { return s.rows }

func nearer[T num.Float](d T, row int, than T, thanRow int) bool {
	return d < than || d == than && row < thanRow
}

// up puts a candidate into the hole i, or above it.
func (s *Set[T]) up(i int, d T, row int) {
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

// down puts a candidate into the top of a heap of n, or below it.
func (s *Set[T]) down(n int, d T, row int) {
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
