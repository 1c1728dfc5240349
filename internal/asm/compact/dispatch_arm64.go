//go:build arm64 && !purego

package compact

import "github.com/gomonge/monge/internal/asm"

// The scheduler cannot preempt assembly. Functions that call assembly are not inlined, because
// their stack checks are preemption points. Assembly requires a positive multiple of 16 elements.

//go:noescape
func dotInt8NEON(n int, a, b *int8) int64

//go:noescape
func dotInt8NEONDotProd(n int, a, b *int8) int64

//go:noescape
func sqEuclideanInt8NEON(n int, a, b *int8) int64

//go:noescape
func sqEuclideanInt8NEONDotProd(n int, a, b *int8) int64

//go:noescape
func hammingNEON(n int, a, b *byte) int

//go:noescape
func widenFloat16NEON(n int, dst *float32, src *uint16)

//go:noescape
func widenBFloat16NEON(n int, dst *float32, src *uint16)

//go:noescape
func narrowFloat16NEON(n int, dst *uint16, src *float32)

//go:noescape
func narrowBFloat16NEON(n int, dst *uint16, src *float32)

//go:noescape
func roundInt8NEON(n int, dst *int8, src *float32, inverse float64)

//go:noescape
func signBitsNEON(n int, dst *byte, src *float32)

//go:noinline
func dotInt8(a, b []int8) int64 {
	switch asm.Current() {
	case asm.NEON:
		if asm.Uses(asm.DotProd) {
			return dotInt8NEONDotProd(len(a), &a[0], &b[0])
		}
		return dotInt8NEON(len(a), &a[0], &b[0])
	}
	return dotInt8Ref(a, b)
}

//go:noinline
func sqEuclideanInt8(a, b []int8) int64 {
	switch asm.Current() {
	case asm.NEON:
		if asm.Uses(asm.DotProd) {
			return sqEuclideanInt8NEONDotProd(len(a), &a[0], &b[0])
		}
		return sqEuclideanInt8NEON(len(a), &a[0], &b[0])
	}
	return sqEuclideanInt8Ref(a, b)
}

//go:noinline
func hamming(a, b []byte) int {
	switch asm.Current() {
	case asm.NEON:
		return hammingNEON(len(a), &a[0], &b[0])
	}
	return hammingRef(a, b)
}

//go:noinline
func widenFloat16(dst []float32, src []uint16) {
	switch asm.Current() {
	case asm.NEON:
		widenFloat16NEON(len(dst), &dst[0], &src[0])
	default:
		widenFloat16Ref(dst, src)
	}
}

//go:noinline
func widenBFloat16(dst []float32, src []uint16) {
	switch asm.Current() {
	case asm.NEON:
		widenBFloat16NEON(len(dst), &dst[0], &src[0])
	default:
		widenBFloat16Ref(dst, src)
	}
}

//go:noinline
func narrowFloat16(dst []uint16, src []float32) {
	switch asm.Current() {
	case asm.NEON:
		narrowFloat16NEON(len(dst), &dst[0], &src[0])
	default:
		narrowFloat16Ref(dst, src)
	}
}

//go:noinline
func narrowBFloat16(dst []uint16, src []float32) {
	switch asm.Current() {
	case asm.NEON:
		narrowBFloat16NEON(len(dst), &dst[0], &src[0])
	default:
		narrowBFloat16Ref(dst, src)
	}
}

//go:noinline
func roundInt8(dst []int8, src []float32, inverse float64) {
	switch asm.Current() {
	case asm.NEON:
		roundInt8NEON(len(dst), &dst[0], &src[0], inverse)
	default:
		roundInt8Ref(dst, src, inverse)
	}
}

//go:noinline
func signBits(dst []byte, src []float32) {
	switch asm.Current() {
	case asm.NEON:
		signBitsNEON(len(src), &dst[0], &src[0])
	default:
		signBitsRef(dst, src)
	}
}
