// Package quantize stores rows of numbers in few bytes and finds the rows nearest to a query. The
// query is not quantized.
//
// A Quantizer divides a row into parts. Each part has a codebook of 16 or 256 vectors, and a stored
// row contains the index (code) of one vector for each part. Decoding a row concatenates these
// vectors. There are two ways to create a Quantizer:
//
//   - Grid rounds every component to one of 256 equidistant values. Each component is a part.
//   - Train learns the codebooks by k-means, together with a rotation of the rows that makes
//     the parts fit the codebooks (H. Jégou, M. Douze and C. Schmid, "Product quantization for
//     nearest neighbor search", TPAMI 2011; T. Ge, K. He, Q. Ke and J. Sun, "Optimized product
//     quantization for approximate nearest neighbor search", CVPR 2013).
//
// The distance between a query y and a stored row with the codes c_j is Σ_j table_j[c_j], where
// table_j[c] is the squared distance between part j of the rotated y and vector c of codebook j. It
// is computed in float32 in the order of package codes, and is the same on every machine.
package quantize

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
)

// ErrRange means that elements are too large or too small for distances in float32.
var ErrRange = errors.New("quantize: out of range")

// The squares of elements in this range, and their sums, do not overflow or underflow in float32.
const minElement, maxElement = 1e-15, 1e15

// Quantizer encodes rows of Dim numbers. It is immutable.
type Quantizer struct {
	parts, bits int
	rotation    matrix.Matrix[float64] // Dim × Dim, orthonormal; empty for none
	codebook    matrix.Matrix[float32] // Dim × 2^bits; column c contains vector c of each part, one below the other
}

// New returns the Quantizer with the given rotation (dim × dim, or empty for none) and codebook
// (dim × 2^bits). Column c of the codebook contains vector c of each part, one below the other. New
// retains its arguments and panics if the sizes do not match.
func New(parts, bits int, rotation matrix.Matrix[float64], codebook matrix.Matrix[float32]) *Quantizer {
	dim := codebook.Rows
	if codebook.Check(); parts < 1 || parts > dim || bits == 4 && parts > MostParts || bits != 4 && bits != 8 || codebook.Cols != 1<<bits {
		panic("quantize: parts, bits and codebook do not fit")
	}
	if rotation.Check(); !rotation.IsEmpty() && (rotation.Rows != dim || rotation.Cols != dim) {
		panic("quantize: rotation and codebook do not fit")
	}
	return &Quantizer{parts, bits, rotation, codebook}
}

// MostParts is the largest number of parts of a row. Only a Quantizer made by Grid, which has 8-bit
// codes, may have more parts.
const MostParts = 256

// ValidParts reports whether Train can divide rows of dim numbers into the given number of parts.
func ValidParts(parts, dim int) bool { return parts >= 1 && parts <= min(dim, MostParts) }

// Dim returns the number of elements of a row.
func (q *Quantizer) Dim() int { return q.codebook.Rows }

// Parts returns the number of parts of a row.
func (q *Quantizer) Parts() int { return q.parts }

// Bits returns the number of bits of a code, 4 or 8.
func (q *Quantizer) Bits() int { return q.bits }

// Rotation returns the rotation, or an empty matrix if there is none. The caller must not modify
// it.
func (q *Quantizer) Rotation() matrix.Matrix[float64] { return q.rotation }

// Codebook returns the codebook in the layout of New. The caller must not modify it.
func (q *Quantizer) Codebook() matrix.Matrix[float32] { return q.codebook }

// partRange returns the range of a part, which contains elements i … j−1 of a row.
func (q *Quantizer) partRange(part int) (i, j int) { return splitRange(part, q.parts, q.Dim()) }

func splitRange(part, parts, dim int) (i, j int) { return part * dim / parts, (part + 1) * dim / parts }

// Grid returns the Quantizer that rounds component k to offset[k] + scale[k]·c, 0 ≤ c ≤ 255.
func Grid(offset, scale []float64) *Quantizer {
	book := matrix.New[float32](len(offset), 256, nil)
	for k := range offset {
		for c, row := 0, book.Row(k); c < 256; c++ {
			row[c] = float32(offset[k] + float64(scale[k]*float64(c)))
		}
	}
	return New(len(offset), 8, matrix.Matrix[float64]{}, book)
}

// GridOf returns the offsets and the smallest scales for a Grid that covers all of y (n × dim). The
// error wraps ErrRange.
func GridOf(y matrix.Matrix[float64]) (offset, scale []float64, err error) {
	if err := CheckRange(y); err != nil {
		return nil, nil, err
	}
	offset, scale = make([]float64, y.Cols), make([]float64, y.Cols)
	for k := range y.Cols {
		lo, hi := y.At(0, k), y.At(0, k)
		for i := range y.Rows {
			lo, hi = min(lo, y.At(i, k)), max(hi, y.At(i, k))
		}
		offset[k], scale[k] = lo, (hi-lo)/255
	}
	return offset, scale, nil
}

// CheckRange returns an error that wraps ErrRange unless the largest magnitude in y is in range.
func CheckRange(y matrix.Matrix[float64]) error {
	largest := 0.
	for i := range y.Rows {
		for _, x := range y.Row(i) {
			largest = max(largest, math.Abs(x))
		}
	}
	if largest > maxElement || largest > 0 && largest < minElement {
		return fmt.Errorf("%w: the largest element has the magnitude %.3g; it must be between %.0e and %.0e", ErrRange, largest, minElement, maxElement)
	}
	return nil
}

// rotateAll sets dst (n × dim) to the rotated rows y (n × dim) in float32. If ctx ends, it returns
// context.Cause(ctx).
func (q *Quantizer) rotateAll(ctx context.Context, dst matrix.Matrix[float32], y matrix.Matrix[float64]) error {
	dim := q.Dim()
	var turned, spare matrix.Matrix[float64]
	if !q.rotation.IsEmpty() {
		turned, spare = matrix.New[float64](dim, dim, nil), matrix.New[float64](min(assignRows, y.Rows), dim, nil)
		dense.Transpose(ctx, turned, q.rotation)
	}
	for i := 0; i < y.Rows; i += assignRows {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		j := min(i+assignRows, y.Rows)
		rows := y.RowRange(i, j)
		if !turned.IsEmpty() {
			rows = spare.RowRange(0, j-i)
			dense.Product(ctx, rows, y.RowRange(i, j), turned, false)
		}
		for r := range j - i {
			pass.Narrow(dst.Row(i+r), rows.Row(r))
		}
	}
	return context.Cause(ctx)
}
