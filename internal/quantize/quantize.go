// Package quantize stores rows of numbers in few bytes and finds those that are nearest to a
// query, which is not rounded.
//
// A Quantizer cuts a row into parts. Each part has a codebook of 16 or 256 vectors, and a
// stored row has the number of one of them for each part. The row stands for the vectors with
// these numbers. There are two ways to make a Quantizer:
//
//   - Grid rounds every component by itself to one of 256 values at equal steps: a part for each
//     component.
//   - Train learns the codebooks by k-means, and a rotation of the rows that makes the parts
//     fit them (H. Jégou, M. Douze and C. Schmid, "Product quantization for nearest neighbor
//     search", TPAMI 2011; T. Ge, K. He, Q. Ke and J. Sun, "Optimized product quantization for
//     approximate nearest neighbor search", CVPR 2013).
//
// The distance between a query y and a stored row is Σ_j table_j[c_j], where table_j[c] is the
// squared distance between part j of the rotated y and vector c of codebook j. It is computed in float32, in
// the order of package codes, which finds neighbors and is the same on every machine.
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

// ErrRange says that rows are too large or too small for distances in float32.
var ErrRange = errors.New("quantize: out of range")

// Elements must be of a size whose squares, and sums of them, are in range of float32.
const least, most = 1e-15, 1e15

// Quantizer is a way to store rows of Dim numbers. It does not change.
type Quantizer struct {
	parts, bits int
	rotation    matrix.Matrix[float64] // Dim × Dim, orthonormal, or empty: none
	codebook    matrix.Matrix[float32] // Dim × 2^bits: column c has vector c of every part
}

// New returns the quantizer with a rotation (dim × dim, or empty for none) and a codebook
// (dim × 2^bits). Column c of the codebook has vector c of each part, one below the other. It
// panics if sizes do not fit. They are not copied.
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

// MostParts is the largest number of parts of product quantization, and of codes of 4 bits. Grid may have more.
const MostParts = 256

// ValidParts reports whether rows of dim numbers can be cut into so many parts by Train.
func ValidParts(parts, dim int) bool { return parts >= 1 && parts <= min(dim, MostParts) }

// Dim returns the number of elements of a row.
func (q *Quantizer) Dim() int { return q.codebook.Rows }

// Parts returns the number of parts of a row.
func (q *Quantizer) Parts() int { return q.parts }

// Bits returns the number of bits of a code, 4 or 8.
func (q *Quantizer) Bits() int { return q.bits }

// Rotation returns the rotation, empty if there is none, and Codebook the codebook, as New takes
// them. They must not be changed.
func (q *Quantizer) Rotation() matrix.Matrix[float64] { return q.rotation }

// Codebook returns the codebook: see Rotation.
func (q *Quantizer) Codebook() matrix.Matrix[float32] { return q.codebook }

// part returns the elements i … j−1 of a row that are part number at.
func (q *Quantizer) part(at int) (i, j int) { return part(at, q.parts, q.Dim()) }

func part(at, parts, dim int) (i, j int) { return at * dim / parts, (at + 1) * dim / parts }

// Grid returns the quantizer that rounds component k to offset[k] + scale[k]·c, 0 ≤ c ≤ 255.
func Grid(offset, scale []float64) *Quantizer {
	book := matrix.New[float32](len(offset), 256, nil)
	for k := range offset {
		for c, row := 0, book.Row(k); c < 256; c++ {
			row[c] = float32(offset[k] + float64(scale[k]*float64(c)))
		}
	}
	return New(len(offset), 8, matrix.Matrix[float64]{}, book)
}

// GridOf returns offsets and scales for Grid, the least that hold all of y (n × dim). The error
// wraps ErrRange.
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

// CheckRange returns an error that wraps ErrRange unless the largest element of y is in range.
func CheckRange(y matrix.Matrix[float64]) error {
	largest := 0.
	for i := range y.Rows {
		for _, x := range y.Row(i) {
			largest = max(largest, math.Abs(x))
		}
	}
	if largest > most || largest > 0 && largest < least {
		return fmt.Errorf("%w: the largest element has the magnitude %.3g; it must be between %.0e and %.0e", ErrRange, largest, least, most)
	}
	return nil
}

// rotateAll sets dst (n × dim) to the rotated rows y (n × dim), in float32. The error is the context's cause.
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
