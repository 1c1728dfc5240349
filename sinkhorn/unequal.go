package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
)

// Problems with marginal penalties, and partial transport. With the row sums r = Kv for
// scalings v, the best u is
//
//	u = a ⊘ r                        for an exact marginal, T1 = a
//	u = a ⊙ r^−τ,  τ = ρλ/(ρλ + 1)   for a penalty ρ KL(T1 | a)
//	u = min(ηa, a ⊘ r)               for T1 ≤ a, with η such that the plan has the mass wanted
//
// and likewise for v: in each the reference of the entropy is a⊗b. The second is L. Chizat et al.,
// "Scaling algorithms for unbalanced optimal transport problems", Math. Comp. 87 (2018). The third
// maximizes the dual of J.-D. Benamou et al., "Iterative Bregman projections for regularized
// transportation problems", SIAM J. Sci. Comput. 37 (2015), section 5, over two blocks instead of
// three, so that no correction terms are needed.
//
// All of them are log₂u = min(top, α − τ log₂r). Relative to a base F, where r is 2^F times as
// large, α = log₂a − (1 − τ)F and top = log₂(ηa) − F.
//
// If both sides have a penalty, adding t to one dual variable and subtracting it from the other
// moves the masses that they ask for, m_a = Σ a r^(1−τ) and m_b. The best t is known in closed form
// (T. Séjourné, F.-X. Vialard, G. Peyré, "Faster unbalanced optimal transport: translation invariant
// Sinkhorn and 1-D Frank-Wolfe", AISTATS 2022).
//
// In the dual, a and b are replaced by what the sides ask for at the iterate, a' and b'. It is
// curved less by the rows and more by the columns:
//
//	∇D = b' − c,   −∇²D = diag(c + b'/(ρ_b λ)) − Tᵀ diag(τ_a/a') T,   a' = T1.

// unbalanced is the iteration and the dual of these problems.
type unbalanced[T dist.Float] struct {
	*dualPoint[T]
	f, g   []T     // potentials of the iterate; or g its column sums
	weight float64 // Σ of the diagonal of Newton's system
	share  []T     // scratch
}

// allocate makes room for the vectors.
func (d *unbalanced[T]) allocate() {
	geo := &d.it.geo
	for _, v := range []*[]T{&d.u, &d.tu, &d.rows, &d.f} {
		grow(v, geo.n)
	}
	for _, v := range []*[]T{&d.v, &d.tv, &d.tq, &d.g} {
		geo.column(v)
	}
	grow(&d.share, max(geo.n, geo.m))
}

// advance makes iterations as iteration.advance does. The marginal error is
// Σ_j q_j |v_j − v'_j|, with v' the scalings that would come next: the gradient of the dual, in the
// norm of balanced problems.
func (d *unbalanced[T]) advance(ctx context.Context, limit int, tolerance float64, p *pace) error {
	it := d.it
	d.allocate()
	k := it.res.Iterations
	copy(d.u, it.u(k)) // scalings, or
	copy(d.f, it.u(k)) // potentials
	copy(d.v, it.v(k))
	fresh := !finite(it.res.MarginalError) // there is no v yet
	defer func() {
		if it.res.Iterations > k {
			d.store()
		}
	}()
	for ; ; fresh = false {
		scaled := it.scaled
		ok := scaled && d.accurate(it.q, it.b)
		switch {
		case ok:
			d.bestColumns()
		case it.settings.Domain == DomainPlain:
			return errUnderflow
		default:
			if err := d.logColumns(ctx, scaled); err != nil {
				return err
			}
		}
		made := it.res.Iterations
		if !fresh && (d.done(tolerance, made >= limit) || p != nil && p.slow(made, it.res.MarginalError, tolerance*it.mass)) {
			return nil
		}
		if err := d.step(ctx, ok, scaled); err != nil {
			return err
		}
		it.scaled = true
		it.res.Iterations = made + 1
	}
}

// step completes an iteration: on scalings if ok and if they are accurate, else on logarithms.
func (d *unbalanced[T]) step(ctx context.Context, ok, scaled bool) (err error) {
	it := d.it
	if ok {
		d.translate()
		if ok, err = d.try(ctx); err != nil {
			return err
		}
		if ok {
			d.take()
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

// enter prepares the point for Newton's steps.
func (d *unbalanced[T]) enter(ctx context.Context) error {
	d.it.geo.column(&d.diag)
	if err := d.it.geo.rows(ctx, d.it.r, d.v); err != nil {
		return err
	}
	d.setRows()
	return nil
}

func (d *unbalanced[T]) system() (diag, rows []T, weight float64) { return d.diag, d.rows, d.weight }

// next sets tv to the scalings of the next plain iteration.
func (d *unbalanced[T]) next() {
	d.bestColumns()
	d.translate()
}

// take makes the point that has been tried the point at hand.
func (d *unbalanced[T]) take() {
	d.dualPoint.take()
	d.setRows()
}

// bestColumns sets tv to the best v for the iterate, and g and tq to the column sums of the
// plan without and with it.
func (d *unbalanced[T]) bestColumns() {
	it := d.it
	d.scaling(d.tv, it.q, columnSide)
	for j, v := range d.v {
		d.g[j], d.tq[j] = v*it.q[j], d.tv[j]*it.q[j]
	}
}

// setRows sets rows for the scalings u at hand and the sums r.
func (d *unbalanced[T]) setRows() {
	it, t := d.it, d.it.tauA()
	for i, u := range d.u {
		d.rows[i] = T(float64(u) * float64(it.r[i]) / t)
	}
}

// residual: the columns ask for b' = c (v'/v)^(1/τ), with v' the best scaling.
func (d *unbalanced[T]) residual() {
	it, t := d.it, d.it.tauB()
	d.bestColumns()
	share := d.share[:len(d.v)]
	for j, v := range d.v {
		share[j] = 0
		if it.b[j] > 0 {
			share[j] = T(num.Log2(float64(d.tv[j])/float64(v)) / t)
		}
	}
	exp.Exp2(share, share, 1)
	it.res.MarginalError, d.weight = 0, 0
	for j, c := range d.g {
		asked := T(c * share[j])
		it.columns[j], d.e[j] = c, asked-c
		d.diag[j] = c + T(float64(asked)*(1-t)/t)
		d.weight += float64(d.diag[j])
		it.res.MarginalError += math.Abs(float64(c) - float64(d.tq[j]))
	}
}

// worth replaces every x by ρ(1 − e^(−x/ρ)). This is by how much the dual rises if x is added to a
// dual variable of a side with the penalty ρ, for each unit of mass that the side asks for.
func (d *unbalanced[T]) worth(x []T, rho float64) {
	if math.IsInf(rho, 1) {
		return
	}
	share := d.share[:len(x)]
	for i, x := range x {
		share[i] = T(-float64(x) / rho)
	}
	exp.Exp(share, share)
	for i, e := range share {
		z := float64(T(-float64(x[i]) / rho))
		switch lost := 1 - float64(e); {
		case e == 1:
		case e > 0.5 && e < 2: // without what rounding has added (W. Kahan)
			x[i] = T(rho * lost * z / num.Log(float64(e)))
		default:
			x[i] = T(rho * lost)
		}
	}
}

func (d *unbalanced[T]) gain(t float64, beta []T) (gain, slope float64) {
	it := d.it
	rhoA, rhoB := float64(it.penaltyA*it.lambda), float64(it.penaltyB*it.lambda)
	for i, a := range it.a {
		d.f[i] = 0
		if a > 0 {
			d.f[i] = T(num.Log(float64(d.tu[i]) / float64(d.u[i])))
		}
	}
	d.worth(d.f, rhoA)
	for i, x := range d.f {
		gain = num.FMA(float64(d.rows[i]), float64(x), gain) // (1 + 1/(ρλ)) T1 are rows
	}
	for j, beta := range beta {
		d.g[j] = T(t * float64(beta))
	}
	d.worth(d.g, rhoB)
	for j, x := range d.g {
		asked := float64(d.e[j]) + float64(it.columns[j])
		gain = num.FMA(asked, float64(x), gain)
		asked -= float64(asked*float64(x)) / rhoB
		slope = num.FMA(asked-float64(d.tv[j]*d.tq[j]), float64(beta[j]), slope)
	}
	return gain, slope
}

func (d *unbalanced[T]) value() float64 {
	it, k := d.it, d.it.res.Iterations
	kind := it.kind(k)
	side := func(x, slot, weight, base []T, rho float64) (value, asked float64) {
		natural(x, slot, kind, base)
		for i, w := range weight {
			if x[i] -= num.Log(w); w == 0 {
				x[i] = 0
			}
		}
		d.worth(x, rho)
		for i, w := range weight {
			value = num.FMA(float64(w), float64(x[i]), value)
			asked += float64(w) - float64(float64(w)*float64(x[i]))/rho
		}
		return value, asked
	}
	left, mass := side(d.tu, it.u(k), it.a, it.log.f, float64(it.penaltyA*it.lambda))
	right, _ := side(d.tv, it.v(k), it.b, it.log.g, float64(it.penaltyB*it.lambda))
	return left + right - mass
}

// done sets the marginal error from the column sums in g and those in tq, which the
// next scaling v would have, and reports whether the iterations end.
func (d *unbalanced[T]) done(tolerance float64, last bool) bool {
	it := d.it
	var e float64
	for j, b := range it.b {
		if b > 0 {
			e += math.Abs(float64(d.g[j]) - float64(d.tq[j]))
		}
	}
	it.res.MarginalError = e
	done := tolerance > 0 && e <= tolerance*it.mass
	switch {
	case it.res.Status == LowPrecision:
	case done:
		it.res.Status = Converged
	case last && tolerance > 0:
		it.res.Status = IterationLimit
	}
	return done || last
}

// try sets tu to the best u for tv, r and tq to the sums K tv and Kᵀtu, and reports
// whether all are accurate.
func (d *unbalanced[T]) try(ctx context.Context) (bool, error) {
	it, geo := d.it, &d.it.geo
	if !it.safe(d.tv, it.b) {
		return false, nil
	}
	if err := geo.fill(ctx); err != nil {
		return false, err
	}
	if err := geo.rows(ctx, it.r, d.tv); err != nil || !d.accurate(it.r, it.a) {
		return false, err
	}
	d.scaling(d.tu, it.r, rowSide)
	if !it.safe(d.tu, it.a) {
		return false, nil
	}
	err := geo.columns(ctx, d.tq, d.tu)
	return err == nil, err
}

// accurate reports whether all sums that belong to a positive weight are accurate.
func (d *unbalanced[T]) accurate(x, weight []T) bool {
	it := d.it
	for i, w := range weight {
		if w > 0 && !(x[i] >= it.limits.least && x[i] <= T(it.limits.largest)) {
			return false
		}
	}
	return true
}

// translate multiplies tv by what makes both sides ask for the same mass.
func (d *unbalanced[T]) translate() {
	it := d.it
	if it.partial > 0 || it.res.Iterations == 0 || math.IsInf(it.penaltyA, 1) || math.IsInf(it.penaltyB, 1) {
		return
	}
	var have, want float64 // the plan's mass, and that which b asks for
	for j, g := range d.g {
		have += float64(g)
		want += float64(d.tq[j])
	}
	// have is what a asks for if u is the best for v.
	t := float64(it.lambda*(it.penaltyA/(it.penaltyA+it.penaltyB))*it.penaltyB) * (num.Log2(have) - num.Log2(want))
	factor := [1]T{T(-t)}
	exp.Exp2(factor[:], factor[:], 1)
	if !(math.Abs(t) < 30) {
		return // so far from the solution that the model is of no use
	}
	for j := range d.tv {
		d.tv[j] *= factor[0]
	}
}

// logColumns sets log.h to the best v for the iterate, as potentials, and g and tq to the
// column sums of the plan without and with it.
func (d *unbalanced[T]) logColumns(ctx context.Context, scaled bool) error {
	it, geo, log := d.it, &d.it.geo, &d.it.log
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
	if err := geo.columnMax(ctx, log.h, d.f); err != nil {
		return err
	}
	if err := geo.columnSum(ctx, log.sums, d.f, log.h); err != nil {
		return err
	}
	for j, h := range log.h {
		log.sums[j] = h + num.Log2(log.sums[j])
	}
	d.logScaling(log.h, log.sums, columnSide, nil)
	for j, sum := range log.sums {
		d.g[j] += sum
		d.tq[j] = log.h[j] + sum
	}
	exp.Exp2(d.g, d.g, 1)
	exp.Exp2(d.tq, d.tq, 1)
	return nil
}

// logRows completes iteration k on potentials, and makes them the base.
func (d *unbalanced[T]) logRows(ctx context.Context, k int) error {
	it, geo, log := d.it, &d.it.geo, &d.it.log
	copy(d.g, log.h)
	if err := geo.logRows(ctx, log.max, log.sum, d.tq, d.g, it.a); err != nil {
		return err
	}
	for i, h := range log.max {
		log.max[i] = h + num.Log2(log.sum[i])
	}
	d.logScaling(d.f, log.max, rowSide, nil)
	for _, x := range [2][]T{d.f, d.g} {
		for _, x := range x {
			if x != x || x > T(it.limits.largest) {
				return ErrRange
			}
		}
	}
	weightless(d.u, d.f)
	weightless(d.v, d.g)
	for i, a := range it.a {
		if a == 0 {
			d.f[i] = -log.max[i]
		}
	}
	it.absorb(d.f, d.g)
	log.basis = k
	if err := geo.fill(ctx); err != nil {
		return err
	}
	return geo.columns(ctx, it.q, d.u)
}

// scaling sets dst to the best scaling for the sums, all relative to the base.
func (d *unbalanced[T]) scaling(dst, sums []T, at side) {
	it := d.it
	weight, base, t := d.weights(at)
	if it.partial == 0 && t == 1 {
		divide(dst, weight, sums)
		return
	}
	for i, x := range sums[:len(dst)] {
		dst[i] = num.Log2(x)
	}
	if it.geo.base.f == nil {
		base = nil
	}
	d.logScaling(dst, dst, at, base)
	exp.Exp2(dst, dst, 1)
}

// weights returns a side's weights, the potentials of its base, and its τ.
func (d *unbalanced[T]) weights(at side) (weight, base []T, t float64) {
	it := d.it
	if at == columnSide {
		return it.b, it.log.g, it.tauB()
	}
	return it.a, it.log.f, it.tauA()
}

// logScaling is scaling on logarithms to base 2. dst may be sums.
func (d *unbalanced[T]) logScaling(dst, sums []T, at side, base []T) {
	it := d.it
	weight, _, t := d.weights(at)
	var eta float64
	if it.partial > 0 {
		eta = d.massFactor(weight, sums, base)
	}
	for i, w := range weight {
		if w == 0 {
			dst[i] = T(math.Inf(-1))
			continue
		}
		l, f := float64(num.Log2(w)), 0.0
		if base != nil {
			f = float64(base[i])
		}
		x := l - float64((1-t)*f) - float64(t*float64(sums[i]))
		if it.partial > 0 {
			x = min(x, eta+l-f)
		}
		dst[i] = T(x)
	}
}

// massFactor returns log₂η with Σ_i min(η w_i r_i, w_i) = mass, r_i = 2^(sum_i − base_i), by
// Newton's method from the left. It is exact once it knows which points are at the upper bound.
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
		share := d.share[:len(weight)]
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

// cost returns what penalties or Mass add to the value of a balanced problem, for a plan of row sums
// r and column sums c: the penalties, and the mass terms of the KL divergence.
func (d *unbalanced[T]) cost(r, c []T) float64 {
	it := d.it
	var massA, massB, mass float64
	for i, a := range it.a {
		massA += float64(a)
		mass += float64(r[i])
	}
	for _, b := range it.b {
		massB += float64(b)
	}
	cost := (float64(massA*massB) - mass) / it.lambda
	for _, side := range []struct {
		rho       float64
		sum, want []T
	}{{it.penaltyA, r, it.a}, {it.penaltyB, c, it.b}} {
		if math.IsInf(side.rho, 1) {
			continue
		}
		var kl float64
		for i, w := range side.want {
			x := float64(side.sum[i])
			kl += float64(w) - x
			if x > 0 {
				kl += float64(x * num.Log(x/float64(w)))
			}
		}
		cost += float64(side.rho * kl)
	}
	return cost
}
