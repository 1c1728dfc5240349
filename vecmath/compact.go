package vecmath

import (
	"fmt"
	"unsafe"

	"github.com/gomonge/monge/internal/asm/compact"
	"github.com/gomonge/monge/internal/asm/pair"
)

// DotInt8 returns the exact sum Σ a[i]·b[i]. The sum is 0 for empty slices.
func DotInt8(a, b []int8) int64 {
	checkLengths(len(a), len(b))
	return compact.DotInt8(a, b)
}

// SqEuclideanInt8 returns the exact sum Σ (a[i] − b[i])². The sum is 0 for empty slices.
func SqEuclideanInt8(a, b []int8) int64 {
	checkLengths(len(a), len(b))
	return compact.SqEuclideanInt8(a, b)
}

// Hamming returns the number of bits in which a and b differ. The result is 0 for empty slices.
func Hamming[T byte | uint64](a, b []T) int {
	checkLengths(len(a), len(b))
	if unsafe.Sizeof(T(0)) == 8 {
		return compact.HammingWords(sameTypeBits[uint64](a), sameTypeBits[uint64](b))
	}
	return compact.Hamming(sameTypeBits[byte](a), sameTypeBits[byte](b))
}

// sameTypeBits converts a []U to []T. U and T must be the same type.
func sameTypeBits[T, U byte | uint64](s []U) []T { return *(*[]T)(unsafe.Pointer(&s)) }

// QuantizeInt8 sets dst[i] to the integer nearest to src[i]/scale, with ties to even, and returns the scale. The
// scale is max|src[i]|/127, rounded up to 17 significant bits, so scale·dst[i] is exact. Integers lie between −127
// and 127. The error of an element is at most scale/2. If src is zero, scale and dst are 0. If src contains NaN or
// infinity, dst becomes 0 and scale is NaN.
func QuantizeInt8(dst []int8, src []float32) (scale float32) {
	checkLengths(len(dst), len(src))
	return compact.QuantizeInt8(dst, src)
}

// SignBits sets bit i mod 8 of dst[i/8] if src[i] < 0, and clears it otherwise. Zeros of both signs and NaN are not
// negative. dst must have ⌈len(src)/8⌉ elements. Unused bits of the last element become 0. The [Hamming] distance of
// these bits approximates the angle between vectors.
func SignBits(dst []byte, src []float32) {
	if len(dst) != (len(src)+7)/8 {
		panic(fmt.Sprintf("vecmath: lengths do not match: dst has %d bytes, and %d elements need %d", len(dst), len(src), (len(src)+7)/8))
	}
	compact.SignBits(dst, src)
}

// ToFloat16 sets dst[i] to the IEEE 754 binary16 number nearest to src[i]; ties round to even. If |src[i]| ≥ 65520,
// dst[i] is infinite. A NaN becomes 0x7e00.
func ToFloat16(dst []uint16, src []float32) {
	checkLengths(len(dst), len(src))
	compact.NarrowFloat16(dst, src)
}

// FromFloat16 sets dst[i] to the binary16 number src[i], exactly.
func FromFloat16(dst []float32, src []uint16) {
	checkLengths(len(dst), len(src))
	compact.WidenFloat16(dst, src)
}

// ToBFloat16 sets dst[i] to the bfloat16 number nearest to src[i]; ties round to even. A bfloat16 is the upper half
// of a float32. A NaN becomes 0x7fc0.
func ToBFloat16(dst []uint16, src []float32) {
	checkLengths(len(dst), len(src))
	compact.NarrowBFloat16(dst, src)
}

// FromBFloat16 sets dst[i] to the bfloat16 number src[i], exactly.
func FromBFloat16(dst []float32, src []uint16) {
	checkLengths(len(dst), len(src))
	compact.WidenBFloat16(dst, src)
}

func checkLengths(n, m int) {
	if n != m {
		panic(pair.LengthsText(n, m))
	}
}
