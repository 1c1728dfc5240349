package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/gibbs"
)

// The reverse pass through the iterations. With α^k and β^k the adjoints of log u^k and log v^k,
// and s^k = −α^k ⊙ u^k ⊘ a, t^k = −β^k ⊙ v^k ⊘ b,
//
//	β^k     = v^k ⊙ Kᵀs^k  (+ v ⊙ (K⊙M)ᵀu for the last k)
//	α^(k−1) = u^(k−1) ⊙ K t^k
//	M̄       = T − λ ( T⊙M + K ⊙ Σ_k (s^k v^kᵀ + u^(k−1) t^kᵀ) ).
//
// Nothing changes if K is replaced by diag(φ) K diag(γ) and the scalings are divided by φ and γ. So
// the pass uses the base on which the iterations were made, or one near it, as long as the scalings
// relative to it are in the safe range. Otherwise it takes the base of the iterate at hand. Each such
// stretch of terms is one segment.

// reverse is the state of the reverse pass.
type reverse[T dist.Float] struct {
	basis  int // iterate whose potentials are the base, plainKind or mixedBasis
	f, g   []T // base potentials of the segment, base 2
	fk, gk []T // logarithms of an iterate
	u, v   []T // scalings of the current term, relative to the base
	t      []T
}

// mixedBasis is the basis of a base of two different iterates.
const mixedBasis = -3

// grow makes room for scalings.
func (rev *reverse[T]) grow(kernel *gibbs.Kernel[T]) {
	gibbs.Grow(&rev.u, kernel.N())
	kernel.GrowColumn(&rev.v)
	kernel.GrowColumn(&rev.t)
}

// growLog makes room for potentials.
func (rev *reverse[T]) growLog(kernel *gibbs.Kernel[T]) {
	gibbs.Grow(&rev.f, kernel.N())
	kernel.GrowColumn(&rev.g)
	gibbs.Grow(&rev.fk, kernel.N())
	kernel.GrowColumn(&rev.gk)
}

// unrolled runs the reverse pass.
func (g *gradients[T]) unrolled(ctx context.Context, it *iteration[T]) error {
	if !it.settings.Gradient {
		return errNoGradient
	}
	rev, last := &g.reverse, it.res.Iterations
	if err := g.beginReverse(ctx, it); err != nil {
		return err
	}
	t, v := rev.t, rev.v
	for k := last; ; k-- {
		u, ok := rev.scaling(it, rev.u, rowSide, k-1)
		if ok {
			it.adjointColumns(t, v)
			g.terms.AddTwo(it.sweep.s, v, u, t)
		} else {
			g.terms.Add(it.sweep.s, v)
			for j, q := range it.sweep.q[:len(t)] {
				t[j] = v[j] * q // β^k
			}
			if err := g.flush(ctx, &it.kernel); err != nil {
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
			return g.flush(ctx, &it.kernel)
		}
		ok = rev.stays(it, k-1)
		if ok {
			v, ok = rev.scaling(it, rev.v, columnSide, k-1)
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

// adjointWeights sets w = −u² ⊘ a, and 0 where there is no weight.
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
			w[i] = -(u[i] / a[i]) * u[i] // u² might overflow before a divides it
		}
	}
}

// adjointColumns sets t^k = −β^k ⊙ v^k ⊘ b, with β^k = v^k ⊙ q, and 0 where there is no weight.
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

// divideFrom is the number of elements from which they are divided by a call.
const divideFrom = 32

// beginReverse starts at the plan.
func (g *gradients[T]) beginReverse(ctx context.Context, it *iteration[T]) error {
	kernel, rev, last := &it.kernel, &g.reverse, it.res.Iterations
	g.terms.Reset(kernel, 2*last, it.lambda)
	rev.grow(kernel)
	if !it.sweep.begun {
		if err := it.beginSweep(ctx, it.scratch); err != nil {
			return err
		}
	} else if err := it.final(ctx); err != nil {
		return err
	}
	it.sweep.begun = false // from here on s and q are those of later sweeps
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

// nextSegment sets s^k and q = Kᵀs^k, and moves to the base of iterate k. α^k and u are those of the
// old base; s^k belongs to the new one.
func (g *gradients[T]) nextSegment(ctx context.Context, it *iteration[T], k int, u []T) error {
	rev := &g.reverse
	s := it.sweep.s
	if err := it.kernel.Mul(ctx, s, rev.t); err != nil {
		return err
	}
	for i, u := range u {
		s[i] = -(u * s[i]) // α^k
	}
	if err := g.flush(ctx, &it.kernel); err != nil {
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

// stays reports whether the base at hand is one to stay with at iterate k: its own, or one near
// that of an iterate of potentials.
func (rev *reverse[T]) stays(it *iteration[T], k int) bool {
	kind := it.kind(k)
	return kind == rev.basis || kind == potentialKind && rev.basis != mixedBasis
}

// scaling returns a scaling of iterate k relative to the base at hand, where it is or in dst, and
// reports whether it is in the safe range.
func (rev *reverse[T]) scaling(it *iteration[T], dst []T, d side, k int) ([]T, bool) {
	if it.kind(k) == rev.basis {
		return it.slot(d, k), true
	}
	return dst, rev.relative(it, dst, d, k)
}

// relative sets dst to a scaling of iterate k, of another base, relative to the base at hand, and
// reports whether it is in the safe range.
func (rev *reverse[T]) relative(it *iteration[T], dst []T, d side, k int) bool {
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
		weightless(dst, slot)
		return true
	case rev.basis == plainKind:
		clear(base)
	}
	logarithms(it, tmp, d, k)
	return it.limits.ratio(dst, tmp, base)
}

// ratio sets dst = 2^(x − base), and reports whether all of it is in the safe range. Where x is −∞
// there is no weight and the ratio is 0.
func (l *limits[T]) ratio(dst, x, base []T) bool {
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

// logarithms sets dst to the potentials of iterate k.
func logarithms[T dist.Float](it *iteration[T], dst []T, d side, k int) {
	var base []T
	kind := it.kind(k)
	if kind >= 0 {
		base = it.slot(d, kind)
	}
	potentials(dst, it.slot(d, k), kind, base)
}

// rebase starts a segment at the base of iterate k.
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
		weightless(rev.u, it.u(k))
		weightless(rev.v, it.v(k))
	default:
		rev.basis = kind
		copy(rev.u, it.u(k))
		copy(rev.v, it.v(k))
	}
	copy(rev.f, it.u(rev.basis))
	copy(rev.g, it.v(rev.basis))
	return rev.refill(ctx, &it.kernel)
}

// rebaseMixed starts a segment at the base of u^(k−1) and v^k themselves.
func (g *gradients[T]) rebaseMixed(ctx context.Context, it *iteration[T], k int) error {
	rev := &g.reverse
	clear(g.terms.HU)
	rev.basis = mixedBasis
	rev.growLog(&it.kernel)
	logarithms(it, rev.f, rowSide, k-1)
	logarithms(it, rev.g, columnSide, k)
	weightless(rev.u, rev.f)
	weightless(rev.v, rev.g)
	return rev.refill(ctx, &it.kernel)
}

// refill computes K for the base of the segment.
func (rev *reverse[T]) refill(ctx context.Context, kernel *gibbs.Kernel[T]) error {
	kernel.SetBase(rev.f, rev.g)
	kernel.Invalidate()
	return kernel.Fill(ctx)
}
