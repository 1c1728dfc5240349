//go:build (!amd64 && !arm64) || purego

package logscale

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

func rows[T num.Float](_ asm.Level, m, n int, mat []T, ldm int, c T, g, a, max, sum, q, e []T) {
	rowsRef(m, n, mat, ldm, c, g, a, max, sum, q, e)
}

func columnMax[T num.Float](_ asm.Level, m, n int, mat []T, ldm int, c T, f, h []T) {
	columnMaxRef(m, n, mat, ldm, c, f, h)
}

func columnSum[T num.Float](_ asm.Level, m, n int, mat []T, ldm int, c T, f, h, s []T) {
	columnSumRef(m, n, mat, ldm, c, f, h, s)
}

func plan[T num.Float](_ asm.Level, m, n int, t []T, ldt int, mat []T, ldm int, c T, f, g []T) {
	planRef(m, n, t, ldt, mat, ldm, c, f, g)
}
