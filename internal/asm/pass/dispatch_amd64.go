//go:build amd64 && !purego

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
	switch form(asm.VariantOf[K, T](), n, ldk, v != nil, q != nil) {
	case asm.AVX512F64:
		passAVX512F64(m, n, f64(k), ldk, f64(v), f64(a), f64(u), f64(q), divide)
	case asm.AVX512F32:
		passAVX512F32(m, n, f32(k), ldk, f32(v), f32(a), f32(u), f32(q), divide)
	case asm.AVX512Mixed:
		passAVX512Mixed(m, n, f32(k), ldk, f64(v), f64(a), f64(u), f64(q), divide)
	case asm.AVX2F64:
		passAVX2F64(m, n, f64(k), ldk, f64(v), f64(a), f64(u), f64(q), divide)
	case asm.AVX2F32:
		passAVX2F32(m, n, f32(k), ldk, f32(v), f32(a), f32(u), f32(q), divide)
	case asm.AVX2Mixed:
		passAVX2Mixed(m, n, f32(k), ldk, f64(v), f64(a), f64(u), f64(q), divide)
	default:
		return false
	}
	return true
}

// form returns the fastest variant for rows of n columns with stride ldk. The pass computes row sums if rows is
// set, and column sums if columns is set.
func form(v asm.Variant, n, ldk int, rows, columns bool) asm.Variant {
	m := asm.CurrentMachine()
	choice := &m.Columns
	switch {
	case rows && columns:
		choice = &m.Iterate
	case v == asm.AVX512F64 && isOddStride(ldk):
		choice = &m.OddPass
	case rows:
		choice = &m.Rows
	}
	return choice.Variant(v, n)
}

// isOddStride reports whether every second float64 row with stride ldk begins at an odd multiple of 32 bytes. Every
// load of 64 bytes from these rows crosses a cache line.
func isOddStride(ldk int) bool { return ldk%8 == 4 }

// f64 converts p to *float64, and f32 converts p to *float32. The caller must know the type T.
func f64[T num.Float](p *T) *float64 { return (*float64)(unsafe.Pointer(p)) }
func f32[T num.Float](p *T) *float32 { return (*float32)(unsafe.Pointer(p)) }

//go:noinline
func begin[T num.Float](m, n int, k []T, ldk int, mat []T, ldm int, v, u, w, r, s, q []T) {
	machine, form := asm.CurrentMachine(), asm.VariantOf[T, T]()
	choice := &machine.Begin
	if form == asm.AVX512F64 && isOddStride(ldk) {
		choice = &machine.OddPass
	}
	switch choice.Variant(form, n) {
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
func divide[T num.Float](n int, dst, x, y []T) {
	switch asm.CurrentMachine().Divide.Variant(asm.VariantOf[T, T](), n) {
	case asm.AVX512F64:
		divideAVX512F64(n, num.P64(dst), num.P64(x), num.P64(y))
	case asm.AVX2F64:
		divideAVX2F64(n, num.P64(dst), num.P64(x), num.P64(y))
	case asm.AVX2F32, asm.AVX512F32: // the divider takes twice as long for 64 bytes as for 32
		divideAVX2F32(n, num.P32(dst), num.P32(x), num.P32(y))
	default:
		divideRef(n, dst, x, y)
	}
}

//go:noinline
func countOutside[T num.Float](n int, x []T, lo, hi T) int {
	switch asm.VariantOf[T, T]() {
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
func narrow(n int, dst []float32, x []float64) {
	switch asm.Current() {
	case asm.AVX512:
		narrowAVX512Mixed(n, unsafe.SliceData(dst), unsafe.SliceData(x))
	case asm.AVX2:
		narrowAVX2Mixed(n, unsafe.SliceData(dst), unsafe.SliceData(x))
	default:
		narrowRef(n, dst, x)
	}
}

//go:noinline
func widen(n int, dst []float64, x []float32) {
	switch asm.Current() {
	case asm.AVX512:
		widenAVX512Mixed(n, unsafe.SliceData(dst), unsafe.SliceData(x))
	case asm.AVX2:
		widenAVX2Mixed(n, unsafe.SliceData(dst), unsafe.SliceData(x))
	default:
		widenRef(n, dst, x)
	}
}

//go:noescape
func passAVX512F64(m, n int, k *float64, ldk int, v, a, u, q *float64, divide bool)

//go:noescape
func passAVX512F32(m, n int, k *float32, ldk int, v, a, u, q *float32, divide bool)

//go:noescape
func passAVX512Mixed(m, n int, k *float32, ldk int, v, a, u, q *float64, divide bool)

//go:noescape
func passAVX2F64(m, n int, k *float64, ldk int, v, a, u, q *float64, divide bool)

//go:noescape
func passAVX2F32(m, n int, k *float32, ldk int, v, a, u, q *float32, divide bool)

//go:noescape
func passAVX2Mixed(m, n int, k *float32, ldk int, v, a, u, q *float64, divide bool)

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
