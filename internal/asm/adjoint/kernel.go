package adjoint

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Begin starts the reverse sweep at the transport cost: it sets r and s and adds
// to q, reading the m × n matrices K and M once. Columns must exist: n ≥ 1.
func Begin[T num.Float](lv asm.Level, m, n int, k []T, ldk int, mat []T, ldm int, v, u, w, r, s, q []T) {
	if n < 1 {
		panic("adjoint: a matrix without columns")
	}
	asm.CheckMatrix(len(k), m, n, ldk)
	asm.CheckMatrix(len(mat), m, n, ldm)
	asm.CheckVector(len(v), n)
	asm.CheckVector(len(q), n)
	asm.CheckVector(len(u), m)
	asm.CheckVector(len(w), m)
	asm.CheckVector(len(r), m)
	asm.CheckVector(len(s), m)
	for p := asm.Piece(m, 4*n, 8); m > 0; m -= p {
		p = min(p, m)
		begin(lv, p, n, k, ldk, mat, ldm, v, u, w, r, s, q)
		if p < m {
			k, mat = k[p*ldk:], mat[p*ldm:]
			u, w, r, s = u[p:], w[p:], r[p:], s[p:]
		}
	}
}

// Sweep sets s = w ⊙ K t and adds Kᵀ s to q, reading the m × n matrix K once.
// Columns must exist: n ≥ 1.
func Sweep[T num.Float](lv asm.Level, m, n int, k []T, ldk int, t, w, s, q []T) {
	if n < 1 {
		panic("adjoint: a matrix without columns")
	}
	asm.CheckMatrix(len(k), m, n, ldk)
	asm.CheckVector(len(t), n)
	asm.CheckVector(len(q), n)
	asm.CheckVector(len(w), m)
	asm.CheckVector(len(s), m)
	for p := asm.Piece(m, 2*n, 8); m > 0; m -= p {
		p = min(p, m)
		sweep(lv, p, n, k, ldk, t, w, s, q)
		if p < m {
			k, w, s = k[p*ldk:], w[p:], s[p:]
		}
	}
}

// SweepMixed is Sweep for a K in float32: the same bits as with K widened to float64.
func SweepMixed(lv asm.Level, m, n int, k []float32, ldk int, t, w, s, q []float64) {
	if n < 1 {
		panic("adjoint: a matrix without columns")
	}
	asm.CheckMatrix(len(k), m, n, ldk)
	asm.CheckVector(len(t), n)
	asm.CheckVector(len(q), n)
	asm.CheckVector(len(w), m)
	asm.CheckVector(len(s), m)
	for p := asm.Piece(m, 2*n, 8); m > 0; m -= p {
		p = min(p, m)
		sweepMixed(lv, p, n, k, ldk, t, w, s, q)
		if p < m {
			k, w, s = k[p*ldk:], w[p:], s[p:]
		}
	}
}
