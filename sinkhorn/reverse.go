package sinkhorn

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/pass"
)

// The reverse pass through the iterations. With α^k and β^k the adjoints of log u^k
// and log v^k, and s^k = −α^k ⊙ u^k ⊘ a, t^k = −β^k ⊙ v^k ⊘ b,
//
//	β^k     = v^k ⊙ Kᵀs^k  (+ v ⊙ (K⊙M)ᵀu for the last k)
//	α^(k−1) = u^(k−1) ⊙ K t^k
//	M̄       = T − λ ( T⊙M + K ⊙ Σ_k (s^k v^kᵀ + u^(k−1) t^kᵀ) ).
//
// Nothing changes if K is replaced by diag(φ) K diag(γ) and the scalings are
// divided by φ and γ. So the pass goes back on the base that the iterations were
// made on, or near: as long as the scalings relative to it are in the safe range.
// Then it takes the base of the iterate at hand. Each such stretch of terms is one
// segment.

// reverse is the state of the reverse pass.
type reverse[T dist.Float] struct {
	basis  int // iterate whose potentials, or whose base's, are the base; or one of:
	f, g   []T // base potentials of the segment, base 2
	fk, gk []T // logarithms of an iterate
	u, v   []T // scalings of the current term, relative to the base
	t      []T
	seg    segment[T] // terms so far; hu and hv are zero after the first segment
	to     sink[T]
}

// mixedBasis is the basis of a base of two different iterates.
const mixedBasis = -3

// CostGradientTo sets dst (n × m) to ∂Cost/∂M as mode says, λ and the start being constant.
// The error is the context's cause if that ends first, wraps ErrRange where the gradient
// overflows, and ErrSettings for GradientUnrolled without Settings.Gradient and for GradientImplicit of
// partial transport; of GradientImplicit it is ErrNotConverged if the marginal error is above 1e-4
// (1e-3 in float32) of the mass, or its method does not converge. It panics if dst has
// another shape.
func (r *Result[T]) CostGradientTo(ctx context.Context, dst dist.Matrix[T], mode GradientMode) error {
	s := r.enter()
	defer s.leave()
	return s.costGradient(ctx, mode, dst)
}

// PointGradientTo sets dx (n × p) and dy (m × p) to ∂Cost/∂X and ∂Cost/∂Y as mode says, for
// a problem of two point clouds, λ and the start being constant; with GradientFrozen these are, at
// convergence, the gradients of RegularizedCost. Where X and Y are one cloud, its gradient
// is the sum. Terms of the order of λ·cost cancel in it: where that is so large that they
// overflow, the error wraps ErrRange. Other errors are those of CostGradientTo.
// PointGradientTo panics if dx or dy have another shape or the problem was a cost matrix.
func (r *Result[T]) PointGradientTo(ctx context.Context, dx, dy dist.Matrix[T], mode GradientMode) error {
	s := r.enter()
	defer s.leave()
	return s.pointGradient(ctx, mode, dx, dy)
}

// adjoint computes M̄, as mode says.
func (s *Solver[T]) adjoint(ctx context.Context, mode GradientMode) error {
	switch mode {
	case GradientUnrolled:
		return s.unrolled(ctx)
	case GradientImplicit:
		return s.implicit(ctx)
	case GradientFrozen:
		return s.frozen(ctx)
	}
	return gradientModeNames.Check(uint8(mode))
}

// costGradient sets dst to M̄.
func (s *Solver[T]) costGradient(ctx context.Context, mode GradientMode, dst dist.Matrix[T]) error {
	s.mustBe(dst, s.geo.n, s.geo.m, "gradient of another shape")
	return s.twice(ctx, func() error {
		if err := eachRun(ctx, dst, func(x []T) { clear(x) }); err != nil {
			return err
		}
		s.rev.to.cost, s.rev.to.dst = true, dst
		return s.adjoint(ctx, mode)
	}, dst, dist.Matrix[T]{})
}

// pointGradient sets dx and dy to the gradients by the points that M̄ makes.
func (s *Solver[T]) pointGradient(ctx context.Context, mode GradientMode, dx, dy dist.Matrix[T]) error {
	geo := &s.geo
	s.mustBePoints()
	s.mustBe(dx, geo.n, geo.p, "gradient of another shape")
	s.mustBe(dy, geo.m, geo.p, "gradient of another shape")
	if err := s.settings.afford(s.gradientBytes(), "a gradient of so many points and dimensions"); err != nil {
		return err
	}
	return s.twice(ctx, func() error {
		s.beginPoints()
		if err := s.adjoint(ctx, mode); err != nil {
			return err
		}
		s.finishPoints(dx, dy)
		return nil
	}, dx, dy)
}

// gradientBytes returns what a gradient of points takes besides bytes.
func (s *Solver[T]) gradientBytes() float64 {
	n, m, p1 := float64(s.geo.n), float64(s.geo.m), float64(s.geo.p+1)
	return (float64(2*n) + float64((2+float64(s.geo.pieces))*m)) * p1 * float64(size[T]())
}

// twice runs gradient, which sets x and y, and once more if they are not finite: where
// λ·cost is near the end of the range, the adjoint of a K_ij that is 0 may overflow,
// and its share of the gradient, which is 0, become 0·∞. The second run leaves such
// entries out. (To look at every K_ij always would take longer than the rest.)
func (s *Solver[T]) twice(ctx context.Context, gradient func() error, x, y dist.Matrix[T]) error {
	for _, skipZeros := range []bool{false, true} {
		s.rev.seg.skipZeros = skipZeros
		if err := gradient(); err != nil {
			return err
		}
		ok := true
		for _, m := range []dist.Matrix[T]{x, y} {
			if err := eachRun(ctx, m, func(x []T) { ok = ok && s.allFinite(x) }); err != nil {
				return err
			}
		}
		if ok {
			return nil
		}
	}
	return fmt.Errorf("%w: the gradient overflows", ErrRange)
}

func (s *Solver[T]) allFinite(x []T) bool {
	top := T(s.limits.largest)
	return pass.CountOutside(x, -top, top) == 0
}

// beginPoints prepares for M̄ to be multiplied by [Y 1] and [X 1].
func (s *Solver[T]) beginPoints() {
	geo, to := &s.geo, &s.rev.to
	x, y, p1 := geo.x, geo.y, geo.p+1
	to.cost, to.self = false, geo.n == geo.m && x.Stride == y.Stride && &x.Data[0] == &y.Data[0]
	augment(&to.xa, x)
	augment(&to.ya, y)
	grow(&to.gx, geo.n*p1)
	grow(&to.gy, geo.pieces*p1*geo.m)
	clear(to.gx)
	clear(to.gy)
}

// finishPoints sets dx_i = 2 Σ_j M̄_ij (x_i − y_j), and dy likewise.
func (s *Solver[T]) finishPoints(dx, dy dist.Matrix[T]) {
	geo, to := &s.geo, &s.rev.to
	p, m, gy := geo.p, geo.m, to.gy
	if k := (p + 1) * m; geo.pieces > 1 {
		grow(&to.sum, k)
		clear(to.sum)
		pass.Columns(geo.pieces, k, to.sum, gy, k, geo.ones)
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

// unrolled runs the reverse pass: M̄ goes, segment by segment, where costGradient or
// beginPoints have prepared for it.
func (s *Solver[T]) unrolled(ctx context.Context) error {
	if !s.settings.Gradient {
		return errNoGradient
	}
	geo, rev, last := &s.geo, &s.rev, s.res.Iterations
	rev.reset(geo, 2*last, T(s.lambda))
	if !s.begun {
		if err := s.begin(ctx); err != nil {
			return err
		}
	} else if err := s.final(ctx); err != nil {
		return err
	}
	s.begun = false // from here on r, s and q are those of the sweeps
	rev.basis = s.kind[last]
	if rev.basis == potentialKind {
		rev.basis = last
	}
	if rev.basis != plainKind {
		rev.growLog(geo)
		copy(rev.f, s.log.f)
		copy(rev.g, s.log.g)
	}
	copy(rev.u, s.fu)
	copy(rev.v, s.fv)
	copy(rev.seg.hu, rev.u)
	copy(rev.seg.hv, rev.v)
	for k := last; ; k-- {
		rev.seg.add(s.s, rev.v)
		t, v := rev.t, rev.v[:len(rev.t)]
		for j, q := range s.q[:len(t)] {
			t[j] = v[j] * q // β^k
		}
		if !s.relative(rev.u, rowSide, k-1) {
			if err := s.flush(ctx); err != nil {
				return err
			}
			if err := s.rebaseMixed(ctx, k); err != nil {
				return err
			}
		}
		v = rev.v[:len(t)]
		for j, b := range s.b[:len(t)] {
			if b > 0 {
				t[j] = -(t[j] / b) * v[j]
			} else {
				t[j] = 0
			}
		}
		rev.seg.add(rev.u, t)
		if k == 1 {
			break
		}
		if s.stays(k-1) && s.relative(rev.v, columnSide, k-1) {
			adjointWeights(s.w, rev.u, s.a)
			if err := geo.sweep(ctx, s.s, s.q, t, s.w); err != nil {
				return err
			}
			continue
		}
		// α^(k−1) is that of the old base, where u is rev.u; s^(k−1) belongs to the new
		// one.
		if err := geo.rows(ctx, s.r, t); err != nil {
			return err
		}
		for i, u := range rev.u {
			s.r[i] = -(u * s.r[i])
		}
		if err := s.flush(ctx); err != nil {
			return err
		}
		if err := s.rebase(ctx, k-1); err != nil {
			return err
		}
		for i, a := range s.a {
			s.s[i] = 0
			if a > 0 {
				s.s[i] = s.r[i] / a * rev.u[i]
			}
		}
		if err := geo.columns(ctx, s.q, s.s); err != nil {
			return err
		}
	}
	return s.flush(ctx)
}

func (rev *reverse[T]) reset(geo *geometry[T], terms int, lambda T) {
	grow(&rev.u, geo.n)
	geo.column(&rev.v)
	geo.column(&rev.t)
	seg := &rev.seg
	grow(&seg.hu, geo.n)
	geo.column(&seg.hv)
	grow(&seg.left, terms*geo.n)
	grow(&seg.right, terms*geo.m)
	seg.terms, seg.depth, seg.lambda = 0, terms, lambda
}

// growLog makes room for potentials.
func (rev *reverse[T]) growLog(geo *geometry[T]) {
	grow(&rev.f, geo.n)
	geo.column(&rev.g)
	grow(&rev.fk, geo.n)
	geo.column(&rev.gk)
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

// flush adds the segment's share of M̄ to what is asked for.
func (s *Solver[T]) flush(ctx context.Context) error {
	err := s.geo.adjoint(ctx, s.rev.seg, s.rev.to)
	s.rev.seg.terms = 0
	return err
}

// stays reports whether the base at hand is one to stay with at iterate k: its own,
// or one near that of an iterate that is potentials only.
func (s *Solver[T]) stays(k int) bool {
	kind := s.kind[k]
	return kind == s.rev.basis || kind == potentialKind && s.rev.basis != mixedBasis
}

// side is that of u or that of v.
type side bool

const (
	rowSide    side = false
	columnSide side = true
)

// slot returns u^k or v^k, or what is kept of it.
func (s *Solver[T]) slot(d side, k int) []T {
	if d == columnSide {
		return s.v(k)
	}
	return s.u(k)
}

// relative sets dst to a scaling of iterate k relative to the base at hand, and
// reports whether it is in the safe range.
func (s *Solver[T]) relative(dst []T, d side, k int) bool {
	kind, rev, slot := s.kind[k], &s.rev, s.slot(d, k)
	if kind != rev.basis && k != rev.basis {
		rev.growLog(&s.geo)
	}
	base, tmp := rev.f, rev.fk
	if d == columnSide {
		base, tmp = rev.g, rev.gk
	}
	switch {
	case kind == rev.basis:
		copy(dst, slot)
		return true
	case kind == potentialKind && k == rev.basis:
		weightless(dst, slot)
		return true
	case rev.basis == plainKind:
		clear(base)
	}
	s.logarithms(tmp, d, k)
	return s.ratio(dst, tmp, base)
}

// ratio sets dst = 2^(x − base), and reports whether all of it is in the safe range.
// Where x is −Inf there is no weight and the ratio is 0.
func (s *Solver[T]) ratio(dst, x, base []T) bool {
	zeros := 0
	for i, x := range x {
		dst[i] = x - base[i]
		if math.IsInf(float64(x), -1) {
			dst[i] = x
			zeros++
		} else if math.IsInf(float64(base[i]), -1) {
			return false
		}
	}
	exp.Exp2(dst, dst, 1)
	return pass.CountOutside(dst, s.limits.lo, s.limits.hi) == zeros
}

// rebase starts a segment at the base of iterate k.
func (s *Solver[T]) rebase(ctx context.Context, k int) error {
	rev, kind := &s.rev, s.kind[k]
	clear(rev.seg.hu)
	switch kind {
	case plainKind:
		rev.basis = plainKind
		copy(rev.u, s.u(k))
		copy(rev.v, s.v(k))
		s.geo.setBase(noBase, nil, nil)
		return s.geo.fill(ctx)
	case potentialKind:
		rev.basis = k
		weightless(rev.u, s.u(k))
		weightless(rev.v, s.v(k))
	default:
		rev.basis = kind
		copy(rev.u, s.u(k))
		copy(rev.v, s.v(k))
	}
	copy(rev.f, s.u(rev.basis))
	copy(rev.g, s.v(rev.basis))
	return s.refill(ctx)
}

// rebaseMixed starts a segment at the base of u^(k−1) and v^k themselves.
func (s *Solver[T]) rebaseMixed(ctx context.Context, k int) error {
	rev := &s.rev
	clear(rev.seg.hu)
	rev.basis = mixedBasis
	rev.growLog(&s.geo)
	s.logarithms(rev.f, rowSide, k-1)
	s.logarithms(rev.g, columnSide, k)
	weightless(rev.u, rev.f)
	weightless(rev.v, rev.g)
	return s.refill(ctx)
}

// logarithms sets dst to the potentials of iterate k.
func (s *Solver[T]) logarithms(dst []T, d side, k int) {
	var base []T
	if kind := s.kind[k]; kind >= 0 {
		base = s.slot(d, kind)
	}
	potentials(dst, s.slot(d, k), s.kind[k], base)
}

func (s *Solver[T]) refill(ctx context.Context) error {
	s.geo.setBase(reverseBase, s.rev.f, s.rev.g)
	s.geo.filled = false
	return s.geo.fill(ctx)
}
