//go:build amd64 && !purego

package pass

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// A function here is not inlined, so that every call of assembly comes after a stack
// check, at which the goroutine can be stopped. The assembly takes sizes from 1 on.

//go:noinline
func rows[K, T num.Float](lv asm.Level, m, n int, s []T, k []K, ldk int, v []T) {
	switch asm.VariantOf[K, T](lv) {
	case asm.AVX512F64:
		rowsAVX512F64(m, n, num.P64(s), num.P64(k), ldk, num.P64(v))
	case asm.AVX512F32:
		rowsAVX512F32(m, n, num.P32(s), num.P32(k), ldk, num.P32(v))
	case asm.AVX512Mixed:
		rowsAVX512Mixed(m, n, num.P64(s), num.P32(k), ldk, num.P64(v))
	case asm.AVX2F64:
		rowsAVX2F64(m, n, num.P64(s), num.P64(k), ldk, num.P64(v))
	case asm.AVX2F32:
		rowsAVX2F32(m, n, num.P32(s), num.P32(k), ldk, num.P32(v))
	case asm.AVX2Mixed:
		rowsAVX2Mixed(m, n, num.P64(s), num.P32(k), ldk, num.P64(v))
	default:
		rowsRef(m, n, s, k, ldk, v)
	}
}

//go:noinline
func columns[K, T num.Float](lv asm.Level, m, n int, q []T, k []K, ldk int, u []T) {
	switch asm.VariantOf[K, T](lv) {
	case asm.AVX512F64:
		columnsAVX512F64(m, n, num.P64(q), num.P64(k), ldk, num.P64(u))
	case asm.AVX512F32:
		columnsAVX512F32(m, n, num.P32(q), num.P32(k), ldk, num.P32(u))
	case asm.AVX512Mixed:
		columnsAVX512Mixed(m, n, num.P64(q), num.P32(k), ldk, num.P64(u))
	case asm.AVX2F64:
		columnsAVX2F64(m, n, num.P64(q), num.P64(k), ldk, num.P64(u))
	case asm.AVX2F32:
		columnsAVX2F32(m, n, num.P32(q), num.P32(k), ldk, num.P32(u))
	case asm.AVX2Mixed:
		columnsAVX2Mixed(m, n, num.P64(q), num.P32(k), ldk, num.P64(u))
	default:
		columnsRef(m, n, q, k, ldk, u)
	}
}

//go:noinline
func iterate[K, T num.Float](lv asm.Level, m, n int, k []K, ldk int, v, a, u, q []T) {
	switch asm.VariantOf[K, T](lv) {
	case asm.AVX512F64:
		iterateAVX512F64(m, n, num.P64(k), ldk, num.P64(v), num.P64(a), num.P64(u), num.P64(q))
	case asm.AVX512F32:
		iterateAVX512F32(m, n, num.P32(k), ldk, num.P32(v), num.P32(a), num.P32(u), num.P32(q))
	case asm.AVX512Mixed:
		iterateAVX512Mixed(m, n, num.P32(k), ldk, num.P64(v), num.P64(a), num.P64(u), num.P64(q))
	case asm.AVX2F64:
		iterateAVX2F64(m, n, num.P64(k), ldk, num.P64(v), num.P64(a), num.P64(u), num.P64(q))
	case asm.AVX2F32:
		iterateAVX2F32(m, n, num.P32(k), ldk, num.P32(v), num.P32(a), num.P32(u), num.P32(q))
	case asm.AVX2Mixed:
		iterateAVX2Mixed(m, n, num.P32(k), ldk, num.P64(v), num.P64(a), num.P64(u), num.P64(q))
	default:
		iterateRef(m, n, k, ldk, v, a, u, q)
	}
}

//go:noinline
func sweep[K, T num.Float](lv asm.Level, m, n int, k []K, ldk int, t, w, s, q []T) {
	switch asm.VariantOf[K, T](lv) {
	case asm.AVX512F64:
		sweepAVX512F64(m, n, num.P64(k), ldk, num.P64(t), num.P64(w), num.P64(s), num.P64(q))
	case asm.AVX512F32:
		sweepAVX512F32(m, n, num.P32(k), ldk, num.P32(t), num.P32(w), num.P32(s), num.P32(q))
	case asm.AVX512Mixed:
		sweepAVX512Mixed(m, n, num.P32(k), ldk, num.P64(t), num.P64(w), num.P64(s), num.P64(q))
	case asm.AVX2F64:
		sweepAVX2F64(m, n, num.P64(k), ldk, num.P64(t), num.P64(w), num.P64(s), num.P64(q))
	case asm.AVX2F32:
		sweepAVX2F32(m, n, num.P32(k), ldk, num.P32(t), num.P32(w), num.P32(s), num.P32(q))
	case asm.AVX2Mixed:
		sweepAVX2Mixed(m, n, num.P32(k), ldk, num.P64(t), num.P64(w), num.P64(s), num.P64(q))
	default:
		sweepRef(m, n, k, ldk, t, w, s, q)
	}
}

//go:noinline
func begin[T num.Float](lv asm.Level, m, n int, k []T, ldk int, mat []T, ldm int, v, u, w, r, s, q []T) {
	switch asm.VariantOf[T, T](lv) {
	case asm.AVX512F64:
		beginAVX512F64(m, n, num.P64(k), ldk, num.P64(mat), ldm, num.P64(v), num.P64(u), num.P64(w), num.P64(r), num.P64(s), num.P64(q))
	case asm.AVX512F32:
		beginAVX512F32(m, n, num.P32(k), ldk, num.P32(mat), ldm, num.P32(v), num.P32(u), num.P32(w), num.P32(r), num.P32(s), num.P32(q))
	case asm.AVX2F64:
		beginAVX2F64(m, n, num.P64(k), ldk, num.P64(mat), ldm, num.P64(v), num.P64(u), num.P64(w), num.P64(r), num.P64(s), num.P64(q))
	case asm.AVX2F32:
		beginAVX2F32(m, n, num.P32(k), ldk, num.P32(mat), ldm, num.P32(v), num.P32(u), num.P32(w), num.P32(r), num.P32(s), num.P32(q))
	default:
		beginRef(m, n, k, ldk, mat, ldm, v, u, w, r, s, q)
	}
}

//go:noinline
func divide[T num.Float](lv asm.Level, n int, dst, x, y []T) {
	switch asm.VariantOf[T, T](lv) {
	case asm.AVX512F64:
		divideAVX512F64(n, num.P64(dst), num.P64(x), num.P64(y))
	case asm.AVX512F32:
		divideAVX512F32(n, num.P32(dst), num.P32(x), num.P32(y))
	case asm.AVX2F64:
		divideAVX2F64(n, num.P64(dst), num.P64(x), num.P64(y))
	case asm.AVX2F32:
		divideAVX2F32(n, num.P32(dst), num.P32(x), num.P32(y))
	default:
		divideRef(n, dst, x, y)
	}
}

//go:noinline
func countOutside[T num.Float](lv asm.Level, n int, x []T, lo, hi T) int {
	switch asm.VariantOf[T, T](lv) {
	case asm.AVX512F64:
		return countOutsideAVX512F64(n, num.P64(x), float64(lo), float64(hi))
	case asm.AVX512F32:
		return countOutsideAVX512F32(n, num.P32(x), float32(lo), float32(hi))
	case asm.AVX2F64:
		return countOutsideAVX2F64(n, num.P64(x), float64(lo), float64(hi))
	case asm.AVX2F32:
		return countOutsideAVX2F32(n, num.P32(x), float32(lo), float32(hi))
	default:
		return countOutsideRef(n, x, lo, hi)
	}
}

//go:noinline
func narrow(lv asm.Level, n int, dst []float32, x []float64) {
	switch lv {
	case asm.AVX512:
		narrowAVX512Mixed(n, unsafe.SliceData(dst), unsafe.SliceData(x))
	case asm.AVX2:
		narrowAVX2Mixed(n, unsafe.SliceData(dst), unsafe.SliceData(x))
	default:
		narrowRef(n, dst, x)
	}
}

//go:noinline
func widen(lv asm.Level, n int, dst []float64, x []float32) {
	switch lv {
	case asm.AVX512:
		widenAVX512Mixed(n, unsafe.SliceData(dst), unsafe.SliceData(x))
	case asm.AVX2:
		widenAVX2Mixed(n, unsafe.SliceData(dst), unsafe.SliceData(x))
	default:
		widenRef(n, dst, x)
	}
}

//go:noescape
func rowsAVX512F64(m, n int, s, k *float64, ldk int, v *float64)

//go:noescape
func rowsAVX512F32(m, n int, s, k *float32, ldk int, v *float32)

//go:noescape
func rowsAVX512Mixed(m, n int, s *float64, k *float32, ldk int, v *float64)

//go:noescape
func rowsAVX2F64(m, n int, s, k *float64, ldk int, v *float64)

//go:noescape
func rowsAVX2F32(m, n int, s, k *float32, ldk int, v *float32)

//go:noescape
func rowsAVX2Mixed(m, n int, s *float64, k *float32, ldk int, v *float64)

//go:noescape
func columnsAVX512F64(m, n int, q, k *float64, ldk int, u *float64)

//go:noescape
func columnsAVX512F32(m, n int, q, k *float32, ldk int, u *float32)

//go:noescape
func columnsAVX512Mixed(m, n int, q *float64, k *float32, ldk int, u *float64)

//go:noescape
func columnsAVX2F64(m, n int, q, k *float64, ldk int, u *float64)

//go:noescape
func columnsAVX2F32(m, n int, q, k *float32, ldk int, u *float32)

//go:noescape
func columnsAVX2Mixed(m, n int, q *float64, k *float32, ldk int, u *float64)

//go:noescape
func iterateAVX512F64(m, n int, k *float64, ldk int, v, a, u, q *float64)

//go:noescape
func iterateAVX512F32(m, n int, k *float32, ldk int, v, a, u, q *float32)

//go:noescape
func iterateAVX512Mixed(m, n int, k *float32, ldk int, v, a, u, q *float64)

//go:noescape
func iterateAVX2F64(m, n int, k *float64, ldk int, v, a, u, q *float64)

//go:noescape
func iterateAVX2F32(m, n int, k *float32, ldk int, v, a, u, q *float32)

//go:noescape
func iterateAVX2Mixed(m, n int, k *float32, ldk int, v, a, u, q *float64)

//go:noescape
func sweepAVX512F64(m, n int, k *float64, ldk int, t, w, s, q *float64)

//go:noescape
func sweepAVX512F32(m, n int, k *float32, ldk int, t, w, s, q *float32)

//go:noescape
func sweepAVX512Mixed(m, n int, k *float32, ldk int, t, w, s, q *float64)

//go:noescape
func sweepAVX2F64(m, n int, k *float64, ldk int, t, w, s, q *float64)

//go:noescape
func sweepAVX2F32(m, n int, k *float32, ldk int, t, w, s, q *float32)

//go:noescape
func sweepAVX2Mixed(m, n int, k *float32, ldk int, t, w, s, q *float64)

//go:noescape
func beginAVX512F64(m, n int, k *float64, ldk int, mat *float64, ldm int, v, u, w, r, s, q *float64)

//go:noescape
func beginAVX512F32(m, n int, k *float32, ldk int, mat *float32, ldm int, v, u, w, r, s, q *float32)

//go:noescape
func beginAVX2F64(m, n int, k *float64, ldk int, mat *float64, ldm int, v, u, w, r, s, q *float64)

//go:noescape
func beginAVX2F32(m, n int, k *float32, ldk int, mat *float32, ldm int, v, u, w, r, s, q *float32)

//go:noescape
func divideAVX512F64(n int, dst, x, y *float64)

//go:noescape
func divideAVX512F32(n int, dst, x, y *float32)

//go:noescape
func divideAVX2F64(n int, dst, x, y *float64)

//go:noescape
func divideAVX2F32(n int, dst, x, y *float32)

//go:noescape
func countOutsideAVX512F64(n int, x *float64, lo, hi float64) int

//go:noescape
func countOutsideAVX512F32(n int, x *float32, lo, hi float32) int

//go:noescape
func countOutsideAVX2F64(n int, x *float64, lo, hi float64) int

//go:noescape
func countOutsideAVX2F32(n int, x *float32, lo, hi float32) int

//go:noescape
func narrowAVX512Mixed(n int, dst *float32, x *float64)

//go:noescape
func narrowAVX2Mixed(n int, dst *float32, x *float64)

//go:noescape
func widenAVX512Mixed(n int, dst *float64, x *float32)

//go:noescape
func widenAVX2Mixed(n int, dst *float64, x *float32)
