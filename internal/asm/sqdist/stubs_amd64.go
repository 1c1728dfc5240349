//go:build amd64 && !purego

package sqdist

// The assembly takes m, n, d ≥ 1. It is called through a function that is not
// inlined, so that every call has a stack check at which the goroutine can be
// stopped.

//go:noescape
func blockAVX2F64(m, n, d int, dst *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, add bool)

//go:noescape
func blockAVX2F32(m, n, d int, dst *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, add bool)

//go:noescape
func blockAVX512F64(m, n, d int, dst *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, add bool)

//go:noescape
func blockAVX512F32(m, n, d int, dst *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, add bool)

//go:noinline
func callAVX2F64(m, n, d int, dst []float64, ldd int, x []float64, ldx int, zt []float64, ldz int, add bool) {
	blockAVX2F64(m, n, d, &dst[0], ldd, &x[0], ldx, &zt[0], ldz, add)
}

//go:noinline
func callAVX2F32(m, n, d int, dst []float32, ldd int, x []float32, ldx int, zt []float32, ldz int, add bool) {
	blockAVX2F32(m, n, d, &dst[0], ldd, &x[0], ldx, &zt[0], ldz, add)
}

//go:noinline
func callAVX512F64(m, n, d int, dst []float64, ldd int, x []float64, ldx int, zt []float64, ldz int, add bool) {
	blockAVX512F64(m, n, d, &dst[0], ldd, &x[0], ldx, &zt[0], ldz, add)
}

//go:noinline
func callAVX512F32(m, n, d int, dst []float32, ldd int, x []float32, ldx int, zt []float32, ldz int, add bool) {
	blockAVX512F32(m, n, d, &dst[0], ldd, &x[0], ldx, &zt[0], ldz, add)
}
