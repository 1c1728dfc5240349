package sinkhorn

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/gibbs"
)

// CostGradientTo sets dst (n × m) to ∂Cost/∂M, as mode says. λ and Start count as constants.
//
// It returns the context's cause if the context ends first, ErrNoResult if there is no plan,
// ErrRange if the gradient overflows, and ErrSettings for GradientUnrolled without
// Settings.Gradient and for GradientImplicit of partial transport. GradientImplicit returns
// ErrNotConverged if the marginal error is above 1e-4 (1e-3 in float32) of the mass, or if its
// linear system does not converge. It panics if dst has another shape.
func (r *Result[T]) CostGradientTo(ctx context.Context, dst dist.Matrix[T], mode GradientMode) error {
	return r.implementation().costGradientTo(ctx, r.serial, dst, mode)
}

func (r *outcome[T]) costGradientTo(ctx context.Context, serial uint64, dst dist.Matrix[T], mode GradientMode) error {
	it := r.enter(serial)
	defer r.solver.leave()
	mustBe(dst, it.n, it.m, "CostGradientTo: dst must be n × m")
	return r.solver.gradients.byCost(ctx, it, dst, mode)
}

// PointGradientTo sets dx (n × p) and dy (m × p) to ∂Cost/∂X and ∂Cost/∂Y, as mode says, for a
// problem of two point clouds. λ and Start count as constants. With GradientFrozen these are, at
// convergence, the gradients of RegularizedCost. If X and Y are one cloud, its gradient is dx + dy.
//
// Terms of the order of λ·cost cancel in the gradient. If they overflow, it returns ErrRange. Its
// other errors are those of CostGradientTo; it also returns ErrSettings if the gradient needs more
// than Settings.MaxMemory. It panics if dx or dy has another shape, or if the problem was a cost
// matrix.
func (r *Result[T]) PointGradientTo(ctx context.Context, dx, dy dist.Matrix[T], mode GradientMode) error {
	return r.implementation().pointGradientTo(ctx, r.serial, dx, dy, mode)
}

func (r *outcome[T]) pointGradientTo(ctx context.Context, serial uint64, dx, dy dist.Matrix[T], mode GradientMode) error {
	it := r.enter(serial)
	defer r.solver.leave()
	return r.solver.gradients.byPoints(ctx, it, dx, dy, mode)
}

// gradients computes M̄ = ∂Cost/∂M, segment by segment, and hands it to the sink: either the
// caller's matrix, or products with the points.
type gradients[T dist.Float] struct {
	sys      *system[T]
	solution *solution[T]   // that of Solve; problems with penalties have no other
	terms    gibbs.Terms[T] // of the segment at hand; HU and HV are zero after the first segment
	sink     gibbs.Sink[T]
	reverse  reverse[T]
	implicit implicit[T]
}

// byCost sets dst to M̄.
func (g *gradients[T]) byCost(ctx context.Context, it *iteration[T], dst dist.Matrix[T], mode GradientMode) error {
	if err := it.hasResult(); err != nil {
		return err
	}
	return g.twice(ctx, it, func() error {
		if err := gibbs.EachRun(ctx, dst, func(x []T) { clear(x) }); err != nil {
			return err
		}
		g.sink.BeginMatrix(dst)
		return g.adjoint(ctx, it, mode)
	}, dst, dist.Matrix[T]{})
}

// byPoints sets dx and dy to the gradients by the points.
func (g *gradients[T]) byPoints(ctx context.Context, it *iteration[T], dx, dy dist.Matrix[T], mode GradientMode) error {
	kernel := &it.kernel
	mustBePoints(&it.kernel, "PointGradientTo")
	mustBe(dx, kernel.N(), kernel.P(), "PointGradientTo: dx must be n × p")
	mustBe(dy, kernel.M(), kernel.P(), "PointGradientTo: dy must be m × p")
	if err := it.hasResult(); err != nil {
		return err
	}
	if err := it.settings.afford(kernel.SinkBytes(), "a gradient of so many points and dimensions"); err != nil {
		return err
	}
	return g.twice(ctx, it, func() error {
		g.sink.BeginPoints(kernel)
		if err := g.adjoint(ctx, it, mode); err != nil {
			return err
		}
		g.sink.FinishPoints(kernel, dx, dy)
		return nil
	}, dx, dy)
}

// adjoint computes M̄, as mode says.
func (g *gradients[T]) adjoint(ctx context.Context, it *iteration[T], mode GradientMode) error {
	switch mode {
	case GradientUnrolled:
		return g.unrolled(ctx, it)
	case GradientImplicit:
		return g.implicitly(ctx, it)
	case GradientFrozen:
		return g.frozen(ctx, it)
	}
	return gradientModeNames.Check(uint8(mode))
}

// frozen makes M̄ the plan.
func (g *gradients[T]) frozen(ctx context.Context, it *iteration[T]) error {
	if err := it.final(ctx); err != nil {
		return err
	}
	g.terms.Reset(&it.kernel, 0, 0)
	copy(g.terms.HU, it.plan.u)
	copy(g.terms.HV, it.plan.v)
	return g.flush(ctx, &it.kernel)
}

// flush hands the segment's share of M̄ to the sink.
func (g *gradients[T]) flush(ctx context.Context, kernel *gibbs.Kernel[T]) error {
	return kernel.Adjoint(ctx, &g.terms, &g.sink)
}

// twice calls gradient, which sets x and y, and once more if they are not finite. Where λ·cost is
// near the end of the range, the adjoint of a K_ij that is 0 may overflow; its share of the gradient,
// which is 0, then becomes 0·∞. The second run leaves such elements out. (To look at every K_ij always
// would take longer than the rest.)
func (g *gradients[T]) twice(ctx context.Context, it *iteration[T], gradient func() error, x, y dist.Matrix[T]) error {
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
