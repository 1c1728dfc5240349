//go:build amd64 && !purego

package vec

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func divide[T num.Float](lv asm.Level, dst, x, y []T) {
	switch lv {
	case asm.AVX512:
		if num.IsFloat64[T]() {
			callDivideAVX512F64(num.F64(dst), num.F64(x), num.F64(y))
		} else {
			callDivideAVX512F32(num.F32(dst), num.F32(x), num.F32(y))
		}
	case asm.AVX2:
		if num.IsFloat64[T]() {
			callDivideAVX2F64(num.F64(dst), num.F64(x), num.F64(y))
		} else {
			callDivideAVX2F32(num.F32(dst), num.F32(x), num.F32(y))
		}
	default:
		divideRef(dst, x, y)
	}
}

func countOutside[T num.Float](lv asm.Level, x []T, lo, hi T) int {
	switch lv {
	case asm.AVX512:
		if num.IsFloat64[T]() {
			return callCountOutsideAVX512F64(num.F64(x), float64(lo), float64(hi))
		}
		return callCountOutsideAVX512F32(num.F32(x), float32(lo), float32(hi))
	case asm.AVX2:
		if num.IsFloat64[T]() {
			return callCountOutsideAVX2F64(num.F64(x), float64(lo), float64(hi))
		}
		return callCountOutsideAVX2F32(num.F32(x), float32(lo), float32(hi))
	default:
		return countOutsideRef(x, lo, hi)
	}
}

func narrow(lv asm.Level, dst []float32, x []float64) {
	switch lv {
	case asm.AVX512:
		callNarrowAVX512Mixed(dst, x)
	case asm.AVX2:
		callNarrowAVX2Mixed(dst, x)
	default:
		narrowRef(dst, x)
	}
}

func widen(lv asm.Level, dst []float64, x []float32) {
	switch lv {
	case asm.AVX512:
		callWidenAVX512Mixed(dst, x)
	case asm.AVX2:
		callWidenAVX2Mixed(dst, x)
	default:
		widenRef(dst, x)
	}
}
