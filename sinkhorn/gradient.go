package sinkhorn

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/pass"
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

func (it *iteration[T]) costGradientTo(ctx context.Context, serial uint64, dst dist.Matrix[T], mode GradientMode) error {
	s := it.enter(serial)
	defer s.leave()
	mustBe(dst, s.geo.n, s.geo.m, "CostGradientTo: dst must be n × m")
	return s.gradients.byCost(ctx, it, dst, mode)
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

func (it *iteration[T]) pointGradientTo(ctx context.Context, serial uint64, dx, dy dist.Matrix[T], mode GradientMode) error {
	s := it.enter(serial)
	defer s.leave()
	return s.gradients.byPoints(ctx, it, dx, dy, mode)
}

// gradients computes M̄ = ∂Cost/∂M, segment by segment, and hands it to the sink: either the
// caller's matrix, or products with the points.
type gradients[T dist.Float] struct {
	sys      *system[T]
	solution *solution[T] // that of Solve; problems with penalties have no other
	seg      segment[T]   // terms so far; hu and hv are zero after the first segment
	to       sink[T]
	reverse  reverse[T]
	implicit implicit[T]
}

// bytes returns the memory that a gradient of points takes besides the workspace.
func (*gradients[T]) bytes(geo *geometry[T]) float64 {
	n, m, p1 := float64(geo.n), float64(geo.m), float64(geo.p+1)
	return (float64(2*n) + float64((2+float64(geo.parts.count))*m)) * p1 * float64(size[T]())
}

// byCost sets dst to M̄.
func (g *gradients[T]) byCost(ctx context.Context, it *iteration[T], dst dist.Matrix[T], mode GradientMode) error {
	if err := it.hasResult(); err != nil {
		return err
	}
	return g.twice(ctx, it, func() error {
		if err := eachRun(ctx, dst, func(x []T) { clear(x) }); err != nil {
			return err
		}
		g.to.cost, g.to.dst = true, dst
		return g.adjoint(ctx, it, mode)
	}, dst, dist.Matrix[T]{})
}

// byPoints sets dx and dy to the gradients by the points.
func (g *gradients[T]) byPoints(ctx context.Context, it *iteration[T], dx, dy dist.Matrix[T], mode GradientMode) error {
	geo := &it.geo
	mustBePoints(&it.geo, "PointGradientTo")
	mustBe(dx, geo.n, geo.p, "PointGradientTo: dx must be n × p")
	mustBe(dy, geo.m, geo.p, "PointGradientTo: dy must be m × p")
	if err := it.hasResult(); err != nil {
		return err
	}
	if err := it.settings.afford(g.bytes(geo), "a gradient of so many points and dimensions"); err != nil {
		return err
	}
	return g.twice(ctx, it, func() error {
		g.beginPoints(geo)
		if err := g.adjoint(ctx, it, mode); err != nil {
			return err
		}
		g.finishPoints(geo, dx, dy)
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
	g.reset(&it.geo, 0, 0)
	copy(g.seg.hu, it.plan.u)
	copy(g.seg.hv, it.plan.v)
	return g.flush(ctx, &it.geo)
}

// reset begins with a segment that has room for so many terms.
func (g *gradients[T]) reset(geo *geometry[T], terms int, lambda T) {
	rev, seg := &g.reverse, &g.seg
	grow(&rev.u, geo.n)
	geo.column(&rev.v)
	geo.column(&rev.t)
	grow(&seg.hu, geo.n)
	geo.column(&seg.hv)
	grow(&seg.left, terms*geo.n)
	grow(&seg.right, terms*geo.m)
	seg.terms, seg.depth, seg.lambda = 0, terms, lambda
}

// flush hands the segment's share of M̄ to the sink.
func (g *gradients[T]) flush(ctx context.Context, geo *geometry[T]) error {
	err := geo.adjoint(ctx, g.seg, g.to)
	g.seg.terms = 0
	return err
}

// add appends the term left·rightᵀ to the segment.
func (seg *segment[T]) add(left, right []T) {
	d, k := seg.depth, seg.terms
	copy(seg.right[k*len(right):], right)
	for _, x := range left {
		seg.left[k] = x
		k += d
	}
	seg.terms++
}

// addTwo appends the terms left·rightᵀ and next·lastᵀ.
func (seg *segment[T]) addTwo(left, right, next, last []T) {
	d, k := seg.depth, seg.terms
	copy(seg.right[k*len(right):], right)
	copy(seg.right[(k+1)*len(right):], last)
	for i, x := range next[:len(left)] {
		to := seg.left[k : k+2]
		to[0], to[1] = left[i], x
		k += d
	}
	seg.terms += 2
}

// twice calls gradient, which sets x and y, and once more if they are not finite. Where λ·cost is
// near the end of the range, the adjoint of a K_ij that is 0 may overflow; its share of the gradient,
// which is 0, then becomes 0·∞. The second run leaves such elements out. (To look at every K_ij always
// would take longer than the rest.)
func (g *gradients[T]) twice(ctx context.Context, it *iteration[T], gradient func() error, x, y dist.Matrix[T]) error {
	top := T(it.limits.largest)
	for _, skipZeros := range []bool{false, true} {
		g.seg.skipZeros = skipZeros
		if err := gradient(); err != nil {
			return err
		}
		ok := true
		for _, m := range []dist.Matrix[T]{x, y} {
			err := eachRun(ctx, m, func(x []T) { ok = ok && pass.CountOutside(x, -top, top) == 0 })
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

// beginPoints prepares the sink for products of M̄ with [Y 1] and [X 1].
func (g *gradients[T]) beginPoints(geo *geometry[T]) {
	to := &g.to
	x, y, p1 := geo.x, geo.y, geo.p+1
	to.cost, to.self = false, geo.n == geo.m && x.Stride == y.Stride && &x.Data[0] == &y.Data[0]
	augment(&to.xa, x)
	augment(&to.ya, y)
	grow(&to.gx, geo.n*p1)
	grow(&to.gy, geo.parts.count*p1*geo.m)
	clear(to.gx)
	clear(to.gy)
}

// finishPoints sets dx_i = 2 Σ_j M̄_ij (x_i − y_j), and dy likewise.
func (g *gradients[T]) finishPoints(geo *geometry[T], dx, dy dist.Matrix[T]) {
	to := &g.to
	p, m, gy := geo.p, geo.m, to.gy
	if k := (p + 1) * m; geo.parts.count > 1 {
		grow(&to.sum, k)
		clear(to.sum)
		pass.Columns(geo.parts.count, k, to.sum, gy, k, geo.parts.ones)
		gy = to.sum
	}
	x, y := geo.x, geo.y
	for i := range geo.n {
		g := to.gx[i*(p+1):][:p+1]
		total, row, xi := g[p], dx.Data[i*dx.Stride:][:p], x.Data[i*x.Stride:][:p]
		for l, g := range g[:p] {
			row[l] = 2 * (T(total*xi[l]) - g)
		}
	}
	totals := gy[p*m:][:m]
	for j, total := range totals {
		row, yj := dy.Data[j*dy.Stride:][:p], y.Data[j*y.Stride:][:p]
		k := j
		for l := range row {
			row[l] = 2 * (T(total*yj[l]) - gy[k])
			k += m
		}
	}
}

// augment sets *dst to the rows of x, each followed by a 1.
func augment[T dist.Float](dst *[]T, x dist.Matrix[T]) {
	p := x.Cols
	grow(dst, x.Rows*(p+1))
	for i := range x.Rows {
		row := (*dst)[i*(p+1):][:p+1]
		copy(row, x.Data[i*x.Stride:][:p])
		row[p] = 1
	}
}
