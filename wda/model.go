package wda

import (
	"fmt"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/asm/project"
	"gonum.org/v1/gonum/mat"
)

// Model is a fitted projection: a sample x becomes (x − mean)·P. It does not
// change, and any number of goroutines may use it at once.
type Model struct {
	projection *mat.Dense // d × p
	mean       []float64
	offset     []float64 // −mean·P, what a projection starts from
	labels     []int     // of the classes, ascending
	names      []string  // of the classes, or nil
	report     Report
}

func newModel(s *samples, p *mat.Dense, rep Report) *Model {
	m := &Model{projection: s.effective(p), mean: s.mean, labels: s.classes, report: rep}
	m.setOffset()
	return m
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

// Dims returns d and p, the numbers of features and of components.
func (m *Model) Dims() (d, p int) { return m.projection.Dims() }

// Projection returns a copy of the projection (d × p): P, PᵀP = I, or diag(1/σ)·P of
// a fit with standardized features.
func (m *Model) Projection() *mat.Dense { return mat.DenseCopyOf(m.projection) }

// Mean returns a copy of the mean of the samples of the fit.
func (m *Model) Mean() []float64 { return append([]float64(nil), m.mean...) }

// Labels returns the labels of the classes of the fit, ascending.
func (m *Model) Labels() []int { return append([]int(nil), m.labels...) }

// ClassNames returns the names that SetClassNames has set, in the order of Labels,
// or nil.
func (m *Model) ClassNames() []string { return append([]string(nil), m.names...) }

// SetClassNames stores a name for every class, in the order of Labels, to be kept
// in the model file. It is not for use while others use the model.
func (m *Model) SetClassNames(names []string) error {
	if names != nil && len(names) != len(m.labels) {
		return fmt.Errorf("%w: %d names for %d classes", ErrLabels, len(names), len(m.labels))
	}
	m.names = append([]string(nil), names...)
	return nil
}

// Report returns how the fit went. A loaded model has no history.
func (m *Model) Report() Report { return m.report }

// Transform sets dst to the projections of the rows of x (n × d): dst is n × p. An
// empty dst is resized. It panics if shapes do not match. It allocates nothing if
// dst has its size and x is a *mat.Dense (or any mat.RawMatrixer). Every row comes
// out as TransformVec would give it.
func (m *Model) Transform(dst *mat.Dense, x mat.Matrix) {
	d, p := m.projection.Dims()
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
	raw, b := dst.RawMatrix(), m.projection.RawMatrix()
	for i := range n {
		copy(raw.Data[i*raw.Stride:][:p], m.offset)
	}
	if rm, ok := x.(mat.RawMatrixer); ok {
		in := rm.RawMatrix()
		project.Mul(asm.Best(), n, p, d, raw.Data, raw.Stride, in.Data, in.Stride, b.Data, b.Stride, true)
		return
	}
	row := make([]float64, d)
	for i := range n {
		mat.Row(row, i, x)
		project.Mul(asm.Best(), 1, p, d, raw.Data[i*raw.Stride:], p, row, d, b.Data, b.Stride, true)
	}
}

// TransformVec sets dst (length p) to the projection of one sample x (length d). It
// panics if lengths do not match, allocates nothing, and may be called from any
// number of goroutines.
func (m *Model) TransformVec(dst, x []float64) {
	d, p := m.projection.Dims()
	if len(x) != d {
		panic(featuresPanic)
	}
	if len(dst) != p {
		panic(shapePanic)
	}
	copy(dst, m.offset)
	b := m.projection.RawMatrix()
	project.Mul(asm.Best(), 1, p, d, dst, p, x, d, b.Data, b.Stride, true)
}

// TransformVec32 is TransformVec for float32: dst is the projection of x in float64,
// rounded. Subtracting the mean in float32 could cost all digits.
func (m *Model) TransformVec32(dst, x []float32) {
	d, p := m.projection.Dims()
	if len(x) != d {
		panic(featuresPanic)
	}
	if len(dst) != p {
		panic(shapePanic)
	}
	var in, out [widenBlock]float64
	for l := 0; l < p; l += widenBlock {
		w := min(widenBlock, p-l)
		m.columns32(dst[l:], p, x, d, 1, l, w, in[:], out[:])
	}
}

const (
	// widenBlock is the number of features of a sample that are converted at a time,
	// and of components that are computed.
	widenBlock = 128
	// widenRows is the number of samples.
	widenRows = 20
)

// columns32 sets w columns of dst, from column l of the projection on, for some rows
// of x. The chains over the features go on from block to block: they are those of
// TransformVec.
func (m *Model) columns32(dst []float32, ldd int, x []float32, ldx, rows, l, w int, in, out []float64) {
	d, lv := len(m.mean), asm.Best()
	b := m.projection.RawMatrix()
	for r := range rows {
		copy(out[r*w:][:w], m.offset[l:])
	}
	for k := 0; k < d; k += widenBlock {
		n := min(widenBlock, d-k)
		for r := range rows {
			pass.Widen(lv, in[r*n:][:n], x[r*ldx+k:])
		}
		project.Mul(lv, rows, w, n, out, w, in, n, b.Data[k*b.Stride+l:], b.Stride, true)
	}
	for r := range rows {
		for i, v := range out[r*w:][:w] {
			dst[r*ldd+i] = float32(v)
		}
	}
}

// Transform32 is Transform for float32: every row of dst (n × p) is what
// TransformVec32 gives for that of x (n × d). It allocates nothing.
func (m *Model) Transform32(dst, x dist.Matrix[float32]) {
	d, p := m.projection.Dims()
	if x.Cols != d {
		panic(featuresPanic)
	}
	if dst.Rows != x.Rows || dst.Cols != p {
		panic(shapePanic)
	}
	var in, out [widenRows * widenBlock]float64
	for i := 0; i < x.Rows; i += widenRows {
		rows := min(widenRows, x.Rows-i)
		for l := 0; l < p; l += widenBlock {
			w := min(widenBlock, p-l)
			m.columns32(dst.Data[i*dst.Stride+l:], dst.Stride, x.Data[i*x.Stride:], x.Stride, rows, l, w, in[:], out[:])
		}
	}
}

const (
	featuresPanic = "wda: sample with another number of features than the model"
	shapePanic    = "wda: destination of another shape"
)
