package query

import "github.com/gomonge/monge/internal/asm"

const (
	// Rows divides the number of rows of every call.
	Rows = 8
	// Unit divides the number of elements of a row.
	Unit = 16
)

// SqEuclidean sets dst[i] = Σ_k (q[k] − x[i·d+k])² with d = len(q), for all of dst. It panics
// unless d and len(dst) are multiples of Unit and Rows, and if x is too short.
func SqEuclidean(dst, q, x []float32) {
	for p := piece(dst, q, x); len(dst) > 0; {
		p = min(p, len(dst))
		sqEuclidean(dst[:p], q, x[:p*len(q)])
		dst, x = dst[p:], x[p*len(q):]
	}
}

// Dot sets dst[i] = Σ_k q[k]·x[i·d+k], as SqEuclidean does.
func Dot(dst, q, x []float32) {
	for p := piece(dst, q, x); len(dst) > 0; {
		p = min(p, len(dst))
		dot(dst[:p], q, x[:p*len(q)])
		dst, x = dst[p:], x[p*len(q):]
	}
}

// piece checks the shapes and returns the number of rows of a call of the assembly.
func piece(dst, q, x []float32) int {
	n, d := len(dst), len(q)
	if n%Rows != 0 || d%Unit != 0 {
		panic("query: number of rows or of columns is not a multiple")
	}
	asm.CheckMatrix(len(x), n, d, d)
	return asm.Piece(n, d, Rows)
}
