package wda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/wda/dataset"
	"gonum.org/v1/gonum/mat"
)

// Model is a fitted projection: it maps a sample x to (x − mean)·P. Fit and Load make models.
//
// A Model never changes, and any number of goroutines may use it at the same time. Its methods
// return copies. The zero value can only be used with UnmarshalBinary; projecting with it panics.
//
// Transform, Transform32 and TransformVec compute the same projection. They return ErrNotFinite if an
// element of the projection is NaN or infinite. The cause is NaN or infinity in x, or a partial sum of
// −mean·P + x·P that is out of range. In Transform32, the result may also be out of the range of
// float32.
type Model struct {
	projection *mat.Dense // d × p
	mean       []float64
	offset     []float64 // −mean·P, added to each projection
	labels     []int     // labels of the classes, ascending
	names      []string  // names of the classes, or nil
	schema     *dataset.Schema
	report     Report
	// scales contains the factor of each column. ratios contains the ratio of between-class to
	// within-class transport for each column. Both slices may be nil.
	scales, ratios []float64
	validated      string // Validation.Hash of the fit, or ""
}

// setOffset computes −mean·P with one chain of FMAs for each component.
func (m *Model) setOffset() {
	d, p := m.projection.Dims()
	m.offset = make([]float64, p)
	for k := range d {
		for l, v := range m.projection.RawRowView(k) {
			m.offset[l] = math.FMA(-m.mean[k], v, m.offset[l])
		}
	}
}

// Dims returns the number of features d and the number of components p. Both are 0 for the
// zero Model.
func (m *Model) Dims() (d, p int) {
	if m == nil || m.projection == nil {
		return 0, 0
	}
	return m.projection.Dims()
}

// mustDims is like Dims, but panics for the zero Model.
func (m *Model) mustDims() (d, p int) {
	if m == nil || m.projection == nil {
		panic("wda: use of a zero Model: make one by Fit or Load")
	}
	return m.projection.Dims()
}

// Projection returns a copy of the projection matrix (d × p). The matrix applies to the original
// features: it includes standardization, whitening and the scale of the components.
func (m *Model) Projection() *mat.Dense {
	m.mustDims()
	return mat.DenseCopyOf(m.projection)
}

// Mean returns a copy of the mean of the samples that the model was fitted to.
func (m *Model) Mean() []float64 { return slices.Clone(m.mean) }

// Labels returns a copy of the labels of the classes that the model was fitted to, in ascending
// order.
func (m *Model) Labels() []int { return slices.Clone(m.labels) }

// ClassNames returns a copy of the names of the classes, in the order of Labels, or nil if they
// have no names.
func (m *Model) ClassNames() []string { return slices.Clone(m.names) }

// ClassName returns the name of the class with this label, or the label in decimal digits if
// the class has no name.
func (m *Model) ClassName(label int) string {
	if at, ok := slices.BinarySearch(m.labels, label); ok && m.names != nil {
		return m.names[at]
	}
	return strconv.Itoa(label)
}

// WithClassNames returns a model like m with a name for each class, in the order of Labels; nil
// removes the names. Model files keep the names. The error wraps ErrLabels if the number of names
// is not the number of classes, if two names are equal, or if a name is not valid UTF-8.
func (m *Model) WithClassNames(names []string) (*Model, error) {
	m.mustDims()
	if err := checkNames(names, len(m.labels)); err != nil {
		return nil, err
	}
	other := *m
	other.names = slices.Clone(names)
	return &other, nil
}

// Schema returns a copy of the schema of the table that the model was fitted to, or nil if the
// model stores no schema. Pass the schema as dataset.Options.Schema to read other files in the same
// way. Schema.Match finds the columns in other sources.
func (m *Model) Schema() *dataset.Schema { return m.schema.Clone() }

// FeatureNames returns the names of the features, in the order of the rows of Projection, or nil
// if they have no names.
func (m *Model) FeatureNames() []string { return m.schema.Features() }

// WithSchema returns a model like m that stores the schema of a table, such as the Schema of a
// dataset.Dataset. If s is nil or Plain, the new model has no schema. Model files keep the schema,
// and it is part of Hash. The error wraps ErrSettings if s is not valid, and ErrShape if the number
// of features of s is not d.
func (m *Model) WithSchema(s *dataset.Schema) (*Model, error) {
	d, _ := m.mustDims()
	other := *m
	other.schema = nil
	if s != nil {
		if err := s.Check(); err != nil {
			return nil, err
		}
		if s.Dim() != d {
			return nil, fmt.Errorf("%w: a schema of %d features for a model of %d", ErrShape, s.Dim(), d)
		}
		if !s.Plain() {
			other.schema = s.Clone()
		}
	}
	return &other, nil
}

func checkNames(names []string, classes int) error {
	if names == nil {
		return nil
	}
	if len(names) != classes {
		return fmt.Errorf("%w: %d names for %d classes", ErrLabels, len(names), classes)
	}
	at := make(map[string]int, classes)
	for i, n := range names {
		if !utf8.ValidString(n) {
			return fmt.Errorf("%w: the name of class %d, %q, is not valid UTF-8", ErrLabels, i, n)
		}
		if first, twice := at[n]; twice {
			return fmt.Errorf("%w: classes %d and %d have the same name %q", ErrLabels, first, i, n)
		}
		at[n] = i
	}
	return nil
}

// Cut returns a model of the first q components of m. Its projections are bit-identical to the first q
// components of the projections of m. The Report of the new model still describes the fit. The error
// wraps ErrSettings if q is less than 1 or greater than the number of components of m.
func (m *Model) Cut(q int) (*Model, error) {
	d, p := m.mustDims()
	if q < 1 || q > p {
		return nil, fmt.Errorf("%w: a cut to %d components of a model of %d", ErrSettings, q, p)
	}
	other := *m
	other.projection = mat.DenseCopyOf(m.projection.Slice(0, d, 0, q))
	other.offset = m.offset[:q:q]
	if m.scales != nil {
		other.scales = m.scales[:q:q]
	}
	if m.ratios != nil {
		other.ratios = m.ratios[:q:q]
	}
	return &other, nil
}

// Report returns a copy of the report of the fit. The report of a loaded model has no History,
// Choice or evaluation counts.
func (m *Model) Report() Report { return m.report.clone() }

// clone returns a deep copy of r. The samples of a Validation are shared.
func (r *Report) clone() Report {
	c := *r
	c.History = slices.Clone(r.History)
	c.StartObjectives = slices.Clone(r.StartObjectives)
	c.Maxima, c.LedTo = slices.Clone(r.Maxima), slices.Clone(r.LedTo)
	c.Validations = slices.Clone(r.Validations)
	c.Warnings = slices.Clone(r.Warnings)
	for i, w := range c.Warnings {
		c.Warnings[i] = w.clone()
	}
	if r.Lambda != nil {
		c.Lambda = mat.NewSymDense(r.Lambda.SymmetricDim(), nil)
		c.Lambda.CopySym(r.Lambda)
	}
	s := &c.Settings
	if s.Optimizer.Init != nil {
		s.Optimizer.Init = mat.DenseCopyOf(s.Optimizer.Init)
	}
	if s.Validation != nil {
		v := *s.Validation
		s.Validation = &v
	}
	return c
}

// Transform sets dst (n × p) to the projections of the rows of x (n × d). If dst is empty, Transform
// sets the shape of dst. Each row is bit-identical to the result of TransformVec.
//
// The error wraps ErrShape if x does not have d columns, if dst has the wrong shape, or if dst
// overlaps x. It wraps ErrNotFinite, in a PositionError with the row and column of x, if x contains
// NaN or infinity, or if a projection is out of range. With this error, dst still contains all
// projections, including projections with NaN or infinity. Transform does not allocate if dst is n
// × p and x is a *mat.Dense or another mat.RawMatrixer. If x has a method ReadRows (see Fit), Transform
// reads x with it, and returns its errors.
func (m *Model) Transform(dst *mat.Dense, x mat.Matrix) error {
	return m.transform(context.Background(), dst, x)
}

// transformWork is the approximate number of multiplications between two checks of a context.
const transformWork = 1 << 22

// transform is like Transform with a context. If ctx ends, it returns context.Cause(ctx).
func (m *Model) transform(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	d, p := m.mustDims()
	n, xd := x.Dims()
	if xd != d {
		return fmt.Errorf("%w: samples of %d features for a model of %d", ErrShape, xd, d)
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, p)
	}
	if r, c := dst.Dims(); r != n || c != p {
		return fmt.Errorf("%w: the destination is %d × %d; it must be %d × %d or empty", ErrShape, r, c, n, p)
	}
	if rm, ok := x.(mat.RawMatrixer); ok {
		in, out := dense.General(rm.RawMatrix()), dense.View(dst)
		if matrix.Overlap(out, in) {
			return errOverlap
		}
		step := max(1, n)
		if ctx.Done() != nil {
			step = max(1, transformWork/(d*p))
		}
		for i := 0; i < n; i += step {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			j := min(n, i+step)
			some := out.RowRange(i, j)
			for r := range some.Rows {
				copy(some.Row(r), m.offset)
			}
			matrix.Mul(some, in.RowRange(i, j), dense.View(m.projection), true)
		}
		return checkRows(out, in)
	}
	// x may be a view of dst, such as a transpose.
	out, row := mat.NewDense(n, p, nil), rowsOf(x)
	var bad error
	for i := range n {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		v, err := row(i)
		if err != nil {
			return err
		}
		err = m.TransformVec(out.RawRowView(i), v)
		if bad == nil && err != nil {
			bad = setErrorRow(i, err)
		}
	}
	dst.Copy(out)
	return bad
}

// TransformVec sets dst (length p) to the projection of one sample x, a slice of d features.
//
// The error wraps ErrShape if dst or x has the wrong length, or if dst overlaps x. It wraps
// ErrNotFinite, in a PositionError, if x contains NaN or infinity, or if the projection is out of
// range of float64; dst then contains NaN or infinity. TransformVec does not allocate, except for
// errors.
func (m *Model) TransformVec(dst, x []float64) error {
	d, p := m.mustDims()
	if len(x) != d {
		return fmt.Errorf("%w: the sample has %d features, but the model was fitted to %d", ErrShape, len(x), d)
	}
	if len(dst) != p {
		return fmt.Errorf("%w: a destination of %d elements for %d components", ErrShape, len(dst), p)
	}
	to, from := matrix.OfRow(dst), matrix.OfRow(x)
	if matrix.Overlap(to, from) {
		return errOverlap
	}
	copy(dst, m.offset)
	matrix.Mul(to, from, dense.View(m.projection), true)
	return checkProjected(x, dst)
}

const (
	// widenBlock is the number of features that are converted to float64 at a time, for widenRows
	// samples. For fewer samples, more features are converted at a time. widenBlock is also the
	// maximum number of components that are computed at a time.
	widenBlock = 128
	// widenRows is the maximum number of samples that are projected at a time.
	widenRows = 20
)

// transformColumns32 projects the rows of x and sets dst to the components of the projections,
// beginning with component l. It adds the features in blocks, and each sum continues from one block
// to the next. The result therefore has the bits of TransformVec, rounded to float32.
func (m *Model) transformColumns32(dst, x dist.Matrix[float32], l int, in, out []float64) {
	rows, w, d := dst.Rows, dst.Cols, len(m.mean)
	b := dense.View(m.projection).ColRange(l, l+w)
	y := matrix.New(rows, w, out[:rows*w])
	for r := range rows {
		copy(y.Row(r), m.offset[l:])
	}
	block := len(in) / rows
	for k := 0; k < d; k += block {
		n := min(block, d-k)
		wide := matrix.New(rows, n, in[:rows*n])
		matrix.Widen(wide, x.ColRange(k, k+n))
		matrix.Mul(y, wide, b.RowRange(k, k+n), true)
	}
	for r := range rows {
		row := dst.Row(r)
		for i, v := range y.Row(r) {
			row[i] = float32(v)
		}
	}
}

// Transform32 sets dst (n × p) to the projections of the rows of x (n × d), both in float32. It
// computes in float64 and rounds the result, because subtracting the mean in float32 could lose all
// digits. For one sample, use matrices of one row. Errors are as in Transform; a projection that
// exceeds the range of float32 is also an ErrNotFinite. Transform32 does not allocate, except for
// errors. It panics if x or dst is not a valid matrix (see dist.Matrix).
func (m *Model) Transform32(dst, x dist.Matrix[float32]) error {
	d, p := m.mustDims()
	x.Check()
	dst.Check()
	if x.Cols != d {
		return fmt.Errorf("%w: samples of %d features for a model of %d", ErrShape, x.Cols, d)
	}
	if dst.Rows != x.Rows || dst.Cols != p {
		return fmt.Errorf("%w: the destination is %d × %d; it must be %d × %d", ErrShape, dst.Rows, dst.Cols, x.Rows, p)
	}
	if matrix.Overlap(dst, x) {
		return errOverlap
	}
	var in, out [widenRows * widenBlock]float64
	for i := 0; i < x.Rows; i += widenRows {
		j := min(i+widenRows, x.Rows)
		for l := 0; l < p; l += widenBlock {
			m.transformColumns32(dst.RowRange(i, j).ColRange(l, min(l+widenBlock, p)), x.RowRange(i, j), l, in[:], out[:])
		}
	}
	return checkRows(dst, x)
}

var errOverlap = fmt.Errorf("%w: the destination overlaps the samples", ErrShape)

// checkRows calls checkProjected for each row of x and y.
func checkRows[T dist.Float](y, x dist.Matrix[T]) error {
	if y.Stride == y.Cols && firstNotFinite(y.Data[:y.Rows*y.Cols]) < 0 {
		return nil // usually, all elements are finite
	}
	for i := range y.Rows {
		if err := checkProjected(x.Row(i), y.Row(i)); err != nil {
			return setErrorRow(i, err)
		}
	}
	return nil
}

// checkProjected returns an error if the projection y of the sample x contains NaN or infinity. If x
// also contains NaN or infinity, the error names the element of x, because this element makes all
// elements of y NaN or infinite. Otherwise the error names the element of y.
func checkProjected[T dist.Float](x, y []T) error {
	at := firstNotFinite(y)
	if at < 0 {
		return nil
	}
	if k := firstNotFinite(x); k >= 0 {
		return &PositionError{Row: 0, Column: k, Value: float64(x[k]), Err: ErrNotFinite}
	}
	return fmt.Errorf("projected sample: %w", &PositionError{Row: 0, Column: at, Value: float64(y[at]), Err: ErrNotFinite})
}

// setErrorRow adds the row index i to err, the error of a check of one row.
func setErrorRow(i int, err error) error {
	if pe, ok := errors.AsType[*PositionError](err); ok {
		pe.Row = i
		return err
	}
	return fmt.Errorf("row %d: %w", i, err)
}
