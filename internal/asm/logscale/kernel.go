package logscale

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// cost of an exponential and what goes with it, in elements of asm.Budget.
const cost = 10

// Rows makes one pass of an iteration over the m × n matrix M: it sets max and
// sum, adds to q, and uses e as scratch. Columns must exist: n ≥ 1.
func Rows[T num.Float](lv asm.Level, m, n int, mat []T, ldm int, c T, g, a, max, sum, q, e []T) {
	if n < 1 {
		panic("logscale: a matrix without columns")
	}
	asm.CheckMatrix(len(mat), m, n, ldm)
	asm.CheckVector(len(g), n)
	asm.CheckVector(len(q), n)
	asm.CheckVector(len(e), n)
	asm.CheckVector(len(a), m)
	asm.CheckVector(len(max), m)
	asm.CheckVector(len(sum), m)
	for p := asm.Piece(m, cost*n, 1); m > 0; m -= p {
		p = min(p, m)
		rows(lv, p, n, mat, ldm, c, g, a, max, sum, q, e)
		if p < m {
			mat, a, max, sum = mat[p*ldm:], a[p:], max[p:], sum[p:]
		}
	}
}

// ColumnMax raises h[j] to max_i f[i] − c M_ij.
func ColumnMax[T num.Float](lv asm.Level, m, n int, mat []T, ldm int, c T, f, h []T) {
	asm.CheckMatrix(len(mat), m, n, ldm)
	asm.CheckVector(len(f), m)
	asm.CheckVector(len(h), n)
	pieces(m, n, func(i, j, m, n int) {
		columnMax(lv, m, n, mat[i*ldm+j:], ldm, c, f[i:], h[j:])
	})
}

// ColumnSum adds Σ_i 2^(f[i] − c M_ij − h[j]) to s[j].
func ColumnSum[T num.Float](lv asm.Level, m, n int, mat []T, ldm int, c T, f, h, s []T) {
	asm.CheckMatrix(len(mat), m, n, ldm)
	asm.CheckVector(len(f), m)
	asm.CheckVector(len(h), n)
	asm.CheckVector(len(s), n)
	pieces(m, n, func(i, j, m, n int) {
		columnSum(lv, m, n, mat[i*ldm+j:], ldm, c, f[i:], h[j:], s[j:])
	})
}

// Plan sets T_ij = 2^((g[j] − c M_ij) + f[i]).
func Plan[T num.Float](lv asm.Level, m, n int, t []T, ldt int, mat []T, ldm int, c T, f, g []T) {
	asm.CheckMatrix(len(t), m, n, ldt)
	asm.CheckMatrix(len(mat), m, n, ldm)
	asm.CheckVector(len(f), m)
	asm.CheckVector(len(g), n)
	pieces(m, n, func(i, j, m, n int) {
		plan(lv, m, n, t[i*ldt+j:], ldt, mat[i*ldm+j:], ldm, c, f[i:], g[j:])
	})
}

// pieces calls f for the parts of an m × n matrix that one assembly call may take
// each. The order keeps i ascending within every column.
func pieces(m, n int, f func(i, j, m, n int)) {
	if m == 0 || n == 0 {
		return
	}
	cols := asm.Piece(n, cost, 64)
	rows := asm.Piece(m, cost*cols, 1)
	for i := 0; i < m; i += rows {
		for j := 0; j < n; j += cols {
			f(i, j, min(rows, m-i), min(cols, n-j))
		}
	}
}
