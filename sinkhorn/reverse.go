package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/gibbs"
)

// This file implements the reverse pass through the iterations. Let α^k and β^k be the adjoints of log u^k and log v^k, and let
//
//	s^k = −α^k ⊙ u^k ⊘ a,   t^k = −β^k ⊙ v^k ⊘ b.
//
// Then the adjoints are
//
//	β^k     = v^k ⊙ Kᵀs^k  (+ v ⊙ (K⊙M)ᵀu for the last k)
//	α^(k−1) = u^(k−1) ⊙ K t^k
//	M̄       = T − λ ( T⊙M + K ⊙ Σ_k (s^k v^kᵀ + u^(k−1) t^kᵀ) ).
//
// If K is replaced by diag(φ) K diag(γ), and the scalings u and v are divided by φ and γ, then α^k, β^k and M̄ stay the
// same. The reverse pass therefore uses the base potentials of the iterations, or potentials near this base, while the
// scalings relative to the base are in the safe range. Otherwise the reverse pass moves to the base of the current iterate.
// All terms with the same base form a segment.

// reverse is the state of the reverse pass.
type reverse[T dist.Float] struct {
	basis  int // number of the iterate whose potentials are the base, or plainKind or mixedBasis
	f, g   []T // potentials of the base, as base-2 logarithms
	fk, gk []T // potentials of an iterate, as base-2 logarithms
	u, v   []T // scalings of an iterate relative to the base
	t      []T
}

// mixedBasis means that the base potentials f and g come from different iterates.
const mixedBasis = -3

// grow provides memory for scalings.
func (rev *reverse[T]) grow(kernel *gibbs.Kernel[T]) {
	gibbs.Grow(&rev.u, kernel.N())
	kernel.GrowColumn(&rev.v)
	kernel.GrowColumn(&rev.t)
}

// growLog provides memory for potentials.
func (rev *reverse[T]) growLog(kernel *gibbs.Kernel[T]) {
	gibbs.Grow(&rev.f, kernel.N())
	kernel.GrowColumn(&rev.g)
	gibbs.Grow(&rev.fk, kernel.N())
	kernel.GrowColumn(&rev.gk)
}

// unrolledAdjoint computes the unrolled gradient M̄ = ∂Cost/∂M by a reverse pass through the iterations.
func (g *gradients[T]) unrolledAdjoint(ctx context.Context, it *iteration[T]) error {
	if !it.settings.Gradient {
		return errNoGradient
	}
	rev, last := &g.reverse, it.res.Iterations
	if err := g.beginReverse(ctx, it); err != nil {
		return err
	}
	t, v := rev.t, rev.v
	for k := last; ; k-- {
		u, ok := rev.relativeScaling(it, rev.u, rowSide, k-1)
		if ok {
			it.adjointColumns(t, v)
			g.terms.AddTwo(it.sweep.s, v, u, t)
		} else {
			g.terms.Add(it.sweep.s, v)
			for j, q := range it.sweep.q[:len(t)] {
				t[j] = v[j] * q // β^k
			}
			if err := g.flushSegment(ctx, &it.kernel); err != nil {
				return err
			}
			if err := g.rebaseMixed(ctx, it, k); err != nil {
				return err
			}
			u, v = rev.u, rev.v
			for j, b := range it.b[:len(t)] {
				if b > 0 {
					t[j] = -(t[j] / b) * v[j]
				} else {
					t[j] = 0
				}
			}
			g.terms.Add(u, t)
		}
		if k == 1 {
			return g.flushSegment(ctx, &it.kernel)
		}
		ok = rev.keepsBase(it, k-1)
		if ok {
			v, ok = rev.relativeScaling(it, rev.v, columnSide, k-1)
		}
		if !ok {
			if err := g.nextSegment(ctx, it, k-1, u); err != nil {
				return err
			}
			v = rev.v
			continue
		}
		it.adjointWeights(it.sweep.w, u)
		if err := it.kernel.Sweep(ctx, it.sweep.s, it.sweep.q, t, it.sweep.w); err != nil {
			return err
		}
	}
}

// adjointWeights sets w = −u² ⊘ a, or 0 where a is 0.
func (it *iteration[T]) adjointWeights(w, u []T) {
	u, a := u[:len(w)], it.a[:len(w)]
	if it.uniformA == len(w) && len(w) >= divideFrom {
		pass.Divide(w, u, a)
		for i, u := range u {
			w[i] = -w[i] * u
		}
		return
	}
	for i := range w {
		w[i] = 0
		if a[i] > 0 {
			w[i] = -(u[i] / a[i]) * u[i] // u² might overflow
		}
	}
}

// adjointColumns sets t = −β ⊙ v ⊘ b, where β = v ⊙ q. It sets t to 0 where b is 0.
func (it *iteration[T]) adjointColumns(t, v []T) {
	q, b, v := it.sweep.q[:len(t)], it.b[:len(t)], v[:len(t)]
	if it.uniformB == len(t) && len(t) >= divideFrom {
		for j, q := range q {
			t[j] = v[j] * q
		}
		pass.Divide(t, t, b)
		for j, v := range v {
			t[j] = -t[j] * v
		}
		return
	}
	for j, b := range b {
		t[j] = 0
		if b > 0 {
			t[j] = -(T(v[j]*q[j]) / b) * v[j]
		}
	}
}

// divideFrom is the minimum vector length for which pass.Divide is used instead of a loop.
const divideFrom = 32

// beginReverse begins the reverse pass at the last iterate.
func (g *gradients[T]) beginReverse(ctx context.Context, it *iteration[T]) error {
	kernel, rev, last := &it.kernel, &g.reverse, it.res.Iterations
	g.terms.Reset(kernel, 2*last, it.lambda)
	rev.grow(kernel)
	if !it.sweep.ready {
		if err := it.beginSweep(ctx, it.scratch); err != nil {
			return err
		}
	} else if err := it.finalizePlan(ctx); err != nil {
		return err
	}
	it.sweep.ready = false // later sweeps overwrite s and q
	rev.basis = it.kind(last)
	if rev.basis == potentialKind {
		rev.basis = last
	}
	if rev.basis != plainKind {
		rev.growLog(kernel)
		copy(rev.f, it.log.f)
		copy(rev.g, it.log.g)
	}
	copy(rev.u, it.plan.u)
	copy(rev.v, it.plan.v)
	copy(g.terms.HU, rev.u)
	copy(g.terms.HV, rev.v)
	return nil
}

// nextSegment completes the current segment of the gradient and starts a segment with the base potentials of iterate k. It sets
// s^k and q = Kᵀs^k relative to the new base. The argument u is relative to the old base.
func (g *gradients[T]) nextSegment(ctx context.Context, it *iteration[T], k int, u []T) error {
	rev := &g.reverse
	s := it.sweep.s
	if err := it.kernel.Mul(ctx, s, rev.t); err != nil {
		return err
	}
	for i, u := range u {
		s[i] = -(u * s[i]) // α^k
	}
	if err := g.flushSegment(ctx, &it.kernel); err != nil {
		return err
	}
	if err := g.rebase(ctx, it, k); err != nil {
		return err
	}
	for i, a := range it.a {
		if !(a > 0) {
			s[i] = 0
		} else {
			s[i] = s[i] / a * rev.u[i]
		}
	}
	return it.kernel.MulTrans(ctx, it.sweep.q, s)
}

// keepsBase reports whether the reverse pass can process iterate k without changing the base potentials. This is the case if
// iterate k has the same base, or if iterate k contains potentials and the base is not mixedBasis.
func (rev *reverse[T]) keepsBase(it *iteration[T], k int) bool {
	kind := it.kind(k)
	return kind == rev.basis || kind == potentialKind && rev.basis != mixedBasis
}

// relativeScaling returns u or v of iterate k relative to the current base. The returned slice is dst or the stored iterate. The
// second result reports whether the scaling is in the safe range.
func (rev *reverse[T]) relativeScaling(it *iteration[T], dst []T, d side, k int) ([]T, bool) {
	if it.kind(k) == rev.basis {
		return it.slot(d, k), true
	}
	return dst, rev.rescale(it, dst, d, k)
}

// rescale converts the scaling u or v of iterate k to the current base potentials, which differ from the base potentials of the
// iterate. It stores the result in dst and reports whether the result is in the safe range.
func (rev *reverse[T]) rescale(it *iteration[T], dst []T, d side, k int) bool {
	kind, slot := it.kind(k), it.slot(d, k)
	if k != rev.basis {
		rev.growLog(&it.kernel)
	}
	base, tmp := rev.f, rev.fk
	if d == columnSide {
		base, tmp = rev.g, rev.gk
	}
	switch {
	case kind == potentialKind && k == rev.basis:
		unitScalings(dst, slot)
		return true
	case rev.basis == plainKind:
		clear(base)
	}
	iteratePotentials(it, tmp, d, k)
	return it.limits.scalingRatio(dst, tmp, base)
}

// scalingRatio sets dst = 2^(x − base). An element of dst is 0 if its x is −∞ (a point without weight). scalingRatio reports
// whether all other elements are in the safe range.
func (l *limits[T]) scalingRatio(dst, x, base []T) bool {
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
	return pass.CountOutside(dst, l.lo, l.hi) == zeros
}

// iteratePotentials sets dst to the potentials of iterate k.
func iteratePotentials[T dist.Float](it *iteration[T], dst []T, d side, k int) {
	var base []T
	kind := it.kind(k)
	if kind >= 0 {
		base = it.slot(d, kind)
	}
	potentials(dst, it.slot(d, k), kind, base)
}

// rebase starts a segment: the next terms of the gradient use the base potentials of iterate k.
func (g *gradients[T]) rebase(ctx context.Context, it *iteration[T], k int) error {
	rev, kind := &g.reverse, it.kind(k)
	clear(g.terms.HU)
	switch kind {
	case plainKind:
		rev.basis = plainKind
		copy(rev.u, it.u(k))
		copy(rev.v, it.v(k))
		it.kernel.SetBase(nil, nil)
		return it.kernel.Fill(ctx)
	case potentialKind:
		rev.basis = k
		unitScalings(rev.u, it.u(k))
		unitScalings(rev.v, it.v(k))
	default:
		rev.basis = kind
		copy(rev.u, it.u(k))
		copy(rev.v, it.v(k))
	}
	copy(rev.f, it.u(rev.basis))
	copy(rev.g, it.v(rev.basis))
	return rev.refillKernel(ctx, &it.kernel)
}

// rebaseMixed starts a segment of the gradient. The base potentials of the segment are the logarithms of the scalings u^(k−1)
// and v^k.
func (g *gradients[T]) rebaseMixed(ctx context.Context, it *iteration[T], k int) error {
	rev := &g.reverse
	clear(g.terms.HU)
	rev.basis = mixedBasis
	rev.growLog(&it.kernel)
	iteratePotentials(it, rev.f, rowSide, k-1)
	iteratePotentials(it, rev.g, columnSide, k)
	unitScalings(rev.u, rev.f)
	unitScalings(rev.v, rev.g)
	return rev.refillKernel(ctx, &it.kernel)
}

// refillKernel computes K relative to the base potentials rev.f and rev.g.
func (rev *reverse[T]) refillKernel(ctx context.Context, kernel *gibbs.Kernel[T]) error {
	kernel.SetBase(rev.f, rev.g)
	kernel.Invalidate()
	return kernel.Fill(ctx)
}
