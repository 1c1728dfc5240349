//go:build arm64 && !purego

package adjoint

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func begin[T num.Float](lv asm.Level, m, n int, k []T, ldk int, mat []T, ldm int, v, u, w, r, s, q []T) {
	switch lv {
	case asm.NEON:
		if num.IsFloat64[T]() {
			callBeginNEONF64(m, n, num.F64(k), ldk, num.F64(mat), ldm, num.F64(v), num.F64(u), num.F64(w), num.F64(r), num.F64(s), num.F64(q))
		} else {
			callBeginNEONF32(m, n, num.F32(k), ldk, num.F32(mat), ldm, num.F32(v), num.F32(u), num.F32(w), num.F32(r), num.F32(s), num.F32(q))
		}
	default:
		beginRef(m, n, k, ldk, mat, ldm, v, u, w, r, s, q)
	}
}

func sweep[T num.Float](lv asm.Level, m, n int, k []T, ldk int, t, w, s, q []T) {
	switch lv {
	case asm.NEON:
		if num.IsFloat64[T]() {
			callSweepNEONF64(m, n, num.F64(k), ldk, num.F64(t), num.F64(w), num.F64(s), num.F64(q))
		} else {
			callSweepNEONF32(m, n, num.F32(k), ldk, num.F32(t), num.F32(w), num.F32(s), num.F32(q))
		}
	default:
		sweepRef(m, n, k, ldk, t, w, s, q)
	}
}

func sweepMixed(lv asm.Level, m, n int, k []float32, ldk int, t, w, s, q []float64) {
	switch lv {
	case asm.NEON:
		callSweepNEONMixed(m, n, k, ldk, t, w, s, q)
	default:
		sweepRef(m, n, k, ldk, t, w, s, q)
	}
}
