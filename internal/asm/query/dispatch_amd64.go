//go:build amd64 && !purego

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
func sqEuclideanAVX512F32(n, d int, dst, q, x *float32)

//go:noescape
func sqEuclideanAVX2F32(n, d int, dst, q, x *float32)

//go:noescape
func sqEuclideanFarAVX2F32(n, d int, dst, q, x *float32)

//go:noescape
func dotFarAVX2F32(n, d int, dst, q, x *float32)

//go:noescape
func dotAVX512F32(n, d int, dst, q, x *float32)

//go:noescape
func dotAVX2F32(n, d int, dst, q, x *float32)

//go:noescape
func sqEuclideanAVX512BF16(n, d int, dst, q *float32, x *uint16)

//go:noescape
func sqEuclideanAVX512F16(n, d int, dst, q *float32, x *uint16)

//go:noescape
func sqEuclideanAVX512Int8(n, d int, dst, q *float32, x *int8, scale *float32)

//go:noescape
func sqEuclideanAVX2BF16(n, d int, dst, q *float32, x *uint16)

//go:noescape
func sqEuclideanAVX2F16(n, d int, dst, q *float32, x *uint16)

//go:noescape
func sqEuclideanAVX2Int8(n, d int, dst, q *float32, x *int8, scale *float32)

//go:noescape
func dotAVX512BF16(n, d int, dst, q *float32, x *uint16)

//go:noescape
func dotAVX512F16(n, d int, dst, q *float32, x *uint16)

//go:noescape
func dotAVX512Int8(n, d int, dst, q *float32, x *int8, scale *float32)

//go:noescape
func dotAVX2BF16(n, d int, dst, q *float32, x *uint16)

//go:noescape
func dotAVX2F16(n, d int, dst, q *float32, x *uint16)

//go:noescape
func dotAVX2Int8(n, d int, dst, q *float32, x *int8, scale *float32)

//go:noinline
func sqEuclidean(dst, q, x []float32) {
	n, d := len(dst), len(q)
	switch variant(d) {
	case asm.AVX512F32:
		sqEuclideanAVX512F32(n, d, num.P32(dst), num.P32(q), num.P32(x))
	case asm.AVX2F32:
		sqEuclideanAVX2F32(n, d, num.P32(dst), num.P32(q), num.P32(x))
	default:
		sqEuclideanRef(dst, q, x)
	}
}

//go:noinline
func dot(dst, q, x []float32) {
	n, d := len(dst), len(q)
	switch variant(d) {
	case asm.AVX512F32:
		dotAVX512F32(n, d, num.P32(dst), num.P32(q), num.P32(x))
	case asm.AVX2F32:
		dotAVX2F32(n, d, num.P32(dst), num.P32(q), num.P32(x))
	default:
		dotRef(dst, q, x)
	}
}

//go:noinline
func sqEuclideanFar(dst, q, x []float32) {
	n, d := len(dst), len(q)
	switch variant(d) {
	case asm.AVX512F32, asm.AVX2F32: // loads of 32 bytes read memory faster than loads of 64
		sqEuclideanFarAVX2F32(n, d, num.P32(dst), num.P32(q), num.P32(x))
	default:
		sqEuclideanRef(dst, q, x)
	}
}

//go:noinline
func sqEuclideanHalf(dst, q []float32, x []uint16, format Half) {
	n, d, dp, qp, xp := len(dst), len(q), num.P32(dst), num.P32(q), unsafe.SliceData(x)
	switch v := variant(d); {
	case v == asm.AVX512F32 && format == BFloat16:
		sqEuclideanAVX512BF16(n, d, dp, qp, xp)
	case v == asm.AVX512F32:
		sqEuclideanAVX512F16(n, d, dp, qp, xp)
	case v == asm.AVX2F32 && format == BFloat16:
		sqEuclideanAVX2BF16(n, d, dp, qp, xp)
	case v == asm.AVX2F32:
		sqEuclideanAVX2F16(n, d, dp, qp, xp)
	default:
		sqEuclideanHalfRef(dst, q, x, format)
	}
}

//go:noinline
func sqEuclideanInt8(dst, q []float32, x []int8, scale []float32) {
	n, d := len(dst), len(q)
	switch variant(d) {
	case asm.AVX512F32:
		sqEuclideanAVX512Int8(n, d, num.P32(dst), num.P32(q), unsafe.SliceData(x), num.P32(scale))
	case asm.AVX2F32:
		sqEuclideanAVX2Int8(n, d, num.P32(dst), num.P32(q), unsafe.SliceData(x), num.P32(scale))
	default:
		sqEuclideanInt8Ref(dst, q, x, scale)
	}
}

//go:noinline
func dotFar(dst, q, x []float32) {
	n, d := len(dst), len(q)
	switch variant(d) {
	case asm.AVX512F32, asm.AVX2F32: // loads of 32 bytes read memory faster than loads of 64
		dotFarAVX2F32(n, d, num.P32(dst), num.P32(q), num.P32(x))
	default:
		dotRef(dst, q, x)
	}
}

//go:noinline
func dotHalf(dst, q []float32, x []uint16, format Half) {
	n, d, dp, qp, xp := len(dst), len(q), num.P32(dst), num.P32(q), unsafe.SliceData(x)
	switch v := variant(d); {
	case v == asm.AVX512F32 && format == BFloat16:
		dotAVX512BF16(n, d, dp, qp, xp)
	case v == asm.AVX512F32:
		dotAVX512F16(n, d, dp, qp, xp)
	case v == asm.AVX2F32 && format == BFloat16:
		dotAVX2BF16(n, d, dp, qp, xp)
	case v == asm.AVX2F32:
		dotAVX2F16(n, d, dp, qp, xp)
	default:
		dotHalfRef(dst, q, x, format)
	}
}

//go:noinline
func dotInt8(dst, q []float32, x []int8, scale []float32) {
	n, d := len(dst), len(q)
	switch variant(d) {
	case asm.AVX512F32:
		dotAVX512Int8(n, d, num.P32(dst), num.P32(q), unsafe.SliceData(x), num.P32(scale))
	case asm.AVX2F32:
		dotAVX2Int8(n, d, num.P32(dst), num.P32(q), unsafe.SliceData(x), num.P32(scale))
	default:
		dotInt8Ref(dst, q, x, scale)
	}
}

// variant returns the kernel variant for rows of d elements.
func variant(d int) asm.Variant {
	if d == 0 {
		return asm.Variant(asm.Ref)
	}
	return asm.VariantOf[float32, float32]()
}
