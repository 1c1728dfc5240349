package wda

import (
	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/sinkhorn"
)

const (
	// The marginal error at which the iterations of Implicit end, and what J may be
	// off by then, relatively.
	implicitTolerance64, implicitNoise64 = 1e-12, 1e-11
	implicitTolerance32, implicitNoise32 = 1e-5, 1e-5
)

// sinkhornSettings returns the settings of a solver of pairs.
func sinkhornSettings[T dist.Float](set *Settings) sinkhorn.Settings {
	s := sinkhorn.Settings{Iterations: set.Objective.Iterations}
	switch set.Objective.Gradient {
	case sinkhorn.GradientUnrolled:
		s.Gradient = true
	case sinkhorn.GradientImplicit:
		s.Tolerance = implicitTolerance64
		if !num.IsFloat64[T]() {
			s.Tolerance = implicitTolerance32
		}
	}
	return s
}

// noise returns the relative error of J that is no reason to refuse a step.
func (s *Settings) noise() float64 {
	switch {
	case s.Objective.Gradient == sinkhorn.GradientImplicit && s.Objective.Float32:
		return implicitNoise32
	case s.Objective.Gradient == sinkhorn.GradientImplicit:
		return implicitNoise64
	case s.Objective.Float32:
		return 1e-6
	}
	return 1e-12
}
