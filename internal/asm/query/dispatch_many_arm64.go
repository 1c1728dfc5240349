//go:build arm64 && !purego

package query

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The following functions are like the functions of dispatch_arm64.go, but for several query vectors at a time.

//go:noescape
func sqEuclideanManyNEONF32(n, d int, dst *float32, ldd int, q, x *float32)

//go:noescape
func sqEuclideanManyNEONBF16(n, d int, dst *float32, ldd int, q *float32, x *uint16)

//go:noescape
func sqEuclideanManyNEONF16(n, d int, dst *float32, ldd int, q *float32, x *uint16)

//go:noescape
func sqEuclideanManyNEONInt8(n, d int, dst *float32, ldd int, q *float32, x *int8, scale *float32)

//go:noescape
func dotManyNEONF32(n, d int, dst *float32, ldd int, q, x *float32)

//go:noescape
func dotManyNEONBF16(n, d int, dst *float32, ldd int, q *float32, x *uint16)

//go:noescape
func dotManyNEONF16(n, d int, dst *float32, ldd int, q *float32, x *uint16)

//go:noescape
func dotManyNEONInt8(n, d int, dst *float32, ldd int, q *float32, x *int8, scale *float32)

//go:noinline
func sqEuclideanMany(n, d int, dst []float32, ldd int, q, x []float32, ahead, step int) {
	if variant(d) == asm.NEONF32 {
		sqEuclideanManyNEONF32(n, d, num.P32(dst), ldd, num.P32(q), num.P32(x))
		return
	}
	sqEuclideanManyRef(n, d, dst, ldd, q, x)
}

//go:noinline
func sqEuclideanHalfMany(n, d int, dst []float32, ldd int, q []float32, x []uint16, format Half, ahead, step int) {
	switch v := variant(d); {
	case v == asm.NEONF32 && format == BFloat16:
		sqEuclideanManyNEONBF16(n, d, num.P32(dst), ldd, num.P32(q), unsafe.SliceData(x))
	case v == asm.NEONF32:
		sqEuclideanManyNEONF16(n, d, num.P32(dst), ldd, num.P32(q), unsafe.SliceData(x))
	default:
		sqEuclideanHalfManyRef(n, d, dst, ldd, q, x, format)
	}
}

//go:noinline
func sqEuclideanInt8Many(n, d int, dst []float32, ldd int, q []float32, x []int8, scale []float32, ahead, step int) {
	if variant(d) == asm.NEONF32 {
		sqEuclideanManyNEONInt8(n, d, num.P32(dst), ldd, num.P32(q), unsafe.SliceData(x), num.P32(scale))
		return
	}
	sqEuclideanInt8ManyRef(n, d, dst, ldd, q, x, scale)
}

//go:noinline
func dotMany(n, d int, dst []float32, ldd int, q, x []float32, ahead, step int) {
	if variant(d) == asm.NEONF32 {
		dotManyNEONF32(n, d, num.P32(dst), ldd, num.P32(q), num.P32(x))
		return
	}
	dotManyRef(n, d, dst, ldd, q, x)
}

//go:noinline
func dotHalfMany(n, d int, dst []float32, ldd int, q []float32, x []uint16, format Half, ahead, step int) {
	switch v := variant(d); {
	case v == asm.NEONF32 && format == BFloat16:
		dotManyNEONBF16(n, d, num.P32(dst), ldd, num.P32(q), unsafe.SliceData(x))
	case v == asm.NEONF32:
		dotManyNEONF16(n, d, num.P32(dst), ldd, num.P32(q), unsafe.SliceData(x))
	default:
		dotHalfManyRef(n, d, dst, ldd, q, x, format)
	}
}

//go:noinline
func dotInt8Many(n, d int, dst []float32, ldd int, q []float32, x []int8, scale []float32, ahead, step int) {
	if variant(d) == asm.NEONF32 {
		dotManyNEONInt8(n, d, num.P32(dst), ldd, num.P32(q), unsafe.SliceData(x), num.P32(scale))
		return
	}
	dotInt8ManyRef(n, d, dst, ldd, q, x, scale)
}
