//go:build amd64 && !purego

package logscale

import "math"

// The assembly takes m ≥ 1 rows and n ≥ 1 columns. It is called through functions
// that are not inlined, so that every call has a stack check at which the goroutine
// can be stopped. gp is g, which is the name of a register in assembly; w is −0, the
// weight of the row before the first.

//go:noescape
func rowsAVX2F64(m, n int, mat *float64, ldm int, c float64, gp, a, max, sum, q, e *float64, w float64)

//go:noescape
func rowsAVX2F32(m, n int, mat *float32, ldm int, c float32, gp, a, max, sum, q, e *float32, w float32)

//go:noescape
func columnMaxAVX2F64(m, n int, mat *float64, ldm int, c float64, f, h *float64)

//go:noescape
func columnMaxAVX2F32(m, n int, mat *float32, ldm int, c float32, f, h *float32)

//go:noescape
func columnSumAVX2F64(m, n int, mat *float64, ldm int, c float64, f, h, s *float64)

//go:noescape
func columnSumAVX2F32(m, n int, mat *float32, ldm int, c float32, f, h, s *float32)

//go:noescape
func planAVX2F64(m, n int, t *float64, ldt int, mat *float64, ldm int, c float64, f, gp *float64)

//go:noescape
func planAVX2F32(m, n int, t *float32, ldt int, mat *float32, ldm int, c float32, f, gp *float32)

//go:noescape
func rowsAVX512F64(m, n int, mat *float64, ldm int, c float64, gp, a, max, sum, q, e *float64)

//go:noescape
func rowsAVX512F32(m, n int, mat *float32, ldm int, c float32, gp, a, max, sum, q, e *float32)

//go:noescape
func columnMaxAVX512F64(m, n int, mat *float64, ldm int, c float64, f, h *float64)

//go:noescape
func columnMaxAVX512F32(m, n int, mat *float32, ldm int, c float32, f, h *float32)

//go:noescape
func columnSumAVX512F64(m, n int, mat *float64, ldm int, c float64, f, h, s *float64)

//go:noescape
func columnSumAVX512F32(m, n int, mat *float32, ldm int, c float32, f, h, s *float32)

//go:noescape
func planAVX512F64(m, n int, t *float64, ldt int, mat *float64, ldm int, c float64, f, gp *float64)

//go:noescape
func planAVX512F32(m, n int, t *float32, ldt int, mat *float32, ldm int, c float32, f, gp *float32)

//go:noinline
func callRowsAVX2F64(m, n int, mat []float64, ldm int, c float64, g, a, max, sum, q, e []float64) {
	rowsAVX2F64(m, n, &mat[0], ldm, c, &g[0], &a[0], &max[0], &sum[0], &q[0], &e[0], math.Copysign(0, -1))
}

//go:noinline
func callRowsAVX2F32(m, n int, mat []float32, ldm int, c float32, g, a, max, sum, q, e []float32) {
	rowsAVX2F32(m, n, &mat[0], ldm, c, &g[0], &a[0], &max[0], &sum[0], &q[0], &e[0], float32(math.Copysign(0, -1)))
}

//go:noinline
func callColumnMaxAVX2F64(m, n int, mat []float64, ldm int, c float64, f, h []float64) {
	columnMaxAVX2F64(m, n, &mat[0], ldm, c, &f[0], &h[0])
}

//go:noinline
func callColumnMaxAVX2F32(m, n int, mat []float32, ldm int, c float32, f, h []float32) {
	columnMaxAVX2F32(m, n, &mat[0], ldm, c, &f[0], &h[0])
}

//go:noinline
func callColumnSumAVX2F64(m, n int, mat []float64, ldm int, c float64, f, h, s []float64) {
	columnSumAVX2F64(m, n, &mat[0], ldm, c, &f[0], &h[0], &s[0])
}

//go:noinline
func callColumnSumAVX2F32(m, n int, mat []float32, ldm int, c float32, f, h, s []float32) {
	columnSumAVX2F32(m, n, &mat[0], ldm, c, &f[0], &h[0], &s[0])
}

//go:noinline
func callPlanAVX2F64(m, n int, t []float64, ldt int, mat []float64, ldm int, c float64, f, g []float64) {
	planAVX2F64(m, n, &t[0], ldt, &mat[0], ldm, c, &f[0], &g[0])
}

//go:noinline
func callPlanAVX2F32(m, n int, t []float32, ldt int, mat []float32, ldm int, c float32, f, g []float32) {
	planAVX2F32(m, n, &t[0], ldt, &mat[0], ldm, c, &f[0], &g[0])
}

//go:noinline
func callRowsAVX512F64(m, n int, mat []float64, ldm int, c float64, g, a, max, sum, q, e []float64) {
	rowsAVX512F64(m, n, &mat[0], ldm, c, &g[0], &a[0], &max[0], &sum[0], &q[0], &e[0])
}

//go:noinline
func callRowsAVX512F32(m, n int, mat []float32, ldm int, c float32, g, a, max, sum, q, e []float32) {
	rowsAVX512F32(m, n, &mat[0], ldm, c, &g[0], &a[0], &max[0], &sum[0], &q[0], &e[0])
}

//go:noinline
func callColumnMaxAVX512F64(m, n int, mat []float64, ldm int, c float64, f, h []float64) {
	columnMaxAVX512F64(m, n, &mat[0], ldm, c, &f[0], &h[0])
}

//go:noinline
func callColumnMaxAVX512F32(m, n int, mat []float32, ldm int, c float32, f, h []float32) {
	columnMaxAVX512F32(m, n, &mat[0], ldm, c, &f[0], &h[0])
}

//go:noinline
func callColumnSumAVX512F64(m, n int, mat []float64, ldm int, c float64, f, h, s []float64) {
	columnSumAVX512F64(m, n, &mat[0], ldm, c, &f[0], &h[0], &s[0])
}

//go:noinline
func callColumnSumAVX512F32(m, n int, mat []float32, ldm int, c float32, f, h, s []float32) {
	columnSumAVX512F32(m, n, &mat[0], ldm, c, &f[0], &h[0], &s[0])
}

//go:noinline
func callPlanAVX512F64(m, n int, t []float64, ldt int, mat []float64, ldm int, c float64, f, g []float64) {
	planAVX512F64(m, n, &t[0], ldt, &mat[0], ldm, c, &f[0], &g[0])
}

//go:noinline
func callPlanAVX512F32(m, n int, t []float32, ldt int, mat []float32, ldm int, c float32, f, g []float32) {
	planAVX512F32(m, n, &t[0], ldt, &mat[0], ldm, c, &f[0], &g[0])
}
