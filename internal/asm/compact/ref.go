package compact

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/query"
)

func dotInt8Ref(a, b []int8) (sum int64) {
	for i, v := range a {
		sum += int64(v) * int64(b[i])
	}
	return sum
}

func sqEuclideanInt8Ref(a, b []int8) (sum int64) {
	for i, v := range a {
		d := int64(v) - int64(b[i])
		sum += d * d
	}
	return sum
}

func hammingRef(a, b []byte) (count int) {
	for ; len(a) >= 8; a, b = a[8:], b[8:] {
		count += bits.OnesCount64(binary.LittleEndian.Uint64(a) ^ binary.LittleEndian.Uint64(b))
	}
	for i, v := range a {
		count += bits.OnesCount8(v ^ b[i])
	}
	return count
}

// hammingWordsRef is the reference implementation for 64-bit words. It is faster than hammingRef,
// which reads words from bytes.
func hammingWordsRef(a, b []uint64) (count int) {
	for i, v := range a {
		count += bits.OnesCount64(v ^ b[i])
	}
	return count
}

func widenFloat16Ref(dst []float32, src []uint16) {
	for i, h := range src {
		dst[i] = query.Float16.Widen(h)
	}
}

func widenBFloat16Ref(dst []float32, src []uint16) {
	for i, h := range src {
		dst[i] = query.BFloat16.Widen(h)
	}
}

func narrowFloat16Ref(dst []uint16, src []float32) {
	for i, v := range src {
		dst[i] = query.Float16.Nearest(v)
	}
}

func narrowBFloat16Ref(dst []uint16, src []float32) {
	for i, v := range src {
		dst[i] = query.BFloat16.Nearest(v)
	}
}

const (
	// Adding snap to a number of magnitude below 2²¹ rounds the sum to a multiple of 2⁻³⁰.
	snap = 0x1.8p22
	// Adding the constant snap and then the constant shift to x gives 1.5·2⁵² + round(x). The lowest
	// bits of the result contain the integer round(x).
	shift = 0x1.8p52 - snap
)

func roundInt8Ref(dst []int8, src []float32, inverse float64) {
	for i, v := range src {
		dst[i] = int8(math.Float64bits(num.FMA(float64(v), inverse, snap) + shift))
	}
}

func signBitsRef(dst []byte, src []float32) {
	for i := range dst {
		mask := uint32(0)
		for k, v := range src[8*i : min(8*i+8, len(src))] {
			mask |= signBit(v) << k
		}
		dst[i] = byte(mask)
	}
}

func signBit(v float32) uint32 {
	if v < 0 {
		return 1
	}
	return 0
}
