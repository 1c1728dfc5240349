package baselines

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/projection"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// sampleSpan returns an orthonormal basis (d × r, r < n) of a space that contains the centered rows
// of x. It also returns the coordinates of the rows in this basis (n × r). These coordinates are
// enough for a method whose columns are linear combinations of samples. If d < n, sampleSpan
// instead returns a nil basis and x unchanged.
//
// A basis vector that is orthogonal to all rows is left out. Its coordinates would be rounding
// errors, and a method that scales its features would amplify them.
func sampleSpan(ctx context.Context, x *mat.Dense) (basis, coordinates *mat.Dense, err error) {
	n, d := x.Dims()
	if d < n || n < 2 {
		return nil, x, nil
	}
	// The last row is minus the sum of the other rows, so it can be left out. The columns of the QR
	// factor are orthonormal for any rank of the rows.
	basis = projection.Transposed(ctx, x.Slice(0, n-1, 0, d).(*mat.Dense))
	if _, err := stiefel.New(d, n-1).Orthonormalize(ctx, basis, basis); errors.Is(err, stiefel.ErrNotFinite) {
		return nil, x, nil
	} else if err != nil {
		return nil, nil, err
	}
	coordinates = projection.Product(ctx, x, basis)
	sizes := make([]float64, n-1)
	for i := range n {
		for j, v := range coordinates.RawRowView(i) {
			sizes[j] = math.FMA(v, v, sizes[j])
		}
	}
	for j, square := range sizes {
		sizes[j] = math.Sqrt(square)
	}
	r, least := 0, spanTolerance*slices.Max(sizes)
	for j, size := range sizes {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		if size > least {
			if j > r {
				basis.SetCol(r, mat.Col(nil, j, basis))
				coordinates.SetCol(r, mat.Col(nil, j, coordinates))
			}
			r++
		}
	}
	r = max(r, 1)
	return mat.DenseCopyOf(basis.Slice(0, d, 0, r)), mat.DenseCopyOf(coordinates.Slice(0, n, 0, r)), nil
}

// spanTolerance bounds rounding errors. Coordinates below spanTolerance times the largest
// coordinate count as zero.
const spanTolerance = 1e-12

// liftColumns converts columns from coordinates in the span of the samples to all d features. It
// appends zero columns until there are p columns, because directions outside the span do not
// distinguish samples.
func liftColumns(ctx context.Context, basis, v *mat.Dense, d, p int) *mat.Dense {
	if basis != nil {
		v = projection.Product(ctx, basis, v)
	}
	_, q := v.Dims()
	all := mat.NewDense(d, p, nil)
	all.Slice(0, d, 0, q).(*mat.Dense).Copy(v)
	return all
}

// completeBasis appends p − k columns to v (d × k). The new columns are orthonormal, and orthogonal to the
// columns of v.
func completeBasis(ctx context.Context, v *mat.Dense, p int) (*mat.Dense, error) {
	d, k := v.Dims()
	all := mat.NewDense(d, p, nil)
	all.Slice(0, d, 0, k).(*mat.Dense).Copy(v)
	if k == p {
		return all, nil
	}
	if _, err := stiefel.New(d, p).Orthonormalize(ctx, all, all); err != nil {
		return nil, projection.ErrFactorize
	}
	all.Slice(0, d, 0, k).(*mat.Dense).Copy(v)
	return all, nil
}
