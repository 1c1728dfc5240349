package sinkhorn

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/pass"
)

// Iterations on scalings.

// beginIterate sets u of iterate k from the potentials in start. It reports whether u contains scalings; otherwise u contains
// potentials. It returns an error if a potential is too large for the log domain, and sets StatusLowPrecision if a potential
// has few correct digits.
func (it *iteration[T]) beginIterate(k int, start []T) (scaled bool, err error) {
	u := it.u(k)
	it.setKind(k, plainKind)
	for i, f := range start {
		l := float64(float64(f)*math.Log2E) - it.startOffset
		u[i] = T(l)
		if l = math.Abs(l); l > it.limits.largest/4 && f-f == 0 {
			return false, fmt.Errorf("%w: the starting potential of point %d is %v", ErrRange, i, f)
		} else if l > it.limits.precision && f-f == 0 {
			it.res.Status = StatusLowPrecision
		}
	}
	if it.settings.Domain == DomainLog {
		it.setKind(k, potentialKind)
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
	exp.Exp2(it.scratch, u, 1)
	if it.isSafe(it.scratch, it.a) || it.settings.Domain == DomainPlain {
		copy(u, it.scratch)
		return true, nil
	}
	it.setKind(k, potentialKind)
	return false, nil
}

// startPlain starts the problem in the plain domain without a pass over K. It reports false if the
// problem must start in the log domain.
func (it *iteration[T]) startPlain() bool {
	it.res.Iterations, it.res.MarginalError, it.res.Status, it.res.Domain = 0, math.NaN(), StatusCompleted, DomainPlain
	it.sweep.ready = false
	scaled, err := it.beginIterate(0, it.problem.Start)
	return scaled && err == nil
}

// scaledStep makes iteration k on scalings. If ok is false, a scaling has left the safe range: u^k if half is true, and v^k
// otherwise.
func (it *iteration[T]) scaledStep(ctx context.Context, k int) (ok, half bool, err error) {
	if !it.scaleColumns(k) {
		return false, false, nil
	}
	if err := it.kernel.Fill(ctx); err != nil {
		return false, false, err
	}
	if err := it.kernel.Iterate(ctx, it.u(k), it.q, it.v(k), it.a); err != nil {
		return false, false, err
	}
	return it.scaledRows(k), true, nil
}

// scaleColumns sets v of iterate k to b ⊘ q, where q = Kᵀu. It reports whether v is in the safe
// range.
func (it *iteration[T]) scaleColumns(k int) bool {
	v := it.v(k)
	pass.Divide(v, it.b, it.q)
	if it.zeroB {
		for j, b := range it.b {
			if b == 0 {
				v[j] = 0 // avoids 0/0
			}
		}
	}
	return it.isSafe(v, it.b)
}

// scaledRows reports whether u of iterate k is in the safe range and the column sums of points without weight are
// finite. If so, it sets the kind of iterate k.
func (it *iteration[T]) scaledRows(k int) bool {
	if !it.isSafe(it.u(k), it.a) || !it.weightlessFinite(it.q) {
		return false
	}
	it.setKind(k, it.scalingKind())
	return true
}

// weightlessFinite reports whether the column sums of all points with weight 0 are finite. The scalings of these points are 0,
// and 0 times an infinite column sum would be NaN. A column sum may overflow if costs are negative.
func (it *iteration[T]) weightlessFinite(q []T) bool {
	if !it.zeroB {
		return true
	}
	for j, b := range it.b {
		if b == 0 && !(q[j] <= T(it.limits.largest)) {
			return false
		}
	}
	return true
}

// isSafe reports whether every scaling of a positive weight is within the limits and every other
// scaling is zero.
func (it *iteration[T]) isSafe(x, weight []T) bool {
	out := pass.CountOutside(x, it.limits.lo, it.limits.hi)
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
