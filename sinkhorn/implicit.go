package sinkhorn

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/gibbs"
)

// This file computes the implicit gradient M̄. At convergence T1 = a and Tᵀ1 = b, and the cost W = ⟨T, M⟩ is a function of M
// only. The plan is T_ij = exp(f_i + g_j − λM_ij), and a change dM changes the potentials by the solution of
//
//	[ diag(a)  T       ] [df]     [ (T⊙dM) 1  ]
//	[ Tᵀ       diag(b) ] [dg] = λ [ (T⊙dM)ᵀ 1 ].
//
// Let (α, β) be the solution for the right-hand side r = (T⊙M)1, c = (T⊙M)ᵀ1. Then the gradient is
//
//	M̄_ij = T_ij (1 + λ(α_i + β_j − M_ij)).
//
// Elimination of α leaves a linear system, and conjugate gradients (system.go) find β from
//
//	(diag(b) − Tᵀ diag(1/a) T) β = c − Tᵀ(r ⊘ a).
//
// The matrix is singular only in the direction of the vector 1. The right-hand side has no component in this direction, and the
// direction does not change M̄.
//
// With penalties, diag(a) and diag(b) are the marginals of T times 1 + 1/ρλ, and the matrix is regular.

// implicit is the state of the implicit gradient, except for the linear system.
type implicit[T dist.Float] struct {
	rowSum, alpha []T
}

// implicitAdjoint computes the implicit gradient M̄ = ∂Cost/∂M.
func (g *gradients[T]) implicitAdjoint(ctx context.Context, it *iteration[T]) error {
	if it.partial > 0 {
		return fmt.Errorf("%w: GradientImplicit does not support Mass; GradientFrozen gives the gradient of RegularizedCost", ErrSettings)
	}
	if !(it.res.MarginalError <= it.limits.implicitError*it.mass) {
		return ErrNotConverged
	}
	if err := it.columnSums(ctx); err != nil { // K now matches the plan T, and it.columns contains Tᵀ1
		return err
	}
	kernel, im, sys := &it.kernel, &g.implicit, g.sys
	gibbs.Grow(&im.rowSum, kernel.N())
	gibbs.Grow(&im.alpha, kernel.N())
	sys.allocate()
	it.sweep.ready = false // solving the linear system overwrites it.sweep.s and it.sweep.w
	u, v := it.plan.u, it.plan.v
	diag, rows := it.columns, it.a
	if it.unequal {
		un := &g.solution.unbalanced
		if err := un.dividedSums(ctx); err != nil {
			return err
		}
		diag, rows = un.diag, un.rows
	}
	sys.setup(it, it.plan, diag, rows)
	if err := g.solveImplicit(ctx, it); err != nil {
		return err
	}

	// α = (r − Tβ) ⊘ a
	for j, v := range v {
		sys.d[j] = v * sys.beta[j]
	}
	if err := kernel.Mul(ctx, im.alpha, sys.d); err != nil {
		return err
	}
	for i, a := range rows {
		if a > 0 {
			im.alpha[i] = (im.rowSum[i] - T(u[i]*im.alpha[i])) / a
		} else {
			im.alpha[i] = 0
		}
	}

	rev, terms := &g.reverse, &g.terms
	rev.grow(kernel)
	terms.Reset(kernel, 2, it.lambda)
	copy(terms.HU, u)
	copy(terms.HV, v)
	for i, u := range u {
		rev.u[i] = -im.alpha[i] * u
	}
	terms.Add(rev.u, v)
	for j, v := range v {
		rev.v[j] = -sys.beta[j] * v
	}
	terms.Add(u, rev.v)
	return g.flushSegment(ctx, kernel)
}

// solveImplicit computes β and sets rowSum to r = (T⊙M)1. Conjugate gradients may diverge if the goal for the residual is below
// rounding errors. solveImplicit then repeats the conjugate gradients with a ten times larger goal.
func (g *gradients[T]) solveImplicit(ctx context.Context, it *iteration[T]) error {
	for goal := it.limits.residualGoal; ; goal *= 10 {
		if err := g.solveImplicitTo(ctx, it, goal); err != ErrNotConverged || goal >= it.limits.residualEnough {
			return err
		}
	}
}

// solveImplicitTo is like solveImplicit, but makes only one attempt, with the given goal for the residual.
func (g *gradients[T]) solveImplicitTo(ctx context.Context, it *iteration[T], goal float64) error {
	kernel, im, sys := &it.kernel, &g.implicit, g.sys
	u, v := it.plan.u, it.plan.v
	// With w = 0, BeginSweep sets rowSum to (K⊙M)v and rhs to (K⊙M)ᵀu.
	s, w := it.sweep.s, it.sweep.w
	clear(w)
	if err := kernel.BeginSweep(ctx, im.rowSum, s, sys.rhs, u, v, w); err != nil {
		return err
	}
	for i, a := range sys.rows {
		im.rowSum[i] *= u[i]
		s[i] = 0
		if a > 0 {
			s[i] = im.rowSum[i] / a * u[i]
		}
	}
	if err := kernel.MulTrans(ctx, sys.sd, s); err != nil {
		return err
	}
	var size float64 // squared norm of c, weighted like the residual
	for j, v := range v {
		c := T(sys.rhs[j] * v)
		if b := sys.diag[j]; b > 0 {
			size += float64(float64(c) / float64(b) * float64(c))
		}
		sys.rhs[j] = c - T(sys.sd[j]*v)
	}
	clear(sys.beta)
	left, _, err := sys.conjugateGradients(ctx, goal*goal*size, math.Inf(1), 4*min(kernel.N(), kernel.M())+100, 40)
	if err != nil {
		return err
	}
	if enough := it.limits.residualEnough; !(left <= enough*enough*size) {
		return ErrNotConverged
	}
	return nil
}

// dividedSums sets d.rows to the row sums of the plan divided by τ_a, and d.diag to the column sums divided by τ_b. The
// constants τ_a and τ_b are τ = ρλ/(ρλ + 1) for the penalties ρ of the two marginals.
func (d *unbalanced[T]) dividedSums(ctx context.Context) error {
	it := d.it
	kernel := &it.kernel
	if err := kernel.Mul(ctx, d.rows, it.plan.v); err != nil {
		return err
	}
	ta, tb := it.penaltyOfA.tau, it.penaltyOfB.tau
	for i, u := range it.plan.u {
		d.rows[i] = T(float64(u) * float64(d.rows[i]) / ta)
	}
	kernel.GrowColumn(&d.diag)
	for j, c := range it.columns {
		d.diag[j] = T(float64(c) / tb)
	}
	return nil
}
