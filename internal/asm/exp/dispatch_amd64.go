//go:build amd64 && !purego

package exp

import (
	"math"
	"unsafe"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The scheduler cannot preempt assembly. The Go functions that call assembly are not inlined,
// because the stack check at the start of a Go function is a preemption point. Assembly requires
// m, n ≥ 1. The parameter gp is the vector g, because g is a register name in assembly. The parameter
// w of logRowsAVX2F64 and logRowsAVX2F32 must be −0, because the loop over rows uses w as the weight
// of the previous row, and the first row has no previous row.

//go:noescape
func expAVX512F64(n int, dst, x *float64)

//go:noescape
func expAVX512F32(n int, dst, x *float32)

//go:noescape
func expAVX2F64(n int, dst, x *float64)

//go:noescape
func expAVX2F32(n int, dst, x *float32)

//go:noescape
func exp2AVX512F64(n int, dst, x *float64, c float64)

//go:noescape
func sumExpAVX512F64(n int, s, dst, x *float64)

//go:noescape
func exp2AVX512F32(n int, dst, x *float32, c float32)

//go:noescape
func sumExpAVX512F32(n int, s, dst, x *float32)

//go:noescape
func exp2AVX2F64(n int, dst, x *float64, c float64)

//go:noescape
func sumExpAVX2F64(n int, s, dst, x *float64)

//go:noescape
func exp2AVX2F32(n int, dst, x *float32, c float32)

//go:noescape
func sumExpAVX2F32(n int, s, dst, x *float32)

//go:noescape
func logRowsAVX512F64(m, n int, mat *float64, ldm int, c float64, gp, a, hi, sum, q, e *float64)

//go:noescape
func logRowsAVX512F32(m, n int, mat *float32, ldm int, c float32, gp, a, hi, sum, q, e *float32)

//go:noescape
func logRowsAVX2F64(m, n int, mat *float64, ldm int, c float64, gp, a, hi, sum, q, e *float64, w float64)

//go:noescape
func logRowsAVX2F32(m, n int, mat *float32, ldm int, c float32, gp, a, hi, sum, q, e *float32, w float32)

//go:noescape
func logColumnMaxAVX512F64(m, n int, mat *float64, ldm int, c float64, f, h *float64)

//go:noescape
func logColumnMaxAVX512F32(m, n int, mat *float32, ldm int, c float32, f, h *float32)

//go:noescape
func logColumnMaxAVX2F64(m, n int, mat *float64, ldm int, c float64, f, h *float64)

//go:noescape
func logColumnMaxAVX2F32(m, n int, mat *float32, ldm int, c float32, f, h *float32)

//go:noescape
func logColumnSumAVX512F64(m, n int, mat *float64, ldm int, c float64, f, h, s *float64)

//go:noescape
func logColumnSumAVX512F32(m, n int, mat *float32, ldm int, c float32, f, h, s *float32)

//go:noescape
func logColumnSumAVX2F64(m, n int, mat *float64, ldm int, c float64, f, h, s *float64)

//go:noescape
func logColumnSumAVX2F32(m, n int, mat *float32, ldm int, c float32, f, h, s *float32)

//go:noescape
func logPlanAVX512F64(m, n int, t *float64, ldt int, mat *float64, ldm int, c float64, f, gp *float64)

//go:noescape
func logPlanAVX512F32(m, n int, t *float32, ldt int, mat *float32, ldm int, c float32, f, gp *float32)

//go:noescape
func logPlanAVX2F64(m, n int, t *float64, ldt int, mat *float64, ldm int, c float64, f, gp *float64)

//go:noescape
func logPlanAVX2F32(m, n int, t *float32, ldt int, mat *float32, ldm int, c float32, f, gp *float32)

//go:noinline
func exp[T num.Float](dst, x []T) {
	switch asm.VariantOf[T, T]() {
	case asm.AVX512F64:
		expAVX512F64(len(x), num.P64(dst), num.P64(x))
	case asm.AVX512F32:
		expAVX512F32(len(x), num.P32(dst), num.P32(x))
	case asm.AVX2F64:
		expAVX2F64(len(x), num.P64(dst), num.P64(x))
	case asm.AVX2F32:
		expAVX2F32(len(x), num.P32(dst), num.P32(x))
	default:
		expRef(dst, x)
	}
}

//go:noinline
func sumExp[T num.Float](s *Sum[T], dst, x []T) {
	switch asm.VariantOf[T, T]() {
	case asm.AVX512F64:
		sumExpAVX512F64(len(x), (*float64)(unsafe.Pointer(s)), num.P64(dst), num.P64(x))
	case asm.AVX512F32:
		sumExpAVX512F32(len(x), (*float32)(unsafe.Pointer(s)), num.P32(dst), num.P32(x))
	case asm.AVX2F64:
		sumExpAVX2F64(len(x), (*float64)(unsafe.Pointer(s)), num.P64(dst), num.P64(x))
	case asm.AVX2F32:
		sumExpAVX2F32(len(x), (*float32)(unsafe.Pointer(s)), num.P32(dst), num.P32(x))
	default:
		sumExpRef(s, dst, x)
	}
}

//go:noinline
func exp2[T num.Float](dst, x []T, c T) {
	switch asm.CurrentMachine().Exp2.Variant(asm.VariantOf[T, T](), len(x)) {
	case asm.AVX512F64:
		exp2AVX512F64(len(x), num.P64(dst), num.P64(x), float64(c))
	case asm.AVX512F32:
		exp2AVX512F32(len(x), num.P32(dst), num.P32(x), float32(c))
	case asm.AVX2F64:
		exp2AVX2F64(len(x), num.P64(dst), num.P64(x), float64(c))
	case asm.AVX2F32:
		exp2AVX2F32(len(x), num.P32(dst), num.P32(x), float32(c))
	default:
		exp2Ref(dst, x, c)
	}
}

//go:noinline
func logRows[T num.Float](m, n int, mat []T, ldm int, c T, g, a, max, sum, q, e []T) {
	switch asm.CurrentMachine().LogRows.Variant(asm.VariantOf[T, T](), n) {
	case asm.AVX512F64:
		logRowsAVX512F64(m, n, num.P64(mat), ldm, float64(c), num.P64(g), num.P64(a), num.P64(max), num.P64(sum), num.P64(q), num.P64(e))
	case asm.AVX512F32:
		logRowsAVX512F32(m, n, num.P32(mat), ldm, float32(c), num.P32(g), num.P32(a), num.P32(max), num.P32(sum), num.P32(q), num.P32(e))
	case asm.AVX2F64:
		logRowsAVX2F64(m, n, num.P64(mat), ldm, float64(c), num.P64(g), num.P64(a), num.P64(max), num.P64(sum), num.P64(q), num.P64(e), math.Copysign(0, -1))
	case asm.AVX2F32:
		logRowsAVX2F32(m, n, num.P32(mat), ldm, float32(c), num.P32(g), num.P32(a), num.P32(max), num.P32(sum), num.P32(q), num.P32(e), float32(math.Copysign(0, -1)))
	default:
		logRowsRef(m, n, mat, ldm, c, g, a, max, sum, q, e)
	}
}

//go:noinline
func logColumnMax[T num.Float](m, n int, mat []T, ldm int, c T, f, h []T) {
	switch asm.VariantOf[T, T]() {
	case asm.AVX512F64:
		logColumnMaxAVX512F64(m, n, num.P64(mat), ldm, float64(c), num.P64(f), num.P64(h))
	case asm.AVX512F32:
		logColumnMaxAVX512F32(m, n, num.P32(mat), ldm, float32(c), num.P32(f), num.P32(h))
	case asm.AVX2F64:
		logColumnMaxAVX2F64(m, n, num.P64(mat), ldm, float64(c), num.P64(f), num.P64(h))
	case asm.AVX2F32:
		logColumnMaxAVX2F32(m, n, num.P32(mat), ldm, float32(c), num.P32(f), num.P32(h))
	default:
		logColumnMaxRef(m, n, mat, ldm, c, f, h)
	}
}

//go:noinline
func logColumnSum[T num.Float](m, n int, mat []T, ldm int, c T, f, h, s []T) {
	switch asm.VariantOf[T, T]() {
	case asm.AVX512F64:
		logColumnSumAVX512F64(m, n, num.P64(mat), ldm, float64(c), num.P64(f), num.P64(h), num.P64(s))
	case asm.AVX512F32:
		logColumnSumAVX512F32(m, n, num.P32(mat), ldm, float32(c), num.P32(f), num.P32(h), num.P32(s))
	case asm.AVX2F64:
		logColumnSumAVX2F64(m, n, num.P64(mat), ldm, float64(c), num.P64(f), num.P64(h), num.P64(s))
	case asm.AVX2F32:
		logColumnSumAVX2F32(m, n, num.P32(mat), ldm, float32(c), num.P32(f), num.P32(h), num.P32(s))
	default:
		logColumnSumRef(m, n, mat, ldm, c, f, h, s)
	}
}

//go:noinline
func logPlan[T num.Float](m, n int, t []T, ldt int, mat []T, ldm int, c T, f, g []T) {
	switch asm.VariantOf[T, T]() {
	case asm.AVX512F64:
		logPlanAVX512F64(m, n, num.P64(t), ldt, num.P64(mat), ldm, float64(c), num.P64(f), num.P64(g))
	case asm.AVX512F32:
		logPlanAVX512F32(m, n, num.P32(t), ldt, num.P32(mat), ldm, float32(c), num.P32(f), num.P32(g))
	case asm.AVX2F64:
		logPlanAVX2F64(m, n, num.P64(t), ldt, num.P64(mat), ldm, float64(c), num.P64(f), num.P64(g))
	case asm.AVX2F32:
		logPlanAVX2F32(m, n, num.P32(t), ldt, num.P32(mat), ldm, float32(c), num.P32(f), num.P32(g))
	default:
		logPlanRef(m, n, t, ldt, mat, ldm, c, f, g)
	}
}
