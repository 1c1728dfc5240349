//go:build arm64 && !purego

package project

// The assembly takes m, p, d ≥ 1. It is called through functions that are not
// inlined, so that every call has a stack check at which the goroutine can be
// stopped.

//go:noescape
func mulNEONF64(m, p, d int, y *float64, ldy int, x *float64, ldx int, b *float64, ldb int, add bool)

//go:noescape
func transMulNEONF64(m, p, d int, dst *float64, ldg int, x *float64, ldx int, y *float64, ldy int, add bool)

//go:noescape
func mulNEONF32(m, p, d int, y *float32, ldy int, x *float32, ldx int, b *float32, ldb int, add bool)

//go:noescape
func transMulNEONF32(m, p, d int, dst *float32, ldg int, x *float32, ldx int, y *float32, ldy int, add bool)

//go:noinline
func callMulNEONF64(m, p, d int, y []float64, ldy int, x []float64, ldx int, b []float64, ldb int, add bool) {
	mulNEONF64(m, p, d, &y[0], ldy, &x[0], ldx, &b[0], ldb, add)
}

//go:noinline
func callTransMulNEONF64(m, p, d int, g []float64, ldg int, x []float64, ldx int, y []float64, ldy int, add bool) {
	transMulNEONF64(m, p, d, &g[0], ldg, &x[0], ldx, &y[0], ldy, add)
}

//go:noinline
func callMulNEONF32(m, p, d int, y []float32, ldy int, x []float32, ldx int, b []float32, ldb int, add bool) {
	mulNEONF32(m, p, d, &y[0], ldy, &x[0], ldx, &b[0], ldb, add)
}

//go:noinline
func callTransMulNEONF32(m, p, d int, g []float32, ldg int, x []float32, ldx int, y []float32, ldy int, add bool) {
	transMulNEONF32(m, p, d, &g[0], ldg, &x[0], ldx, &y[0], ldy, add)
}
