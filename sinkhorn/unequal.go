package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/gibbs"
)

// This file implements problems with marginal penalties, and partial transport. Let T be the plan, and let r = Kv be the row
// sums for the scalings v. The best scalings u are
//
//	u = a ⊘ r                        for an exact marginal, T1 = a
//	u = a ⊙ r^−τ,  τ = ρλ/(ρλ + 1)   for a penalty ρ KL(T1 | a)
//	u = min(ηa, a ⊘ r)               for T1 ≤ a, with η such that the plan has the required mass
//
// The formulas for v are similar. In each case the entropy is relative to a⊗b. The second formula is from L. Chizat et al.,
// "Scaling algorithms for unbalanced optimal transport problems", Math. Comp. 87 (2018). The third formula maximizes the dual
// of J.-D. Benamou et al., "Iterative Bregman projections for regularized transportation problems", SIAM J. Sci. Comput. 37
// (2015), section 5. The third formula uses two blocks instead of three, and needs no correction terms.
//
// All three formulas have the form log₂u = min(top, α − τ log₂r). If K has base potentials F, r is 2^F times as large,
// and
//
//	α = log₂a − (1 − τ)F,   top = log₂(ηa) − F.
//
// With penalties, a constant that is added to log u and subtracted from log v does not change the plan, but changes the masses
// m_a and m_b that the sides require. If the sums of a and b differ and ρλ is large, the best constant is large. Plain
// iterations change the constant by about one in each pass and need ρλ passes. Therefore the constant is a separate variable,
// the shift c:
//
//	log₂u = F + c,   log₂v = G − c,
//	m_a = Σ a (2^F/a)^(−1/(ρ_a λ)) 2^(−c/(ρ_a λ)),   m_b = Σ b (2^G/b)^(−1/(ρ_b λ)) 2^(c/(ρ_b λ)).
//
// Each half of an iteration finds the best scalings of one side together with the best c, for which m_a = m_b. Closed formulas
// exist for the scalings and for c. This is the translation invariant iteration of T. Séjourné, F.-X. Vialard, G. Peyré,
// "Faster unbalanced optimal transport: translation invariant Sinkhorn and 1-D Frank-Wolfe", AISTATS 2022. F and G remain
// moderate, so the plan keeps its digits. Below, log₂u and log₂v mean F and G. Then α of the rows is smaller by (1 − τ)c, and α
// of the columns is larger by (1 − τ)c.
//
// In the dual, a' and b' replace a and b, where a' and b' are the masses that the sides require at the iterate. The rows reduce
// the curvature of the dual, and the columns increase the curvature:
//
//	∇D = b' − c,   −∇²D = diag(c + b'/(ρ_b λ)) − Tᵀ diag(τ_a/a') T,   a' = T1.

// unbalanced makes the iterations for problems with penalties and for partial transport. For problems with penalties, it also
// implements the interface dual.
type unbalanced[T dist.Float] struct {
	*dualPoint[T]
	f, g    []T     // potentials of the iterate; the memory of g is also used for column sums
	weight  float64 // sum of the vector diag in the linear system of Newton's method
	scratch []T     // vector of max(m, n) elements
	shift   float64 // the shift c at the trial point; c is added to log u and subtracted from log v
	capped  caps    // in partial transport, rows and columns whose latest scalings are at their upper bound
}

func (d *unbalanced[T]) allocate() {
	kernel := &d.it.kernel
	for _, v := range []*[]T{&d.u, &d.tu, &d.rows, &d.sums, &d.f} {
		gibbs.Grow(v, kernel.N())
	}
	for _, v := range []*[]T{&d.v, &d.tv, &d.tq, &d.g} {
		kernel.GrowColumn(v)
	}
	gibbs.Grow(&d.scratch, max(kernel.N(), kernel.M()))
}

// advance makes iterations and ends under the same conditions as iteration.advance. The marginal error is Σ_j q_j |v_j −
// v'_j|, where q = Kᵀu and v' is the next v. In balanced problems this sum is ‖Tᵀ1 − b‖₁.
func (d *unbalanced[T]) advance(ctx context.Context, limit int, tolerance float64, p *pace) error {
	it := d.it
	d.allocate()
	k := it.res.Iterations
	copy(d.u, it.u(k)) // scalings, or
	copy(d.f, it.u(k)) // potentials
	copy(d.v, it.v(k))
	fresh := !finite(it.res.MarginalError) // no iteration has computed v yet
	defer func() {
		if it.res.Iterations > k {
			d.storeIterate()
		}
	}()
	for ; ; fresh = false {
		scaled := it.scaled
		ok := scaled && d.sumsAccurate(it.q, it.b) && d.updateColumns()
		switch {
		case ok:
		case it.settings.Domain == DomainPlain:
			return errUnderflow
		default:
			if err := d.logColumns(ctx, scaled); err != nil {
				return err
			}
		}
		made := it.res.Iterations
		if !fresh && (d.recordIteration(tolerance, made >= limit) || p != nil && p.isSlow(made, it.res.MarginalError, tolerance*it.mass)) {
			return nil
		}
		if err := d.step(ctx, ok, scaled); err != nil {
			return err
		}
		it.scaled = true
		it.res.Iterations = made + 1
	}
}

// step completes an iteration. If ok is true, tv contains new column scalings. If the row scalings computed from tv are
// accurate, step accepts both. Otherwise it computes logarithms.
func (d *unbalanced[T]) step(ctx context.Context, ok, scaled bool) (err error) {
	it := d.it
	if ok {
		scaleByPower(d.tv, d.translation())
		if ok, err = d.completeTrial(ctx); err != nil {
			return err
		}
		if ok {
			d.acceptTrial()
			return nil
		}
		if it.settings.Domain == DomainPlain {
			return errUnderflow
		}
		if err := d.logColumns(ctx, scaled); err != nil {
			return err
		}
	}
	return d.logRows(ctx, it.res.Iterations+1)
}

// completeTrial completes the trial point, given its column scalings tv. It computes d.sums = K·tv, the
// best row scalings tu, and tq = Kᵀ·tu. It reports whether all four vectors are accurate.
func (d *unbalanced[T]) completeTrial(ctx context.Context) (bool, error) {
	it, kernel := d.it, &d.it.kernel
	if !it.isSafe(d.tv, it.b) {
		return false, nil
	}
	if err := kernel.Fill(ctx); err != nil {
		return false, err
	}
	if err := kernel.Mul(ctx, d.sums, d.tv); err != nil || !d.sumsAccurate(d.sums, it.a) {
		return false, err
	}
	d.bestScaling(d.tu, d.sums, rowSide)
	var mass float64
	for i, u := range d.tu {
		mass += float64(u * d.sums[i])
	}
	scaleByPower(d.tu, d.balanceShift(d.tv, false, num.Log2(mass)))
	if !it.isSafe(d.tu, it.a) {
		return false, nil
	}
	err := kernel.MulTrans(ctx, d.tq, d.tu)
	return err == nil && it.weightlessFinite(d.tq), err
}

// sumsAccurate reports whether x contains accurate sums for all points with positive weight. In partial transport, it also
// accepts small, inaccurate sums if the points with accurate sums have more weight than the mass to move. If the scalings are in
// the safe range, every point with a small sum then has the largest allowed scaling, whatever the exact sum is. The elements of
// K that underflowed do not matter, because they would add less than a rounding error.
func (d *unbalanced[T]) sumsAccurate(x, weight []T) bool {
	it, least := d.it, d.it.limits.leastSum
	if it.partial > 0 {
		var reach, rest float64
		for i, w := range weight {
			if x[i] >= least {
				reach += float64(w)
			} else {
				rest += float64(w)
			}
		}
		if least = 0; rest > 0 && !(reach > it.partial) {
			return false
		}
	}
	for i, w := range weight {
		if w > 0 && !(x[i] >= least && x[i] <= T(it.limits.largest)) {
			return false
		}
	}
	return true
}

// translation returns log₂ of the factor that turns the best v for the current shift c into the best v for the best shift c.
// d.g and d.tq contain the column sums of the plan with the current v and with the best v.
func (d *unbalanced[T]) translation() float64 {
	it := d.it
	if it.partial > 0 || it.res.Iterations == 0 {
		return 0
	}
	var have, want float64
	for j, g := range d.g {
		have += float64(g)
		want += float64(d.tq[j])
	}
	rest := it.penaltyOfB.rest
	return finiteOrZero(float64(rest*(num.Log2(have)-num.Log2(want))) / (it.penaltyOfA.inverse + rest))
}

// balanceShift sets d.shift to the best shift for the column scalings tv, which are logarithms to base 2 if logs is true. mass
// is log₂ of the mass of the plan with the best u for the current shift. balanceShift returns log₂ of a factor. This factor
// times the best u for the current shift is the best u for the new shift.
func (d *unbalanced[T]) balanceShift(tv []T, logs bool, mass float64) float64 {
	it := d.it
	d.shift = it.shift
	if it.partial > 0 {
		return 0
	}
	share, base := d.scratch[:len(tv)], it.log.g
	if !it.kernel.HasBase() || logs {
		base = nil
	}
	top := math.Inf(-1)
	for j, b := range it.b {
		share[j] = T(math.Inf(-1))
		if b == 0 {
			continue
		}
		x, w := float64(tv[j]), num.Log2(float64(b))
		if !logs {
			x = num.Log2(x)
		}
		if base != nil {
			x += float64(base[j])
		}
		l := w - float64((x-w-it.shift)*it.penaltyOfB.inverse)
		share[j] = T(l)
		top = max(top, l)
	}
	asked := logSum(share, top)
	rest := it.penaltyOfA.rest
	c := finiteOrZero((mass - asked) / (rest + it.penaltyOfB.inverse))
	d.shift += c
	return -float64(rest * c)
}

// logSum returns log₂ Σ 2^x and overwrites x. To avoid overflow, top must be near the largest x.
func logSum[T dist.Float](x []T, top float64) float64 {
	for i := range x {
		x[i] -= T(top)
	}
	exp.Exp2(x, x, 1)
	var sum float64
	for _, x := range x {
		sum += float64(x)
	}
	return num.Log2(sum) + float64(T(top))
}

// scaleByPower multiplies x by 2^l.
func scaleByPower[T dist.Float](x []T, l float64) {
	if l == 0 {
		return
	}
	factor := T(exp2(l))
	for i := range x {
		x[i] *= factor
	}
}

// exp2 returns 2^l with the same bits on every machine.
func exp2(l float64) float64 {
	x := [1]float64{l}
	exp.Exp2(x[:], x[:], 1)
	return x[0]
}

// finiteOrZero returns x, or 0 if x is not finite.
func finiteOrZero(x float64) float64 {
	if finite(x) {
		return x
	}
	return 0
}

// logColumns computes the optimal v for the current u, and stores the potentials of this v in log.h. It sets g to the column
// sums of the plan with the current v, and tq to the column sums with the optimal v.
func (d *unbalanced[T]) logColumns(ctx context.Context, scaled bool) error {
	it, kernel, log := d.it, &d.it.kernel, &d.it.log
	if it.res.Domain == DomainPlain {
		if err := it.enterLog(ctx); err != nil {
			return err
		}
	}
	if scaled {
		kind := it.scalingKind()
		potentials(d.f, d.u, kind, log.f)
		potentials(d.g, d.v, kind, log.g)
	}
	if err := kernel.LogColumnMax(ctx, log.h, d.f); err != nil {
		return err
	}
	if err := kernel.LogColumnSum(ctx, log.sums, d.f, log.h); err != nil {
		return err
	}
	for j, h := range log.h {
		log.sums[j] = h + num.Log2(log.sums[j])
	}
	d.bestPotentials(log.h, log.sums, columnSide, nil)
	for j, sum := range log.sums {
		d.g[j] += sum
		d.tq[j] = log.h[j] + sum
	}
	exp.Exp2(d.g, d.g, 1)
	exp.Exp2(d.tq, d.tq, 1)
	return nil
}

// logRows completes iteration k in the log domain. The resulting potentials become the base potentials of the following
// iterations.
func (d *unbalanced[T]) logRows(ctx context.Context, k int) error {
	it, kernel, log := d.it, &d.it.kernel, &d.it.log
	l := T(d.translation())
	for j, h := range log.h {
		d.g[j] = h + l
	}
	if err := kernel.LogRows(ctx, log.max, log.sum, d.tq, d.g, it.a); err != nil {
		return err
	}
	for i, h := range log.max {
		log.max[i] = h + num.Log2(log.sum[i])
	}
	d.bestPotentials(d.f, log.max, rowSide, nil)
	d.balancePotentials()
	it.shift = d.shift
	for _, x := range [2][]T{d.f, d.g} {
		for _, x := range x {
			if x != x || x > T(it.limits.largest) {
				return ErrRange
			}
		}
	}
	unitScalings(d.u, d.f)
	unitScalings(d.v, d.g)
	for i, a := range it.a {
		if a == 0 {
			d.f[i] = -log.max[i]
		}
	}
	it.absorb(d.f, d.g)
	log.basis = k
	if err := kernel.Fill(ctx); err != nil {
		return err
	}
	return kernel.MulTrans(ctx, it.q, d.u)
}

// balancePotentials sets d.shift to the best shift for the potentials g. It then adds a constant to the potentials f, so that
// they are optimal for this shift. log.max must contain the logarithms of the row sums Kv.
func (d *unbalanced[T]) balancePotentials() {
	log := &d.it.log
	share, top := d.scratch[:len(d.f)], math.Inf(-1)
	for i, f := range d.f {
		l := float64(f) + float64(log.max[i])
		share[i] = T(l)
		top = max(top, l)
	}
	l := T(d.balanceShift(d.g, true, logSum(share, top)))
	for i := range d.f {
		d.f[i] += l
	}
}

// bestScaling sets dst to the best u for the given row sums, or to the best v for the given column sums. If the kernel has base
// potentials, dst and sums are relative to these potentials.
func (d *unbalanced[T]) bestScaling(dst, sums []T, at side) {
	it := d.it
	weight, base, p := d.sideData(at)
	if it.partial == 0 && p.rest == 0 {
		divide(dst, weight, sums)
		return
	}
	for i, x := range sums[:len(dst)] {
		dst[i] = num.Log2(x)
	}
	if !it.kernel.HasBase() {
		base = nil
	}
	d.bestPotentials(dst, dst, at, base)
	exp.Exp2(dst, dst, 1)
}

// sideData returns the weights, the base potentials and the penalty of one side.
func (d *unbalanced[T]) sideData(at side) (weight, base []T, p penalty) {
	it := d.it
	if at == columnSide {
		return it.b, it.log.g, it.penaltyOfB
	}
	return it.a, it.log.f, it.penaltyOfA
}

// bestPotentials is like bestScaling for logarithms to base 2. dst and sums may be the same slice.
func (d *unbalanced[T]) bestPotentials(dst, sums []T, at side, base []T) {
	it := d.it
	weight, _, p := d.sideData(at)
	shift := it.shift
	if at == columnSide {
		shift = -shift
	}
	var eta float64
	var capped []bool
	if it.partial > 0 {
		eta = d.massFactor(weight, sums, base)
		capped = d.capped.ofSide(at, len(weight))
	}
	for i, w := range weight {
		if w == 0 {
			dst[i] = T(math.Inf(-1))
			if it.partial > 0 {
				capped[i] = false
			}
			continue
		}
		l, f := float64(num.Log2(w)), 0.0
		if base != nil {
			f = float64(base[i])
		}
		x := l - float64(p.rest*(f+shift)) - float64(p.tau*float64(sums[i]))
		if it.partial > 0 {
			top := eta + l - f
			capped[i] = top < x
			x = min(x, top)
		}
		dst[i] = T(x)
	}
}

// massFactor returns log₂η for the factor η with which the masses min(η w_i r_i, w_i) have the required sum, where r_i =
// 2^(sum_i − base_i). It uses Newton's method, beginning below the solution. The last step is exact, because it does not
// change which masses are at their upper bound w_i.
func (d *unbalanced[T]) massFactor(weight, sums, base []T) float64 {
	it := d.it
	level := func(i int) float64 {
		if base != nil {
			return float64(sums[i]) - float64(base[i])
		}
		return float64(sums[i])
	}
	eta, full := math.Inf(-1), -1
	for {
		fixed, top, count := 0.0, math.Inf(-1), 0
		for i, w := range weight {
			switch l := level(i); {
			case w == 0:
			case eta+l >= 0:
				fixed += float64(w)
				count++
			default:
				top = max(top, l)
			}
		}
		if count == full || !(fixed < it.partial) || math.IsInf(top, -1) {
			return eta
		}
		full = count
		share := d.scratch[:len(weight)]
		for i, w := range weight {
			share[i] = T(math.Inf(-1))
			if l := level(i); w > 0 && eta+l < 0 {
				share[i] = T(l - top)
			}
		}
		exp.Exp2(share, share, 1)
		var slope float64
		for i, w := range weight {
			slope = num.FMA(float64(w), float64(share[i]), slope)
		}
		eta = max(eta, num.Log2((it.partial-fixed)/slope)-top)
	}
}
