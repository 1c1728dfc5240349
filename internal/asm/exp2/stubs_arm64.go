//go:build arm64 && !purego

package exp2

// The assembly takes n ≥ 1 elements. It is called through a function that is not
// inlined, so that every call has a stack check at which the goroutine can be
// stopped.

//go:noescape
func scaleNEONF64(n int, dst, x *float64, c float64)

//go:noescape
func scaleNEONF32(n int, dst, x *float32, c float32)

//go:noinline
func callNEONF64(dst, x []float64, c float64) { scaleNEONF64(len(x), &dst[0], &x[0], c) }

//go:noinline
func callNEONF32(dst, x []float32, c float32) { scaleNEONF32(len(x), &dst[0], &x[0], c) }
