package sinkhorn

import (
	"fmt"

	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/distance"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/asm/project"
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
	basis       int // iterate whose potentials, or whose base's, are the base; or one of:
	f, g        []T // base potentials of the segment, base 2
	fk, gk      []T // logarithms of an iterate
	u, v        []T // scalings of the current term, relative to the base
	t           []T
	terms       int // terms of the segment so far
	ready       int // terms of the segment that is handed over
	depth       int // room for terms
	left, right []T // their factors: n × depth and depth × m
	hu, hv      []T // scalings of the plan relative to K, zero after the first segment
	lambda      T
	skipZeros   bool // see finite

	self     bool           // X and Y are one cloud
	cost     bool           // whether M̄ is to be added to dst, or else
	dst      dist.Matrix[T] // multiplied by the points
	xa       []T            // X and a column of ones, n × (p+1)
	ya       []T            // Y and a column of ones, m × (p+1)
	gx       []T            // M̄ [Y 1], n × (p+1)
	gy       []T            // ([X 1]ᵀ M̄), (p+1) × m
	partials []T            // gy of every piece
}

// mixed is the basis of a base of two different iterates.
const mixed = -3

// CostGradientTo sets dst (n × m) to ∂Cost/∂M, the derivative of the transport cost
// through all iterations, λ and the start being constant. It ends early, with the
// error of the context that Solve was given, when that ends. It panics if dst has
// another shape.
func (r *Result[T]) CostGradientTo(dst dist.Matrix[T]) error {
	s := r.solver
	return s.finite(func() error {
		s.costGradient(dst)
		return s.unrolled()
	}, dst)
}

// PointGradientTo sets dx (n × p) and dy (m × p) to ∂Cost/∂X and ∂Cost/∂Y for a
// problem of two point clouds, through all iterations, λ and the start being
// constant. Where X and Y are one cloud, its gradient is the sum. Terms of the order
// of λ·cost cancel in it: where that is so large that they overflow, the error wraps
// ErrRange. It ends early, with the error of the context that Solve was given, when
// that ends, and panics if dx or dy have another shape or the problem was a cost
// matrix.
func (r *Result[T]) PointGradientTo(dx, dy dist.Matrix[T]) error {
	s := r.solver
	return s.finite(func() error {
		s.pointGradient(dx, dy)
		if err := s.unrolled(); err != nil {
			return err
		}
		s.finishPoints(dx, dy)
		return nil
	}, dx, dy)
}

// finite runs gradient, which sets out, and once more if out is not finite: where
// λ·cost is near the end of the range, the adjoint of a K_ij that is 0 may overflow,
// and its share of the gradient, which is 0, become 0·∞. The second run leaves such
// entries out. (To look at every K_ij always would take longer than the rest.)
func (s *Solver[T]) finite(gradient func() error, out ...dist.Matrix[T]) error {
	s.rev.skipZeros = false
	if err := gradient(); err != nil || s.allFinite(out) {
		return err
	}
	s.rev.skipZeros = true
	err := gradient()
	s.rev.skipZeros = false
	if err == nil && !s.allFinite(out) {
		err = fmt.Errorf("%w: the gradient overflows", ErrRange)
	}
	return err
}

func (s *Solver[T]) allFinite(ms []dist.Matrix[T]) bool {
	top := T(s.limits.largest)
	for _, m := range ms {
		rows, cols := m.Rows, m.Cols
		if m.Stride == cols {
			rows, cols = 1, rows*cols
		}
		for i := range rows {
			if pass.CountOutside(s.level, m.Data[i*m.Stride:][:cols], -top, top) > 0 {
				return false
			}
		}
	}
	return true
}

// costGradient prepares for M̄ to be added to dst.
func (s *Solver[T]) costGradient(dst dist.Matrix[T]) {
	if dst.Rows != s.n || dst.Cols != s.m || checkMatrix("dst", dst) != nil {
		panic("sinkhorn: gradient of another shape")
	}
	for i := range dst.Rows {
		clear(dst.Row(i))
	}
	s.rev.cost, s.rev.dst = true, dst
}

// pointGradient prepares for M̄ to be multiplied by [Y 1] and [X 1].
func (s *Solver[T]) pointGradient(dx, dy dist.Matrix[T]) {
	p := s.p
	if !s.points || dx.Rows != s.n || dx.Cols != p || dy.Rows != s.m || dy.Cols != p || checkMatrix("dx", dx) != nil || checkMatrix("dy", dy) != nil {
		panic("sinkhorn: gradient of another shape")
	}
	rev := &s.rev
	x, y := s.problem.X, s.problem.Y
	rev.cost, rev.self = false, s.n == s.m && x.Stride == y.Stride && &x.Data[0] == &y.Data[0]
	grow(&rev.gx, s.n*(p+1))
	grow(&rev.gy, (p+1)*s.m)
	augment(&rev.xa, s.problem.X)
	augment(&rev.ya, s.problem.Y)
	clear(rev.gx)
	clear(rev.gy)
	if s.pieces > 1 {
		grow(&rev.partials, s.pieces*len(rev.gy))
		clear(rev.partials)
	}
}

// finishPoints sets dx_i = 2 Σ_j M̄_ij (x_i − y_j), and dy likewise.
func (s *Solver[T]) finishPoints(dx, dy dist.Matrix[T]) {
	rev, p, m := &s.rev, s.p, s.m
	if k := len(rev.gy); s.pieces > 1 {
		pass.Columns(s.level, s.pieces, k, rev.gy, rev.partials, k, s.ones)
	}
	x, y := s.problem.X, s.problem.Y
	for i := range s.n {
		g := rev.gx[i*(p+1):][:p+1]
		total, row, xi := g[p], dx.Data[i*dx.Stride:][:p], x.Data[i*x.Stride:][:p]
		for l, g := range g[:p] {
			row[l] = 2 * (T(total*xi[l]) - g)
		}
	}
	totals := rev.gy[p*m:][:m]
	for j, total := range totals {
		row, yj := dy.Data[j*dy.Stride:][:p], y.Data[j*y.Stride:][:p]
		k := j
		for l := range row {
			row[l] = 2 * (T(total*yj[l]) - rev.gy[k])
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
// pointGradient have prepared for it.
func (s *Solver[T]) unrolled() error {
	if !s.settings.Gradient {
		return ErrNoGradient
	}
	rev, last := &s.rev, s.res.Iterations
	rev.reset(s.n, s.m, 2*last, T(s.lambda))
	first := s.begin
	if s.begun {
		first = s.final
	}
	if err := first(); err != nil {
		return err
	}
	s.begun = false // from here on r, s and q are those of the sweeps
	rev.basis = s.kind[last]
	if rev.basis == potentialKind {
		rev.basis = last
	}
	if rev.basis != plainKind {
		rev.growLog(s.n, s.m)
		copy(rev.f, s.f)
		copy(rev.g, s.g)
	}
	copy(rev.u, s.fu)
	copy(rev.v, s.fv)
	copy(rev.hu, rev.u)
	copy(rev.hv, rev.v)
	for k := last; ; k-- {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		rev.add(s.s, rev.v)
		t, v := rev.t, rev.v[:len(rev.t)]
		for j, q := range s.q[:len(t)] {
			t[j] = v[j] * q // β^k
		}
		if !s.relative(rev.u, rowSide, k-1) {
			if err := s.segment(); err != nil {
				return err
			}
			if err := s.rebaseMixed(k); err != nil {
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
		rev.add(rev.u, t)
		if k == 1 {
			break
		}
		if s.stays(k-1) && s.relative(rev.v, columnSide, k-1) {
			adjointWeights(s.w, rev.u, s.a)
			clear(s.q)
			s.job = job[T]{v: t, w: s.w, s: s.s, q: s.q}
			if err := s.do(opSweep); err != nil {
				return err
			}
			continue
		}
		// α^(k−1) is that of the old base, where u is rev.u; s^(k−1) belongs to the new
		// one.
		s.job = job[T]{v: t, r: s.r}
		if err := s.do(opRows); err != nil {
			return err
		}
		for i, u := range rev.u {
			s.r[i] = -(u * s.r[i])
		}
		if err := s.segment(); err != nil {
			return err
		}
		if err := s.rebase(k - 1); err != nil {
			return err
		}
		for i, a := range s.a {
			s.s[i] = 0
			if a > 0 {
				s.s[i] = s.r[i] / a * rev.u[i]
			}
		}
		clear(s.q)
		s.job = job[T]{u: s.s, q: s.q}
		if err := s.do(opColumns); err != nil {
			return err
		}
	}
	return s.segment()
}

func (rev *reverse[T]) reset(n, m, terms int, lambda T) {
	grow(&rev.u, n)
	grow(&rev.v, m)
	grow(&rev.t, m)
	grow(&rev.hu, n)
	grow(&rev.hv, m)
	grow(&rev.left, terms*n)
	grow(&rev.right, terms*m)
	rev.terms, rev.depth, rev.lambda = 0, terms, lambda
}

// growLog makes room for potentials.
func (rev *reverse[T]) growLog(n, m int) {
	grow(&rev.f, n)
	grow(&rev.g, m)
	grow(&rev.fk, n)
	grow(&rev.gk, m)
}

// add appends the term left·rightᵀ to the segment.
func (rev *reverse[T]) add(left, right []T) {
	d, k := rev.depth, rev.terms
	copy(rev.right[k*len(right):], right)
	for _, x := range left {
		rev.left[k] = x
		k += d
	}
	rev.terms++
}

// stays reports whether the base at hand is one to stay with at iterate k: its own,
// or one near that of an iterate that is potentials only.
func (s *Solver[T]) stays(k int) bool {
	kind := s.kind[k]
	return kind == s.rev.basis || kind == potentialKind && s.rev.basis != mixed
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
		rev.growLog(s.n, s.m)
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
	exp.Exp2(s.level, dst, dst, 1)
	return pass.CountOutside(s.level, dst, s.limits.lo, s.limits.hi) == zeros
}

// rebase starts a segment at the base of iterate k.
func (s *Solver[T]) rebase(k int) error {
	rev, kind := &s.rev, s.kind[k]
	clear(rev.hu)
	switch kind {
	case plainKind:
		rev.basis = plainKind
		copy(rev.u, s.u(k))
		copy(rev.v, s.v(k))
		s.setBase(noBase, nil, nil)
		return s.fill()
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
	return s.refill()
}

// rebaseMixed starts a segment at the base of u^(k−1) and v^k themselves.
func (s *Solver[T]) rebaseMixed(k int) error {
	rev := &s.rev
	clear(rev.hu)
	rev.basis = mixed
	rev.growLog(s.n, s.m)
	s.logarithms(rev.f, rowSide, k-1)
	s.logarithms(rev.g, columnSide, k)
	weightless(rev.u, rev.f)
	weightless(rev.v, rev.g)
	return s.refill()
}

// logarithms sets dst to the potentials of iterate k.
func (s *Solver[T]) logarithms(dst []T, d side, k int) {
	var base []T
	if kind := s.kind[k]; kind >= 0 {
		base = s.slot(d, kind)
	}
	s.potentials(dst, s.slot(d, k), s.kind[k], base)
}

func (s *Solver[T]) refill() error {
	s.setBase(reverseBase, s.rev.f, s.rev.g)
	s.filled = false
	return s.fill()
}

// segment adds the segment's share of M̄ to what is asked for.
func (s *Solver[T]) segment() error {
	s.job = job[T]{}
	if !s.rev.cost {
		s.job.gy = s.rev.gy
	}
	s.rev.ready = s.rev.terms
	s.rev.terms = 0
	return s.do(opAdjoint)
}

// adjointRows computes rows i … i+r−1 of the segment's share of M̄ and adds them to
// dst, or their products with [Y 1] and [X 1] to gx and gy.
func (s *Solver[T]) adjointRows(w *worker[T], i, r int, gy []T) {
	rev, lv, m, p1 := &s.rev, s.level, s.m, s.p+1
	grow(&w.g, r*m)
	k, d, ldd := s.bothRows(w, i, r)
	var left []T
	if rev.ready > 0 {
		left = rev.left[i*rev.depth:]
	}
	distance.AdjCost(lv, r, m, rev.ready, w.g, m, k, m, d, ldd, left, rev.depth, rev.right, m, rev.hu[i:], rev.hv, rev.lambda)
	if rev.skipZeros {
		for e, kij := range k[:r*m] {
			if kij == 0 {
				w.g[e] = 0
			}
		}
	}
	if rev.cost {
		for l := range r {
			row := rev.dst.Row(i + l)
			for j, g := range w.g[l*m:][:m] {
				row[j] += g
			}
		}
		return
	}
	if rev.self {
		// M̄_ii (x_i − x_i) is 0. Where λ is so large that hardly anything leaves its
		// place, M̄_ii is 10⁶ and more times as large as the rest: it would not cancel to
		// rounding of the rest, but of itself.
		for l := range r {
			w.g[l*m+i+l] = 0
		}
	}
	project.Mul(lv, r, p1, m, rev.gx[i*p1:], p1, w.g, m, rev.ya, p1, true)
	project.TransMul(lv, r, p1, m, gy, m, w.g, m, rev.xa[i*p1:], p1, true)
}
