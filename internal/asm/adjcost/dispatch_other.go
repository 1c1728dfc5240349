//go:build (!amd64 && !arm64) || purego

package adjcost

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func block[T num.Float](_ asm.Level, m, n, r int, g []T, ldg int, k []T, ldk int, mat []T, ldm int, a []T, lda int, b []T, ldb int, u, v []T, lambda T) {
	blockRef(m, n, r, g, ldg, k, ldk, mat, ldm, a, lda, b, ldb, u, v, lambda)
}
