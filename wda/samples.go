package wda

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/matrix"
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
	// own are pre and post of the features, by their number, that have powers of two of their
	// own, being tiny beside the others.
	own map[int][2]float64
	// counts are the rows of every class of which these samples are a part; nil if they
	// are all.
	counts []int
	// origin has the index of every class in the samples of the fit; nil if these are
	// samples of all classes.
	origin []int
}

// original returns the index of class c in the samples of the fit.
func (s *samples) original(c int) int {
	if s.origin != nil {
		return s.origin[c]
	}
	return c
}

// separable reports whether n rows of d features in general position can be told apart by a linear
// function whatever their labels are: J then has maxima that say nothing of other rows.
func separable(n, d int) bool { return n <= d+1 }

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

// tinySquare is a sum of squares of scaled values below which a feature is scaled by itself before
// it is standardized: its values may have lost digits, and their squares may underflow.
const tinySquare = 0x1p-900

// standardize divides every feature by its standard deviation, unless that is 0. x and labels are
// those that the samples were made of.
func (s *samples) standardize(ctx context.Context, x mat.Matrix, labels []int) error {
	s.feature, s.scale = make([]float64, s.d), 1
	rowByRow(ctx, 0, s.n, s.d, func(i int) {
		for j, v := range s.x.RawRowView(i) {
			s.feature[j] += float64(v * v)
		}
	})
	for j, square := range s.feature {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if square < tinySquare {
			if square = s.rescale(ctx, x, labels, j); ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		s.feature[j] = 1
		if square > 0 {
			s.feature[j] = 1 / math.Sqrt(square/float64(s.n))
		}
		if pre, post := s.powers(j); isNotFinite(float64(s.feature[j] * (pre * post))) {
			return fmt.Errorf("%w: the inverse of the standard deviation of feature %d, counted from 0; multiply this feature by a power of two first", ErrNotFinite, j)
		}
	}
	multiplyColumns(ctx, s.x, s.feature)
	return ended(ctx, nil)
}

// rescale scales feature j of s.x by powers of two of its own, and returns its sum of squares. If
// the feature is constant nothing changes.
func (s *samples) rescale(ctx context.Context, x mat.Matrix, labels []int, j int) float64 {
	column := make([]float64, s.n)
	var largest float64
	rowByRow(ctx, 0, s.n, 1, func(i int) {
		column[i] = x.At(i, j)
		largest = max(largest, math.Abs(column[i]))
	})
	pre, first, mean := powerOfTwo(largest), column[0], 0.
	for i, v := range column {
		if v == first {
			column[i] = 0
		} else {
			column[i] = float64(v*pre) - float64(first*pre)
		}
		mean += column[i]
	}
	mean /= float64(s.n)
	var spread float64
	for i := range column {
		column[i] -= mean
		spread = max(spread, math.Abs(column[i]))
	}
	if spread == 0 || ctx.Err() != nil {
		return 0
	}
	post := powerOfTwo(spread)
	index := make(map[int]int, len(s.classes))
	for c, l := range s.classes {
		index[l] = c
	}
	next, square := slices.Clone(s.offset), 0.
	for i, v := range column {
		c := index[labels[i]]
		v *= post
		s.x.Set(next[c], j, v)
		next[c]++
		square += float64(v * v)
	}
	if s.own == nil {
		s.own = make(map[int][2]float64)
	}
	s.own[j] = [2]float64{pre, post}
	s.mean[j] = (float64(first*pre) + mean) / pre
	return square
}

// powers returns the powers of two that feature j is multiplied by before and after its mean is
// subtracted.
func (s *samples) powers(j int) (pre, post float64) {
	if own, ok := s.own[j]; ok {
		return own[0], own[1]
	}
	return s.pre, s.post
}

// effective returns what the projection p of s.x is for input − mean, without the
// powers of two: diag(1/σ)·P for standardized features, otherwise P.
func (s *samples) effective(p *mat.Dense) *mat.Dense {
	e := mat.DenseCopyOf(p)
	for j, f := range s.feature {
		row := e.RawRowView(j)
		pre, post := s.powers(j)
		for l := range row {
			row[l] *= f * (pre * post)
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
		pre, post := s.pre, s.post
		if s.own != nil {
			pre, post = s.powers(j)
		}
		dst[j] = (float64(v*pre) - float64(s.mean[j]*pre)) * post
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

// reported returns a number of a report: the largest of float64 for what is larger.
func reported(x float64) float64 {
	if x > math.MaxFloat64 {
		return math.MaxFloat64
	}
	return x
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

// coordinates returns the samples whose first coordinates are x, and 0 the others of d.
func (s *samples) coordinates(ctx context.Context, x matrix.Matrix[float64], d int) *samples {
	t := *s
	t.d, t.mean, t.x = d, make([]float64, d), mat.NewDense(s.n, d, nil)
	rowByRow(ctx, 0, s.n, d, func(i int) { copy(t.x.RawRowView(i), x.Row(i)) })
	return &t
}

// only returns the samples of some classes.
func (s *samples) only(ctx context.Context, classes []int) *samples {
	if len(classes) == len(s.classes) {
		return s
	}
	t := *s
	t.offset, t.classes, t.counts, t.origin = []int{0}, nil, nil, nil
	var rows []int
	for _, c := range classes {
		t.classes, t.origin = append(t.classes, s.classes[c]), append(t.origin, s.original(c))
		if s.counts != nil {
			t.counts = append(t.counts, s.counts[c])
		}
		for i := s.offset[c]; i < s.offset[c+1]; i++ {
			rows = append(rows, i)
		}
		t.offset = append(t.offset, len(rows))
	}
	t.rows(ctx, s, rows)
	return &t
}

// fewer returns the samples of at most limit classes, evenly spaced.
func (s *samples) fewer(ctx context.Context, limit int) *samples {
	return s.only(ctx, spaced(len(s.classes), limit))
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

// rowsCentered returns the samples that are some rows of s, in ascending order, about their own mean, and
// other rows about that mean.
func (s *samples) rowsCentered(ctx context.Context, rows, others []int) (*samples, *mat.Dense) {
	t := *s
	t.classes, t.offset, t.counts, t.origin = nil, []int{0}, nil, nil
	for c, first := 0, 0; c < len(s.classes); c++ {
		last := first // rows are in ascending order
		for last < len(rows) && rows[last] < s.offset[c+1] {
			last++
		}
		if last > first {
			t.classes, t.origin = append(t.classes, s.classes[c]), append(t.origin, s.original(c))
			t.offset = append(t.offset, last)
		}
		first = last
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
