//go:build arm64 && !purego

package sqdist

// The assembly takes m, n, d ≥ 1. It is called through a function that is not
// inlined, so that every call has a stack check at which the goroutine can be
// stopped.

//go:noescape
func blockNEONF64(m, n, d int, dst *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, add bool)

//go:noescape
func blockNEONF32(m, n, d int, dst *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, add bool)

//go:noinline
func callNEONF64(m, n, d int, dst []float64, ldd int, x []float64, ldx int, zt []float64, ldz int, add bool) {
	blockNEONF64(m, n, d, &dst[0], ldd, &x[0], ldx, &zt[0], ldz, add)
}

//go:noinline
func callNEONF32(m, n, d int, dst []float32, ldd int, x []float32, ldx int, zt []float32, ldz int, add bool) {
	blockNEONF32(m, n, d, &dst[0], ldd, &x[0], ldx, &zt[0], ldz, add)
}
