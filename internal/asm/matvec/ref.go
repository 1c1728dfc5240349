package matvec

import "github.com/gomonge/monge/internal/asm/num"

func rowsRef[T num.Float](m, n int, s, k []T, ldk int, v []T) {
	for i := range m {
		s[i] = num.Dot(k[i*ldk:][:n], v)
	}
}

func columnsRef[T num.Float](m, n int, q, k []T, ldk int, u []T) {
	for i := range m {
		for j, k := range k[i*ldk:][:n] {
			q[j] = num.FMA(u[i], k, q[j])
		}
	}
}
