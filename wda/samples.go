package wda

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/parallel"
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

// newSamples arranges x and labels, which checkSamples has found good. The order within a class is that of
// the input.
func newSamples(x mat.Matrix, labels []int) (*samples, error) {
	n, d := x.Dims()
	s := &samples{n: n, d: d, classes: slices.Compact(slices.Sorted(slices.Values(labels)))}
	if len(s.classes) < 2 {
		return nil, fmt.Errorf("%w: all samples are of one class (label %d)", ErrLabels, labels[0])
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
			return nil, fmt.Errorf("%w: a class has only one sample: row %d alone has label %d", ErrLabels, slices.Index(labels, s.classes[c]), s.classes[c])
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
	xt, yt := matrix.New[float64](k, s.d, nil), dense.View(y)
	times := func(dst, v *mat.Dense) {
		_, k := v.Dims()
		y := yt.ColRange(0, k)
		matrix.Mul(asm.Best(), y, dense.View(s.x), dense.View(v), false)
		t := xt.RowRange(0, k)
		matrix.TransMul(asm.Best(), t, y, dense.View(s.x), false)
		matrix.Transpose(dense.View(dst), t)
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

// largestPair returns the number of elements of the largest K.
func (s *samples) largestPair() int {
	largest := 0
	for c := range s.classes {
		largest = max(largest, s.size(c))
	}
	return largest * largest
}

// meanSquaredDistances returns the function mean_ij ‖P⁰ᵀ(x_i − z_j)‖² of two
// classes. It follows from the means μ and total variances τ of the projected
// classes: τ_c + τ_e + ‖μ_c − μ_e‖².
func (s *samples) meanSquaredDistances(p *mat.Dense, workers int) func(c, e int) float64 {
	_, k := p.Dims()
	y := s.projected(p, workers)
	mu := mat.NewDense(len(s.classes), k, nil)
	tau := make([]float64, len(s.classes))
	for c := range s.classes {
		m := mu.RawRowView(c)
		count := float64(s.offset[c+1] - s.offset[c])
		for i := s.offset[c]; i < s.offset[c+1]; i++ {
			for l, v := range y.RawRowView(i) {
				m[l] += v
			}
		}
		for l := range m {
			m[l] /= count
		}
		for i := s.offset[c]; i < s.offset[c+1]; i++ {
			for l, v := range y.RawRowView(i) {
				dv := v - m[l]
				tau[c] += float64(dv * dv)
			}
		}
		tau[c] /= count
	}
	return func(c, e int) float64 {
		sum := tau[c] + tau[e]
		for l, v := range mu.RawRowView(c) {
			dv := v - mu.At(e, l)
			sum += float64(dv * dv)
		}
		return sum
	}
}

// projected returns X·p.
func (s *samples) projected(p *mat.Dense, workers int) *mat.Dense {
	_, k := p.Dims()
	y := mat.NewDense(s.n, k, nil)
	x, b, out := dense.View(s.x), dense.View(p), dense.View(y)
	parallel.For(workers, s.n, 64, func(i, j int) {
		matrix.Mul(asm.Best(), out.RowRange(i, j), x.RowRange(i, j), b, false)
	})
	return y
}

// coordinates returns the samples whose first coordinates are x, and 0 the others of d.
func (s *samples) coordinates(x matrix.Matrix[float64], d int) *samples {
	t := *s
	t.d, t.mean, t.x = d, make([]float64, d), mat.NewDense(s.n, d, nil)
	for i := range s.n {
		copy(t.x.RawRowView(i), x.Row(i))
	}
	return &t
}

// spaced returns at most limit of the numbers 0 … n−1, evenly spaced.
func spaced(n, limit int) []int {
	k := min(n, limit)
	at := make([]int, k)
	for i := range at {
		at[i] = i * n / k
	}
	return at
}

// only returns the samples of some classes.
func (s *samples) only(classes []int) *samples {
	if len(classes) == len(s.classes) {
		return s
	}
	t := *s
	t.offset, t.classes = []int{0}, nil
	var rows []int
	for _, c := range classes {
		t.classes = append(t.classes, s.classes[c])
		for i := s.offset[c]; i < s.offset[c+1]; i++ {
			rows = append(rows, i)
		}
		t.offset = append(t.offset, len(rows))
	}
	t.rows(s, rows)
	return &t
}

// rows makes the samples of t those rows of s.
func (t *samples) rows(s *samples, rows []int) {
	t.n = len(rows)
	t.x = mat.NewDense(t.n, s.d, nil)
	for i, r := range rows {
		copy(t.x.RawRowView(i), s.x.RawRowView(r))
	}
}

// thinned returns s with about max samples at most: of every class the same share,
// evenly spaced, but at least two.
func (s *samples) thinned(limit int) *samples {
	if s.n <= limit {
		return s
	}
	t := *s
	t.offset = []int{0}
	var rows []int
	for c := range s.classes {
		count := s.offset[c+1] - s.offset[c]
		keep := max(2, count*limit/s.n)
		for k := range keep {
			rows = append(rows, s.offset[c]+k*count/keep)
		}
		t.offset = append(t.offset, len(rows))
	}
	t.rows(s, rows)
	return &t
}

// classVariance returns the total variance of class c.
func (s *samples) classVariance(c int) float64 {
	lo, hi := s.offset[c], s.offset[c+1]
	mean := make([]float64, s.d)
	for i := lo; i < hi; i++ {
		for j, v := range s.x.RawRowView(i) {
			mean[j] += v
		}
	}
	var sum float64
	for i := lo; i < hi; i++ {
		for j, v := range s.x.RawRowView(i) {
			d := v - mean[j]/float64(hi-lo)
			sum += float64(d * d)
		}
	}
	return sum / float64(hi-lo)
}

// spreads returns the root mean square of every centred feature.
func (s *samples) spreads() []float64 {
	squares := make([]float64, s.d)
	for i := range s.n {
		for j, x := range s.x.RawRowView(i) {
			squares[j] += float64(x * x)
		}
	}
	v := make([]float64, s.d)
	for j, square := range squares {
		if v[j] = math.Sqrt(square); square < 0x1p-900 {
			// Squares may underflow; of the order of 1 as samples are, none overflows.
			v[j] = 0
			for i := range s.n {
				v[j] = math.Hypot(v[j], s.x.At(i, j)) // for a warning alone
			}
		}
		v[j] /= math.Sqrt(float64(s.n))
	}
	return v
}

// size returns the number of samples of class c.
func (s *samples) size(c int) int { return s.offset[c+1] - s.offset[c] }

// coincides reports whether all samples of class c are equal.
func (s *samples) coincides(c int) bool {
	first := s.x.RawRowView(s.offset[c])
	for i := s.offset[c] + 1; i < s.offset[c+1]; i++ {
		if !slices.Equal(first, s.x.RawRowView(i)) {
			return false
		}
	}
	return true
}

// scaledWithin returns the samples with every feature divided by its standard deviation
// within classes, and what they were multiplied by.
func (s *samples) scaledWithin() (*samples, []float64) {
	total, within := make([]float64, s.d), make([]float64, s.d)
	residuals := s.residuals()
	for i := range s.n {
		for j, v := range s.x.RawRowView(i) {
			total[j] += float64(v * v)
		}
		for j, v := range residuals.Row(i) {
			within[j] += float64(v * v)
		}
	}
	var top float64
	for _, v := range total {
		top = max(top, v)
	}
	t := *s
	t.feature, t.scale = make([]float64, s.d), 1
	for j := range t.feature {
		f := 1.
		if total[j] > leastSpread*top {
			f = 1 / math.Sqrt(max(within[j], leastWithin*total[j])/float64(s.n))
		}
		within[j] = f
		if s.feature != nil {
			f *= s.feature[j]
		}
		t.feature[j] = f
	}
	t.x = mat.DenseCopyOf(s.x)
	multiplyColumns(t.x, within)
	return &t, within
}

// multiplyColumns multiplies column j of x by f_j.
func multiplyColumns(x *mat.Dense, f []float64) {
	for i := range x.RawMatrix().Rows {
		row := x.RawRowView(i)
		for j, v := range f {
			row[j] *= v
		}
	}
}

// residuals returns the samples less the means of their classes.
func (s *samples) residuals() matrix.Matrix[float64] {
	r := matrix.New[float64](s.n, s.d, nil)
	mean := make([]float64, s.d)
	for c := range s.classes {
		s.classMean(mean, c)
		for i := s.offset[c]; i < s.offset[c+1]; i++ {
			row := r.Row(i)
			for j, v := range s.x.RawRowView(i) {
				row[j] = v - mean[j]
			}
		}
	}
	return r
}

// classMean sets mean to that of class c.
func (s *samples) classMean(mean []float64, c int) {
	clear(mean)
	for i := s.offset[c]; i < s.offset[c+1]; i++ {
		for j, v := range s.x.RawRowView(i) {
			mean[j] += v
		}
	}
	for j := range mean {
		mean[j] /= float64(s.size(c))
	}
}

// labelsOf returns the labels of rows.
func (s *samples) labelsOf(rows []int) []int {
	out := make([]int, len(rows))
	for i, r := range rows {
		c, found := slices.BinarySearch(s.offset, r)
		if !found {
			c--
		}
		out[i] = s.classes[c]
	}
	return out
}

// rowsCentered returns the samples that are some rows of s, about their own mean, and
// other rows about that mean.
func (s *samples) rowsCentered(rows, others []int) (*samples, *mat.Dense) {
	t := *s
	t.classes, t.offset = nil, []int{0}
	for c := range s.classes {
		n := 0
		for _, r := range rows {
			if s.offset[c] <= r && r < s.offset[c+1] {
				n++
			}
		}
		if n > 0 {
			t.classes = append(t.classes, s.classes[c])
			t.offset = append(t.offset, t.offset[len(t.offset)-1]+n)
		}
	}
	t.rows(s, rows)
	mean := make([]float64, s.d)
	for i := range t.n {
		for j, v := range t.x.RawRowView(i) {
			mean[j] += v
		}
	}
	for j := range mean {
		mean[j] /= float64(t.n)
	}
	held := mat.NewDense(len(others), s.d, nil)
	for i, r := range others {
		copy(held.RawRowView(i), s.x.RawRowView(r))
	}
	for _, m := range []*mat.Dense{t.x, held} {
		n, _ := m.Dims()
		for i := range n {
			for j, v := range mean {
				m.RawRowView(i)[j] -= v
			}
		}
	}
	return &t, held
}

// fisher returns the leading directions in which the means of the classes differ, C − 1
// at most, and for the other columns those of p, orthonormal together. In whitened
// features these are the directions of discriminant analysis.
func (s *samples) fisher(p *mat.Dense) *mat.Dense {
	_, k := p.Dims()
	classes := len(s.classes)
	// B·Bᵀ is the covariance between classes, s.mean being 0 up to rounding.
	b := matrix.New[float64](classes, s.d, nil)
	for c := range classes {
		s.classMean(b.Row(c), c)
		w := math.Sqrt(float64(s.size(c)) / float64(s.n))
		for j := range b.Row(c) {
			b.Row(c)[j] *= w
		}
	}
	bt, gram := matrix.New[float64](s.d, classes, nil), matrix.New[float64](classes, classes, nil)
	matrix.Transpose(bt, b)
	matrix.Mul(asm.Best(), gram, b, bt, false)
	values, v, ok := algebra.Jacobi(gram)
	if !ok {
		return p
	}
	directions := matrix.New[float64](s.d, classes, nil)
	matrix.Mul(asm.Best(), directions, bt, v, false)
	out := mat.NewDense(s.d, k, nil)
	n := 0
	for n < min(k, classes-1) && values[n] > 1e-12*values[0] {
		for i := range s.d {
			out.Set(i, n, directions.At(i, n))
		}
		n++
	}
	for j := n; j < k; j++ {
		for i := range s.d {
			out.Set(i, j, p.At(i, j-n))
		}
	}
	if _, err := stiefel.New(s.d, k).Orthonormalize(out, out); err != nil {
		return p
	}
	return out
}
