package wda

import (
	"context"

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
	case Unrolled:
		s.Gradient = true
	case Implicit:
		s.Tolerance = implicitTolerance64
		if !num.IsFloat64[T]() {
			s.Tolerance = implicitTolerance32
		}
	}
	return s
}

// pointGradient sets dx and dy to the gradient of the cost of res.
func pointGradient[T dist.Float](ctx context.Context, res *sinkhorn.Result[T], mode GradientMode, dx, dy dist.Matrix[T]) error {
	switch mode {
	case Implicit:
		return res.ImplicitPointGradientTo(ctx, dx, dy)
	case Frozen:
		return res.RegularizedPointGradientTo(ctx, dx, dy)
	}
	return res.PointGradientTo(ctx, dx, dy)
}

// noise returns the relative error of J that is no reason to refuse a step.
func (s *Settings) noise() float64 {
	switch {
	case s.Objective.Gradient == Implicit && s.Objective.Float32:
		return implicitNoise32
	case s.Objective.Gradient == Implicit:
		return implicitNoise64
	case s.Objective.Float32:
		return 1e-6
	}
	return 1e-12
}
