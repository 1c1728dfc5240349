//go:build amd64 && !purego

package block

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The scheduler cannot preempt assembly. Functions that call assembly are not inlined, because
// their stack checks are preemption points. Assembly requires sizes of at least 1.

// tiled reports whether the current level has assembly for the element types K and T.
func tiled[K, T num.Float]() bool {
	switch asm.VariantOf[K, T]() {
	case asm.AVX2F64, asm.AVX2F32, asm.AVX2Mixed, asm.AVX512F64, asm.AVX512F32, asm.AVX512Mixed:
		return true
	}
	return false
}

// sums multiplies the m×n matrix k by each vector v[s][j:] and adds the products to the lanes (the
// partial sums) of the m rows.
//
//go:noinline
func sums[K, T num.Float](m, n int, k *K, ldk int, v *[Size][]T, j int, lanes *T) {
	switch asm.VariantOf[K, T]() {
	case asm.AVX512F64:
		sumsAVX512F64(m, n, f64(k), ldk, b64(v), j, f64(lanes))
	case asm.AVX512F32:
		sumsAVX512F32(m, n, f32(k), ldk, b32(v), j, f32(lanes))
	case asm.AVX512Mixed:
		sumsAVX512Mixed(m, n, f32(k), ldk, b64(v), j, f64(lanes))
	case asm.AVX2F64:
		sumsAVX2F64(m, n, f64(k), ldk, b64(v), j, f64(lanes))
	case asm.AVX2F32:
		sumsAVX2F32(m, n, f32(k), ldk, b32(v), j, f32(lanes))
	case asm.AVX2Mixed:
		sumsAVX2Mixed(m, n, f32(k), ldk, b64(v), j, f64(lanes))
	}
}

// update adds the lanes of each of m rows to get the row sums, and clears the lanes. For every
// vector s of the block, it sets u[s][i:] to a[s][i:] divided by the row sums. If a is nil, it
// sets u[s][i:] to the row sums. Level AVX512 uses the AVX2 code, because AVX-512 would not be
// faster.
//
//go:noinline
func update[T num.Float](m int, lanes *T, a, u *[Size][]T, i int) {
	if num.IsFloat64[T]() {
		updateAVX2F64(m, f64(lanes), b64(a), b64(u), i)
	} else {
		updateAVX2F32(m, f32(lanes), b32(a), b32(u), i)
	}
}

// add multiplies the transpose of the m×n matrix k by each vector u[s][i:] and adds the product to
// q[s][j:].
//
//go:noinline
func add[K, T num.Float](m, n int, k *K, ldk int, u *[Size][]T, i int, q *[Size][]T, j int) {
	switch asm.VariantOf[K, T]() {
	case asm.AVX512F64:
		addAVX512F64(m, n, f64(k), ldk, b64(u), i, b64(q), j)
	case asm.AVX512F32:
		addAVX512F32(m, n, f32(k), ldk, b32(u), i, b32(q), j)
	case asm.AVX512Mixed:
		addAVX512Mixed(m, n, f32(k), ldk, b64(u), i, b64(q), j)
	case asm.AVX2F64:
		addAVX2F64(m, n, f64(k), ldk, b64(u), i, b64(q), j)
	case asm.AVX2F32:
		addAVX2F32(m, n, f32(k), ldk, b32(u), i, b32(q), j)
	case asm.AVX2Mixed:
		addAVX2Mixed(m, n, f32(k), ldk, b64(u), i, b64(q), j)
	}
}

// f64 and f32 convert a pointer to an element. b64 and b32 convert a pointer to a block of vectors.
// T must be float64 for f64 and b64, and float32 for f32 and b32.
func f64[T num.Float](p *T) *float64                 { return (*float64)(unsafe.Pointer(p)) }
func f32[T num.Float](p *T) *float32                 { return (*float32)(unsafe.Pointer(p)) }
func b64[T num.Float](b *[Size][]T) *[Size][]float64 { return (*[Size][]float64)(unsafe.Pointer(b)) }
func b32[T num.Float](b *[Size][]T) *[Size][]float32 { return (*[Size][]float32)(unsafe.Pointer(b)) }

//go:noescape
func sumsAVX512F64(m, n int, k *float64, ldk int, v *[Size][]float64, j int, lanes *float64)

//go:noescape
func addAVX512F64(m, n int, k *float64, ldk int, u *[Size][]float64, i int, q *[Size][]float64, j int)

//go:noescape
func sumsAVX512F32(m, n int, k *float32, ldk int, v *[Size][]float32, j int, lanes *float32)

//go:noescape
func addAVX512F32(m, n int, k *float32, ldk int, u *[Size][]float32, i int, q *[Size][]float32, j int)

//go:noescape
func sumsAVX512Mixed(m, n int, k *float32, ldk int, v *[Size][]float64, j int, lanes *float64)

//go:noescape
func addAVX512Mixed(m, n int, k *float32, ldk int, u *[Size][]float64, i int, q *[Size][]float64, j int)

//go:noescape
func sumsAVX2F64(m, n int, k *float64, ldk int, v *[Size][]float64, j int, lanes *float64)

//go:noescape
func addAVX2F64(m, n int, k *float64, ldk int, u *[Size][]float64, i int, q *[Size][]float64, j int)

//go:noescape
func updateAVX2F64(m int, lanes *float64, a, u *[Size][]float64, i int)

//go:noescape
func sumsAVX2F32(m, n int, k *float32, ldk int, v *[Size][]float32, j int, lanes *float32)

//go:noescape
func addAVX2F32(m, n int, k *float32, ldk int, u *[Size][]float32, i int, q *[Size][]float32, j int)

//go:noescape
func updateAVX2F32(m int, lanes *float32, a, u *[Size][]float32, i int)

//go:noescape
func sumsAVX2Mixed(m, n int, k *float32, ldk int, v *[Size][]float64, j int, lanes *float64)

//go:noescape
func addAVX2Mixed(m, n int, k *float32, ldk int, u *[Size][]float64, i int, q *[Size][]float64, j int)
