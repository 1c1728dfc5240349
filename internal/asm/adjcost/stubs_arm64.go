//go:build arm64 && !purego

package adjcost

import "unsafe"

// The assembly takes m ≥ 1 rows, n ≥ 1 columns and r ≥ 0 terms; a and b are not read
// if r = 0. It is called through functions that are not inlined, so that every call
// has a stack check at which the goroutine can be stopped.

//go:noescape
func blockNEONF64(m, n, r int, dst *float64, ldg int, k *float64, ldk int, mat *float64, ldm int, a *float64, lda int, b *float64, ldb int, u, v *float64, lambda float64)

//go:noescape
func blockNEONF32(m, n, r int, dst *float32, ldg int, k *float32, ldk int, mat *float32, ldm int, a *float32, lda int, b *float32, ldb int, u, v *float32, lambda float32)

//go:noinline
func callNEONF64(m, n, r int, g []float64, ldg int, k []float64, ldk int, mat []float64, ldm int, a []float64, lda int, b []float64, ldb int, u, v []float64, lambda float64) {
	blockNEONF64(m, n, r, &g[0], ldg, &k[0], ldk, &mat[0], ldm, unsafe.SliceData(a), lda, unsafe.SliceData(b), ldb, &u[0], &v[0], lambda)
}

//go:noinline
func callNEONF32(m, n, r int, g []float32, ldg int, k []float32, ldk int, mat []float32, ldm int, a []float32, lda int, b []float32, ldb int, u, v []float32, lambda float32) {
	blockNEONF32(m, n, r, &g[0], ldg, &k[0], ldk, &mat[0], ldm, unsafe.SliceData(a), lda, unsafe.SliceData(b), ldb, &u[0], &v[0], lambda)
}
