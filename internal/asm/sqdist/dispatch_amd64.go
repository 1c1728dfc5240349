//go:build amd64 && !purego

package sqdist

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func block[T num.Float](lv asm.Level, m, n, d int, dst []T, ldd int, x []T, ldx int, zt []T, ldz int, add bool) {
	switch lv {
	case asm.AVX512:
		if num.IsFloat64[T]() {
			callAVX512F64(m, n, d, num.F64(dst), ldd, num.F64(x), ldx, num.F64(zt), ldz, add)
		} else {
			callAVX512F32(m, n, d, num.F32(dst), ldd, num.F32(x), ldx, num.F32(zt), ldz, add)
		}
	case asm.AVX2:
		if num.IsFloat64[T]() {
			callAVX2F64(m, n, d, num.F64(dst), ldd, num.F64(x), ldx, num.F64(zt), ldz, add)
		} else {
			callAVX2F32(m, n, d, num.F32(dst), ldd, num.F32(x), ldx, num.F32(zt), ldz, add)
		}
	default:
		blockRef(m, n, d, dst, ldd, x, ldx, zt, ldz, add)
	}
}
