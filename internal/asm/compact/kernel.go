package compact

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
)

const (
	// step is the number of elements of which assembly takes multiples.
	step = 16

	// With these, the sum of all products is below 2³¹ in size.
	mostDot         = 1 << 16 // 2¹⁶·2¹⁴
	mostSqEuclidean = 1 << 15 // 2¹⁵·255²
	// mostHamming is the number of bytes with which NEON's eight sums of 16 bits do not overflow.
	mostHamming = 1 << 15
)

// What a byte takes, in units of asm.Piece: the numbers of bytes above, and no more.
const (
	costDot         = asm.Budget / mostDot
	costSqEuclidean = asm.Budget / mostSqEuclidean
	costHamming     = asm.Budget / mostHamming
)

// DotInt8 returns Σ a[i]·b[i]. b has the length of a.
func DotInt8(a, b []int8) (sum int64) {
	b = b[:len(a)]
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
	if len(a) >= step {
		for p := asm.Piece(len(a), costHamming, step); len(a) >= step; {
			n := min(p, len(a)) &^ (step - 1)
			count += hamming(a[:n], b[:n])
			a, b = a[n:], b[n:]
		}
	}
	return count + hammingRef(a, b)
}

// WidenFloat16 sets dst[i] to the number of IEEE 754 binary16 that src[i] is. src has the length of dst.
func WidenFloat16(dst []float32, src []uint16) {
	src = src[:len(dst)]
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
	if len(dst) >= step {
		for p := asm.Piece(len(dst), 1, step); len(dst) >= step; {
			n := min(p, len(dst)) &^ (step - 1)
			widenBFloat16(dst[:n], src[:n])
			dst, src = dst[n:], src[n:]
		}
	}
	widenBFloat16Ref(dst, src)
}

// HammingWords returns the number of bits in which a and b differ. b has the length of a.
func HammingWords(a, b []uint64) int {
	b = b[:len(a)]
	if len(a) < step/8 || asm.Current() == asm.Ref {
		return hammingWordsRef(a, b)
	}
	return Hamming(bytesOf(a), bytesOf(b))
}

// bytesOf returns the memory of s.
func bytesOf(s []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 8*len(s))
}
