package sinkhorn

import (
	"context"
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/gibbs"
)

// Result is the result of a solve. It belongs to its solver and is valid until the next solve, or until Shrink. The next solve
// writes into the same Result, so copy the fields that you want to keep. The methods read the data of the problem, which must
// not have changed. The methods panic if the result is no longer valid, for example after Shrink.
//
// If the solve was canceled before its first iteration, Iterations is 0 and there is no plan. The methods then return
// ErrNoResult.
//
// The methods do not allocate after the solver has solved its largest problem.
type Result[T dist.Float] struct {
	// Cost is the transport cost ⟨T, M⟩ = Σ_ij T_ij M_ij. It is NaN if Status is StatusCanceled.
	Cost float64
	// Iterations is the number of iterations. With a tolerance, every pass over K counts as an iteration.
	Iterations int
	// Annealing is the work for finding better starts: the number of iterations with a λ smaller than the λ of the
	// problem, plus the number of passes over the costs that solving the unregularized problem took. The field
	// Iterations does not include this work.
	Annealing int
	// MarginalError is ‖Tᵀ1 − b‖₁, the sum of the differences between the column sums of the plan
	// and b. The row sums equal a up to rounding. With penalties or Mass, the column sums need not
	// equal b, and MarginalError compares the column sums before and after one more update of v.
	// MarginalError is 0 at convergence, and NaN if Iterations is 0.
	MarginalError float64
	// Status describes how the solve ended.
	Status Status
	// Domain is the domain of the last iterations: DomainPlain or DomainLog. It is DomainAuto if
	// there were no iterations.
	Domain Domain

	impl   resultImpl[T]
	serial uint64
}

// resultImpl is the implementation of a Result. Every resultImpl is an *outcome. Its methods take the serial number of
// the result.
type resultImpl[T dist.Float] interface {
	planTo(ctx context.Context, serial uint64, dst dist.Matrix[T], first int) error
	barycentricTo(ctx context.Context, serial uint64, dst dist.Matrix[T]) error
	potentialsTo(serial uint64, f, g []T) error
	regularizedCost(ctx context.Context, serial uint64) (float64, error)
	costGradientTo(ctx context.Context, serial uint64, dst dist.Matrix[T], mode GradientMode) error
	pointGradientTo(ctx context.Context, serial uint64, dx, dy dist.Matrix[T], mode GradientMode) error
}

// implementation returns r.impl. It panics if r.impl is nil.
func (r *Result[T]) implementation() resultImpl[T] {
	if r.impl == nil {
		panic("sinkhorn: no valid Result: Solve makes one, and the next call of the Solver ends it")
	}
	return r.impl
}

// outcome implements the Result of an iteration.
type outcome[T dist.Float] struct {
	it     *iteration[T]
	solver *solver[T] // solver that made the result
	lane   int        // 1 + the index of the lane that contains the last iterate, or 0
}

// publish sets r.solver to s and returns the Result of the iteration. The Result is valid until s solves another
// problem.
func (r *outcome[T]) publish(s *solver[T]) *Result[T] {
	r.solver = s
	r.it.res.impl, r.it.res.serial = r, s.resultCount
	return &r.it.res
}

// acquire marks the solver as busy, loads the problem of r into the kernel again, and returns the iteration. The caller must
// call markFree.
func (r *outcome[T]) acquire(serial uint64) *iteration[T] {
	s := r.solver
	s.markBusy()
	if serial != s.resultCount {
		s.markFree()
		panic("sinkhorn: a Result was used after the next call of its Solver")
	}
	r.it.placeKernel()
	if r.lane > 0 {
		s.group.lanes.fetchIterate(r.it, r.lane-1, r.it.res.Iterations)
		r.lane = 0
	}
	return r.it
}

// hasResult returns an error if there is no iterate.
func (it *iteration[T]) hasResult() error {
	if it.res.Iterations == 0 {
		return ErrNoResult
	}
	return nil
}

// columnSums sets columns to the column sums of the plan.
func (it *iteration[T]) columnSums(ctx context.Context) error {
	if err := it.finalizePlan(ctx); err != nil {
		return err
	}
	it.kernel.GrowColumn(&it.columns)
	if err := it.kernel.MulTrans(ctx, it.columns, it.plan.u); err != nil {
		return err
	}
	for j, v := range it.plan.v {
		it.columns[j] *= v
	}
	return nil
}

// rowSums sets r to the row sums of the plan. finalizePlan must have been called.
func (it *iteration[T]) rowSums(ctx context.Context, r []T) error {
	if err := it.kernel.Mul(ctx, r, it.plan.v); err != nil {
		return err
	}
	for i, u := range it.plan.u {
		r[i] *= u
	}
	return nil
}

// setCanceled sets the result to the last whole iteration, if there was an iteration.
func (it *iteration[T]) setCanceled() {
	res := &it.res
	if res.Iterations > 0 && !it.kernel.Large() {
		it.finishIterate(context.Background()) // this takes at most one pass, and the problem is small
	}
	res.Status, res.Cost = StatusCanceled, math.NaN()
	if res.Iterations == 0 {
		res.MarginalError = math.NaN()
		return
	}
	if finite(res.MarginalError) {
		return
	}
	// The marginal error is not known yet if a small problem has no tolerance. Computing the error takes one pass, which
	// ignores the context.
	if it.columnSums(context.Background()) == nil {
		res.MarginalError = 0
		for j, b := range it.b {
			res.MarginalError += math.Abs(float64(it.columns[j]) - float64(b))
		}
	}
	if !finite(res.MarginalError) { // the plan is unusable
		res.Iterations, res.MarginalError = 0, math.NaN()
	}
}

// PlanTo sets dst (k × m) to rows first … first+k−1 of the transport plan T = diag(u) K diag(v). For the whole plan, first is 0
// and dst is n × m. Fewer rows are useful if the plan is too large to store.
//
// An element is 0 if exp(−λM_ij) underflows. In the log domain, an element is instead 0 if its value for the potentials of an
// earlier iteration underflows. Such a T_ij is below a limit that depends on the least positive weight w and s = max(n, m). The
// limit is 2⁻¹⁰²²·min(2⁸⁰⁰, 2⁹⁶⁶w/s) in float64, 2⁻¹²⁶·min(2⁸⁰, 2⁹⁹w/s) in float32, and 2⁻¹²⁶·2⁹⁹w/s with StorageMixed.
//
// PlanTo returns the context's cause if the context ends first, or ErrNoResult. It panics if dst does not have m columns, if it
// has no rows, or if the plan does not contain all of these rows.
func (r *Result[T]) PlanTo(ctx context.Context, dst dist.Matrix[T], first int) error {
	return r.implementation().planTo(ctx, r.serial, dst, first)
}

func (r *outcome[T]) planTo(ctx context.Context, serial uint64, dst dist.Matrix[T], first int) error {
	it := r.acquire(serial)
	defer r.solver.markFree()
	mustHaveShape(dst, dst.Rows, it.kernel.M(), "PlanTo: dst must have m columns")
	if first < 0 || dst.Rows < 1 || dst.Rows > it.kernel.N()-first {
		panic("sinkhorn: PlanTo: the plan does not have these rows")
	}
	if err := it.hasResult(); err != nil {
		return err
	}
	if dst.Rows == it.kernel.N() {
		if err := it.finalizePlan(ctx); err != nil {
			return err
		}
		return it.kernel.Plan(ctx, dst, it.plan.u, it.plan.v)
	}
	it.locatePlan()
	for i := range dst.Rows {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		it.kernel.PlanRow(dst.Row(i), first+i, it.plan.u, it.plan.v)
	}
	return nil
}

// BarycentricTo sets dst (n × p) to the barycentric projection of X on Y, for a problem of points. The image of x_i is the mean
// of the y_j, weighted by row i of the plan,
//
//	dst_i = Σ_j T_ij y_j / Σ_j T_ij.
//
// The image is NaN if row i has no mass, because a_i = 0, or because penalties or Mass leave no mass in the row. In a balanced
// problem, the sum of the row is a_i.
//
// BarycentricTo returns ErrRange if the projection overflows, the context's cause if the context ends first, or ErrNoResult. It
// panics if dst is not n × p, or if the problem was given by a cost matrix.
func (r *Result[T]) BarycentricTo(ctx context.Context, dst dist.Matrix[T]) error {
	return r.implementation().barycentricTo(ctx, r.serial, dst)
}

func (r *outcome[T]) barycentricTo(ctx context.Context, serial uint64, dst dist.Matrix[T]) error {
	it := r.acquire(serial)
	defer r.solver.markFree()
	mustBePoints(&it.kernel, "BarycentricTo")
	mustHaveShape(dst, it.kernel.N(), it.kernel.P(), "BarycentricTo: dst must be n × p")
	if err := it.hasResult(); err != nil {
		return err
	}
	if err := it.finalizePlan(ctx); err != nil {
		return err
	}
	if err := it.kernel.PlanTimesY(ctx, dst, it.plan.u, it.plan.v); err != nil {
		return err
	}
	mass, overflow := it.a, false
	if it.unequal {
		mass = it.scratch
		if err := it.rowSums(ctx, mass); err != nil {
			return err
		}
	}
	for i, a := range mass {
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

// mustHaveShape panics with the given message unless m is a rows × cols matrix.
func mustHaveShape[T dist.Float](m dist.Matrix[T], rows, cols int, message string) {
	if m.Rows != rows || m.Cols != cols || checkMatrix("", m) != nil {
		panic("sinkhorn: " + message)
	}
}

func mustBePoints[T dist.Float](kernel *gibbs.Kernel[T], method string) {
	if !kernel.Shape().Points {
		panic("sinkhorn: " + method + ": the problem was a cost matrix, not points")
	}
}

// PotentialsTo sets f (length n) and g (length m) to the potentials: the natural logarithms of the scalings u and v, so that
// T_ij = exp(f_i − λ M_ij + g_j). The potential of a zero weight is −Inf. Divided by λ, the potentials are the dual variables
// of the regularized problem. With a large penalty and different sums of A and B, f is large and g is about −f, but PlanTo is
// still accurate.
//
// At convergence, the potentials give the gradient of RegularizedCost with respect to the weights. Let φ_i = f_i − log a_i and
// r = T1. For a penalty ρ, r_i/a_i = exp(−φ_i/(ρλ)). The gradient is
//
//	∂/∂a_i = φ_i/λ + constant                       if T1 = a in a balanced problem,
//	∂/∂a_i = (φ_i + Σb − 1)/λ                       if T1 = a and the other side has a penalty; the sum of a may then change,
//	∂/∂a_i = (Σb − r_i/a_i)/λ + ρ(1 − r_i/a_i)      with a penalty,
//	∂/∂a_i = (Σb − r_i/a_i + φ_i − max φ)/λ         with Problem.Mass,
//
// and likewise for b.
//
// PotentialsTo returns ErrNoResult if there is no plan, and panics if f or g has the wrong length.
func (r *Result[T]) PotentialsTo(f, g []T) error {
	return r.implementation().potentialsTo(r.serial, f, g)
}

func (r *outcome[T]) potentialsTo(serial uint64, f, g []T) error {
	it := r.acquire(serial)
	defer r.solver.markFree()
	if len(f) != it.kernel.N() || len(g) != it.kernel.M() {
		panic("sinkhorn: PotentialsTo: f must have length n, and g length m")
	}
	if err := it.hasResult(); err != nil {
		return err
	}
	k := it.res.Iterations
	naturalPotentials(f, it.u(k), it.kind(k), it.log.f, it.shift)
	naturalPotentials(g, it.v(k), it.kind(k), it.log.g, -it.shift)
	return nil
}

// RegularizedCost returns the value of the regularized problem at the plan,
//
//	⟨T, M⟩ + KL(T | a⊗b)/λ,   KL = Σ_ij T_ij log(T_ij / (a_i b_j)).
//
// The value is computed from the potentials: (Σ_i a_i (f_i − log a_i) + Σ_j (Tᵀ1)_j (g_j − log b_j))/λ. Other definitions have
// −H(T)/λ instead of KL/λ, where H = −Σ T_ij log T_ij is the entropy. To get the value of such a definition at convergence, add
// (Σ_i a_i log a_i + Σ_j b_j log b_j)/λ. With penalties or Mass, RegularizedCost returns the objective documented at
// Problem.PenaltyA. This objective contains the penalties, and KL(T | a⊗b) has the further terms Σ_ij a_i b_j − Σ_ij T_ij.
//
// RegularizedCost returns NaN if Status is StatusCanceled. The error is ErrRange if the value overflows, the context's cause if
// the context ends first, and ErrNoResult if there is no plan. With an error, the value is NaN.
func (r *Result[T]) RegularizedCost(ctx context.Context) (float64, error) {
	return r.implementation().regularizedCost(ctx, r.serial)
}

func (r *outcome[T]) regularizedCost(ctx context.Context, serial uint64) (float64, error) {
	it := r.acquire(serial)
	defer r.solver.markFree()
	return r.solver.regularizedCost(ctx, it)
}

func (s *solver[T]) regularizedCost(ctx context.Context, it *iteration[T]) (float64, error) {
	if err := it.hasResult(); err != nil {
		return math.NaN(), err
	}
	if it.res.Status == StatusCanceled {
		return math.NaN(), nil
	}
	if err := it.columnSums(ctx); err != nil {
		return math.NaN(), err
	}
	k := it.res.Iterations
	kind, rows, extra := it.kind(k), it.a, 0.0
	if it.unequal {
		rows = it.scratch
		if err := it.rowSums(ctx, rows); err != nil {
			return math.NaN(), err
		}
		extra = s.solution.unbalanced.penaltyCost(rows, it.columns)
	}
	cost := float64(entropyPart(rows, it.a, it.u(k), kind, it.log.f)+entropyPart(it.columns, it.b, it.v(k), kind, it.log.g))/it.lambda + extra
	if !finite(cost) {
		return math.NaN(), fmt.Errorf("%w: the regularized cost overflows", ErrRange)
	}
	return cost, nil
}
