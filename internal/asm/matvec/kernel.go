package matvec

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Rows sets s = K v for the m × n matrix K.
func Rows[T num.Float](lv asm.Level, m, n int, s, k []T, ldk int, v []T) {
	asm.CheckMatrix(len(k), m, n, ldk)
	asm.CheckVector(len(s), m)
	asm.CheckVector(len(v), n)
	if n == 0 {
		clear(s[:m])
		return
	}
	for p := asm.Piece(m, n, 8); m > 0; m -= p {
		p = min(p, m)
		rows(lv, p, n, s, k, ldk, v)
		if p < m {
			s, k = s[p:], k[p*ldk:]
		}
	}
}

// Columns sets q = q + Kᵀ u for the m × n matrix K.
func Columns[T num.Float](lv asm.Level, m, n int, q, k []T, ldk int, u []T) {
	asm.CheckMatrix(len(k), m, n, ldk)
	asm.CheckVector(len(q), n)
	asm.CheckVector(len(u), m)
	if n == 0 {
		return
	}
	for p := asm.Piece(m, n, 8); m > 0; m -= p {
		p = min(p, m)
		columns(lv, p, n, q, k, ldk, u)
		if p < m {
			u, k = u[p:], k[p*ldk:]
		}
	}
}

// RowsMixed is Rows for a K in float32: the same bits as with K widened to float64.
func RowsMixed(lv asm.Level, m, n int, s []float64, k []float32, ldk int, v []float64) {
	asm.CheckMatrix(len(k), m, n, ldk)
	asm.CheckVector(len(s), m)
	asm.CheckVector(len(v), n)
	if n == 0 {
		clear(s[:m])
		return
	}
	for p := asm.Piece(m, n, 8); m > 0; m -= p {
		p = min(p, m)
		rowsMixed(lv, p, n, s, k, ldk, v)
		if p < m {
			s, k = s[p:], k[p*ldk:]
		}
	}
}

// ColumnsMixed is Columns for a K in float32: the same bits as with K widened to
// float64.
func ColumnsMixed(lv asm.Level, m, n int, q []float64, k []float32, ldk int, u []float64) {
	asm.CheckMatrix(len(k), m, n, ldk)
	asm.CheckVector(len(q), n)
	asm.CheckVector(len(u), m)
	if n == 0 {
		return
	}
	for p := asm.Piece(m, n, 8); m > 0; m -= p {
		p = min(p, m)
		columnsMixed(lv, p, n, q, k, ldk, u)
		if p < m {
			u, k = u[p:], k[p*ldk:]
		}
	}
}
