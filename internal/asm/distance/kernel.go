package distance

import (
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/num"
)

// SqEuclidean sets the m × n matrix dst to the squared distances between the rows of x (m × d) and
// the columns of zt (d × n), or adds the distances to dst if add is set.
func SqEuclidean[T num.Float](m, n, d int, dst []T, ldd int, x []T, ldx int, zt []T, ldz int, add bool) {
	asm.CheckMatrix(len(dst), m, n, ldd)
	asm.CheckMatrix(len(x), m, d, ldx)
	asm.CheckMatrix(len(zt), d, n, ldz)
	if m == 0 || n == 0 {
		return
	}
	if d == 0 {
		if !add {
			sqEuclideanRef(m, n, 0, dst, ldd, nil, 0, nil, 0, false)
		}
		return
	}
	// A call processes a panel of zt and at least 24 rows of x. The row count of every tile divides
	// 24. A panel of 256 features by 96 columns stays in the second-level cache. A call with this
	// panel and 24 rows has 0.6 million FMAs and takes 25 µs for float64 on AVX2.
	depth := min(d, asm.CurrentMachine().Depth)
	if asm.Current() == asm.AVX512 && n <= 3*num.Lanes[T]() {
		depth = min(d, asm.CurrentMachine().DeepDepth) // all columns fit in one tile, so a panel can have more features
	}
	cols := asm.Piece(n, 24*depth, 96)
	rows := asm.Piece(m, cols*depth, 24)
	for k := 0; k < d; k += depth {
		for i := 0; i < m; i += rows {
			for j := 0; j < n; j += cols {
				sqEuclidean(min(rows, m-i), min(cols, n-j), min(depth, d-k),
					dst[i*ldd+j:], ldd, x[i*ldx+k:], ldx, zt[k*ldz+j:], ldz, add || k > 0)
			}
		}
	}
}

// Gibbs sets the m × n matrix k to the Gibbs kernel of the rows of x (m × d) and the columns of zt
// (d × n). Unless dist is nil, Gibbs sets dist to the squared distances. Each distance is one chain
// of FMAs in registers. For more than about 64 features, SqEuclidean followed by exp.Exp2 is faster
// than Gibbs and gives the same bits.
func Gibbs[T num.Float](m, n, d int, k []T, ldk int, dist []T, ldd int, x []T, ldx int, zt []T, ldz int, c T) {
	asm.CheckMatrix(len(k), m, n, ldk)
	if dist != nil {
		asm.CheckMatrix(len(dist), m, n, ldd)
	}
	asm.CheckMatrix(len(x), m, d, ldx)
	asm.CheckMatrix(len(zt), d, n, ldz)
	if m == 0 || n == 0 {
		return
	}
	if d == 0 {
		gibbsRef(m, n, 0, k, ldk, dist, ldd, nil, 0, nil, 0, c)
		return
	}
	// 24 is a multiple of the row count of every tile, and 48 is a multiple of the column count.
	cols := asm.Piece(n, 24*(d+16), 48)
	rows := asm.Piece(m, cols*(d+16), 24)
	for i := 0; i < m; i += rows {
		for j := 0; j < n; j += cols {
			var dj []T
			if dist != nil {
				dj = dist[i*ldd+j:]
			}
			gibbs(min(rows, m-i), min(cols, n-j), d, k[i*ldk+j:], ldk, dj, ldd, x[i*ldx:], ldx, zt[j:], ldz, c)
		}
	}
}

// AdjCost sets the m × n matrix g to the adjoint of the cost matrix mat (see the package comment).
func AdjCost[T num.Float](m, n, r int, g []T, ldg int, k []T, ldk int, mat []T, ldm int, a []T, lda int, b []T, ldb int, u, v []T, lambda T) {
	asm.CheckMatrix(len(g), m, n, ldg)
	asm.CheckMatrix(len(k), m, n, ldk)
	asm.CheckMatrix(len(mat), m, n, ldm)
	asm.CheckMatrix(len(a), m, r, lda)
	asm.CheckMatrix(len(b), r, n, ldb)
	asm.CheckVector(len(u), m)
	asm.CheckVector(len(v), n)
	if m == 0 || n == 0 {
		return
	}
	rows := asm.Piece(m, (r+4)*n, 8) // 8 is a multiple of the row count of every tile
	cols := asm.Piece(n, (r+4)*rows, 48)
	for i := 0; i < m; i += rows {
		for j := 0; j < n; j += cols {
			var ai, bj []T
			if r > 0 {
				ai, bj = a[i*lda:], b[j:]
			}
			adjcost(min(rows, m-i), min(cols, n-j), r, g[i*ldg+j:], ldg, k[i*ldk+j:], ldk, mat[i*ldm+j:], ldm, ai, lda, bj, ldb, u[i:], v[j:], lambda)
		}
	}
}
