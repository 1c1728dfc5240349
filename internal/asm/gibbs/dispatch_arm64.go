//go:build arm64 && !purego

package gibbs

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func block[T num.Float](lv asm.Level, m, n, d int, k []T, ldk int, dist []T, ldd int, x []T, ldx int, zt []T, ldz int, c T) {
	switch lv {
	case asm.NEON:
		if num.IsFloat64[T]() {
			callNEONF64(m, n, d, num.F64(k), ldk, num.F64(dist), ldd, num.F64(x), ldx, num.F64(zt), ldz, float64(c))
		} else {
			callNEONF32(m, n, d, num.F32(k), ldk, num.F32(dist), ldd, num.F32(x), ldx, num.F32(zt), ldz, float32(c))
		}
	default:
		blockRef(m, n, d, k, ldk, dist, ldd, x, ldx, zt, ldz, c)
	}
}
