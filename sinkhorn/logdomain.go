package sinkhorn

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/gibbs"
)

// This file implements iterations on logarithms. Log-sum-exps neither overflow nor underflow, but need an exponential for each
// element. Therefore such an iteration scales the rows and columns of K by powers of 2 whose exponents are its potentials. These
// potentials are called the base of K. The following iterations use scalings relative to this base. This is the absorption of
// B. Schmitzer, "Stabilized sparse scaling algorithms for entropy regularized transport problems", SIAM J. Sci. Comput. 41
// (2019). An iteration on logarithms is exact and restores elements of K that have underflowed.

// logDomain is the additional state of iterations on logarithms. Logarithms are to base 2.
type logDomain[T dist.Float] struct {
	f, g     []T     // base potentials, which are multiplied into K
	basis    int     // iterate to which f and g belong
	a, b     []T     // logarithms of the marginals
	max, sum []T     // the log-sum-exp of a row is max + log₂ sum
	h, sums  []T     // the log-sum-exp of a column is h + log₂ sums
	ones     plan[T] // scalings of 1, or of 0 where the weight is 0
}

// enterLog prepares the log domain. It returns an error if potentials would have no correct digit,
// and sets StatusLowPrecision if they have few correct digits.
func (it *iteration[T]) enterLog(ctx context.Context) error {
	kernel, log := &it.kernel, &it.log
	for _, v := range []*[]T{&log.f, &log.a, &log.max, &log.sum, &log.ones.u} {
		gibbs.Grow(v, kernel.N())
	}
	for _, v := range []*[]T{&log.g, &log.b, &log.h, &log.sums, &log.ones.v} {
		kernel.GrowColumn(v)
	}
	it.res.Domain = DomainLog
	for i, w := range it.a {
		log.a[i] = num.Log2(w)
	}
	for j, w := range it.b {
		log.b[j] = num.Log2(w)
	}
	if err := kernel.Measure(ctx); err != nil {
		return err
	}
	c := float64(kernel.C())
	largest := math.Min(it.limits.largest, math.Nextafter(it.limits.costLimit/c, 0))
	precise := it.limits.precision / c
	if precise < largest {
		if ok, err := kernel.CostsWithin(ctx, precise); ok || err != nil {
			return err
		}
	}
	ok, err := kernel.CostsWithin(ctx, largest)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("%w: with λ = %v a cost must be below %.4g on logarithms", ErrRange, it.lambda, largest)
	case precise < largest:
		it.res.Status = StatusLowPrecision
	}
	return nil
}

// logStep makes iteration k on the potentials f = log₂u and g = log₂v. Then f and g become the base potentials of K. If half is
// true, scaledStep has already computed v^k. If scaled is true, q contains the column sums for the current base.
func (it *iteration[T]) logStep(ctx context.Context, k int, half, scaled bool) error {
	log := &it.log
	if it.res.Domain == DomainPlain {
		if err := it.enterLog(ctx); err != nil {
			return err
		}
	}
	f, g := it.u(k), it.v(k)
	if half {
		for j, v := range g {
			g[j] = num.Log2(v)
			if it.kernel.HasBase() {
				g[j] += log.g[j]
			}
		}
	} else if err := it.columnPotentials(ctx, k, g, scaled); err != nil {
		return err
	}
	if err := it.kernel.LogRows(ctx, log.max, log.sum, it.q, g, it.a); err != nil {
		return err
	}
	minusInf := T(math.Inf(-1))
	for i := range f {
		h := log.max[i] + num.Log2(log.sum[i])
		if it.a[i] > 0 {
			f[i] = (log.a[i] - log.max[i]) - num.Log2(log.sum[i])
			log.f[i] = f[i]
		} else {
			f[i] = minusInf
			log.f[i] = -h // makes the sum of the row of K 1, which avoids 0/0
		}
	}
	copy(log.g, g)
	it.kernel.Invalidate()
	for _, q := range it.q {
		if !(q-q == 0) {
			return ErrRange
		}
	}
	it.setKind(k, potentialKind)
	log.basis = k
	it.kernel.SetBase(log.f, log.g)
	return nil
}

// columnPotentials sets g to the column potentials of iteration k. If scaled is true, q contains the column sums for the
// current base. A potential is computed from its column sum if the sum is accurate, and otherwise as a log-sum-exp.
func (it *iteration[T]) columnPotentials(ctx context.Context, k int, g []T, scaled bool) error {
	log := &it.log
	kind := it.kind(k - 1)
	rough := func(j int) bool {
		if !scaled {
			return true
		}
		if kind == potentialKind {
			return !(it.q[j] >= it.limits.leastColumnSum)
		}
		// For negative costs, an element of K and its column sum may be +Inf.
		return !(T(it.limits.hi*it.q[j]) >= it.b[j]) || it.q[j] > T(it.limits.largest)
	}
	exact := false
	for j, b := range it.b {
		if b > 0 && rough(j) {
			exact = true
			break
		}
	}
	minusInf := T(math.Inf(-1))
	if exact {
		f := it.scratch
		potentials(f, it.u(k-1), kind, log.f)
		if err := it.kernel.LogColumnMax(ctx, log.h, f); err != nil {
			return err
		}
		if err := it.kernel.LogColumnSum(ctx, log.sums, f, log.h); err != nil {
			return err
		}
	}
	for j, b := range it.b {
		switch {
		case b == 0:
			g[j] = minusInf
		case rough(j):
			g[j] = (log.b[j] - log.h[j]) - num.Log2(log.sums[j])
		default:
			g[j] = log.b[j] - num.Log2(it.q[j])
			if it.kernel.HasBase() {
				g[j] += log.g[j]
			}
		}
	}
	return nil
}

// keepWeightless sets the potentials f of points without weight. When absorb makes f and g the base potentials, the rows of K
// for these points must not grow. The scalings of these rows are 0, but 0 times an infinite element would be NaN.
func (it *iteration[T]) keepWeightless(f, g []T) {
	var rise T
	for j, g := range g {
		if it.b[j] > 0 {
			rise = max(rise, g-it.log.g[j])
		}
	}
	for i, a := range it.a {
		if a == 0 {
			f[i] = it.log.f[i] - rise
		}
	}
}

// absorb sets the base potentials of the kernel to f and g. Scalings of the kernel are then relative to these potentials.
func (it *iteration[T]) absorb(f, g []T) {
	copy(it.log.f, f)
	copy(it.log.g, g)
	it.kernel.Invalidate()
	it.kernel.SetBase(it.log.f, it.log.g)
}
