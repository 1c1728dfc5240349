package sinkhorn

import (
	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/gibbs"
)

// iterates stores the iterates u^k and v^k in ring buffers. It keeps all iterates for unrolled gradients, and otherwise the
// last two.
type iterates[T dist.Float] struct {
	n, m, padded int
	ring         int // number of iterates
	us, vs       []T
	kinds        []int
	q            []T // Kᵀu for the last iterate
}

// The kind of an iterate tells what is stored: scalings u and v (plainKind), or potentials to base 2 (potentialKind). If
// the kind is a number k ≥ 0, the iterate consists of scalings relative to the potentials of iterate k.
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

// u and v return the two vectors of iterate k.
func (s *iterates[T]) u(k int) []T { return s.us[k%s.ring*s.n:][:s.n] }
func (s *iterates[T]) v(k int) []T { return s.vs[k%s.ring*s.padded:][:s.m:s.padded] }

// slot returns v(k) for the column side, and u(k) for the row side.
func (s *iterates[T]) slot(d side, k int) []T {
	if d == columnSide {
		return s.v(k)
	}
	return s.u(k)
}

func (s *iterates[T]) kind(k int) int { return s.kinds[k%s.ring] }

func (s *iterates[T]) setKind(k, kind int) { s.kinds[k%s.ring] = kind }
