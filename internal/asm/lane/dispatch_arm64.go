//go:build arm64 && !purego

package lane

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The Go functions that call assembly are not inlined. So each call begins with a stack check, where the
// scheduler can stop the goroutine. All sizes are positive.

//go:noinline
func rows[T num.Float](m, n int, s, k, v []T) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		rowsNEONF64(m, n, num.P64(s), num.P64(k), num.P64(v))
	case asm.NEONF32:
		rowsNEONF32(m, n, num.P32(s), num.P32(k), num.P32(v))
	default:
		rowsRef(m, n, s, k, v)
	}
}

//go:noinline
func columns[T num.Float](m, n int, q, k, u []T) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		columnsNEONF64(m, n, num.P64(q), num.P64(k), num.P64(u))
	case asm.NEONF32:
		columnsNEONF32(m, n, num.P32(q), num.P32(k), num.P32(u))
	default:
		columnsRef(m, n, q, k, u)
	}
}

//go:noinline
func divide[T num.Float](n int, x, a, y, lo, hi, outside []T, clear bool) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		divideNEONF64(n, num.P64(x), num.P64(a), num.P64(y), num.P64(lo), num.P64(hi), num.P64(outside), clear)
	case asm.NEONF32:
		divideNEONF32(n, num.P32(x), num.P32(a), num.P32(y), num.P32(lo), num.P32(hi), num.P32(outside), clear)
	default:
		divideRef(n, x, a, y, lo, hi, outside, clear)
	}
}

//go:noinline
func sqEuclidean[T num.Float](m, n, d int, dst, x, y []T) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		sqEuclideanNEONF64(m, n, d, num.P64(dst), num.P64(x), num.P64(y))
	case asm.NEONF32:
		sqEuclideanNEONF32(m, n, d, num.P32(dst), num.P32(x), num.P32(y))
	default:
		sqEuclideanRef(m, n, d, dst, x, y)
	}
}

//go:noinline
func mul[T num.Float](n int, z, x, y []T, same bool) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		mulNEONF64(n, num.P64(z), num.P64(x), num.P64(y), same)
	case asm.NEONF32:
		mulNEONF32(n, num.P32(z), num.P32(x), num.P32(y), same)
	default:
		mulRef(n, z, x, y, same)
	}
}

//go:noinline
func interleave[T num.Float](m, n int, dst []T, ldd int, x *[num.MaxLanes][]T, ldx int) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		interleaveNEONF64(m, n, num.P64(dst), ldd, (*[num.MaxLanes][]float64)(unsafe.Pointer(x)), ldx)
	case asm.NEONF32:
		interleaveNEONF32(m, n, num.P32(dst), ldd, (*[num.MaxLanes][]float32)(unsafe.Pointer(x)), ldx)
	default:
		interleaveRef(m, n, dst, ldd, x, ldx)
	}
}

//go:noescape
func rowsNEONF64(m, n int, s, k, v *float64)

//go:noescape
func columnsNEONF64(m, n int, q, k, u *float64)

//go:noescape
func divideNEONF64(n int, x, a, y, lo, hi, outside *float64, clear bool)

//go:noescape
func sqEuclideanNEONF64(m, n, d int, dst, x, y *float64)

//go:noescape
func mulNEONF64(n int, z, x, y *float64, same bool)

//go:noescape
func rowsNEONF32(m, n int, s, k, v *float32)

//go:noescape
func columnsNEONF32(m, n int, q, k, u *float32)

//go:noescape
func divideNEONF32(n int, x, a, y, lo, hi, outside *float32, clear bool)

//go:noescape
func sqEuclideanNEONF32(m, n, d int, dst, x, y *float32)

//go:noescape
func mulNEONF32(n int, z, x, y *float32, same bool)

//go:noescape
func interleaveNEONF64(m, n int, dst *float64, ldd int, x *[num.MaxLanes][]float64, ldx int)

//go:noescape
func interleaveNEONF32(m, n int, dst *float32, ldd int, x *[num.MaxLanes][]float32, ldx int)
