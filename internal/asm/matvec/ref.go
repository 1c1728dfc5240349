package matvec

import "github.com/gomonge/monge/internal/asm/num"

// K is of type T, or float32 where T is float64: then its elements are widened first.

func rowsRef[K, T num.Float](m, n int, s []T, k []K, ldk int, v []T) {
	for i := range m {
		s[i] = num.Dot(k[i*ldk:][:n], v)
	}
}

func columnsRef[K, T num.Float](m, n int, q []T, k []K, ldk int, u []T) {
	for i := range m {
		for j, k := range k[i*ldk:][:n] {
			q[j] = num.FMA(u[i], T(k), q[j])
		}
	}
}
