package sinkhorn

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pass"
)

// forward makes the iterations
//
//	v^k = b ⊘ Kᵀu^(k−1),   u^k = a ⊘ K v^k,   k = 1 … limit,
//
// from u⁰ = exp(start), or 1, for the λ that is set. K, u and v are relative to a
// base: with potentials F and G (base 2),
//
//	K_ij = 2^(F_i + G_j − c M_ij),   log₂ of the scalings = F + log₂u and G + log₂v.
//
// Without base F = G = 0: the plain domain. Where a scaling leaves the range in
// which it is accurate, that iteration is made on the logarithms, with log-sum-exps
// that neither over- nor underflow, and its potentials become the base of the
// iterations that follow. This is the absorption of B. Schmitzer, "Stabilized sparse
// scaling algorithms for entropy regularized transport problems", SIAM J. Sci.
// Comput. 41 (2019), with an exact step for what absorption alone cannot save:
// elements that were lost to underflow come back.
func (s *Solver[T]) forward(ctx context.Context, limit int, tolerance float64, start []T) error {
	if err := s.restart(ctx, 0, start); err != nil {
		return err
	}
	return s.advance(ctx, limit, tolerance, nil)
}

// walk is how the iterations go on.
type walk struct {
	scaled     bool // q are the column sums of the last iterate, for the base at hand
	skip, wait int  // log-domain iterations before the next one on scalings
}

// restart makes exp(start), or 1, the scaling u^k.
func (s *Solver[T]) restart(ctx context.Context, k int, start []T) error {
	s.res.Iterations, s.res.MarginalError, s.res.Status, s.res.Domain = k, math.NaN(), Completed, DomainPlain
	geo := &s.geo
	geo.setBase(noBase, nil, nil)
	geo.filled, s.begun = false, false
	scaled, err := s.start(k, start)
	s.walk = walk{scaled: scaled, wait: 1}
	if err != nil || !scaled {
		return err
	}
	if err := geo.fill(ctx); err != nil {
		return err
	}
	return geo.columns(ctx, s.q, s.u(k))
}

// advance goes on with the iterations up to limit, or until the tolerance is reached or
// the pace, if there is one, is slow.
func (s *Solver[T]) advance(ctx context.Context, limit int, tolerance float64, p *pace) error {
	if s.unequal.on {
		return s.advanceUnequal(ctx, limit, tolerance, p)
	}
	for k := s.res.Iterations + 1; k <= limit; k++ {
		if err := s.step(ctx, k); err != nil {
			return err
		}
		if s.done(k, limit, tolerance) || p != nil && p.slow(k, s.res.MarginalError, tolerance*s.mass) {
			break
		}
	}
	return nil
}

// step makes iteration k.
func (s *Solver[T]) step(ctx context.Context, k int) (err error) {
	w := &s.walk
	ok, half := false, false
	if w.scaled && w.skip == 0 {
		if ok, half, err = s.scaledStep(ctx, k); ok || err != nil {
			return err
		}
	}
	if s.settings.Domain == DomainPlain {
		return errUnderflow
	}
	if err := s.logStep(ctx, k, half, w.scaled); err != nil {
		return err
	}
	switch {
	case half && s.kind[(k-1)%s.ring] == potentialKind:
		w.skip, w.wait = w.wait, min(2*w.wait, 16) // a pass in vain: the potentials still move far
	case w.skip > 0:
		w.skip--
	}
	w.scaled = true
	return nil
}

// start sets iterate k, and reports whether it is a scaling. Potentials that are too
// large for the log domain are refused, and those that it represents roughly are marked,
// by the rule that holds for λ·cost.
func (s *Solver[T]) start(k int, start []T) (scaled bool, err error) {
	u, kind := s.u(k), &s.kind[k%s.ring]
	*kind = plainKind
	for i, f := range start {
		l := float64(f) * math.Log2E
		if l = math.Abs(l); l > s.limits.largest/4 && f-f == 0 {
			return false, fmt.Errorf("%w: Start[%d] is %v", ErrRange, i, f)
		} else if l > s.limits.precision && f-f == 0 {
			s.res.Status = LowPrecision
		}
		u[i] = T(float64(f) * math.Log2E)
	}
	if s.settings.Domain == DomainLog {
		*kind = potentialKind
		if start == nil {
			clear(u)
		}
		return false, nil
	}
	if start == nil {
		for i := range u {
			u[i] = 1
		}
		return true, nil
	}
	grow(&s.x, s.geo.n)
	exp.Exp2(s.x, u, 1)
	if s.safe(s.x, s.a) || s.settings.Domain == DomainPlain {
		copy(u, s.x)
		return true, nil
	}
	*kind = potentialKind
	return false, nil
}

// scaledStep makes iteration k on scalings. Unless ok, one of them has left the safe
// range: u^k if half, otherwise v^k.
func (s *Solver[T]) scaledStep(ctx context.Context, k int) (ok, half bool, err error) {
	if !s.scaleColumns(k) {
		return false, false, nil
	}
	if err := s.geo.fill(ctx); err != nil {
		return false, false, err
	}
	if err := s.geo.iterate(ctx, s.u(k), s.q, s.v(k), s.a); err != nil {
		return false, false, err
	}
	return s.scaledRows(k), true, nil
}

// scaleColumns sets v^k, and reports whether it is in the safe range.
func (s *Solver[T]) scaleColumns(k int) bool {
	v := s.v(k)
	pass.Divide(v, s.b, s.q)
	if s.zeroB {
		for j, b := range s.b {
			if b == 0 {
				v[j] = 0 // not 0/0
			}
		}
	}
	return s.safe(v, s.b)
}

// scaledRows reports whether u^k is in the safe range. If so, the iterate is one of scalings.
func (s *Solver[T]) scaledRows(k int) bool {
	if !s.safe(s.u(k), s.a) {
		return false
	}
	s.kind[k%s.ring] = plainKind
	if s.geo.base.f != nil {
		s.kind[k%s.ring] = s.log.basis
	}
	return true
}

// safe reports whether every scaling that belongs to a positive weight is within
// the limits, and every other one is zero.
func (s *Solver[T]) safe(x, weight []T) bool {
	out := pass.CountOutside(x, s.limits.lo, s.limits.hi)
	if out == 0 {
		return true
	}
	for i, w := range weight {
		if w == 0 && x[i] == 0 {
			out--
		}
	}
	return out == 0
}

// done records iteration k and reports whether it is the last.
func (s *Solver[T]) done(k, limit int, tolerance float64) bool {
	s.res.Iterations = k
	if tolerance == 0 && k < limit && !s.geo.big {
		return false
	}
	v, potential := s.v(k), s.kind[k%s.ring] == potentialKind
	var e float64
	for j, q := range s.q {
		if !potential {
			q = T(v[j] * q)
		}
		e += math.Abs(float64(q) - float64(s.b[j]))
	}
	s.res.MarginalError = e
	if tolerance > 0 {
		if s.res.Status != LowPrecision {
			s.res.Status = IterationLimit
		}
		if e <= tolerance*s.mass {
			if s.res.Status != LowPrecision {
				s.res.Status = Converged
			}
			return true
		}
	}
	return false
}

// logStep makes iteration k on potentials f = log₂u and g = log₂v, and makes them
// the base. v^k is right already if half. scaled: q are the column sums for the base
// at hand.
func (s *Solver[T]) logStep(ctx context.Context, k int, half, scaled bool) error {
	log := &s.log
	if s.res.Domain == DomainPlain {
		if err := s.enterLog(ctx); err != nil {
			return err
		}
	}
	f, g := s.u(k), s.v(k)
	if half {
		for j, v := range g {
			g[j] = num.Log2(v)
			if s.geo.base.f != nil {
				g[j] += log.g[j]
			}
		}
	} else if err := s.columnPotentials(ctx, k, g, scaled); err != nil {
		return err
	}
	if err := s.geo.logRows(ctx, log.max, log.sum, s.q, g, s.a); err != nil {
		return err
	}
	minusInf := T(math.Inf(-1))
	for i := range f {
		h := log.max[i] + num.Log2(log.sum[i])
		if s.a[i] > 0 {
			f[i] = (log.a[i] - log.max[i]) - num.Log2(log.sum[i])
			log.f[i] = f[i]
		} else {
			f[i] = minusInf
			log.f[i] = -h // a row of K that sums to 1, so that no 0/0 comes of it
		}
	}
	copy(log.g, g)
	s.geo.filled = false
	for _, q := range s.q {
		if !(q-q == 0) {
			return ErrRange
		}
	}
	s.kind[k%s.ring], log.basis = potentialKind, k
	s.geo.setBase(forwardBase, log.f, log.g)
	return nil
}

// columnPotentials sets g to the column potentials of iteration k. Where q, the column sums
// for the base at hand, is accurate it gives them; elsewhere, or everywhere unless
// scaled, the log-sum-exp of the column is taken.
func (s *Solver[T]) columnPotentials(ctx context.Context, k int, g []T, scaled bool) error {
	log := &s.log
	rough := func(j int) bool {
		if !scaled {
			return true
		}
		if s.kind[(k-1)%s.ring] == potentialKind {
			return !(s.q[j] >= s.limits.tiny)
		}
		return !(T(s.limits.hi*s.q[j]) >= s.b[j])
	}
	exact := false
	for j, b := range s.b {
		if b > 0 && rough(j) {
			exact = true
			break
		}
	}
	minusInf := T(math.Inf(-1))
	if exact {
		f := s.x
		potentials(f, s.u(k-1), s.kind[(k-1)%s.ring], s.geo.base.f)
		if err := s.geo.columnMax(ctx, log.h, f); err != nil {
			return err
		}
		if err := s.geo.columnSum(ctx, log.sums, f, log.h); err != nil {
			return err
		}
	}
	for j, b := range s.b {
		switch {
		case b == 0:
			g[j] = minusInf
		case rough(j):
			g[j] = (log.b[j] - log.h[j]) - num.Log2(log.sums[j])
		default:
			g[j] = log.b[j] - num.Log2(s.q[j])
			if s.geo.base.f != nil {
				g[j] += log.g[j]
			}
		}
	}
	return nil
}

// potentials sets dst to the base-2 logarithms of the iterate in slot, whose base,
// if it has one, is given.
func potentials[T dist.Float](dst, slot []T, kind int, base []T) {
	switch {
	case kind == potentialKind:
		copy(dst, slot)
	case kind == plainKind:
		for i, x := range slot {
			dst[i] = num.Log2(x)
		}
	default:
		for i, x := range slot {
			dst[i] = num.Log2(x) + base[i]
		}
	}
}

// logDomain is what iterations on logarithms need besides. Logarithms are to base 2.
type logDomain[T dist.Float] struct {
	f, g     []T // potentials of the base
	basis    int // iterate that they belong to
	a, b     []T // logarithms of the marginals
	max, sum []T // log-sum-exps of rows in two parts
	h, sums  []T // and of columns
}

// enterLog prepares the log domain. It refuses costs that not even that can
// represent and marks those that it represents roughly.
func (s *Solver[T]) enterLog(ctx context.Context) error {
	geo, log := &s.geo, &s.log
	for _, v := range []*[]T{&log.f, &log.a, &log.max, &log.sum, &s.x} {
		grow(v, geo.n)
	}
	for _, v := range []*[]T{&log.g, &log.b, &log.h, &log.sums, &s.y} {
		geo.column(v)
	}
	s.res.Domain = DomainLog
	for i, w := range s.a {
		log.a[i] = num.Log2(w)
	}
	for j, w := range s.b {
		log.b[j] = num.Log2(w)
	}
	if err := geo.measure(ctx); err != nil {
		return err
	}
	c := float64(geo.c)
	largest := math.Min(s.limits.largest, s.limits.largest/4/c)
	precise := s.limits.precision / c
	if precise < largest {
		if ok, err := geo.bounded(ctx, precise); ok || err != nil {
			return err
		}
	}
	ok, err := geo.bounded(ctx, largest)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("%w: λ = %v", ErrRange, s.lambda)
	case precise < largest:
		s.res.Status = LowPrecision
	}
	return nil
}

// final makes K, and fu and fv, those of the last iterate: the plan is
// diag(fu) K diag(fv).
func (s *Solver[T]) final(ctx context.Context) error {
	s.locate()
	return s.geo.fill(ctx)
}

// locate is final for who does not need all of K.
func (s *Solver[T]) locate() {
	k := s.res.Iterations
	s.fu, s.fv = s.u(k), s.v(k)
	switch s.kind[k%s.ring] {
	case plainKind:
		s.geo.setBase(noBase, nil, nil)
		return
	case potentialKind:
		s.fu, s.fv = s.x, s.y
		weightless(s.fu, s.u(k))
		weightless(s.fv, s.v(k))
	}
	s.geo.setBase(forwardBase, s.log.f, s.log.g)
}

// weightless sets u to 1, and to 0 where the potential f is that of no weight.
func weightless[T dist.Float](u, f []T) {
	for i, f := range f {
		u[i] = 1
		if math.IsInf(float64(f), -1) {
			u[i] = 0
		}
	}
}
