//go:build arm64 && !purego

package logscale

// The assembly takes m ≥ 1 rows and n ≥ 1 columns. It is called through functions
// that are not inlined, so that every call has a stack check at which the goroutine
// can be stopped. gp is g, which is the name of a register in assembly.

//go:noescape
func rowsNEONF64(m, n int, mat *float64, ldm int, c float64, gp, a, max, sum, q, e *float64)

//go:noescape
func rowsNEONF32(m, n int, mat *float32, ldm int, c float32, gp, a, max, sum, q, e *float32)

//go:noescape
func columnMaxNEONF64(m, n int, mat *float64, ldm int, c float64, f, h *float64)

//go:noescape
func columnMaxNEONF32(m, n int, mat *float32, ldm int, c float32, f, h *float32)

//go:noescape
func columnSumNEONF64(m, n int, mat *float64, ldm int, c float64, f, h, s *float64)

//go:noescape
func columnSumNEONF32(m, n int, mat *float32, ldm int, c float32, f, h, s *float32)

//go:noescape
func planNEONF64(m, n int, t *float64, ldt int, mat *float64, ldm int, c float64, f, gp *float64)

//go:noescape
func planNEONF32(m, n int, t *float32, ldt int, mat *float32, ldm int, c float32, f, gp *float32)

//go:noinline
func callRowsNEONF64(m, n int, mat []float64, ldm int, c float64, g, a, max, sum, q, e []float64) {
	rowsNEONF64(m, n, &mat[0], ldm, c, &g[0], &a[0], &max[0], &sum[0], &q[0], &e[0])
}

//go:noinline
func callRowsNEONF32(m, n int, mat []float32, ldm int, c float32, g, a, max, sum, q, e []float32) {
	rowsNEONF32(m, n, &mat[0], ldm, c, &g[0], &a[0], &max[0], &sum[0], &q[0], &e[0])
}

//go:noinline
func callColumnMaxNEONF64(m, n int, mat []float64, ldm int, c float64, f, h []float64) {
	columnMaxNEONF64(m, n, &mat[0], ldm, c, &f[0], &h[0])
}

//go:noinline
func callColumnMaxNEONF32(m, n int, mat []float32, ldm int, c float32, f, h []float32) {
	columnMaxNEONF32(m, n, &mat[0], ldm, c, &f[0], &h[0])
}

//go:noinline
func callColumnSumNEONF64(m, n int, mat []float64, ldm int, c float64, f, h, s []float64) {
	columnSumNEONF64(m, n, &mat[0], ldm, c, &f[0], &h[0], &s[0])
}

//go:noinline
func callColumnSumNEONF32(m, n int, mat []float32, ldm int, c float32, f, h, s []float32) {
	columnSumNEONF32(m, n, &mat[0], ldm, c, &f[0], &h[0], &s[0])
}

//go:noinline
func callPlanNEONF64(m, n int, t []float64, ldt int, mat []float64, ldm int, c float64, f, g []float64) {
	planNEONF64(m, n, &t[0], ldt, &mat[0], ldm, c, &f[0], &g[0])
}

//go:noinline
func callPlanNEONF32(m, n int, t []float32, ldt int, mat []float32, ldm int, c float32, f, g []float32) {
	planNEONF32(m, n, &t[0], ldt, &mat[0], ldm, c, &f[0], &g[0])
}
