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

// Narrow sets dst[i] to x[i] rounded to float32 for i < len(dst), and to +0 where
// |x[i]| < 2⁻¹²⁶: no result is subnormal. It panics if x is shorter than dst.
func Narrow(lv asm.Level, dst []float32, x []float64) {
	asm.CheckVector(len(x), len(dst))
	for p := asm.Piece(len(dst), 2, 64); len(dst) > 0; dst, x = dst[p:], x[p:] {
		p = min(p, len(dst))
		narrow(lv, dst[:p], x[:p])
	}
}

// Widen sets dst[i] = x[i] for i < len(dst), which is exact. It panics if x is
// shorter than dst.
func Widen(lv asm.Level, dst []float64, x []float32) {
	asm.CheckVector(len(x), len(dst))
	for p := asm.Piece(len(dst), 2, 64); len(dst) > 0; dst, x = dst[p:], x[p:] {
		p = min(p, len(dst))
		widen(lv, dst[:p], x[:p])
	}
}
