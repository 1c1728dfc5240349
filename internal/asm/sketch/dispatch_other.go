//go:build (!amd64 && !arm64) || purego

package sketch

func filter(masks []uint32, codes []uint8, groups []Group, queries []int8, q *[Queries]Query) {
	filterRef(masks, codes, groups, queries, q)
}

func filterOne(masks []uint32, codes []uint8, groups []Group, query []int8, q *Query) {
	filterOneRef(masks, codes, groups, query, q)
}

func largest(x []float32) float32 { return largestRef(x) }

func quantize(codes []uint8, stride int, x []float32, inverse, scale, shift float64) (square, rest float64) {
	return quantizeRef(codes, stride, x, inverse, scale, shift)
}
