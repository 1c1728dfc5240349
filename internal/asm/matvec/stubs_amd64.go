//go:build amd64 && !purego

package matvec

// The assembly takes m ≥ 1 rows and n ≥ 1 columns. It is called through functions
// that are not inlined, so that every call has a stack check at which the goroutine
// can be stopped.

//go:noescape
func rowsAVX2F64(m, n int, s, k *float64, ldk int, v *float64)

//go:noescape
func rowsAVX2F32(m, n int, s, k *float32, ldk int, v *float32)

//go:noescape
func columnsAVX2F64(m, n int, q, k *float64, ldk int, u *float64)

//go:noescape
func columnsAVX2F32(m, n int, q, k *float32, ldk int, u *float32)

//go:noescape
func rowsAVX512F64(m, n int, s, k *float64, ldk int, v *float64)

//go:noescape
func rowsAVX512F32(m, n int, s, k *float32, ldk int, v *float32)

//go:noescape
func columnsAVX512F64(m, n int, q, k *float64, ldk int, u *float64)

//go:noescape
func columnsAVX512F32(m, n int, q, k *float32, ldk int, u *float32)

//go:noescape
func rowsAVX2Mixed(m, n int, s *float64, k *float32, ldk int, v *float64)

//go:noescape
func columnsAVX2Mixed(m, n int, q *float64, k *float32, ldk int, u *float64)

//go:noescape
func rowsAVX512Mixed(m, n int, s *float64, k *float32, ldk int, v *float64)

//go:noescape
func columnsAVX512Mixed(m, n int, q *float64, k *float32, ldk int, u *float64)

//go:noinline
func callRowsAVX2F64(m, n int, s, k []float64, ldk int, v []float64) {
	rowsAVX2F64(m, n, &s[0], &k[0], ldk, &v[0])
}

//go:noinline
func callRowsAVX2F32(m, n int, s, k []float32, ldk int, v []float32) {
	rowsAVX2F32(m, n, &s[0], &k[0], ldk, &v[0])
}

//go:noinline
func callColumnsAVX2F64(m, n int, q, k []float64, ldk int, u []float64) {
	columnsAVX2F64(m, n, &q[0], &k[0], ldk, &u[0])
}

//go:noinline
func callColumnsAVX2F32(m, n int, q, k []float32, ldk int, u []float32) {
	columnsAVX2F32(m, n, &q[0], &k[0], ldk, &u[0])
}

//go:noinline
func callRowsAVX512F64(m, n int, s, k []float64, ldk int, v []float64) {
	rowsAVX512F64(m, n, &s[0], &k[0], ldk, &v[0])
}

//go:noinline
func callRowsAVX512F32(m, n int, s, k []float32, ldk int, v []float32) {
	rowsAVX512F32(m, n, &s[0], &k[0], ldk, &v[0])
}

//go:noinline
func callColumnsAVX512F64(m, n int, q, k []float64, ldk int, u []float64) {
	columnsAVX512F64(m, n, &q[0], &k[0], ldk, &u[0])
}

//go:noinline
func callColumnsAVX512F32(m, n int, q, k []float32, ldk int, u []float32) {
	columnsAVX512F32(m, n, &q[0], &k[0], ldk, &u[0])
}

//go:noinline
func callRowsAVX2Mixed(m, n int, s []float64, k []float32, ldk int, v []float64) {
	rowsAVX2Mixed(m, n, &s[0], &k[0], ldk, &v[0])
}

//go:noinline
func callColumnsAVX2Mixed(m, n int, q []float64, k []float32, ldk int, u []float64) {
	columnsAVX2Mixed(m, n, &q[0], &k[0], ldk, &u[0])
}

//go:noinline
func callRowsAVX512Mixed(m, n int, s []float64, k []float32, ldk int, v []float64) {
	rowsAVX512Mixed(m, n, &s[0], &k[0], ldk, &v[0])
}

//go:noinline
func callColumnsAVX512Mixed(m, n int, q []float64, k []float32, ldk int, u []float64) {
	columnsAVX512Mixed(m, n, &q[0], &k[0], ldk, &u[0])
}
