package scale

import "github.com/gomonge/monge/internal/asm/num"

// K is of type T, or float32 where T is float64: then its elements are widened first.
func iterateRef[K, T num.Float](m, n int, k []K, ldk int, v, a, u, q []T) {
	for i := range m {
		row := k[i*ldk:][:n]
		u[i] = a[i] / num.Dot(row, v)
		for j, k := range row {
			q[j] = num.FMA(u[i], T(k), q[j])
		}
	}
}
