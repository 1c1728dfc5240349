package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
)

// These constants estimate the cost of a conjugate gradient step from the sizes of the problem. The unit is the time that a
// pass over K takes for one element. NOTES.md contains the measured times.
const (
	costListed  = 4       // cost of an element of the sparse list, or of a product of two such elements
	costVectors = 50      // cost of the vector operations of a step, for each column
	costProduct = 0.125   // cost of a multiply-add in a matrix product
	costFactor  = 240     // overhead of each element of a Cholesky factor, as a number of multiply-adds
	costNear    = 1 << 18 // if K has at most costNear elements, K stays in the L2 cache, and a pass takes a third of the time per element
)

// system is the linear system
//
//	(C − Tᵀ diag(1/rows) T) β = rhs,   T = diag(u) K diag(v),
//
// of Newton's steps and of the implicit gradient. C is the diagonal matrix with the elements of the field diag. In partial
// transport, T has one more row (partial.go). The system is solved by conjugate gradients. A product with the matrix takes one
// pass over K, or over a list of the relevant elements of T. The preconditioner is C, or a factor of the matrix.
type system[T dist.Float] struct {
	*workspace[T]
	plan                plan[T] // T
	diag, rows          []T
	rhs, beta, z, d, sd []T
	mass                float64
	epsilon             T    // elements of S (sparse.go) below epsilon count as 0 in a list or a factorization
	shiftInvariant      bool // the matrix times a constant vector is 0
	commonRow           []T  // in partial transport, a vector t: the matrix of the system contains the term −t tᵀ/commonRowSum; otherwise nil
	commonRowSum        T
	sparse              sparse[T]
	direct              direct[T]
}

func (sys *system[T]) allocate() {
	for _, v := range []*[]T{&sys.rhs, &sys.beta, &sys.z, &sys.d, &sys.sd} {
		sys.kernel.GrowColumn(v)
	}
}

// setup initializes the system for the plan t of an iteration.
func (sys *system[T]) setup(it *iteration[T], t plan[T], diag, rows []T) {
	sys.plan, sys.diag, sys.rows = t, diag, rows
	sys.mass, sys.epsilon, sys.shiftInvariant, sys.commonRow = it.mass, T(it.limits.epsilon), !it.unequal, nil
}

// conjugateGradients continues from β, whose residual is rhs. It ends when the squared residual is at most goal, when an element
// of β exceeds radius, or after maxSteps steps. It also ends if the squared residual has not halved for more than stall steps,
// because the remaining residual is rounding error. The squared residual is Σ_j rhs_j²/diag_j. conjugateGradients returns the
// squared residual and the number of steps.
func (sys *system[T]) conjugateGradients(ctx context.Context, goal, radius float64, maxSteps, stall int) (size float64, steps int, err error) {
	sys.setRowWeights()
	// rhs contains the residual, z contains the preconditioned residual, and d is the direction.
	rho, size := sys.precondition()
	copy(sys.d, sys.z)
	best, since := size, 0
	for ; steps < maxSteps; steps++ {
		if !(size > goal) || since > stall {
			break
		}
		if err := sys.multiply(ctx); err != nil {
			return size, steps, err
		}
		var dsd float64
		for j, d := range sys.d {
			sys.sd[j] = T(sys.diag[j]*d) - sys.sd[j]
			dsd = num.FMA(float64(d), float64(sys.sd[j]), dsd)
		}
		if !(dsd > 0) {
			// The product of the matrix and d is 0, up to rounding. This happens if the plan has disconnected parts. The dual
			// is then linear along d, at least within the radius, so the step ends at the radius.
			if l := sys.stepToRadius(rho, radius); l > 0 {
				for j, d := range sys.d {
					sys.beta[j] = num.FMA(l, d, sys.beta[j])
				}
				steps++
			}
			break
		}
		step := T(rho / dsd)
		for j, d := range sys.d {
			sys.beta[j] = num.FMA(step, d, sys.beta[j])
			sys.rhs[j] = num.FMA(-step, sys.sd[j], sys.rhs[j])
		}
		before := rho
		rho, size = sys.precondition()
		ratio := T(rho / before)
		if since++; size < best/2 {
			best, since = size, 0
		}
		if !math.IsInf(radius, 1) && sys.largest() > radius {
			return size, steps + 1, nil
		}
		for j, z := range sys.z {
			sys.d[j] = num.FMA(ratio, sys.d[j], z)
		}
	}
	return size, steps, nil
}

// setRowWeights sets w = u² ⊘ rows, and 0 where rows is 0.
func (sys *system[T]) setRowWeights() {
	for i, a := range sys.rows {
		sys.sweep.w[i] = 0
		if a > 0 {
			sys.sweep.w[i] = sys.plan.u[i] / a * sys.plan.u[i]
		}
	}
}

// stepToRadius returns the factor t for which the largest magnitude of t·d is the radius. It returns 0 if the radius is
// infinite, or if the slope rho along d is only a rounding error. In balanced problems, the slope is a rounding error if all
// elements of d are equal.
func (sys *system[T]) stepToRadius(rho, radius float64) T {
	most := largest(sys.d)
	if math.IsInf(radius, 1) || !finite(most) || !(rho > float64(8*float64(sys.epsilon)*sys.mass*most)) {
		return 0
	}
	return T(radius / most)
}

// multiply sets sd to Tᵀ diag(1/rows) T d + t tᵀd/Σt, where sd, rows and d are fields of sys. The last term exists only in
// partial transport, where t is the field commonRow.
func (sys *system[T]) multiply(ctx context.Context) error {
	if err := sys.multiplyRows(ctx); err != nil || sys.commonRow == nil {
		return err
	}
	var sum float64
	for j, t := range sys.commonRow {
		sum = num.FMA(float64(t), float64(sys.d[j]), sum)
	}
	share := T(sum / float64(sys.commonRowSum))
	for j, t := range sys.commonRow {
		sys.sd[j] = num.FMA(t, share, sys.sd[j])
	}
	return nil
}

// multiplyRows computes the vector Tᵀ diag(1/rows) T d and stores it in the field sd.
func (sys *system[T]) multiplyRows(ctx context.Context) error {
	if sys.sparse.made {
		return sys.sparse.multiply(ctx, &sys.kernel, sys.sd, sys.d)
	}
	for j, v := range sys.plan.v {
		sys.z[j] = v * sys.d[j]
	}
	err := sys.kernel.Sweep(ctx, sys.sweep.s, sys.sd, sys.z, sys.sweep.w)
	for j, v := range sys.plan.v {
		sys.sd[j] *= v
	}
	return err
}

// precondition sets z to the preconditioned residual. It returns the inner product of z and the
// residual, and the squared norm of the residual.
func (sys *system[T]) precondition() (rho, size float64) {
	for j, b := range sys.diag {
		sys.z[j] = 0
		if b > 0 {
			sys.z[j] = sys.rhs[j] / b
		}
		size = num.FMA(float64(sys.rhs[j]), float64(sys.z[j]), size)
	}
	if !sys.direct.made {
		return size, size
	}
	sys.direct.precondition(sys.z, sys.rhs)
	for j, z := range sys.z {
		rho = num.FMA(float64(sys.rhs[j]), float64(z), rho)
	}
	return rho, size
}

// largest returns max_j |β_j|, or NaN if β contains NaN.
func (sys *system[T]) largest() float64 { return largest(sys.beta) }

// largest returns the largest |x_j|, or NaN if x contains NaN.
func largest[T dist.Float](x []T) float64 {
	var most uint64 // compared as bits, which are largest for NaN
	for _, b := range x {
		most = max(most, math.Float64bits(float64(b))&^(1<<63))
	}
	return math.Float64frombits(most)
}

// stepCost returns the cost of a conjugate gradient step, and the amount that a step adds to the iteration count. The amount may
// be less than 1.
func (sys *system[T]) stepCost() (cost, share float64) {
	m, elements := float64(sys.kernel.M()), float64(max(1, sys.sparse.count.Load()))
	cost, share = sys.passCost(), 1
	if sys.sparse.made {
		cost, share = float64(costListed*elements), elements/sys.kernel.Size()
	}
	if sys.direct.made {
		cost, share = cost+float64(sys.passCost()*m/float64(sys.kernel.N())), 1
	}
	return num.FMA(costVectors, m, cost), share
}

// passCost returns the cost of a pass over K.
func (sys *system[T]) passCost() float64 {
	size := sys.kernel.Size()
	if size <= costNear {
		return size / 3
	}
	return size
}

// factorCost returns the cost of computing a Cholesky factor, in the same unit as costListed.
func (sys *system[T]) factorCost() float64 {
	n, m, sp := float64(sys.kernel.N()), float64(sys.kernel.M()), &sys.sparse
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
