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

// Unequal mass. With Kv the row sums r for scalings v, the best u is
//
//	u = a ⊘ r                        T1 = a
//	u = a ⊙ r^−τ,  τ = ρλ/(ρλ + 1)   at a price of ρ KL(T1 | a)
//	u = min(ηa, a ⊘ r)               T1 ≤ a, η so large that the plan's mass is that wanted
//
// and likewise for v: in each the reference of the entropy is a⊗b. The second is L. Chizat
// et al., "Scaling algorithms for unbalanced optimal transport problems", Math. Comp. 87
// (2018). The third maximizes the dual of J.-D. Benamou et al., "Iterative Bregman
// projections for regularized transportation problems", SIAM J. Sci. Comput. 37 (2015),
// section 5, over two blocks instead of three, so that no correction terms are kept: a
// point that takes the rest, the other way to do it, wants a cost matrix larger by a row
// and a column, whose zeros no pair of clouds has.
//
// All of them are log₂u = min(top, α − τ log₂r); relative to a base F, where r is 2^F times
// as large, α = log₂a − (1 − τ)F and top = log₂(ηa) − F.
//
// Where both sides have a price, adding t to one dual variable and subtracting it from the
// other moves the masses that they ask for, m_a = Σ a r^(1−τ) and m_b: the best t is known
// and costs nothing (T. Séjourné, F.-X. Vialard, G. Peyré, "Faster unbalanced optimal
// transport: translation invariant Sinkhorn and 1-D Frank-Wolfe", AISTATS 2022).

// unequal is what a problem of unequal mass has besides.
type unequal[T dist.Float] struct {
	on         bool
	rhoA, rhoB float64 // +Inf is an exact marginal
	partial    float64 // mass to be moved, if positive
	f, g       []T     // potentials of the iterate; or g its column sums
	weight     float64 // Σ of the diagonal of Newton's system
	share      []T     // scratch
}

// unequal reports whether the problem says anything about mass.
func (p *Problem[T]) unequal() bool { return p.PenaltyA != 0 || p.PenaltyB != 0 || p.Mass != 0 }

// tau returns ρλ/(ρλ + 1).
func tau(rho, lambda float64) float64 {
	if x := float64(rho * lambda); x < 0x1p60 {
		return x / (x + 1)
	}
	return 1
}

// setUnequal checks what the problem says about mass.
func (s *Solver[T]) setUnequal(p *Problem[T]) error {
	un := &s.unequal
	un.rhoA, un.rhoB = math.Inf(1), math.Inf(1)
	for _, r := range []struct {
		name  string
		given float64
		rho   *float64
	}{{"PenaltyA", p.PenaltyA, &un.rhoA}, {"PenaltyB", p.PenaltyB, &un.rhoB}} {
		if !(r.given >= 0) {
			return fmt.Errorf("%w: %s = %v", ErrSettings, r.name, r.given)
		}
		if r.given > 0 {
			*r.rho = r.given
		}
	}
	switch {
	case !(p.Mass >= 0) || math.IsInf(p.Mass, 1):
		return fmt.Errorf("%w: a mass of %v", ErrSettings, p.Mass)
	case p.Mass > 0 && p.PenaltyA+p.PenaltyB > 0:
		return fmt.Errorf("%w: both Mass and PenaltyA or PenaltyB", ErrSettings)
	}
	un.partial = p.Mass
	un.on = p.Mass > 0 || tau(un.rhoA, s.lambda) < 1 || tau(un.rhoB, s.lambda) < 1
	if un.on && s.settings.Gradient {
		return fmt.Errorf("%w: no gradients through iterations of unequal mass; GradientFrozen has them at convergence", ErrSettings)
	}
	return nil
}

// advanceUnequal is advance for unequal mass. The marginal error is Σ_j q_j |v_j − v'_j|, v'
// the scalings that would come next: the gradient of the dual, in the norm of balanced
// problems.
func (s *Solver[T]) advanceUnequal(ctx context.Context, limit int, tolerance float64, p *pace) error {
	geo, nw, un := &s.geo, &s.newton, &s.unequal
	for _, v := range []*[]T{&nw.u, &nw.tu, &nw.rows, &un.f} {
		grow(v, geo.n)
	}
	for _, v := range []*[]T{&nw.v, &nw.tv, &nw.tq, &un.g} {
		geo.column(v)
	}
	grow(&un.share, max(geo.n, geo.m))
	k := s.res.Iterations
	copy(nw.u, s.u(k)) // scalings, or
	copy(un.f, s.u(k)) // potentials
	copy(nw.v, s.v(k))
	fresh := !finite(s.res.MarginalError) // there is no v yet
	defer func() {
		if s.res.Iterations > k {
			s.store()
		}
	}()
	for ; ; fresh = false {
		scaled := s.walk.scaled
		ok := scaled && s.sums(s.q, s.b)
		switch {
		case ok:
			s.bestColumns()
		case s.settings.Domain == DomainPlain:
			return errUnderflow
		default:
			if err := s.logColumns(ctx, scaled); err != nil {
				return err
			}
		}
		made := s.res.Iterations
		if !fresh && (s.unequalDone(tolerance, made >= limit) || p != nil && p.slow(made, s.res.MarginalError, tolerance*s.mass)) {
			return nil
		}
		if ok {
			s.translate()
			var err error
			if ok, err = s.tryUnequal(ctx); err != nil {
				return err
			}
			if ok {
				s.take()
			} else {
				if s.settings.Domain == DomainPlain {
					return errUnderflow
				}
				if err := s.logColumns(ctx, scaled); err != nil {
					return err
				}
			}
		}
		if !ok {
			if err := s.logRowsUnequal(ctx, made+1); err != nil {
				return err
			}
		}
		s.walk.scaled = true
		s.res.Iterations = made + 1
	}
}

// bestColumns sets tv to the best v for the iterate, and g and tq to the column sums of the
// plan without and with it.
func (s *Solver[T]) bestColumns() {
	nw, un := &s.newton, &s.unequal
	s.scaling(nw.tv, s.q, columnSide)
	for j, v := range nw.v {
		un.g[j], nw.tq[j] = v*s.q[j], nw.tv[j]*s.q[j]
	}
}

// setRows sets rows for the scalings u at hand and the sums r.
func (s *Solver[T]) setRows() {
	nw, t := &s.newton, tau(s.unequal.rhoA, s.lambda)
	for i, u := range nw.u {
		nw.rows[i] = T(float64(u) * float64(s.r[i]) / t)
	}
}

// unequalResidual is residual: the side of b asks for b' = c (v'/v)^(1/τ), v' the best scaling.
func (s *Solver[T]) unequalResidual() {
	nw, un, t := &s.newton, &s.unequal, tau(s.unequal.rhoB, s.lambda)
	s.bestColumns()
	share := un.share[:len(nw.v)]
	for j, v := range nw.v {
		share[j] = 0
		if s.b[j] > 0 {
			share[j] = T(num.Log2(float64(nw.tv[j])/float64(v)) / t)
		}
	}
	exp.Exp2(share, share, 1)
	s.res.MarginalError, un.weight = 0, 0
	for j, c := range un.g {
		asked := T(c * share[j])
		s.fq[j], nw.e[j] = c, asked-c
		nw.diag[j] = c + T(float64(asked)*(1-t)/t)
		un.weight += float64(nw.diag[j])
		s.res.MarginalError += math.Abs(float64(c) - float64(nw.tq[j]))
	}
}

// priced replaces every x by ρ(1 − e^(−x/ρ)), what adding x to a dual variable is worth to a
// side that has the price ρ, for every unit of mass that it asks for.
func (s *Solver[T]) priced(x []T, rho float64) {
	if math.IsInf(rho, 1) {
		return
	}
	share := s.unequal.share[:len(x)]
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

// unequalGain is gain.
func (s *Solver[T]) unequalGain(t float64) (gain, slope float64) {
	nw, un := &s.newton, &s.unequal
	rhoA, rhoB := float64(un.rhoA*s.lambda), float64(un.rhoB*s.lambda)
	for i, a := range s.a {
		un.f[i] = 0
		if a > 0 {
			un.f[i] = T(num.Log(float64(nw.tu[i]) / float64(nw.u[i])))
		}
	}
	s.priced(un.f, rhoA)
	for i, x := range un.f {
		gain = num.FMA(float64(nw.rows[i]), float64(x), gain) // (1 + 1/(ρλ)) T1 are rows
	}
	for j, beta := range s.im.beta {
		un.g[j] = T(t * float64(beta))
	}
	s.priced(un.g, rhoB)
	for j, x := range un.g {
		asked := float64(nw.e[j]) + float64(s.fq[j])
		gain = num.FMA(asked, float64(x), gain)
		asked -= float64(asked*float64(x)) / rhoB
		slope = num.FMA(asked-float64(nw.tv[j]*nw.tq[j]), float64(s.im.beta[j]), slope)
	}
	return gain, slope
}

// unequalDual is dual.
func (s *Solver[T]) unequalDual(kind int) float64 {
	nw, un, k := &s.newton, &s.unequal, s.res.Iterations
	side := func(x, slot, weight, base []T, rho float64) (value, asked float64) {
		natural(x, slot, kind, base)
		for i, w := range weight {
			if x[i] -= num.Log(w); w == 0 {
				x[i] = 0
			}
		}
		s.priced(x, rho)
		for i, w := range weight {
			value = num.FMA(float64(w), float64(x[i]), value)
			asked += float64(w) - float64(float64(w)*float64(x[i]))/rho
		}
		return value, asked
	}
	left, mass := side(nw.tu, s.u(k), s.a, s.log.f, float64(un.rhoA*s.lambda))
	right, _ := side(nw.tv, s.v(k), s.b, s.log.g, float64(un.rhoB*s.lambda))
	return left + right - mass
}

// unequalDone sets the marginal error from the column sums in g and those in tq, which the
// next scaling v would have, and reports whether the iterations end.
func (s *Solver[T]) unequalDone(tolerance float64, last bool) bool {
	var e float64
	for j, b := range s.b {
		if b > 0 {
			e += math.Abs(float64(s.unequal.g[j]) - float64(s.newton.tq[j]))
		}
	}
	s.res.MarginalError = e
	done := tolerance > 0 && e <= tolerance*s.mass
	switch {
	case s.res.Status == LowPrecision:
	case done:
		s.res.Status = Converged
	case last && tolerance > 0:
		s.res.Status = IterationLimit
	}
	return done || last
}

// tryUnequal sets tu to the best u for tv, r and tq to the sums K tv and Kᵀtu, and reports
// whether all are accurate.
func (s *Solver[T]) tryUnequal(ctx context.Context) (bool, error) {
	geo, nw := &s.geo, &s.newton
	if !s.safe(nw.tv, s.b) {
		return false, nil
	}
	if err := geo.fill(ctx); err != nil {
		return false, err
	}
	if err := geo.rows(ctx, s.r, nw.tv); err != nil || !s.sums(s.r, s.a) {
		return false, err
	}
	s.scaling(nw.tu, s.r, rowSide)
	if !s.safe(nw.tu, s.a) {
		return false, nil
	}
	err := geo.columns(ctx, nw.tq, nw.tu)
	return err == nil, err
}

// sums reports whether all sums that belong to a positive weight are accurate.
func (s *Solver[T]) sums(x, weight []T) bool {
	for i, w := range weight {
		if w > 0 && !(x[i] >= s.limits.least && x[i] <= T(s.limits.largest)) {
			return false
		}
	}
	return true
}

// translate multiplies tv by what makes both sides ask for the same mass.
func (s *Solver[T]) translate() {
	un := &s.unequal
	if un.partial > 0 || s.res.Iterations == 0 || math.IsInf(un.rhoA, 1) || math.IsInf(un.rhoB, 1) {
		return
	}
	var have, want float64 // the plan's mass, and that which b asks for
	for j, g := range s.unequal.g {
		have += float64(g)
		want += float64(s.newton.tq[j])
	}
	// have is what a asks for if u is the best for v.
	t := float64(s.lambda*(un.rhoA/(un.rhoA+un.rhoB))*un.rhoB) * (num.Log2(have) - num.Log2(want))
	factor := [1]T{T(-t)}
	exp.Exp2(factor[:], factor[:], 1)
	if !(math.Abs(t) < 30) {
		return // so far from the solution that the model is of no use
	}
	for j := range s.newton.tv {
		s.newton.tv[j] *= factor[0]
	}
}

// logColumns sets log.h to the best v for the iterate, as potentials, and g and tq to the
// column sums of the plan without and with it.
func (s *Solver[T]) logColumns(ctx context.Context, scaled bool) error {
	geo, nw, un, log := &s.geo, &s.newton, &s.unequal, &s.log
	if s.res.Domain == DomainPlain {
		if err := s.enterLog(ctx); err != nil {
			return err
		}
	}
	if scaled {
		kind := plainKind
		if geo.base.f != nil {
			kind = log.basis
		}
		potentials(un.f, nw.u, kind, log.f)
		potentials(un.g, nw.v, kind, log.g)
	}
	if err := geo.columnMax(ctx, log.h, un.f); err != nil {
		return err
	}
	if err := geo.columnSum(ctx, log.sums, un.f, log.h); err != nil {
		return err
	}
	for j, h := range log.h {
		log.sums[j] = h + num.Log2(log.sums[j])
	}
	s.logScaling(log.h, log.sums, columnSide, nil)
	for j, sum := range log.sums {
		un.g[j] += sum
		nw.tq[j] = log.h[j] + sum
	}
	exp.Exp2(un.g, un.g, 1)
	exp.Exp2(nw.tq, nw.tq, 1)
	return nil
}

// logRowsUnequal completes iteration k on potentials, and makes them the base.
func (s *Solver[T]) logRowsUnequal(ctx context.Context, k int) error {
	geo, nw, un, log := &s.geo, &s.newton, &s.unequal, &s.log
	copy(un.g, log.h)
	if err := geo.logRows(ctx, log.max, log.sum, nw.tq, un.g, s.a); err != nil {
		return err
	}
	for i, h := range log.max {
		log.max[i] = h + num.Log2(log.sum[i])
	}
	s.logScaling(un.f, log.max, rowSide, nil)
	for _, x := range [2][]T{un.f, un.g} {
		for _, x := range x {
			if x != x || x > T(s.limits.largest) {
				return ErrRange
			}
		}
	}
	weightless(nw.u, un.f)
	weightless(nw.v, un.g)
	for i, a := range s.a {
		if a == 0 {
			un.f[i] = -log.max[i]
		}
	}
	s.absorbed(un.f, un.g)
	log.basis = k
	if err := geo.fill(ctx); err != nil {
		return err
	}
	return geo.columns(ctx, s.q, nw.u)
}

// scaling sets dst to the best scaling for the sums, all relative to the base.
func (s *Solver[T]) scaling(dst, sums []T, d side) {
	weight, base, t := s.weights(d)
	if s.unequal.partial == 0 && t == 1 {
		pass.Divide(dst, weight, sums)
		for i, w := range weight {
			if w == 0 {
				dst[i] = 0
			}
		}
		return
	}
	for i, x := range sums[:len(dst)] {
		dst[i] = num.Log2(x)
	}
	if s.geo.base.f == nil {
		base = nil
	}
	s.logScaling(dst, dst, d, base)
	exp.Exp2(dst, dst, 1)
}

// weights returns a side's weights, the potentials of its base, and its τ.
func (s *Solver[T]) weights(d side) (weight, base []T, t float64) {
	if d == columnSide {
		return s.b, s.log.g, tau(s.unequal.rhoB, s.lambda)
	}
	return s.a, s.log.f, tau(s.unequal.rhoA, s.lambda)
}

// logScaling is scaling on logarithms to base 2. dst may be sums.
func (s *Solver[T]) logScaling(dst, sums []T, d side, base []T) {
	weight, _, t := s.weights(d)
	var eta float64
	if s.unequal.partial > 0 {
		eta = s.massFactor(weight, sums, base)
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
		if s.unequal.partial > 0 {
			x = min(x, eta+l-f)
		}
		dst[i] = T(x)
	}
}

// massFactor returns log₂η with Σ_i min(η w_i r_i, w_i) = mass, r_i = 2^(sum_i − base_i), by
// Newton's method from the left, which is exact once it knows who is at the upper bound.
func (s *Solver[T]) massFactor(weight, sums, base []T) float64 {
	un := &s.unequal
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
		if count == full || !(fixed < un.partial) || math.IsInf(top, -1) {
			return eta
		}
		full = count
		share := un.share[:len(weight)]
		for i := range weight {
			share[i] = T(math.Inf(-1))
			if l := level(i); eta+l < 0 {
				share[i] = T(l - top)
			}
		}
		exp.Exp2(share, share, 1)
		var slope float64
		for i, w := range weight {
			slope = num.FMA(float64(w), float64(share[i]), slope)
		}
		eta = max(eta, num.Log2((un.partial-fixed)/slope)-top)
	}
}

// unequalCost adds to the value of balanced problems what unequal mass adds, for a plan of
// row sums r and column sums c: prices, and what the entropy's mass is worth.
func (s *Solver[T]) unequalCost(r, c []T) float64 {
	un := &s.unequal
	var massA, massB, mass float64
	for i, a := range s.a {
		massA += float64(a)
		mass += float64(r[i])
	}
	for _, b := range s.b {
		massB += float64(b)
	}
	cost := (float64(massA*massB) - mass) / s.lambda
	for _, side := range []struct {
		rho       float64
		sum, want []T
	}{{un.rhoA, r, s.a}, {un.rhoB, c, s.b}} {
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
