// Package matrix has the operations on matrices that the library needs besides those of
// package dist: products, transposes, exponentials, and distances to a matrix that is
// transposed already.
//
// The destination comes first. Every operation panics if shapes do not match, if a matrix
// does not fit its data, or if the destination overlaps an operand. Nothing here allocates.
// Results are the same bits at every level.
package matrix

import (
	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Matrix is dist.Matrix.
type Matrix[T num.Float] = dist.Matrix[T]

// New returns a rows × cols matrix over data, which is allocated if it is nil. It panics if
// a size is negative or data has another length than rows·cols.
func New[T num.Float](rows, cols int, data []T) Matrix[T] { return dist.NewMatrix(rows, cols, data) }

// OfRow returns x as a matrix of one row.
func OfRow[T num.Float](x []T) Matrix[T] {
	return Matrix[T]{Rows: 1, Cols: len(x), Stride: len(x), Data: x}
}

// Overlap reports whether a and b, which must fit their data, have an element in common.
// Columns of one matrix beside each other do not overlap. If their strides differ, it
// reports whether the memory that they span overlaps.
func Overlap[T num.Float](a, b Matrix[T]) bool { return asm.Overlap(view(&a), view(&b)) }

func view[T num.Float](m *Matrix[T]) *asm.View[T] { return (*asm.View[T])(m) }

// checkOperands panics unless all three fit their data and dst overlaps neither of
// the others.
func checkOperands[T num.Float](dst, a, b *Matrix[T]) {
	asm.CheckOperands(view(dst), view(a), view(b))
}
