//go:build amd64 && !purego

package query

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Assembly is called from functions that are not inlined, so that every call has a
// stack check at which the goroutine can be stopped. It takes at least one row; without columns the definition
// does.

//go:noescape
func sqEuclideanAVX512F32(n, d int, dst, q, x *float32)

//go:noescape
func sqEuclideanAVX2F32(n, d int, dst, q, x *float32)

//go:noescape
func dotAVX512F32(n, d int, dst, q, x *float32)

//go:noescape
func dotAVX2F32(n, d int, dst, q, x *float32)

//go:noinline
func sqEuclidean(dst, q, x []float32) {
	n, d := len(dst), len(q)
	switch variant(d) {
	case asm.AVX512F32:
		sqEuclideanAVX512F32(n, d, num.P32(dst), num.P32(q), num.P32(x))
	case asm.AVX2F32:
		sqEuclideanAVX2F32(n, d, num.P32(dst), num.P32(q), num.P32(x))
	default:
		sqEuclideanRef(dst, q, x)
	}
}

//go:noinline
func dot(dst, q, x []float32) {
	n, d := len(dst), len(q)
	switch variant(d) {
	case asm.AVX512F32:
		dotAVX512F32(n, d, num.P32(dst), num.P32(q), num.P32(x))
	case asm.AVX2F32:
		dotAVX2F32(n, d, num.P32(dst), num.P32(q), num.P32(x))
	default:
		dotRef(dst, q, x)
	}
}

// variant returns the variant to run for rows of d elements.
func variant(d int) asm.Variant {
	if d == 0 {
		return asm.Variant(asm.Ref)
	}
	return asm.VariantOf[float32, float32]()
}
