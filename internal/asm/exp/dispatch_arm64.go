//go:build arm64 && !purego

package exp

import (
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The scheduler cannot preempt assembly. The Go functions that call assembly are not inlined,
// because the stack check at the start of a Go function is a preemption point. Assembly requires
// m, n ≥ 1. The vector g is the parameter gp, because g is a register name in assembly.

//go:noescape
func expNEONF64(n int, dst, x *float64)

//go:noescape
func expNEONF32(n int, dst, x *float32)

//go:noescape
func exp2NEONF64(n int, dst, x *float64, c float64)

//go:noescape
func sumExpNEONF64(n int, s, dst, x *float64)

//go:noescape
func exp2NEONF32(n int, dst, x *float32, c float32)

//go:noescape
func sumExpNEONF32(n int, s, dst, x *float32)

//go:noescape
func logRowsNEONF64(m, n int, mat *float64, ldm int, c float64, gp, a, max, sum, q, e *float64)

//go:noescape
func logRowsNEONF32(m, n int, mat *float32, ldm int, c float32, gp, a, max, sum, q, e *float32)

//go:noescape
func logColumnMaxNEONF64(m, n int, mat *float64, ldm int, c float64, f, h *float64)

//go:noescape
func logColumnMaxNEONF32(m, n int, mat *float32, ldm int, c float32, f, h *float32)

//go:noescape
func logColumnSumNEONF64(m, n int, mat *float64, ldm int, c float64, f, h, s *float64)

//go:noescape
func logColumnSumNEONF32(m, n int, mat *float32, ldm int, c float32, f, h, s *float32)

//go:noescape
func logPlanNEONF64(m, n int, t *float64, ldt int, mat *float64, ldm int, c float64, f, gp *float64)

//go:noescape
func logPlanNEONF32(m, n int, t *float32, ldt int, mat *float32, ldm int, c float32, f, gp *float32)

//go:noinline
func exp[T num.Float](dst, x []T) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		expNEONF64(len(x), num.P64(dst), num.P64(x))
	case asm.NEONF32:
		expNEONF32(len(x), num.P32(dst), num.P32(x))
	default:
		expRef(dst, x)
	}
}

//go:noinline
func sumExp[T num.Float](s *Sum[T], dst, x []T) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		sumExpNEONF64(len(x), (*float64)(unsafe.Pointer(s)), num.P64(dst), num.P64(x))
	case asm.NEONF32:
		sumExpNEONF32(len(x), (*float32)(unsafe.Pointer(s)), num.P32(dst), num.P32(x))
	default:
		sumExpRef(s, dst, x)
	}
}

//go:noinline
func exp2[T num.Float](dst, x []T, c T) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		exp2NEONF64(len(x), num.P64(dst), num.P64(x), float64(c))
	case asm.NEONF32:
		exp2NEONF32(len(x), num.P32(dst), num.P32(x), float32(c))
	default:
		exp2Ref(dst, x, c)
	}
}

//go:noinline
func logRows[T num.Float](m, n int, mat []T, ldm int, c T, g, a, max, sum, q, e []T) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		logRowsNEONF64(m, n, num.P64(mat), ldm, float64(c), num.P64(g), num.P64(a), num.P64(max), num.P64(sum), num.P64(q), num.P64(e))
	case asm.NEONF32:
		logRowsNEONF32(m, n, num.P32(mat), ldm, float32(c), num.P32(g), num.P32(a), num.P32(max), num.P32(sum), num.P32(q), num.P32(e))
	default:
		logRowsRef(m, n, mat, ldm, c, g, a, max, sum, q, e)
	}
}

//go:noinline
func logColumnMax[T num.Float](m, n int, mat []T, ldm int, c T, f, h []T) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		logColumnMaxNEONF64(m, n, num.P64(mat), ldm, float64(c), num.P64(f), num.P64(h))
	case asm.NEONF32:
		logColumnMaxNEONF32(m, n, num.P32(mat), ldm, float32(c), num.P32(f), num.P32(h))
	default:
		logColumnMaxRef(m, n, mat, ldm, c, f, h)
	}
}

//go:noinline
func logColumnSum[T num.Float](m, n int, mat []T, ldm int, c T, f, h, s []T) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		logColumnSumNEONF64(m, n, num.P64(mat), ldm, float64(c), num.P64(f), num.P64(h), num.P64(s))
	case asm.NEONF32:
		logColumnSumNEONF32(m, n, num.P32(mat), ldm, float32(c), num.P32(f), num.P32(h), num.P32(s))
	default:
		logColumnSumRef(m, n, mat, ldm, c, f, h, s)
	}
}

//go:noinline
func logPlan[T num.Float](m, n int, t []T, ldt int, mat []T, ldm int, c T, f, g []T) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		logPlanNEONF64(m, n, num.P64(t), ldt, num.P64(mat), ldm, float64(c), num.P64(f), num.P64(g))
	case asm.NEONF32:
		logPlanNEONF32(m, n, num.P32(t), ldt, num.P32(mat), ldm, float32(c), num.P32(f), num.P32(g))
	default:
		logPlanRef(m, n, t, ldt, mat, ldm, c, f, g)
	}
}
