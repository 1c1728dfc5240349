//go:build (!amd64 && !arm64) || purego

package gibbs

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func block[T num.Float](_ asm.Level, m, n, d int, k []T, ldk int, dist []T, ldd int, x []T, ldx int, zt []T, ldz int, c T) {
	blockRef(m, n, d, k, ldk, dist, ldd, x, ldx, zt, ldz, c)
}
