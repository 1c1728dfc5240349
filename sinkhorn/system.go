package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
)

// The cost of a step is counted by sizes alone, in elements of K that a pass reads. NOTES.md has
// the times behind these numbers.
const (
	costListed  = 4       // of an element of a list, or of a product of two
	costVectors = 50      // of a column, for the vectors of a step
	costProduct = 0.125   // of a product of matrices
	costFactor  = 240     // products that an element of a factor takes besides
	costNear    = 1 << 18 // so many elements of K stay in the second-level cache, and cost a third
)

// system is the linear system
//
//	(diag(diag) − Tᵀ diag(1/rows) T) β = rhs,   T = diag(u) K diag(v),
//
// of Newton's steps and of the implicit gradient. Partial transport has one more row (partial.go). It is solved by conjugate gradients. Their
// product with the matrix is one pass over K, or over a list of the elements of T that matter.
// Their preconditioner is diag, or a factor of the matrix.
type system[T dist.Float] struct {
	*workspace[T]
	plan                plan[T] // T
	diag, rows          []T
	rhs, beta, z, d, sd []T
	mass                float64
	epsilon             T    // elements of T, scaled, below this are left out of a list and a factor
	free                bool // a constant added to β makes no difference
	common              []T  // t of partial transport: − t tᵀ/commonSum belongs to the matrix; nil if there is none
	commonSum           T
	sparse              sparse[T]
	direct              direct[T]
}

// allocate makes room for the vectors.
func (sys *system[T]) allocate() {
	for _, v := range []*[]T{&sys.rhs, &sys.beta, &sys.z, &sys.d, &sys.sd} {
		sys.kernel.GrowColumn(v)
	}
}

// set sets the system for a plan of an iteration.
func (sys *system[T]) set(it *iteration[T], t plan[T], diag, rows []T) {
	sys.plan, sys.diag, sys.rows = t, diag, rows
	sys.mass, sys.epsilon, sys.free, sys.common = it.mass, T(it.limits.epsilon), !it.unequal, nil
}

// conjugateGradients continues from β, of which rhs is the residual, until the squared residual
// is at most goal, an element of β exceeds radius, or most steps have been made. The residual is
// measured in the norm of 1/diag. It returns this square and the number of steps. It also ends where
// the square has not halved for more than stall steps: the rest is rounding.
func (sys *system[T]) conjugateGradients(ctx context.Context, goal, radius float64, most, stall int) (size float64, steps int, err error) {
	sys.weigh()
	// The residual is in rhs; z is the preconditioned one, d the direction.
	rho, size := sys.precondition()
	copy(sys.d, sys.z)
	best, since := size, 0
	for ; steps < most; steps++ {
		if !(size > goal) || since > stall {
			break
		}
		if err := sys.square(ctx); err != nil {
			return size, steps, err
		}
		var dsd float64
		for j, d := range sys.d {
			sys.sd[j] = T(sys.diag[j]*d) - sys.sd[j]
			dsd = num.FMA(float64(d), float64(sys.sd[j]), dsd)
		}
		if !(dsd > 0) {
			// The matrix is singular along d, to rounding. Parts of the plan that are not connected have
			// such directions: the dual is linear along them, up to the radius at least.
			if l := sys.reach(rho, radius); l > 0 {
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

// weigh sets w = u² ⊘ rows, and 0 where there is no row.
func (sys *system[T]) weigh() {
	for i, a := range sys.rows {
		sys.sweep.w[i] = 0
		if a > 0 {
			sys.sweep.w[i] = sys.plan.u[i] / a * sys.plan.u[i]
		}
	}
}

// reach returns how far a step along d may go so that it is of length radius. It returns 0 without a
// radius, and where the slope rho along d is rounding: a constant changes nothing in balanced problems.
func (sys *system[T]) reach(rho, radius float64) T {
	most := largest(sys.d)
	if math.IsInf(radius, 1) || !finite(most) || !(rho > float64(8*float64(sys.epsilon)*sys.mass*most)) {
		return 0
	}
	return T(radius / most)
}

// square sets sd = Tᵀ diag(1/rows) T d, and adds t tᵀd/Σt.
func (sys *system[T]) square(ctx context.Context) error {
	if err := sys.squareRows(ctx); err != nil || sys.common == nil {
		return err
	}
	var sum float64
	for j, t := range sys.common {
		sum = num.FMA(float64(t), float64(sys.d[j]), sum)
	}
	share := T(sum / float64(sys.commonSum))
	for j, t := range sys.common {
		sys.sd[j] = num.FMA(t, share, sys.sd[j])
	}
	return nil
}

// squareRows sets sd = Tᵀ diag(1/rows) T d.
func (sys *system[T]) squareRows(ctx context.Context) error {
	if sys.sparse.made {
		return sys.sparse.square(ctx, &sys.kernel, sys.sd, sys.d)
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

// precondition sets z to the preconditioned residual. It returns the scalar product of both, and
// the squared norm of the residual.
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
	sys.direct.apply(sys.z, sys.rhs)
	for j, z := range sys.z {
		rho = num.FMA(float64(sys.rhs[j]), float64(z), rho)
	}
	return rho, size
}

// largest returns max_j |β_j|, NaN if there is one.
func (sys *system[T]) largest() float64 { return largest(sys.beta) }

// largest returns the largest |x_j|, NaN if there is one.
func largest[T dist.Float](x []T) float64 {
	var most uint64 // as bits, of which those of a NaN are the largest
	for _, b := range x {
		most = max(most, math.Float64bits(float64(b))&^(1<<63))
	}
	return math.Float64frombits(most)
}

// stepCost returns the cost of a step of conjugate gradients, and how much of a pass it counts.
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

// factorCost returns the cost of a factor.
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
