package sinkhorn

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
)

// Result is what a solve has found. It belongs to its solver and is overwritten by
// the next solve; the problem's data must still be there unchanged when it is asked
// for more. Nothing here allocates once the solver has seen its largest problem.
type Result[T dist.Float] struct {
	// Cost is the transport cost ⟨T, M⟩ = Σ_ij T_ij M_ij; NaN if Cancelled.
	Cost float64
	// Iterations is the number of iterations made, annealing not counted. To a tolerance
	// it counts passes over K, whatever they were for.
	Iterations int
	// Annealing is the number of iterations made before for smaller λ.
	Annealing int
	// MarginalError is ‖Tᵀ1 − b‖₁. The other marginal, T1 = a, holds to rounding. With prices
	// or a Mass it is the distance of Tᵀ1 to where the next scaling v would bring it, and T1
	// is the best for v.
	MarginalError float64
	Status        Status
	// Domain is DomainPlain or DomainLog, the one that the last iterations were made in.
	Domain Domain

	solver *Solver[T]
	serial uint64
}

// enter marks the result's solver as being used, until leave, and returns it.
func (r *Result[T]) enter() *Solver[T] {
	s := r.solver
	if s == nil {
		panic("sinkhorn: a Result that no Solver has returned")
	}
	s.enter()
	if r.serial != s.count {
		s.leave()
		panic("sinkhorn: a Result is used after its Solver's next problem")
	}
	if !s.placed {
		s.place()
	}
	return s
}

// PlanTo sets dst (k × m) to k rows of the transport plan T = diag(u) K diag(v), from the
// given one on: PlanTo(ctx, dst, 0) with k = n to all of it, fewer of a plan that is too
// large to be had whole. The error is the context's cause if that ends first. It panics if
// dst has other columns, no rows, or more than there are.
func (r *Result[T]) PlanTo(ctx context.Context, dst dist.Matrix[T], first int) error {
	s := r.enter()
	defer s.leave()
	s.mustBe(dst, dst.Rows, s.geo.m, "plan of another shape")
	if first < 0 || dst.Rows < 1 || dst.Rows > s.geo.n-first {
		panic("sinkhorn: rows that the plan does not have")
	}
	if dst.Rows == s.geo.n {
		if err := s.final(ctx); err != nil {
			return err
		}
		return s.geo.plan(ctx, dst, s.fu, s.fv)
	}
	s.locate()
	for i := range dst.Rows {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.geo.planRow(dst.Row(i), first+i, s.fu, s.fv)
	}
	return nil
}

// BarycentricTo sets dst (n × p) to the barycentric projection of X on Y, for a
// problem of points: x_i goes to the mean of the y_j weighted by row i of the plan,
//
//	dst_i = Σ_j T_ij y_j / a_i,
//
// and to NaN where a_i = 0. Where that overflows the error wraps ErrRange; it is the
// context's cause if that ends first. It panics if dst has another shape or the problem
// was a cost matrix.
func (r *Result[T]) BarycentricTo(ctx context.Context, dst dist.Matrix[T]) error {
	s := r.enter()
	defer s.leave()
	s.mustBePoints()
	s.mustBe(dst, s.geo.n, s.geo.p, "barycentric projection of another shape")
	if err := s.final(ctx); err != nil {
		return err
	}
	if err := s.geo.project(ctx, dst, s.fu, s.fv); err != nil {
		return err
	}
	overflow := false
	for i, a := range s.a {
		row := dst.Row(i)
		for l := range row {
			row[l] /= a
			overflow = overflow || a > 0 && row[l]-row[l] != 0
		}
	}
	if overflow {
		return fmt.Errorf("%w: the barycentric projection overflows", ErrRange)
	}
	return nil
}

// mustBe panics unless m is a rows × cols matrix.
func (s *Solver[T]) mustBe(m dist.Matrix[T], rows, cols int, sentence string) {
	if m.Rows != rows || m.Cols != cols || checkMatrix("", m) != nil {
		panic("sinkhorn: " + sentence)
	}
}

func (s *Solver[T]) mustBePoints() {
	if !s.geo.points {
		panic("sinkhorn: the problem was not one of points")
	}
}

// PotentialsTo sets f (length n) and g (length m) to the potentials, T_ij =
// exp(f_i − λ M_ij + g_j): the natural logarithms of the scalings u and v. That of
// a zero weight is −Inf. Divided by λ they are the dual variables of the
// regularized problem.
//
// So the gradient of RegularizedCost by the weights is theirs, at convergence: with φ_i =
// f_i − log a_i, and r_i/a_i = exp(−φ_i/(ρλ)) for a price ρ, else r = T1,
//
//	∂/∂a_i = (Σb − r_i/a_i)/λ + ρ(1 − r_i/a_i)      with a price,
//	∂/∂a_i = (Σb − r_i/a_i + φ_i − max φ)/λ         with Problem.Mass,
//
// and φ_i/λ, but for a constant, where T1 = a; for b likewise.
func (r *Result[T]) PotentialsTo(f, g []T) {
	s := r.enter()
	defer s.leave()
	if len(f) != s.geo.n || len(g) != s.geo.m {
		panic("sinkhorn: potentials of another length")
	}
	k := r.Iterations
	kind := s.kind[k%s.ring]
	natural(f, s.u(k), kind, s.log.f)
	natural(g, s.v(k), kind, s.log.g)
}

// natural sets dst to the natural logarithms of the iterate in slot.
func natural[T dist.Float](dst, slot []T, kind int, base []T) {
	for i, x := range slot {
		switch kind {
		case plainKind:
			dst[i] = num.Log(x)
		case potentialKind:
			dst[i] = T(float64(x) * math.Ln2)
		default:
			dst[i] = T(float64(num.Log2(float64(x))+float64(base[i])) * math.Ln2)
		}
	}
}

// RegularizedCost returns the value of the regularized problem at the plan,
//
//	⟨T, M⟩ + KL(T | a⊗b)/λ,   KL = Σ_ij T_ij log(T_ij / (a_i b_j)),
//
// from the potentials: (Σ_i a_i (f_i − log a_i) + Σ_j (Tᵀ1)_j (g_j − log b_j))/λ.
// With −H(T)/λ in the place of KL/λ, H the entropy −Σ T_ij log T_ij, the value is
// that minus (Σ_i a_i log a_i + Σ_j b_j log b_j)/λ more at convergence.
//
// For unequal mass it is the value that Problem.PenaltyA states, prices and −Σ T_ij + Σ a_i b_j
// over λ included.
//
// It is NaN if Cancelled. Where it overflows the error wraps ErrRange; it is the context's
// cause if that ends first.
func (r *Result[T]) RegularizedCost(ctx context.Context) (float64, error) {
	s := r.enter()
	defer s.leave()
	return s.regularizedCost(ctx)
}

func (s *Solver[T]) regularizedCost(ctx context.Context) (float64, error) {
	if s.res.Status == Cancelled {
		return math.NaN(), nil
	}
	if err := s.columnSums(ctx); err != nil {
		return math.NaN(), err
	}
	k := s.res.Iterations
	kind := s.kind[k%s.ring]
	rows, extra := s.a, 0.0
	if s.unequal.on {
		if err := s.rowSums(ctx); err != nil {
			return math.NaN(), err
		}
		rows, extra = s.r, s.unequalCost(s.r, s.fq)
	}
	cost := float64(entropyPart(rows, s.a, s.u(k), kind, s.log.f)+entropyPart(s.fq, s.b, s.v(k), kind, s.log.g))/s.lambda + extra
	if !finite(cost) {
		return math.NaN(), fmt.Errorf("%w: the regularized cost overflows", ErrRange)
	}
	return cost, nil
}

// entropyPart returns Σ_i weight_i (log x_i − log a_i), x the scaling in slot.
func entropyPart[T dist.Float](weight, a, slot []T, kind int, base []T) float64 {
	var sum float64
	for i, x := range slot {
		if a[i] == 0 {
			continue
		}
		l := float64(x)
		if kind != potentialKind {
			l = num.Log2(l)
		}
		if kind >= 0 {
			l += float64(base[i])
		}
		sum += float64(float64(weight[i]) * (l - num.Log2(float64(a[i]))))
	}
	return float64(sum * math.Ln2)
}

// columnSums sets fq to the column sums of the plan. Where the gradient has not been
// asked for, nothing keeps those of the last iteration.
func (s *Solver[T]) columnSums(ctx context.Context) error {
	if err := s.final(ctx); err != nil {
		return err
	}
	s.geo.column(&s.fq)
	if err := s.geo.columns(ctx, s.fq, s.fu); err != nil {
		return err
	}
	for j, v := range s.fv {
		s.fq[j] *= v
	}
	return nil
}

// rowSums sets r to the row sums of the plan, after columnSums.
func (s *Solver[T]) rowSums(ctx context.Context) error {
	s.begun = false // r is that of the reverse sweep no more
	if err := s.geo.rows(ctx, s.r, s.fv); err != nil {
		return err
	}
	for i, u := range s.fu {
		s.r[i] *= u
	}
	return nil
}
