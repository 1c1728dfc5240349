package sinkhorn

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/gibbs"
)

// Result is the result of a solve. It belongs to its solver and is valid until the next solve, or
// until Shrink. The next solve writes into the same Result: copy the fields that you want to keep. The
// methods read the data of the problem, which must still be there unchanged. They panic if there is no
// valid result any more, as after Shrink.
//
// If the solve was cancelled before its first iteration, Iterations is 0 and there is no plan: the
// methods return ErrNoResult.
//
// The methods allocate nothing once the solver has seen its largest problem.
type Result[T dist.Float] struct {
	// Cost is the transport cost ⟨T, M⟩ = Σ_ij T_ij M_ij. It is NaN if Status is Cancelled.
	Cost float64
	// Iterations is the number of iterations, without those of annealing. With a tolerance it is
	// the number of passes over K, whatever they were for.
	Iterations int
	// Annealing is the work that was done to find a start: the number of iterations for smaller λ, and
	// of passes over the costs for the problem without entropy. Iterations does not include it.
	Annealing int
	// MarginalError is ‖Tᵀ1 − b‖₁, the sum of the differences between the column sums of the plan
	// and b. The row sums equal a to rounding. With penalties or Mass, b does not hold exactly, and
	// MarginalError compares the column sums with those after one more update of v: it is 0 at
	// convergence. It is NaN if Iterations is 0.
	MarginalError float64
	// Status says how the solve ended.
	Status Status
	// Domain is the one in which the last iterations were made: DomainPlain or DomainLog. It is
	// DomainAuto if there were none.
	Domain Domain

	impl   resultImpl[T]
	serial uint64
}

// resultImpl is the implementation of a Result, an *iteration. serial is the number of the result.
type resultImpl[T dist.Float] interface {
	planTo(ctx context.Context, serial uint64, dst dist.Matrix[T], first int) error
	barycentricTo(ctx context.Context, serial uint64, dst dist.Matrix[T]) error
	potentialsTo(serial uint64, f, g []T) error
	regularizedCost(ctx context.Context, serial uint64) (float64, error)
	costGradientTo(ctx context.Context, serial uint64, dst dist.Matrix[T], mode GradientMode) error
	pointGradientTo(ctx context.Context, serial uint64, dx, dy dist.Matrix[T], mode GradientMode) error
}

// implementation returns r.impl. It panics if there is none.
func (r *Result[T]) implementation() resultImpl[T] {
	if r.impl == nil {
		panic("sinkhorn: no valid Result: Solve makes one, and the next call of the Solver ends it")
	}
	return r.impl
}

// enter marks the solver as being used, until leave, and returns it.
func (it *iteration[T]) enter(serial uint64) *solver[T] {
	s := it.solver
	s.enter()
	if serial != s.count {
		s.leave()
		panic("sinkhorn: a Result was used after the next call of its Solver")
	}
	s.place(it)
	return s
}

// hasResult returns an error if there is no iterate.
func (it *iteration[T]) hasResult() error {
	if it.res.Iterations == 0 {
		return ErrNoResult
	}
	return nil
}

// PlanTo sets dst (k × m) to rows first … first+k−1 of the transport plan T = diag(u) K diag(v).
// For the whole plan, let dst be n × m and first 0. Fewer rows are for a plan that is too large to be
// stored.
//
// It returns the context's cause if the context ends first, or ErrNoResult. It panics if dst has
// other columns, no rows, or rows that the plan does not have.
func (r *Result[T]) PlanTo(ctx context.Context, dst dist.Matrix[T], first int) error {
	return r.implementation().planTo(ctx, r.serial, dst, first)
}

func (it *iteration[T]) planTo(ctx context.Context, serial uint64, dst dist.Matrix[T], first int) error {
	s := it.enter(serial)
	defer s.leave()
	mustBe(dst, dst.Rows, s.kernel.M(), "PlanTo: dst must have m columns")
	if first < 0 || dst.Rows < 1 || dst.Rows > s.kernel.N()-first {
		panic("sinkhorn: PlanTo: the plan does not have these rows")
	}
	if err := it.hasResult(); err != nil {
		return err
	}
	if dst.Rows == s.kernel.N() {
		if err := it.final(ctx); err != nil {
			return err
		}
		return s.kernel.Plan(ctx, dst, it.plan.u, it.plan.v)
	}
	it.locate()
	for i := range dst.Rows {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.kernel.PlanRow(dst.Row(i), first+i, it.plan.u, it.plan.v)
	}
	return nil
}

// BarycentricTo sets dst (n × p) to the barycentric projection of X on Y, for a problem of points.
// The image of x_i is the mean of the y_j, weighted by row i of the plan,
//
//	dst_i = Σ_j T_ij y_j / a_i,
//
// and NaN where a_i = 0.
//
// It returns ErrRange if the projection overflows, the context's cause if the context ends first,
// or ErrNoResult. It panics if dst has another shape, or if the problem was a cost matrix.
func (r *Result[T]) BarycentricTo(ctx context.Context, dst dist.Matrix[T]) error {
	return r.implementation().barycentricTo(ctx, r.serial, dst)
}

func (it *iteration[T]) barycentricTo(ctx context.Context, serial uint64, dst dist.Matrix[T]) error {
	s := it.enter(serial)
	defer s.leave()
	mustBePoints(&it.kernel, "BarycentricTo")
	mustBe(dst, s.kernel.N(), s.kernel.P(), "BarycentricTo: dst must be n × p")
	if err := it.hasResult(); err != nil {
		return err
	}
	if err := it.final(ctx); err != nil {
		return err
	}
	if err := s.kernel.PlanTimesY(ctx, dst, it.plan.u, it.plan.v); err != nil {
		return err
	}
	overflow := false
	for i, a := range it.a {
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

// mustBe panics with message unless m is a rows × cols matrix.
func mustBe[T dist.Float](m dist.Matrix[T], rows, cols int, message string) {
	if m.Rows != rows || m.Cols != cols || checkMatrix("", m) != nil {
		panic("sinkhorn: " + message)
	}
}

func mustBePoints[T dist.Float](kernel *gibbs.Kernel[T], method string) {
	if !kernel.Shape().Points {
		panic("sinkhorn: " + method + ": the problem was a cost matrix, not points")
	}
}

// PotentialsTo sets f (length n) and g (length m) to the potentials: the natural logarithms of the
// scalings u and v, so that T_ij = exp(f_i − λ M_ij + g_j). The potential of a zero weight is −Inf.
// Divided by λ, the potentials are the dual variables of the regularized problem. With a large penalty
// and different sums of A and B, f is large and g is about −f; PlanTo stays accurate then.
//
// At convergence, the potentials give the gradient of RegularizedCost with respect to the weights.
// With φ_i = f_i − log a_i and r = T1, where r_i/a_i = exp(−φ_i/(ρλ)) for a penalty ρ, it is
//
//	∂/∂a_i = φ_i/λ + constant                       if T1 = a in a balanced problem,
//	∂/∂a_i = (φ_i + Σb − 1)/λ                       if T1 = a and the other side has a penalty; the sum of a may then change,
//	∂/∂a_i = (Σb − r_i/a_i)/λ + ρ(1 − r_i/a_i)      with a penalty,
//	∂/∂a_i = (Σb − r_i/a_i + φ_i − max φ)/λ         with Problem.Mass,
//
// and likewise for b.
//
// It returns ErrNoResult if there is no plan, and panics if f or g has another length.
func (r *Result[T]) PotentialsTo(f, g []T) error {
	return r.implementation().potentialsTo(r.serial, f, g)
}

func (it *iteration[T]) potentialsTo(serial uint64, f, g []T) error {
	s := it.enter(serial)
	defer s.leave()
	if len(f) != s.kernel.N() || len(g) != s.kernel.M() {
		panic("sinkhorn: PotentialsTo: f must have length n, and g length m")
	}
	if err := it.hasResult(); err != nil {
		return err
	}
	k := it.res.Iterations
	natural(f, it.u(k), it.kind(k), it.log.f, it.shift)
	natural(g, it.v(k), it.kind(k), it.log.g, -it.shift)
	return nil
}

// RegularizedCost returns the value of the regularized problem at the plan,
//
//	⟨T, M⟩ + KL(T | a⊗b)/λ,   KL = Σ_ij T_ij log(T_ij / (a_i b_j)).
//
// It is computed from the potentials: (Σ_i a_i (f_i − log a_i) + Σ_j (Tᵀ1)_j (g_j − log b_j))/λ.
// For the value with −H(T)/λ instead of KL/λ, with the entropy H = −Σ T_ij log T_ij, add
// (Σ_i a_i log a_i + Σ_j b_j log b_j)/λ at convergence. With penalties or Mass, it
// returns the value of the problem that Problem.PenaltyA states: the penalties are included, and
// KL(T | a⊗b) has the further terms Σ_ij a_i b_j − Σ_ij T_ij.
//
// It returns NaN if Status is Cancelled. It returns ErrRange if the value overflows, the context's
// cause if the context ends first, or ErrNoResult; the value is then NaN.
func (r *Result[T]) RegularizedCost(ctx context.Context) (float64, error) {
	return r.implementation().regularizedCost(ctx, r.serial)
}

func (it *iteration[T]) regularizedCost(ctx context.Context, serial uint64) (float64, error) {
	s := it.enter(serial)
	defer s.leave()
	return s.regularizedCost(ctx, it)
}

func (s *solver[T]) regularizedCost(ctx context.Context, it *iteration[T]) (float64, error) {
	if err := it.hasResult(); err != nil {
		return math.NaN(), err
	}
	if it.res.Status == Cancelled {
		return math.NaN(), nil
	}
	if err := it.columnSums(ctx); err != nil {
		return math.NaN(), err
	}
	k := it.res.Iterations
	kind, rows, extra := it.kind(k), it.a, 0.0
	if it.unequal {
		if err := it.rowSums(ctx); err != nil {
			return math.NaN(), err
		}
		rows, extra = it.r, s.solution.unbalanced.cost(it.r, it.columns)
	}
	cost := float64(entropyPart(rows, it.a, it.u(k), kind, it.log.f)+entropyPart(it.columns, it.b, it.v(k), kind, it.log.g))/it.lambda + extra
	if !finite(cost) {
		return math.NaN(), fmt.Errorf("%w: the regularized cost overflows", ErrRange)
	}
	return cost, nil
}
