package baselines

import (
	"context"
	"math"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/matrix"
)

// Affinity sets the matrix a (n × n) to the affinities of the rows of x (n × d), scaled locally (L.
// Zelnik-Manor and P. Perona, NIPS 2004):
//
//	A_ij = exp(−‖x_i − x_j‖² / (σ_i σ_j))
//
// σ_i is the distance of x_i from its k-th nearest neighbor, or from its farthest neighbor if there
// are fewer than k ≥ 1 neighbors. If σ_i = 0, for example because more than k rows are equal, A_ij
// is 0 for every x_j ≠ x_i, which is the limit for σ_i → 0. If the context ends, Affinity returns
// the cause and leaves the matrix a incomplete.
func Affinity(ctx context.Context, a, x matrix.Matrix[float64], k int) error {
	n := x.Rows
	if k < 1 {
		panic("baselines: number of neighbors below 1")
	}
	a.Check()
	x.Check()
	if a.Rows != n || a.Cols != n || matrix.Overlap(a, x) {
		panic("baselines: affinities are not n × n, or overlap the samples")
	}
	const some = 64
	for i := 0; i < n && ctx.Err() == nil; i += some {
		j := min(i+some, n)
		dist.SqEuclidean(a.RowRange(i, j), x.RowRange(i, j), x)
	}
	k = min(k, n-1)
	sigma, sorted := make([]float64, n), make([]float64, n)
	for i := range n {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		copy(sorted, a.Row(i))
		slices.Sort(sorted)
		sigma[i] = math.Sqrt(sorted[k]) // sorted[0] is the distance of the row from itself
	}
	for i := range n {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		row := a.Row(i)
		for j := range row {
			switch s := sigma[i] * sigma[j]; {
			case row[j] == 0:
				row[j] = 0
			case s == 0:
				row[j] = math.Inf(-1)
			default:
				row[j] = -row[j] / s
			}
		}
		matrix.Exp(row, row)
	}
	return nil
}
