//go:build amd64 && !purego

package project

// The assembly takes rows, cols, depth ≥ 1, and cols such that the last group of
// columns needs as many vectors as the tile has. It is called through functions
// that are not inlined, so that every call has a stack check at which the
// goroutine can be stopped.

//go:noescape
func tile8x1AVX2F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, add bool)

//go:noescape
func tile5x2AVX2F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, add bool)

//go:noescape
func tile4x3AVX2F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, add bool)

//go:noescape
func tile3x4AVX2F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, add bool)

//go:noescape
func tile8x1AVX2F32(rows, cols, depth int, c *float32, ldc int, a *float32, ra, ka int, b *float32, ldb int, add bool)

//go:noescape
func tile5x2AVX2F32(rows, cols, depth int, c *float32, ldc int, a *float32, ra, ka int, b *float32, ldb int, add bool)

//go:noescape
func tile4x3AVX2F32(rows, cols, depth int, c *float32, ldc int, a *float32, ra, ka int, b *float32, ldb int, add bool)

//go:noescape
func tile3x4AVX2F32(rows, cols, depth int, c *float32, ldc int, a *float32, ra, ka int, b *float32, ldb int, add bool)

//go:noinline
func callAVX2F64(vectors, rows, cols, depth int, c []float64, ldc int, a []float64, ra, ka int, b []float64, ldb int, add bool) {
	switch vectors {
	case 1:
		tile8x1AVX2F64(rows, cols, depth, &c[0], ldc, &a[0], ra, ka, &b[0], ldb, add)
	case 2:
		tile5x2AVX2F64(rows, cols, depth, &c[0], ldc, &a[0], ra, ka, &b[0], ldb, add)
	case 3:
		tile4x3AVX2F64(rows, cols, depth, &c[0], ldc, &a[0], ra, ka, &b[0], ldb, add)
	case 4:
		tile3x4AVX2F64(rows, cols, depth, &c[0], ldc, &a[0], ra, ka, &b[0], ldb, add)
	}
}

//go:noinline
func callAVX2F32(vectors, rows, cols, depth int, c []float32, ldc int, a []float32, ra, ka int, b []float32, ldb int, add bool) {
	switch vectors {
	case 1:
		tile8x1AVX2F32(rows, cols, depth, &c[0], ldc, &a[0], ra, ka, &b[0], ldb, add)
	case 2:
		tile5x2AVX2F32(rows, cols, depth, &c[0], ldc, &a[0], ra, ka, &b[0], ldb, add)
	case 3:
		tile4x3AVX2F32(rows, cols, depth, &c[0], ldc, &a[0], ra, ka, &b[0], ldb, add)
	case 4:
		tile3x4AVX2F32(rows, cols, depth, &c[0], ldc, &a[0], ra, ka, &b[0], ldb, add)
	}
}

// productAVX512 takes any cols ≥ 1.

//go:noescape
func productAVX512F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, add bool)

//go:noescape
func productAVX512F32(rows, cols, depth int, c *float32, ldc int, a *float32, ra, ka int, b *float32, ldb int, add bool)

//go:noinline
func callAVX512F64(rows, cols, depth int, c []float64, ldc int, a []float64, ra, ka int, b []float64, ldb int, add bool) {
	productAVX512F64(rows, cols, depth, &c[0], ldc, &a[0], ra, ka, &b[0], ldb, add)
}

//go:noinline
func callAVX512F32(rows, cols, depth int, c []float32, ldc int, a []float32, ra, ka int, b []float32, ldb int, add bool) {
	productAVX512F32(rows, cols, depth, &c[0], ldc, &a[0], ra, ka, &b[0], ldb, add)
}
