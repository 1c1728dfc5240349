//go:build amd64 && !purego

package exp2

// The assembly takes n ≥ 1 elements. It is called through a function that is not
// inlined, so that every call has a stack check at which the goroutine can be
// stopped.

//go:noescape
func scaleAVX2F64(n int, dst, x *float64, c float64)

//go:noescape
func scaleAVX2F32(n int, dst, x *float32, c float32)

//go:noescape
func scaleAVX512F64(n int, dst, x *float64, c float64)

//go:noescape
func scaleAVX512F32(n int, dst, x *float32, c float32)

//go:noinline
func callAVX2F64(dst, x []float64, c float64) { scaleAVX2F64(len(x), &dst[0], &x[0], c) }

//go:noinline
func callAVX2F32(dst, x []float32, c float32) { scaleAVX2F32(len(x), &dst[0], &x[0], c) }

//go:noinline
func callAVX512F64(dst, x []float64, c float64) { scaleAVX512F64(len(x), &dst[0], &x[0], c) }

//go:noinline
func callAVX512F32(dst, x []float32, c float32) { scaleAVX512F32(len(x), &dst[0], &x[0], c) }
