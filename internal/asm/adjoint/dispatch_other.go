//go:build (!amd64 && !arm64) || purego

package adjoint

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func begin[T num.Float](_ asm.Level, m, n int, k []T, ldk int, mat []T, ldm int, v, u, w, r, s, q []T) {
	beginRef(m, n, k, ldk, mat, ldm, v, u, w, r, s, q)
}

func sweep[T num.Float](_ asm.Level, m, n int, k []T, ldk int, t, w, s, q []T) {
	sweepRef(m, n, k, ldk, t, w, s, q)
}

func sweepMixed(_ asm.Level, m, n int, k []float32, ldk int, t, w, s, q []float64) {
	sweepRef(m, n, k, ldk, t, w, s, q)
}
