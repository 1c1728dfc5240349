//go:build amd64 && !purego

package sketch

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
)

// The Go functions that call assembly are not inlined. So each call begins with a stack check, where the
// scheduler can stop the goroutine. The numbers of groups and features are positive. Rows without features
// use the Go reference implementation.

//go:noescape
func filterAVX512VNNI(masks *uint32, codes *uint8, groups *Group, n int, queries *int8, steps int, q *Query)

//go:noescape
func filterAVX512(masks *uint32, codes *uint8, groups *Group, n int, queries *int8, steps int, q *Query)

//go:noescape
func filterAVX2(masks *uint32, codes *uint8, groups *Group, n int, queries *int8, steps int, q *Query)

//go:noescape
func filterOneAVX512VNNI(masks *uint32, codes *uint8, groups *Group, n int, query *int8, steps int, q *Query)

//go:noescape
func filterOneAVX512(masks *uint32, codes *uint8, groups *Group, n int, query *int8, steps int, q *Query)

//go:noescape
func filterOneAVX2(masks *uint32, codes *uint8, groups *Group, n int, query *int8, steps int, q *Query)

//go:noescape
func largestAVX512(x *float32, d int) float32

//go:noescape
func largestAVX2(x *float32, d int) float32

//go:noescape
func quantizeAVX512(codes *uint8, stride int, x *float32, d int, inverse, scale, shift float64) (square, rest float64)

//go:noescape
func quantizeAVX2(codes *uint8, stride int, x *float32, d int, inverse, scale, shift float64) (square, rest float64)

//go:noinline
func filter(masks []uint32, codes []uint8, groups []Group, queries []int8, q *[Queries]Query) {
	steps := len(queries) / (Queries * Step)
	mp, cp, gp, qp := unsafe.SliceData(masks), unsafe.SliceData(codes), unsafe.SliceData(groups), unsafe.SliceData(queries)
	switch level := asm.Current(); {
	case steps == 0:
		filterRef(masks, codes, groups, queries, q)
	case level == asm.AVX512 && asm.Uses(asm.VNNI):
		filterAVX512VNNI(mp, cp, gp, len(groups), qp, steps, &q[0])
	case level == asm.AVX512:
		filterAVX512(mp, cp, gp, len(groups), qp, steps, &q[0])
	case level == asm.AVX2:
		for j := 0; j < Queries; j += 4 { // the kernel processes four queries at a time
			filterAVX2(&masks[j], cp, gp, len(groups), &queries[j*Step], steps, &q[j])
		}
	default:
		filterRef(masks, codes, groups, queries, q)
	}
}

//go:noinline
func filterOne(masks []uint32, codes []uint8, groups []Group, query []int8, q *Query) {
	steps := len(query) / Step
	mp, cp, gp, qp := unsafe.SliceData(masks), unsafe.SliceData(codes), unsafe.SliceData(groups), unsafe.SliceData(query)
	switch level := asm.Current(); {
	case steps == 0:
		filterOneRef(masks, codes, groups, query, q)
	case level == asm.AVX512 && asm.Uses(asm.VNNI):
		filterOneAVX512VNNI(mp, cp, gp, len(groups), qp, steps, q)
	case level == asm.AVX512:
		filterOneAVX512(mp, cp, gp, len(groups), qp, steps, q)
	case level == asm.AVX2:
		filterOneAVX2(mp, cp, gp, len(groups), qp, steps, q)
	default:
		filterOneRef(masks, codes, groups, query, q)
	}
}

//go:noinline
func largest(x []float32) float32 {
	switch level := asm.Current(); {
	case len(x) == 0:
		return 0
	case level == asm.AVX512:
		return largestAVX512(unsafe.SliceData(x), len(x))
	case level == asm.AVX2:
		return largestAVX2(unsafe.SliceData(x), len(x))
	}
	return largestRef(x)
}

//go:noinline
func quantize(codes []uint8, stride int, x []float32, inverse, scale, shift float64) (square, rest float64) {
	switch level := asm.Current(); {
	case len(x) == 0:
		return 0, 0
	case level == asm.AVX512:
		return quantizeAVX512(unsafe.SliceData(codes), stride, unsafe.SliceData(x), len(x), inverse, scale, shift)
	case level == asm.AVX2:
		return quantizeAVX2(unsafe.SliceData(codes), stride, unsafe.SliceData(x), len(x), inverse, scale, shift)
	}
	return quantizeRef(codes, stride, x, inverse, scale, shift)
}
