package baseline

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// Method is one of the methods of this package, with its settings.
type Method interface {
	// String is the usual abbreviation.
	fmt.Stringer

	// filled returns the method with its defaults in place of zeros, and whether these
	// settings are possible.
	filled() (Method, bool)

	// fit is Fit for samples that have been checked, with settings that have been filled
	// in; the signs of the columns do not matter.
	fit(ctx context.Context, x *mat.Dense, labels []int, p int) (*mat.Dense, error)
}

// errFactorize: a decomposition has failed, for values so far apart in size that their
// squares overflow, or an eigenvalue iteration has not converged, which such values do.
var errFactorize = fmt.Errorf("%w: matrix decomposition failed", fault.ErrNotFinite)

// Fit returns the projection that the method finds: d × p, for samples x (n × d) and
// their labels (n, any integers), 1 ≤ p ≤ d. The element of largest size of every column
// is positive. x and labels are not changed; PCA reads no labels, and they may be nil.
// When the context ends the error is its cause. Others wrap wda.ErrLabels if labels and rows
// are not as many, all samples are of one class, or no class has two, so that none has a
// neighbor of its class; wda.ErrNotFinite if a value is NaN or infinite, or a square that a
// decomposition needs; and wda.ErrSettings if p, or a setting of the method, is out of range.
func Fit(ctx context.Context, m Method, x *mat.Dense, labels []int, p int) (*mat.Dense, error) {
	full, ok := m.filled()
	if !ok {
		return nil, fmt.Errorf("%w: %#v", fault.ErrSettings, m)
	}
	if err := check(ctx, m, x, labels, p); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	v, err := full.fit(ctx, x, labels, p)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	fixSigns(v)
	if checkFinite(ctx, v) != nil { // arithmetic overflowed on the way
		return nil, errFactorize
	}
	return v, nil
}

// check says what is wrong with the samples for a method: PCA reads no labels, FDA needs
// two classes, the others a class of two samples, too.
func check(ctx context.Context, m Method, x *mat.Dense, labels []int, p int) error {
	n, d := x.Dims()
	if p < 1 || p > d || n < 1 {
		return fmt.Errorf("%w: %d components of %d samples with %d features", fault.ErrSettings, p, n, d)
	}
	if err := checkFinite(ctx, x); err != nil {
		return err
	}
	if _, ok := m.(PCA); ok {
		return nil
	}
	if len(labels) != n {
		return fmt.Errorf("%w: %d labels for %d samples", fault.ErrLabels, len(labels), n)
	}
	classes := classRows(labels)
	if len(classes) < 2 {
		return fmt.Errorf("%w: all samples are of one class", fault.ErrLabels)
	}
	if _, ok := m.(FDA); !ok && len(classes) == n {
		return fmt.Errorf("%w: no class has two samples", fault.ErrLabels)
	}
	return nil
}

func checkFinite(ctx context.Context, x *mat.Dense) (err error) {
	n, d := x.Dims()
	dense.Pass(ctx, n, d, func(from, to int) {
		for i := from; i < to && err == nil; i++ {
			for j, v := range x.RawRowView(i) {
				if v-v != 0 {
					err = fmt.Errorf("%w: row %d, column %d is %v", fault.ErrNotFinite, i, j, v)
					break
				}
			}
		}
	})
	return err
}

// classRows returns the rows of each class, classes in the order of their labels.
func classRows(labels []int) [][]int {
	rows := map[int][]int{}
	for i, l := range labels {
		rows[l] = append(rows[l], i)
	}
	var all [][]int
	for _, l := range slices.Sorted(maps.Keys(rows)) {
		all = append(all, rows[l])
	}
	return all
}

// gather returns the given rows of x.
func gather(ctx context.Context, x *mat.Dense, rows []int) *mat.Dense {
	_, d := x.Dims()
	g := mat.NewDense(len(rows), d, nil)
	dense.Pass(ctx, len(rows), d, func(from, to int) {
		for k := from; k < to; k++ {
			copy(g.RawRowView(k), x.RawRowView(rows[k]))
		}
	})
	return g
}

// span returns an orthonormal basis (d × r, r < n) of a space that holds the centred rows
// of x, and the rows in it (n × r): a method whose columns are combinations of
// samples needs no more than that of d ≥ n features. The basis is nil for the
// identity.
//
// Basis vectors without a share of any row are left out: a method that scales its
// features must not take rounding for one.
func span(ctx context.Context, x *mat.Dense) (basis, coordinates *mat.Dense, err error) {
	n, d := x.Dims()
	if d < n || n < 2 {
		return nil, x, nil
	}
	// The last row is minus the sum of the others. The columns of the QR factor are
	// orthonormal whatever the rank of those.
	basis = transposed(ctx, x.Slice(0, n-1, 0, d).(*mat.Dense))
	if _, err := stiefel.New(d, n-1).Orthonormalize(ctx, basis, basis); errors.Is(err, stiefel.ErrNotFinite) {
		return nil, x, nil
	} else if err != nil {
		return nil, nil, err
	}
	coordinates = product(ctx, x, basis)
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

// spanTolerance: a share of the samples below this one of the largest is rounding.
const spanTolerance = 1e-12

// lift returns columns found in the span of the samples in the space of all d features,
// with columns of zeros up to p: what is outside the span distinguishes no samples.
func lift(ctx context.Context, basis, v *mat.Dense, d, p int) *mat.Dense {
	if basis != nil {
		v = product(ctx, basis, v)
	}
	_, q := v.Dims()
	all := mat.NewDense(d, p, nil)
	all.Slice(0, d, 0, q).(*mat.Dense).Copy(v)
	return all
}

// complete returns v (d × k) with p − k more columns, orthonormal and orthogonal
// to those of v.
func complete(ctx context.Context, v *mat.Dense, p int) (*mat.Dense, error) {
	d, k := v.Dims()
	all := mat.NewDense(d, p, nil)
	all.Slice(0, d, 0, k).(*mat.Dense).Copy(v)
	if k == p {
		return all, nil
	}
	if _, err := stiefel.New(d, p).Orthonormalize(ctx, all, all); err != nil {
		return nil, errFactorize
	}
	all.Slice(0, d, 0, k).(*mat.Dense).Copy(v)
	return all, nil
}

// centred returns x without its mean.
func centred(ctx context.Context, x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	mean, c := columnMeans(ctx, x), mat.NewDense(n, d, nil)
	dense.Pass(ctx, n, d, func(i, j int) {
		for ; i < j; i++ {
			subtract(c.RawRowView(i), x.RawRowView(i), mean)
		}
	})
	return c
}

// columnMeans returns the mean of every column.
func columnMeans(ctx context.Context, x *mat.Dense) []float64 {
	n, d := x.Dims()
	mean := make([]float64, d)
	dense.Pass(ctx, n, d, func(from, to int) {
		for i := from; i < to; i++ {
			for j, v := range x.RawRowView(i) {
				mean[j] += v
			}
		}
	})
	for j := range mean {
		mean[j] /= float64(n)
	}
	return mean
}

// subtract sets dst = x − y.
func subtract(dst, x, y []float64) {
	for j, v := range x {
		dst[j] = v - y[j]
	}
}

// topEigenvectors returns the p eigenvectors of the largest eigenvalues of a as
// columns, largest first, each with its largest element positive. Of a the lower triangle
// is read and everything overwritten.
func topEigenvectors(ctx context.Context, a *mat.Dense, p int) (vectors *mat.Dense, values []float64, err error) {
	n, _ := a.Dims()
	values, v, ok := algebra.Eigen(ctx, dense.View(a))
	if !ok {
		return nil, nil, errFactorize
	}
	vectors = mat.NewDense(n, p, nil)
	for i := range n {
		copy(vectors.RawRowView(i), v.Row(i))
	}
	return vectors, values[:p], nil
}

// fixSigns makes the element of largest size of every column positive.
func fixSigns(v *mat.Dense) {
	n, p := v.Dims()
	for k := range p {
		at := 0
		for i := range n {
			if math.Abs(v.At(i, k)) > math.Abs(v.At(at, k)) {
				at = i
			}
		}
		if v.At(at, k) < 0 {
			for i := range n {
				v.Set(i, k, -v.At(i, k))
			}
		}
	}
}

// orthonormalize replaces the columns of v by an orthonormal basis of the same
// subspaces.
func orthonormalize(ctx context.Context, v *mat.Dense) error {
	if _, err := stiefel.New(v.Dims()).Orthonormalize(ctx, v, v); err != nil {
		return errFactorize
	}
	return nil
}
