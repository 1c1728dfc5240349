// Package knn classifies by the K nearest neighbors in Euclidean distance, by
// brute force on the distance kernel of package dist: exact, in bounded memory, and
// with the same answer on every machine whatever the number of workers.
package knn

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/gomonge/monge/dist"
)

// What can be wrong with the input. Errors wrap one of these and say where.
var (
	ErrShape     = errors.New("knn: shapes do not match")
	ErrNeighbors = errors.New("knn: number of neighbors out of range")
	ErrNotFinite = errors.New("knn: value is not finite")
)

// Settings configure Predict. The zero value, and a nil pointer, mean the defaults.
type Settings struct {
	// Workers is the number of goroutines. Default GOMAXPROCS. The predictions do
	// not depend on it.
	Workers int
	// Progress, if not nil, is called with the number of test rows done and their
	// total now and then, by one goroutine at a time.
	Progress func(done, total int)
}

// A block of distances, testBlock × trainBlock, is all that a worker holds of them:
// 256 KiB in float64, which stays in the second-level cache.
const (
	testBlock  = 128
	trainBlock = 256
)

// Predict classifies every row of test (m × d) by its k nearest rows of train
// (n × d), for several k in one pass: the result has one slice of m labels for each
// element of ks, in the order of ks. labels (length n) are those of the training
// rows, any integers.
//
// Neighbors are ordered by
//
//	D_ij = ‖test_i − train_j‖²
//
// as dist.SqEuclidean computes it, in type T, and at equal distance by the index j.
// The class with most of the k votes wins; among classes with equally many it is
// that of the nearest neighbor whose class is among them.
//
// ErrNeighbors is returned unless 1 ≤ k ≤ n, ErrShape if lengths or widths differ,
// ErrNotFinite with the row and column, from 0, of a NaN or infinity. A cancelled
// context ends the work within one block, with its error and no predictions.
//
// Besides the result it allocates, for each worker, 128 × 256 distances and the
// largest k neighbors of 128 rows. The time is about n·m·d multiply-adds as long as k
// is at most some hundreds; finding k of the order of n takes up to n·m·k steps.
func Predict[T dist.Float](ctx context.Context, train dist.Matrix[T], labels []int, test dist.Matrix[T], ks []int, settings *Settings) ([][]int, error) {
	n, m := train.Rows, test.Rows
	if len(labels) != n {
		return nil, fmt.Errorf("%w: %d labels for %d training rows", ErrShape, len(labels), n)
	}
	if train.Cols != test.Cols {
		return nil, fmt.Errorf("%w: training rows have %d columns, test rows %d", ErrShape, train.Cols, test.Cols)
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
	if len(ks) == 0 || m == 0 {
		return predicted, ctx.Err()
	}

	var set Settings
	if settings != nil {
		set = *settings
	}
	if set.Workers <= 0 {
		set.Workers = runtime.GOMAXPROCS(0)
	}
	p := newPredictor(train, labels, test, ks, predicted)
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		next int // first test row of the next block
		done int
		err  error
	)
	for range min(set.Workers, (m+testBlock-1)/testBlock) {
		wg.Go(func() {
			w := p.newWorker()
			for {
				mu.Lock()
				i := next
				next += testBlock
				stop := i >= m || err != nil
				mu.Unlock()
				if stop {
					return
				}
				e := w.block(ctx, i, min(i+testBlock, m))
				mu.Lock()
				if e != nil {
					err = e
				} else {
					done += min(testBlock, m-i)
					if set.Progress != nil {
						set.Progress(done, m)
					}
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err != nil {
		return nil, err
	}
	return predicted, nil
}

// predictor is what the workers share.
type predictor[T dist.Float] struct {
	train, test dist.Matrix[T]
	classes     []int // distinct labels
	class       []int // of each training row, an index into classes
	largest     int   // largest k
	votesAt     []int // indices into ks, by ascending k
	ks          []int
	predicted   [][]int
}

func newPredictor[T dist.Float](train dist.Matrix[T], labels []int, test dist.Matrix[T], ks []int, predicted [][]int) *predictor[T] {
	p := &predictor[T]{train: train, test: test, ks: ks, predicted: predicted, largest: slices.Max(ks)}
	p.classes = slices.Compact(slices.Sorted(slices.Values(labels)))
	p.class = make([]int, len(labels))
	for i, l := range labels {
		p.class[i], _ = slices.BinarySearch(p.classes, l)
	}
	for i := range ks {
		p.votesAt = append(p.votesAt, i)
	}
	slices.SortStableFunc(p.votesAt, func(i, j int) int { return ks[i] - ks[j] })
	return p
}

// worker is what one goroutine needs.
type worker[T dist.Float] struct {
	*predictor[T]
	distances []T          // testBlock × trainBlock
	near      []nearest[T] // of every test row of a block
	votes     []int
}

func (p *predictor[T]) newWorker() *worker[T] {
	w := &worker[T]{predictor: p, distances: make([]T, testBlock*trainBlock), votes: make([]int, len(p.classes))}
	w.near = make([]nearest[T], min(testBlock, p.test.Rows))
	for i := range w.near {
		w.near[i] = nearest[T]{distance: make([]T, 0, p.largest), index: make([]int, 0, p.largest)}
	}
	return w
}

// block predicts test rows i … j−1.
func (w *worker[T]) block(ctx context.Context, i, j int) error {
	for r := range j - i {
		w.near[r].distance, w.near[r].index = w.near[r].distance[:0], w.near[r].index[:0]
	}
	test := w.test.RowRange(i, j)
	for a := 0; a < w.train.Rows; a += trainBlock {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := min(a+trainBlock, w.train.Rows)
		d := dist.NewMatrix(j-i, b-a, w.distances[:(j-i)*(b-a)])
		dist.SqEuclidean(d, test, w.train.RowRange(a, b))
		for r := range j - i {
			w.near[r].add(d.Row(r), a)
		}
	}
	for r := range j - i {
		w.vote(w.near[r].index, i+r)
	}
	return nil
}

// vote predicts a test row from its neighbors, the nearest first, for every k.
func (w *worker[T]) vote(neighbors []int, row int) {
	clear(w.votes)
	seen, most := 0, 0
	for _, at := range w.votesAt {
		for ; seen < w.ks[at]; seen++ {
			c := w.class[neighbors[seen]]
			w.votes[c]++
			most = max(most, w.votes[c])
		}
		for _, j := range neighbors[:seen] {
			if c := w.class[j]; w.votes[c] == most {
				w.predicted[at][row] = w.classes[c]
				break
			}
		}
	}
}

// nearest holds the nearest training rows seen so far, the nearest first; its
// capacity is their number.
type nearest[T dist.Float] struct {
	distance []T
	index    []int
}

// add offers the training rows first, first+1, … at the given distances. Rows come
// in ascending order, so that one at an equal distance goes behind those there.
func (h *nearest[T]) add(distances []T, first int) {
	for j, d := range distances {
		k := len(h.distance)
		if k == cap(h.distance) {
			if d >= h.distance[k-1] {
				continue
			}
		} else {
			h.distance, h.index = h.distance[:k+1], h.index[:k+1]
			k++
		}
		at := k - 1
		for ; at > 0 && d < h.distance[at-1]; at-- {
			h.distance[at], h.index[at] = h.distance[at-1], h.index[at-1]
		}
		h.distance[at], h.index[at] = d, first+j
	}
}

// checkFinite names the first element that is not finite. Without those, distances
// may overflow to infinity but are never NaN, and can be ordered.
func checkFinite[T dist.Float](what string, m dist.Matrix[T]) error {
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			if v-v != 0 {
				return fmt.Errorf("%w: %s row %d, column %d is %v", ErrNotFinite, what, i, j, v)
			}
		}
	}
	return nil
}

const lengthPanic = "knn: predicted and actual labels of different length"

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
