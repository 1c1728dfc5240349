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
	// DenseDimension is the number of features up to which computing all eigenvectors of the
	// covariance takes less time than a block iteration for a few eigenvectors.
	DenseDimension = 128
	// ExtraColumns is the number of additional columns of a block iteration. They speed up
	// convergence if further eigenvalues are close to the last wanted eigenvalue.
	ExtraColumns = 4
)

// ErrFactorize means that a matrix decomposition met values that are not finite, or that an
// eigenvalue iteration did not converge because of such values.
var ErrFactorize = fmt.Errorf("%w: matrix decomposition failed; the values of the features may be too far apart in size", fault.ErrNotFinite)

// Floor is the minimum scatter within classes in any direction, as a fraction of the total scatter.
// It limits the ratio of the scatters and keeps the Cholesky factor well above its rounding errors.
const Floor = 1e-11

// TopEigenvectors returns the eigenvectors of the p largest eigenvalues of a as columns. It also
// returns the eigenvalues, in descending order. In each column, the element with the largest
// magnitude is positive. TopEigenvectors reads the lower triangle of a and overwrites a.
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

// Leading returns the p leading eigenvectors of the symmetric matrix h and their eigenvalues. It
// may overwrite h.
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

// RandomBlock returns reproducible start vectors for a block iteration.
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
