//go:build arm64 && !purego

package adjoint

// The assembly takes m ≥ 1 rows and n ≥ 1 columns. It is called through functions
// that are not inlined, so that every call has a stack check at which the goroutine
// can be stopped.

//go:noescape
func beginNEONF64(m, n int, k *float64, ldk int, mat *float64, ldm int, v, u, w, r, s, q *float64)

//go:noescape
func beginNEONF32(m, n int, k *float32, ldk int, mat *float32, ldm int, v, u, w, r, s, q *float32)

//go:noescape
func sweepNEONF64(m, n int, k *float64, ldk int, t, w, s, q *float64)

//go:noescape
func sweepNEONF32(m, n int, k *float32, ldk int, t, w, s, q *float32)

//go:noescape
func sweepNEONMixed(m, n int, k *float32, ldk int, t, w, s, q *float64)

//go:noinline
func callBeginNEONF64(m, n int, k []float64, ldk int, mat []float64, ldm int, v, u, w, r, s, q []float64) {
	beginNEONF64(m, n, &k[0], ldk, &mat[0], ldm, &v[0], &u[0], &w[0], &r[0], &s[0], &q[0])
}

//go:noinline
func callBeginNEONF32(m, n int, k []float32, ldk int, mat []float32, ldm int, v, u, w, r, s, q []float32) {
	beginNEONF32(m, n, &k[0], ldk, &mat[0], ldm, &v[0], &u[0], &w[0], &r[0], &s[0], &q[0])
}

//go:noinline
func callSweepNEONF64(m, n int, k []float64, ldk int, t, w, s, q []float64) {
	sweepNEONF64(m, n, &k[0], ldk, &t[0], &w[0], &s[0], &q[0])
}

//go:noinline
func callSweepNEONF32(m, n int, k []float32, ldk int, t, w, s, q []float32) {
	sweepNEONF32(m, n, &k[0], ldk, &t[0], &w[0], &s[0], &q[0])
}

//go:noinline
func callSweepNEONMixed(m, n int, k []float32, ldk int, t, w, s, q []float64) {
	sweepNEONMixed(m, n, &k[0], ldk, &t[0], &w[0], &s[0], &q[0])
}
