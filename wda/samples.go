package wda

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/algebra"
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
	// counts are the rows of every class of which these samples are a part; nil if they
	// are all.
	counts []int
}

// separable reports whether n rows of d features in general position can be told apart by a linear
// function whatever their labels are: J then has maxima that say nothing of other rows.
func separable(n, d int) bool { return n <= d+1 }

// classes are the labels of samples, ascending, and where each would begin if samples
// were sorted by them.
type classes struct {
	labels []int
	offset []int
	index  map[int]int
}

// classesOf returns the classes of labels, at least two of at least two samples.
func classesOf(labels []int) (*classes, error) {
	k := &classes{index: map[int]int{}}
	for _, l := range labels {
		if _, ok := k.index[l]; !ok {
			k.index[l] = 0
			k.labels = append(k.labels, l)
		}
	}
	if len(k.labels) < 2 {
		return nil, fmt.Errorf("%w: all samples are of one class (label %d)", ErrLabels, labels[0])
	}
	slices.Sort(k.labels)
	for c, l := range k.labels {
		k.index[l] = c
	}
	k.offset = make([]int, len(k.labels)+1)
	for _, l := range labels {
		k.offset[k.index[l]+1]++
	}
	for c, count := range k.offset[1:] {
		if count == 1 {
			return nil, fmt.Errorf("%w: a class has only one sample: row %d alone has label %d", ErrLabels, slices.Index(labels, k.labels[c]), k.labels[c])
		}
	}
	for c := range k.labels {
		k.offset[c+1] += k.offset[c]
	}
	return k, nil
}

// newSamples arranges x and labels, which checkSamples has found good. The order within a class is that of
// the input.
func newSamples(ctx context.Context, x mat.Matrix, labels []int) (*samples, error) {
	n, d := x.Dims()
	k, err := classesOf(labels)
	if err != nil {
		return nil, err
	}
	s := &samples{n: n, d: d, classes: k.labels, offset: k.offset}
	// The mean is taken of scaled values, so that data near the ends of the range do
	// not overflow, and relative to the first row, so that what is constant comes
	// out as 0 exactly.
	largest := largestElement(ctx, x)
	if largest == 0 {
		return nil, ended(ctx, fmt.Errorf("%w: every value is 0", ErrNoSpread))
	}
	pre := powerOfTwo(largest)
	s.mean = make([]float64, d)
	first := make([]float64, d)
	rows := rowsOf(x)
	for j, v := range rows(0) {
		first[j] = v * pre
	}
	rowByRow(ctx, 0, n, d, func(i int) {
		for j, v := range rows(i) {
			s.mean[j] += float64(v*pre) - first[j]
		}
	})
	for j := range s.mean {
		s.mean[j] = first[j] + s.mean[j]/float64(n)
	}
	if ctx.Err() != nil { // memory for a copy of the samples takes tens of milliseconds
		return nil, context.Cause(ctx)
	}
	s.x = mat.NewDense(n, d, nil)
	next := slices.Clone(s.offset)
	rowByRow(ctx, 0, n, d, func(i int) {
		c := k.index[labels[i]]
		row := s.x.RawRowView(next[c])
		next[c]++
		for j, v := range rows(i) {
			row[j] = float64(v*pre) - s.mean[j]
		}
	})
	spread := largestElement(ctx, s.x)
	if spread == 0 {
		return nil, ended(ctx, fmt.Errorf("%w: all rows are equal", ErrNoSpread))
	}
	post := powerOfTwo(spread)
	rowByRow(ctx, 0, n, d, func(i int) { algebra.Scale(s.x.RawRowView(i), post) })
	for j := range s.mean {
		s.mean[j] /= pre
	}
	s.pre, s.post, s.scale = pre, post, pre*post
	return s, ended(ctx, nil)
}

// standardize divides every feature by its standard deviation, unless that is 0.
func (s *samples) standardize(ctx context.Context) {
	s.feature, s.scale = make([]float64, s.d), 1
	rowByRow(ctx, 0, s.n, s.d, func(i int) {
		for j, v := range s.x.RawRowView(i) {
			s.feature[j] += float64(v * v)
		}
	})
	for j, square := range s.feature {
		s.feature[j] = 1
		if square > 0 {
			s.feature[j] = 1 / math.Sqrt(square/float64(s.n))
		}
	}
	multiplyColumns(ctx, s.x, s.feature)
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
func (s *samples) arranged(ctx context.Context, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	out, rows := mat.NewDense(n, d, nil), rowsOf(x)
	rowByRow(ctx, 0, n, d, func(i int) {
		s.arrange(out.RawRowView(i), rows(i))
	})
	return out
}

// arrange sets dst to another row, which it may be, in the units of s.x.
func (s *samples) arrange(dst, row []float64) {
	for j, v := range row {
		dst[j] = (float64(v*s.pre) - float64(s.mean[j]*s.pre)) * s.post
		if s.feature != nil {
			dst[j] *= s.feature[j]
		}
	}
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
	return principalOf(ctx, s, dense.View(s.x), p, tolerance, workers)
}

// principalOf is principal with products of type T: x is s.x.
func principalOf[T dist.Float](ctx context.Context, s *samples, x dist.Matrix[T], p int, tolerance float64, workers int) (*mat.Dense, error) {
	d := s.d
	k := min(p+extraPrincipal, d)
	if d <= densePrincipal || 3*k > d {
		return baseline.Fit(ctx, s.x, nil, p, baseline.PCA{Workers: workers})
	}
	v, rng := mat.NewDense(d, k, nil), rand.New(rand.NewPCG(1, 1))
	for i := range d {
		for j := range v.RawRowView(i) {
			v.Set(i, j, float64(rng.Float64())-0.5)
		}
	}
	vt, yt, xt := dist.NewMatrix[T](d, k, nil), dist.NewMatrix[T](x.Rows, k, nil), dist.NewMatrix[T](k, d, nil)
	times := func(dst, v *mat.Dense) {
		_, k := v.Dims()
		narrow, y, t := vt.ColRange(0, k), yt.ColRange(0, k), xt.RowRange(0, k)
		for i := range d {
			row := narrow.Row(i)
			for j, v := range v.RawRowView(i) {
				row[j] = T(v)
			}
		}
		product(ctx, workers, y, x, narrow)
		transProduct(ctx, workers, t, y, x)
		for i := range d {
			row := dst.RawRowView(i)
			for j := range row {
				row[j] = float64(t.At(j, i))
			}
		}
	}
	if _, err := subspace.Leading(ctx, times, nil, v, p, &subspace.Settings{Tolerance: tolerance}); err != nil {
		return nil, err
	}
	out := mat.DenseCopyOf(v.Slice(0, d, 0, p))
	_, err := stiefel.New(d, p).Orthonormalize(ctx, out, out)
	return out, err
}

func largestElement(ctx context.Context, m mat.Matrix) float64 {
	var hi float64
	r, d := m.Dims()
	rows := rowsOf(m)
	rowByRow(ctx, 0, r, d, func(i int) {
		for _, v := range rows(i) {
			hi = max(hi, math.Abs(v))
		}
	})
	return hi
}

// powerOfTwo returns the power of two that brings x into [1/2, 1).
func powerOfTwo(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, -min(max(e, -1021), 1021))
}

// matrixOf returns m as a dist.Matrix of element type T: itself in float64, which is
// not to be changed then, or a copy.
func matrixOf[T dist.Float](ctx context.Context, m *mat.Dense) dist.Matrix[T] {
	raw := m.RawMatrix()
	out := dist.Matrix[T]{Rows: raw.Rows, Cols: raw.Cols, Stride: raw.Stride}
	if same, ok := any(raw.Data).([]T); ok {
		out.Data = same
		return out
	}
	out = dist.NewMatrix[T](raw.Rows, raw.Cols, nil)
	rowByRow(ctx, 0, raw.Rows, raw.Cols, func(i int) {
		row := out.Row(i)
		for j, v := range m.RawRowView(i) {
			row[j] = T(v)
		}
	})
	return out
}

// class returns the rows of class c of m, whose rows are arranged as s.x.
func class[T dist.Float](s *samples, m dist.Matrix[T], c int) dist.Matrix[T] {
	return m.RowRange(s.offset[c], s.offset[c+1])
}

// frequencies returns π_c = n_c / n.
func (s *samples) frequencies() []float64 {
	pi, n := make([]float64, len(s.classes)), 0
	for c := range pi {
		n += s.count(c)
	}
	for c := range pi {
		pi[c] = float64(s.count(c)) / float64(n)
	}
	return pi
}

// count returns the number of samples of class c, or of the rows that they are of.
func (s *samples) count(c int) int {
	if s.counts != nil {
		return s.counts[c]
	}
	return s.size(c)
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
func (s *samples) meanSquaredDistances(ctx context.Context, p *mat.Dense, workers int) func(c, e int) float64 {
	_, k := p.Dims()
	y := s.projected(ctx, p, workers)
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
func (s *samples) projected(ctx context.Context, p *mat.Dense, workers int) *mat.Dense {
	_, k := p.Dims()
	y := mat.NewDense(s.n, k, nil)
	product(ctx, workers, dense.View(y), dense.View(s.x), dense.View(p))
	return y
}

// product sets dst = a·b, a piece of the rows at a time.
func product[T dist.Float](ctx context.Context, workers int, dst, a, b dist.Matrix[T]) error {
	return parallel.ForContext(ctx, workerCount(workers), a.Rows, productPiece(b.Rows*b.Cols), func(i, j int) {
		matrix.Mul(dst.RowRange(i, j), a.RowRange(i, j), b, false)
	})
}

// transProduct sets dst = aᵀ·b, a piece of the columns of b at a time.
func transProduct[T dist.Float](ctx context.Context, workers int, dst, a, b dist.Matrix[T]) error {
	return parallel.ForContext(ctx, workerCount(workers), b.Cols, productColumns(a.Rows*a.Cols), func(i, j int) {
		matrix.TransMul(dst.ColRange(i, j), a, b.ColRange(i, j), false)
	})
}

// productPiece is how many rows, of so many multiplications each, are multiplied from one
// look at the context to the next: 64, or where these would take milliseconds less, but
// whole vectors.
func productPiece(each int) int { return min(64, max(8, 1<<25/max(1, each)&^7)) }

// productColumns is productPiece of columns of Xᵀ·G: three times as many, eight tiles of
// the widest kernel and long runs of the rows of X, which come from far (1000 × 784,
// p = 10: .68 ms for .83 with 64 columns, in float32 .26 for .36, before TransMul had chains
// of 32 rows; with them .47, all 784 at once .41).
func productColumns(each int) int { return 3 * productPiece(each) }

// coordinates returns the samples whose first coordinates are x, and 0 the others of d.
func (s *samples) coordinates(ctx context.Context, x matrix.Matrix[float64], d int) *samples {
	t := *s
	t.d, t.mean, t.x = d, make([]float64, d), mat.NewDense(s.n, d, nil)
	rowByRow(ctx, 0, s.n, d, func(i int) { copy(t.x.RawRowView(i), x.Row(i)) })
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
func (s *samples) only(ctx context.Context, classes []int) *samples {
	if len(classes) == len(s.classes) {
		return s
	}
	t := *s
	t.offset, t.classes, t.counts = []int{0}, nil, nil
	var rows []int
	for _, c := range classes {
		t.classes = append(t.classes, s.classes[c])
		for i := s.offset[c]; i < s.offset[c+1]; i++ {
			rows = append(rows, i)
		}
		t.offset = append(t.offset, len(rows))
	}
	t.rows(ctx, s, rows)
	return &t
}

// rows makes the samples of t those rows of s.
func (t *samples) rows(ctx context.Context, s *samples, rows []int) {
	t.n = len(rows)
	t.x = mat.NewDense(t.n, s.d, nil)
	rowByRow(ctx, 0, t.n, s.d, func(i int) { copy(t.x.RawRowView(i), s.x.RawRowView(rows[i])) })
}

// thinned returns s with about max samples at most: of every class the same share,
// evenly spaced, but at least two.
func (s *samples) thinned(ctx context.Context, limit int) *samples {
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
	t.rows(ctx, s, rows)
	return &t
}

// classVariance returns the total variance of class c.
func (s *samples) classVariance(ctx context.Context, c int) float64 {
	lo, hi := s.offset[c], s.offset[c+1]
	mean := make([]float64, s.d)
	rowByRow(ctx, lo, hi, s.d, func(i int) {
		for j, v := range s.x.RawRowView(i) {
			mean[j] += v
		}
	})
	var sum float64
	rowByRow(ctx, lo, hi, s.d, func(i int) {
		for j, v := range s.x.RawRowView(i) {
			d := v - mean[j]/float64(hi-lo)
			sum += float64(d * d)
		}
	})
	return sum / float64(hi-lo)
}

// spreads returns the root mean square of every centred feature.
func (s *samples) spreads(ctx context.Context) []float64 {
	squares := make([]float64, s.d)
	rowByRow(ctx, 0, s.n, s.d, func(i int) {
		for j, x := range s.x.RawRowView(i) {
			squares[j] += float64(x * x)
		}
	})
	v := make([]float64, s.d)
	if ctx.Err() != nil {
		return v // squares are not what they seem
	}
	for j, square := range squares {
		if v[j] = math.Sqrt(square); square < 0x1p-900 {
			// Squares may underflow; of the order of 1 as samples are, none overflows.
			const up = 0x1p600
			sum := 0.
			rowByRow(ctx, 0, s.n, 1, func(i int) {
				x := s.x.At(i, j) * up // exact
				sum += float64(x * x)
			})
			v[j] = math.Sqrt(sum) / up
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
func (s *samples) scaledWithin(ctx context.Context) (*samples, []float64) {
	total, within := make([]float64, s.d), make([]float64, s.d)
	residuals := s.residuals(ctx)
	rowByRow(ctx, 0, s.n, s.d, func(i int) {
		for j, v := range s.x.RawRowView(i) {
			total[j] += float64(v * v)
		}
		for j, v := range residuals.Row(i) {
			within[j] += float64(v * v)
		}
	})
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
	multiplyColumns(ctx, t.x, within)
	return &t, within
}

// multiplyColumns multiplies column j of x by f_j.
func multiplyColumns(ctx context.Context, x *mat.Dense, f []float64) {
	rowByRow(ctx, 0, x.RawMatrix().Rows, len(f), func(i int) {
		row := x.RawRowView(i)
		for j, v := range f {
			row[j] *= v
		}
	})
}

// residuals returns the samples less the means of their classes.
func (s *samples) residuals(ctx context.Context) matrix.Matrix[float64] {
	r := matrix.New[float64](s.n, s.d, nil)
	mean := make([]float64, s.d)
	for c := range s.classes {
		s.classMean(ctx, mean, c)
		rowByRow(ctx, s.offset[c], s.offset[c+1], s.d, func(i int) {
			row := r.Row(i)
			for j, v := range s.x.RawRowView(i) {
				row[j] = v - mean[j]
			}
		})
	}
	return r
}

// classMean sets mean to that of class c.
func (s *samples) classMean(ctx context.Context, mean []float64, c int) {
	clear(mean)
	rowByRow(ctx, s.offset[c], s.offset[c+1], s.d, func(i int) {
		for j, v := range s.x.RawRowView(i) {
			mean[j] += v
		}
	})
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
func (s *samples) rowsCentered(ctx context.Context, rows, others []int) (*samples, *mat.Dense) {
	t := *s
	t.classes, t.offset, t.counts = nil, []int{0}, nil
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
	t.rows(ctx, s, rows)
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

// between returns B (C × d), BᵀB being the covariance between classes, s.mean being 0 up
// to rounding.
func (s *samples) between(ctx context.Context) matrix.Matrix[float64] {
	b := matrix.New[float64](len(s.classes), s.d, nil)
	for c := range s.classes {
		s.classMean(ctx, b.Row(c), c)
		algebra.Scale(b.Row(c), math.Sqrt(float64(s.size(c))/float64(s.n)))
	}
	return b
}

// fisher returns the leading directions in which the means of the classes differ, C − 1
// at most, and for the other columns those of p, orthonormal together. In whitened
// features these are the directions of discriminant analysis. It is p where there are no
// directions, or the context ends.
func (s *samples) fisher(ctx context.Context, p *mat.Dense) *mat.Dense {
	_, k := p.Dims()
	classes := len(s.classes)
	b := s.between(ctx)
	bt, gram := matrix.New[float64](s.d, classes, nil), matrix.New[float64](classes, classes, nil)
	matrix.Transpose(bt, b)
	product(ctx, 1, gram, b, bt)
	values, v, ok := algebra.Jacobi(ctx, gram)
	if !ok {
		return p
	}
	directions := matrix.New[float64](s.d, classes, nil)
	product(ctx, 1, directions, bt, v)
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
	if _, err := stiefel.New(s.d, k).Orthonormalize(ctx, out, out); err != nil {
		return p
	}
	return out
}
