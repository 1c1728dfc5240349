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

func rowsMixed(_ asm.Level, m, n int, s []float64, k []float32, ldk int, v []float64) {
	rowsRef(m, n, s, k, ldk, v)
}

func columnsMixed(_ asm.Level, m, n int, q []float64, k []float32, ldk int, u []float64) {
	columnsRef(m, n, q, k, ldk, u)
}
