//go:build arm64 && !purego

package matvec

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func rows[T num.Float](lv asm.Level, m, n int, s, k []T, ldk int, v []T) {
	switch lv {
	case asm.NEON:
		if num.IsFloat64[T]() {
			callRowsNEONF64(m, n, num.F64(s), num.F64(k), ldk, num.F64(v))
		} else {
			callRowsNEONF32(m, n, num.F32(s), num.F32(k), ldk, num.F32(v))
		}
	default:
		rowsRef(m, n, s, k, ldk, v)
	}
}

func columns[T num.Float](lv asm.Level, m, n int, q, k []T, ldk int, u []T) {
	switch lv {
	case asm.NEON:
		if num.IsFloat64[T]() {
			callColumnsNEONF64(m, n, num.F64(q), num.F64(k), ldk, num.F64(u))
		} else {
			callColumnsNEONF32(m, n, num.F32(q), num.F32(k), ldk, num.F32(u))
		}
	default:
		columnsRef(m, n, q, k, ldk, u)
	}
}

func rowsMixed(lv asm.Level, m, n int, s []float64, k []float32, ldk int, v []float64) {
	switch lv {
	case asm.NEON:
		callRowsNEONMixed(m, n, s, k, ldk, v)
	default:
		rowsRef(m, n, s, k, ldk, v)
	}
}

func columnsMixed(lv asm.Level, m, n int, q []float64, k []float32, ldk int, u []float64) {
	switch lv {
	case asm.NEON:
		callColumnsNEONMixed(m, n, q, k, ldk, u)
	default:
		columnsRef(m, n, q, k, ldk, u)
	}
}
