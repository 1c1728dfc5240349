package scale

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// Iterate sets u = a ⊘ K v and adds Kᵀ u to q, reading the m × n matrix K once.
// Columns must exist: n ≥ 1.
func Iterate[T num.Float](lv asm.Level, m, n int, k []T, ldk int, v, a, u, q []T) {
	if n < 1 {
		panic("scale: a matrix without columns")
	}
	asm.CheckMatrix(len(k), m, n, ldk)
	asm.CheckVector(len(v), n)
	asm.CheckVector(len(q), n)
	asm.CheckVector(len(a), m)
	asm.CheckVector(len(u), m)
	for p := asm.Piece(m, 2*n, 8); m > 0; m -= p {
		p = min(p, m)
		iterate(lv, p, n, k, ldk, v, a, u, q)
		if p < m {
			k, a, u = k[p*ldk:], a[p:], u[p:]
		}
	}
}

// IterateMixed is Iterate for a K in float32: the same bits as with K widened to
// float64, in half the memory.
func IterateMixed(lv asm.Level, m, n int, k []float32, ldk int, v, a, u, q []float64) {
	if n < 1 {
		panic("scale: a matrix without columns")
	}
	asm.CheckMatrix(len(k), m, n, ldk)
	asm.CheckVector(len(v), n)
	asm.CheckVector(len(q), n)
	asm.CheckVector(len(a), m)
	asm.CheckVector(len(u), m)
	for p := asm.Piece(m, 2*n, 8); m > 0; m -= p {
		p = min(p, m)
		iterateMixed(lv, p, n, k, ldk, v, a, u, q)
		if p < m {
			k, a, u = k[p*ldk:], a[p:], u[p:]
		}
	}
}
