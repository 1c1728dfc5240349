package gibbs

import (
	"github.com/gomonge/monge/internal/asm/exp2"
	"github.com/gomonge/monge/internal/asm/num"
)

func blockRef[T num.Float](m, n, d int, k []T, ldk int, dist []T, ldd int, x []T, ldx int, zt []T, ldz int, c T) {
	for i := range m {
		for j := range n {
			var dij T
			for l := range d {
				diff := x[i*ldx+l] - zt[l*ldz+j]
				dij = num.FMA(diff, diff, dij)
			}
			if dist != nil {
				dist[i*ldd+j] = dij
			}
			k[i*ldk+j] = exp2.Ref(c * dij)
		}
	}
}
