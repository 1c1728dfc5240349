package baseline

import (
	"context"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/project"
	"github.com/gomonge/monge/wda/stiefel"
	"github.com/gomonge/monge/wda/subspace"
	"gonum.org/v1/gonum/mat"
)

// PCA projects on the principal components: the leading eigenvectors of the
// covariance (H. Hotelling, 1933).
type PCA struct{}

// Name returns "PCA".
func (PCA) Name() string { return "PCA" }

// Fit returns the p leading principal components of x. Labels are not used.
func (PCA) Fit(x *mat.Dense, _ []int, p int) (*mat.Dense, error) {
	return PrincipalComponents(x, p)
}

// PrincipalComponents returns the p leading principal components of the rows of x
// as orthonormal columns, the largest variance first; the element of largest size
// of every column is positive. Directions without variance complete the basis if
// there are fewer than p with.
func PrincipalComponents(x *mat.Dense, p int) (*mat.Dense, error) {
	if err := checkComponents(x, p); err != nil {
		return nil, err
	}
	if err := checkFinite(x); err != nil {
		return nil, err
	}
	c := centred(x)
	n, d := c.Dims()
	k := p + extraColumns
	if d <= denseDimension || 3*k > d {
		var cov mat.SymDense
		cov.SymOuterK(1, c.T())
		v, _, err := topEigenvectors(&cov, p)
		return v, err
	}
	// Block iteration wants only XᵀX·V, two passes over the samples.
	v := randomBlock(d, k)
	raw := c.RawMatrix()
	y, vt := make([]float64, n*k), make([]float64, k*d)
	covariance := func(dst, v *mat.Dense) {
		in := v.RawMatrix()
		project.Mul(asm.Best(), n, k, d, y, k, raw.Data, raw.Stride, in.Data, in.Stride, false)
		project.TransMul(asm.Best(), n, k, d, vt, d, raw.Data, raw.Stride, y, k, false)
		for i := range d {
			row := dst.RawRowView(i)
			for j := range row {
				row[j] = vt[j*d+i]
			}
		}
	}
	if _, err := subspace.Leading(context.Background(), covariance, nil, v, p, nil); err != nil {
		return nil, err
	}
	out := mat.DenseCopyOf(v.Slice(0, d, 0, p))
	if _, err := stiefel.New(d, p).Orthonormalise(out, out); err != nil {
		return nil, err
	}
	fixSigns(out)
	return out, nil
}

const (
	// denseDimension is the number of features up to which all eigenvectors of the
	// covariance cost less than a block iteration for a few.
	denseDimension = 128
	// extraColumns of the block make up for eigenvalues close to the last one wanted.
	extraColumns = 4
)
