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

// Samples contains the data of a fit: rows sorted by class, centered, and scaled by a power of two.
// The scaling is exact. It prevents overflow of float32 numbers and of squares.
type Samples struct {
	N, D    int
	Classes []int // label of each class, ascending
	Offset  []int // class c consists of rows Offset[c] … Offset[c+1]−1
	X       *mat.Dense
	Mean    []float64
	// X = (input·pre − mean·pre)·post·feature, computed in this order. Scale is pre·post. For
	// standardized features, which have no unit, Scale is 1.
	pre, post, Scale float64
	feature          []float64 // nil means 1
	// ownPowers replaces the factors pre and post for features that are tiny compared with the other
	// features. The key is the index of the feature.
	ownPowers map[int][2]float64
	// CompleteSizes contains the number of rows of every class in the complete data. It is nil if
	// the Samples contain the complete data.
	CompleteSizes []int
	// If the Samples are a subset of the samples of a fit, origin[c] is the index of class c in the
	// fit. origin is nil if the Samples have all classes of the fit.
	origin []int
}

// original returns the index of class c in the samples of the fit.
func (s *Samples) original(c int) int {
	if s.origin != nil {
		return s.origin[c]
	}
	return c
}

// Separable reports whether n rows of d features in general position can be separated by a linear
// function for any labels. If they can, maxima of J do not generalize to other rows.
func Separable(n, d int) bool { return n <= d+1 }

// NewSamples sorts the rows of x by class. Rows of a class keep their order. The arguments x and
// labels must have passed checkSamples of package wda.
func NewSamples(ctx context.Context, x mat.Matrix, labels []int) (*Samples, error) {
	n, d := x.Dims()
	k, err := ClassesOf(labels)
	if err != nil {
		return nil, err
	}
	s := &Samples{N: n, D: d, Classes: k.Labels, Offset: k.Offset}
	// The mean is computed from scaled values, so that data near the ends of the float64 range do
	// not overflow. The mean is computed relative to the first row, so that constant features
	// become exactly 0.
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
	if ctx.Err() != nil { // the copy of the samples below takes tens of milliseconds
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

// Classes contains the distinct labels in ascending order and the offset of each class in samples
// sorted by label.
type Classes struct {
	Labels []int
	Offset []int
	Index  map[int]int
}

// ClassesOf returns the classes of labels. It requires at least two classes with at least two
// samples each.
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

// powers returns the powers of two by which feature j is multiplied before and after its mean is
// subtracted.
func (s *Samples) powers(j int) (pre, post float64) {
	if own, ok := s.ownPowers[j]; ok {
		return own[0], own[1]
	}
	return s.pre, s.post
}

// ToInput converts p, a projection of s.X, to a projection of input − mean, up to powers of two. If
// the features are standardized, it divides row j of p by the standard deviation of feature j.
func (s *Samples) ToInput(p *mat.Dense) *mat.Dense {
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

// NormalizedRows returns a copy of x with its rows centered and scaled like the rows of s.X.
func (s *Samples) NormalizedRows(ctx context.Context, x mat.Matrix) *mat.Dense {
	n, d := x.Dims()
	out, rows := mat.NewDense(n, d, nil), dense.Rows(x)
	dense.EachRow(ctx, 0, n, d, func(i int) {
		s.NormalizeRow(out.RawRowView(i), rows(i))
	})
	return out
}

// NormalizeRow sets dst to row, centered and scaled like the rows of s.X. The slices dst and row
// may be the same.
func (s *Samples) NormalizeRow(dst, row []float64) {
	for j, v := range row {
		pre, post := s.pre, s.post
		if s.ownPowers != nil {
			pre, post = s.powers(j)
		}
		dst[j] = (float64(v*pre) - float64(s.Mean[j]*pre)) * post
		if s.feature != nil {
			dst[j] *= s.feature[j]
		}
	}
}

// ToDataUnits converts a quantity that is quadratic in the scaled samples to data units. It divides
// twice, because the square of the scale may overflow.
func (s *Samples) ToDataUnits(square float64) float64 { return square / s.Scale / s.Scale }

// fromDataUnits is the inverse of ToDataUnits. λ is the inverse of a squared distance. Therefore
// fromDataUnits converts λ to data units, and ToDataUnits converts λ to units of the scaled samples.
func (s *Samples) fromDataUnits(square float64) float64 { return square * s.Scale * s.Scale }

// powerOfTwo returns the power of two that scales x into [1/2, 1).
func powerOfTwo(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, -min(max(e, -1021), 1021))
}

// matrixOf returns m as a dist.Matrix of element type T. For float64, the result shares memory with
// m and must not be modified. For float32, the result is a copy.
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

// classRows returns the rows of m that belong to class c. The rows of m must be ordered like those
// of s.X.
func classRows[T dist.Float](s *Samples, m dist.Matrix[T], c int) dist.Matrix[T] {
	return m.RowRange(s.Offset[c], s.Offset[c+1])
}

// frequencies returns the class frequencies π_c = n_c / n in the complete data.
func (s *Samples) frequencies() []float64 {
	pi, n := make([]float64, len(s.Classes)), 0
	for c := range pi {
		n += s.CompleteSize(c)
	}
	for c := range pi {
		pi[c] = float64(s.CompleteSize(c)) / float64(n)
	}
	return pi
}

// CompleteSize returns the number of samples of class c in the complete data.
func (s *Samples) CompleteSize(c int) int {
	if s.CompleteSizes != nil {
		return s.CompleteSizes[c]
	}
	return s.Size(c)
}

// largestPair returns the number of elements of the largest kernel matrix K of two classes.
func (s *Samples) largestPair() int {
	largest := 0
	for c := range s.Classes {
		largest = max(largest, s.Size(c))
	}
	return largest * largest
}

// classSubset returns the samples of the given classes.
func (s *Samples) classSubset(ctx context.Context, classes []int) *Samples {
	if len(classes) == len(s.Classes) {
		return s
	}
	t := *s
	t.Offset, t.Classes, t.CompleteSizes, t.origin = []int{0}, nil, nil, nil
	var rows []int
	for _, c := range classes {
		t.Classes, t.origin = append(t.Classes, s.Classes[c]), append(t.origin, s.original(c))
		if s.CompleteSizes != nil {
			t.CompleteSizes = append(t.CompleteSizes, s.CompleteSizes[c])
		}
		for i := s.Offset[c]; i < s.Offset[c+1]; i++ {
			rows = append(rows, i)
		}
		t.Offset = append(t.Offset, len(rows))
	}
	t.setRows(ctx, s, rows)
	return &t
}

// WithFewerClasses returns the samples of at most limit classes, which are evenly spaced among the
// classes of s.
func (s *Samples) WithFewerClasses(ctx context.Context, limit int) *Samples {
	return s.classSubset(ctx, evenlySpaced(len(s.Classes), limit))
}

// setRows sets the samples of t to the given rows of s.
func (t *Samples) setRows(ctx context.Context, s *Samples, rows []int) {
	t.N = len(rows)
	t.X = mat.NewDense(t.N, s.D, nil)
	dense.EachRow(ctx, 0, t.N, s.D, func(i int) { copy(t.X.RawRowView(i), s.X.RawRowView(rows[i])) })
}

// evenlySpaced selects evenly spaced numbers from 0 … n−1. It returns limit numbers, or all n
// numbers if n < limit.
func evenlySpaced(n, limit int) []int {
	k := min(n, limit)
	at := make([]int, k)
	for i := range at {
		at[i] = i * n / k
	}
	return at
}

// ClassQuota returns the number of samples to keep in a class when a data set is reduced. count is
// the number of samples in the class, n is the number of samples in the data set, and limit is the
// approximate number to keep in all classes. Every class keeps the same fraction of its samples, but
// at least two samples.
func ClassQuota(count, limit, n int) int {
	return max(2, int(float64(count)*float64(limit)/float64(n))) // count·limit may overflow
}

// WithFewerSamples returns a subset of s with about limit samples, or s itself if s has at most limit
// samples. The subset contains the same fraction of every class, but at least two samples of each
// class. It takes evenly spaced samples of a class.
func (s *Samples) WithFewerSamples(ctx context.Context, limit int) *Samples {
	if s.N <= limit {
		return s
	}
	t := *s
	t.Offset = []int{0}
	var rows []int
	for c := range s.Classes {
		count := s.Offset[c+1] - s.Offset[c]
		keep := ClassQuota(count, limit, s.N)
		for k := range keep {
			rows = append(rows, s.Offset[c]+k*count/keep)
		}
		t.Offset = append(t.Offset, len(rows))
	}
	t.setRows(ctx, s, rows)
	return &t
}

// Size returns the number of samples of class c.
func (s *Samples) Size(c int) int { return s.Offset[c+1] - s.Offset[c] }

// IsConstantClass reports whether all samples of class c are equal.
func (s *Samples) IsConstantClass(c int) bool {
	first := s.X.RawRowView(s.Offset[c])
	for i := s.Offset[c] + 1; i < s.Offset[c+1]; i++ {
		if !slices.Equal(first, s.X.RawRowView(i)) {
			return false
		}
	}
	return true
}

// LabelsOf returns the labels of the given rows.
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

// CenteredRows returns the given rows of s minus their mean. The rows must be in ascending order.
// CenteredRows also returns the rows whose indices are in others, minus the same mean.
func (s *Samples) CenteredRows(ctx context.Context, rows, others []int) (*Samples, *mat.Dense) {
	t := *s
	t.Classes, t.Offset, t.CompleteSizes, t.origin = nil, []int{0}, nil, nil
	for c, first := 0, 0; c < len(s.Classes); c++ {
		last := first // rows are ascending
		for last < len(rows) && rows[last] < s.Offset[c+1] {
			last++
		}
		if last > first {
			t.Classes, t.origin = append(t.Classes, s.Classes[c]), append(t.origin, s.original(c))
			t.Offset = append(t.Offset, last)
		}
		first = last
	}
	t.setRows(ctx, s, rows)
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
