package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/gibbs"
)

// This file implements Newton's method on the dual (balanced.go, penalized.go, partial.go), for problems with a tolerance.
//
// Let D be the dual, and let c contain the column sums of the plan. A plain iteration adds log(b ⊘ c) to the potentials of the
// columns. Near the solution, plain iterations need log 10/(1 − σ²) iterations for a digit, where σ is the second singular value
// of the plan scaled by its marginals. This number may be in the hundreds, or in the hundreds of thousands. Newton's step β is
// the solution of (−∇²D) β = b − c, computed by conjugate gradients (system.go). Each step of conjugate gradients needs one pass
// over K. On the quadratic model of D, conjugate gradients never need more passes than plain iterations, and save a factor of
// about 1/√(1 − σ²).
//
// Conjugate gradients end at a residual that decreases with the marginal error (R. S. Dembo, T. Steihaug, "Truncated-Newton
// algorithms for large-scale unconstrained optimization", Math. Prog. 26 (1983)), or when an element of β leaves the radius in
// which the model was accurate. The step length must not decrease D, which is the Lyapunov function of A. Thibault et al.,
// "Overrelaxed Sinkhorn-Knopp algorithm for regularized optimal transport", Algorithms 14 (2021). A plain iteration follows
// each step, because the model is not valid if the marginals are far off (X. Tang et al., "Accelerating Sinkhorn algorithm with
// sparse Newton iterations", ICLR 2024).

const (
	newtonForcing  = 0.1 // goal for the residual of a step, relative to the last reduction of the error
	newtonRadius   = 1   // initial trust radius
	newtonPatience = 20  // maximum number of steps that do not halve the error

	sparseFrom  = 8 // number of conjugate gradient steps after which a sparse list is made, if K is too large for the L2 cache
	directLeast = 4 // minimum number of conjugate gradient steps before a new factor is computed
)

type newton[T dist.Float] struct {
	point dualPoint[T]
	sys   *system[T]
	f, g  []T // new base potentials
}

// climb makes Newton steps until the tolerance is reached, the number of passes over K reaches limit, or the steps no longer
// save time. Every pass counts as an iteration.
func (nw *newton[T]) climb(ctx context.Context, d dual[T], limit int) error {
	if err := nw.enterDual(ctx, d); err != nil {
		return err
	}
	defer nw.leaveDual(d)
	it := nw.point.it
	res := &it.res
	radius, ratio := float64(newtonRadius), 1.0
	for poor := 0; poor < newtonPatience && res.Iterations+2 <= limit; {
		d.setResidual()
		if it.converged() || !finite(res.MarginalError) {
			break
		}
		before := res.MarginalError
		forcing := max(min(0.5, newtonForcing*ratio)*before, it.tolerance*it.mass/4)
		if err := nw.direction(ctx, d, forcing, radius, limit-1); err != nil {
			return err
		}
		d.clipDirection(nw.sys.beta)
		gain, err := nw.lineSearch(ctx, d, &radius, limit)
		if err != nil {
			return err
		}
		if gain && res.Iterations < limit {
			if err := nw.plainIteration(ctx, d); err != nil {
				return err
			}
		}
		d.setResidual()
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

// enterDual makes the last iterate the current point of the dual.
func (nw *newton[T]) enterDual(ctx context.Context, d dual[T]) error {
	it, p := nw.point.it, &nw.point
	kernel := &it.kernel
	for _, v := range []*[]T{&p.u, &p.tu, &nw.f} {
		gibbs.Grow(v, kernel.N())
	}
	for _, v := range []*[]T{&p.v, &p.tv, &p.tq, &p.e, &nw.g, &it.columns} {
		kernel.GrowColumn(v)
	}
	nw.sys.allocate()
	if err := it.finalizePlan(ctx); err != nil {
		return err
	}
	copy(p.u, it.plan.u)
	copy(p.v, it.plan.v)
	nw.sys.sparse.steps, nw.sys.sparse.refused = 0, false
	nw.sys.direct.spent, nw.sys.direct.refused = 0, false
	return d.prepare(ctx)
}

// leaveDual stores the current point as the latest iterate, and records whether the iteration has converged.
func (nw *newton[T]) leaveDual(d dual[T]) {
	it := nw.point.it
	nw.sys.direct.made, nw.sys.sparse.made = false, false
	d.setResidual()
	nw.point.storeIterate()
	if it.converged() && it.res.Status != StatusLowPrecision {
		it.res.Status = StatusConverged
	}
}

// direction sets β to the direction of a Newton step and counts the passes over K. It stops when the 1-norm of the residual
// is at most goal. If a fraction f of the elements of K is in the sparse list, a pass over the list counts as f passes over
// K.
//
// The first conjugate gradient steps use K. When the cost of these steps reaches the cost of making the sparse list
// (sparse.go), the list is made. When the cost of all steps reaches the cost of a factor (direct.go), the factor is
// computed. The time is therefore at most twice the time of the best method. Later calls use the same factor
// until the cost of their steps reaches the cost of a new factor.
func (nw *newton[T]) direction(ctx context.Context, d dual[T], goal, radius float64, limit int) error {
	it, sys := nw.point.it, nw.sys
	res, dir, sp := &it.res, &sys.direct, &sys.sparse
	small := min(it.kernel.N(), it.kernel.M())
	most, stall := 4*small+100, 2*small+100
	diag, rows, weight := d.system()
	copy(sys.rhs, nw.point.e)
	sys.setup(it, plan[T]{nw.point.u, nw.point.v}, diag, rows)
	squaredGoal := goal * goal / weight // if d is the diagonal, ‖r‖₁² ≤ Σ d · Σ r²/d by the Cauchy–Schwarz inequality
	factors := !dir.refused && factorable(&it.kernel)
	clear(sys.beta)
	sp.made = false
	if err := d.completeSystem(ctx, sys); err != nil {
		return err
	}
	from := int(sparseFrom * it.kernel.Size() / sys.passCost())
	if !sp.refused && sp.steps > from/2 && res.Iterations < limit {
		if err := sys.makeList(ctx); err != nil {
			return err
		}
		res.Iterations++
	}
	sp.steps = 0
	for {
		cost, share := sys.stepCost()
		count := int(min(float64(most), float64(limit-res.Iterations)/share))
		lists := !sp.made && !sp.refused
		switch {
		case lists:
			count = min(count, from)
		case factors:
			count = min(count, max(directLeast, int((sys.factorCost()-dir.spent)/cost)))
		}
		size, steps, err := sys.conjugateGradients(ctx, squaredGoal, radius, count, stall)
		dir.spent = num.FMA(float64(steps), cost, dir.spent)
		res.Iterations += int(math.Ceil(float64(steps) * share))
		sp.steps += steps
		most -= steps
		switch {
		case err != nil || steps < count || !(size > squaredGoal) || most < 1 || res.Iterations >= limit || sys.largest() > radius:
			return err
		case lists:
			if err = sys.makeList(ctx); err == nil {
				res.Iterations++
			}
		case factors:
			factors, dir.spent = false, 0
			err = sys.factorize(ctx)
			res.Iterations++
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// lineSearch tries a few steps along β, from the longest step within radius to shorter steps. It takes the first step that
// increases the dual, and reports whether there is such a step. If the change of the dual is only a rounding error, lineSearch
// takes the step if it decreases the magnitude of the derivative along β.
func (nw *newton[T]) lineSearch(ctx context.Context, d dual[T], radius *float64, limit int) (bool, error) {
	p, it, beta := &nw.point, nw.point.it, nw.sys.beta
	var slope float64
	for j, e := range p.e {
		slope = num.FMA(float64(e), float64(beta[j]), slope)
	}
	most := nw.sys.largest()
	if !(slope > 0) || !finite(most) {
		return false, nil
	}
	noise := d.noise()
	t := min(1, *radius/most)
	for try := 0; try < 6 && it.res.Iterations < limit; try++ {
		for j, b := range beta {
			p.tv[j] = T(t * float64(b))
		}
		exp.Exp(p.tv, p.tv)
		for j, v := range p.v {
			p.tv[j] *= v
		}
		ok, err := nw.tryPoint(ctx, d)
		if err != nil {
			return false, err
		}
		if !ok {
			if nw.absorb() { // try again with scalings relative to the new base
				if err := it.kernel.Fill(ctx); err != nil {
					return false, err
				}
				continue
			}
			t /= 4
			continue
		}
		gain, after := d.trialGain(t, beta)
		if gain > noise || gain >= -noise && math.Abs(after) <= float64(0.9*slope) {
			d.acceptTrial()
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

func (nw *newton[T]) plainIteration(ctx context.Context, d dual[T]) error {
	d.proposeColumns()
	ok, err := nw.tryPoint(ctx, d)
	if ok {
		d.acceptTrial()
	}
	return err
}

// tryPoint computes the trial point from its column scalings tv, and reports whether the point is accurate. The pass over K
// counts as an iteration.
func (nw *newton[T]) tryPoint(ctx context.Context, d dual[T]) (bool, error) {
	it := nw.point.it
	if !it.isSafe(nw.point.tv, it.b) {
		return false, nil
	}
	it.res.Iterations++
	return d.completeTrial(ctx)
}

// absorb sets the scalings of the current point to 1 and adds their logarithms to the base. It returns false if the row
// scalings are already 1, or if there is no base.
func (nw *newton[T]) absorb() bool {
	p, it := &nw.point, nw.point.it
	log := &it.log
	if !it.kernel.HasBase() {
		return false
	}
	moved := false
	for i, u := range p.u {
		nw.f[i] = num.Log2(u) + log.f[i]
		moved = moved || it.a[i] > 0 && u != 1
	}
	if !moved {
		return false
	}
	for j, v := range p.v {
		nw.g[j] = num.Log2(v) + log.g[j]
		it.q[j] *= v
	}
	unitScalings(p.u, nw.f)
	unitScalings(p.v, nw.g)
	it.keepWeightless(nw.f, nw.g)
	it.absorb(nw.f, nw.g)
	log.basis = it.res.Iterations
	return true
}
