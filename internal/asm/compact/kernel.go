package compact

import "github.com/gomonge/monge/internal/asm"

const (
	// step is the number of bytes of which assembly takes multiples.
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
