// Package dist defines the matrix type of this module and computes squared Euclidean distances,
// Gibbs kernels and projections of point clouds, in float64 and float32. Rows are samples. Results
// are bit-identical on every machine. Package search compares queries with stored rows.
//
// [SqEuclidean], [Gibbs] and [Project] are safe for concurrent use on different destinations. They
// do not allocate, except for a buffer that is reused by later calls. They panic if shapes do not
// match, if a matrix does not fit its data, or if a destination overlaps an operand.
//
// # Matrices of gonum
//
// A [Matrix] of float64 has the fields of gonum's blas64.General. Go converts between the two types
// without copying elements, and package dist does not depend on gonum:
//
//	x := dist.Matrix[float64](a.RawMatrix())   // from a, a *mat.Dense or any mat.RawMatrixer
//
//	b := new(mat.Dense)
//	b.SetRawMatrix(blas64.General(x))          // and back
//
// Here a, x and b share their elements.
package dist

import (
	"math/bits"

	"github.com/gomonge/monge/internal/asm"
)

const (
	sizePanic  = "dist: size of a matrix is negative or out of range"
	indexPanic = "dist: index out of range of the matrix"
)

// Float is the element type of all matrices and vectors in this module.
type Float interface{ float32 | float64 }

// Matrix is a dense row-major matrix, Rows × Cols. Element (i, j) is Data[i*Stride+j]. Stride is at
// least Cols, and Data has at least (Rows−1)·Stride + Cols elements. The zero value is an empty
// matrix.
//
// A Matrix is a view and is passed by value. Copying it does not copy the elements. Create a Matrix
// with [NewMatrix], with a composite literal, or by converting a gonum matrix (see the package
// documentation). Functions with Matrix arguments check that the shape of each Matrix fits its
// data.
type Matrix[T Float] struct {
	Rows, Cols int
	Data       []T
	Stride     int
}

// NewMatrix returns a rows × cols matrix over data. It allocates the elements if data is nil. It
// panics if a size is negative or the length of data is not rows·cols.
func NewMatrix[T Float](rows, cols int, data []T) Matrix[T] {
	// No address space has room for more than 2⁴⁵ elements.
	hi, n := bits.Mul64(uint64(rows), uint64(cols))
	if rows < 0 || cols < 0 || hi != 0 || n > 1<<45 || int(n) < 0 {
		panic(sizePanic)
	}
	if data == nil {
		data = make([]T, n)
	}
	if uint64(len(data)) != n {
		panic(asm.FitPanic)
	}
	return Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// At returns element (i, j). It panics if i or j is out of range.
func (m Matrix[T]) At(i, j int) T { return m.Data[m.index(i, j)] }

// Set sets element (i, j) to v. It panics if i or j is out of range.
func (m Matrix[T]) Set(i, j int, v T) { m.Data[m.index(i, j)] = v }

// Row returns row i, which shares memory with m. It panics if i is out of range.
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

// index returns i·Stride + j. It panics if i or j is out of range.
func (m Matrix[T]) index(i, j int) int {
	n := uint(len(m.Data))
	hi, at := bits.Mul(uint(i), uint(m.Stride))
	if hi != 0 || at > n || uint(j) >= n-at || uint(i) >= uint(m.Rows) || uint(j) >= uint(m.Cols) {
		panic(indexPanic)
	}
	return int(at) + j
}

// RowRange returns rows i … j−1 as a matrix that shares memory with m. It panics unless 0 ≤ i ≤ j ≤
// Rows.
func (m Matrix[T]) RowRange(i, j int) Matrix[T] {
	m.Check()
	if i < 0 || j < i || m.Rows < j {
		panic(indexPanic)
	}
	m.Rows = j - i
	return m.startingAt(i * m.Stride)
}

// ColRange returns columns i … j−1 as a matrix that shares memory with m. It panics unless 0 ≤ i ≤
// j ≤ Cols.
func (m Matrix[T]) ColRange(i, j int) Matrix[T] {
	m.Check()
	if i < 0 || j < i || m.Cols < j {
		panic(indexPanic)
	}
	m.Cols = j - i
	return m.startingAt(i)
}

// startingAt returns m with Data reduced to the elements from Data[k] to the last element of the
// matrix.
func (m Matrix[T]) startingAt(k int) Matrix[T] {
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

// Fits reports whether m fits its data: no size is negative, rows do not overlap, and the last row
// ends within Data. An empty matrix needs no data.
func (m Matrix[T]) Fits() bool { return asm.Fits(len(m.Data), m.Rows, m.Cols, m.Stride) }

// Check panics unless m fits its data. Call it before computing an index into Data.
func (m Matrix[T]) Check() {
	if !m.Fits() {
		panic(asm.FitPanic)
	}
}
