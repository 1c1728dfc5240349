package adjcost

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Block sets the m × n matrix G to the adjoint of the cost matrix.
func Block[T num.Float](lv asm.Level, m, n, r int, g []T, ldg int, k []T, ldk int, mat []T, ldm int, a []T, lda int, b []T, ldb int, u, v []T, lambda T) {
	asm.CheckMatrix(len(g), m, n, ldg)
	asm.CheckMatrix(len(k), m, n, ldk)
	asm.CheckMatrix(len(mat), m, n, ldm)
	asm.CheckMatrix(len(a), m, r, lda)
	asm.CheckMatrix(len(b), r, n, ldb)
	asm.CheckVector(len(u), m)
	asm.CheckVector(len(v), n)
	if m == 0 || n == 0 {
		return
	}
	rows := asm.Piece(m, (r+4)*n, 4)
	cols := asm.Piece(n, (r+4)*rows, 48)
	for i := 0; i < m; i += rows {
		for j := 0; j < n; j += cols {
			var ai, bj []T
			if r > 0 {
				ai, bj = a[i*lda:], b[j:]
			}
			block(lv, min(rows, m-i), min(cols, n-j), r, g[i*ldg+j:], ldg, k[i*ldk+j:], ldk, mat[i*ldm+j:], ldm, ai, lda, bj, ldb, u[i:], v[j:], lambda)
		}
	}
}
