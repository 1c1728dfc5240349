package matrix

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/distance"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/gram"
	"github.com/gomonge/monge/internal/asm/num"
)

// SqEuclideanTrans is like dist.SqEuclidean, but takes the transpose of z (d × m).
func SqEuclideanTrans[T num.Float](dst, x, zt Matrix[T]) {
	checkTrans(dst, x, zt)
	if x.Cols >= gram.Features {
		gram.SqEuclideanTrans(dst.Rows, dst.Cols, x.Cols, dst.Data, dst.Stride, x.Data, x.Stride, zt.Data, zt.Stride)
		return
	}
	distance.SqEuclidean(dst.Rows, dst.Cols, x.Cols, dst.Data, dst.Stride, x.Data, x.Stride, zt.Data, zt.Stride, false)
}

// GibbsTrans sets k_ij = 2^(c·‖x_i − z_j‖²), where z_j is column j of zt (d × m). It also sets
// dist_ij to the squared distance unless dist is the zero Matrix. With c = exp.Bits(λ), k is the
// Gibbs kernel for λ.
func GibbsTrans[T num.Float](k, dist, x, zt Matrix[T], c T) {
	keep := dist.Data != nil
	if x.Cols >= gram.Features {
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
		asm.CheckOverlap(view(&dist), view(&k))
	}
	distance.Gibbs(k.Rows, k.Cols, x.Cols, k.Data, k.Stride, dist.Data, dist.Stride, x.Data, x.Stride, zt.Data, zt.Stride, c)
}

// Exp2 sets dst_ij = 2^(c·x_ij). Values below the least normal number become +0. dst may be x
// itself, but must not partially overlap x.
func Exp2[T num.Float](dst, x Matrix[T], c T) {
	if dst.Rows != x.Rows || dst.Cols != x.Cols {
		panic(asm.ShapePanic)
	}
	dst.Check()
	x.Check()
	if dst.IsEmpty() {
		return
	}
	if &dst.Data[0] != &x.Data[0] || dst.Stride != x.Stride {
		asm.CheckOverlap(view(&dst), view(&x))
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

// Exp sets dst_i = exp(x_i) with an error of at most one unit in the last place over the whole
// range. dst may be x.
func Exp[T num.Float](dst, x []T) {
	if len(dst) != len(x) {
		panic(asm.ShapePanic)
	}
	exp.Exp(dst, x)
}

// checkTrans panics unless dst has the shape of the distances between the rows of x and the columns
// of zt.
func checkTrans[T num.Float](dst, x, zt Matrix[T]) {
	if x.Cols != zt.Rows || dst.Rows != x.Rows || dst.Cols != zt.Cols {
		panic(asm.ShapePanic)
	}
	checkOperands(&dst, &x, &zt)
}
