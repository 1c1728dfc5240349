//go:build arm64 && !purego

package pass

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The Go functions that call assembly are not inlined. So each call begins with a stack check, where the
// scheduler can stop the goroutine. All sizes are positive.

// run makes one pass over K in assembly. It returns false if the current instruction-set level has no
// assembly. The pass computes the row sums s = K v. It sets u to the quotients a ⊘ s if divide is true, and to
// the products a ⊙ s otherwise. It then adds Kᵀu to q. If v is nil, u is an input. If q is nil, run stores s
// in u.
//
//go:noinline
func run[K, T num.Float](m, n int, k *K, ldk int, v, a, u, q *T, divide bool) bool {
	switch asm.VariantOf[K, T]() {
	case asm.NEONF64:
		if divide {
			iterateNEONF64(m, n, f64(k), ldk, f64(v), f64(a), f64(u), f64(q))
		} else {
			sweepNEONF64(m, n, f64(k), ldk, f64(v), f64(a), f64(u), f64(q))
		}
	case asm.NEONF32:
		if divide {
			iterateNEONF32(m, n, f32(k), ldk, f32(v), f32(a), f32(u), f32(q))
		} else {
			sweepNEONF32(m, n, f32(k), ldk, f32(v), f32(a), f32(u), f32(q))
		}
	case asm.NEONMixed:
		if divide {
			iterateNEONMixed(m, n, f32(k), ldk, f64(v), f64(a), f64(u), f64(q))
		} else {
			sweepNEONMixed(m, n, f32(k), ldk, f64(v), f64(a), f64(u), f64(q))
		}
	default:
		return false
	}
	return true
}

// f64 converts p to *float64, and f32 converts p to *float32. The caller must know the type T.
func f64[T num.Float](p *T) *float64 { return (*float64)(unsafe.Pointer(p)) }
func f32[T num.Float](p *T) *float32 { return (*float32)(unsafe.Pointer(p)) }

//go:noinline
func begin[T num.Float](m, n int, k []T, ldk int, mat []T, ldm int, v, u, w, r, s, q []T) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		beginNEONF64(m, n, num.P64(k), ldk, num.P64(mat), ldm, num.P64(v), num.P64(u), num.P64(w), num.P64(r), num.P64(s), num.P64(q))
	case asm.NEONF32:
		beginNEONF32(m, n, num.P32(k), ldk, num.P32(mat), ldm, num.P32(v), num.P32(u), num.P32(w), num.P32(r), num.P32(s), num.P32(q))
	default:
		beginRef(m, n, k, ldk, mat, ldm, v, u, w, r, s, q)
	}
}

//go:noinline
func divide[T num.Float](n int, dst, x, y []T) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		divideNEONF64(n, num.P64(dst), num.P64(x), num.P64(y))
	case asm.NEONF32:
		divideNEONF32(n, num.P32(dst), num.P32(x), num.P32(y))
	default:
		divideRef(n, dst, x, y)
	}
}

//go:noinline
func countOutside[T num.Float](n int, x []T, lo, hi T) int {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		return countOutsideNEONF64(n, num.P64(x), float64(lo), float64(hi))
	case asm.NEONF32:
		return countOutsideNEONF32(n, num.P32(x), float32(lo), float32(hi))
	default:
		return countOutsideRef(n, x, lo, hi)
	}
}

//go:noinline
func narrow(n int, dst []float32, x []float64) {
	switch asm.Current() {
	case asm.NEON:
		narrowNEONMixed(n, unsafe.SliceData(dst), unsafe.SliceData(x))
	default:
		narrowRef(n, dst, x)
	}
}

//go:noinline
func widen(n int, dst []float64, x []float32) {
	switch asm.Current() {
	case asm.NEON:
		widenNEONMixed(n, unsafe.SliceData(dst), unsafe.SliceData(x))
	default:
		widenRef(n, dst, x)
	}
}

//go:noescape
func iterateNEONF64(m, n int, k *float64, ldk int, v, a, u, q *float64)

//go:noescape
func iterateNEONF32(m, n int, k *float32, ldk int, v, a, u, q *float32)

//go:noescape
func iterateNEONMixed(m, n int, k *float32, ldk int, v, a, u, q *float64)

//go:noescape
func sweepNEONF64(m, n int, k *float64, ldk int, v, a, u, q *float64)

//go:noescape
func sweepNEONF32(m, n int, k *float32, ldk int, v, a, u, q *float32)

//go:noescape
func sweepNEONMixed(m, n int, k *float32, ldk int, v, a, u, q *float64)

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
