//go:build amd64 && !purego

package scale

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func iterate[T num.Float](lv asm.Level, m, n int, k []T, ldk int, v, a, u, q []T) {
	switch lv {
	case asm.AVX512:
		if num.IsFloat64[T]() {
			callAVX512F64(m, n, num.F64(k), ldk, num.F64(v), num.F64(a), num.F64(u), num.F64(q))
		} else {
			callAVX512F32(m, n, num.F32(k), ldk, num.F32(v), num.F32(a), num.F32(u), num.F32(q))
		}
	case asm.AVX2:
		if num.IsFloat64[T]() {
			callAVX2F64(m, n, num.F64(k), ldk, num.F64(v), num.F64(a), num.F64(u), num.F64(q))
		} else {
			callAVX2F32(m, n, num.F32(k), ldk, num.F32(v), num.F32(a), num.F32(u), num.F32(q))
		}
	default:
		iterateRef(m, n, k, ldk, v, a, u, q)
	}
}

func iterateMixed(lv asm.Level, m, n int, k []float32, ldk int, v, a, u, q []float64) {
	switch lv {
	case asm.AVX512:
		callAVX512Mixed(m, n, k, ldk, v, a, u, q)
	case asm.AVX2:
		callAVX2Mixed(m, n, k, ldk, v, a, u, q)
	default:
		iterateRef(m, n, k, ldk, v, a, u, q)
	}
}
