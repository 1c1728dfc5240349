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

// Errors of Fit, for errors.Is. Package wda has the same errors under the same names.
var (
	// ErrNotFinite: a value is NaN or infinite, or a number on the way to the result is.
	ErrNotFinite = fault.ErrNotFinite
	// ErrLabels: there are not as many labels as samples, all samples are of one class, or
	// no class has two samples.
	ErrLabels = fault.ErrLabels
	// ErrSettings: the number of components or a setting of the method is out of range.
	ErrSettings = fault.ErrSettings
)

// A Method is one of the methods of this package: PCA, FDA, LFDA, LMNN, LSDR, LSQMI, CEML or NCA.
// Its fields are its settings. A field that is zero has the default.
type Method interface {
	// String returns the usual abbreviation.
	fmt.Stringer

	// filled returns the method with its defaults in place of zeros, and whether these
	// settings are possible.
	filled() (Method, bool)

	// inverse reports whether samples that are twice as large give columns that are half as
	// long. The columns of the other methods do not depend on the unit of the samples.
	inverse() bool

	// fit is Fit for samples that have been checked, with settings that have been filled
	// in; the signs of the columns do not matter.
	fit(ctx context.Context, x *mat.Dense, labels []int, p int) (*mat.Dense, error)
}

// errFactorize: a matrix decomposition has met numbers that are not finite, or an eigenvalue
// iteration has not converged, which such numbers cause.
var errFactorize = fmt.Errorf("%w: matrix decomposition failed; the values of the features may be too far apart in size", ErrNotFinite)

// Fit returns the projection that a method finds, a matrix of d × components.
//
// x has n samples of d features, a row for each sample. labels are the classes of the samples,
// any integers. PCA does not read the labels, and they may be nil. components is the number of
// columns of the projection, from 1 to d; 0 stands for 2, or for 1 if d is 1.
// The element of largest absolute value of every column is positive. Fit does not change x or labels.
//
// Data of any scale are accepted: if the largest absolute value is above 2¹⁰⁰ or below 2⁻¹⁰⁰, Fit
// works on the samples times a power of two.
//
// When the context ends, Fit returns no projection and the cause of the context. Other errors match
// ErrLabels, ErrNotFinite or ErrSettings.
func Fit(ctx context.Context, x mat.Matrix, labels []int, components int, m Method) (*mat.Dense, error) {
	if m == nil {
		return nil, fmt.Errorf("%w: no method; use one of this package, such as PCA{}", ErrSettings)
	}
	full, ok := m.filled()
	if !ok {
		return nil, fmt.Errorf("%w: a setting of %v is out of range: %+v", ErrSettings, m, m)
	}
	samples := denseOf(x)
	if _, d := samples.Dims(); components == 0 {
		components = min(2, d)
	}
	if err := check(ctx, m, samples, labels, components); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	samples, scale := moderate(ctx, samples)
	v, err := full.fit(ctx, samples, labels, components)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	fixSigns(v)
	if scale != 0 && full.inverse() {
		v.Apply(func(_, _ int, w float64) float64 { return math.Ldexp(w, scale) }, v)
	}
	if checkFinite(ctx, v) != nil { // arithmetic overflowed on the way
		return nil, errFactorize
	}
	return v, nil
}

// denseOf returns x, or a copy of it if it is not stored as a dense matrix.
func denseOf(x mat.Matrix) *mat.Dense {
	switch x := x.(type) {
	case *mat.Dense:
		return x
	case mat.RawMatrixer:
		m := new(mat.Dense)
		m.SetRawMatrix(x.RawMatrix())
		return m
	}
	return mat.DenseCopyOf(x)
}

// moderate returns x·2^scale with the largest absolute value in [1/2, 1) if that of x is so
// large or small that fourth powers, which Ledoit and Wolf's intensity has, might be infinite
// or zero. Otherwise it returns x, and 0.
func moderate(ctx context.Context, x *mat.Dense) (y *mat.Dense, scale int) {
	const ordinary = 100
	n, d := x.Dims()
	largest := 0.
	dense.Pass(ctx, n, d, func(from, to int) {
		for i := from; i < to; i++ {
			for _, v := range x.RawRowView(i) {
				largest = max(largest, math.Abs(v))
			}
		}
	})
	_, e := math.Frexp(largest)
	if largest == 0 || -ordinary <= e && e <= ordinary {
		return x, 0
	}
	y = mat.NewDense(n, d, nil)
	dense.Pass(ctx, n, d, func(from, to int) {
		for i := from; i < to; i++ {
			out := y.RawRowView(i)
			for j, v := range x.RawRowView(i) {
				out[j] = math.Ldexp(v, -e)
			}
		}
	})
	return y, -e
}

// check says what is wrong with the samples for a method: PCA reads no labels, FDA needs
// two classes, the others a class of two samples, too.
func check(ctx context.Context, m Method, x *mat.Dense, labels []int, p int) error {
	n, d := x.Dims()
	if n < 1 {
		return fmt.Errorf("%w: there are no samples", ErrSettings)
	}
	if p < 1 || p > d {
		return fmt.Errorf("%w: components is %d; with %d features it must be from 1 to %d", ErrSettings, p, d, d)
	}
	if err := checkFinite(ctx, x); err != nil {
		return err
	}
	if _, ok := m.(PCA); ok {
		return nil
	}
	if len(labels) != n {
		return fmt.Errorf("%w: %d labels for %d samples", ErrLabels, len(labels), n)
	}
	classes := classRows(labels)
	if len(classes) < 2 {
		return fmt.Errorf("%w: all samples are of one class", ErrLabels)
	}
	if _, ok := m.(FDA); !ok && len(classes) == n {
		return fmt.Errorf("%w: no class has two samples", ErrLabels)
	}
	return nil
}

func checkFinite(ctx context.Context, x *mat.Dense) (err error) {
	n, d := x.Dims()
	dense.Pass(ctx, n, d, func(from, to int) {
		for i := from; i < to && err == nil; i++ {
			for j, v := range x.RawRowView(i) {
				if v-v != 0 {
					err = fmt.Errorf("%w: row %d, column %d is %v", ErrNotFinite, i, j, v)
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
