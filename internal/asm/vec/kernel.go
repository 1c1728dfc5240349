package vec

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Divide sets dst[i] = x[i] / y[i] for i < len(dst). It panics if x or y is
// shorter than dst.
func Divide[T num.Float](lv asm.Level, dst, x, y []T) {
	n := len(dst)
	asm.CheckVector(len(x), n)
	asm.CheckVector(len(y), n)
	for p := asm.Piece(n, 8, 64); n > 0; n = len(dst) {
		p = min(p, n)
		divide(lv, dst[:p], x[:p], y[:p])
		dst, x, y = dst[p:], x[p:], y[p:]
	}
}

// CountOutside returns the number of elements of x that are not in [lo, hi].
func CountOutside[T num.Float](lv asm.Level, x []T, lo, hi T) int {
	n := 0
	for p := asm.Piece(len(x), 1, 64); len(x) > 0; x = x[p:] {
		p = min(p, len(x))
		n += countOutside(lv, x[:p], lo, hi)
	}
	return n
}
