package query

import "github.com/gomonge/monge/internal/asm"

// Queries divides the number of vectors in every call of a Many function.
const Queries = 3

// SqEuclideanMany sets dst[j·ldd+i] = Σ_k (q[j·d+k] − x[i·d+k])² for each vector j < m and each row i < n. The results
// are bit-identical to the results of SqEuclidean. SqEuclideanMany panics if m, n and d are not multiples of Queries,
// Rows and Unit, respectively, or if a slice is too short.
func SqEuclideanMany(m, n, d int, dst []float32, ldd int, q, x []float32) {
	checkMany(m, n, d, len(dst), ldd, len(q), len(x))
	forEachTile(m, n, d, func(j, i, p, ahead, step int) {
		sqEuclideanMany(p, d, dst[j*ldd+i:], ldd, q[j*d:], x[i*d:], ahead, step)
	})
}

// DotMany sets dst[j·ldd+i] = Σ_k q[j·d+k]·x[i·d+k] for each vector j < m and each row i < n. The results are
// bit-identical to the results of Dot. It panics under the same conditions as SqEuclideanMany.
func DotMany(m, n, d int, dst []float32, ldd int, q, x []float32) {
	checkMany(m, n, d, len(dst), ldd, len(q), len(x))
	forEachTile(m, n, d, func(j, i, p, ahead, step int) {
		dotMany(p, d, dst[j*ldd+i:], ldd, q[j*d:], x[i*d:], ahead, step)
	})
}

// SqEuclideanHalfMany is like SqEuclideanMany for rows of 16-bit numbers.
func SqEuclideanHalfMany(m, n, d int, dst []float32, ldd int, q []float32, x []uint16, format Half) {
	checkMany(m, n, d, len(dst), ldd, len(q), len(x))
	forEachTile(m, n, d, func(j, i, p, ahead, step int) {
		sqEuclideanHalfMany(p, d, dst[j*ldd+i:], ldd, q[j*d:], x[i*d:], format, ahead, step)
	})
}

// DotHalfMany is like DotMany for rows of 16-bit numbers.
func DotHalfMany(m, n, d int, dst []float32, ldd int, q []float32, x []uint16, format Half) {
	checkMany(m, n, d, len(dst), ldd, len(q), len(x))
	forEachTile(m, n, d, func(j, i, p, ahead, step int) {
		dotHalfMany(p, d, dst[j*ldd+i:], ldd, q[j*d:], x[i*d:], format, ahead, step)
	})
}

// SqEuclideanInt8Many is like SqEuclideanMany for rows with the elements scale[i]·x[i·d+k].
func SqEuclideanInt8Many(m, n, d int, dst []float32, ldd int, q []float32, x []int8, scale []float32) {
	checkMany(m, n, d, len(dst), ldd, len(q), len(x))
	asm.CheckVector(len(scale), n)
	forEachTile(m, n, d, func(j, i, p, ahead, step int) {
		sqEuclideanInt8Many(p, d, dst[j*ldd+i:], ldd, q[j*d:], x[i*d:], scale[i:], ahead, step)
	})
}

// DotInt8Many is like DotMany for rows with the elements scale[i]·x[i·d+k].
func DotInt8Many(m, n, d int, dst []float32, ldd int, q []float32, x []int8, scale []float32) {
	checkMany(m, n, d, len(dst), ldd, len(q), len(x))
	asm.CheckVector(len(scale), n)
	forEachTile(m, n, d, func(j, i, p, ahead, step int) {
		dotInt8Many(p, d, dst[j*ldd+i:], ldd, q[j*d:], x[i*d:], scale[i:], ahead, step)
	})
}

// checkMany panics if the sizes are invalid. dst, q and x are the lengths of the slices.
func checkMany(m, n, d, dst, ldd, q, x int) {
	if m%Queries != 0 || n%Rows != 0 || d%Unit != 0 {
		panic("query: number of vectors, of rows or of columns is not a multiple")
	}
	asm.CheckMatrix(dst, m, n, ldd)
	asm.CheckMatrix(q, m, d, d)
	asm.CheckMatrix(x, n, d, d)
}

// forEachTile calls f for every tile. A tile is Queries vectors, beginning with vector j, and p rows, beginning with
// row i. The rows of a tile stay in the L1 cache for all vectors. Every call of f also prefetches a part of the rows of
// the next tile. The first prefetch is ahead elements after the beginning of row i, and the prefetches are step
// elements apart.
func forEachTile(m, n, d int, f func(j, i, p, ahead, step int)) {
	const near = 4096 // elements
	rows := max(near/max(d, 1)/Rows*Rows, Rows)
	for i := 0; i < n; i += rows {
		p := min(rows, n-i)
		next := min(rows, n-i-p) * d // number of elements in the next tile
		for j := 0; j < m; j += Queries {
			f(j, i, p, p*d+next/m*j, 2*Unit*next/max(p*d*m/Queries, 1))
		}
	}
}
