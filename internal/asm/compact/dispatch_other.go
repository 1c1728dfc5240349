//go:build (!amd64 && !arm64) || purego

package compact

func dotInt8(a, b []int8) int64 { return dotInt8Ref(a, b) }

func sqEuclideanInt8(a, b []int8) int64 { return sqEuclideanInt8Ref(a, b) }

func hamming(a, b []byte) int { return hammingRef(a, b) }

func widenFloat16(dst []float32, src []uint16) { widenFloat16Ref(dst, src) }

func widenBFloat16(dst []float32, src []uint16) { widenBFloat16Ref(dst, src) }

func narrowFloat16(dst []uint16, src []float32) { narrowFloat16Ref(dst, src) }

func narrowBFloat16(dst []uint16, src []float32) { narrowBFloat16Ref(dst, src) }

func roundInt8(dst []int8, src []float32, inverse float64) { roundInt8Ref(dst, src, inverse) }

func signBits(dst []byte, src []float32) { signBitsRef(dst, src) }
