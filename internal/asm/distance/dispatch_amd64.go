//go:build amd64 && !purego

package distance

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// The scheduler cannot preempt assembly. Functions that call assembly are not inlined, because
// their stack checks are preemption points. Assembly requires m, n, d ≥ 1 and r ≥ 0. dist may be
// nil. a and b may be nil if r = 0. In adjcost, the parameter dst names the matrix G, because g is
// a register name in assembly.

//go:noescape
func sqEuclideanAVX512F64(m, n, d int, dst *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, more bool)

//go:noescape
func sqEuclideanAVX512F32(m, n, d int, dst *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, more bool)

//go:noescape
func sqEuclideanAVX2F64(m, n, d int, dst *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, more bool)

//go:noescape
func sqEuclideanAVX2F32(m, n, d int, dst *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, more bool)

//go:noescape
func gibbsAVX512F64(m, n, d int, k *float64, ldk int, dist *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, c float64)

//go:noescape
func gibbsAVX512F32(m, n, d int, k *float32, ldk int, dist *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, c float32)

//go:noescape
func gibbsAVX2F64(m, n, d int, k *float64, ldk int, dist *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, c float64)

//go:noescape
func gibbsAVX2F32(m, n, d int, k *float32, ldk int, dist *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, c float32)

//go:noescape
func adjcostAVX512F64(m, n, r int, dst *float64, ldg int, k *float64, ldk int, mat *float64, ldm int, a *float64, lda int, b *float64, ldb int, u, v *float64, lambda float64)

//go:noescape
func adjcostAVX512F32(m, n, r int, dst *float32, ldg int, k *float32, ldk int, mat *float32, ldm int, a *float32, lda int, b *float32, ldb int, u, v *float32, lambda float32)

//go:noescape
func adjcostAVX2F64(m, n, r int, dst *float64, ldg int, k *float64, ldk int, mat *float64, ldm int, a *float64, lda int, b *float64, ldb int, u, v *float64, lambda float64)

//go:noescape
func adjcostAVX2F32(m, n, r int, dst *float32, ldg int, k *float32, ldk int, mat *float32, ldm int, a *float32, lda int, b *float32, ldb int, u, v *float32, lambda float32)

//go:noinline
func sqEuclidean[T num.Float](m, n, d int, dst []T, ldd int, x []T, ldx int, zt []T, ldz int, add bool) {
	switch asm.VariantOf[T, T]() {
	case asm.AVX512F64:
		sqEuclideanAVX512F64(m, n, d, num.P64(dst), ldd, num.P64(x), ldx, num.P64(zt), ldz, add)
	case asm.AVX512F32:
		sqEuclideanAVX512F32(m, n, d, num.P32(dst), ldd, num.P32(x), ldx, num.P32(zt), ldz, add)
	case asm.AVX2F64:
		sqEuclideanAVX2F64(m, n, d, num.P64(dst), ldd, num.P64(x), ldx, num.P64(zt), ldz, add)
	case asm.AVX2F32:
		sqEuclideanAVX2F32(m, n, d, num.P32(dst), ldd, num.P32(x), ldx, num.P32(zt), ldz, add)
	default:
		sqEuclideanRef(m, n, d, dst, ldd, x, ldx, zt, ldz, add)
	}
}

//go:noinline
func gibbs[T num.Float](m, n, d int, k []T, ldk int, dist []T, ldd int, x []T, ldx int, zt []T, ldz int, c T) {
	switch asm.VariantOf[T, T]() {
	case asm.AVX512F64:
		gibbsAVX512F64(m, n, d, num.P64(k), ldk, num.P64(dist), ldd, num.P64(x), ldx, num.P64(zt), ldz, float64(c))
	case asm.AVX512F32:
		gibbsAVX512F32(m, n, d, num.P32(k), ldk, num.P32(dist), ldd, num.P32(x), ldx, num.P32(zt), ldz, float32(c))
	case asm.AVX2F64:
		gibbsAVX2F64(m, n, d, num.P64(k), ldk, num.P64(dist), ldd, num.P64(x), ldx, num.P64(zt), ldz, float64(c))
	case asm.AVX2F32:
		gibbsAVX2F32(m, n, d, num.P32(k), ldk, num.P32(dist), ldd, num.P32(x), ldx, num.P32(zt), ldz, float32(c))
	default:
		gibbsRef(m, n, d, k, ldk, dist, ldd, x, ldx, zt, ldz, c)
	}
}

//go:noinline
func adjcost[T num.Float](m, n, r int, g []T, ldg int, k []T, ldk int, mat []T, ldm int, a []T, lda int, b []T, ldb int, u, v []T, lambda T) {
	switch asm.CurrentMachine().AdjCost.Variant(asm.VariantOf[T, T](), ldk) {
	case asm.AVX512F64:
		adjcostAVX512F64(m, n, r, num.P64(g), ldg, num.P64(k), ldk, num.P64(mat), ldm, num.P64(a), lda, num.P64(b), ldb, num.P64(u), num.P64(v), float64(lambda))
	case asm.AVX512F32:
		adjcostAVX512F32(m, n, r, num.P32(g), ldg, num.P32(k), ldk, num.P32(mat), ldm, num.P32(a), lda, num.P32(b), ldb, num.P32(u), num.P32(v), float32(lambda))
	case asm.AVX2F64:
		adjcostAVX2F64(m, n, r, num.P64(g), ldg, num.P64(k), ldk, num.P64(mat), ldm, num.P64(a), lda, num.P64(b), ldb, num.P64(u), num.P64(v), float64(lambda))
	case asm.AVX2F32:
		adjcostAVX2F32(m, n, r, num.P32(g), ldg, num.P32(k), ldk, num.P32(mat), ldm, num.P32(a), lda, num.P32(b), ldb, num.P32(u), num.P32(v), float32(lambda))
	default:
		adjcostRef(m, n, r, g, ldg, k, ldk, mat, ldm, a, lda, b, ldb, u, v, lambda)
	}
}
