package baseline

import (
	"context"
	"runtime"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/parallel"
	"github.com/gomonge/monge/internal/projection"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/internal/subspace"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// PCA is principal component analysis (H. Hotelling, 1933). The columns are the leading
// eigenvectors of the covariance of the samples. They are orthonormal, and the direction of the
// largest variance comes first. If fewer than p directions have variance, other orthonormal
// directions follow. PCA ignores labels.
//
// Memory grows with the square of the number of features or of samples, whichever is smaller. With
// more than 2048 features, and at least as many samples, PCA uses as much memory as the samples.
type PCA struct {
	// Workers is the number of goroutines, which does not change the result. Default: GOMAXPROCS.
	Workers int
}

// String returns "PCA".
func (PCA) String() string { return "PCA" }

func (m PCA) withDefaults() (projection.Method, bool) {
	if m.Workers <= 0 {
		m.Workers = runtime.GOMAXPROCS(0)
	}
	return projection.Method{Fit: m.fit}, true
}

// principalComponents returns the p leading principal components of the rows of x, which must be
// finite.
func principalComponents(ctx context.Context, x *mat.Dense, p int) (*mat.Dense, error) {
	return Fit(ctx, x, nil, p, PCA{})
}

func (m PCA) fit(ctx context.Context, x *mat.Dense, _ []int, p int) (*mat.Dense, error) {
	n, d := x.Dims()
	k := p + projection.ExtraColumns
	if d <= projection.DenseDimension || 3*k > d && d <= n {
		v, _, err := projection.TopEigenvectors(ctx, m.scatter(ctx, x), p)
		return v, err
	}
	if n < d && p <= n {
		return m.fitDual(ctx, projection.Centered(ctx, x), p)
	}
	times := m.scatterOperator(ctx, x, k)
	if d <= maxCovarianceDim {
		times = m.symmetricOperator(ctx, m.scatter(ctx, x))
	}
	v := projection.RandomBlock(d, k)
	if _, err := subspace.Leading(ctx, times, nil, v, p, nil); err != nil {
		return nil, err
	}
	out := mat.DenseCopyOf(v.Slice(0, d, 0, p))
	if _, err := stiefel.New(d, p).Orthonormalize(ctx, out, out); err != nil {
		return nil, err
	}
	return out, nil
}

// fitDual returns p principal components of the centered rows c, which must have fewer rows than
// columns. The components are the columns of cᵀ·u, where u contains the leading eigenvectors of
// c·cᵀ.
func (m PCA) fitDual(ctx context.Context, c *mat.Dense, p int) (*mat.Dense, error) {
	u, _, err := projection.Leading(ctx, m.gramMatrix(ctx, c), p)
	if err != nil {
		return nil, err
	}
	v := projection.TransProduct(ctx, c, u)
	return v, projection.Orthonormalize(ctx, v)
}

const (
	// maxCovarianceDim is the largest number of features for which PCA computes the covariance
	// matrix. For more features, the iteration multiplies by the samples and by their transpose
	// instead.
	maxCovarianceDim = 2048
	// centeredRows is the number of rows that are centered at a time.
	centeredRows = 128
)

// scatter returns the d × d matrix XᵀX of the centered samples.
func (m PCA) scatter(ctx context.Context, x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	mean, block := projection.ColumnMeans(ctx, x), matrix.New[float64](min(n, centeredRows), d, nil)
	s := mat.NewDense(d, d, nil)
	out := dense.View(s)
	for first := 0; first < n && ctx.Err() == nil; first += centeredRows {
		rows := block.RowRange(0, min(centeredRows, n-first))
		for i := range rows.Rows {
			floats.SubTo(rows.Row(i), x.RawRowView(first+i), mean)
		}
		// Only the lower triangle is computed, in strips of rows.
		parallel.ForContext(ctx, m.Workers, d, projection.StripRows, func(i, j int) {
			matrix.TransMul(out.RowRange(i, j).ColRange(0, j), rows.ColRange(i, j), rows.ColRange(0, j), first > 0)
		})
	}
	projection.Mirror(ctx, out)
	return s
}

// gramMatrix returns c·cᵀ.
func (m PCA) gramMatrix(ctx context.Context, c *mat.Dense) *mat.Dense {
	n, _ := c.Dims()
	s := mat.NewDense(n, n, nil)
	t, out := dense.View(projection.Transposed(ctx, c)), dense.View(s)
	parallel.ForContext(ctx, m.Workers, n, projection.StripRows, func(i, j int) {
		dense.TransProduct(ctx, out.RowRange(i, j).ColRange(0, j), t.ColRange(i, j), t.ColRange(0, j), false)
	})
	projection.Mirror(ctx, out)
	return s
}

// symmetricOperator returns the operator that multiplies by the symmetric matrix c.
func (m PCA) symmetricOperator(ctx context.Context, c *mat.Dense) subspace.Operator {
	a := dense.View(c)
	return func(dst, v *mat.Dense) { m.multiply(ctx, dense.View(dst), a, dense.View(v)) }
}

// multiply sets dst = a·b. Each worker computes one strip of rows at a time.
func (m PCA) multiply(ctx context.Context, dst, a, b matrix.Matrix[float64]) {
	parallel.ForContext(ctx, m.Workers, a.Rows, projection.StripRows, func(i, j int) {
		matrix.Mul(dst.RowRange(i, j), a.RowRange(i, j), b, false)
	})
}

// scatterOperator returns the operator that multiplies XᵀX by k columns, where X is a centered copy of the samples. Each
// product makes two passes over X.
func (m PCA) scatterOperator(ctx context.Context, x *mat.Dense, k int) subspace.Operator {
	c := dense.View(projection.Centered(ctx, x))
	y, vt := matrix.New[float64](c.Rows, k, nil), matrix.New[float64](k, c.Cols, nil)
	return func(dst, v *mat.Dense) {
		m.multiply(ctx, y, c, dense.View(v))
		parallel.ForContext(ctx, m.Workers, c.Cols, projection.StripRows, func(i, j int) {
			matrix.TransMul(vt.ColRange(i, j), y, c.ColRange(i, j), false)
		})
		matrix.Transpose(dense.View(dst), vt)
	}
}
