//go:build arm64 && !purego

package gibbs

import "unsafe"

// The assembly takes m, n ≥ 1 and d ≥ 0; x and zt are not read if d = 0, and
// distances are not stored if dist is nil. It is called through functions that are
// not inlined, so that every call has a stack check at which the goroutine can be
// stopped.

//go:noescape
func blockNEONF64(m, n, d int, k *float64, ldk int, dist *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, c float64)

//go:noescape
func blockNEONF32(m, n, d int, k *float32, ldk int, dist *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, c float32)

//go:noinline
func callNEONF64(m, n, d int, k []float64, ldk int, dist []float64, ldd int, x []float64, ldx int, zt []float64, ldz int, c float64) {
	blockNEONF64(m, n, d, &k[0], ldk, unsafe.SliceData(dist), ldd, unsafe.SliceData(x), ldx, unsafe.SliceData(zt), ldz, c)
}

//go:noinline
func callNEONF32(m, n, d int, k []float32, ldk int, dist []float32, ldd int, x []float32, ldx int, zt []float32, ldz int, c float32) {
	blockNEONF32(m, n, d, &k[0], ldk, unsafe.SliceData(dist), ldd, unsafe.SliceData(x), ldx, unsafe.SliceData(zt), ldz, c)
}
