//go:build (!amd64 && !arm64) || purego

package matvec

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func rows[T num.Float](_ asm.Level, m, n int, s, k []T, ldk int, v []T) {
	rowsRef(m, n, s, k, ldk, v)
}

func columns[T num.Float](_ asm.Level, m, n int, q, k []T, ldk int, u []T) {
	columnsRef(m, n, q, k, ldk, u)
}
