package baseline

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/stiefel"
	"gonum.org/v1/gonum/mat"
)

// Method finds a projection.
type Method interface {
	// Name is the usual abbreviation.
	Name() string
	// Fit returns a d × p projection for samples x (n × d) with labels. It changes
	// neither.
	Fit(x *mat.Dense, labels []int, p int) (*mat.Dense, error)
}

// Methods returns every method with its default settings, in the order of the
// tables of the WDA paper.
func Methods() []Method {
	return []Method{PCA{}, FDA{}, LFDA{}, LMNN{}, LSDR{}, LSQMI{}, CEML{}}
}

// ByName returns the method of that name, whatever the case of its letters, with
// its default settings.
func ByName(name string) (Method, error) {
	var names []string
	for _, m := range Methods() {
		if strings.EqualFold(m.Name(), name) {
			return m, nil
		}
		names = append(names, m.Name())
	}
	return nil, fmt.Errorf("%w %q: there are %s", ErrUnknown, name, strings.Join(names, ", "))
}

// What can be wrong with data or settings. Errors wrap one of these and say where.
var (
	ErrUnknown    = errors.New("baseline: no such method")
	ErrComponents = errors.New("baseline: number of components out of range")
	ErrShape      = errors.New("baseline: shapes do not match")
	ErrNotFinite  = errors.New("baseline: value is not finite")
	ErrOneClass   = errors.New("baseline: all samples are of one class")
	// ErrTooFew: no class has two samples, so that none has a neighbor of its class.
	ErrTooFew   = errors.New("baseline: no class has two samples")
	ErrSettings = errors.New("baseline: bad settings")
	// ErrFactorize: a decomposition has failed, for values so far apart in size that
	// their squares overflow, or an eigenvalue iteration has not converged.
	ErrFactorize = errors.New("baseline: matrix decomposition failed")
)

func checkComponents(x *mat.Dense, p int) error {
	if n, d := x.Dims(); p < 1 || p > d || n < 1 {
		return fmt.Errorf("%w: %d components of %d samples with %d features", ErrComponents, p, n, d)
	}
	return nil
}

// checkSamples checks what every method that reads labels asks for.
func checkSamples(x *mat.Dense, labels []int, p int) error {
	if err := checkComponents(x, p); err != nil {
		return err
	}
	n, _ := x.Dims()
	if len(labels) != n {
		return fmt.Errorf("%w: %d labels for %d samples", ErrShape, len(labels), n)
	}
	if err := checkFinite(x); err != nil {
		return err
	}
	if slices.Min(labels) == slices.Max(labels) {
		return ErrOneClass
	}
	return nil
}

// checkNeighbors is checkSamples, and that there is a class of two samples.
func checkNeighbors(x *mat.Dense, labels []int, p int) error {
	if err := checkSamples(x, labels, p); err != nil {
		return err
	}
	if !slices.ContainsFunc(classRows(labels), func(rows []int) bool { return len(rows) > 1 }) {
		return ErrTooFew
	}
	return nil
}

func checkFinite(x *mat.Dense) error {
	n, _ := x.Dims()
	for i := range n {
		for j, v := range x.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%w: row %d, column %d is %v", ErrNotFinite, i, j, v)
			}
		}
	}
	return nil
}

// finished returns a fitted projection, or an error if arithmetic overflowed on
// the way to it.
func finished(p *mat.Dense) (*mat.Dense, error) {
	if checkFinite(p) != nil {
		return nil, ErrFactorize
	}
	return p, nil
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
func gather(x *mat.Dense, rows []int) *mat.Dense {
	_, d := x.Dims()
	g := mat.NewDense(len(rows), d, nil)
	for k, i := range rows {
		copy(g.RawRowView(k), x.RawRowView(i))
	}
	return g
}

// span returns an orthonormal basis (d × r, r < n) of a space that holds the centred rows
// of x, and the rows in it (n × r): a method whose columns are combinations of
// samples needs no more than that of d ≥ n features. The basis is nil for the
// identity.
//
// Basis vectors without a share of any row are left out: a method that scales its
// features must not take rounding for one.
func span(x *mat.Dense) (basis, coordinates *mat.Dense) {
	n, d := x.Dims()
	if d < n || n < 2 {
		return nil, x
	}
	// The last row is minus the sum of the others. The columns of the QR factor are
	// orthonormal whatever the rank of those.
	basis = mat.DenseCopyOf(x.Slice(0, n-1, 0, d).T())
	if _, err := stiefel.New(d, n-1).Orthonormalize(basis, basis); err != nil {
		return nil, x
	}
	coordinates = product(x, basis)
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
		if size > least {
			basis.SetCol(r, mat.Col(nil, j, basis))
			coordinates.SetCol(r, mat.Col(nil, j, coordinates))
			r++
		}
	}
	r = max(r, 1)
	return mat.DenseCopyOf(basis.Slice(0, d, 0, r)), mat.DenseCopyOf(coordinates.Slice(0, n, 0, r))
}

// spanTolerance: a share of the samples below this one of the largest is rounding.
const spanTolerance = 1e-12

// complete returns v (d × k) with p − k more columns, orthonormal and orthogonal
// to those of v.
func complete(v *mat.Dense, p int) (*mat.Dense, error) {
	d, k := v.Dims()
	all := mat.NewDense(d, p, nil)
	all.Slice(0, d, 0, k).(*mat.Dense).Copy(v)
	if k == p {
		return all, nil
	}
	if _, err := stiefel.New(d, p).Orthonormalize(all, all); err != nil {
		return nil, ErrFactorize
	}
	all.Slice(0, d, 0, k).(*mat.Dense).Copy(v)
	return all, nil
}

// centred returns x without its mean.
func centred(x *mat.Dense) *mat.Dense {
	n, d := x.Dims()
	mean, c := columnMeans(x), mat.NewDense(n, d, nil)
	for i := range n {
		subtract(c.RawRowView(i), x.RawRowView(i), mean)
	}
	return c
}

// columnMeans returns the mean of every column.
func columnMeans(x *mat.Dense) []float64 {
	n, d := x.Dims()
	mean := make([]float64, d)
	for i := range n {
		for j, v := range x.RawRowView(i) {
			mean[j] += v
		}
	}
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
func topEigenvectors(a *mat.Dense, p int) (vectors *mat.Dense, values []float64, err error) {
	n, _ := a.Dims()
	values, v, ok := algebra.Eigen(dense.View(a))
	if !ok {
		return nil, nil, ErrFactorize
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
func orthonormalize(v *mat.Dense) error {
	if _, err := stiefel.New(v.Dims()).Orthonormalize(v, v); err != nil {
		return ErrFactorize
	}
	return nil
}
