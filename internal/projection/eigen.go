package projection

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/subspace"
	"gonum.org/v1/gonum/mat"
)

const (
	// DenseDimension is the number of features up to which all eigenvectors of the covariance cost
	// less than a block iteration for a few.
	DenseDimension = 128
	// ExtraColumns of the block make up for eigenvalues close to the last one wanted.
	ExtraColumns = 4
)

// ErrFactorize: a matrix decomposition has met numbers that are not finite, or an eigenvalue
// iteration has not converged, which such numbers cause.
var ErrFactorize = fmt.Errorf("%w: matrix decomposition failed; the values of the features may be too far apart in size", fault.ErrNotFinite)

// Floor is the scatter within classes, as a share of the total scatter, of directions that have
// none. It bounds the ratio of scatters and keeps the Cholesky factor well above its rounding errors.
const Floor = 1e-11

// TopEigenvectors returns the p eigenvectors of the largest eigenvalues of a as
// columns, largest first, each with its largest element positive. Of a the lower triangle
// is read and everything overwritten.
func TopEigenvectors(ctx context.Context, a *mat.Dense, p int) (vectors *mat.Dense, values []float64, err error) {
	n, _ := a.Dims()
	values, v, ok := algebra.Eigen(ctx, dense.View(a))
	if !ok {
		return nil, nil, ErrFactorize
	}
	vectors = mat.NewDense(n, p, nil)
	for i := range n {
		copy(vectors.RawRowView(i), v.Row(i))
	}
	return vectors, values[:p], nil
}

// Leading returns the p leading eigenvectors of the symmetric matrix h, and their
// values. h may be overwritten.
func Leading(ctx context.Context, h *mat.Dense, p int) (*mat.Dense, []float64, error) {
	d, _ := h.Dims()
	k := p + ExtraColumns
	if d <= DenseDimension || 3*k > d {
		return TopEigenvectors(ctx, h, p)
	}
	v := RandomBlock(d, k)
	mu, err := subspace.Leading(ctx, func(dst, v *mat.Dense) { dense.Mul(ctx, dst, h, v) }, nil, v, p, nil)
	if err != nil {
		return nil, nil, err
	}
	return mat.DenseCopyOf(v.Slice(0, d, 0, p)), mu[:p], nil
}

// RandomBlock returns the start of a block iteration, always the same.
func RandomBlock(d, k int) *mat.Dense {
	rng := rand.New(rand.NewPCG(1, 1))
	v := mat.NewDense(d, k, nil)
	for i := range d {
		for j := range k {
			v.Set(i, j, float64(rng.Float64())-0.5)
		}
	}
	return v
}
