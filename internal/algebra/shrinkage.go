package algebra

import (
	"context"

	"github.com/gomonge/monge/internal/matrix"
)

// LedoitWolf returns the intensity α of shrinkage towards μ·I, μ = tr S/d, of the
// covariance S = RᵀR/n of centred rows R (n × d), given tr S and ‖S‖²: equations 14 and 15
// of O. Ledoit and M. Wolf, "A well-conditioned estimator for large-dimensional covariance
// matrices", J. Multivariate Analysis 88, 2004,
//
//	α = min(b̄², d²)/d²    d² = ‖S − μI‖²    b̄² = (Σ_i ‖r_i‖⁴/n − ‖S‖²)/n
func LedoitWolf(ctx context.Context, rows matrix.Matrix[float64], trace, square float64) float64 {
	fourth := 0.
	for i := 0; i < rows.Rows && ctx.Err() == nil; i++ {
		q := Dot(rows.Row(i), rows.Row(i))
		fourth += float64(q * q)
	}
	n := float64(rows.Rows)
	d2 := square - float64(trace*trace)/float64(rows.Cols)
	b2 := (fourth/n - square) / n
	switch {
	case !(d2 > 0) || b2 >= d2:
		return 1
	case b2 <= 0:
		return 0
	}
	return b2 / d2
}
