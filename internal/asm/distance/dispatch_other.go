//go:build (!amd64 && !arm64) || purego

package distance

import (
	"github.com/gomonge/monge/internal/asm/num"
)

func sqEuclidean[T num.Float](m, n, d int, dst []T, ldd int, x []T, ldx int, zt []T, ldz int, add bool) {
	sqEuclideanRef(m, n, d, dst, ldd, x, ldx, zt, ldz, add)
}

func gibbs[T num.Float](m, n, d int, k []T, ldk int, dist []T, ldd int, x []T, ldx int, zt []T, ldz int, c T) {
	gibbsRef(m, n, d, k, ldk, dist, ldd, x, ldx, zt, ldz, c)
}

func adjcost[T num.Float](m, n, r int, g []T, ldg int, k []T, ldk int, mat []T, ldm int, a []T, lda int, b []T, ldb int, u, v []T, lambda T) {
	adjcostRef(m, n, r, g, ldg, k, ldk, mat, ldm, a, lda, b, ldb, u, v, lambda)
}
