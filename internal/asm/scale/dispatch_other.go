//go:build (!amd64 && !arm64) || purego

package scale

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func iterate[T num.Float](_ asm.Level, m, n int, k []T, ldk int, v, a, u, q []T) {
	iterateRef(m, n, k, ldk, v, a, u, q)
}

func iterateMixed(_ asm.Level, m, n int, k []float32, ldk int, v, a, u, q []float64) {
	iterateRef(m, n, k, ldk, v, a, u, q)
}
