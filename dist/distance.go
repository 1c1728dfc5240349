package dist

import (
	"fmt"
	"math"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/distance"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/gram"
	"github.com/gomonge/monge/internal/asm/num"
)

const lambdaPanic = "dist: λ is negative or not finite"

// SqEuclidean sets dst_ij = ‖x_i − z_j‖², the n × m matrix of squared Euclidean distances between
// the rows of x (n × d) and of z (m × d).
//
// Let u be 2⁻⁵³ for float64 and 2⁻²⁴ for float32. With fewer than 64 features (d < 64), SqEuclidean
// sums the squares of the differences x_ik − z_jk. The relative error is at most (d+2)·u. With 64 or
// more features, SqEuclidean computes ‖x_i‖² + ‖z_j‖² − 2x_i·z_j as a matrix product, and uses the
// differences only for close pairs: pairs whose distance is less than 1/16 of ‖x_i‖² + ‖z_j‖². The
// relative error is at most 50·(d+2)·u. If all rows are far from the origin and close to each other,
// the call takes about twice the usual time; centered data avoid this. If z is x, only half of the
// distances are computed.
//
// A distance depends only on its two rows. It is symmetric, never negative, and exactly 0 for equal
// rows. A square or sum that overflows is +Inf. If x and z are finite, no distance is NaN, and only
// overflow gives +Inf. A square that underflows adds at most the smallest positive number to the
// error. dst must not overlap x or z.
func SqEuclidean[T Float](dst, x, z Matrix[T]) {
	checkPair(dst, x, z)
	d := x.Cols
	if !dst.IsEmpty() && d >= gram.Features {
		gram.SqEuclidean(dst.Rows, dst.Cols, d, dst.Data, dst.Stride, x.Data, x.Stride, z.Data, z.Stride)
		return
	}
	if dst.IsEmpty() || d == 0 {
		distance.SqEuclidean(dst.Rows, dst.Cols, 0, dst.Data, dst.Stride, nil, 0, nil, 0, false)
		return
	}
	// Transpose z in panels that fit in the second-level cache.
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

// Gibbs sets dst_ij = exp(−λ ‖x_i − z_j‖²), the Gibbs kernel of the rows of x (n × d) and of z (m ×
// d). λ must be finite and not negative; otherwise Gibbs panics.
//
// λ multiplies the squared distance; the regularization ε of other libraries is 1/λ. Values below
// the least normal number are +0. With y = λ‖x_i − z_j‖² the relative error is at most about (d +
// 3)·y + 1 units in the last place, and about 50·(d + 3)·y + 1 for d ≥ 64. A λ below the least
// normal number has few significant bits, and increases the error by up to 3 units. For finite
// samples all values are in [0, 1]. If a distance overflows, the value is 0, or 1 for λ = 0. dst
// must not overlap x or z.
func Gibbs[T Float](dst, x, z Matrix[T], lambda T) {
	if !(lambda >= 0 && float64(lambda) <= largestNumber[T]()) {
		panic(lambdaPanic)
	}
	checkPair(dst, x, z)
	c, d := exp.Bits(lambda), x.Cols
	switch {
	case dst.IsEmpty():
		return
	case lambda == 0:
		fill(dst, 1) // avoids 0·∞ = NaN if a distance overflows
		return
	case float64(-c) > largestNumber[T]():
		// −λ·log₂e overflows T, and −∞·0 would be NaN. Double the distances and use λ/2, because
		// half of −λ·log₂e does not overflow.
		SqEuclidean(dst, x, z)
		for i := range dst.Rows {
			row := dst.Row(i)
			for j := range row {
				row[j] *= 2
			}
		}
		exp2All(dst, exp.Bits(lambda/2))
		return
	case d == 0 || d >= gram.Features:
		SqEuclidean(dst, x, z)
		exp2All(dst, c)
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

// exp2All sets m_ij = 2^(c·m_ij).
func exp2All[T Float](m Matrix[T], c T) {
	if m.Stride == m.Cols {
		n := m.Rows * m.Cols
		exp.Exp2(m.Data[:n], m.Data[:n], c)
		return
	}
	for i := range m.Rows {
		exp.Exp2(m.Row(i), m.Row(i), c)
	}
}

// largestNumber returns the largest number of T.
func largestNumber[T Float]() float64 {
	if num.IsFloat64[T]() {
		return math.MaxFloat64
	}
	return math.MaxFloat32
}

func fill[T Float](dst Matrix[T], v T) {
	for i := range dst.Rows {
		row := dst.Row(i)
		for j := range row {
			row[j] = v
		}
	}
}

// checkPair panics unless dst has the shape of the distances between the rows of x and of z.
func checkPair[T Float](dst, x, z Matrix[T]) {
	if x.Cols != z.Cols || dst.Rows != x.Rows || dst.Cols != z.Rows {
		panic(fmt.Sprintf("%s: dst is %d × %d, x %d × %d, z %d × %d", asm.ShapePanic, dst.Rows, dst.Cols, x.Rows, x.Cols, z.Rows, z.Cols))
	}
	asm.CheckOperands((*asm.View[T])(&dst), (*asm.View[T])(&x), (*asm.View[T])(&z))
}
