//go:build (!amd64 && !arm64) || purego

package query

func sqEuclidean(dst, q, x []float32) { sqEuclideanRef(dst, q, x) }
func dot(dst, q, x []float32)         { dotRef(dst, q, x) }
