//go:build arm64 && !purego

package query

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The Go functions that call assembly are not inlined. So each call begins with a stack check, where the
// scheduler can stop the goroutine. The sizes n and d are positive. Rows without columns use the Go reference
// implementation.

//go:noescape
func sqEuclideanNEONF32(n, d int, dst, q, x *float32)

//go:noescape
func dotNEONF32(n, d int, dst, q, x *float32)

//go:noescape
func sqEuclideanNEONBF16(n, d int, dst, q *float32, x *uint16)

//go:noescape
func sqEuclideanNEONF16(n, d int, dst, q *float32, x *uint16)

//go:noescape
func sqEuclideanNEONInt8(n, d int, dst, q *float32, x *int8, scale *float32)

//go:noescape
func dotNEONBF16(n, d int, dst, q *float32, x *uint16)

//go:noescape
func dotNEONF16(n, d int, dst, q *float32, x *uint16)

//go:noescape
func dotNEONInt8(n, d int, dst, q *float32, x *int8, scale *float32)

//go:noinline
func sqEuclidean(dst, q, x []float32) {
	if variant(len(q)) == asm.NEONF32 {
		sqEuclideanNEONF32(len(dst), len(q), num.P32(dst), num.P32(q), num.P32(x))
		return
	}
	sqEuclideanRef(dst, q, x)
}

//go:noinline
func dot(dst, q, x []float32) {
	if variant(len(q)) == asm.NEONF32 {
		dotNEONF32(len(dst), len(q), num.P32(dst), num.P32(q), num.P32(x))
		return
	}
	dotRef(dst, q, x)
}

// NEON has no special kernels for rows that are not in a cache.
func sqEuclideanFar(dst, q, x []float32) { sqEuclidean(dst, q, x) }
func dotFar(dst, q, x []float32)         { dot(dst, q, x) }

//go:noinline
func sqEuclideanHalf(dst, q []float32, x []uint16, format Half) {
	n, d, dp, qp, xp := len(dst), len(q), num.P32(dst), num.P32(q), unsafe.SliceData(x)
	switch v := variant(d); {
	case v == asm.NEONF32 && format == BFloat16:
		sqEuclideanNEONBF16(n, d, dp, qp, xp)
	case v == asm.NEONF32:
		sqEuclideanNEONF16(n, d, dp, qp, xp)
	default:
		sqEuclideanHalfRef(dst, q, x, format)
	}
}

//go:noinline
func sqEuclideanInt8(dst, q []float32, x []int8, scale []float32) {
	if variant(len(q)) == asm.NEONF32 {
		sqEuclideanNEONInt8(len(dst), len(q), num.P32(dst), num.P32(q), unsafe.SliceData(x), num.P32(scale))
		return
	}
	sqEuclideanInt8Ref(dst, q, x, scale)
}

//go:noinline
func dotHalf(dst, q []float32, x []uint16, format Half) {
	n, d, dp, qp, xp := len(dst), len(q), num.P32(dst), num.P32(q), unsafe.SliceData(x)
	switch v := variant(d); {
	case v == asm.NEONF32 && format == BFloat16:
		dotNEONBF16(n, d, dp, qp, xp)
	case v == asm.NEONF32:
		dotNEONF16(n, d, dp, qp, xp)
	default:
		dotHalfRef(dst, q, x, format)
	}
}

//go:noinline
func dotInt8(dst, q []float32, x []int8, scale []float32) {
	if variant(len(q)) == asm.NEONF32 {
		dotNEONInt8(len(dst), len(q), num.P32(dst), num.P32(q), unsafe.SliceData(x), num.P32(scale))
		return
	}
	dotInt8Ref(dst, q, x, scale)
}

// variant returns the kernel variant for rows of d elements.
func variant(d int) asm.Variant {
	if d == 0 {
		return asm.Variant(asm.Ref)
	}
	return asm.VariantOf[float32, float32]()
}
