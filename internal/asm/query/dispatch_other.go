//go:build (!amd64 && !arm64) || purego

package query

func sqEuclidean(dst, q, x []float32) { sqEuclideanRef(dst, q, x) }
func dot(dst, q, x []float32)         { dotRef(dst, q, x) }

func sqEuclideanFar(dst, q, x []float32) { sqEuclideanRef(dst, q, x) }
func dotFar(dst, q, x []float32)         { dotRef(dst, q, x) }

func sqEuclideanHalf(dst, q []float32, x []uint16, format Half) {
	sqEuclideanHalfRef(dst, q, x, format)
}
func dotHalf(dst, q []float32, x []uint16, format Half) { dotHalfRef(dst, q, x, format) }

func sqEuclideanInt8(dst, q []float32, x []int8, scale []float32) {
	sqEuclideanInt8Ref(dst, q, x, scale)
}
func dotInt8(dst, q []float32, x []int8, scale []float32) { dotInt8Ref(dst, q, x, scale) }

func sqEuclideanMany(n, d int, dst []float32, ldd int, q, x []float32, ahead, step int) {
	sqEuclideanManyRef(n, d, dst, ldd, q, x)
}

func sqEuclideanHalfMany(n, d int, dst []float32, ldd int, q []float32, x []uint16, format Half, ahead, step int) {
	sqEuclideanHalfManyRef(n, d, dst, ldd, q, x, format)
}

func sqEuclideanInt8Many(n, d int, dst []float32, ldd int, q []float32, x []int8, scale []float32, ahead, step int) {
	sqEuclideanInt8ManyRef(n, d, dst, ldd, q, x, scale)
}

func dotMany(n, d int, dst []float32, ldd int, q, x []float32, ahead, step int) {
	dotManyRef(n, d, dst, ldd, q, x)
}

func dotHalfMany(n, d int, dst []float32, ldd int, q []float32, x []uint16, format Half, ahead, step int) {
	dotHalfManyRef(n, d, dst, ldd, q, x, format)
}

func dotInt8Many(n, d int, dst []float32, ldd int, q []float32, x []int8, scale []float32, ahead, step int) {
	dotInt8ManyRef(n, d, dst, ldd, q, x, scale)
}
