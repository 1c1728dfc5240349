package descent

import (
	"math"

	"github.com/gomonge/monge/internal/algebra"
	"gonum.org/v1/gonum/mat"
)

const (
	// MemoryPairs is the number of steps that LBFGS remembers.
	MemoryPairs = 10

	// A correction pair (s, y) is kept only if the cosine of the angle between s and y is above
	// minPairCosine.
	minPairCosine = 1e-10
)

// correctionPair describes the curvature along one step with length α and direction D. T is the vector
// transport to the current iterate: s = α T(D) and y = grad − T(previous grad). Both s and y are
// tangent vectors at the current iterate.
type correctionPair struct {
	s, y    *mat.Dense
	inverse float64 // 1/⟨s, y⟩
	alpha   float64 // coefficient from the first loop of the two-loop recursion
}

// newCorrectionPairs allocates the correction pairs of LBFGS.
func newCorrectionPairs(d, p int) []correctionPair {
	all := make([]correctionPair, MemoryPairs)
	for i := range all {
		all[i] = correctionPair{s: mat.NewDense(d, p, nil), y: mat.NewDense(d, p, nil)}
	}
	return all
}

// updatePairs transports the correction pairs of LBFGS to the current iterate and appends the pair
// of the accepted step. It reads the previous iterate from s.trial and the transported direction
// from s.transported. It drops pairs without curvature.
func (s *solver) updatePairs() {
	c, m := s.current, s.manifold
	for _, k := range s.pairs[:s.pairCount] {
		m.Transport(s.ctx, k.s, c.point, k.s)
		m.Transport(s.ctx, k.y, c.point, k.y)
	}
	if s.pairCount == MemoryPairs {
		oldest := s.pairs[0]
		copy(s.pairs, s.pairs[1:])
		s.pairs[MemoryPairs-1] = oldest
		s.pairCount--
	}
	last := s.pairs[s.pairCount]
	last.s.Scale(s.line.step, s.transported)
	m.Transport(s.ctx, last.y, c.point, s.trial.grad)
	last.y.Sub(c.grad, last.y)
	kept := 0
	for i := range s.pairCount + 1 {
		k := s.pairs[i]
		curvature := m.Inner(c.point, k.s, k.y)
		lengths := math.Sqrt(m.Inner(c.point, k.s, k.s)) * math.Sqrt(m.Inner(c.point, k.y, k.y))
		if curvature > minPairCosine*lengths {
			k.inverse = 1 / curvature
			s.pairs[i], s.pairs[kept] = s.pairs[kept], k
			kept++
		}
	}
	s.pairCount = kept
}

// setQuasiNewtonDirection sets D = −H grad, where H approximates the inverse Hessian. The
// two-loop recursion (Nocedal and Wright, Numerical Optimization, 2006, algorithm 7.4) computes D
// from the correction pairs (s, y). It begins with H = ⟨s, y⟩/⟨y, y⟩ for the latest pair.
func (s *solver) setQuasiNewtonDirection() {
	c, m, d := s.current, s.manifold, s.direction
	s.updatePairs()
	d.Scale(-1, c.grad)
	for i := s.pairCount - 1; i >= 0; i-- {
		k := &s.pairs[i]
		k.alpha = k.inverse * m.Inner(c.point, k.s, d)
		addScaled(d, -k.alpha, k.y)
	}
	if s.pairCount > 0 {
		k := s.pairs[s.pairCount-1]
		gamma := 1 / (k.inverse * m.Inner(c.point, k.y, k.y))
		for i := range d.RawMatrix().Rows {
			algebra.Scale(d.RawRowView(i), gamma)
		}
	}
	for i := range s.pairCount {
		k := s.pairs[i]
		addScaled(d, k.alpha-float64(k.inverse*m.Inner(c.point, k.y, d)), k.s)
	}
	s.steepest = s.pairCount == 0
}

// addScaled adds a·x to dst.
func addScaled(dst *mat.Dense, a float64, x *mat.Dense) {
	for i := range dst.RawMatrix().Rows {
		algebra.Axpy(a, x.RawRowView(i), dst.RawRowView(i))
	}
}
