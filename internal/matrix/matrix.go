// Package matrix implements operations on matrices that package dist does not export: products,
// transposes, exponentials, and distances to a transposed matrix.
//
// The destination comes first. Every operation panics if shapes do not match, if a matrix does not
// fit its data, or if the destination overlaps an operand. Operations do not allocate. Results have
// the same bits on every machine.
package matrix

import (
	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Matrix is dist.Matrix.
type Matrix[T num.Float] = dist.Matrix[T]

// New returns a rows × cols matrix with the elements data. If data is nil, New allocates the
// elements. It panics if a size is negative or if len(data) is not rows·cols.
func New[T num.Float](rows, cols int, data []T) Matrix[T] { return dist.NewMatrix(rows, cols, data) }

// OfRow returns x as a matrix of one row.
func OfRow[T num.Float](x []T) Matrix[T] {
	return Matrix[T]{Rows: 1, Cols: len(x), Stride: len(x), Data: x}
}

// Overlap reports whether a and b have an element in common. Both matrices must fit their data.
// Adjacent column ranges of one matrix do not overlap. If the strides differ, Overlap reports
// whether the memory ranges overlap.
func Overlap[T num.Float](a, b Matrix[T]) bool { return asm.Overlap(view(&a), view(&b)) }

func view[T num.Float](m *Matrix[T]) *asm.View[T] { return (*asm.View[T])(m) }

// checkOperands panics unless all three matrices fit their data and dst overlaps neither a nor b.
func checkOperands[T num.Float](dst, a, b *Matrix[T]) {
	asm.CheckOperands(view(dst), view(a), view(b))
}
