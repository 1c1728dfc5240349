//go:build arm64 && !purego

package project

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func mul[T num.Float](lv asm.Level, m, p, d int, y []T, ldy int, x []T, ldx int, b []T, ldb int, add bool) {
	switch lv {
	case asm.NEON:
		if num.IsFloat64[T]() {
			callMulNEONF64(m, p, d, num.F64(y), ldy, num.F64(x), ldx, num.F64(b), ldb, add)
		} else {
			callMulNEONF32(m, p, d, num.F32(y), ldy, num.F32(x), ldx, num.F32(b), ldb, add)
		}
	default:
		mulRef(m, p, d, y, ldy, x, ldx, b, ldb, add)
	}
}

func transMul[T num.Float](lv asm.Level, m, p, d int, g []T, ldg int, x []T, ldx int, y []T, ldy int, add bool) {
	switch lv {
	case asm.NEON:
		if num.IsFloat64[T]() {
			callTransMulNEONF64(m, p, d, num.F64(g), ldg, num.F64(x), ldx, num.F64(y), ldy, add)
		} else {
			callTransMulNEONF32(m, p, d, num.F32(g), ldg, num.F32(x), ldx, num.F32(y), ldy, add)
		}
	default:
		transMulRef(m, p, d, g, ldg, x, ldx, y, ldy, add)
	}
}
