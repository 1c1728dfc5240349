//go:build (!amd64 && !arm64) || purego

package query

func sqEuclidean(dst, q, x []float32) { sqEuclideanRef(dst, q, x) }
func dot(dst, q, x []float32)         { dotRef(dst, q, x) }

func sqEuclideanHalf(dst, q []float32, x []uint16, format Half) {
	sqEuclideanHalfRef(dst, q, x, format)
}
func dotHalf(dst, q []float32, x []uint16, format Half) { dotHalfRef(dst, q, x, format) }

func sqEuclideanInt8(dst, q []float32, x []int8, scale []float32) {
	sqEuclideanInt8Ref(dst, q, x, scale)
}
func dotInt8(dst, q []float32, x []int8, scale []float32) { dotInt8Ref(dst, q, x, scale) }
