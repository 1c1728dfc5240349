//go:build arm64 && !purego

package scale

// The assembly takes m ≥ 1 rows and n ≥ 1 columns. It is called through a function
// that is not inlined, so that every call has a stack check at which the goroutine
// can be stopped.

//go:noescape
func iterateNEONF64(m, n int, k *float64, ldk int, v, a, u, q *float64)

//go:noescape
func iterateNEONF32(m, n int, k *float32, ldk int, v, a, u, q *float32)

//go:noescape
func iterateNEONMixed(m, n int, k *float32, ldk int, v, a, u, q *float64)

//go:noinline
func callNEONF64(m, n int, k []float64, ldk int, v, a, u, q []float64) {
	iterateNEONF64(m, n, &k[0], ldk, &v[0], &a[0], &u[0], &q[0])
}

//go:noinline
func callNEONF32(m, n int, k []float32, ldk int, v, a, u, q []float32) {
	iterateNEONF32(m, n, &k[0], ldk, &v[0], &a[0], &u[0], &q[0])
}

//go:noinline
func callNEONMixed(m, n int, k []float32, ldk int, v, a, u, q []float64) {
	iterateNEONMixed(m, n, &k[0], ldk, &v[0], &a[0], &u[0], &q[0])
}
