// Package matrix is the layer between the kernels of internal/asm, which know
// slices, strides and instruction sets, and the packages that work with matrices.
// Every operation takes its operands as [Matrix], checks that their shapes match,
// that they fit their data and that the destination overlaps no operand, and chooses
// among the kernels. The results are the same bits at every level.
//
// The level comes first, the destination second, as in the kernels. What does not
// fit is the caller's mistake and panics with a sentence; a matrix that passes can
// make no kernel touch anything outside of its data. Nothing here allocates in the
// long run: the one buffer that distances need is taken from a pool.
package matrix

import (
	"math/bits"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// What is said of a caller's mistake. The words begin with the name of the public
// face, package dist, whose users meet them.
const (
	fitPanic     = "dist: matrix does not fit its data"
	sizePanic    = "dist: size of a matrix is negative or out of range"
	indexPanic   = "dist: index out of range of the matrix"
	shapePanic   = "dist: shapes do not match"
	overlapPanic = "dist: destination overlaps an operand"
)

// Matrix is a dense row-major matrix: element (i, j) is Data[i*Stride+j]. It is a
// view and is passed by value; copying it does not copy the elements.
type Matrix[T num.Float] struct {
	Rows, Cols int
	Stride     int
	Data       []T
}

// New returns a rows × cols matrix over data, which is allocated if nil. It panics if
// a size is negative or data has another length than rows·cols.
func New[T num.Float](rows, cols int, data []T) Matrix[T] {
	// More than 2⁴⁵ elements are beyond every address space.
	hi, n := bits.Mul64(uint64(rows), uint64(cols))
	if rows < 0 || cols < 0 || hi != 0 || n > 1<<45 || int(n) < 0 {
		panic(sizePanic)
	}
	if data == nil {
		data = make([]T, n)
	}
	if uint64(len(data)) != n {
		panic(fitPanic)
	}
	return Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// OfRow returns x as a matrix of one row.
func OfRow[T num.Float](x []T) Matrix[T] {
	return Matrix[T]{Rows: 1, Cols: len(x), Stride: len(x), Data: x}
}

// At returns element (i, j). It panics if there is none.
func (m Matrix[T]) At(i, j int) T { return m.Data[m.index(i, j)] }

// Set sets element (i, j) to v. It panics if there is none.
func (m Matrix[T]) Set(i, j int, v T) { m.Data[m.index(i, j)] = v }

// Row returns row i, sharing the elements. It panics if there is none.
func (m Matrix[T]) Row(i int) []T {
	if m.Cols == 0 && uint(i) < uint(m.Rows) {
		return nil
	}
	n := uint(len(m.Data))
	hi, at := bits.Mul(uint(i), uint(m.Stride))
	if hi != 0 || at > n || uint(m.Cols) > n-at || uint(i) >= uint(m.Rows) {
		panic(indexPanic)
	}
	return m.Data[at:][:m.Cols:m.Cols]
}

// index returns i·Stride + j, not wrapped.
func (m Matrix[T]) index(i, j int) int {
	n := uint(len(m.Data))
	hi, at := bits.Mul(uint(i), uint(m.Stride))
	if hi != 0 || at > n || uint(j) >= n-at || uint(i) >= uint(m.Rows) || uint(j) >= uint(m.Cols) {
		panic(indexPanic)
	}
	return int(at) + j
}

// RowRange returns rows i … j−1 as a matrix, sharing the elements. It panics unless
// 0 ≤ i ≤ j ≤ Rows.
func (m Matrix[T]) RowRange(i, j int) Matrix[T] {
	m.Check()
	if i < 0 || j < i || m.Rows < j {
		panic(indexPanic)
	}
	m.Rows = j - i
	return m.from(i * m.Stride)
}

// ColRange returns columns i … j−1 as a matrix, sharing the elements. It panics
// unless 0 ≤ i ≤ j ≤ Cols.
func (m Matrix[T]) ColRange(i, j int) Matrix[T] {
	m.Check()
	if i < 0 || j < i || m.Cols < j {
		panic(indexPanic)
	}
	m.Cols = j - i
	return m.from(i)
}

// from returns m with its first element at Data[k] and no data behind its last.
func (m Matrix[T]) from(k int) Matrix[T] {
	if m.IsEmpty() {
		m.Data = nil
		return m
	}
	end := k + (m.Rows-1)*m.Stride + m.Cols
	m.Data = m.Data[k:end:end]
	return m
}

// IsEmpty reports whether the matrix has no elements.
func (m Matrix[T]) IsEmpty() bool { return m.Rows == 0 || m.Cols == 0 }

// Fits reports whether m lies within its data: no size is negative, no row reaches
// into the next, and the last one ends in time. An empty matrix needs no data.
func (m Matrix[T]) Fits() bool { return asm.Fits(len(m.Data), m.Rows, m.Cols, m.Stride) }

// Check panics unless m fits its data. Whoever computes an offset into Data by hand
// calls it first.
func (m Matrix[T]) Check() { m.check() }

func (m *Matrix[T]) check() {
	if !asm.Fits(len(m.Data), m.Rows, m.Cols, m.Stride) {
		panic(fitPanic)
	}
}
