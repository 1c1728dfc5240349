package sinkhorn

import (
	"context"
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
	// Iterations is the number of iterations made, annealing not counted.
	Iterations int
	// Annealing is the number of iterations made before for smaller λ.
	Annealing int
	// MarginalError is ‖Tᵀ1 − b‖₁. The other marginal, T1 = a, holds to rounding.
	// It is NaN if a small problem without tolerance was Cancelled.
	MarginalError float64
	Status        Status
	// Domain is Plain or Log, the one that the last iterations were made in.
	Domain Domain

	solver *Solver[T]
}

// PlanTo sets dst (n × m) to the transport plan T = diag(u) K diag(v). It panics if
// dst has another shape.
func (r *Result[T]) PlanTo(dst dist.Matrix[T]) {
	s := r.solver
	if dst.Rows != s.n || dst.Cols != s.m || checkMatrix("dst", dst) != nil {
		panic("sinkhorn: plan of another shape")
	}
	defer s.unbound(s.ctx)
	s.ctx = context.Background()
	s.must(s.final())
	s.job = job[T]{u: s.fu, v: s.fv, dst: dst}
	s.must(s.do(opPlan))
}

// PlanRowTo sets dst (length m) to row i of the plan, for plans that are too large
// to be had whole. It panics if i or the length is out of range.
func (r *Result[T]) PlanRowTo(dst []T, i int) {
	s := r.solver
	if i < 0 || i >= s.n || len(dst) != s.m {
		panic("sinkhorn: row of another shape")
	}
	defer s.unbound(s.ctx)
	s.ctx = context.Background()
	s.must(s.final())
	s.job = job[T]{u: s.fu, v: s.fv, dst: dist.Matrix[T]{Rows: 1, Cols: s.m, Stride: s.m, Data: dst}}
	s.op = opPlan
	s.planRow(i)
}

// BarycentricTo sets dst (n × p) to the barycentric projection of X on Y, for a
// problem of points: x_i goes to the mean of the y_j weighted by row i of the plan,
//
//	dst_i = Σ_j T_ij y_j / a_i,
//
// and to NaN where a_i = 0. It panics if dst has another shape or the problem was a
// cost matrix.
func (r *Result[T]) BarycentricTo(dst dist.Matrix[T]) {
	s := r.solver
	if !s.points || dst.Rows != s.n || dst.Cols != s.p || checkMatrix("dst", dst) != nil {
		panic("sinkhorn: barycentric projection of another shape")
	}
	defer s.unbound(s.ctx)
	s.ctx = context.Background()
	s.must(s.final())
	s.job = job[T]{u: s.fu, v: s.fv, dst: dst}
	s.must(s.do(opProject))
	for i, a := range s.a {
		row := dst.Row(i)
		for l := range row {
			row[l] /= a
		}
	}
}

// PotentialsTo sets f (length n) and g (length m) to the potentials, T_ij =
// exp(f_i − λ M_ij + g_j): the natural logarithms of the scalings u and v. That of
// a zero weight is −Inf. Divided by λ they are the dual variables of the
// regularized problem.
func (r *Result[T]) PotentialsTo(f, g []T) {
	s := r.solver
	if len(f) != s.n || len(g) != s.m {
		panic("sinkhorn: potentials of another length")
	}
	k := r.Iterations
	kind := s.kind[k%s.ring]
	natural(f, s.u(k), kind, s.f)
	natural(g, s.v(k), kind, s.g)
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
// It is NaN if Cancelled.
func (r *Result[T]) RegularizedCost() float64 {
	s := r.solver
	if r.Status == Cancelled {
		return math.NaN()
	}
	defer s.unbound(s.ctx)
	s.ctx = context.Background()
	s.must(s.columnSums())
	k := r.Iterations
	kind := s.kind[k%s.ring]
	return float64(entropyPart(s.a, s.a, s.u(k), kind, s.f)+entropyPart(s.fq, s.b, s.v(k), kind, s.g)) / s.lambda
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
func (s *Solver[T]) columnSums() error {
	if err := s.final(); err != nil {
		return err
	}
	grow(&s.fq, s.m)
	clear(s.fq)
	s.job = job[T]{u: s.fu, q: s.fq}
	if err := s.do(opColumns); err != nil {
		return err
	}
	for j, v := range s.fv {
		s.fq[j] *= v
	}
	return nil
}

// unbound puts the context back after work that is not bound by it.
func (s *Solver[T]) unbound(ctx context.Context) { s.ctx = ctx }

// must is for passes that cannot be cancelled.
func (s *Solver[T]) must(err error) {
	if err != nil {
		panic(err)
	}
}
