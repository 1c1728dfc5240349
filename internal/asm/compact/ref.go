package compact

import (
	"encoding/binary"
	"math/bits"
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
