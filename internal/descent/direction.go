package descent

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A method replaces its search direction if the cosine of the angle between the direction and the
// direction of steepest descent is below the bound of the method.
const (
	minCosineConjugate   = 1e-3
	minCosineQuasiNewton = 1e-6
	minCosineProjected   = 0.1
)

// chooseDirection sets the search direction at the current iterate, and the fields length, slope
// and steepest. Conjugate gradient and LBFGS also read the previous iterate from s.trial and the
// transported direction from s.transported.
func (s *solver) chooseDirection(first bool) {
	switch s.Method {
	case ProjectedGradient:
		s.setProjectedDirection(s.current.ambient)
		if !s.measureDirection(minCosineProjected) {
			s.setProjectedDirection(s.current.grad)
			s.measureDirection(minCosineProjected)
		}
		s.steepest = true
	case ConjugateGradient:
		if first {
			s.setSteepestDescent()
			return
		}
		s.setConjugateDirection()
		if !s.measureDirection(minCosineConjugate) {
			s.setSteepestDescent()
		}
	case LBFGS:
		if first {
			s.setSteepestDescent()
			return
		}
		s.setQuasiNewtonDirection()
		if !s.measureDirection(minCosineQuasiNewton) {
			s.setSteepestDescent()
		}
	default:
		s.setSteepestDescent()
	}
}

// setSteepestDescent sets the direction to −grad and forgets the LBFGS pairs.
func (s *solver) setSteepestDescent() {
	s.direction.Scale(-1, s.current.grad)
	s.length = s.current.norm
	s.slope = -s.current.norm * s.current.norm
	s.steepest = true
	s.pairCount = 0
}

// setProjectedDirection sets D = Π(P − g) − P, where Π is the projection onto the manifold. If the
// projection fails, it sets D = 0.
func (s *solver) setProjectedDirection(g *mat.Dense) {
	s.direction.Sub(s.current.point, g)
	if err := s.manifold.Project(s.ctx, s.direction, s.direction); err != nil {
		s.direction.Zero()
		return
	}
	s.direction.Sub(s.direction, s.current.point)
}

// measureDirection sets length and slope. It reports whether the cosine of the angle between the
// direction and −grad is at least minCosine.
func (s *solver) measureDirection(minCosine float64) bool {
	c, m := s.current, s.manifold
	s.length = math.Sqrt(m.Inner(c.point, s.direction, s.direction))
	s.slope = m.Inner(c.point, c.grad, s.direction)
	return s.slope < 0 && -s.slope >= minCosine*c.norm*s.length
}

// setConjugateDirection sets D ← −grad + β T(D), where T is the vector transport and
//
//	y    = grad − T(previous grad)
//	β_HS = ⟨grad, y⟩ / ⟨T(D), y⟩,  β_DY = ‖grad‖² / ⟨T(D), y⟩
//	β    = max(0, min(β_HS, β_DY))   (Sakai and Iiduka 2020).
func (s *solver) setConjugateDirection() {
	c, m := s.current, s.manifold
	before := s.trial.grad // the gradient of the previous iterate, which is not needed afterwards
	m.Transport(s.ctx, before, c.point, before)
	movedOld := m.Inner(c.point, s.transported, before)
	gradOld := m.Inner(c.point, c.grad, before)
	curvature := m.Inner(c.point, s.transported, c.grad) - movedOld
	square := float64(c.norm * c.norm)
	beta := 0.0
	if curvature > 0 {
		beta = max(0, min(square-gradOld, square)/curvature)
	}
	s.direction.Scale(beta, s.transported)
	s.direction.Sub(s.direction, c.grad)
	s.steepest = beta == 0
}
