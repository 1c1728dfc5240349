package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
)

// To a tolerance. With u = a ⊘ Kv for every v, what is left of the dual is concave in
// g = log v,
//
//	D(g) = Σ_j b_j g_j − Σ_i a_i log (Kv)_i,   ∇D = b − c,   −∇²D = diag(c) − Tᵀ diag(1/a) T,
//
// c = Tᵀ1. DomainPlain Sinkhorn iterations climb it by steps log(b ⊘ c), and near the solution
// take 1/(1 − σ²) times log 10 of them for a digit, σ the second singular value of the
// plan scaled by its marginals: hundreds or hundreds of thousands. Where they turn out to
// be slow, Newton steps take over: (−∇²D) β = b − c is the system of the implicit gradient
// and solved by the same conjugate gradients, one pass over K a step, which on the
// quadratic model are never worse than as many iterations, and better by 1/√(1 − σ²).
//
// The solution is cut short at a residual that falls with the marginal error (R. S. Dembo,
// T. Steihaug, "Truncated-Newton algorithms for large-scale unconstrained optimization",
// Math. Prog. 26 (1983)), and where an element of β leaves the radius in which the model
// has been true. D decides on the length, so that it never falls: it is the Lyapunov
// function of A. Thibault et al., "Overrelaxed Sinkhorn-Knopp algorithm for regularized
// optimal transport", Algorithms 14 (2021). A plain iteration follows every step, for what
// is far from its marginal and in no quadratic model (X. Tang et al., "Accelerating
// Sinkhorn algorithm with sparse Newton iterations", ICLR 2024). Large λ begin again from
// ε-scaling's start, unless D was larger before. Whenever steps do not pay, as many plain
// iterations as have been made before follow. Where conjugate gradients take many steps, as
// they do where plans are all but disconnected, these go over a list of the plan's elements that
// matter (sparse.go), and the system is factorized for them (direct.go).
//
// When: as soon as conjugate gradients have cost what a list, or a factor, costs, which at
// worst is twice what the better choice would have; and again once those with an old factor
// have. Costs are counted, by sizes alone, in elements of K that a pass reads: on a Sapphire
// Rapids .56 ns at n = 4000, .36 at 1000 and .17 at 256, where K stays in the second-level
// cache. There an element of a list takes 2 ns in each step, the vectors 40 ns a column, a list
// 30, 2 and .13 ms, a factor of it .9 s, 15 and .5 ms, and of all of K 3.1 s, 42 and 1.3 ms.
//
// With prices for mass (unequal.go), a and b are what the sides ask for at the iterate, a'
// and b', and the dual that is left is curved less by the rows and more by the columns:
//
//	∇D = b' − c,   −∇²D = diag(c + b'/(ρ_b λ)) − Tᵀ diag(τ_a/a') T,   a' = T1.

const (
	paceEvery = 8    // iterations between two looks at the pace
	paceFrom  = 16   // and before the first verdict
	paceFew   = 40   // iterations that are left to the plain method,
	paceSmall = 6000 // and this by the lesser of n and m more: what Newton's steps take besides passes

	newtonForcing  = 0.1 // of the residual, times the factor by which the error fell last
	newtonRadius   = 1   // of the first steps
	newtonPatience = 20  // steps that do not halve the error
	slowAnneal     = 4   // Settings.Anneal, once iterations are slow
	slowStages     = 3   // if it has so many stages

	sparseFrom  = 8 // steps of conjugate gradients before there is a list, if they are from memory,
	directLeast = 4 // and that an old factor is tried for

	costListed  = 4       // of an element of a list, or of a product of two,
	costVectors = 50      // of a column, for the vectors of a step,
	costProduct = 0.125   // of a product of matrices, and of a factor so many
	costFactor  = 240     // more for each of its elements; so many elements of K
	costNear    = 1 << 18 // stay in the second-level cache, and cost a third
)

// newton is the state of Newton's steps.
type newton[T dist.Float] struct {
	u, v       []T // the iterate, relative to the base at hand; its column sums are Solver.q
	tu, tv, tq []T // one that is tried
	e          []T // b − c
	rows, diag []T // a'/τ_a and the diagonal of −∇²D, with prices
	f, g       []T // scalings, or in the log domain potentials, of an iterate that is kept for later
	sparse     sparse[T]
	direct     direct[T]
}

// pace watches the marginal error.
type pace struct {
	next      int
	last, few float64
}

// newPace returns the pace of a problem of n × m, which is looked at from iteration next on.
func newPace(next, n, m int) pace {
	return pace{next: next, few: paceFew + paceSmall/float64(min(n, m))}
}

// slow reports whether after iteration k, with error e, plain iterations would take more
// than a few to reach goal.
func (p *pace) slow(k int, e, goal float64) bool {
	if k < p.next || !finite(e) {
		return false
	}
	last := p.last
	p.next, p.last = k+paceEvery, e
	return last > 0 && !(float64(num.Log(last/e)*p.few) > float64(num.Log(e/goal)*paceEvery))
}

// converge makes the iterations that the settings ask for.
func (s *Solver[T]) converge(ctx context.Context) error {
	limit, tolerance := s.settings.Iterations, s.settings.Tolerance
	if !s.accelerates() {
		return s.forward(ctx, limit, tolerance, s.problem.Start)
	}
	if err := s.restart(ctx, 0, s.problem.Start); err != nil {
		return err
	}
	anneals := s.settings.Anneal == 0 && s.problem.Start == nil && s.settings.Domain != DomainPlain
	n, m := s.geo.n, s.geo.m
	p := newPace(paceFrom-paceEvery, n, m)
	for {
		err := s.advance(ctx, limit, tolerance, &p)
		switch {
		case err != nil || s.converged() || s.res.Iterations >= limit:
			return err
		case anneals:
			anneals = false
			scaled, err := s.annealAgain(ctx, limit)
			if err != nil || s.converged() {
				return err
			}
			if scaled {
				p = newPace(s.res.Iterations+paceEvery, n, m)
				continue
			}
		}
		if err := s.newtonSteps(ctx, limit); err != nil || s.converged() {
			return err
		}
		p = newPace(2*s.res.Iterations, n, m)
	}
}

// accelerates reports whether slow iterations are to be replaced.
func (s *Solver[T]) accelerates() bool {
	return s.settings.Tolerance > 0 && !s.settings.Gradient && !s.settings.Unaccelerated && s.unequal.partial == 0
}

// converged reports whether the marginal error has reached the tolerance.
func (s *Solver[T]) converged() bool {
	return s.res.MarginalError <= s.settings.Tolerance*s.mass
}

// annealAgain replaces the iterate by the first one from where ε-scaling leads to, and
// reports whether it has: it must be better in the dual.
func (s *Solver[T]) annealAgain(ctx context.Context, limit int) (bool, error) {
	nw, k := &s.newton, s.res.Iterations
	stages, err := s.annealStages(ctx, slowAnneal)
	if err != nil || stages < slowStages {
		return false, err
	}
	kept, kind, lambda := s.res, s.kind[k%s.ring], s.lambda
	grow(&nw.f, s.geo.n)
	s.geo.column(&nw.g)
	if kept.Domain == DomainPlain {
		copy(nw.f, s.u(k))
		copy(nw.g, s.v(k))
	} else {
		potentials(nw.f, s.u(k), kind, s.log.f)
		potentials(nw.g, s.v(k), kind, s.log.g)
		s.keepWeightless(nw.f)
	}
	before := s.dual()
	err = s.anneal(ctx, slowAnneal)
	total := s.res.Annealing
	if err == nil {
		err = s.restart(ctx, k, s.problem.Start)
	}
	if err == nil {
		err = s.advance(ctx, k+1, s.settings.Tolerance, nil)
	}
	s.res.Annealing = total
	if err == nil && s.dual() >= before {
		return true, nil
	}
	// Back to what has been kept, even if the context has ended.
	s.res = kept
	s.res.Annealing = total
	s.setLambda(lambda)
	copy(s.u(k), nw.f)
	copy(s.v(k), nw.g)
	if s.kind[k%s.ring] = plainKind; kept.Domain != DomainPlain {
		for i, a := range s.a {
			if a == 0 {
				s.u(k)[i] = T(math.Inf(-1))
			}
		}
		s.kind[k%s.ring], s.log.basis = potentialKind, k
		s.absorbed(nw.f, nw.g)
	}
	if err != nil {
		return false, err
	}
	if err := s.final(ctx); err != nil {
		return false, err
	}
	s.walk = walk{scaled: true, wait: 1}
	return false, s.geo.columns(ctx, s.q, s.fu)
}

// keepWeightless makes the potentials of points without weight those of the base: what
// keeps their rows of K, which nothing is made of, in range.
func (s *Solver[T]) keepWeightless(f []T) {
	for i, a := range s.a {
		if a == 0 {
			f[i] = s.log.f[i]
		}
	}
}

// absorbed makes f and g the base.
func (s *Solver[T]) absorbed(f, g []T) {
	copy(s.log.f, f)
	copy(s.log.g, g)
	s.geo.filled = false
	s.geo.setBase(forwardBase, s.log.f, s.log.g)
}

// dual returns the value of the dual at the iterate, but for a constant.
func (s *Solver[T]) dual() float64 {
	k := s.res.Iterations
	kind := s.kind[k%s.ring]
	if s.unequal.on {
		return s.unequalDual(kind)
	}
	return entropyPart(s.a, s.a, s.u(k), kind, s.log.f) + entropyPart(s.b, s.b, s.v(k), kind, s.log.g)
}

// newtonSteps makes steps until the tolerance is reached, limit passes over K have been
// made, or steps do not pay. Every pass counts as an iteration.
func (s *Solver[T]) newtonSteps(ctx context.Context, limit int) error {
	if err := s.enterNewton(ctx); err != nil {
		return err
	}
	defer s.keep()
	defer func() { s.newton.direct.made, s.newton.sparse.made = false, false }()
	geo, nw, im := &s.geo, &s.newton, &s.im
	res, goal := &s.res, s.settings.Tolerance*s.mass
	small := min(geo.n, geo.m)
	radius, ratio := float64(newtonRadius), 1.0
	for poor := 0; poor < newtonPatience && res.Iterations+2 <= limit; {
		s.residual()
		if s.converged() {
			break
		}
		before := res.MarginalError
		// ‖r‖₁² ≤ Σ d · Σ r²/d, d the diagonal: c without prices.
		enough := max(min(0.5, newtonForcing*ratio)*before, goal/4)
		copy(im.rhs, nw.e)
		s.fu, s.fv = nw.u, nw.v
		diag, rows, weight := s.fq, s.a, s.mass
		if s.unequal.on {
			diag, rows, weight = nw.diag, nw.rows, s.unequal.weight
		}
		if err := s.direction(ctx, diag, rows, enough*enough/weight, radius, limit-1, 4*small+100, 2*small+100); err != nil {
			return err
		}
		gain, err := s.search(ctx, &radius, limit)
		if err != nil {
			return err
		}
		if gain && res.Iterations < limit {
			if err := s.balance(ctx); err != nil {
				return err
			}
		}
		s.residual()
		ratio = res.MarginalError / before
		switch {
		case !gain:
			poor += newtonPatience / 4
			ratio = 1
		case ratio > 0.5:
			poor++
		default:
			poor = 0
		}
	}
	return nil
}

// direction sets β to that of a step, by conjugate gradients of at most so many steps, and
// counts the passes: those over a list as the part of K that it is.
func (s *Solver[T]) direction(ctx context.Context, diag, rows []T, goal, radius float64, limit, most, stall int) error {
	res, d, sp := &s.res, &s.newton.direct, &s.newton.sparse
	factors := !d.refused && s.affordsDirect()
	clear(s.im.beta)
	sp.made = false
	from := int(sparseFrom * s.geo.size() / s.passCost())
	if !sp.refused && sp.steps > from/2 {
		if err := s.list(ctx, diag, rows); err != nil {
			return err
		}
	}
	sp.steps = 0
	for {
		cost, share := s.stepCost()
		count := int(min(float64(most), float64(limit-res.Iterations)/share))
		lists := !sp.made && !sp.refused
		switch {
		case lists:
			count = min(count, from)
		case factors:
			count = min(count, max(directLeast, int((s.factorCost()-d.spent)/cost)))
		}
		size, steps, err := s.conjugateGradients(ctx, diag, rows, goal, radius, count, stall)
		d.spent = num.FMA(float64(steps), cost, d.spent)
		res.Iterations += int(math.Ceil(float64(steps) * share))
		sp.steps += steps
		most -= steps
		switch {
		case err != nil || steps < count || !(size > goal) || most < 1 || res.Iterations >= limit || s.im.largest() > radius:
			return err
		case lists:
			err = s.list(ctx, diag, rows)
		case factors:
			factors, d.spent = false, 0
			err = s.factorize(ctx, diag, rows)
			res.Iterations++
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// stepCost returns what a step of conjugate gradients costs, and how much of a pass it counts.
func (s *Solver[T]) stepCost() (cost, share float64) {
	m, elements := float64(s.geo.m), float64(max(1, s.newton.sparse.count.Load()))
	cost, share = s.passCost(), 1
	if s.newton.sparse.made {
		cost, share = float64(costListed*elements), elements/s.geo.size()
	}
	if s.newton.direct.made {
		cost, share = cost+float64(s.passCost()*m/float64(s.geo.n)), 1
	}
	return num.FMA(costVectors, m, cost), share
}

// passCost returns what a pass over K costs.
func (s *Solver[T]) passCost() float64 {
	size := s.geo.size()
	if size <= costNear {
		return size / 3
	}
	return size
}

// factorCost returns what a factor costs.
func (s *Solver[T]) factorCost() float64 {
	n, m, sp := float64(s.geo.n), float64(s.geo.m), &s.newton.sparse
	products := float64(m*m*m)/6 + float64(costFactor*m*m)
	if !sp.made {
		return float64((products + float64(float64(n*m*m)/2)) * costProduct)
	}
	listed := 0.
	for _, piece := range sp.pieces {
		first := 0
		for _, end := range piece.ends {
			listed = num.FMA(float64(end-first), float64(end-first)/2, listed)
			first = end
		}
	}
	return float64(products*costProduct) + float64(listed*costListed)
}

// enterNewton makes the solver's iterate that of Newton's steps.
func (s *Solver[T]) enterNewton(ctx context.Context) error {
	geo, nw, im := &s.geo, &s.newton, &s.im
	for _, v := range []*[]T{&nw.u, &nw.tu, &nw.f} {
		grow(v, geo.n)
	}
	for _, v := range []*[]T{&nw.v, &nw.tv, &nw.tq, &nw.e, &nw.g, &im.rhs, &im.beta, &im.z, &im.d, &im.sd, &s.fq} {
		geo.column(v)
	}
	if err := s.final(ctx); err != nil {
		return err
	}
	copy(nw.u, s.fu)
	copy(nw.v, s.fv)
	nw.sparse.steps, nw.sparse.refused = 0, false
	nw.direct.spent, nw.direct.refused = 0, false
	if !s.unequal.on {
		return nil
	}
	geo.column(&nw.diag)
	if err := geo.rows(ctx, s.r, nw.v); err != nil {
		return err
	}
	s.setRows()
	return nil
}

// keep makes the iterate that Newton's steps have led to the solver's.
func (s *Solver[T]) keep() {
	s.residual()
	s.store()
	if s.converged() && s.res.Status != LowPrecision {
		s.res.Status = Converged
	}
}

// store makes the iterate the solver's, as it is.
func (s *Solver[T]) store() {
	nw, k := &s.newton, s.res.Iterations
	copy(s.u(k), nw.u)
	copy(s.v(k), nw.v)
	s.kind[k%s.ring] = plainKind
	if s.geo.base.f != nil {
		s.kind[k%s.ring] = s.log.basis
	}
	s.walk = walk{scaled: true, wait: 1}
}

// residual sets c, e = b − c and the marginal error to those of the iterate.
func (s *Solver[T]) residual() {
	nw := &s.newton
	if s.unequal.on {
		s.unequalResidual()
		return
	}
	var sum float64
	for j, v := range nw.v {
		c := T(v * s.q[j])
		s.fq[j], nw.e[j] = c, s.b[j]-c
		sum += math.Abs(float64(s.b[j]) - float64(c))
	}
	s.res.MarginalError = sum
}

// balance makes a plain iteration.
func (s *Solver[T]) balance(ctx context.Context) error {
	if s.unequal.on {
		s.bestColumns()
		s.translate()
	} else {
		s.scaling(s.newton.tv, s.q, columnSide)
	}
	ok, err := s.try(ctx)
	if ok {
		s.take()
	}
	return err
}

// try sets tu = a ⊘ K tv and tq = Kᵀtu, and reports whether both scalings are in the safe
// range.
func (s *Solver[T]) try(ctx context.Context) (bool, error) {
	nw := &s.newton
	if !s.safe(nw.tv, s.b) {
		return false, nil
	}
	s.res.Iterations++
	if s.unequal.on {
		return s.tryUnequal(ctx)
	}
	if err := s.geo.iterate(ctx, nw.tu, nw.tq, nw.tv, s.a); err != nil {
		return false, err
	}
	return s.safe(nw.tu, s.a), nil
}

// take makes the iterate that has been tried the one at hand.
func (s *Solver[T]) take() {
	nw := &s.newton
	nw.u, nw.tu = nw.tu, nw.u
	nw.v, nw.tv = nw.tv, nw.v
	s.q, nw.tq = nw.tq, s.q
	if s.unequal.on {
		s.setRows()
	}
}

// search takes the longest of a few steps along β, of at most radius, that raises D, and
// reports whether there is one. Where D does not change but by rounding, its derivative
// along the step must have become smaller.
func (s *Solver[T]) search(ctx context.Context, radius *float64, limit int) (bool, error) {
	nw, beta := &s.newton, s.im.beta
	var slope float64
	for j, e := range nw.e {
		slope = num.FMA(float64(e), float64(beta[j]), slope)
	}
	most := s.im.largest()
	if !(slope > 0) || !finite(most) {
		return false, nil
	}
	noise := float64(s.limits.epsilon * s.mass)
	t := min(1, *radius/most)
	for try := 0; try < 6 && s.res.Iterations < limit; try++ {
		for j, b := range beta {
			nw.tv[j] = T(t * float64(b))
		}
		exp.Exp(nw.tv, nw.tv)
		for j, v := range nw.v {
			nw.tv[j] *= v
		}
		ok, err := s.try(ctx)
		if err != nil {
			return false, err
		}
		if !ok {
			if s.absorb() { // what is relative to another base now
				if err := s.geo.fill(ctx); err != nil {
					return false, err
				}
				continue
			}
			t /= 4
			continue
		}
		gain, after := s.gain(t)
		if gain > noise || gain >= -noise && math.Abs(after) <= float64(0.9*slope) {
			s.take()
			model := float64(t*slope) - float64(t*t*slope/2)
			switch {
			case gain > float64(0.75*model) && most >= *radius:
				*radius *= 3
			case gain > noise && gain < float64(0.25*model):
				*radius = max(newtonRadius/4., float64(t*most)/2)
			}
			return true, nil
		}
		t /= 4
		*radius = max(newtonRadius/8., float64(t*most))
	}
	return false, nil
}

// gain returns by how much D is larger at what has been tried, t along β, and the
// derivative of D along β there.
func (s *Solver[T]) gain(t float64) (gain, slope float64) {
	nw := &s.newton
	if s.unequal.on {
		return s.unequalGain(t)
	}
	for i, a := range s.a {
		if a > 0 {
			gain = num.FMA(float64(a), num.Log(float64(nw.tu[i])/float64(nw.u[i])), gain)
		}
	}
	for j, b := range s.b {
		beta := float64(s.im.beta[j])
		gain = num.FMA(float64(b), float64(t*beta), gain)
		slope = num.FMA(float64(b)-float64(nw.tv[j]*nw.tq[j]), beta, slope)
	}
	return gain, slope
}

// absorb makes the scalings of the iterate 1, and their logarithms part of the base. It
// reports whether there was anything to absorb, and a base to put it into.
func (s *Solver[T]) absorb() bool {
	nw, log := &s.newton, &s.log
	if s.geo.base.f == nil {
		return false
	}
	moved := false
	for i, u := range nw.u {
		nw.f[i] = num.Log2(u) + log.f[i]
		moved = moved || s.a[i] > 0 && u != 1
	}
	if !moved {
		return false
	}
	for j, v := range nw.v {
		nw.g[j] = num.Log2(v) + log.g[j]
		s.q[j] *= v
	}
	weightless(nw.u, nw.f)
	weightless(nw.v, nw.g)
	s.keepWeightless(nw.f)
	s.absorbed(nw.f, nw.g)
	log.basis = s.res.Iterations
	return true
}
