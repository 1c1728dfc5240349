package compact

import (
	"math"
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/sketch"
)

const (
	// The assembly requires a number of elements that is a multiple of the constant step.
	step = 16

	// A 32-bit sum of mostDot products or mostSqEuclidean squared differences does not overflow.
	mostDot         = 1 << 16 // 2¹⁶·2¹⁴
	mostSqEuclidean = 1 << 15 // 2¹⁵·255²
	// The 16-bit sums of the NEON kernel do not overflow if n is at most mostHamming bytes.
	mostHamming = 1 << 15
)

// These constants are the costs of one element for asm.Piece. They limit an assembly call to mostDot,
// mostSqEuclidean or mostHamming elements.
const (
	costDot         = asm.Budget / mostDot
	costSqEuclidean = asm.Budget / mostSqEuclidean
	costHamming     = asm.Budget / mostHamming
)

// isOneCall reports whether a single assembly call can process n elements. A call processes at most
// limit elements.
func isOneCall(n, limit int) bool { return n%step == 0 && 0 < n && n <= limit }

// DotInt8 returns Σ a[i]·b[i]. b has the length of a.
func DotInt8(a, b []int8) (sum int64) {
	b = b[:len(a)]
	if isOneCall(len(a), mostDot) {
		return dotInt8(a, b)
	}
	if len(a) >= step {
		for p := asm.Piece(len(a), costDot, step); len(a) >= step; {
			n := min(p, len(a)) &^ (step - 1)
			sum += dotInt8(a[:n], b[:n])
			a, b = a[n:], b[n:]
		}
	}
	return sum + dotInt8Ref(a, b)
}

// SqEuclideanInt8 returns Σ (a[i] − b[i])². b has the length of a.
func SqEuclideanInt8(a, b []int8) (sum int64) {
	b = b[:len(a)]
	if isOneCall(len(a), mostSqEuclidean) {
		return sqEuclideanInt8(a, b)
	}
	if len(a) >= step {
		for p := asm.Piece(len(a), costSqEuclidean, step); len(a) >= step; {
			n := min(p, len(a)) &^ (step - 1)
			sum += sqEuclideanInt8(a[:n], b[:n])
			a, b = a[n:], b[n:]
		}
	}
	return sum + sqEuclideanInt8Ref(a, b)
}

// Hamming returns the number of bits in which a and b differ. b has the length of a.
func Hamming(a, b []byte) (count int) {
	b = b[:len(a)]
	if isOneCall(len(a), mostHamming) {
		return hamming(a, b)
	}
	if len(a) >= step {
		for p := asm.Piece(len(a), costHamming, step); len(a) >= step; {
			n := min(p, len(a)) &^ (step - 1)
			count += hamming(a[:n], b[:n])
			a, b = a[n:], b[n:]
		}
	}
	return count + hammingRef(a, b)
}

// WidenFloat16 sets dst[i] to the IEEE 754 binary16 number src[i]. src has the length of dst.
func WidenFloat16(dst []float32, src []uint16) {
	src = src[:len(dst)]
	if isOneCall(len(dst), asm.Budget) {
		widenFloat16(dst, src)
		return
	}
	if len(dst) >= step {
		for p := asm.Piece(len(dst), 1, step); len(dst) >= step; {
			n := min(p, len(dst)) &^ (step - 1)
			widenFloat16(dst[:n], src[:n])
			dst, src = dst[n:], src[n:]
		}
	}
	widenFloat16Ref(dst, src)
}

// WidenBFloat16 sets dst[i] to the float32 whose upper half is src[i]. src has the length of dst.
func WidenBFloat16(dst []float32, src []uint16) {
	src = src[:len(dst)]
	if isOneCall(len(dst), asm.Budget) {
		widenBFloat16(dst, src)
		return
	}
	if len(dst) >= step {
		for p := asm.Piece(len(dst), 1, step); len(dst) >= step; {
			n := min(p, len(dst)) &^ (step - 1)
			widenBFloat16(dst[:n], src[:n])
			dst, src = dst[n:], src[n:]
		}
	}
	widenBFloat16Ref(dst, src)
}

// NarrowFloat16 sets dst[i] to the IEEE 754 binary16 number nearest to src[i] (ties to even). A NaN becomes 0x7e00. src has the
// length of dst.
func NarrowFloat16(dst []uint16, src []float32) {
	src = src[:len(dst)]
	if isOneCall(len(dst), asm.Budget) {
		narrowFloat16(dst, src)
		return
	}
	if len(dst) >= step {
		for p := asm.Piece(len(dst), 1, step); len(dst) >= step; {
			n := min(p, len(dst)) &^ (step - 1)
			narrowFloat16(dst[:n], src[:n])
			dst, src = dst[n:], src[n:]
		}
	}
	narrowFloat16Ref(dst, src)
}

// NarrowBFloat16 sets dst[i] to the bfloat16 number nearest to src[i] (ties to even). A NaN becomes 0x7fc0. src has the length
// of dst.
func NarrowBFloat16(dst []uint16, src []float32) {
	src = src[:len(dst)]
	if isOneCall(len(dst), asm.Budget) {
		narrowBFloat16(dst, src)
		return
	}
	if len(dst) >= step {
		for p := asm.Piece(len(dst), 1, step); len(dst) >= step; {
			n := min(p, len(dst)) &^ (step - 1)
			narrowBFloat16(dst[:n], src[:n])
			dst, src = dst[n:], src[n:]
		}
	}
	narrowBFloat16Ref(dst, src)
}

// QuantizeInt8 sets dst[i] to the integer nearest to src[i]/scale (ties to even) and returns the
// scale. The scale is the largest |src[i]| divided by 127 and rounded up to 17 significant bits, so
// scale·dst[i] is exact. Integers lie between −127 and 127. If an element of src is not finite,
// QuantizeInt8 sets every dst[i] to 0 and returns NaN. src has the length of dst.
func QuantizeInt8(dst []int8, src []float32) (scale float32) {
	src = src[:len(dst)]
	switch top := sketch.Largest(src); {
	case !(top <= math.MaxFloat32):
		clear(dst)
		return float32(math.NaN())
	case top == 0:
		clear(dst)
		return 0
	default:
		scale = math.Float32frombits(max(128, (math.Float32bits(top/127)+127)&^127))
	}
	RoundInt8(dst, src, 1/float64(scale))
	return scale
}

// RoundInt8 sets dst[i] to the integer nearest to src[i]·inverse (ties to even). A product within
// 2⁻³¹ of the midpoint of two integers counts as the midpoint. Products must lie between −128.5 and
// 127.5. src has the length of dst.
func RoundInt8(dst []int8, src []float32, inverse float64) {
	src = src[:len(dst)]
	if len(dst) >= step {
		for p := asm.Piece(len(dst), 1, step); len(dst) >= step; {
			n := min(p, len(dst)) &^ (step - 1)
			roundInt8(dst[:n], src[:n], inverse)
			dst, src = dst[n:], src[n:]
		}
	}
	roundInt8Ref(dst, src, inverse)
}

// SignBits sets bit i mod 8 of dst[i/8] if src[i] < 0, and clears the bit otherwise. dst has
// ⌈len(src)/8⌉ elements. Unused bits of the last byte become 0.
func SignBits(dst []byte, src []float32) {
	dst = dst[:(len(src)+7)/8]
	if len(src) >= step {
		for p := asm.Piece(len(src), 1, step); len(src) >= step; {
			n := min(p, len(src)) &^ (step - 1)
			signBits(dst[:n/8], src[:n])
			dst, src = dst[n/8:], src[n:]
		}
	}
	signBitsRef(dst, src)
}

// HammingWords returns the number of bits in which a and b differ. b has the length of a.
func HammingWords(a, b []uint64) int {
	b = b[:len(a)]
	if len(a) < step/8 || asm.Current() == asm.Ref {
		return hammingWordsRef(a, b)
	}
	return Hamming(bytesOfWords(a), bytesOfWords(b))
}

// bytesOfWords returns the memory of s as bytes.
func bytesOfWords(s []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 8*len(s))
}
