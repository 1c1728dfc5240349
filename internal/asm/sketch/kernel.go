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
	// MaxFeatures is the largest number of features whose sum of products is below 2³¹.
	MaxFeatures = 100_000

	stepBytes  = Rows * Step    // of a step of a group
	queryBytes = Queries * Step // of a step of a block
	zero       = 64             // the code of 0 in a row
)

// A Group has the numbers of a group of rows that Filter uses in addition to their codes.
type Group struct {
	Scale, Rest, Norm [Rows]float32
}

// A Query has the numbers of a query that Filter uses in addition to its codes: the start of the integer sum, the coefficients
// of the rows' Rest, Norm and squared Norm, and a threshold.
type Query struct {
	Start                         int32
	Rest, Norm, Square, Threshold float32
}

// Filter sets masks[g·Queries+j] for the groups g and the queries j of a block: bit i is clear if row i of the group is below the
// threshold of the query. There are d = len(queries)/Queries features. It panics if d is not a multiple of Step or larger than
// MaxFeatures, and if a slice is too short.
func Filter(masks []uint32, codes []uint8, groups []Group, queries []int8, q *[Queries]Query) {
	n := len(groups)
	size := checkFilter(n, Queries, len(masks), len(codes), len(queries))
	for p := asm.Piece(n, size*Queries/work, 1); n > 0; n -= p {
		p = min(p, n)
		filter(masks[:p*Queries], codes[:p*size], groups[:p], queries, q)
		masks, codes, groups = masks[p*Queries:], codes[p*size:], groups[p:]
	}
}

// FilterOne is like Filter for one query with d = len(query) features: it sets masks[g]. It reads the
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

// work is the number of products of bytes that take at most the time of one FMA of float32.
const work = 2

// checkFilter checks the shapes. masks, codes and queries are the lengths of slices. It returns the
// bytes of a group.
func checkFilter(n, m, masks, codes, queries int) (size int) {
	d := queries / m
	if queries%(m*Step) != 0 || d > MaxFeatures {
		panic("sketch: number of features is not a multiple, or too large")
	}
	asm.CheckMatrix(masks, n, m, m)
	asm.CheckMatrix(codes, n, d*Rows, d*Rows)
	return d * Rows
}

// QuantizeRow sets the codes of a row of a group. codes begins at the first byte of the row, and 4 bytes in every 128 are set. It
// returns the scale, Σx², and the squared error of the sketch, Σ(x − scale·c)². Elements must be finite. It panics if len(x) is
// not a multiple of Step, or if codes is too short.
func QuantizeRow(codes []uint8, x []float32) (scale float32, square, rest float64) {
	return quantizeBytes(codes, stepBytes, x, 63, zero)
}

// QuantizeQuery is like QuantizeRow for a query, whose steps are stride bytes apart: 4 for FilterOne, 4·Queries in a block. It also
// returns the sum of the codes.
func QuantizeQuery(codes []int8, stride int, x []float32) (scale float32, sum int32, square, rest float64) {
	scale, square, rest = quantizeBytes(unsafe.Slice((*uint8)(unsafe.Pointer(unsafe.SliceData(codes))), len(codes)), stride, x, 127, 0)
	for k := 0; k < len(x); k += Step {
		for _, c := range codes[k/Step*stride:][:Step] {
			sum += int32(c)
		}
	}
	return scale, sum, square, rest
}

// Largest returns the largest |x_k| by its bits, so that a NaN is above infinity. It is 0 for an empty slice.
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
