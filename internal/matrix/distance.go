package matrix

import (
	"math"

	"github.com/gomonge/monge/internal/asm/distance"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
)

// SqEuclidean sets dst_ij = ‖x_i − z_j‖²: dst n × m, the rows of x n × d and of z m × d.
// It sums direct differences, one chain of FMAs, k ascending.
func SqEuclidean[T num.Float](dst, x, z Matrix[T]) {
	checkPair(dst, x, z)
	d := x.Cols
	if dst.IsEmpty() || d == 0 {
		distance.SqEuclidean(dst.Rows, dst.Cols, 0, dst.Data, dst.Stride, nil, 0, nil, 0, false)
		return
	}
	// z is transposed panel by panel, so that the kernel streams through a piece of
	// it that stays in the second-level cache.
	buf := borrowPanel[T]()
	defer returnPanel(buf)
	depth, width := panelShape[T](d, dst.Cols)
	for k := 0; k < d; k += depth {
		kc := min(depth, d-k)
		for j := 0; j < dst.Cols; j += width {
			w := min(width, dst.Cols-j)
			zt := buf.transpose(z, j, w, k, kc)
			distance.SqEuclidean(dst.Rows, w, kc, dst.Data[j:], dst.Stride, x.Data[k:], x.Stride, zt, w, k > 0)
		}
	}
}

// SqEuclideanTrans is SqEuclidean for a z that is there transposed, d × m, as those keep it who
// use it again and again.
func SqEuclideanTrans[T num.Float](dst, x, zt Matrix[T]) {
	checkTrans(dst, x, zt)
	distance.SqEuclidean(dst.Rows, dst.Cols, x.Cols, dst.Data, dst.Stride, x.Data, x.Stride, zt.Data, zt.Stride, false)
}

// Gibbs sets dst_ij = exp(−λ‖x_i − z_j‖²) for finite λ ≥ 0, and panics for any other.
// For finite x and z no element is NaN or infinite.
func Gibbs[T num.Float](dst, x, z Matrix[T], lambda T) {
	if !(lambda >= 0 && float64(lambda) <= largest[T]()) {
		panic(lambdaPanic)
	}
	checkPair(dst, x, z)
	c, d := Bits(lambda), x.Cols
	switch {
	case dst.IsEmpty():
		return
	case lambda == 0:
		fill(dst, 1) // where a distance overflows, 0·∞ would be NaN
		return
	case float64(-c) > largest[T]():
		// −λ·log₂e is beyond T, where −∞·0 would be NaN, but half of it is not.
		SqEuclidean(dst, x, z)
		for i := range dst.Rows {
			row := dst.Row(i)
			for j := range row {
				row[j] *= 2
			}
		}
		Exp2(dst, dst, Bits(lambda/2))
		return
	case d == 0 || d > fusedDepth:
		SqEuclidean(dst, x, z)
		Exp2(dst, dst, c)
		return
	}
	buf := borrowPanel[T]()
	defer returnPanel(buf)
	_, width := panelShape[T](d, dst.Cols)
	for j := 0; j < dst.Cols; j += width {
		w := min(width, dst.Cols-j)
		zt := buf.transpose(z, j, w, 0, d)
		distance.Gibbs(dst.Rows, w, d, dst.Data[j:], dst.Stride, nil, 0, x.Data, x.Stride, zt, w, c)
	}
}

// fusedDepth is the number of features up to which a distance is summed in
// registers right before its exponential; beyond it the blocks of SqEuclidean are faster,
// and an exponential is nothing beside the sum.
const fusedDepth = 64

// GibbsTrans sets k_ij = 2^(c·‖x_i − z_j‖²) for a z that is there transposed, d × m,
// and, unless dist is the zero Matrix, dist_ij to the distance squared. c = [Bits](λ)
// makes it the Gibbs kernel of λ.
func GibbsTrans[T num.Float](k, dist, x, zt Matrix[T], c T) {
	keep := dist.Data != nil
	if x.Cols > fusedDepth {
		if !keep {
			dist = k
		}
		SqEuclideanTrans(dist, x, zt)
		Exp2(k, dist, c)
		return
	}
	checkTrans(k, x, zt)
	if keep {
		checkTrans(dist, x, zt)
		checkOverlap(&dist, &k)
	}
	distance.Gibbs(k.Rows, k.Cols, x.Cols, k.Data, k.Stride, dist.Data, dist.Stride, x.Data, x.Stride, zt.Data, zt.Stride, c)
}

// Exp2 sets dst_ij = 2^(c·x_ij), values below the least normal number to +0. dst may
// be x; otherwise they must not overlap.
func Exp2[T num.Float](dst, x Matrix[T], c T) {
	if dst.Rows != x.Rows || dst.Cols != x.Cols {
		panic(shapePanic)
	}
	dst.Check()
	x.Check()
	if dst.IsEmpty() {
		return
	}
	if &dst.Data[0] != &x.Data[0] || dst.Stride != x.Stride {
		checkOverlap(&dst, &x)
	}
	switch {
	case dst.Stride == dst.Cols && x.Stride == x.Cols:
		n := dst.Rows * dst.Cols
		exp.Exp2(dst.Data[:n], x.Data[:n], c)
	default:
		for i := range dst.Rows {
			exp.Exp2(dst.Row(i), x.Row(i), c)
		}
	}
}

// Exp sets dst_i = exp(x_i) with an error of at most one unit in the last place, over
// the whole range. dst may be x.
func Exp[T num.Float](dst, x []T) {
	if len(dst) != len(x) {
		panic(shapePanic)
	}
	exp.Exp(dst, x)
}

// Bits returns −λ·log₂e rounded once, the factor that turns a cost M into the
// exponent of 2 in exp(−λM) = 2^(Bits(λ)·M). It is −Inf for a λ above 0.69 of the
// largest number.
func Bits[T num.Float](lambda T) T {
	return T(-float64(lambda) * math.Log2E)
}

// lambdaPanic is for a λ that is no regularization.
const lambdaPanic = "dist: λ is negative or not finite"

// largest returns the largest number of T.
func largest[T num.Float]() float64 {
	if num.IsFloat64[T]() {
		return math.MaxFloat64
	}
	return math.MaxFloat32
}

func fill[T num.Float](dst Matrix[T], v T) {
	for i := range dst.Rows {
		row := dst.Row(i)
		for j := range row {
			row[j] = v
		}
	}
}

// checkPair panics unless dst is for the distances between the rows of x and of z.
func checkPair[T num.Float](dst, x, z Matrix[T]) {
	if x.Cols != z.Cols || dst.Rows != x.Rows || dst.Cols != z.Rows {
		panic(shapePanic)
	}
	checkOperands(&dst, &x, &z)
}

// checkTrans is checkPair for a transposed z.
func checkTrans[T num.Float](dst, x, zt Matrix[T]) {
	if x.Cols != zt.Rows || dst.Rows != x.Rows || dst.Cols != zt.Cols {
		panic(shapePanic)
	}
	checkOperands(&dst, &x, &zt)
}
