package dist

import (
	"fmt"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/project"
)

// Project sets dst_il = offset_l + Σ_k x_ik p_kl, the projections (n × c) of the rows of x (n × d) by a
// projection p (d × c) that has a column for each component. A nil offset is 0; any other has
// c elements. To subtract a mean from the rows first, pass −mean·p.
//
// An element is one chain of fused multiply-adds that begins with its offset, k ascending. Its
// error is at most about (d+1)·2⁻⁵³ (2⁻²⁴ in float32) times |offset_l| + Σ_k |x_ik p_kl|. It depends
// on its row of x and its column of p alone. NaN and infinities follow the arithmetic.
//
// Project is made for few components, up to some dozens, where x is much larger than p. It
// allocates nothing. It panics if shapes do not match, if a matrix does not fit its data, or if
// dst overlaps x, p or offset.
//
// The Transform method of a wda.Model makes the same products in float64: with offset the
// projection of a row of zeros by TransformVec, and with p the Projection of the model, Project
// returns the same bits.
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
			return // rows without columns may be any number
		}
		for i := range dst.Rows {
			copy(dst.Row(i), offset)
		}
	}
	project.Mul(x.Rows, p.Cols, x.Cols, dst.Data, dst.Stride, x.Data, x.Stride, p.Data, p.Stride, offset != nil)
}
