package sinkhorn

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
)

// At convergence, T1 = a and Tᵀ1 = b, the cost W = ⟨T, M⟩ is a function of M alone,
// however it was reached. With T_ij = exp(f_i + g_j − λM_ij), a change of M changes
// the potentials by the solution of
//
//	[ diag(a)  T       ] [df]     [ (T⊙dM) 1  ]
//	[ Tᵀ       diag(b) ] [dg] = λ [ (T⊙dM)ᵀ 1 ],
//
// so that with (α, β) the solution for the right-hand side r = (T⊙M)1, c = (T⊙M)ᵀ1,
//
//	M̄_ij = T_ij (1 + λ(α_i + β_j − M_ij)).
//
// α is eliminated and β found by conjugate gradients, preconditioned by diag(b), from
//
//	(diag(b) − Tᵀ diag(1/a) T) β = c − Tᵀ(r ⊘ a);
//
// each step is one pass over K, that of the reverse sweep. The matrix is singular
// only in the direction of 1, which the right-hand side has no part of and which
// does not change M̄.
//
// Where the marginals are prices, W being ⟨T, M⟩ as before, diag(a) and diag(b) are those of T
// times 1 + 1/ρλ, and nothing is singular.

// implicit is the state of the conjugate gradients.
type implicit[T dist.Float] struct {
	rowSum, alpha       []T
	rhs, beta, z, d, sd []T
}

// frozen makes M̄ the plan.
func (s *Solver[T]) frozen(ctx context.Context) error {
	if err := s.final(ctx); err != nil {
		return err
	}
	rev := &s.rev
	rev.reset(&s.geo, 0, 0)
	copy(rev.seg.hu, s.fu)
	copy(rev.seg.hv, s.fv)
	return s.flush(ctx)
}

// implicit makes M̄ that of the implicit function theorem.
func (s *Solver[T]) implicit(ctx context.Context) error {
	if s.unequal.partial > 0 {
		return fmt.Errorf("%w: no implicit gradient of partial transport; GradientFrozen has that of RegularizedCost", ErrSettings)
	}
	if !(s.res.MarginalError <= s.limits.converged*s.mass) {
		return ErrNotConverged
	}
	if err := s.columnSums(ctx); err != nil { // K is final now; fq = Tᵀ1
		return err
	}
	geo, im := &s.geo, &s.im
	grow(&im.rowSum, geo.n)
	grow(&im.alpha, geo.n)
	for _, v := range []*[]T{&im.rhs, &im.beta, &im.z, &im.d, &im.sd} {
		geo.column(v)
	}
	s.begun = false
	u, v := s.fu, s.fv
	diag, rows := s.fq, s.a // where the marginals are prices, the sums divided by τ
	if s.unequal.on {
		if err := s.pricedSums(ctx); err != nil {
			return err
		}
		diag, rows = s.newton.diag, s.newton.rows
	}

	// r and c, from the pass that begins the reverse sweep, without s.
	clear(s.w)
	if err := geo.begin(ctx, im.rowSum, s.s, im.rhs, u, v, s.w); err != nil {
		return err
	}
	for i, a := range rows {
		im.rowSum[i] *= u[i]
		s.s[i] = 0
		if a > 0 {
			s.s[i] = im.rowSum[i] / a * u[i]
		}
	}
	if err := geo.columns(ctx, im.sd, s.s); err != nil {
		return err
	}
	var size float64 // of c, in the norm of the preconditioned residual
	for j, v := range v {
		c := T(im.rhs[j] * v)
		if b := diag[j]; b > 0 {
			size += float64(float64(c) / float64(b) * float64(c))
		}
		im.rhs[j] = c - T(im.sd[j]*v)
	}
	clear(im.beta)
	goal, enough := s.limits.goal, s.limits.enough
	left, _, err := s.conjugateGradients(ctx, diag, rows, goal*goal*size, math.Inf(1), 4*min(geo.n, geo.m)+100, 40)
	if err != nil {
		return err
	}
	if !(left <= enough*enough*size) {
		return ErrNotConverged
	}

	// α = (r − Tβ) ⊘ a
	for j, v := range v {
		im.d[j] = v * im.beta[j]
	}
	if err := geo.rows(ctx, s.r, im.d); err != nil {
		return err
	}
	for i, a := range rows {
		im.alpha[i] = 0
		if a > 0 {
			im.alpha[i] = (im.rowSum[i] - T(u[i]*s.r[i])) / a
		}
	}

	rev := &s.rev
	rev.reset(geo, 2, T(s.lambda))
	copy(rev.seg.hu, u)
	copy(rev.seg.hv, v)
	for i, u := range u {
		rev.u[i] = -im.alpha[i] * u
	}
	rev.seg.add(rev.u, v)
	for j, v := range v {
		rev.v[j] = -im.beta[j] * v
	}
	rev.seg.add(u, rev.v)
	return s.flush(ctx)
}

// pricedSums sets newton.rows and newton.diag to the row and column sums of the plan divided
// by τ: the marginal of a side that has a price falls as its potential rises, r_i α_i(1 + 1/ρλ)
// in the place of r_i α_i.
func (s *Solver[T]) pricedSums(ctx context.Context) error {
	geo, nw := &s.geo, &s.newton
	if err := geo.rows(ctx, s.r, s.fv); err != nil {
		return err
	}
	ta, tb := tau(s.unequal.rhoA, s.lambda), tau(s.unequal.rhoB, s.lambda)
	for i, u := range s.fu {
		nw.rows[i] = T(float64(u) * float64(s.r[i]) / ta)
	}
	geo.column(&nw.diag)
	for j, c := range s.fq {
		nw.diag[j] = T(float64(c) / tb)
	}
	return nil
}

// conjugateGradients goes on from β towards the solution of (diag − Tᵀ diag(1/rows) T) β = b,
// where rhs is the residual of β, b for β = 0, until the squared residual, in the norm of the preconditioner, is at most goal, an element of β exceeds
// radius, or most steps have been made. It returns that square, and how many steps it has
// made. The preconditioner is diag, or the factor of Newton's steps where there is one; the
// norm is that of diag.
func (s *Solver[T]) conjugateGradients(ctx context.Context, diag, rows []T, goal, radius float64, most, stall int) (size float64, steps int, err error) {
	im, v := &s.im, s.fv
	for i, a := range rows {
		s.w[i] = 0
		if a > 0 {
			s.w[i] = s.fu[i] / a * s.fu[i]
		}
	}
	// The residual is in rhs; z is that preconditioned, d the direction.
	rho, size := s.precondition(diag)
	copy(im.d, im.z)
	best, since := size, 0
	for ; steps < most; steps++ {
		if !(size > goal) || since > stall { // what is left is rounding
			break
		}
		if s.newton.sparse.made {
			err = s.newton.sparse.square(ctx, &s.geo, im.sd, im.d)
		} else {
			for j, v := range v {
				im.z[j] = v * im.d[j]
			}
			err = s.geo.sweep(ctx, s.s, im.sd, im.z, s.w)
			for j, v := range v {
				im.sd[j] *= v
			}
		}
		if err != nil {
			return size, steps, err
		}
		var dsd float64
		for j, d := range im.d {
			im.sd[j] = T(diag[j]*d) - im.sd[j]
			dsd = num.FMA(float64(d), float64(im.sd[j]), dsd)
		}
		if !(dsd > 0) {
			break // d is the null vector, to rounding
		}
		step := T(rho / dsd)
		for j, d := range im.d {
			im.beta[j] = num.FMA(step, d, im.beta[j])
			im.rhs[j] = num.FMA(-step, im.sd[j], im.rhs[j])
		}
		before := rho
		rho, size = s.precondition(diag)
		ratio := T(rho / before)
		if since++; size < best/2 {
			best, since = size, 0
		}
		if !math.IsInf(radius, 1) && im.largest() > radius {
			return size, steps + 1, nil
		}
		for j, z := range im.z {
			im.d[j] = num.FMA(ratio, im.d[j], z)
		}
	}
	return size, steps, nil
}

// largest returns max_j |β_j|.
func (im *implicit[T]) largest() float64 {
	var most uint64 // as bits, of which those of a NaN are the largest
	for _, b := range im.beta {
		most = max(most, math.Float64bits(float64(b))&^(1<<63))
	}
	return math.Float64frombits(most)
}

// precondition sets z to the preconditioned residual, and returns the scalar product of both
// and the squared norm of the residual.
func (s *Solver[T]) precondition(diag []T) (rho, size float64) {
	im := &s.im
	for j, b := range diag {
		im.z[j] = 0
		if b > 0 {
			im.z[j] = im.rhs[j] / b
		}
		size = num.FMA(float64(im.rhs[j]), float64(im.z[j]), size)
	}
	if !s.newton.direct.made {
		return size, size
	}
	s.newton.direct.apply(im.z, im.rhs)
	for j, z := range im.z {
		rho = num.FMA(float64(im.rhs[j]), float64(z), rho)
	}
	return rho, size
}
