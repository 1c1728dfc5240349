package descent

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// minCosine is the least cosine of the angle between a direction and that of
// steepest descent: below it the direction is not worth a line search.
const (
	minCosineConjugate   = 1e-3
	minCosineQuasiNewton = 1e-6
	minCosineProjected   = 0.1
)

// chooseDirection sets direction, length, slope and steepest at the current
// iterate. Conjugate gradient and LBFGS use what the accepted line search left: the
// iterate it started from in s.trial and its direction, transported, in s.moved.
func (s *solver) chooseDirection(first bool) {
	switch s.Method {
	case ProjectedGradient:
		s.project(s.current.ambient)
		if !s.isDescent(minCosineProjected) {
			s.project(s.current.grad)
			s.isDescent(minCosineProjected)
		}
		s.steepest = true
	case ConjugateGradient:
		if first {
			s.restart()
			return
		}
		s.conjugate()
		if !s.isDescent(minCosineConjugate) {
			s.restart()
		}
	case LBFGS:
		if first {
			s.restart()
			return
		}
		s.quasiNewton()
		if !s.isDescent(minCosineQuasiNewton) {
			s.restart()
		}
	default:
		s.restart()
	}
}

// restart sets the direction to that of steepest descent.
func (s *solver) restart() {
	s.direction.Scale(-1, s.current.grad)
	s.length = s.current.norm
	s.slope = -s.current.norm * s.current.norm
	s.steepest = true
	s.held = 0
}

// project sets D = Π(P − g) − P, or to zero if Π fails.
func (s *solver) project(g *mat.Dense) {
	s.direction.Sub(s.current.point, g)
	if err := s.manifold.Project(s.ctx, s.direction, s.direction); err != nil {
		s.direction.Zero()
		return
	}
	s.direction.Sub(s.direction, s.current.point)
}

// isDescent measures the direction: it sets length and slope, and reports whether its angle
// with the steepest has at least the given cosine.
func (s *solver) isDescent(minCosine float64) bool {
	c, m := s.current, s.manifold
	s.length = math.Sqrt(m.Inner(c.point, s.direction, s.direction))
	s.slope = m.Inner(c.point, c.grad, s.direction)
	return s.slope < 0 && -s.slope >= minCosine*c.norm*s.length
}

// conjugate sets D ← −grad + β T(D), with y = grad − T(grad before):
//
//	β_HS = ⟨grad, y⟩ / ⟨T(D), y⟩,  β_DY = ‖grad‖² / ⟨T(D), y⟩
//
// and β = max(0, min(β_HS, β_DY)) (Sakai and Iiduka 2020).
func (s *solver) conjugate() {
	c, m := s.current, s.manifold
	before := s.trial.grad // no longer needed there
	m.Transport(s.ctx, before, c.point, before)
	movedOld := m.Inner(c.point, s.moved, before)
	gradOld := m.Inner(c.point, c.grad, before)
	curvature := m.Inner(c.point, s.moved, c.grad) - movedOld
	square := float64(c.norm * c.norm)
	beta := 0.0
	if curvature > 0 {
		beta = max(0, min(square-gradOld, square)/curvature)
	}
	s.direction.Scale(beta, s.moved)
	s.direction.Sub(s.direction, c.grad)
	s.steepest = beta == 0
}
