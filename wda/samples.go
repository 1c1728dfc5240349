package wda

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/internal/subspace"
	"github.com/gomonge/monge/wda/baseline"
	"gonum.org/v1/gonum/mat"
)

// samples are the data of a fit: rows sorted by class, centred, and scaled by a
// power of two, which is exact, so that neither float32 nor squares overflow.
type samples struct {
	n, d    int
	classes []int // label of each class, ascending
	offset  []int // class c is rows offset[c] … offset[c+1]−1
	x       *mat.Dense
	mean    []float64
	// x = (input·pre − mean·pre)·post·feature, in this order; scale = pre·post, or 1
	// once features are standardized, as lengths are then in units of their own.
	pre, post, scale float64
	feature          []float64 // nil is 1
}

// checkSamples checks all of x and labels but what concerns the classes.
func checkSamples(x mat.Matrix, labels []int) error {
	if x == nil {
		return fmt.Errorf("%w: no samples", ErrShape)
	}
	n, d := x.Dims()
	if n == 0 || d == 0 {
		return fmt.Errorf("%w: no samples", ErrShape)
	}
	if len(labels) != n {
		return fmt.Errorf("%w: %d labels for %d samples", ErrLabels, len(labels), n)
	}
	return checkFinite(x)
}

// newSamples arranges x and labels, which checkSamples has found good. The order within a class is that of
// the input.
func newSamples(x mat.Matrix, labels []int) (*samples, error) {
	n, d := x.Dims()
	s := &samples{n: n, d: d, classes: slices.Compact(slices.Sorted(slices.Values(labels)))}
	if len(s.classes) < 2 {
		return nil, fmt.Errorf("%w (label %d)", ErrOneClass, labels[0])
	}
	index := make(map[int]int, len(s.classes))
	for c, l := range s.classes {
		index[l] = c
	}
	s.offset = make([]int, len(s.classes)+1)
	for _, l := range labels {
		s.offset[index[l]+1]++
	}
	for c, count := range s.offset[1:] {
		if count == 1 {
			return nil, fmt.Errorf("%w: row %d alone has label %d", ErrSingleton, slices.Index(labels, s.classes[c]), s.classes[c])
		}
	}
	for c := range s.classes {
		s.offset[c+1] += s.offset[c]
	}
	// The mean is taken of scaled values, so that data near the ends of the range do
	// not overflow, and relative to the first row, so that what is constant comes
	// out as 0 exactly.
	largest := largestElement(x)
	if largest == 0 {
		return nil, fmt.Errorf("%w: every value is 0", ErrNoSpread)
	}
	pre := powerOfTwo(largest)
	s.mean = make([]float64, d)
	first := make([]float64, d)
	rows := rowsOf(x)
	for j, v := range rows(0) {
		first[j] = v * pre
	}
	for i := range n {
		for j, v := range rows(i) {
			s.mean[j] += float64(v*pre) - first[j]
		}
	}
	for j := range s.mean {
		s.mean[j] = first[j] + s.mean[j]/float64(n)
	}
	s.x = mat.NewDense(n, d, nil)
	next := slices.Clone(s.offset)
	for i, l := range labels {
		row := s.x.RawRowView(next[index[l]])
		next[index[l]]++
		for j, v := range rows(i) {
			row[j] = float64(v*pre) - s.mean[j]
		}
	}
	spread := largestElement(s.x)
	if spread == 0 {
		return nil, fmt.Errorf("%w: all rows are equal", ErrNoSpread)
	}
	post := powerOfTwo(spread)
	raw := s.x.RawMatrix().Data
	for i := range raw {
		raw[i] *= post
	}
	for j := range s.mean {
		s.mean[j] /= pre
	}
	s.pre, s.post, s.scale = pre, post, pre*post
	return s, nil
}

// standardize divides every feature by its standard deviation, unless that is 0.
func (s *samples) standardize() {
	s.feature, s.scale = make([]float64, s.d), 1
	for i := range s.n {
		for j, v := range s.x.RawRowView(i) {
			s.feature[j] += float64(v * v)
		}
	}
	for j, square := range s.feature {
		s.feature[j] = 1
		if square > 0 {
			s.feature[j] = 1 / math.Sqrt(square/float64(s.n))
		}
	}
	for i := range s.n {
		row := s.x.RawRowView(i)
		for j := range row {
			row[j] *= s.feature[j]
		}
	}
}

// effective returns what the projection p of s.x is for input − mean, without the
// powers of two: diag(1/σ)·P for standardized features, otherwise P.
func (s *samples) effective(p *mat.Dense) *mat.Dense {
	e := mat.DenseCopyOf(p)
	for j, f := range s.feature {
		row := e.RawRowView(j)
		for l := range row {
			row[l] *= f * (s.pre * s.post)
		}
	}
	return e
}

// arranged returns other rows in the units of s.x.
func (s *samples) arranged(x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	out, rows := mat.NewDense(n, d, nil), rowsOf(x)
	for i := range n {
		row := out.RawRowView(i)
		for j, v := range rows(i) {
			row[j] = (float64(v*s.pre) - float64(s.mean[j]*s.pre)) * s.post
			if s.feature != nil {
				row[j] *= s.feature[j]
			}
		}
	}
	return out
}

// units returns a quantity that is quadratic in the scaled samples in the units of
// the data. (The square of the scale may be out of range where the result is not.)
func (s *samples) units(square float64) float64 { return square / s.scale / s.scale }

// perUnits is the inverse of units, and λ the other way round.
func (s *samples) perUnits(square float64) float64 { return square * s.scale * s.scale }

const (
	// densePrincipal is the number of features up to which all principal components are
	// found at once.
	densePrincipal = 128
	// extraPrincipal is the number of vectors more that are looked for: with them those
	// that are wanted converge faster.
	extraPrincipal = 4
)

// principal returns the p leading principal components (d × p), orthonormal, with a
// residual of tolerance relative to the largest eigenvalue where there are many features.
func (s *samples) principal(ctx context.Context, p int, tolerance float64, workers int) (*mat.Dense, error) {
	k := min(p+extraPrincipal, s.d)
	if s.d <= densePrincipal || 3*k > s.d {
		return baseline.Fit(ctx, baseline.PCA{Workers: workers}, s.x, nil, p)
	}
	v, y, rng := mat.NewDense(s.d, k, nil), mat.NewDense(s.n, k, nil), rand.New(rand.NewPCG(1, 1))
	for i := range s.d {
		for j := range v.RawRowView(i) {
			v.Set(i, j, float64(rng.Float64())-0.5)
		}
	}
	xt, yt := matrix.New[float64](k, s.d, nil), viewOf(y)
	times := func(dst, v *mat.Dense) {
		_, k := v.Dims()
		y := yt.ColRange(0, k)
		matrix.Mul(asm.Best(), y, viewOf(s.x), viewOf(v), false)
		t := xt.RowRange(0, k)
		matrix.TransMul(asm.Best(), t, y, viewOf(s.x), false)
		matrix.Transpose(viewOf(dst), t)
	}
	if _, err := subspace.Leading(ctx, times, nil, v, p, &subspace.Settings{Tolerance: tolerance}); err != nil {
		return nil, err
	}
	out := mat.DenseCopyOf(v.Slice(0, s.d, 0, p))
	_, err := stiefel.New(s.d, p).Orthonormalize(out, out)
	return out, err
}

func largestElement(m mat.Matrix) float64 {
	var hi float64
	r, _ := m.Dims()
	rows := rowsOf(m)
	for i := range r {
		for _, v := range rows(i) {
			hi = max(hi, math.Abs(v))
		}
	}
	return hi
}

// rowsOf returns the function that returns a row of m, not to be changed, and valid
// until the next call: memory of m where it has rows, or a copy.
func rowsOf(m mat.Matrix) func(i int) []float64 {
	if v, ok := m.(*mat.Dense); ok {
		return v.RawRowView
	}
	_, c := m.Dims()
	row := make([]float64, c)
	return func(i int) []float64 { return mat.Row(row, i, m) }
}

// powerOfTwo returns the power of two that brings x into [1/2, 1).
func powerOfTwo(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, -min(max(e, -1021), 1021))
}

// matrixOf returns m as a dist.Matrix of element type T: itself in float64, which is
// not to be changed then, or a copy.
func matrixOf[T dist.Float](m *mat.Dense) dist.Matrix[T] {
	raw := m.RawMatrix()
	out := dist.Matrix[T]{Rows: raw.Rows, Cols: raw.Cols, Stride: raw.Stride}
	if same, ok := any(raw.Data).([]T); ok {
		out.Data = same
		return out
	}
	out = dist.NewMatrix[T](raw.Rows, raw.Cols, nil)
	for i := range raw.Rows {
		row := out.Row(i)
		for j, v := range m.RawRowView(i) {
			row[j] = T(v)
		}
	}
	return out
}

// class returns the rows of class c of m, whose rows are arranged as s.x.
func class[T dist.Float](s *samples, m dist.Matrix[T], c int) dist.Matrix[T] {
	return m.RowRange(s.offset[c], s.offset[c+1])
}

// frequencies returns π_c = n_c / n.
func (s *samples) frequencies() []float64 {
	pi := make([]float64, len(s.classes))
	for c := range pi {
		pi[c] = float64(s.offset[c+1]-s.offset[c]) / float64(s.n)
	}
	return pi
}
