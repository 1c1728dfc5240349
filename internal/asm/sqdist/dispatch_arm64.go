//go:build arm64 && !purego

package sqdist

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func block[T num.Float](lv asm.Level, m, n, d int, dst []T, ldd int, x []T, ldx int, zt []T, ldz int, add bool) {
	switch lv {
	case asm.NEON:
		if num.IsFloat64[T]() {
			callNEONF64(m, n, d, num.F64(dst), ldd, num.F64(x), ldx, num.F64(zt), ldz, add)
		} else {
			callNEONF32(m, n, d, num.F32(dst), ldd, num.F32(x), ldx, num.F32(zt), ldz, add)
		}
	default:
		blockRef(m, n, d, dst, ldd, x, ldx, zt, ldz, add)
	}
}
