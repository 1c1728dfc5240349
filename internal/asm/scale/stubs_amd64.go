//go:build amd64 && !purego

package scale

// The assembly takes m ≥ 1 rows and n ≥ 1 columns. It is called through a function
// that is not inlined, so that every call has a stack check at which the goroutine
// can be stopped.

//go:noescape
func iterateAVX2F64(m, n int, k *float64, ldk int, v, a, u, q *float64)

//go:noescape
func iterateAVX2F32(m, n int, k *float32, ldk int, v, a, u, q *float32)

//go:noescape
func iterateAVX512F64(m, n int, k *float64, ldk int, v, a, u, q *float64)

//go:noescape
func iterateAVX512F32(m, n int, k *float32, ldk int, v, a, u, q *float32)

//go:noescape
func iterateAVX2Mixed(m, n int, k *float32, ldk int, v, a, u, q *float64)

//go:noescape
func iterateAVX512Mixed(m, n int, k *float32, ldk int, v, a, u, q *float64)

//go:noinline
func callAVX2F64(m, n int, k []float64, ldk int, v, a, u, q []float64) {
	iterateAVX2F64(m, n, &k[0], ldk, &v[0], &a[0], &u[0], &q[0])
}

//go:noinline
func callAVX2F32(m, n int, k []float32, ldk int, v, a, u, q []float32) {
	iterateAVX2F32(m, n, &k[0], ldk, &v[0], &a[0], &u[0], &q[0])
}

//go:noinline
func callAVX512F64(m, n int, k []float64, ldk int, v, a, u, q []float64) {
	iterateAVX512F64(m, n, &k[0], ldk, &v[0], &a[0], &u[0], &q[0])
}

//go:noinline
func callAVX512F32(m, n int, k []float32, ldk int, v, a, u, q []float32) {
	iterateAVX512F32(m, n, &k[0], ldk, &v[0], &a[0], &u[0], &q[0])
}

//go:noinline
func callAVX2Mixed(m, n int, k []float32, ldk int, v, a, u, q []float64) {
	iterateAVX2Mixed(m, n, &k[0], ldk, &v[0], &a[0], &u[0], &q[0])
}

//go:noinline
func callAVX512Mixed(m, n int, k []float32, ldk int, v, a, u, q []float64) {
	iterateAVX512Mixed(m, n, &k[0], ldk, &v[0], &a[0], &u[0], &q[0])
}
