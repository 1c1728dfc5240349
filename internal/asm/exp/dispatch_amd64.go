//go:build amd64 && !purego

package exp

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func exp[T num.Float](lv asm.Level, dst, x []T) {
	switch lv {
	case asm.AVX512:
		if num.IsFloat64[T]() {
			callAVX512F64(num.F64(dst), num.F64(x))
		} else {
			callAVX512F32(num.F32(dst), num.F32(x))
		}
	case asm.AVX2:
		if num.IsFloat64[T]() {
			callAVX2F64(num.F64(dst), num.F64(x))
		} else {
			callAVX2F32(num.F32(dst), num.F32(x))
		}
	default:
		expRef(dst, x)
	}
}
