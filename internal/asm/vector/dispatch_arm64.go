//go:build arm64 && !purego

package vector

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The Go functions that call assembly are not inlined. So each call begins with a stack check, where the
// scheduler can stop the goroutine. The element count n is positive, and the elements fill whole groups of 64 bytes.

//go:noescape
func affineNEONF64(n int, dst, x *float64, c, s, b float64)

//go:noescape
func affineNEONF32(n int, dst, x *float32, c, s, b float32)

//go:noescape
func maximumNEONF64(n int, acc, x *float64)

//go:noescape
func maximumNEONF32(n int, acc, x *float32)

//go:noescape
func logNEONF64(n int, dst, x *float64) int

//go:noescape
func logNEONF32(n int, dst, x *float32) int

//go:noescape
func log2NEONF64(n int, dst, x *float64) int

//go:noescape
func log2NEONF32(n int, dst, x *float32) int

//go:noinline
func affine[T num.Float](dst, x []T, c, s, b T) {
	if n := wholeLength(x); n > 0 {
		switch asm.VariantOf[T, T]() {
		case asm.NEONF64:
			affineNEONF64(n, num.P64(dst), num.P64(x), float64(c), float64(s), float64(b))
		case asm.NEONF32:
			affineNEONF32(n, num.P32(dst), num.P32(x), float32(c), float32(s), float32(b))
		default:
			n = 0
		}
		dst, x = dst[n:], x[n:]
	}
	affineRef(dst, x, c, s, b)
}

//go:noinline
func maximum[T num.Float](acc *[num.MaxLanes]T, x []T) {
	if n := wholeLength(x); n > 0 {
		switch asm.VariantOf[T, T]() {
		case asm.NEONF64:
			maximumNEONF64(n, num.P64(acc[:]), num.P64(x))
		case asm.NEONF32:
			maximumNEONF32(n, num.P32(acc[:]), num.P32(x))
		default:
			n = 0
		}
		x = x[n:]
	}
	maxRef(acc, x)
}

// ordinaryLogs computes logarithms of whole groups of 64 bytes. It stops before the first group that contains
// a number that is not positive or not normal. It returns the number of computed elements.
//
//go:noinline
func ordinaryLogs[T num.Float](dst, x []T, base2 bool) int {
	if len(x) == 0 {
		return 0
	}
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		if base2 {
			return log2NEONF64(len(x), num.P64(dst), num.P64(x))
		}
		return logNEONF64(len(x), num.P64(dst), num.P64(x))
	case asm.NEONF32:
		if base2 {
			return log2NEONF32(len(x), num.P32(dst), num.P32(x))
		}
		return logNEONF32(len(x), num.P32(dst), num.P32(x))
	}
	return 0
}
