package sketch

import (
	"math"
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
)

const (
	// Rows is the number of rows in a group.
	Rows = 32
	// Queries is the number of queries in a block.
	Queries = 12
	// Step divides the number of features.
	Step = 4
	// MaxFeatures is the largest number of features. This limit keeps the sum of products below 2³¹.
	MaxFeatures = 100_000

	stepBytes  = Rows * Step    // bytes of Step features in all rows of a group
	queryBytes = Queries * Step // bytes of Step features in all queries of a block
	zero       = 64             // code that represents the integer 0 in a row
)

// A Group has the scales and other numbers of a group of rows. Filter uses these numbers together with the codes of the rows.
type Group struct {
	Scale, Rest, Norm [Rows]float32
}

// A Query has the numbers that Filter uses together with the codes of a query. Start is the initial value of the integer sum.
// Filter multiplies Rest, Norm and Square by Rest, Norm and Norm² of a row.
type Query struct {
	Start                         int32
	Rest, Norm, Square, Threshold float32
}

// Filter sets masks[g·Queries+j] for all groups g and the queries j of a block. Bit i of this mask is clear if the bound of row i
// of group g is below the threshold of query j. There are d = len(queries)/Queries features. Filter panics if d is not a multiple
// of Step, if d is larger than MaxFeatures, or if a slice is too short.
func Filter(masks []uint32, codes []uint8, groups []Group, queries []int8, q *[Queries]Query) {
	n := len(groups)
	size := checkFilter(n, Queries, len(masks), len(codes), len(queries))
	for p := asm.Piece(n, size*Queries/work, 1); n > 0; n -= p {
		p = min(p, n)
		filter(masks[:p*Queries], codes[:p*size], groups[:p], queries, q)
		masks, codes, groups = masks[p*Queries:], codes[p*size:], groups[p:]
	}
}

// FilterOne is like Filter, but for one query with d = len(query) features. It sets masks[g] for all groups g. It reads the
// rows from memory in ascending order.
func FilterOne(masks []uint32, codes []uint8, groups []Group, query []int8, q *Query) {
	n := len(groups)
	size := checkFilter(n, 1, len(masks), len(codes), len(query))
	for p := asm.Piece(n, size/work, 1); n > 0; n -= p {
		p = min(p, n)
		filterOne(masks[:p], codes[:p*size], groups[:p], query, q)
		masks, codes, groups = masks[p:], codes[p*size:], groups[p:]
	}
}

// work is the number of byte products that take about as long as one float32 FMA.
const work = 2

// checkFilter panics if the sizes are invalid, and returns the byte count of a group. masks, codes and queries are the
// lengths of these slices.
func checkFilter(n, m, masks, codes, queries int) (size int) {
	d := queries / m
	if queries%(m*Step) != 0 || d > MaxFeatures {
		panic("sketch: number of features is not a multiple, or too large")
	}
	asm.CheckMatrix(masks, n, m, m)
	asm.CheckMatrix(codes, n, d*Rows, d*Rows)
	return d * Rows
}

// QuantizeRow stores the codes of one row. The codes of a group of rows are interleaved: codes begins at the first byte of
// the row, and QuantizeRow sets 4 of every 128 bytes. It returns the scale, Σx², and the squared error Σ(x − scale·c)² of the
// sketch. Elements must be finite. It panics if len(x) is not a multiple of Step, or if codes is too short.
func QuantizeRow(codes []uint8, x []float32) (scale float32, square, rest float64) {
	return quantizeBytes(codes, stepBytes, x, 63, zero)
}

// QuantizeQuery is like QuantizeRow, but for a query. It stores groups of 4 codes. Consecutive groups start stride bytes
// apart: 4 bytes for FilterOne, and 4·Queries bytes for a query of a block. QuantizeQuery also returns the sum of the codes.
func QuantizeQuery(codes []int8, stride int, x []float32) (scale float32, sum int32, square, rest float64) {
	scale, square, rest = quantizeBytes(unsafe.Slice((*uint8)(unsafe.Pointer(unsafe.SliceData(codes))), len(codes)), stride, x, 127, 0)
	for k := 0; k < len(x); k += Step {
		for _, c := range codes[k/Step*stride:][:Step] {
			sum += int32(c)
		}
	}
	return scale, sum, square, rest
}

// Largest returns the largest |x_k|, or 0 if x is empty. It compares the bits of |x_k| as integers, so a NaN is larger than
// infinity.
func Largest(x []float32) float32 {
	top := uint32(0)
	for p := asm.Piece(len(x), 1, Step); len(x) >= Step; {
		n := min(p, len(x)) &^ (Step - 1)
		top = max(top, math.Float32bits(largest(x[:n])))
		x = x[n:]
	}
	return math.Float32frombits(max(top, math.Float32bits(largestRef(x))))
}

func quantizeBytes(codes []uint8, stride int, x []float32, top float64, zero uint8) (scale float32, square, rest float64) {
	if len(x)%Step != 0 || len(x) > MaxFeatures {
		panic("sketch: number of features is not a multiple, or too large")
	}
	asm.CheckMatrix(len(codes), len(x)/Step, Step, stride)
	m := largest(x)
	if m == 0 {
		for k := 0; k < len(x); k += Step {
			copy(codes[k/Step*stride:], []uint8{zero, zero, zero, zero})
		}
		return 0, 0, 0
	}
	scale = float32(float64(m) / top)
	square, rest = quantize(codes, stride, x, top/float64(m), float64(scale), 0x1.8p52+float64(zero))
	return scale, square, rest
}
