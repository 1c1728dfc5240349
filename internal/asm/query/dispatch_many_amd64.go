//go:build amd64 && !purego

package query

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The following functions are like the functions of dispatch_amd64.go, but for several query vectors at a time.

//go:noescape
func sqEuclideanManyAVX512F32(n, d int, dst *float32, ldd int, q, x *float32)

//go:noescape
func sqEuclideanManyAVX512BF16(n, d int, dst *float32, ldd int, q *float32, x *uint16)

//go:noescape
func sqEuclideanManyAVX512F16(n, d int, dst *float32, ldd int, q *float32, x *uint16)

//go:noescape
func sqEuclideanManyAVX512Int8(n, d int, dst *float32, ldd int, q *float32, x *int8, scale *float32)

//go:noescape
func dotManyAVX512F32(n, d int, dst *float32, ldd int, q, x *float32)

//go:noescape
func dotManyAVX512BF16(n, d int, dst *float32, ldd int, q *float32, x *uint16)

//go:noescape
func dotManyAVX512F16(n, d int, dst *float32, ldd int, q *float32, x *uint16)

//go:noescape
func dotManyAVX512Int8(n, d int, dst *float32, ldd int, q *float32, x *int8, scale *float32)

//go:noescape
func sqEuclideanManyAVX2F32(n, d int, dst *float32, ldd int, q, x *float32, ahead, step int)

//go:noescape
func sqEuclideanManyAVX2BF16(n, d int, dst *float32, ldd int, q *float32, x *uint16, ahead, step int)

//go:noescape
func sqEuclideanManyAVX2F16(n, d int, dst *float32, ldd int, q *float32, x *uint16, ahead, step int)

//go:noescape
func sqEuclideanManyAVX2Int8(n, d int, dst *float32, ldd int, q *float32, x *int8, ahead, step int, scale *float32)

//go:noescape
func dotManyAVX2F32(n, d int, dst *float32, ldd int, q, x *float32, ahead, step int)

//go:noescape
func dotManyAVX2BF16(n, d int, dst *float32, ldd int, q *float32, x *uint16, ahead, step int)

//go:noescape
func dotManyAVX2F16(n, d int, dst *float32, ldd int, q *float32, x *uint16, ahead, step int)

//go:noescape
func dotManyAVX2Int8(n, d int, dst *float32, ldd int, q *float32, x *int8, ahead, step int, scale *float32)

//go:noinline
func sqEuclideanMany(n, d int, dst []float32, ldd int, q, x []float32, ahead, step int) {
	switch variant(d) {
	case asm.AVX512F32:
		sqEuclideanManyAVX512F32(n, d, num.P32(dst), ldd, num.P32(q), num.P32(x))
	case asm.AVX2F32:
		sqEuclideanManyAVX2F32(n, d, num.P32(dst), ldd, num.P32(q), num.P32(x), 4*ahead, 4*step)
	default:
		sqEuclideanManyRef(n, d, dst, ldd, q, x)
	}
}

//go:noinline
func sqEuclideanHalfMany(n, d int, dst []float32, ldd int, q []float32, x []uint16, format Half, ahead, step int) {
	dp, qp, xp := num.P32(dst), num.P32(q), unsafe.SliceData(x)
	switch v := variant(d); {
	case v == asm.AVX512F32 && format == BFloat16:
		sqEuclideanManyAVX512BF16(n, d, dp, ldd, qp, xp)
	case v == asm.AVX512F32:
		sqEuclideanManyAVX512F16(n, d, dp, ldd, qp, xp)
	case v == asm.AVX2F32 && format == BFloat16:
		sqEuclideanManyAVX2BF16(n, d, dp, ldd, qp, xp, 2*ahead, 2*step)
	case v == asm.AVX2F32:
		sqEuclideanManyAVX2F16(n, d, dp, ldd, qp, xp, 2*ahead, 2*step)
	default:
		sqEuclideanHalfManyRef(n, d, dst, ldd, q, x, format)
	}
}

//go:noinline
func sqEuclideanInt8Many(n, d int, dst []float32, ldd int, q []float32, x []int8, scale []float32, ahead, step int) {
	switch variant(d) {
	case asm.AVX512F32:
		sqEuclideanManyAVX512Int8(n, d, num.P32(dst), ldd, num.P32(q), unsafe.SliceData(x), num.P32(scale))
	case asm.AVX2F32:
		sqEuclideanManyAVX2Int8(n, d, num.P32(dst), ldd, num.P32(q), unsafe.SliceData(x), ahead, step, num.P32(scale))
	default:
		sqEuclideanInt8ManyRef(n, d, dst, ldd, q, x, scale)
	}
}

//go:noinline
func dotMany(n, d int, dst []float32, ldd int, q, x []float32, ahead, step int) {
	switch variant(d) {
	case asm.AVX512F32:
		dotManyAVX512F32(n, d, num.P32(dst), ldd, num.P32(q), num.P32(x))
	case asm.AVX2F32:
		dotManyAVX2F32(n, d, num.P32(dst), ldd, num.P32(q), num.P32(x), 4*ahead, 4*step)
	default:
		dotManyRef(n, d, dst, ldd, q, x)
	}
}

//go:noinline
func dotHalfMany(n, d int, dst []float32, ldd int, q []float32, x []uint16, format Half, ahead, step int) {
	dp, qp, xp := num.P32(dst), num.P32(q), unsafe.SliceData(x)
	switch v := variant(d); {
	case v == asm.AVX512F32 && format == BFloat16:
		dotManyAVX512BF16(n, d, dp, ldd, qp, xp)
	case v == asm.AVX512F32:
		dotManyAVX512F16(n, d, dp, ldd, qp, xp)
	case v == asm.AVX2F32 && format == BFloat16:
		dotManyAVX2BF16(n, d, dp, ldd, qp, xp, 2*ahead, 2*step)
	case v == asm.AVX2F32:
		dotManyAVX2F16(n, d, dp, ldd, qp, xp, 2*ahead, 2*step)
	default:
		dotHalfManyRef(n, d, dst, ldd, q, x, format)
	}
}

//go:noinline
func dotInt8Many(n, d int, dst []float32, ldd int, q []float32, x []int8, scale []float32, ahead, step int) {
	switch variant(d) {
	case asm.AVX512F32:
		dotManyAVX512Int8(n, d, num.P32(dst), ldd, num.P32(q), unsafe.SliceData(x), num.P32(scale))
	case asm.AVX2F32:
		dotManyAVX2Int8(n, d, num.P32(dst), ldd, num.P32(q), unsafe.SliceData(x), ahead, step, num.P32(scale))
	default:
		dotInt8ManyRef(n, d, dst, ldd, q, x, scale)
	}
}
