// Package dist computes squared Euclidean distances and Gibbs kernels of point
// clouds, in float64 and float32, with the kernels of the machine it runs on. Rows
// are samples. The answers are the same bits on every machine.
//
// Nothing here allocates in the long run: the one buffer that distances need is
// taken from a pool. Shapes that do not match, a matrix that does not fit its data and
// a destination that overlaps an operand panic with a sentence, as in gonum.
package dist

import (
	"github.com/gomonge/monge/internal/matrix"
)

// Float is the element type of everything in this module.
type Float interface{ float32 | float64 }

// Matrix is a dense row-major matrix, Rows × Cols: element (i, j) is
// Data[i*Stride+j].
//
//	type Matrix[T Float] struct {
//		Rows, Cols int
//		Stride     int // ≥ Cols
//		Data       []T // at least (Rows−1)·Stride + Cols
//	}
//
// It is a view and is passed by value; copying it does not copy the elements. Besides
// [NewMatrix] a literal of the fields makes one, which every function checks. Its
// methods share the elements and panic beyond the matrix:
//
//	At(i, j int) T                    element (i, j)
//	Set(i, j int, v T)                sets it
//	Row(i int) []T                    row i
//	RowRange(i, j int) Matrix[T]      rows i … j−1
//	ColRange(i, j int) Matrix[T]      columns i … j−1
//	IsEmpty() bool                    has it no elements?
//	Fits() bool                       does it lie within its data?
//	Check()                           panics unless it does
type Matrix[T Float] = matrix.Matrix[T]

// NewMatrix returns a rows × cols matrix over data, which is allocated if nil. It
// panics if a size is negative or data has another length than rows·cols.
func NewMatrix[T Float](rows, cols int, data []T) Matrix[T] { return matrix.New(rows, cols, data) }

// SqEuclidean sets dst_ij = ‖x_i − z_j‖², the n × m matrix of squared Euclidean
// distances between the rows of x (n × d) and of z (m × d).
//
// It sums direct differences: the result is never negative, exactly 0 for equal
// rows, and has a relative error of at most (d+2)·2⁻⁵³ (2⁻²⁴ in float32). A square or
// sum beyond the largest number is +Inf; no other infinity, and no NaN, comes of
// finite samples. dst must not overlap x or z.
func SqEuclidean[T Float](dst, x, z Matrix[T]) { matrix.SqEuclidean(dst, x, z) }

// Gibbs sets dst_ij = exp(−λ ‖x_i − z_j‖²), the Gibbs kernel of the rows of x
// (n × d) and of z (m × d), for a finite λ ≥ 0; it panics for any other.
//
// λ multiplies the squared distance; a regularization ε of other libraries is 1/λ.
// Values below the least normal number are +0. With y = λ‖x_i − z_j‖² the relative
// error is at most about (d + 3)·y + 1 units in the last place. For finite samples all
// values are in [0, 1]: where a distance overflows it is 0, or 1 if λ = 0. dst must not
// overlap x or z.
func Gibbs[T Float](dst, x, z Matrix[T], lambda T) { matrix.Gibbs(dst, x, z, lambda) }
