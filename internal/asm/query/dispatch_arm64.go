//go:build arm64 && !purego

package query

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Assembly is called from functions that are not inlined, so that every call has a
// stack check at which the goroutine can be stopped. It takes at least one row; without columns the definition
// does.

//go:noescape
func sqEuclideanNEONF32(n, d int, dst, q, x *float32)

//go:noescape
func dotNEONF32(n, d int, dst, q, x *float32)

//go:noinline
func sqEuclidean(dst, q, x []float32) {
	if variant(len(q)) == asm.NEONF32 {
		sqEuclideanNEONF32(len(dst), len(q), num.P32(dst), num.P32(q), num.P32(x))
		return
	}
	sqEuclideanRef(dst, q, x)
}

//go:noinline
func dot(dst, q, x []float32) {
	if variant(len(q)) == asm.NEONF32 {
		dotNEONF32(len(dst), len(q), num.P32(dst), num.P32(q), num.P32(x))
		return
	}
	dotRef(dst, q, x)
}

// variant returns the variant to run for rows of d elements.
func variant(d int) asm.Variant {
	if d == 0 {
		return asm.Variant(asm.Ref)
	}
	return asm.VariantOf[float32, float32]()
}
