//go:build arm64 && !purego

package exp

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func exp[T num.Float](lv asm.Level, dst, x []T) {
	switch lv {
	case asm.NEON:
		if num.IsFloat64[T]() {
			callNEONF64(num.F64(dst), num.F64(x))
		} else {
			callNEONF32(num.F32(dst), num.F32(x))
		}
	default:
		expRef(dst, x)
	}
}
