//go:build amd64 && !purego

package compact

import "github.com/gomonge/monge/internal/asm"

// The scheduler cannot preempt assembly. Functions that call assembly are not inlined, because
// their stack checks are preemption points. Assembly requires a positive multiple of 16 elements.

//go:noescape
func dotInt8AVX512(n int, a, b *int8) int64

//go:noescape
func dotInt8AVX512VNNI(n int, a, b *int8) int64

//go:noescape
func dotInt8AVX2(n int, a, b *int8) int64

//go:noescape
func sqEuclideanInt8AVX512(n int, a, b *int8) int64

//go:noescape
func sqEuclideanInt8AVX512VNNI(n int, a, b *int8) int64

//go:noescape
func sqEuclideanInt8AVX2(n int, a, b *int8) int64

//go:noescape
func hammingAVX512(n int, a, b *byte) int

//go:noescape
func hammingAVX512VPOPCNT(n int, a, b *byte) int

//go:noescape
func hammingAVX2(n int, a, b *byte) int

//go:noescape
func widenFloat16AVX2(n int, dst *float32, src *uint16)

//go:noescape
func widenBFloat16AVX2(n int, dst *float32, src *uint16)

//go:noescape
func narrowFloat16AVX2(n int, dst *uint16, src *float32)

//go:noescape
func narrowBFloat16AVX2(n int, dst *uint16, src *float32)

//go:noescape
func roundInt8AVX2(n int, dst *int8, src *float32, inverse float64)

//go:noescape
func signBitsAVX2(n int, dst *byte, src *float32)

//go:noinline
func dotInt8(a, b []int8) int64 {
	switch asm.Current() {
	case asm.AVX512:
		if asm.Uses(asm.VNNI) {
			return dotInt8AVX512VNNI(len(a), &a[0], &b[0])
		}
		return dotInt8AVX512(len(a), &a[0], &b[0])
	case asm.AVX2:
		return dotInt8AVX2(len(a), &a[0], &b[0])
	}
	return dotInt8Ref(a, b)
}

//go:noinline
func sqEuclideanInt8(a, b []int8) int64 {
	switch asm.Current() {
	case asm.AVX512:
		if asm.Uses(asm.VNNI) {
			return sqEuclideanInt8AVX512VNNI(len(a), &a[0], &b[0])
		}
		return sqEuclideanInt8AVX512(len(a), &a[0], &b[0])
	case asm.AVX2:
		return sqEuclideanInt8AVX2(len(a), &a[0], &b[0])
	}
	return sqEuclideanInt8Ref(a, b)
}

//go:noinline
func hamming(a, b []byte) int {
	switch asm.Current() {
	case asm.AVX512:
		if asm.Uses(asm.VPOPCNT) {
			return hammingAVX512VPOPCNT(len(a), &a[0], &b[0])
		}
		return hammingAVX512(len(a), &a[0], &b[0])
	case asm.AVX2:
		return hammingAVX2(len(a), &a[0], &b[0])
	}
	return hammingRef(a, b)
}

//go:noinline
func widenFloat16(dst []float32, src []uint16) {
	switch asm.Current() {
	case asm.AVX2, asm.AVX512:
		widenFloat16AVX2(len(dst), &dst[0], &src[0])
	default:
		widenFloat16Ref(dst, src)
	}
}

//go:noinline
func widenBFloat16(dst []float32, src []uint16) {
	switch asm.Current() {
	case asm.AVX2, asm.AVX512:
		widenBFloat16AVX2(len(dst), &dst[0], &src[0])
	default:
		widenBFloat16Ref(dst, src)
	}
}

//go:noinline
func narrowFloat16(dst []uint16, src []float32) {
	switch asm.Current() {
	case asm.AVX2, asm.AVX512:
		narrowFloat16AVX2(len(dst), &dst[0], &src[0])
	default:
		narrowFloat16Ref(dst, src)
	}
}

//go:noinline
func narrowBFloat16(dst []uint16, src []float32) {
	switch asm.Current() {
	case asm.AVX2, asm.AVX512:
		narrowBFloat16AVX2(len(dst), &dst[0], &src[0])
	default:
		narrowBFloat16Ref(dst, src)
	}
}

//go:noinline
func roundInt8(dst []int8, src []float32, inverse float64) {
	switch asm.Current() {
	case asm.AVX2, asm.AVX512:
		roundInt8AVX2(len(dst), &dst[0], &src[0], inverse)
	default:
		roundInt8Ref(dst, src, inverse)
	}
}

//go:noinline
func signBits(dst []byte, src []float32) {
	switch asm.Current() {
	case asm.AVX2, asm.AVX512:
		signBitsAVX2(len(src), &dst[0], &src[0])
	default:
		signBitsRef(dst, src)
	}
}
