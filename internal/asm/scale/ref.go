package scale

import "github.com/gomonge/monge/internal/asm/num"

func iterateRef[T num.Float](m, n int, k []T, ldk int, v, a, u, q []T) {
	for i := range m {
		row := k[i*ldk:][:n]
		u[i] = a[i] / num.Dot(row, v)
		for j, k := range row {
			q[j] = num.FMA(u[i], k, q[j])
		}
	}
}
