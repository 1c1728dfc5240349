package adjcost

import "github.com/gomonge/monge/internal/asm/num"

func blockRef[T num.Float](m, n, r int, g []T, ldg int, k []T, ldk int, mat []T, ldm int, a []T, lda int, b []T, ldb int, u, v []T, lambda T) {
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
