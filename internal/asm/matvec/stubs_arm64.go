//go:build arm64 && !purego

package matvec

// The assembly takes m ≥ 1 rows and n ≥ 1 columns. It is called through functions
// that are not inlined, so that every call has a stack check at which the goroutine
// can be stopped.

//go:noescape
func rowsNEONF64(m, n int, s, k *float64, ldk int, v *float64)

//go:noescape
func rowsNEONF32(m, n int, s, k *float32, ldk int, v *float32)

//go:noescape
func columnsNEONF64(m, n int, q, k *float64, ldk int, u *float64)

//go:noescape
func columnsNEONF32(m, n int, q, k *float32, ldk int, u *float32)

//go:noescape
func rowsNEONMixed(m, n int, s *float64, k *float32, ldk int, v *float64)

//go:noescape
func columnsNEONMixed(m, n int, q *float64, k *float32, ldk int, u *float64)

//go:noinline
func callRowsNEONF64(m, n int, s, k []float64, ldk int, v []float64) {
	rowsNEONF64(m, n, &s[0], &k[0], ldk, &v[0])
}

//go:noinline
func callRowsNEONF32(m, n int, s, k []float32, ldk int, v []float32) {
	rowsNEONF32(m, n, &s[0], &k[0], ldk, &v[0])
}

//go:noinline
func callColumnsNEONF64(m, n int, q, k []float64, ldk int, u []float64) {
	columnsNEONF64(m, n, &q[0], &k[0], ldk, &u[0])
}

//go:noinline
func callColumnsNEONF32(m, n int, q, k []float32, ldk int, u []float32) {
	columnsNEONF32(m, n, &q[0], &k[0], ldk, &u[0])
}

//go:noinline
func callRowsNEONMixed(m, n int, s []float64, k []float32, ldk int, v []float64) {
	rowsNEONMixed(m, n, &s[0], &k[0], ldk, &v[0])
}

//go:noinline
func callColumnsNEONMixed(m, n int, q []float64, k []float32, ldk int, u []float64) {
	columnsNEONMixed(m, n, &q[0], &k[0], ldk, &u[0])
}
