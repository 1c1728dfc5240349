package sinkhorn

import (
	"context"
	"fmt"
	"math"
	"unsafe"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/gibbs"
	"github.com/gomonge/monge/internal/simplex"
)

// workspace is shared by all problems of a solver.
type workspace[T dist.Float] struct {
	settings        Settings
	kernel          gibbs.Kernel[T]
	sweep           sweep[T]
	columns         []T // column sums of the plan or of the dual point
	scratch         []T // length n; its contents are not preserved between calls
	allocatedBytes  float64
	affordableShape gibbs.Shape // kernel shape of the latest problem in vector lanes; MaxMemory suffices for this shape
}

// sweep contains operands of Kernel.Sweep. In reverse passes and linear systems, Kernel.Sweep computes s = w ⊙ (K t) and q = Kᵀs
// for a vector t.
type sweep[T dist.Float] struct {
	s, w, q []T
	ready   bool // s and q are ready for the reverse pass of the last solve
}

// iteration is Sinkhorn's iteration for one problem. It contains the iterates u^k and v^k. A Solver has one iteration for
// Solve, and one iteration for each problem of a group that it solves together. All iterations share the workspace.
//
//	v^k = b ⊘ Kᵀu^(k−1),   u^k = a ⊘ K v^k
//
// K, u and v are relative to the base potentials F and G, which are logarithms to base 2:
//
//	K_ij = 2^(F_i + G_j − c M_ij),   log₂ of the scalings = F + log₂u and G + log₂v.
//
// In the plain domain F = G = 0 (plain.go). If a scaling is outside its accurate range, the iteration computes potentials
// instead of scalings. They become the base potentials of the following iterations (logdomain.go).
type iteration[T dist.Float] struct {
	*workspace[T]
	instance[T]
	iterates[T]
	kernelCurrent bool        // the kernel contains the points or costs of this problem
	shape         gibbs.Shape // shape for which the vectors are allocated

	plan      plan[T]
	log       logDomain[T]
	tolerance float64 // tolerance of the settings or of a stage of ε-scaling
	shift     float64 // with penalties, a number added to log₂u and subtracted from log₂v; see unequal.go

	scaled     bool // q contains the column sums of the last iterate for the current base
	skip, wait int  // skip is the number of log-domain iterations before scalings are tried again; wait is the next value of skip

	res Result[T]
}

// plan is the transport plan diag(u) K diag(v). K, u and v are relative to the base potentials.
type plan[T dist.Float] struct{ u, v []T }

func newIteration[T dist.Float](ws *workspace[T]) iteration[T] {
	it := iteration[T]{workspace: ws, iterates: iterates[T]{ring: 2}}
	it.limits = limitsOf[T](ws.settings.Storage == StorageMixed)
	if ws.settings.Gradient {
		it.ring = ws.settings.Iterations + 1
	}
	return it
}

// scalingKind returns the kind of an iterate whose scalings are relative to the current base (see plainKind).
func (it *iteration[T]) scalingKind() int {
	if it.kernel.HasBase() {
		return it.log.basis
	}
	return plainKind
}

// setProblem checks and loads the problem p, and allocates the workspace. The caller must transpose the points
// (gibbs.Kernel.Transpose).
func (it *iteration[T]) setProblem(p *Problem[T]) error {
	kernel := &it.kernel
	if p.Cost.IsEmpty() {
		if p.X.IsEmpty() || p.Y.IsEmpty() {
			return fmt.Errorf("%w: the problem has neither a cost matrix nor two point clouds", ErrShape)
		}
		if p.X.Cols != p.Y.Cols {
			return fmt.Errorf("%w: points of X have %d dimensions, those of Y %d", ErrShape, p.X.Cols, p.Y.Cols)
		}
		if err := checkMatrix("X", p.X); err != nil {
			return err
		}
		if err := checkMatrix("Y", p.Y); err != nil {
			return err
		}
		kernel.SetPoints(p.X, p.Y)
	} else {
		if !p.X.IsEmpty() || !p.Y.IsEmpty() {
			return fmt.Errorf("%w: the problem has both a cost matrix and points; set one of them", ErrShape)
		}
		if err := checkMatrix("cost", p.Cost); err != nil {
			return err
		}
		kernel.SetCost(p.Cost)
	}
	lambda := p.Lambda
	if lambda == 0 {
		lambda = it.settings.Lambda
	}
	if !(lambda > 0) || math.IsInf(lambda, 1) {
		return fmt.Errorf("%w: λ is %v; set Problem.Lambda or Settings.Lambda to a positive, finite number", ErrSettings, lambda)
	}
	if !it.setLambda(lambda) {
		return fmt.Errorf("%w: λ is %v; λ·log₂e must not overflow", ErrRange, lambda)
	}
	if err := it.setPenalties(p, it.settings.Gradient); err != nil {
		return err
	}
	if err := checkStart(p, kernel.N()); err != nil {
		return err
	}
	it.problem = *p
	it.tolerance = it.settings.Tolerance
	it.centerStart()
	if err := it.allocate(); err != nil {
		return err
	}
	return it.setMarginals()
}

// setLambda sets λ. It reports whether λ·log₂e is in the range of T.
func (it *iteration[T]) setLambda(lambda float64) bool {
	it.instance.setLambda(lambda)
	return it.kernel.SetLambda(lambda)
}

// placeKernel loads the points or costs of this problem into the kernel again after another problem has used the kernel.
func (it *iteration[T]) placeKernel() {
	if it.kernelCurrent {
		return
	}
	kernel, p := &it.kernel, &it.problem
	if p.Cost.IsEmpty() {
		kernel.SetPoints(p.X, p.Y)
	} else {
		kernel.SetCost(p.Cost)
	}
	kernel.SetLambda(it.lambda)
	it.layOutKernel()
	kernel.Allocate()
	kernel.Transpose(context.Background()) // a small problem needs no cancellation
	it.kernelCurrent = true
}

// bytes returns the size of the workspace of the current problem, without the memory for gradients
// of points.
func (it *iteration[T]) bytes() float64 {
	kernel := &it.kernel
	vectors := 25. // for each direction
	if it.unequal {
		vectors += 5
	}
	if it.settings.Gradient {
		vectors += 2 * float64(it.settings.Iterations) // the reverse pass stores two terms of the gradient per iteration
	}
	points := float64(kernel.N()) + float64(kernel.Padded())
	bytes := kernel.Bytes() + it.ownBytes() + float64(vectors*points*float64(gibbs.ElementBytes[T]()))
	if it.accelerates() {
		bytes += float64(simplex.NodeBytes*points) + float64(sparseBytes*mostListed(kernel.Size())) + factorBytes(kernel)
	}
	return bytes
}

// ownBytes returns the part of the workspace size that the problems of a batch do not share.
func (it *iteration[T]) ownBytes() float64 {
	vectors := float64(it.ring) + 2
	return float64(vectors*(float64(it.kernel.N())+float64(it.kernel.Padded()))*float64(gibbs.ElementBytes[T]())) + float64(float64(it.ring)*float64(unsafe.Sizeof(it.kinds[0])))
}

// layOutKernel selects the storage of the kernel according to the settings.
func (it *iteration[T]) layOutKernel() {
	set := &it.settings
	free := set.Storage == StorageMatrixFree || set.Storage == StorageAuto && !it.kernel.Storable()
	it.kernel.LayOut(free, set.Storage == StorageMixed, set.Workers)
}

// allocate allocates the workspace, unless it would exceed the memory limit.
func (it *iteration[T]) allocate() error {
	kernel := &it.kernel
	if h := kernel.Shape(); h == it.shape && h == it.affordableShape && !it.unequal {
		return nil
	}
	it.shape = gibbs.Shape{}
	it.layOutKernel()
	it.allocatedBytes = it.bytes()
	if err := it.settings.checkMemory(it.allocatedBytes, "a problem of this size with these settings"); err != nil {
		return err
	}
	n, m := kernel.N(), kernel.M()
	kernel.Allocate()
	if len(it.a) != n || cap(it.a) < n {
		it.uniformA = 0
	}
	if len(it.b) != m || cap(it.b) < kernel.Padded() {
		it.uniformB = 0
	}
	gibbs.Grow(&it.a, n)
	kernel.GrowColumn(&it.b)
	it.iterates.grow(n, m, kernel.Padded())
	gibbs.Grow(&it.scratch, n)
	gibbs.Grow(&it.sweep.s, n)
	gibbs.Grow(&it.sweep.w, n)
	kernel.GrowColumn(&it.sweep.q)
	it.sweep.ready = false
	return nil
}

// setStart makes k the current iterate. It sets the row scaling u of iterate k to exp(start), or to 1 if start is nil.
func (it *iteration[T]) setStart(ctx context.Context, k int, start []T) error {
	kernel := &it.kernel
	it.res.Iterations, it.res.MarginalError, it.res.Status, it.res.Domain = k, math.NaN(), StatusCompleted, DomainPlain
	kernel.SetBase(nil, nil)
	kernel.Invalidate()
	it.sweep.ready = false
	it.shift = it.startShift
	scaled, err := it.beginIterate(k, start)
	it.scaled, it.skip, it.wait = scaled, 0, 1
	if err != nil || !scaled {
		return err
	}
	if err := kernel.Fill(ctx); err != nil {
		return err
	}
	return kernel.MulTrans(ctx, it.q, it.u(k))
}

// advance makes iterations up to the iteration with the number limit. It ends earlier if the marginal error reaches the
// tolerance, or if p is not nil and predicts too many iterations.
func (it *iteration[T]) advance(ctx context.Context, limit int, tolerance float64, p *pace) error {
	for k := it.res.Iterations + 1; k <= limit; k++ {
		if err := it.step(ctx, k); err != nil {
			return err
		}
		if it.recordIteration(k, limit, tolerance) || p != nil && p.isSlow(k, it.res.MarginalError, tolerance*it.mass) {
			break
		}
	}
	return nil
}

// step makes iteration k.
func (it *iteration[T]) step(ctx context.Context, k int) (err error) {
	ok, half := false, false
	if it.scaled && it.skip == 0 {
		if ok, half, err = it.scaledStep(ctx, k); ok || err != nil {
			return err
		}
	}
	if it.settings.Domain == DomainPlain {
		return errUnderflow
	}
	if err := it.logStep(ctx, k, half, it.scaled); err != nil {
		return err
	}
	switch {
	case half && it.kind(k-1) == potentialKind:
		it.skip, it.wait = it.wait, min(2*it.wait, 16) // u^k was out of range because the potentials still change a lot
	case it.skip > 0:
		it.skip--
	}
	it.scaled = true
	return nil
}

// recordIteration records iteration k and reports whether it is the last iteration.
func (it *iteration[T]) recordIteration(k, limit int, tolerance float64) bool {
	it.res.Iterations = k
	if tolerance == 0 && k < limit && !it.kernel.Large() {
		return false
	}
	v, potential := it.v(k), it.kind(k) == potentialKind
	var e float64
	for j, q := range it.q {
		if !potential {
			q = T(v[j] * q)
		}
		e += math.Abs(float64(q) - float64(it.b[j]))
	}
	it.res.MarginalError = e
	if tolerance > 0 {
		if it.res.Status != StatusLowPrecision {
			it.res.Status = StatusIterationLimit
		}
		if it.exceedsPlan(k) {
			return false
		}
		if e <= tolerance*it.mass {
			if it.res.Status != StatusLowPrecision {
				it.res.Status = StatusConverged
			}
			return true
		}
	}
	return false
}

// exceedsPlan reports whether iterate k is more accurate than its transport plan. With StorageMixed, the potentials come from
// exact log-sum-exps, but the plan contains K rounded to float32. With Settings.Gradient, exceedsPlan returns false, because
// finishIterate must not change an iterate that unrolled gradients use.
func (it *iteration[T]) exceedsPlan(k int) bool {
	return it.kernel.Mixed() && it.kind(k) == potentialKind && !it.settings.Gradient
}

// finishIterate replaces u of the last iterate by a ⊘ Kv if the iterate is more accurate than its plan (see exceedsPlan).
// This K is rounded to float32 like the K of the plan. The marginal error of the iterate then also holds for the plan.
func (it *iteration[T]) finishIterate(ctx context.Context) error {
	k := it.res.Iterations
	if !it.exceedsPlan(k) {
		return nil
	}
	if err := it.finalizePlan(ctx); err != nil {
		return err
	}
	if err := it.kernel.Iterate(ctx, it.plan.u, it.q, it.plan.v, it.a); err != nil {
		return err
	}
	if !it.isSafe(it.plan.u, it.a) {
		return nil
	}
	copy(it.u(k), it.plan.u)
	copy(it.v(k), it.plan.v)
	it.setKind(k, it.scalingKind())
	it.recordIteration(k, k, it.settings.Tolerance)
	return nil
}

// converged reports whether the marginal error has reached the tolerance.
func (it *iteration[T]) converged() bool {
	return it.res.MarginalError <= it.tolerance*it.mass
}

// accelerates reports whether slow iterations are replaced by a faster method.
func (it *iteration[T]) accelerates() bool {
	set := &it.settings
	return set.Tolerance > 0 && !set.Gradient && !set.Unaccelerated
}

// finalizePlan sets the plan to the last iterate. If the elements of K are stored, finalizePlan also computes K.
func (it *iteration[T]) finalizePlan(ctx context.Context) error {
	it.locatePlan()
	return it.kernel.Fill(ctx)
}

// locatePlan sets the plan to the last iterate without computing K.
func (it *iteration[T]) locatePlan() {
	k := it.res.Iterations
	it.plan = plan[T]{it.u(k), it.v(k)}
	switch it.kind(k) {
	case plainKind:
		it.kernel.SetBase(nil, nil)
		return
	case potentialKind:
		it.plan = it.log.ones
		unitScalings(it.plan.u, it.u(k))
		unitScalings(it.plan.v, it.v(k))
	}
	it.kernel.SetBase(it.log.f, it.log.g)
}

// beginSweep sets r = (K⊙M)v, where v is the column scaling of the plan. With Settings.Gradient, it also prepares the reverse pass.
func (it *iteration[T]) beginSweep(ctx context.Context, r []T) error {
	if err := it.finalizePlan(ctx); err != nil {
		return err
	}
	sw := &it.sweep
	if it.settings.Gradient {
		it.adjointWeights(sw.w, it.plan.u)
	}
	if err := it.kernel.BeginSweep(ctx, r, sw.s, sw.q, it.plan.u, it.plan.v, sw.w); err != nil {
		return err
	}
	sw.ready = true
	return nil
}

// costOf returns Σ_i u_i r_i.
func costOf[T dist.Float](u, r []T) (sum float64) {
	for i, r := range r {
		sum += float64(float64(u[i]) * float64(r))
	}
	return sum
}

// naturalPotentials sets dst to the natural logarithms of the scalings of an iterate, plus shift·ln 2. The arguments slot,
// kind and base are as in the function potentials.
func naturalPotentials[T dist.Float](dst, slot []T, kind int, base []T, shift float64) {
	for i, x := range slot {
		switch {
		case kind == plainKind && shift == 0:
			dst[i] = num.Log(x)
		case kind == plainKind:
			dst[i] = T((num.Log2(float64(x)) + shift) * math.Ln2)
		case kind == potentialKind:
			dst[i] = T((float64(x) + shift) * math.Ln2)
		default:
			dst[i] = T((num.Log2(float64(x)) + float64(base[i]) + shift) * math.Ln2)
		}
	}
}

// potentials sets dst to the potentials of an iterate, which are the base-2 logarithms of its scalings. The iterate is stored in
// slot. Depending on kind, slot contains potentials, scalings, or scalings relative to the base potentials.
func potentials[T dist.Float](dst, slot []T, kind int, base []T) {
	switch {
	case kind == potentialKind:
		copy(dst, slot)
	case kind == plainKind:
		for i, x := range slot {
			dst[i] = num.Log2(x)
		}
	default:
		for i, x := range slot {
			dst[i] = num.Log2(x) + base[i]
		}
	}
}

// unitScalings sets u to 1, or to 0 for points without weight, whose potential f is −∞.
func unitScalings[T dist.Float](u, f []T) {
	for i, f := range f {
		u[i] = 1
		if math.IsInf(float64(f), -1) {
			u[i] = 0
		}
	}
}

// entropyPart returns Σ_i weight_i (log x_i − log a_i) for the scalings x of an iterate. Depending on kind, slot contains
// potentials, scalings, or scalings relative to the potentials base.
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

func finite(x float64) bool { return x-x == 0 }
