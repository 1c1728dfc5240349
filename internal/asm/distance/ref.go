package distance

import (
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
)

func sqEuclideanRef[T num.Float](m, n, d int, dst []T, ldd int, x []T, ldx int, zt []T, ldz int, add bool) {
	for i := range m {
		row := dst[i*ldd:][:n]
		if !add {
			clear(row)
		}
		for k := range d {
			xik := x[i*ldx+k]
			for j, z := range zt[k*ldz:][:n] {
				diff := xik - z
				row[j] = num.FMA(diff, diff, row[j])
			}
		}
	}
}

func gibbsRef[T num.Float](m, n, d int, k []T, ldk int, dist []T, ldd int, x []T, ldx int, zt []T, ldz int, c T) {
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
			k[i*ldk+j] = exp.Ref2(c * dij)
		}
	}
}

func adjcostRef[T num.Float](m, n, r int, g []T, ldg int, k []T, ldk int, mat []T, ldm int, a []T, lda int, b []T, ldb int, u, v []T, lambda T) {
	for i := range m {
		for j := range n {
			h := u[i] * v[j]
			var kbar T
			for q := range r {
				kbar = num.FMA(a[i*lda+q], b[q*ldb+j], kbar)
			}
			kbar = num.FMA(h, mat[i*ldm+j], kbar)
			g[i*ldg+j] = k[i*ldk+j] * num.FMA(-lambda, kbar, h)
		}
	}
}
