// Package dist computes squared Euclidean distances, Gibbs kernels and projections
// of point clouds, in float64 and float32, with the kernels of the machine it runs
// on. Rows are samples. The answers are the same bits on every machine.
//
// Nothing here allocates in the long run: the one buffer that distances need is
// taken from a pool. Shapes that do not fit panic, as in gonum.
package dist

import (
	"math"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/exp2"
	"github.com/gomonge/monge/internal/asm/gibbs"
	"github.com/gomonge/monge/internal/asm/project"
	"github.com/gomonge/monge/internal/asm/sqdist"
)

// Float is the element type of everything in this module.
type Float interface{ float32 | float64 }

const (
	shapePanic  = "dist: shapes do not match"
	stridePanic = "dist: matrix does not fit its data"
)

// SqEuclidean sets dst_ij = ‖x_i − z_j‖², the n × m matrix of squared Euclidean
// distances between the rows of x (n × d) and of z (m × d).
//
// It sums direct differences: the result is never negative, exactly 0 for equal
// rows, and has a relative error of at most (d+2)·2⁻⁵³ (2⁻²⁴ in float32). dst must
// not overlap x or z.
func SqEuclidean[T Float](dst, x, z Matrix[T]) {
	sqEuclidean(asm.Best(), dst, x, z)
}

func sqEuclidean[T Float](lv asm.Level, dst, x, z Matrix[T]) {
	checkPair(dst, x, z)
	d := x.Cols
	if d == 0 {
		sqdist.Block(lv, dst.Rows, dst.Cols, 0, dst.Data, dst.Stride, nil, 0, nil, 0, false)
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
			sqdist.Block(lv, dst.Rows, w, kc, dst.Data[j:], dst.Stride, x.Data[k:], x.Stride, zt, w, k > 0)
		}
	}
}

// Gibbs sets dst_ij = exp(−λ ‖x_i − z_j‖²), the Gibbs kernel of the rows of x
// (n × d) and of z (m × d).
//
// λ multiplies the squared distance; a regularization ε of other libraries is 1/λ.
// Values below the least normal number are +0. With y = λ‖x_i − z_j‖² the relative
// error is at most about (d + 3)·y + 1 units in the last place. dst must not
// overlap x or z.
func Gibbs[T Float](dst, x, z Matrix[T], lambda T) {
	gibbsKernel(asm.Best(), dst, x, z, lambda)
}

// fusedDepth is the number of features up to which a distance is summed in
// registers right before its exponential; beyond it the blocks of SqEuclidean are
// faster, and an exponential is nothing beside the sum.
const fusedDepth = 64

func gibbsKernel[T Float](lv asm.Level, dst, x, z Matrix[T], lambda T) {
	checkPair(dst, x, z)
	c, d := Bits(lambda), x.Cols
	if d == 0 || d > fusedDepth {
		sqEuclidean(lv, dst, x, z)
		for i := range dst.Rows {
			exp2.Scale(lv, dst.Row(i), dst.Row(i), c)
		}
		return
	}
	buf := borrowPanel[T]()
	defer returnPanel(buf)
	_, width := panelShape[T](d, dst.Cols)
	for j := 0; j < dst.Cols; j += width {
		w := min(width, dst.Cols-j)
		zt := buf.transpose(z, j, w, 0, d)
		gibbs.Block(lv, dst.Rows, w, d, dst.Data[j:], dst.Stride, nil, 0, x.Data, x.Stride, zt, w, c)
	}
}

// Bits returns −λ·log₂e rounded once, the factor that turns a cost M into the
// exponent of 2 in exp(−λM) = 2^(Bits(λ)·M).
func Bits[T Float](lambda T) T {
	return T(-float64(lambda) * math.Log2E)
}

// Exp sets dst_i = exp(x_i) with an error of at most one unit in the last place,
// over the whole range. dst may be x. It panics if dst is shorter than x.
func Exp[T Float](dst, x []T) { exp.Exp(asm.Best(), dst, x) }

// Project sets dst = X·P, the projection of the rows of x (n × d) by p (d × k).
// Every element is one chain of fused multiply-adds. dst must not overlap x or p.
func Project[T Float](dst, x, p Matrix[T]) {
	dst.check()
	x.check()
	p.check()
	if x.Cols != p.Rows || dst.Rows != x.Rows || dst.Cols != p.Cols {
		panic(shapePanic)
	}
	project.Mul(asm.Best(), x.Rows, p.Cols, x.Cols, dst.Data, dst.Stride, x.Data, x.Stride, p.Data, p.Stride, false)
}

func checkPair[T Float](dst, x, z Matrix[T]) {
	dst.check()
	x.check()
	z.check()
	if x.Cols != z.Cols || dst.Rows != x.Rows || dst.Cols != z.Rows {
		panic(shapePanic)
	}
}
