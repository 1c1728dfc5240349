//go:build arm64 && !purego

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
	case asm.NEONF64:
		rowsNEONF64(m, n, num.P64(s), num.P64(k), ldk, num.P64(v))
	case asm.NEONF32:
		rowsNEONF32(m, n, num.P32(s), num.P32(k), ldk, num.P32(v))
	case asm.NEONMixed:
		rowsNEONMixed(m, n, num.P64(s), num.P32(k), ldk, num.P64(v))
	default:
		rowsRef(m, n, s, k, ldk, v)
	}
}

//go:noinline
func columns[K, T num.Float](lv asm.Level, m, n int, q []T, k []K, ldk int, u []T) {
	switch asm.VariantOf[K, T](lv) {
	case asm.NEONF64:
		columnsNEONF64(m, n, num.P64(q), num.P64(k), ldk, num.P64(u))
	case asm.NEONF32:
		columnsNEONF32(m, n, num.P32(q), num.P32(k), ldk, num.P32(u))
	case asm.NEONMixed:
		columnsNEONMixed(m, n, num.P64(q), num.P32(k), ldk, num.P64(u))
	default:
		columnsRef(m, n, q, k, ldk, u)
	}
}

//go:noinline
func iterate[K, T num.Float](lv asm.Level, m, n int, k []K, ldk int, v, a, u, q []T) {
	switch asm.VariantOf[K, T](lv) {
	case asm.NEONF64:
		iterateNEONF64(m, n, num.P64(k), ldk, num.P64(v), num.P64(a), num.P64(u), num.P64(q))
	case asm.NEONF32:
		iterateNEONF32(m, n, num.P32(k), ldk, num.P32(v), num.P32(a), num.P32(u), num.P32(q))
	case asm.NEONMixed:
		iterateNEONMixed(m, n, num.P32(k), ldk, num.P64(v), num.P64(a), num.P64(u), num.P64(q))
	default:
		iterateRef(m, n, k, ldk, v, a, u, q)
	}
}

//go:noinline
func sweep[K, T num.Float](lv asm.Level, m, n int, k []K, ldk int, t, w, s, q []T) {
	switch asm.VariantOf[K, T](lv) {
	case asm.NEONF64:
		sweepNEONF64(m, n, num.P64(k), ldk, num.P64(t), num.P64(w), num.P64(s), num.P64(q))
	case asm.NEONF32:
		sweepNEONF32(m, n, num.P32(k), ldk, num.P32(t), num.P32(w), num.P32(s), num.P32(q))
	case asm.NEONMixed:
		sweepNEONMixed(m, n, num.P32(k), ldk, num.P64(t), num.P64(w), num.P64(s), num.P64(q))
	default:
		sweepRef(m, n, k, ldk, t, w, s, q)
	}
}

//go:noinline
func begin[T num.Float](lv asm.Level, m, n int, k []T, ldk int, mat []T, ldm int, v, u, w, r, s, q []T) {
	switch asm.VariantOf[T, T](lv) {
	case asm.NEONF64:
		beginNEONF64(m, n, num.P64(k), ldk, num.P64(mat), ldm, num.P64(v), num.P64(u), num.P64(w), num.P64(r), num.P64(s), num.P64(q))
	case asm.NEONF32:
		beginNEONF32(m, n, num.P32(k), ldk, num.P32(mat), ldm, num.P32(v), num.P32(u), num.P32(w), num.P32(r), num.P32(s), num.P32(q))
	default:
		beginRef(m, n, k, ldk, mat, ldm, v, u, w, r, s, q)
	}
}

//go:noinline
func divide[T num.Float](lv asm.Level, n int, dst, x, y []T) {
	switch asm.VariantOf[T, T](lv) {
	case asm.NEONF64:
		divideNEONF64(n, num.P64(dst), num.P64(x), num.P64(y))
	case asm.NEONF32:
		divideNEONF32(n, num.P32(dst), num.P32(x), num.P32(y))
	default:
		divideRef(n, dst, x, y)
	}
}

//go:noinline
func countOutside[T num.Float](lv asm.Level, n int, x []T, lo, hi T) int {
	switch asm.VariantOf[T, T](lv) {
	case asm.NEONF64:
		return countOutsideNEONF64(n, num.P64(x), float64(lo), float64(hi))
	case asm.NEONF32:
		return countOutsideNEONF32(n, num.P32(x), float32(lo), float32(hi))
	default:
		return countOutsideRef(n, x, lo, hi)
	}
}

//go:noinline
func narrow(lv asm.Level, n int, dst []float32, x []float64) {
	switch lv {
	case asm.NEON:
		narrowNEONMixed(n, unsafe.SliceData(dst), unsafe.SliceData(x))
	default:
		narrowRef(n, dst, x)
	}
}

//go:noinline
func widen(lv asm.Level, n int, dst []float64, x []float32) {
	switch lv {
	case asm.NEON:
		widenNEONMixed(n, unsafe.SliceData(dst), unsafe.SliceData(x))
	default:
		widenRef(n, dst, x)
	}
}

//go:noescape
func rowsNEONF64(m, n int, s, k *float64, ldk int, v *float64)

//go:noescape
func rowsNEONF32(m, n int, s, k *float32, ldk int, v *float32)

//go:noescape
func rowsNEONMixed(m, n int, s *float64, k *float32, ldk int, v *float64)

//go:noescape
func columnsNEONF64(m, n int, q, k *float64, ldk int, u *float64)

//go:noescape
func columnsNEONF32(m, n int, q, k *float32, ldk int, u *float32)

//go:noescape
func columnsNEONMixed(m, n int, q *float64, k *float32, ldk int, u *float64)

//go:noescape
func iterateNEONF64(m, n int, k *float64, ldk int, v, a, u, q *float64)

//go:noescape
func iterateNEONF32(m, n int, k *float32, ldk int, v, a, u, q *float32)

//go:noescape
func iterateNEONMixed(m, n int, k *float32, ldk int, v, a, u, q *float64)

//go:noescape
func sweepNEONF64(m, n int, k *float64, ldk int, t, w, s, q *float64)

//go:noescape
func sweepNEONF32(m, n int, k *float32, ldk int, t, w, s, q *float32)

//go:noescape
func sweepNEONMixed(m, n int, k *float32, ldk int, t, w, s, q *float64)

//go:noescape
func beginNEONF64(m, n int, k *float64, ldk int, mat *float64, ldm int, v, u, w, r, s, q *float64)

//go:noescape
func beginNEONF32(m, n int, k *float32, ldk int, mat *float32, ldm int, v, u, w, r, s, q *float32)

//go:noescape
func divideNEONF64(n int, dst, x, y *float64)

//go:noescape
func divideNEONF32(n int, dst, x, y *float32)

//go:noescape
func countOutsideNEONF64(n int, x *float64, lo, hi float64) int

//go:noescape
func countOutsideNEONF32(n int, x *float32, lo, hi float32) int

//go:noescape
func narrowNEONMixed(n int, dst *float32, x *float64)

//go:noescape
func widenNEONMixed(n int, dst *float64, x *float32)
