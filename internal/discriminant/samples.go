package discriminant

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/algebra"
	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/fault"
	"gonum.org/v1/gonum/mat"
)

// Samples are the data of a fit: rows sorted by class, centred, and scaled by a
// power of two, which is exact, so that neither float32 nor squares overflow.
type Samples struct {
	N, D    int
	Classes []int // label of each class, ascending
	Offset  []int // class c is rows offset[c] … offset[c+1]−1
	X       *mat.Dense
	Mean    []float64
	// x = (input·pre − mean·pre)·post·feature, in this order; scale = pre·post, or 1
	// once features are standardized, as lengths are then in units of their own.
	pre, post, Scale float64
	feature          []float64 // nil is 1
	// own are pre and post of the features, by their number, that have powers of two of their
	// own, being tiny beside the others.
	own map[int][2]float64
	// counts are the rows of every class of which these samples are a part; nil if they
	// are all.
	Counts []int
	// origin has the index of every class in the samples of the fit; nil if these are
	// samples of all classes.
	origin []int
}

// original returns the index of class c in the samples of the fit.
func (s *Samples) original(c int) int {
	if s.origin != nil {
		return s.origin[c]
	}
	return c
}

// Separable reports whether n rows of d features in general position can be told apart by a linear
// function whatever their labels are: J then has maxima that say nothing of other rows.
func Separable(n, d int) bool { return n <= d+1 }

// NewSamples arranges x and labels, which checkSamples has found good. The order within a class is that of
// the input.
func NewSamples(ctx context.Context, x mat.Matrix, labels []int) (*Samples, error) {
	n, d := x.Dims()
	k, err := ClassesOf(labels)
	if err != nil {
		return nil, err
	}
	s := &Samples{N: n, D: d, Classes: k.Labels, Offset: k.Offset}
	// The mean is taken of scaled values, so that data near the ends of the range do
	// not overflow, and relative to the first row, so that what is constant comes
	// out as 0 exactly.
	largest := dense.MaxAbs(ctx, x)
	if largest == 0 {
		return nil, fault.Ended(ctx, fmt.Errorf("%w: every value is 0", ErrNoSpread))
	}
	pre := powerOfTwo(largest)
	s.Mean = make([]float64, d)
	first := make([]float64, d)
	rows := dense.Rows(x)
	for j, v := range rows(0) {
		first[j] = v * pre
	}
	dense.EachRow(ctx, 0, n, d, func(i int) {
		for j, v := range rows(i) {
			s.Mean[j] += float64(v*pre) - first[j]
		}
	})
	for j := range s.Mean {
		s.Mean[j] = first[j] + s.Mean[j]/float64(n)
	}
	if ctx.Err() != nil { // memory for a copy of the samples takes tens of milliseconds
		return nil, context.Cause(ctx)
	}
	s.X = mat.NewDense(n, d, nil)
	next := slices.Clone(s.Offset)
	dense.EachRow(ctx, 0, n, d, func(i int) {
		c := k.Index[labels[i]]
		row := s.X.RawRowView(next[c])
		next[c]++
		for j, v := range rows(i) {
			row[j] = float64(v*pre) - s.Mean[j]
		}
	})
	spread := dense.MaxAbs(ctx, s.X)
	if spread == 0 {
		return nil, fault.Ended(ctx, fmt.Errorf("%w: all rows are equal", ErrNoSpread))
	}
	post := powerOfTwo(spread)
	dense.EachRow(ctx, 0, n, d, func(i int) { algebra.Scale(s.X.RawRowView(i), post) })
	for j := range s.Mean {
		s.Mean[j] /= pre
	}
	s.pre, s.post, s.Scale = pre, post, pre*post
	return s, fault.Ended(ctx, nil)
}

// Classes are the labels of samples, ascending, and where each would begin if samples
// were sorted by them.
type Classes struct {
	Labels []int
	Offset []int
	Index  map[int]int
}

// ClassesOf returns the classes of labels, at least two of at least two samples.
func ClassesOf(labels []int) (*Classes, error) {
	k := &Classes{Index: map[int]int{}}
	for _, l := range labels {
		if _, ok := k.Index[l]; !ok {
			k.Index[l] = 0
			k.Labels = append(k.Labels, l)
		}
	}
	if len(k.Labels) < 2 {
		return nil, fmt.Errorf("%w: all samples have the label %d; at least two classes are needed", fault.ErrLabels, labels[0])
	}
	slices.Sort(k.Labels)
	for c, l := range k.Labels {
		k.Index[l] = c
	}
	k.Offset = make([]int, len(k.Labels)+1)
	for _, l := range labels {
		k.Offset[k.Index[l]+1]++
	}
	for c, count := range k.Offset[1:] {
		if count == 1 {
			return nil, fmt.Errorf("%w: a class has only one sample: row %d alone has label %d", fault.ErrLabels, slices.Index(labels, k.Labels[c]), k.Labels[c])
		}
	}
	for c := range k.Labels {
		k.Offset[c+1] += k.Offset[c]
	}
	return k, nil
}

// powers returns the powers of two that feature j is multiplied by before and after its mean is
// subtracted.
func (s *Samples) powers(j int) (pre, post float64) {
	if own, ok := s.own[j]; ok {
		return own[0], own[1]
	}
	return s.pre, s.post
}

// Effective returns what the projection p of s.x is for input − mean, without the
// powers of two: diag(1/σ)·P for standardized features, otherwise P.
func (s *Samples) Effective(p *mat.Dense) *mat.Dense {
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

// Arranged returns other rows in the units of s.x.
func (s *Samples) Arranged(ctx context.Context, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	out, rows := mat.NewDense(n, d, nil), dense.Rows(x)
	dense.EachRow(ctx, 0, n, d, func(i int) {
		s.Arrange(out.RawRowView(i), rows(i))
	})
	return out
}

// Arrange sets dst to another row, which it may be, in the units of s.x.
func (s *Samples) Arrange(dst, row []float64) {
	for j, v := range row {
		pre, post := s.pre, s.post
		if s.own != nil {
			pre, post = s.powers(j)
		}
		dst[j] = (float64(v*pre) - float64(s.Mean[j]*pre)) * post
		if s.feature != nil {
			dst[j] *= s.feature[j]
		}
	}
}

// Units returns a quantity that is quadratic in the scaled samples in the units of
// the data. (The square of the scale may be out of range where the result is not.)
func (s *Samples) Units(square float64) float64 { return square / s.Scale / s.Scale }

// perUnits is the inverse of units, and λ the other way round.
func (s *Samples) perUnits(square float64) float64 { return square * s.Scale * s.Scale }

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
	dense.EachRow(ctx, 0, raw.Rows, raw.Cols, func(i int) {
		row := out.Row(i)
		for j, v := range m.RawRowView(i) {
			row[j] = T(v)
		}
	})
	return out
}

// class returns the rows of class c of m, whose rows are arranged as s.x.
func class[T dist.Float](s *Samples, m dist.Matrix[T], c int) dist.Matrix[T] {
	return m.RowRange(s.Offset[c], s.Offset[c+1])
}

// frequencies returns π_c = n_c / n.
func (s *Samples) frequencies() []float64 {
	pi, n := make([]float64, len(s.Classes)), 0
	for c := range pi {
		n += s.Count(c)
	}
	for c := range pi {
		pi[c] = float64(s.Count(c)) / float64(n)
	}
	return pi
}

// Count returns the number of samples of class c, or of the rows that they are of.
func (s *Samples) Count(c int) int {
	if s.Counts != nil {
		return s.Counts[c]
	}
	return s.Size(c)
}

// largestPair returns the number of elements of the largest K.
func (s *Samples) largestPair() int {
	largest := 0
	for c := range s.Classes {
		largest = max(largest, s.Size(c))
	}
	return largest * largest
}

// only returns the samples of some classes.
func (s *Samples) only(ctx context.Context, classes []int) *Samples {
	if len(classes) == len(s.Classes) {
		return s
	}
	t := *s
	t.Offset, t.Classes, t.Counts, t.origin = []int{0}, nil, nil, nil
	var rows []int
	for _, c := range classes {
		t.Classes, t.origin = append(t.Classes, s.Classes[c]), append(t.origin, s.original(c))
		if s.Counts != nil {
			t.Counts = append(t.Counts, s.Counts[c])
		}
		for i := s.Offset[c]; i < s.Offset[c+1]; i++ {
			rows = append(rows, i)
		}
		t.Offset = append(t.Offset, len(rows))
	}
	t.rows(ctx, s, rows)
	return &t
}

// Fewer returns the samples of at most limit classes, evenly spaced.
func (s *Samples) Fewer(ctx context.Context, limit int) *Samples {
	return s.only(ctx, spaced(len(s.Classes), limit))
}

// rows makes the samples of t those rows of s.
func (t *Samples) rows(ctx context.Context, s *Samples, rows []int) {
	t.N = len(rows)
	t.X = mat.NewDense(t.N, s.D, nil)
	dense.EachRow(ctx, 0, t.N, s.D, func(i int) { copy(t.X.RawRowView(i), s.X.RawRowView(rows[i])) })
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

// EvenShare returns how many of count samples of a class to take, if about limit are taken of n samples
// and every class has the same share: at least two.
func EvenShare(count, limit, n int) int {
	return max(2, int(float64(count)*float64(limit)/float64(n))) // count·limit may overflow
}

// Thinned returns s with about max samples at most: of every class the same share,
// evenly spaced, but at least two.
func (s *Samples) Thinned(ctx context.Context, limit int) *Samples {
	if s.N <= limit {
		return s
	}
	t := *s
	t.Offset = []int{0}
	var rows []int
	for c := range s.Classes {
		count := s.Offset[c+1] - s.Offset[c]
		keep := EvenShare(count, limit, s.N)
		for k := range keep {
			rows = append(rows, s.Offset[c]+k*count/keep)
		}
		t.Offset = append(t.Offset, len(rows))
	}
	t.rows(ctx, s, rows)
	return &t
}

// Size returns the number of samples of class c.
func (s *Samples) Size(c int) int { return s.Offset[c+1] - s.Offset[c] }

// Coincides reports whether all samples of class c are equal.
func (s *Samples) Coincides(c int) bool {
	first := s.X.RawRowView(s.Offset[c])
	for i := s.Offset[c] + 1; i < s.Offset[c+1]; i++ {
		if !slices.Equal(first, s.X.RawRowView(i)) {
			return false
		}
	}
	return true
}

// LabelsOf returns the labels of rows.
func (s *Samples) LabelsOf(rows []int) []int {
	out := make([]int, len(rows))
	for i, r := range rows {
		c, found := slices.BinarySearch(s.Offset, r)
		if !found {
			c--
		}
		out[i] = s.Classes[c]
	}
	return out
}

// RowsCentered returns the samples that are some rows of s, in ascending order, about their own mean, and
// other rows about that mean.
func (s *Samples) RowsCentered(ctx context.Context, rows, others []int) (*Samples, *mat.Dense) {
	t := *s
	t.Classes, t.Offset, t.Counts, t.origin = nil, []int{0}, nil, nil
	for c, first := 0, 0; c < len(s.Classes); c++ {
		last := first // rows are in ascending order
		for last < len(rows) && rows[last] < s.Offset[c+1] {
			last++
		}
		if last > first {
			t.Classes, t.origin = append(t.Classes, s.Classes[c]), append(t.origin, s.original(c))
			t.Offset = append(t.Offset, last)
		}
		first = last
	}
	t.rows(ctx, s, rows)
	mean := make([]float64, s.D)
	for i := range t.N {
		for j, v := range t.X.RawRowView(i) {
			mean[j] += v
		}
	}
	for j := range mean {
		mean[j] /= float64(t.N)
	}
	held := mat.NewDense(len(others), s.D, nil)
	for i, r := range others {
		copy(held.RawRowView(i), s.X.RawRowView(r))
	}
	for _, m := range []*mat.Dense{t.X, held} {
		n, _ := m.Dims()
		for i := range n {
			for j, v := range mean {
				m.RawRowView(i)[j] -= v
			}
		}
	}
	return &t, held
}
