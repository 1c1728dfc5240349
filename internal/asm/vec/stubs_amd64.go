//go:build amd64 && !purego

package vec

// The assembly takes n ≥ 1 elements. It is called through functions that are not
// inlined, so that every call has a stack check at which the goroutine can be
// stopped.

//go:noescape
func divideAVX2F64(n int, dst, x, y *float64)

//go:noescape
func divideAVX2F32(n int, dst, x, y *float32)

//go:noescape
func countOutsideAVX2F64(n int, x *float64, lo, hi float64) int

//go:noescape
func countOutsideAVX2F32(n int, x *float32, lo, hi float32) int

//go:noescape
func divideAVX512F64(n int, dst, x, y *float64)

//go:noescape
func divideAVX512F32(n int, dst, x, y *float32)

//go:noescape
func countOutsideAVX512F64(n int, x *float64, lo, hi float64) int

//go:noescape
func countOutsideAVX512F32(n int, x *float32, lo, hi float32) int

//go:noescape
func narrowAVX2Mixed(n int, dst *float32, x *float64)

//go:noescape
func widenAVX2Mixed(n int, dst *float64, x *float32)

//go:noescape
func narrowAVX512Mixed(n int, dst *float32, x *float64)

//go:noescape
func widenAVX512Mixed(n int, dst *float64, x *float32)

//go:noinline
func callDivideAVX2F64(dst, x, y []float64) { divideAVX2F64(len(dst), &dst[0], &x[0], &y[0]) }

//go:noinline
func callDivideAVX2F32(dst, x, y []float32) { divideAVX2F32(len(dst), &dst[0], &x[0], &y[0]) }

//go:noinline
func callCountOutsideAVX2F64(x []float64, lo, hi float64) int {
	return countOutsideAVX2F64(len(x), &x[0], lo, hi)
}

//go:noinline
func callCountOutsideAVX2F32(x []float32, lo, hi float32) int {
	return countOutsideAVX2F32(len(x), &x[0], lo, hi)
}

//go:noinline
func callDivideAVX512F64(dst, x, y []float64) { divideAVX512F64(len(dst), &dst[0], &x[0], &y[0]) }

//go:noinline
func callDivideAVX512F32(dst, x, y []float32) { divideAVX512F32(len(dst), &dst[0], &x[0], &y[0]) }

//go:noinline
func callCountOutsideAVX512F64(x []float64, lo, hi float64) int {
	return countOutsideAVX512F64(len(x), &x[0], lo, hi)
}

//go:noinline
func callCountOutsideAVX512F32(x []float32, lo, hi float32) int {
	return countOutsideAVX512F32(len(x), &x[0], lo, hi)
}

//go:noinline
func callNarrowAVX2Mixed(dst []float32, x []float64) { narrowAVX2Mixed(len(dst), &dst[0], &x[0]) }

//go:noinline
func callWidenAVX2Mixed(dst []float64, x []float32) { widenAVX2Mixed(len(dst), &dst[0], &x[0]) }

//go:noinline
func callNarrowAVX512Mixed(dst []float32, x []float64) { narrowAVX512Mixed(len(dst), &dst[0], &x[0]) }

//go:noinline
func callWidenAVX512Mixed(dst []float64, x []float32) { widenAVX512Mixed(len(dst), &dst[0], &x[0]) }
