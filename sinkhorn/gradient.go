package sinkhorn

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/gibbs"
)

// CostGradientTo sets dst (n × m) to ∂Cost/∂M as defined by mode. λ and Start count as constants.
//
// CostGradientTo returns the context's cause if the context ends first, ErrNoResult if there is no plan, or ErrRange if the
// gradient overflows. It returns ErrSettings for GradientUnrolled without Settings.Gradient, and for GradientImplicit of
// partial transport. GradientImplicit returns ErrNotConverged if the marginal error is above 1e-4 (1e-3 in float32) of the
// mass, or if its linear system does not converge. CostGradientTo panics if dst is not n × m.
func (r *Result[T]) CostGradientTo(ctx context.Context, dst dist.Matrix[T], mode GradientMode) error {
	return r.implementation().costGradientTo(ctx, r.serial, dst, mode)
}

func (r *outcome[T]) costGradientTo(ctx context.Context, serial uint64, dst dist.Matrix[T], mode GradientMode) error {
	it := r.acquire(serial)
	defer r.solver.markFree()
	mustHaveShape(dst, it.n, it.m, "CostGradientTo: dst must be n × m")
	return r.solver.gradients.costGradient(ctx, it, dst, mode)
}

// PointGradientTo sets dx (n × p) and dy (m × p) to ∂Cost/∂X and ∂Cost/∂Y as defined by mode, for a problem of two point
// clouds. λ and Start count as constants. With GradientFrozen, dx and dy are the gradients of RegularizedCost at convergence.
// If X and Y are the same matrix, the gradient of this matrix is dx + dy.
//
// Terms of the order of λ·cost cancel in the gradient. If these terms overflow, PointGradientTo returns ErrRange. It returns
// ErrSettings if the gradient needs more than Settings.MaxMemory. Other errors are those of CostGradientTo. PointGradientTo
// panics if dx or dy has the wrong shape, or if the problem was given by a cost matrix.
func (r *Result[T]) PointGradientTo(ctx context.Context, dx, dy dist.Matrix[T], mode GradientMode) error {
	return r.implementation().pointGradientTo(ctx, r.serial, dx, dy, mode)
}

func (r *outcome[T]) pointGradientTo(ctx context.Context, serial uint64, dx, dy dist.Matrix[T], mode GradientMode) error {
	it := r.acquire(serial)
	defer r.solver.markFree()
	return r.solver.gradients.pointGradients(ctx, it, dx, dy, mode)
}

// gradients computes M̄ = ∂Cost/∂M as a sum of segments. A segment is a sum of terms with the same base potentials (reverse.go).
// The field sink adds each segment to the caller's matrix, or multiplies the segment by the points.
type gradients[T dist.Float] struct {
	sys      *system[T]
	solution *solution[T]   // state of Solve; needed only for problems with penalties, which are never solved in groups
	terms    gibbs.Terms[T] // terms that the reverse pass adds between two changes of the base potentials; a change sets HU to zero
	sink     gibbs.Sink[T]
	reverse  reverse[T]
	implicit implicit[T]
}

// costGradient sets dst to the gradient M̄ = ∂Cost/∂M.
func (g *gradients[T]) costGradient(ctx context.Context, it *iteration[T], dst dist.Matrix[T], mode GradientMode) error {
	if err := it.hasResult(); err != nil {
		return err
	}
	return g.repeatIfNotFinite(ctx, it, func() error {
		if err := gibbs.EachRun(ctx, dst, func(x []T) { clear(x) }); err != nil {
			return err
		}
		g.sink.BeginMatrix(dst)
		return g.computeAdjoint(ctx, it, mode)
	}, dst, dist.Matrix[T]{})
}

// pointGradients sets dx and dy to the gradients with respect to the points.
func (g *gradients[T]) pointGradients(ctx context.Context, it *iteration[T], dx, dy dist.Matrix[T], mode GradientMode) error {
	kernel := &it.kernel
	mustBePoints(&it.kernel, "PointGradientTo")
	mustHaveShape(dx, kernel.N(), kernel.P(), "PointGradientTo: dx must be n × p")
	mustHaveShape(dy, kernel.M(), kernel.P(), "PointGradientTo: dy must be m × p")
	if err := it.hasResult(); err != nil {
		return err
	}
	if err := it.settings.checkMemory(kernel.SinkBytes(), "a gradient of so many points and dimensions"); err != nil {
		return err
	}
	return g.repeatIfNotFinite(ctx, it, func() error {
		g.sink.BeginPoints(kernel)
		if err := g.computeAdjoint(ctx, it, mode); err != nil {
			return err
		}
		g.sink.FinishPoints(kernel, dx, dy)
		return nil
	}, dx, dy)
}

// computeAdjoint computes the gradient M̄ = ∂Cost/∂M as defined by mode.
func (g *gradients[T]) computeAdjoint(ctx context.Context, it *iteration[T], mode GradientMode) error {
	switch mode {
	case GradientUnrolled:
		return g.unrolledAdjoint(ctx, it)
	case GradientImplicit:
		return g.implicitAdjoint(ctx, it)
	case GradientFrozen:
		return g.frozenAdjoint(ctx, it)
	}
	return gradientModeNames.Check(uint8(mode))
}

// frozenAdjoint sets the gradient M̄ = ∂Cost/∂M to the transport plan.
func (g *gradients[T]) frozenAdjoint(ctx context.Context, it *iteration[T]) error {
	if err := it.finalizePlan(ctx); err != nil {
		return err
	}
	g.terms.Reset(&it.kernel, 0, 0)
	copy(g.terms.HU, it.plan.u)
	copy(g.terms.HV, it.plan.v)
	return g.flushSegment(ctx, &it.kernel)
}

// flushSegment passes the current segment of the gradient M̄ to the sink, which accumulates the gradient.
func (g *gradients[T]) flushSegment(ctx context.Context, kernel *gibbs.Kernel[T]) error {
	return kernel.Adjoint(ctx, &g.terms, &g.sink)
}

// repeatIfNotFinite calls gradient, which sets x and y. If x or y is not finite, it calls gradient again with the elements
// K_ij = 0 skipped. If λ·cost is near the end of the floating-point range, the adjoint of such an element may overflow, and its
// contribution 0·∞ is NaN instead of 0. (Checking for K_ij = 0 in every call would take longer than the rest of the pass.)
func (g *gradients[T]) repeatIfNotFinite(ctx context.Context, it *iteration[T], gradient func() error, x, y dist.Matrix[T]) error {
	top := T(it.limits.largest)
	for _, skipZeros := range []bool{false, true} {
		g.terms.SkipZeros = skipZeros
		if err := gradient(); err != nil {
			return err
		}
		ok := true
		for _, m := range []dist.Matrix[T]{x, y} {
			err := gibbs.EachRun(ctx, m, func(x []T) { ok = ok && pass.CountOutside(x, -top, top) == 0 })
			if err != nil {
				return err
			}
		}
		if ok {
			return nil
		}
	}
	return fmt.Errorf("%w: the gradient overflows", ErrRange)
}
