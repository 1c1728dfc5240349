//go:build amd64 && !purego

package exp

// The assembly takes n ≥ 1 elements. It is called through a function that is not
// inlined, so that every call has a stack check at which the goroutine can be
// stopped.

//go:noescape
func expAVX2F64(n int, dst, x *float64)

//go:noescape
func expAVX2F32(n int, dst, x *float32)

//go:noescape
func expAVX512F64(n int, dst, x *float64)

//go:noescape
func expAVX512F32(n int, dst, x *float32)

//go:noinline
func callAVX2F64(dst, x []float64) { expAVX2F64(len(x), &dst[0], &x[0]) }

//go:noinline
func callAVX2F32(dst, x []float32) { expAVX2F32(len(x), &dst[0], &x[0]) }

//go:noinline
func callAVX512F64(dst, x []float64) { expAVX512F64(len(x), &dst[0], &x[0]) }

//go:noinline
func callAVX512F32(dst, x []float32) { expAVX512F32(len(x), &dst[0], &x[0]) }
