package descent

import (
	"math"

	"github.com/gomonge/monge/internal/algebra"
	"gonum.org/v1/gonum/mat"
)

const (
	// MemoryPairs is how many steps LBFGS remembers.
	MemoryPairs = 10

	// minCurvature is the least cosine of the angle between s and y of a pair that
	// is kept.
	minCurvature = 1e-10
)

// pair is what a step has shown of the curvature: s = α T(D), y = grad − T(grad
// before), both in the tangent space at the current iterate.
type pair struct {
	s, y    *mat.Dense
	inverse float64 // 1/⟨s, y⟩
	alpha   float64 // of the first loop
}

// newPairs allocates the memory of LBFGS.
func newPairs(d, p int) []pair {
	all := make([]pair, MemoryPairs)
	for i := range all {
		all[i] = pair{s: mat.NewDense(d, p, nil), y: mat.NewDense(d, p, nil)}
	}
	return all
}

// remember moves the pairs to the current iterate and appends that of the accepted step:
// before it the iterate is in s.trial, its direction, transported, in s.moved. A pair
// without curvature is dropped.
func (s *solver) remember() {
	c, m := s.current, s.manifold
	for _, k := range s.pairs[:s.held] {
		m.Transport(s.ctx, k.s, c.point, k.s)
		m.Transport(s.ctx, k.y, c.point, k.y)
	}
	if s.held == MemoryPairs {
		oldest := s.pairs[0]
		copy(s.pairs, s.pairs[1:])
		s.pairs[MemoryPairs-1] = oldest
		s.held--
	}
	last := s.pairs[s.held]
	last.s.Scale(s.line.step, s.moved)
	m.Transport(s.ctx, last.y, c.point, s.trial.grad)
	last.y.Sub(c.grad, last.y)
	kept := 0
	for i := range s.held + 1 {
		k := s.pairs[i]
		curvature := m.Inner(c.point, k.s, k.y)
		lengths := math.Sqrt(m.Inner(c.point, k.s, k.s)) * math.Sqrt(m.Inner(c.point, k.y, k.y))
		if curvature > minCurvature*lengths {
			k.inverse = 1 / curvature
			s.pairs[i], s.pairs[kept] = s.pairs[kept], k
			kept++
		}
	}
	s.held = kept
}

// quasiNewton sets D = −H grad, H the approximation of the inverse Hessian by the pairs
// kept (Nocedal and Wright, Numerical Optimization, 2006, algorithm 7.4), from H =
// ⟨s, y⟩/⟨y, y⟩ of the latest.
func (s *solver) quasiNewton() {
	c, m, d := s.current, s.manifold, s.direction
	s.remember()
	d.Scale(-1, c.grad)
	for i := s.held - 1; i >= 0; i-- {
		k := &s.pairs[i]
		k.alpha = k.inverse * m.Inner(c.point, k.s, d)
		addScaled(d, -k.alpha, k.y)
	}
	if s.held > 0 {
		k := s.pairs[s.held-1]
		gamma := 1 / (k.inverse * m.Inner(c.point, k.y, k.y))
		for i := range d.RawMatrix().Rows {
			algebra.Scale(d.RawRowView(i), gamma)
		}
	}
	for i := range s.held {
		k := s.pairs[i]
		addScaled(d, k.alpha-float64(k.inverse*m.Inner(c.point, k.y, d)), k.s)
	}
	s.steepest = s.held == 0
}

// addScaled adds a·x to dst.
func addScaled(dst *mat.Dense, a float64, x *mat.Dense) {
	for i := range dst.RawMatrix().Rows {
		algebra.Axpy(a, x.RawRowView(i), dst.RawRowView(i))
	}
}
