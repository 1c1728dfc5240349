//go:build (!amd64 && !arm64) || purego

package project

import (
	"github.com/gomonge/monge/internal/asm/num"
)

func mul[T num.Float](m, p, d int, y []T, ldy int, x []T, ldx int, b []T, ldb int, add bool) {
	mulRef(m, p, d, y, ldy, x, ldx, b, ldb, add)
}

func transMul[T num.Float](m, p, d int, g []T, ldg int, x []T, ldx int, y []T, ldy int, add bool) {
	transMulRef(m, p, d, g, ldg, x, ldx, y, ldy, add)
}

func norms[T num.Float](d int, n, x []T, ldx int, add bool) { normsRef(d, n, x, ldx, add) }
