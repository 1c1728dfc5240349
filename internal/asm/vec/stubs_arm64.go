//go:build arm64 && !purego

package vec

// The assembly takes n ≥ 1 elements. It is called through functions that are not
// inlined, so that every call has a stack check at which the goroutine can be
// stopped.

//go:noescape
func divideNEONF64(n int, dst, x, y *float64)

//go:noescape
func divideNEONF32(n int, dst, x, y *float32)

//go:noescape
func countOutsideNEONF64(n int, x *float64, lo, hi float64) int

//go:noescape
func countOutsideNEONF32(n int, x *float32, lo, hi float32) int

//go:noescape
func narrowNEONMixed(n int, dst *float32, x *float64)

//go:noescape
func widenNEONMixed(n int, dst *float64, x *float32)

//go:noinline
func callDivideNEONF64(dst, x, y []float64) { divideNEONF64(len(dst), &dst[0], &x[0], &y[0]) }

//go:noinline
func callDivideNEONF32(dst, x, y []float32) { divideNEONF32(len(dst), &dst[0], &x[0], &y[0]) }

//go:noinline
func callCountOutsideNEONF64(x []float64, lo, hi float64) int {
	return countOutsideNEONF64(len(x), &x[0], lo, hi)
}

//go:noinline
func callCountOutsideNEONF32(x []float32, lo, hi float32) int {
	return countOutsideNEONF32(len(x), &x[0], lo, hi)
}

//go:noinline
func callNarrowNEONMixed(dst []float32, x []float64) { narrowNEONMixed(len(dst), &dst[0], &x[0]) }

//go:noinline
func callWidenNEONMixed(dst []float64, x []float32) { widenNEONMixed(len(dst), &dst[0], &x[0]) }
