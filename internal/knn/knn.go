// Package knn classifies by the K nearest neighbors in Euclidean distance, by brute
// force: exact, in bounded memory, with the same answer on every machine whatever the
// number of workers.
//
// Neighbors of a row y are ordered by ‖y − x_j‖², in element type T, and at equal
// distance by the row j. The class with most of the K votes wins; among classes with
// equally many it is that of the nearest neighbor whose class is among them.
//
// Distances between finite rows are never NaN. They may overflow: +Inf is then a
// distance like any other, farther than all finite ones.
package knn

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/gram"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/nearest"
	"github.com/gomonge/monge/internal/parallel"
	"github.com/gomonge/monge/internal/quantize"
)

// What can be wrong with the input. Errors wrap one of these and say where.
var (
	ErrShape     = fault.ErrShape
	ErrNeighbors = errors.New("number of neighbors out of range")
	ErrNotFinite = fault.ErrNotFinite
)

// Points are labeled rows to look among. They do not change, and any number of
// goroutines may use them at once.
type Points[T num.Float] struct {
	n, d    int
	rows    matrix.Matrix[T] // n × d, unless there are columns
	columns matrix.Matrix[T] // d × n, the rows transposed, or empty
	packed  *gram.Columns[T] // the rows, packed, if there are many features, or nil
	codes   *quantize.Rows   // the rows as codes, and nothing else, or nil
	narrow  *Points[float32] // the rows in float32, and nothing else, or nil
	class   []int            // of every row, an index into labels
	labels  []int            // distinct, ascending
}

// New returns the points with these rows (n × d), which are not copied, and labels
// (length n), any integers. It panics if they do not fit.
func New[T num.Float](rows matrix.Matrix[T], labels []int) *Points[T] {
	if rows.Check(); len(labels) != rows.Rows {
		panic(pointsPanic)
	}
	p, _ := labeled[T](context.Background(), rows.Rows, rows.Cols, labels)
	p.rows = rows
	return p
}

// NewCodes returns the points that rows stand for. Distances are those of package quantize.
func NewCodes[T num.Float](rows *quantize.Rows, labels []int) *Points[T] {
	if len(labels) != rows.Len() {
		panic(pointsPanic)
	}
	p, _ := labeled[T](context.Background(), rows.Len(), rows.Dim(), labels)
	p.codes = rows
	return p
}

// NewNarrow returns the points with these rows (n × d), which must not change. Queries are
// narrowed to float32, and distances are computed in float32. The error is the cause of the end of
// ctx. NewNarrow panics if rows and labels do not fit.
func NewNarrow[T num.Float](ctx context.Context, rows matrix.Matrix[float32], labels []int) (*Points[T], error) {
	narrow, err := NewColumns(ctx, rows, labels)
	if err != nil {
		return nil, err
	}
	return &Points[T]{n: narrow.n, d: narrow.d, narrow: narrow, class: narrow.class, labels: narrow.labels}, nil
}

// pieceElements is about the number of elements that are copied, and of labels that are read,
// between two looks at a context.
const pieceElements = 1 << 20

// labeled returns points without rows, or the cause of the end of ctx.
func labeled[T num.Float](ctx context.Context, n, d int, labels []int) (*Points[T], error) {
	p := &Points[T]{n: n, d: d, class: make([]int, n)}
	for i := 0; i < n; {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		j := min(n, i+max(pieceElements, len(p.labels)))
		p.labels = append(p.labels, labels[i:j]...)
		slices.Sort(p.labels)
		p.labels = slices.Compact(p.labels)
		i = j
	}
	p.labels = slices.Clip(slices.Clone(p.labels)) // without the room for a piece
	for i, l := range labels {
		if i%pieceElements == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		p.class[i], _ = slices.BinarySearch(p.labels, l)
	}
	return p, nil
}

// NewColumns is New with a transposed copy of the rows, as is best for queries of one row at a
// time. If there are many features it is a packed copy, and the rows must not change. The error is
// the cause of the end of ctx.
func NewColumns[T num.Float](ctx context.Context, rows matrix.Matrix[T], labels []int) (*Points[T], error) {
	if rows.Check(); len(labels) != rows.Rows {
		panic(pointsPanic)
	}
	p, err := labeled[T](ctx, rows.Rows, rows.Cols, labels)
	if err != nil {
		return nil, err
	}
	if p.d >= gram.Features {
		p.rows, p.packed = rows, new(gram.Columns[T])
		p.packed.Reset(p.n, p.d, rows.Data, rows.Stride)
	} else {
		p.columns = matrix.New[T](p.d, p.n, nil)
	}
	step := max(1, pieceElements/max(1, p.d*gram.Unit)) * gram.Unit
	for i := 0; i < p.n; i += step {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		j := min(p.n, i+step)
		if p.packed != nil {
			p.packed.Pack(i, j)
		} else {
			matrix.Transpose(p.columns.ColRange(i, j), rows.RowRange(i, j))
		}
	}
	return p, nil
}

// First returns the points with their first q features alone. They share memory.
func (p *Points[T]) First(q int) *Points[T] {
	few := *p
	few.d = q
	switch {
	case q == p.d:
	case p.packed != nil:
		few.packed, few.rows = nil, p.rows.ColRange(0, q)
	case p.columns.IsEmpty():
		few.rows = p.rows.ColRange(0, q)
	default:
		few.columns = p.columns.RowRange(0, q)
	}
	return &few
}

// Len returns n, the number of points.
func (p *Points[T]) Len() int { return p.n }

// Codes returns the rows if they are codes, or nil.
func (p *Points[T]) Codes() *quantize.Rows { return p.codes }

// At returns element k of row i. The points must not be codes.
func (p *Points[T]) At(i, k int) T {
	if p.narrow != nil {
		return T(p.narrow.At(i, k))
	}
	if !p.columns.IsEmpty() {
		return p.columns.At(k, i)
	}
	return p.rows.At(i, k)
}

// Labels returns the distinct labels, ascending, not to be changed.
func (p *Points[T]) Labels() []int { return p.labels }

// Class returns the class of row i, an index into Labels.
func (p *Points[T]) Class(i int) int { return p.class[i] }

// Label returns the label of row i.
func (p *Points[T]) Label(i int) int { return p.labels[p.class[i]] }

// Vote counts the votes (length that of Labels) of some rows, the nearest first, and
// returns the class that wins, an index into Labels.
func (p *Points[T]) Vote(votes, near []int) int {
	clear(votes)
	most := 0
	for _, j := range near {
		votes[p.class[j]]++
		most = max(most, votes[p.class[j]])
	}
	at := slices.IndexFunc(near, func(j int) bool { return votes[p.class[j]] == most })
	return p.class[near[at]]
}

// distances sets dst to the squared distances of the rows of y from those of p from
// first on.
func (p *Points[T]) distances(dst, y matrix.Matrix[T], first int) {
	if p.packed != nil {
		p.packed.SqEuclidean(first, dst.Rows, dst.Cols, dst.Data, dst.Stride, y.Data, y.Stride)
		return
	}
	if p.columns.IsEmpty() {
		dist.SqEuclidean(dst, y, p.rows.RowRange(first, first+dst.Cols))
		return
	}
	matrix.SqEuclideanTrans(dst, y, p.columns.ColRange(first, first+dst.Cols))
}

// Search is the memory of one goroutine. The zero value is ready; it grows as it is
// used, also from one set of points to another, and then allocates nothing.
type Search[T num.Float] struct {
	distances []T
	near      []nearest.Set[T]
	codes     quantize.Scratch
	query     []float32 // for narrow points: the rows of y
	narrow    *Search[float32]
}

const (
	// blockElements is the number of distances that are computed at a time: 256 KiB in
	// float64, which stays in the second-level cache.
	blockElements = 1 << 15
	// blockPoints is the largest number of points, a multiple of gram.Unit.
	blockPoints = 960
	// blockRows is the number of rows that Predict classifies at a time.
	blockRows = 128
)

// Nearest looks for the k nearest points, 1 ≤ k ≤ n, of every row of y, which Near then
// returns. A context that has ended stops it between two blocks, with its cause. It
// panics if y or k does not fit the points.
func (s *Search[T]) Nearest(ctx context.Context, p *Points[T], y matrix.Matrix[T], k int) error {
	if y.Check(); y.Cols != p.d || k < 1 || k > p.n {
		panic(pointsPanic)
	}
	for len(s.near) < y.Rows {
		s.near = append(s.near, nearest.Set[T]{})
	}
	if p.n <= blockPoints && p.codes == nil && p.narrow == nil {
		return s.whole(ctx, p, y, k)
	}
	for i := range y.Rows {
		s.near[i].Reset(k)
	}
	if p.narrow != nil {
		return s.nearestNarrow(ctx, p, y, k)
	}
	if p.codes != nil {
		for i := range y.Rows {
			if err := quantize.Nearest(ctx, &s.near[i], p.codes, y.Row(i), &s.codes); err != nil {
				return err
			}
			s.near[i].Sort()
		}
		return nil
	}
	width := min(p.n, blockPoints, max(gram.Unit, blockElements/max(1, y.Rows)/gram.Unit*gram.Unit))
	s.distances = slices.Grow(s.distances[:0], width*y.Rows)
	for first := 0; first < p.n; first += width {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		w := min(width, p.n-first)
		d := matrix.New(y.Rows, w, s.distances[:w*y.Rows])
		p.distances(d, y, first)
		for i := range y.Rows {
			s.near[i].OfferAll(d.Row(i), first)
		}
	}
	for i := range y.Rows {
		s.near[i].Sort()
	}
	return nil
}

// whole is Nearest for so few points that a block has the distances of whole rows. The points
// that the call before has found for a row are k of them, whatever they are now: no farther ones
// than the farthest of these are looked at. When a projection changes little, as from one
// candidate of a comparison to the next, hardly any other is nearer.
func (s *Search[T]) whole(ctx context.Context, p *Points[T], y matrix.Matrix[T], k int) error {
	step := min(y.Rows, max(1, blockElements/p.n))
	s.distances = slices.Grow(s.distances[:0], step*p.n)
	for first := 0; first < y.Rows; first += step {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		last := min(first+step, y.Rows)
		d := matrix.New(last-first, p.n, s.distances[:(last-first)*p.n])
		p.distances(d, y.RowRange(first, last), 0)
		for i := first; i < last; i++ {
			row, set := d.Row(i-first), &s.near[i]
			bound, ok := farthest(row, set.Rows(), k)
			if set.Reset(k); ok {
				set.OfferWithin(row, 0, bound)
			} else {
				set.OfferAll(row, 0)
			}
			set.Sort()
		}
	}
	return nil
}

// farthest returns the largest of the distances of the first k rows, unless there are not so many,
// or one of them is NaN.
func farthest[T num.Float](distances []T, rows []int, k int) (bound T, ok bool) {
	if len(rows) < k {
		return 0, false
	}
	for _, r := range rows[:k] {
		if r >= len(distances) || distances[r] != distances[r] {
			return 0, false
		}
		bound = max(bound, distances[r])
	}
	return bound, true
}

// nearestNarrow is Nearest for points in float32.
func (s *Search[T]) nearestNarrow(ctx context.Context, p *Points[T], y matrix.Matrix[T], k int) error {
	if s.narrow == nil {
		s.narrow = new(Search[float32])
	}
	s.query = slices.Grow(s.query[:0], y.Rows*p.d)[:y.Rows*p.d]
	queries := matrix.New(y.Rows, p.d, s.query)
	for i := range y.Rows {
		for l, v := range y.Row(i) {
			queries.Row(i)[l] = float32(v)
		}
	}
	if err := s.narrow.Nearest(ctx, p.narrow, queries, k); err != nil {
		return err
	}
	for i := range y.Rows {
		rows, distances := s.narrow.Near(i)
		for j, row := range rows {
			s.near[i].Offer(T(distances[j]), row)
		}
		s.near[i].Sort()
	}
	return nil
}

// Near returns the points nearest to row i, the nearest first, and their squared
// distances, both until the next call of Nearest.
func (s *Search[T]) Near(i int) (rows []int, distances []T) {
	return s.near[i].Rows(), s.near[i].Distances()
}

// Settings configure Predict. The zero value, and a nil pointer, mean the defaults.
type Settings struct {
	// Workers is the number of goroutines. Default GOMAXPROCS. The predictions do
	// not depend on it.
	Workers int
	// Progress, if not nil, is called with the number of test rows done and their
	// total now and then, by one goroutine at a time.
	Progress func(done, total int)
}

// Predict classifies every row of test (m × d) by its k nearest rows of train
// (n × d), for several k in one pass: the result has one slice of m labels for each
// element of ks, in the order of ks. labels (length n) are those of the training
// rows, any integers.
//
// ErrNeighbors is returned unless 1 ≤ k ≤ n, ErrShape if lengths or widths differ,
// ErrNotFinite with the row and column, from 0, of a NaN or infinity. A cancelled
// context ends the work within one block, with its cause and no predictions.
//
// Besides the result it allocates, for each worker, 2¹⁵ distances and the largest k
// neighbors of 128 rows. The time is about n·m·d multiply-adds, and n·m·log k steps to select
// neighbors.
func Predict[T num.Float](ctx context.Context, train matrix.Matrix[T], labels []int, test matrix.Matrix[T], ks []int, settings *Settings) ([][]int, error) {
	n, m := train.Rows, test.Rows
	if len(labels) != n {
		return nil, fmt.Errorf("%w: %d labels for %d training rows", ErrShape, len(labels), n)
	}
	if train.Cols != test.Cols {
		return nil, fmt.Errorf("%w: training rows have %d columns, test rows %d", ErrShape, train.Cols, test.Cols)
	}
	if !train.Fits() || !test.Fits() {
		return nil, fmt.Errorf("%w: a matrix does not fit its data", ErrShape)
	}
	for _, k := range ks {
		if k < 1 || k > n {
			return nil, fmt.Errorf("%w: %d of %d training rows", ErrNeighbors, k, n)
		}
	}
	if err := checkFinite("training", train); err != nil {
		return nil, err
	}
	if err := checkFinite("test", test); err != nil {
		return nil, err
	}
	predicted := make([][]int, len(ks))
	for i := range predicted {
		predicted[i] = make([]int, m)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(ks) == 0 || m == 0 {
		return predicted, nil
	}
	var set Settings
	if settings != nil {
		set = *settings
	}
	if set.Workers <= 0 {
		set.Workers = runtime.GOMAXPROCS(0)
	}
	var (
		p       = New(train, labels)
		blocks  = (m + blockRows - 1) / blockRows
		workers = make([]Search[T], min(set.Workers, blocks))
		votes   = make([][]int, len(workers))
		largest = slices.Max(ks)
		mu      sync.Mutex
		done    int
		err     error
	)
	new(parallel.Pool).Each(len(workers), blocks, func(w, block int) {
		s, i := &workers[w], block*blockRows
		j := min(i+blockRows, m)
		if e := s.Nearest(ctx, p, test.RowRange(i, j), largest); e != nil {
			mu.Lock()
			err = e
			mu.Unlock()
			return
		}
		if votes[w] == nil {
			votes[w] = make([]int, len(p.labels))
		}
		for r := range j - i {
			near, _ := s.Near(r)
			for at, k := range ks {
				predicted[at][i+r] = p.labels[p.Vote(votes[w], near[:k])]
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if done += j - i; set.Progress != nil {
			set.Progress(done, m)
		}
	})
	if err != nil {
		return nil, err
	}
	return predicted, nil
}

// checkFinite names the first element that is not finite.
func checkFinite[T num.Float](what string, m matrix.Matrix[T]) error {
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			if v-v != 0 {
				return fmt.Errorf("%w: %s row %d, column %d is %v", ErrNotFinite, what, i, j, v)
			}
		}
	}
	return nil
}

const (
	lengthPanic = "knn: predicted and actual labels of different length"
	pointsPanic = "knn: labels, columns or neighbors that do not fit the points"
)

// ErrorRate returns the share of rows whose predicted label is not the actual one,
// 0 if there are no rows. It panics if the lengths differ.
func ErrorRate(predicted, actual []int) float64 {
	if len(predicted) != len(actual) {
		panic(lengthPanic)
	}
	if len(actual) == 0 {
		return 0
	}
	wrong := 0
	for i, l := range actual {
		if predicted[i] != l {
			wrong++
		}
	}
	return float64(wrong) / float64(len(actual))
}

// Confusion returns the classes × classes matrix whose element [c][e] is the number
// of rows of class c that were predicted to be of class e. Labels count from 0 to
// classes−1; it panics if one does not, or if the lengths differ.
func Confusion(predicted, actual []int, classes int) [][]int {
	if len(predicted) != len(actual) {
		panic(lengthPanic)
	}
	counts := make([][]int, classes)
	for c := range counts {
		counts[c] = make([]int, classes)
	}
	for i, l := range actual {
		counts[l][predicted[i]]++
	}
	return counts
}

// AUROC returns the share of pairs of an element of low and one of high in which that of high is
// larger. Pairs of equal elements count half. It is the area under the curve of a threshold that
// separates them: 1 if every threshold is right, 0.5 by chance. It is NaN if one of them is empty.
func AUROC(low, high []float64) float64 {
	sorted := slices.Sorted(slices.Values(low))
	sum := 0.
	for _, v := range high {
		below, _ := slices.BinarySearch(sorted, v)
		equal, _ := slices.BinarySearchFunc(sorted[below:], v, func(s, v float64) int {
			if s <= v {
				return -1
			}
			return 1
		})
		sum += float64(below) + float64(0.5*float64(equal))
	}
	return sum / float64(len(low)) / float64(len(high))
}
