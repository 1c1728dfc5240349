//go:build arm64 && !purego

package exp2

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func scale[T num.Float](lv asm.Level, dst, x []T, c T) {
	switch lv {
	case asm.NEON:
		if num.IsFloat64[T]() {
			callNEONF64(num.F64(dst), num.F64(x), float64(c))
		} else {
			callNEONF32(num.F32(dst), num.F32(x), float32(c))
		}
	default:
		scaleRef(dst, x, c)
	}
}
