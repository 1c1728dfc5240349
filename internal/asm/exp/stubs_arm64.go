//go:build arm64 && !purego

package exp

// The assembly takes n ≥ 1 elements. It is called through a function that is not
// inlined, so that every call has a stack check at which the goroutine can be
// stopped.

//go:noescape
func expNEONF64(n int, dst, x *float64)

//go:noescape
func expNEONF32(n int, dst, x *float32)

//go:noinline
func callNEONF64(dst, x []float64) { expNEONF64(len(x), &dst[0], &x[0]) }

//go:noinline
func callNEONF32(dst, x []float32) { expNEONF32(len(x), &dst[0], &x[0]) }
