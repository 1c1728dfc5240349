//go:build amd64 && !purego

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
	case asm.AVX512F64:
		rowsAVX512F64(m, n, num.P64(s), num.P64(k), num.P64(v))
	case asm.AVX512F32:
		rowsAVX512F32(m, n, num.P32(s), num.P32(k), num.P32(v))
	case asm.AVX2F64:
		rowsAVX2F64(m, n, num.P64(s), num.P64(k), num.P64(v))
	case asm.AVX2F32:
		rowsAVX2F32(m, n, num.P32(s), num.P32(k), num.P32(v))
	default:
		rowsRef(m, n, s, k, v)
	}
}

//go:noinline
func columns[T num.Float](m, n int, q, k, u []T) {
	switch asm.VariantOf[T, T]() {
	case asm.AVX512F64:
		columnsAVX512F64(m, n, num.P64(q), num.P64(k), num.P64(u))
	case asm.AVX512F32:
		columnsAVX512F32(m, n, num.P32(q), num.P32(k), num.P32(u))
	case asm.AVX2F64:
		columnsAVX2F64(m, n, num.P64(q), num.P64(k), num.P64(u))
	case asm.AVX2F32:
		columnsAVX2F32(m, n, num.P32(q), num.P32(k), num.P32(u))
	default:
		columnsRef(m, n, q, k, u)
	}
}

//go:noinline
func divide[T num.Float](n int, x, a, y, lo, hi, outside []T, clear bool) {
	switch asm.VariantOf[T, T]() {
	case asm.AVX512F64:
		divideAVX512F64(n, num.P64(x), num.P64(a), num.P64(y), num.P64(lo), num.P64(hi), num.P64(outside), clear)
	case asm.AVX512F32:
		divideAVX512F32(n, num.P32(x), num.P32(a), num.P32(y), num.P32(lo), num.P32(hi), num.P32(outside), clear)
	case asm.AVX2F64:
		divideAVX2F64(n, num.P64(x), num.P64(a), num.P64(y), num.P64(lo), num.P64(hi), num.P64(outside), clear)
	case asm.AVX2F32:
		divideAVX2F32(n, num.P32(x), num.P32(a), num.P32(y), num.P32(lo), num.P32(hi), num.P32(outside), clear)
	default:
		divideRef(n, x, a, y, lo, hi, outside, clear)
	}
}

//go:noinline
func sqEuclidean[T num.Float](m, n, d int, dst, x, y []T) {
	switch asm.VariantOf[T, T]() {
	case asm.AVX512F64:
		sqEuclideanAVX512F64(m, n, d, num.P64(dst), num.P64(x), num.P64(y))
	case asm.AVX512F32:
		sqEuclideanAVX512F32(m, n, d, num.P32(dst), num.P32(x), num.P32(y))
	case asm.AVX2F64:
		sqEuclideanAVX2F64(m, n, d, num.P64(dst), num.P64(x), num.P64(y))
	case asm.AVX2F32:
		sqEuclideanAVX2F32(m, n, d, num.P32(dst), num.P32(x), num.P32(y))
	default:
		sqEuclideanRef(m, n, d, dst, x, y)
	}
}

//go:noinline
func mul[T num.Float](n int, z, x, y []T, same bool) {
	switch asm.VariantOf[T, T]() {
	case asm.AVX512F64:
		mulAVX512F64(n, num.P64(z), num.P64(x), num.P64(y), same)
	case asm.AVX512F32:
		mulAVX512F32(n, num.P32(z), num.P32(x), num.P32(y), same)
	case asm.AVX2F64:
		mulAVX2F64(n, num.P64(z), num.P64(x), num.P64(y), same)
	case asm.AVX2F32:
		mulAVX2F32(n, num.P32(z), num.P32(x), num.P32(y), same)
	default:
		mulRef(n, z, x, y, same)
	}
}

// interleave uses the AVX2 kernel on AVX-512 machines, too, because an AVX-512 kernel would not be faster.
//
//go:noinline
func interleave[T num.Float](m, n int, dst []T, ldd int, x *[num.MaxLanes][]T, ldx int) {
	switch asm.VariantOf[T, T]() {
	case asm.AVX512F64, asm.AVX2F64:
		interleaveAVX2F64(m, n, num.P64(dst), ldd, (*[num.MaxLanes][]float64)(unsafe.Pointer(x)), ldx)
	case asm.AVX512F32, asm.AVX2F32:
		interleaveAVX2F32(m, n, num.P32(dst), ldd, (*[num.MaxLanes][]float32)(unsafe.Pointer(x)), ldx)
	default:
		interleaveRef(m, n, dst, ldd, x, ldx)
	}
}

//go:noescape
func rowsAVX512F64(m, n int, s, k, v *float64)

//go:noescape
func columnsAVX512F64(m, n int, q, k, u *float64)

//go:noescape
func divideAVX512F64(n int, x, a, y, lo, hi, outside *float64, clear bool)

//go:noescape
func sqEuclideanAVX512F64(m, n, d int, dst, x, y *float64)

//go:noescape
func mulAVX512F64(n int, z, x, y *float64, same bool)

//go:noescape
func rowsAVX512F32(m, n int, s, k, v *float32)

//go:noescape
func columnsAVX512F32(m, n int, q, k, u *float32)

//go:noescape
func divideAVX512F32(n int, x, a, y, lo, hi, outside *float32, clear bool)

//go:noescape
func sqEuclideanAVX512F32(m, n, d int, dst, x, y *float32)

//go:noescape
func mulAVX512F32(n int, z, x, y *float32, same bool)

//go:noescape
func rowsAVX2F64(m, n int, s, k, v *float64)

//go:noescape
func columnsAVX2F64(m, n int, q, k, u *float64)

//go:noescape
func divideAVX2F64(n int, x, a, y, lo, hi, outside *float64, clear bool)

//go:noescape
func sqEuclideanAVX2F64(m, n, d int, dst, x, y *float64)

//go:noescape
func mulAVX2F64(n int, z, x, y *float64, same bool)

//go:noescape
func rowsAVX2F32(m, n int, s, k, v *float32)

//go:noescape
func columnsAVX2F32(m, n int, q, k, u *float32)

//go:noescape
func divideAVX2F32(n int, x, a, y, lo, hi, outside *float32, clear bool)

//go:noescape
func sqEuclideanAVX2F32(m, n, d int, dst, x, y *float32)

//go:noescape
func mulAVX2F32(n int, z, x, y *float32, same bool)

//go:noescape
func interleaveAVX2F64(m, n int, dst *float64, ldd int, x *[num.MaxLanes][]float64, ldx int)

//go:noescape
func interleaveAVX2F32(m, n int, dst *float32, ldd int, x *[num.MaxLanes][]float32, ldx int)
