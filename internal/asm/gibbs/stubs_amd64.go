//go:build amd64 && !purego

package gibbs

import "unsafe"

// The assembly takes m, n ≥ 1 and d ≥ 0; x and zt are not read if d = 0, and dist may
// be nil. AVX2 takes d ≥ 1. It is called through functions that are not inlined, so
// that every call has a stack check at which the goroutine can be stopped.

//go:noescape
func blockAVX2F64(m, n, d int, k *float64, ldk int, dist *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, c float64)

//go:noescape
func blockAVX2F32(m, n, d int, k *float32, ldk int, dist *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, c float32)

//go:noinline
func callAVX2F64(m, n, d int, k []float64, ldk int, dist []float64, ldd int, x []float64, ldx int, zt []float64, ldz int, c float64) {
	blockAVX2F64(m, n, d, &k[0], ldk, unsafe.SliceData(dist), ldd, &x[0], ldx, &zt[0], ldz, c)
}

//go:noinline
func callAVX2F32(m, n, d int, k []float32, ldk int, dist []float32, ldd int, x []float32, ldx int, zt []float32, ldz int, c float32) {
	blockAVX2F32(m, n, d, &k[0], ldk, unsafe.SliceData(dist), ldd, &x[0], ldx, &zt[0], ldz, c)
}

//go:noescape
func blockAVX512F64(m, n, d int, k *float64, ldk int, dist *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, c float64)

//go:noescape
func blockAVX512F32(m, n, d int, k *float32, ldk int, dist *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, c float32)

//go:noinline
func callAVX512F64(m, n, d int, k []float64, ldk int, dist []float64, ldd int, x []float64, ldx int, zt []float64, ldz int, c float64) {
	blockAVX512F64(m, n, d, &k[0], ldk, unsafe.SliceData(dist), ldd, unsafe.SliceData(x), ldx, unsafe.SliceData(zt), ldz, c)
}

//go:noinline
func callAVX512F32(m, n, d int, k []float32, ldk int, dist []float32, ldd int, x []float32, ldx int, zt []float32, ldz int, c float32) {
	blockAVX512F32(m, n, d, &k[0], ldk, unsafe.SliceData(dist), ldd, unsafe.SliceData(x), ldx, unsafe.SliceData(zt), ldz, c)
}
