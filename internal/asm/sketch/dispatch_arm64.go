//go:build arm64 && !purego

package sketch

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
)

// The Go functions that call assembly are not inlined. So each call begins with a stack check, where the
// scheduler can stop the goroutine. The numbers of groups and features are positive. Rows without features
// use the Go reference implementation.

//go:noescape
func filterNEONDotProd(masks *uint32, codes *uint8, groups *Group, n int, queries *int8, steps int, q *Query)

//go:noescape
func filterNEON(masks *uint32, codes *uint8, groups *Group, n int, queries *int8, steps int, q *Query)

//go:noescape
func filterOneNEONDotProd(masks *uint32, codes *uint8, groups *Group, n int, query *int8, steps int, q *Query)

//go:noescape
func filterOneNEON(masks *uint32, codes *uint8, groups *Group, n int, query *int8, steps int, q *Query)

//go:noescape
func largestNEON(x *float32, d int) float32

//go:noescape
func quantizeNEON(codes *uint8, stride int, x *float32, d int, inverse, scale, shift float64) (square, rest float64)

//go:noinline
func filter(masks []uint32, codes []uint8, groups []Group, queries []int8, q *[Queries]Query) {
	steps := len(queries) / (Queries * Step)
	if asm.Current() != asm.NEON || steps == 0 {
		filterRef(masks, codes, groups, queries, q)
		return
	}
	cp, gp := unsafe.SliceData(codes), unsafe.SliceData(groups)
	for j := 0; j < Queries; j += 4 { // the kernel processes four queries at a time
		if asm.Uses(asm.DotProd) {
			filterNEONDotProd(&masks[j], cp, gp, len(groups), &queries[j*Step], steps, &q[j])
		} else {
			filterNEON(&masks[j], cp, gp, len(groups), &queries[j*Step], steps, &q[j])
		}
	}
}

//go:noinline
func filterOne(masks []uint32, codes []uint8, groups []Group, query []int8, q *Query) {
	steps := len(query) / Step
	mp, cp, gp, qp := unsafe.SliceData(masks), unsafe.SliceData(codes), unsafe.SliceData(groups), unsafe.SliceData(query)
	switch {
	case asm.Current() != asm.NEON || steps == 0:
		filterOneRef(masks, codes, groups, query, q)
	case asm.Uses(asm.DotProd):
		filterOneNEONDotProd(mp, cp, gp, len(groups), qp, steps, q)
	default:
		filterOneNEON(mp, cp, gp, len(groups), qp, steps, q)
	}
}

//go:noinline
func largest(x []float32) float32 {
	if asm.Current() != asm.NEON || len(x) == 0 {
		return largestRef(x)
	}
	return largestNEON(unsafe.SliceData(x), len(x))
}

//go:noinline
func quantize(codes []uint8, stride int, x []float32, inverse, scale, shift float64) (square, rest float64) {
	if asm.Current() != asm.NEON || len(x) == 0 {
		return quantizeRef(codes, stride, x, inverse, scale, shift)
	}
	return quantizeNEON(unsafe.SliceData(codes), stride, unsafe.SliceData(x), len(x), inverse, scale, shift)
}
