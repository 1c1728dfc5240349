package sqdist

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Block sets the m × n matrix dst to the squared distances between the rows of x
// (m × d) and the columns of zt (d × n), or adds them if add is set.
func Block[T num.Float](lv asm.Level, m, n, d int, dst []T, ldd int, x []T, ldx int, zt []T, ldz int, add bool) {
	asm.CheckMatrix(len(dst), m, n, ldd)
	asm.CheckMatrix(len(x), m, d, ldx)
	asm.CheckMatrix(len(zt), d, n, ldz)
	if m == 0 || n == 0 {
		return
	}
	if d == 0 {
		if !add {
			blockRef(m, n, 0, dst, ldd, nil, 0, nil, 0, false)
		}
		return
	}
	// One call streams a panel of zt past 24 rows, a multiple of every tile's; a
	// panel of 256 dimensions by 96 columns stays in L2 and is the least a call gets
	// (0.6 M FMAs, 25 µs of float64 on AVX2).
	depth := min(d, 256)
	cols := asm.Piece(n, 24*depth, 96)
	rows := asm.Piece(m, cols*depth, 24)
	for k := 0; k < d; k += depth {
		for i := 0; i < m; i += rows {
			for j := 0; j < n; j += cols {
				block(lv, min(rows, m-i), min(cols, n-j), min(depth, d-k),
					dst[i*ldd+j:], ldd, x[i*ldx+k:], ldx, zt[k*ldz+j:], ldz, add || k > 0)
			}
		}
	}
}
