package compact

import (
	"encoding/binary"
	"math/bits"

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

// hammingWordsRef is hammingRef for the bytes of words, in half of the time.
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
