package baselines

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"gonum.org/v1/gonum/mat"
)

// byRows calls f for blocks of corresponding rows of dst and x, until the context ends.
func byRows(ctx context.Context, dst, x *mat.Dense, f func(to, from matrix.Matrix[float64])) {
	to, from := dense.View(dst), dense.View(x)
	for i := 0; i < to.Rows && ctx.Err() == nil; i += blockRows {
		j := min(i+blockRows, to.Rows)
		f(to.RowRange(i, j), from.RowRange(i, j))
	}
}

// sqDistances returns the n × m matrix of ‖x_i − z_j‖².
func sqDistances(ctx context.Context, x, z *mat.Dense) *mat.Dense {
	d := mat.NewDense(x.RawMatrix().Rows, z.RawMatrix().Rows, nil)
	byRows(ctx, d, x, func(to, from matrix.Matrix[float64]) { dist.SqEuclidean(to, from, dense.View(z)) })
	return d
}

// gaussian returns the n × m matrix of exp(−λ‖x_i − z_j‖²).
func gaussian(ctx context.Context, x, z *mat.Dense, lambda float64) *mat.Dense {
	k := mat.NewDense(x.RawMatrix().Rows, z.RawMatrix().Rows, nil)
	byRows(ctx, k, x, func(to, from matrix.Matrix[float64]) { dist.Gibbs(to, from, dense.View(z), lambda) })
	return k
}

// precision returns λ = 1/(2σ²) for a Gaussian of width σ > 0. The result is always finite, so that
// exp(−λ·0) is 1 even if σ² underflows.
func precision(width float64) float64 {
	// The conversion prevents a fused multiply-add. The compiler computes 2·width as width + width and
	// could fuse this addition with a product that computed width.
	width = float64(width)
	return min(1/float64(2*width*width), math.MaxFloat64)
}

// power returns x^a for x ≥ 0, with the same bits on every machine. The relative error is about 2⁻⁵²·|a ln x|.
func power(x, a float64) float64 { return exponential(float64(a * num.Log(x))) }

// exponential returns eˣ, with the same bits on every machine.
func exponential(x float64) float64 {
	y := [1]float64{x}
	matrix.Exp(y[:], y[:])
	return y[0]
}
