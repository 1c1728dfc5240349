//go:build arm64 && !purego

package project

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The Go functions that call assembly are not inlined. So each call begins with a stack check, where the
// scheduler can stop the goroutine. The arguments m, p and d are positive. In the transMul functions, dst is the
// matrix g with row stride ldg. It is not named g, because g is a register in arm64 assembly.

//go:noescape
func mulNEONF64(m, p, d int, y *float64, ldy int, x *float64, ldx int, b *float64, ldb int, add bool)

//go:noescape
func mulNEONF32(m, p, d int, y *float32, ldy int, x *float32, ldx int, b *float32, ldb int, add bool)

//go:noescape
func transMulNEONF64(m, p, d int, dst *float64, ldg int, x *float64, ldx int, y *float64, ldy int, add bool)

//go:noescape
func transMulNEONF32(m, p, d int, dst *float32, ldg int, x *float32, ldx int, y *float32, ldy int, add bool)

//go:noescape
func normsNEONF64(d int, n, x *float64, ldx int, add bool)

//go:noescape
func normsNEONF32(d int, n, x *float32, ldx int, add bool)

//go:noinline
func norms[T num.Float](d int, n, x []T, ldx int, add bool) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		normsNEONF64(d, num.P64(n), num.P64(x), ldx, add)
	case asm.NEONF32:
		normsNEONF32(d, num.P32(n), num.P32(x), ldx, add)
	default:
		normsRef(d, n, x, ldx, add)
	}
}

//go:noinline
func mul[T num.Float](m, p, d int, y []T, ldy int, x []T, ldx int, b []T, ldb int, add bool) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		mulNEONF64(m, p, d, num.P64(y), ldy, num.P64(x), ldx, num.P64(b), ldb, add)
	case asm.NEONF32:
		mulNEONF32(m, p, d, num.P32(y), ldy, num.P32(x), ldx, num.P32(b), ldb, add)
	default:
		mulRef(m, p, d, y, ldy, x, ldx, b, ldb, add)
	}
}

//go:noinline
func transMul[T num.Float](m, p, d int, g []T, ldg int, x []T, ldx int, y []T, ldy int, add bool) {
	switch asm.VariantOf[T, T]() {
	case asm.NEONF64:
		transMulNEONF64(m, p, d, num.P64(g), ldg, num.P64(x), ldx, num.P64(y), ldy, add)
	case asm.NEONF32:
		transMulNEONF32(m, p, d, num.P32(g), ldg, num.P32(x), ldx, num.P32(y), ldy, add)
	default:
		transMulRef(m, p, d, g, ldg, x, ldx, y, ldy, add)
	}
}
