//go:build amd64 && !purego

package logscale

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func rows[T num.Float](lv asm.Level, m, n int, mat []T, ldm int, c T, g, a, max, sum, q, e []T) {
	switch lv {
	case asm.AVX512:
		if num.IsFloat64[T]() {
			callRowsAVX512F64(m, n, num.F64(mat), ldm, float64(c), num.F64(g), num.F64(a), num.F64(max), num.F64(sum), num.F64(q), num.F64(e))
		} else {
			callRowsAVX512F32(m, n, num.F32(mat), ldm, float32(c), num.F32(g), num.F32(a), num.F32(max), num.F32(sum), num.F32(q), num.F32(e))
		}
	case asm.AVX2:
		if num.IsFloat64[T]() {
			callRowsAVX2F64(m, n, num.F64(mat), ldm, float64(c), num.F64(g), num.F64(a), num.F64(max), num.F64(sum), num.F64(q), num.F64(e))
		} else {
			callRowsAVX2F32(m, n, num.F32(mat), ldm, float32(c), num.F32(g), num.F32(a), num.F32(max), num.F32(sum), num.F32(q), num.F32(e))
		}
	default:
		rowsRef(m, n, mat, ldm, c, g, a, max, sum, q, e)
	}
}

func columnMax[T num.Float](lv asm.Level, m, n int, mat []T, ldm int, c T, f, h []T) {
	switch lv {
	case asm.AVX512:
		if num.IsFloat64[T]() {
			callColumnMaxAVX512F64(m, n, num.F64(mat), ldm, float64(c), num.F64(f), num.F64(h))
		} else {
			callColumnMaxAVX512F32(m, n, num.F32(mat), ldm, float32(c), num.F32(f), num.F32(h))
		}
	case asm.AVX2:
		if num.IsFloat64[T]() {
			callColumnMaxAVX2F64(m, n, num.F64(mat), ldm, float64(c), num.F64(f), num.F64(h))
		} else {
			callColumnMaxAVX2F32(m, n, num.F32(mat), ldm, float32(c), num.F32(f), num.F32(h))
		}
	default:
		columnMaxRef(m, n, mat, ldm, c, f, h)
	}
}

func columnSum[T num.Float](lv asm.Level, m, n int, mat []T, ldm int, c T, f, h, s []T) {
	switch lv {
	case asm.AVX512:
		if num.IsFloat64[T]() {
			callColumnSumAVX512F64(m, n, num.F64(mat), ldm, float64(c), num.F64(f), num.F64(h), num.F64(s))
		} else {
			callColumnSumAVX512F32(m, n, num.F32(mat), ldm, float32(c), num.F32(f), num.F32(h), num.F32(s))
		}
	case asm.AVX2:
		if num.IsFloat64[T]() {
			callColumnSumAVX2F64(m, n, num.F64(mat), ldm, float64(c), num.F64(f), num.F64(h), num.F64(s))
		} else {
			callColumnSumAVX2F32(m, n, num.F32(mat), ldm, float32(c), num.F32(f), num.F32(h), num.F32(s))
		}
	default:
		columnSumRef(m, n, mat, ldm, c, f, h, s)
	}
}

func plan[T num.Float](lv asm.Level, m, n int, t []T, ldt int, mat []T, ldm int, c T, f, g []T) {
	switch lv {
	case asm.AVX512:
		if num.IsFloat64[T]() {
			callPlanAVX512F64(m, n, num.F64(t), ldt, num.F64(mat), ldm, float64(c), num.F64(f), num.F64(g))
		} else {
			callPlanAVX512F32(m, n, num.F32(t), ldt, num.F32(mat), ldm, float32(c), num.F32(f), num.F32(g))
		}
	case asm.AVX2:
		if num.IsFloat64[T]() {
			callPlanAVX2F64(m, n, num.F64(t), ldt, num.F64(mat), ldm, float64(c), num.F64(f), num.F64(g))
		} else {
			callPlanAVX2F32(m, n, num.F32(t), ldt, num.F32(mat), ldm, float32(c), num.F32(f), num.F32(g))
		}
	default:
		planRef(m, n, t, ldt, mat, ldm, c, f, g)
	}
}
