package wda

import (
	"context"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/enum"
	"github.com/gomonge/monge/sinkhorn"
)

// GradientMode says what is taken for the gradient of J, that is of every transport
// cost W = ⟨T, M⟩ with respect to the projected samples.
type GradientMode uint8

const (
	// Unrolled is the derivative of W as it is defined, through all L iterations.
	Unrolled GradientMode = iota
	// Implicit takes W at convergence in the place of W after L iterations, and its
	// derivative by the implicit function theorem (the appendix of the paper; there in
	// O(n⁶), here by conjugate gradients on an (n + m) system). Iterations are made
	// until ‖Tᵀ1 − b‖₁ ≤ 1e-12 (1e-5 in float32); Objective.Iterations bounds them. Where
	// they end before an error of 1e-4 (1e-3), Fit and Score fail with ErrSettings. No
	// iterate is kept, so that memory does not grow with the iterations.
	Implicit
	// Frozen holds the plans T after L iterations fixed, Σ_ij T_ij ∂M_ij: the cheapest,
	// without a reverse pass, but no gradient of J. Solvers that use it end where it
	// vanishes, which is a fixed point of EigenTraceRatio, or where it is no ascent
	// direction any more (status LineSearchFailed).
	Frozen

	numGradientModes
)

var gradientModeNames = enum.New("GradientMode", ErrSettings, "unrolled", "implicit", "frozen")

// String returns the name that UnmarshalText reads: unrolled, implicit or frozen.
func (g GradientMode) String() string { return gradientModeNames.Name(uint8(g)) }

// MarshalText implements encoding.TextMarshaler.
func (g GradientMode) MarshalText() ([]byte, error) { return gradientModeNames.Text(uint8(g)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (g *GradientMode) UnmarshalText(text []byte) error {
	return enum.Parse(g, text, gradientModeNames)
}

const (
	// implicitIterations bounds the iterations of Implicit by default.
	implicitIterations = 10000
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
