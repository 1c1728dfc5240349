package adjoint

import "github.com/gomonge/monge/internal/asm/num"

func beginRef[T num.Float](m, n int, k []T, ldk int, mat []T, ldm int, v, u, w, r, s, q []T) {
	for i := range m {
		k, mat := k[i*ldk:][:n], mat[i*ldm:][:n]
		var sum num.Sum[T]
		for j := range k {
			sum.Add(T(k[j]*mat[j]), v[j])
		}
		r[i] = sum.Total()
		s[i] = w[i] * r[i]
		for j := range k {
			q[j] = num.FMA(k[j], num.FMA(u[i], mat[j], s[i]), q[j])
		}
	}
}

// K is of type T, or float32 where T is float64: then its elements are widened first.
func sweepRef[K, T num.Float](m, n int, k []K, ldk int, t, w, s, q []T) {
	for i := range m {
		row := k[i*ldk:][:n]
		s[i] = w[i] * num.Dot(row, t)
		for j, k := range row {
			q[j] = num.FMA(s[i], T(k), q[j])
		}
	}
}
