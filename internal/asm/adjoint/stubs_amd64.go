//go:build amd64 && !purego

package adjoint

// The assembly takes m ≥ 1 rows and n ≥ 1 columns. It is called through functions
// that are not inlined, so that every call has a stack check at which the goroutine
// can be stopped.

//go:noescape
func beginAVX2F64(m, n int, k *float64, ldk int, mat *float64, ldm int, v, u, w, r, s, q *float64)

//go:noescape
func beginAVX2F32(m, n int, k *float32, ldk int, mat *float32, ldm int, v, u, w, r, s, q *float32)

//go:noescape
func sweepAVX2F64(m, n int, k *float64, ldk int, t, w, s, q *float64)

//go:noescape
func sweepAVX2F32(m, n int, k *float32, ldk int, t, w, s, q *float32)

//go:noescape
func beginAVX512F64(m, n int, k *float64, ldk int, mat *float64, ldm int, v, u, w, r, s, q *float64)

//go:noescape
func beginAVX512F32(m, n int, k *float32, ldk int, mat *float32, ldm int, v, u, w, r, s, q *float32)

//go:noescape
func sweepAVX512F64(m, n int, k *float64, ldk int, t, w, s, q *float64)

//go:noescape
func sweepAVX512F32(m, n int, k *float32, ldk int, t, w, s, q *float32)

//go:noescape
func sweepAVX2Mixed(m, n int, k *float32, ldk int, t, w, s, q *float64)

//go:noescape
func sweepAVX512Mixed(m, n int, k *float32, ldk int, t, w, s, q *float64)

//go:noinline
func callBeginAVX2F64(m, n int, k []float64, ldk int, mat []float64, ldm int, v, u, w, r, s, q []float64) {
	beginAVX2F64(m, n, &k[0], ldk, &mat[0], ldm, &v[0], &u[0], &w[0], &r[0], &s[0], &q[0])
}

//go:noinline
func callBeginAVX2F32(m, n int, k []float32, ldk int, mat []float32, ldm int, v, u, w, r, s, q []float32) {
	beginAVX2F32(m, n, &k[0], ldk, &mat[0], ldm, &v[0], &u[0], &w[0], &r[0], &s[0], &q[0])
}

//go:noinline
func callSweepAVX2F64(m, n int, k []float64, ldk int, t, w, s, q []float64) {
	sweepAVX2F64(m, n, &k[0], ldk, &t[0], &w[0], &s[0], &q[0])
}

//go:noinline
func callSweepAVX2F32(m, n int, k []float32, ldk int, t, w, s, q []float32) {
	sweepAVX2F32(m, n, &k[0], ldk, &t[0], &w[0], &s[0], &q[0])
}

//go:noinline
func callBeginAVX512F64(m, n int, k []float64, ldk int, mat []float64, ldm int, v, u, w, r, s, q []float64) {
	beginAVX512F64(m, n, &k[0], ldk, &mat[0], ldm, &v[0], &u[0], &w[0], &r[0], &s[0], &q[0])
}

//go:noinline
func callBeginAVX512F32(m, n int, k []float32, ldk int, mat []float32, ldm int, v, u, w, r, s, q []float32) {
	beginAVX512F32(m, n, &k[0], ldk, &mat[0], ldm, &v[0], &u[0], &w[0], &r[0], &s[0], &q[0])
}

//go:noinline
func callSweepAVX512F64(m, n int, k []float64, ldk int, t, w, s, q []float64) {
	sweepAVX512F64(m, n, &k[0], ldk, &t[0], &w[0], &s[0], &q[0])
}

//go:noinline
func callSweepAVX512F32(m, n int, k []float32, ldk int, t, w, s, q []float32) {
	sweepAVX512F32(m, n, &k[0], ldk, &t[0], &w[0], &s[0], &q[0])
}

//go:noinline
func callSweepAVX2Mixed(m, n int, k []float32, ldk int, t, w, s, q []float64) {
	sweepAVX2Mixed(m, n, &k[0], ldk, &t[0], &w[0], &s[0], &q[0])
}

//go:noinline
func callSweepAVX512Mixed(m, n int, k []float32, ldk int, t, w, s, q []float64) {
	sweepAVX512Mixed(m, n, &k[0], ldk, &t[0], &w[0], &s[0], &q[0])
}
