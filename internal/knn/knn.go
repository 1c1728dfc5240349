// Package knn classifies by the K nearest neighbors in Euclidean distance, by brute force. It is
// exact and uses bounded memory. The results are the same on every machine for any number of
// workers.
//
// Neighbors of a row y are ordered by ‖y − x_j‖², computed in the element type T, and at equal
// distance by the row index j. The class with the most of the K votes wins. If several classes have
// the most votes, the class of the nearest neighbor among them wins.
//
// Distances between finite rows are never NaN. A distance that overflows is +Inf and farther than
// all finite distances.
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

// Errors about invalid input wrap these errors and describe the input.
var (
	ErrShape     = fault.ErrShape
	ErrNeighbors = errors.New("number of neighbors out of range")
	ErrNotFinite = fault.ErrNotFinite
)

// Points are labeled rows for a search of neighbors. They are immutable and safe for concurrent
// use.
type Points[T num.Float] struct {
	n, d          int
	rows          matrix.Matrix[T] // n × d, empty if columns is set
	columns       matrix.Matrix[T] // d × n, the transposed rows, or empty
	packed        *gram.Columns[T] // packed rows for many features, or nil
	codes         *quantize.Rows   // the points as quantized rows, or nil
	float32Points *Points[float32] // the points in float32, or nil
	classes       []int            // for each row, an index into labels
	labels        []int            // distinct, ascending
}

// New returns the points with the given rows (n × d) and labels (length n). It does not copy the
// rows. It panics if the lengths differ.
func New[T num.Float](rows matrix.Matrix[T], labels []int) *Points[T] {
	if rows.Check(); len(labels) != rows.Rows {
		panic(badPoints)
	}
	p, _ := newLabeled[T](context.Background(), rows.Rows, rows.Cols, labels)
	p.rows = rows
	return p
}

// NewCodes returns the points with quantized rows. Package quantize computes their distances.
func NewCodes[T num.Float](rows *quantize.Rows, labels []int) *Points[T] {
	if len(labels) != rows.Len() {
		panic(badPoints)
	}
	p, _ := newLabeled[T](context.Background(), rows.Len(), rows.Dim(), labels)
	p.codes = rows
	return p
}

// NewNarrow returns the points with the given rows (n × d), which must not change. Queries are
// converted to float32 and distances are computed in float32. If ctx ends, NewNarrow returns
// context.Cause(ctx). It panics if the lengths of rows and labels differ.
func NewNarrow[T num.Float](ctx context.Context, rows matrix.Matrix[float32], labels []int) (*Points[T], error) {
	narrow, err := NewColumns(ctx, rows, labels)
	if err != nil {
		return nil, err
	}
	return &Points[T]{n: narrow.n, d: narrow.d, float32Points: narrow, classes: narrow.classes, labels: narrow.labels}, nil
}

// pieceElements is the approximate number of elements copied, or labels read, between two checks of
// the context.
const pieceElements = 1 << 20

// newLabeled returns n points of d features with the given labels. The caller adds the rows. If ctx
// ends, newLabeled returns context.Cause(ctx).
func newLabeled[T num.Float](ctx context.Context, n, d int, labels []int) (*Points[T], error) {
	p := &Points[T]{n: n, d: d, classes: make([]int, n)}
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
	p.labels = slices.Clip(slices.Clone(p.labels)) // without spare capacity
	for i, l := range labels {
		if i%pieceElements == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		p.classes[i], _ = slices.BinarySearch(p.labels, l)
	}
	return p, nil
}

// NewColumns is like New but stores a transposed copy of the rows, which suits queries of one row
// at a time. With many features, the copy has a packed layout. The result then also refers to the
// original rows, which must not change. If ctx ends, NewColumns returns context.Cause(ctx).
func NewColumns[T num.Float](ctx context.Context, rows matrix.Matrix[T], labels []int) (*Points[T], error) {
	if rows.Check(); len(labels) != rows.Rows {
		panic(badPoints)
	}
	p, err := newLabeled[T](ctx, rows.Rows, rows.Cols, labels)
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

// First returns the points reduced to their first q features. The result shares memory with p.
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

// Codes returns the quantized rows, or nil.
func (p *Points[T]) Codes() *quantize.Rows { return p.codes }

// At returns element k of row i. It must not be called for quantized points.
func (p *Points[T]) At(i, k int) T {
	if p.float32Points != nil {
		return T(p.float32Points.At(i, k))
	}
	if !p.columns.IsEmpty() {
		return p.columns.At(k, i)
	}
	return p.rows.At(i, k)
}

// Labels returns the distinct labels in ascending order. The caller must not modify them.
func (p *Points[T]) Labels() []int { return p.labels }

// Class returns the class of row i, an index into Labels.
func (p *Points[T]) Class(i int) int { return p.classes[i] }

// Label returns the label of row i.
func (p *Points[T]) Label(i int) int { return p.labels[p.classes[i]] }

// Vote returns the class with the most rows in near, as an index into Labels. near contains row
// indices, nearest first. If classes are tied, the class of the nearest row among them wins. votes
// is scratch memory with the length of Labels.
func (p *Points[T]) Vote(votes, near []int) int {
	clear(votes)
	most := 0
	for _, j := range near {
		votes[p.classes[j]]++
		most = max(most, votes[p.classes[j]])
	}
	at := slices.IndexFunc(near, func(j int) bool { return votes[p.classes[j]] == most })
	return p.classes[near[at]]
}

// distances sets dst to the squared distances between the rows of y and consecutive rows of p,
// beginning with row first.
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

// Search is the scratch memory of one goroutine. The zero value is ready to use. A Search may be
// used for different Points. After warm-up it does not allocate.
type Search[T num.Float] struct {
	distances     []T
	near          []nearest.Set[T]
	codes         quantize.Scratch
	query32       []float32 // the rows of y in float32
	float32Search *Search[float32]
}

const (
	// blockElements is the number of distances that are computed at a time. In float64 they take
	// 256 KiB and stay in the second-level cache.
	blockElements = 1 << 15
	// blockPoints is the largest number of points in a block, a multiple of gram.Unit.
	blockPoints = 960
	// blockRows is the number of rows that Predict classifies at a time.
	blockRows = 128
)

// Nearest searches for the k nearest points, 1 ≤ k ≤ n, of every row of y. The method Near returns
// the result afterwards. Nearest checks ctx between blocks. If ctx ends, it returns
// context.Cause(ctx). It panics if y or k does not match the points.
func (s *Search[T]) Nearest(ctx context.Context, p *Points[T], y matrix.Matrix[T], k int) error {
	if y.Check(); y.Cols != p.d || k < 1 || k > p.n {
		panic(badPoints)
	}
	for len(s.near) < y.Rows {
		s.near = append(s.near, nearest.Set[T]{})
	}
	if p.n <= blockPoints && p.codes == nil && p.float32Points == nil {
		return s.nearestFew(ctx, p, y, k)
	}
	for i := range y.Rows {
		s.near[i].Reset(k)
	}
	if p.float32Points != nil {
		return s.nearestFloat32(ctx, p, y, k)
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

// nearestFew implements Nearest for few points. A block contains the distances from a row of y to
// all points. The neighbors that the previous call found for the row give an upper bound of the
// distances, and the search quickly skips points beyond the bound. If the rows of y change little
// between two calls, the search skips most points.
func (s *Search[T]) nearestFew(ctx context.Context, p *Points[T], y matrix.Matrix[T], k int) error {
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
			bound, ok := farthestBound(row, set.Rows(), k)
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

// farthestBound returns the largest of the distances to the first k rows. It reports false if there
// are fewer than k rows, if a row is out of range, or if a distance is NaN.
func farthestBound[T num.Float](distances []T, rows []int, k int) (bound T, ok bool) {
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

// nearestFloat32 implements Nearest for points in float32.
func (s *Search[T]) nearestFloat32(ctx context.Context, p *Points[T], y matrix.Matrix[T], k int) error {
	if s.float32Search == nil {
		s.float32Search = new(Search[float32])
	}
	s.query32 = slices.Grow(s.query32[:0], y.Rows*p.d)[:y.Rows*p.d]
	queries := matrix.New(y.Rows, p.d, s.query32)
	for i := range y.Rows {
		for l, v := range y.Row(i) {
			queries.Row(i)[l] = float32(v)
		}
	}
	if err := s.float32Search.Nearest(ctx, p.float32Points, queries, k); err != nil {
		return err
	}
	for i := range y.Rows {
		rows, distances := s.float32Search.Near(i)
		for j, row := range rows {
			s.near[i].Offer(T(distances[j]), row)
		}
		s.near[i].Sort()
	}
	return nil
}

// Near returns the points nearest to row i, the nearest first, and their squared distances. Both
// are valid until the next call of Nearest.
func (s *Search[T]) Near(i int) (rows []int, distances []T) {
	return s.near[i].Rows(), s.near[i].Distances()
}

// Settings configures Predict. The zero value and a nil pointer select the defaults.
type Settings struct {
	// Workers is the number of goroutines. The default is GOMAXPROCS. The predictions do not depend
	// on Workers.
	Workers int
	// Progress, if not nil, is called from time to time with the number of classified test rows and
	// their total, by one goroutine at a time.
	Progress func(done, total int)
}

// Predict classifies every row of test (m × d) by its k nearest rows of train (n × d), for several
// k in one pass. It returns one slice of m labels for each element of ks. labels (length n) are the
// labels of the training rows.
//
// Predict returns ErrNeighbors unless 1 ≤ k ≤ n, ErrShape if lengths or widths differ, and
// ErrNotFinite for NaN or infinity. The text of ErrNotFinite names the row and the column, counted
// from 0. Predict checks ctx after each block. If ctx ends, it returns context.Cause(ctx) and no
// predictions.
//
// Each worker allocates 2¹⁵ distances, and the neighbors of 128 rows for the largest k. The time is
// about n·m·d multiply-adds, and n·m·log k steps to select neighbors.
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

// checkFinite returns an error that names the first element that is not finite.
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
	badLengths = "knn: predicted and actual labels of different length"
	badPoints  = "knn: labels, columns or neighbors that do not fit the points"
)

// ErrorRate returns the fraction of rows whose predicted label differs from the actual label, or 0
// for no rows. It panics if the lengths differ.
func ErrorRate(predicted, actual []int) float64 {
	if len(predicted) != len(actual) {
		panic(badLengths)
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

// Confusion returns the classes × classes matrix whose element [c][e] is the number of rows of
// class c that were predicted as class e. It panics if a label is not in 0 … classes−1 or if the
// lengths differ.
func Confusion(predicted, actual []int, classes int) [][]int {
	if len(predicted) != len(actual) {
		panic(badLengths)
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

// AUROC returns the area under the ROC curve: the fraction of pairs (l, h) of elements of low and
// high with h > l. Pairs of equal elements count half. The result is 1 if all elements of high are
// greater than all elements of low, 0.5 for chance, and NaN if low or high is empty.
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
