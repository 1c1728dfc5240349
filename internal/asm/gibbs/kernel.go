package gibbs

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Block sets the m × n matrix K, and D unless dist is nil, from the rows of x
// (m × d) and the columns of zt (d × n). The distance is one chain in registers:
// for d in the thousands package sqdist with its blocks, followed by exp2.Scale,
// is the better way to the same bits.
func Block[T num.Float](lv asm.Level, m, n, d int, k []T, ldk int, dist []T, ldd int, x []T, ldx int, zt []T, ldz int, c T) {
	asm.CheckMatrix(len(k), m, n, ldk)
	if dist != nil {
		asm.CheckMatrix(len(dist), m, n, ldd)
	}
	asm.CheckMatrix(len(x), m, d, ldx)
	asm.CheckMatrix(len(zt), d, n, ldz)
	if m == 0 || n == 0 {
		return
	}
	// 24 and 48 are multiples of every tile's rows and columns.
	cols := asm.Piece(n, 24*(d+16), 48)
	rows := asm.Piece(m, cols*(d+16), 24)
	for i := 0; i < m; i += rows {
		for j := 0; j < n; j += cols {
			var dj, xi, zj []T
			if dist != nil {
				dj = dist[i*ldd+j:]
			}
			if d > 0 {
				xi, zj = x[i*ldx:], zt[j:]
			}
			block(lv, min(rows, m-i), min(cols, n-j), d, k[i*ldk+j:], ldk, dj, ldd, xi, ldx, zj, ldz, c)
		}
	}
}
