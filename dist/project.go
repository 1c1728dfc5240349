package dist

import (
	"fmt"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/project"
)

// Project sets dst_il = offset_l + Σ_k x_ik p_kl, the projections (n × c) of the rows of x (n × d)
// by a projection p (d × c) with one column for each component. A nil offset means 0; otherwise it
// must have c elements. To subtract a mean from the rows first, pass −mean·p.
//
// An element of dst is one chain of fused multiply-adds over ascending k that begins with the offset.
// With u = 2⁻⁵³ for float64 and u = 2⁻²⁴ for float32, the error of an element is at most about (d+1)·u
// times |offset_l| + Σ_k |x_ik p_kl|. An element depends only on its row of x and its column of p. NaN
// and infinities propagate as in IEEE 754 arithmetic.
//
// Project is optimized for few components, up to some dozens, and an x much larger than p. It does
// not allocate. It panics if shapes do not match, if a matrix does not fit its data, or if dst
// overlaps x, p or offset.
//
// The Transform method of a wda.Model computes the same products in float64. Project returns the
// same bits if offset is the result of TransformVec for a row of zeros, and p is the Projection of
// the model.
func Project[T Float](dst, x, p Matrix[T], offset []T) {
	if dst.Rows != x.Rows || dst.Cols != p.Cols || x.Cols != p.Rows {
		panic(fmt.Sprintf("%s: dst is %d × %d, x %d × %d, p %d × %d", asm.ShapePanic, dst.Rows, dst.Cols, x.Rows, x.Cols, p.Rows, p.Cols))
	}
	asm.CheckOperands((*asm.View[T])(&dst), (*asm.View[T])(&x), (*asm.View[T])(&p))
	if offset != nil {
		if len(offset) != dst.Cols {
			panic(fmt.Sprintf("%s: dst has %d columns, offset %d elements", asm.ShapePanic, dst.Cols, len(offset)))
		}
		asm.CheckOverlap((*asm.View[T])(&dst), &asm.View[T]{Rows: 1, Cols: len(offset), Stride: len(offset), Data: offset})
		if dst.IsEmpty() {
			return // stop here, because a matrix without columns can have any number of rows
		}
		for i := range dst.Rows {
			copy(dst.Row(i), offset)
		}
	}
	project.Mul(x.Rows, p.Cols, x.Cols, dst.Data, dst.Stride, x.Data, x.Stride, p.Data, p.Stride, offset != nil)
}
