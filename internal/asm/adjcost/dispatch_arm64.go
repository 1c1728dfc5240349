//go:build arm64 && !purego

package adjcost

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func block[T num.Float](lv asm.Level, m, n, r int, g []T, ldg int, k []T, ldk int, mat []T, ldm int, a []T, lda int, b []T, ldb int, u, v []T, lambda T) {
	switch lv {
	case asm.NEON:
		if num.IsFloat64[T]() {
			callNEONF64(m, n, r, num.F64(g), ldg, num.F64(k), ldk, num.F64(mat), ldm, num.F64(a), lda, num.F64(b), ldb, num.F64(u), num.F64(v), float64(lambda))
		} else {
			callNEONF32(m, n, r, num.F32(g), ldg, num.F32(k), ldk, num.F32(mat), ldm, num.F32(a), lda, num.F32(b), ldb, num.F32(u), num.F32(v), float32(lambda))
		}
	default:
		blockRef(m, n, r, g, ldg, k, ldk, mat, ldm, a, lda, b, ldb, u, v, lambda)
	}
}
