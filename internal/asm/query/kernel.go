package query

import "github.com/gomonge/monge/internal/asm"

const (
	// Rows divides the number of rows of every call.
	Rows = 8
	// Unit divides the number of elements of a row.
	Unit = 16
)

// SqEuclidean sets dst[i] = Σ_k (q[k] − x[i·d+k])² for all elements of dst, where d = len(q). It panics if d
// is not a multiple of Unit, if len(dst) is not a multiple of Rows, or if x is too short.
func SqEuclidean(dst, q, x []float32) {
	for p := pieceRows(len(dst), len(q), len(x)); len(dst) > 0; {
		p = min(p, len(dst))
		sqEuclidean(dst[:p], q, x[:p*len(q)])
		dst, x = dst[p:], x[p*len(q):]
	}
}

// Dot sets dst[i] = Σ_k q[k]·x[i·d+k] for all elements of dst, where d = len(q). It panics under the same
// conditions as SqEuclidean.
func Dot(dst, q, x []float32) {
	for p := pieceRows(len(dst), len(q), len(x)); len(dst) > 0; {
		p = min(p, len(dst))
		dot(dst[:p], q, x[:p*len(q)])
		dst, x = dst[p:], x[p*len(q):]
	}
}

// SqEuclideanFar is like SqEuclidean, but is faster for rows that are not in a cache.
func SqEuclideanFar(dst, q, x []float32) {
	for p := pieceRows(len(dst), len(q), len(x)); len(dst) > 0; {
		p = min(p, len(dst))
		sqEuclideanFar(dst[:p], q, x[:p*len(q)])
		dst, x = dst[p:], x[p*len(q):]
	}
}

// DotFar is like Dot, but is faster for rows that are not in a cache.
func DotFar(dst, q, x []float32) {
	for p := pieceRows(len(dst), len(q), len(x)); len(dst) > 0; {
		p = min(p, len(dst))
		dotFar(dst[:p], q, x[:p*len(q)])
		dst, x = dst[p:], x[p*len(q):]
	}
}

// pieceRows checks that n and d are valid, and that a slice of the given length holds n rows of d elements. It
// returns the number of rows for one call of assembly.
func pieceRows(n, d, length int) int {
	if n%Rows != 0 || d%Unit != 0 {
		panic("query: number of rows or of columns is not a multiple")
	}
	asm.CheckMatrix(length, n, d, d)
	return asm.Piece(n, d, Rows)
}

// SqEuclideanHalf is like SqEuclidean for rows of 16-bit numbers.
func SqEuclideanHalf(dst, q []float32, x []uint16, format Half) {
	for p := pieceRows(len(dst), len(q), len(x)); len(dst) > 0; {
		p = min(p, len(dst))
		sqEuclideanHalf(dst[:p], q, x[:p*len(q)], format)
		dst, x = dst[p:], x[p*len(q):]
	}
}

// DotHalf is like Dot for rows of 16-bit numbers.
func DotHalf(dst, q []float32, x []uint16, format Half) {
	for p := pieceRows(len(dst), len(q), len(x)); len(dst) > 0; {
		p = min(p, len(dst))
		dotHalf(dst[:p], q, x[:p*len(q)], format)
		dst, x = dst[p:], x[p*len(q):]
	}
}

// SqEuclideanInt8 is like SqEuclidean for rows with the elements scale[i]·x[i·d+k].
func SqEuclideanInt8(dst, q []float32, x []int8, scale []float32) {
	asm.CheckVector(len(scale), len(dst))
	for p := pieceRows(len(dst), len(q), len(x)); len(dst) > 0; {
		p = min(p, len(dst))
		sqEuclideanInt8(dst[:p], q, x[:p*len(q)], scale[:p])
		dst, x, scale = dst[p:], x[p*len(q):], scale[p:]
	}
}

// DotInt8 is like Dot for rows with the elements scale[i]·x[i·d+k].
func DotInt8(dst, q []float32, x []int8, scale []float32) {
	asm.CheckVector(len(scale), len(dst))
	for p := pieceRows(len(dst), len(q), len(x)); len(dst) > 0; {
		p = min(p, len(dst))
		dotInt8(dst[:p], q, x[:p*len(q)], scale[:p])
		dst, x, scale = dst[p:], x[p*len(q):], scale[p:]
	}
}
