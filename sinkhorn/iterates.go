package sinkhorn

import (
	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/gibbs"
)

// iterates stores iterates in ring buffers: all iterates for unrolled gradients, and otherwise the
// last two.
type iterates[T dist.Float] struct {
	n, m, padded int
	ring         int // number of iterates
	us, vs       []T
	kinds        []int
	q            []T // Kᵀu for the last iterate
}

// Kinds of an iterate k: scalings u^k and v^k (plainKind), scalings relative to the potentials in
// slot k' ≥ 0 (kind k'), or potentials to base 2 (potentialKind).
const (
	plainKind     = -1
	potentialKind = -2
)

// side selects the rows (u) or the columns (v).
type side bool

const (
	rowSide    side = false
	columnSide side = true
)

// grow provides memory for iterates of n and m elements.
func (s *iterates[T]) grow(n, m, padded int) {
	s.n, s.m, s.padded = n, m, padded
	gibbs.Grow(&s.us, s.ring*n)
	gibbs.Grow(&s.vs, s.ring*padded)
	gibbs.Grow(&s.kinds, s.ring)
	gibbs.GrowColumn(&s.q, m, padded)
}

// u and v return the slots of iterate k.
func (s *iterates[T]) u(k int) []T { return s.us[k%s.ring*s.n:][:s.n] }
func (s *iterates[T]) v(k int) []T { return s.vs[k%s.ring*s.padded:][:s.m:s.padded] }

// slot returns the slot of iterate k on one side.
func (s *iterates[T]) slot(d side, k int) []T {
	if d == columnSide {
		return s.v(k)
	}
	return s.u(k)
}

// kind returns the kind of iterate k.
func (s *iterates[T]) kind(k int) int { return s.kinds[k%s.ring] }

func (s *iterates[T]) setKind(k, kind int) { s.kinds[k%s.ring] = kind }
