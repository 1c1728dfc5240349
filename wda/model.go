package wda

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"gonum.org/v1/gonum/mat"
)

// Model is a fitted projection: a sample x becomes (x − mean)·P. It never changes, and
// any number of goroutines may use it at once; what its methods return are copies. The
// zero value is what UnmarshalBinary needs; to project with it panics.
//
// For finite samples an element of a projection is infinite or NaN only if a partial
// sum of −mean·P + x·P, or in float32 the result, is beyond the range of its type. No
// other infinity appears. TransformVec makes it an error.
type Model struct {
	projection *mat.Dense // d × p
	mean       []float64
	offset     []float64 // −mean·P, what a projection starts from
	labels     []int     // of the classes, ascending
	names      []string  // of the classes, or nil
	report     Report
	// What the columns of the projection are worth, or nil: the factors that are in
	// them, and their ratios of between- to within-class transport. Nothing here reads
	// them.
	scales, ratios []float64
	validated      string // Validation.Hash of the fit, or ""
}

// setOffset computes −mean·P, one chain of FMAs a component.
func (m *Model) setOffset() {
	d, p := m.projection.Dims()
	m.offset = make([]float64, p)
	for k := range d {
		for l, v := range m.projection.RawRowView(k) {
			m.offset[l] = math.FMA(-m.mean[k], v, m.offset[l])
		}
	}
}

// Dims returns d and p, the numbers of features and of components: 0 of the zero Model.
func (m *Model) Dims() (d, p int) {
	if m == nil || m.projection == nil {
		return 0, 0
	}
	return m.projection.Dims()
}

// dims is Dims for those who are about to project.
func (m *Model) dims() (d, p int) {
	if m == nil || m.projection == nil {
		panic("wda: a Model that neither Fit nor Load has made projects nothing")
	}
	return m.projection.Dims()
}

// Projection returns a copy of the projection (d × p): P, PᵀP = I, or diag(1/σ)·P of
// a fit with standardized features.
func (m *Model) Projection() *mat.Dense {
	m.dims()
	return mat.DenseCopyOf(m.projection)
}

// Mean returns a copy of the mean of the samples of the fit.
func (m *Model) Mean() []float64 { return slices.Clone(m.mean) }

// Labels returns the labels of the classes of the fit, ascending.
func (m *Model) Labels() []int { return slices.Clone(m.labels) }

// ClassNames returns the names of the classes in the order of Labels, or nil if they
// have none.
func (m *Model) ClassNames() []string { return slices.Clone(m.names) }

// ClassName returns the name of the class of that label: its digits if it has no other.
func (m *Model) ClassName(label int) string {
	if at, ok := slices.BinarySearch(m.labels, label); ok && m.names != nil {
		return m.names[at]
	}
	return strconv.Itoa(label)
}

// WithClassNames returns m with a name for every class, in the order of Labels, which
// its file keeps; nil is none. An error, which wraps ErrLabels, says if they are too few
// or too many, if two are equal, or if one is not valid UTF-8.
func (m *Model) WithClassNames(names []string) (*Model, error) {
	m.dims()
	if err := checkNames(names, len(m.labels)); err != nil {
		return nil, err
	}
	other := *m
	other.names = slices.Clone(names)
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

// Cut returns the model of the first q components: their projections have the same bits
// as those of m. Its Report stays that of the fit. It panics unless 1 ≤ q ≤ p.
func (m *Model) Cut(q int) *Model {
	d, p := m.dims()
	if q < 1 || q > p {
		panic("wda: Cut to a number of components that the model has not")
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
	return &other
}

// Report returns how the fit went. A loaded model has no history.
func (m *Model) Report() Report { return m.report.clone() }

// clone copies what r refers to, but for the samples of a Validation.
func (r *Report) clone() Report {
	c := *r
	c.History = slices.Clone(r.History)
	c.StartObjectives = slices.Clone(r.StartObjectives)
	c.Maxima, c.LedTo = slices.Clone(r.Maxima), slices.Clone(r.LedTo)
	c.Validations = slices.Clone(r.Validations)
	c.Warnings = slices.Clone(r.Warnings)
	if r.Lambda != nil {
		c.Lambda = mat.NewSymDense(r.Lambda.SymmetricDim(), nil)
		c.Lambda.CopySym(r.Lambda)
	}
	s := &c.Settings
	if l := &s.Objective.Lambda; l.Matrix != nil {
		l.Matrix = mat.DenseCopyOf(l.Matrix)
	}
	if s.Optimizer.Init != nil {
		s.Optimizer.Init = mat.DenseCopyOf(s.Optimizer.Init)
	}
	if s.Validation != nil {
		v := *s.Validation
		s.Validation = &v
	}
	return c
}

// Transform sets dst to the projections of the rows of x (n × d): dst is n × p. An
// empty dst is resized. It panics if shapes do not match, or if dst overlaps x. It
// allocates nothing if dst has its size and x is a *mat.Dense (or any mat.RawMatrixer).
// Every row comes out as TransformVec would give it, but nothing is checked.
func (m *Model) Transform(dst *mat.Dense, x mat.Matrix) {
	d, p := m.dims()
	n, xd := x.Dims()
	if xd != d {
		panic(featuresPanic)
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, p)
	}
	if r, c := dst.Dims(); r != n || c != p {
		panic(shapePanic)
	}
	if rm, ok := x.(mat.RawMatrixer); ok {
		in, out := dense.General(rm.RawMatrix()), dense.View(dst)
		if matrix.Overlap(out, in) {
			panic(overlapPanic)
		}
		for i := range n {
			copy(out.Row(i), m.offset)
		}
		matrix.Mul(out, in, dense.View(m.projection), true)
		return
	}
	// x may be dst in another form, as a transpose.
	out, row := mat.NewDense(n, p, nil), make([]float64, d)
	for i := range n {
		_ = m.TransformVec(out.RawRowView(i), mat.Row(row, i, x)) // nothing is checked
	}
	dst.Copy(out)
}

// TransformVec sets dst (length p) to the projection of one sample x, which nobody needs to
// have checked: an error wraps ErrShape if x has another length than d, and ErrNotFinite, in
// a PositionError, if a value of x is not finite or the projection is beyond float64; every
// element of dst, or that one, is then NaN or infinite. It panics if dst has another length
// or overlaps x, allocates nothing but an error, and may be called from any number of
// goroutines.
func (m *Model) TransformVec(dst, x []float64) error {
	d, p := m.dims()
	if len(x) != d {
		return fmt.Errorf("%w: a sample of %d features for a model of %d", ErrShape, len(x), d)
	}
	if len(dst) != p {
		panic(shapePanic)
	}
	to, from := matrix.OfRow(dst), matrix.OfRow(x)
	if matrix.Overlap(to, from) {
		panic(overlapPanic)
	}
	copy(dst, m.offset)
	matrix.Mul(to, from, dense.View(m.projection), true)
	return checkProjected(x, dst)
}

const (
	// widenBlock is the number of features of a sample that are converted at a time (as many
	// more as there are fewer samples than widenRows), and of components that are computed.
	widenBlock = 128
	// widenRows is the number of samples.
	widenRows = 20
)

// columns32 sets dst to the columns from l on of the projections of the rows of x. The
// chains over the features go on from block to block: they are those of TransformVec.
func (m *Model) columns32(dst, x dist.Matrix[float32], l int, in, out []float64) {
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

// Transform32 is Transform for float32: every row of dst (n × p) is the projection of that
// of x (n × d) in float64, rounded. Subtracting the mean in float32 could cost all digits.
// One sample is a matrix of one row. It panics if shapes do not match, or if dst overlaps x,
// and allocates nothing.
func (m *Model) Transform32(dst, x dist.Matrix[float32]) {
	d, p := m.dims()
	if x.Cols != d {
		panic(featuresPanic)
	}
	if dst.Rows != x.Rows || dst.Cols != p {
		panic(shapePanic)
	}
	x.Check()
	dst.Check()
	if matrix.Overlap(dst, x) {
		panic(overlapPanic)
	}
	var in, out [widenRows * widenBlock]float64
	for i := 0; i < x.Rows; i += widenRows {
		j := min(i+widenRows, x.Rows)
		for l := 0; l < p; l += widenBlock {
			m.columns32(dst.RowRange(i, j).ColRange(l, min(l+widenBlock, p)), x.RowRange(i, j), l, in[:], out[:])
		}
	}
}

// checkProjected names what is not finite in a projection y, or in the sample x that it
// is of. (What is not finite in x is not in any element of y.)
func checkProjected(x, y []float64) error {
	at := slices.IndexFunc(y, isNotFinite)
	if at < 0 {
		return nil
	}
	if k := slices.IndexFunc(x, isNotFinite); k >= 0 {
		return &PositionError{0, k, x[k], ErrNotFinite}
	}
	return fmt.Errorf("projected sample: %w", &PositionError{0, at, y[at], ErrNotFinite})
}

const (
	featuresPanic = "wda: sample with another number of features than the model"
	shapePanic    = "wda: destination of another shape"
	overlapPanic  = "wda: destination that overlaps the samples"
)
