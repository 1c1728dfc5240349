package algebra

import (
	"context"

	"github.com/gomonge/monge/internal/matrix"
)

// LedoitWolf returns the shrinkage intensity α toward μ·I, with μ = tr S/d, for the covariance
// S = RᵀR/n of the centered rows R (n × d). trace must be tr S, and square must be ‖S‖². The
// formula is from equations 14 and 15 of O. Ledoit and M. Wolf, "A well-conditioned estimator
// for large-dimensional covariance matrices", J. Multivariate Analysis 88, 2004:
//
//	α = min(b̄², d²)/d²    d² = ‖S − μI‖²    b̄² = (Σ_i ‖r_i‖⁴/n − ‖S‖²)/n
func LedoitWolf(ctx context.Context, rows matrix.Matrix[float64], trace, square float64) float64 {
	return LedoitWolfOf(rows.Rows, rows.Cols, AddFourth(ctx, 0, rows), trace, square)
}

// AddFourth returns sum + Σ_i ‖r_i‖⁴, where r_i is row i of the matrix.
func AddFourth(ctx context.Context, sum float64, rows matrix.Matrix[float64]) float64 {
	for i := 0; i < rows.Rows && ctx.Err() == nil; i++ {
		q := Dot(rows.Row(i), rows.Row(i))
		sum += float64(q * q)
	}
	return sum
}

// LedoitWolfOf is like LedoitWolf, but takes the shape of the rows and the sum fourth = Σ_i ‖r_i‖⁴
// instead of the rows.
func LedoitWolfOf(rows, cols int, fourth, trace, square float64) float64 {
	n := float64(rows)
	d2 := square - float64(trace*trace)/float64(cols)
	b2 := (fourth/n - square) / n
	switch {
	case !(d2 > 0) || b2 >= d2:
		return 1
	case b2 <= 0:
		return 0
	}
	return b2 / d2
}
