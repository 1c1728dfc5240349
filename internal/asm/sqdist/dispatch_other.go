//go:build (!amd64 && !arm64) || purego

package sqdist

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func block[T num.Float](_ asm.Level, m, n, d int, dst []T, ldd int, x []T, ldx int, zt []T, ldz int, add bool) {
	blockRef(m, n, d, dst, ldd, x, ldx, zt, ldz, add)
}
