package wda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// Classifier is a Model with labeled samples, projected. It classifies a new sample
// by its K nearest neighbors among them: neighbors are ordered by squared
// Euclidean distance in the projection and, where that is equal, by their row; the
// label that most of them have wins, and of labels that equally many have the one
// of the nearest neighbor. It never changes, and any number of goroutines may use it at
// once. The zero value is what UnmarshalBinary needs; to classify with it panics.
type Classifier struct {
	model  *Model
	k      int
	points *knn.Points[float64] // the projected samples
}

// Workspace is the memory that a Classifier works in. The zero value is ready; it grows
// as it is used, also by one Classifier after another. It must not be used by two
// goroutines at once.
type Workspace struct {
	y      []float64 // the projected sample
	search knn.Search[float64]
	votes  []int
	k      int // that voted
}

// Neighbor is a sample of the Classifier near another one.
type Neighbor struct {
	Row        int // of the samples that the Classifier was made with
	Label      int
	SqDistance float64 // in the projection
}

// Class is the answer of Predict.
type Class struct {
	Label int
	Name  string  // as Model.ClassName says
	Share float64 // of the K neighbors, those of this class
	// SqDistance is that of the farthest of the K neighbors, in the projection: a sample
	// unlike all that the classifier knows has a large one, whatever its neighbors say.
	SqDistance float64
}

// NewClassifier returns the classifier of the samples x (n × d) with these labels and
// k neighbors; k = 0 is 5, or n if that is less. The samples are usually those of
// the fit, but need not be. Errors wrap the sentinel errors of this package.
func NewClassifier(m *Model, x mat.Matrix, labels []int, k int) (*Classifier, error) {
	d, _ := m.dims()
	if err := checkSamples(context.Background(), x, labels); err != nil {
		return nil, err
	}
	n, xd := x.Dims()
	if xd != d {
		return nil, fmt.Errorf("%w: samples of %d features for a model of %d", ErrShape, xd, d)
	}
	if k == 0 {
		k = min(5, n)
	}
	if err := checkNeighbors(k, n); err != nil {
		return nil, err
	}
	var y mat.Dense
	m.Transform(&y, x)
	if err := checkFinite(context.Background(), &y); err != nil {
		return nil, fmt.Errorf("projected samples: %w", err)
	}
	return newClassifier(m, &y, labels, k), nil
}

// newClassifier makes a classifier of projected samples.
func newClassifier(m *Model, y *mat.Dense, labels []int, k int) *Classifier {
	return &Classifier{model: m, k: k, points: knn.NewColumns(dense.View(y), labels)}
}

func checkNeighbors(k, n int) error {
	if k < 1 || k > n {
		return fmt.Errorf("%w: %d neighbors of %d samples", ErrSettings, k, n)
	}
	return nil
}

// WithK returns the classifier of the same samples, which are shared, by k neighbors.
func (c *Classifier) WithK(k int) (*Classifier, error) {
	if err := checkNeighbors(k, c.Len()); err != nil {
		return nil, err
	}
	return &Classifier{model: c.model, k: k, points: c.points}, nil
}

// Model returns the model that projects the samples.
func (c *Classifier) Model() *Model { return c.model }

// K returns the number of neighbors that vote.
func (c *Classifier) K() int { return c.k }

// Len returns the number of samples.
func (c *Classifier) Len() int {
	if c.points == nil {
		return 0
	}
	return c.points.Len()
}

// Labels returns the distinct labels of the samples, ascending.
func (c *Classifier) Labels() []int {
	if c.points == nil {
		return nil
	}
	return slices.Clone(c.points.Labels())
}

// Predict returns the class of a sample x (length d), which nobody needs to have checked:
// an error wraps ErrShape if x has another length, and ErrNotFinite if a value of x is not
// finite, or its projection or the distance of one of the K neighbors is beyond float64. It
// takes a workspace from a pool if w is nil, and allocates nothing in steady state but an
// error.
func (c *Classifier) Predict(x []float64, w *Workspace) (Class, error) {
	w, borrowed := c.workspace(w)
	defer giveBack(w, borrowed)
	if d, _ := c.model.Dims(); len(x) != d {
		return Class{}, fmt.Errorf("%w: a sample of %d features for a model of %d", ErrShape, len(x), d)
	}
	at := c.vote(x, w)
	if err := w.check(x); err != nil {
		return Class{}, err
	}
	label := c.points.Labels()[at]
	_, distances := w.search.Near(0)
	return Class{label, c.model.ClassName(label), w.share(at), distances[c.k-1]}, nil
}

// Shares sets dst to the share of the K neighbors that every label has, in the order of
// Labels: those of the latest use of the workspace, which must have been by Predict. They are
// NaN if the projection was not finite. It panics if dst has another length, and allocates nothing.
func (w *Workspace) Shares(dst []float64) {
	if len(dst) != len(w.votes) {
		panic(shapePanic)
	}
	unknown := slices.ContainsFunc(w.y, isNotFinite)
	for i := range dst {
		if dst[i] = w.share(i); unknown {
			dst[i] = math.NaN()
		}
	}
}

// share is that of the label at.
func (w *Workspace) share(at int) float64 { return float64(w.votes[at]) / float64(w.k) }

// near appends the k nearest samples, the nearest first, to dst[:0]. A distance beyond
// float64 is +Inf; if the projection of x is not finite, they mean nothing.
func (c *Classifier) near(dst []Neighbor, x []float64, k int, w *Workspace) []Neighbor {
	c.search(x, k, w)
	rows, distances := w.search.Near(0)
	dst = dst[:0]
	for i, r := range rows {
		dst = append(dst, Neighbor{r, c.points.Label(r), distances[i]})
	}
	return dst
}

// PredictAll returns the labels of the rows of x, computed by so many goroutines, or
// GOMAXPROCS if workers is 0. Unless shares is nil, its row i (n × C, C the number of
// Labels) is set to the shares of the labels among the K neighbors of row i of x; an empty
// matrix is given that shape, and it panics if one that is not has another, or overlaps x.
// An error wraps ErrShape, ErrSettings or, as that of Predict, ErrNotFinite, or is the
// cause of the context's end.
func (c *Classifier) PredictAll(ctx context.Context, shares *mat.Dense, x mat.Matrix, workers int) ([]int, error) {
	out, err := c.predictions(ctx, x, workers)
	if err != nil {
		return nil, err
	}
	if shares != nil {
		c.checkShares(shares, x)
	}
	err = c.rows(ctx, x, workers, func(i int, row []float64, w *Workspace) {
		if out[i] = c.points.Labels()[c.vote(row, w)]; shares != nil {
			w.Shares(shares.RawRowView(i))
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// checkShares gives shares the shape for the rows of x, or panics.
func (c *Classifier) checkShares(shares *mat.Dense, x mat.Matrix) {
	n, _ := x.Dims()
	classes := len(c.points.Labels())
	if shares.IsEmpty() {
		shares.ReuseAs(n, classes)
	}
	if r, k := shares.Dims(); r != n || k != classes {
		panic(shapePanic)
	}
	if t, ok := x.(mat.Untransposer); ok {
		x = t.Untranspose()
	}
	if rm, ok := x.(mat.RawMatrixer); ok && matrix.Overlap(dense.View(shares), dense.General(rm.RawMatrix())) {
		panic(overlapPanic)
	}
}

// Neighbors is PredictAll with the neighbors in place of their vote: element i of the result
// holds the k samples nearest to row i of x, the nearest first.
func (c *Classifier) Neighbors(ctx context.Context, x mat.Matrix, k, workers int) ([][]Neighbor, error) {
	labels, err := c.predictions(ctx, x, workers)
	if err != nil {
		return nil, err
	}
	if err := checkNeighbors(k, c.Len()); err != nil {
		return nil, err
	}
	out := make([][]Neighbor, len(labels))
	err = c.rows(ctx, x, workers, func(i int, row []float64, w *Workspace) { out[i] = c.near(nil, row, k, w) })
	if err != nil {
		return nil, err
	}
	return out, nil
}

// predictions checks the arguments and makes room for a label of every row of x.
func (c *Classifier) predictions(ctx context.Context, x mat.Matrix, workers int) ([]int, error) {
	c.check()
	n, xd := x.Dims()
	if d, _ := c.model.Dims(); xd != d {
		return nil, fmt.Errorf("%w: samples of %d features for a model of %d", ErrShape, xd, d)
	}
	if workers < 0 {
		return nil, fmt.Errorf("%w: %d workers", ErrSettings, workers)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return make([]int, n), checkFinite(ctx, x)
}

// rows calls f for all rows of x, each goroutine with a workspace of its own, and checks
// what f leaves there.
func (c *Classifier) rows(ctx context.Context, x mat.Matrix, workers int, f func(i int, row []float64, w *Workspace)) error {
	n, d := x.Dims()
	var bad error
	var mu sync.Mutex
	first := n
	parallel.For(workerCount(workers), n, 16, func(i, j int) {
		w, borrowed := c.workspace(nil)
		defer giveBack(w, borrowed)
		row := make([]float64, d)
		for ; i < j && ctx.Err() == nil; i++ {
			f(i, mat.Row(row, i, x), w)
			if err := w.check(row); err != nil {
				mu.Lock()
				if i < first {
					first, bad = i, inRow(i, err)
				}
				mu.Unlock()
			}
		}
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return bad
}

// inRow says in which row an error was found that a check of one row has returned.
func inRow(i int, err error) error {
	if pe, ok := errors.AsType[*PositionError](err); ok {
		pe.Row = i
		return err
	}
	return fmt.Errorf("row %d: %w", i, err)
}

// workspaces are lent to those who bring none.
var workspaces = sync.Pool{New: func() any { return new(Workspace) }}

// workspace makes w, or one of the pool, fit c.
func (c *Classifier) workspace(w *Workspace) (_ *Workspace, borrowed bool) {
	c.check()
	if borrowed = w == nil; borrowed {
		w = workspaces.Get().(*Workspace)
	}
	w.y, w.votes = resized(w.y, len(c.model.offset)), resized(w.votes, len(c.points.Labels()))
	return w, borrowed
}

func resized[E any](s []E, n int) []E { return slices.Grow(s[:0], n)[:n] }

func giveBack(w *Workspace, borrowed bool) {
	if borrowed {
		workspaces.Put(w)
	}
}

// check panics if c is the zero Classifier.
func (c *Classifier) check() {
	if c == nil || c.points == nil {
		panic("wda: a Classifier that neither NewClassifier nor Load has made classifies nothing")
	}
}

// vote sets w.votes and returns the class that wins.
func (c *Classifier) vote(x []float64, w *Workspace) int {
	c.search(x, c.k, w)
	rows, _ := w.search.Near(0)
	w.k = c.k
	return c.points.Vote(w.votes, rows)
}

// search looks for the k samples nearest to x.
func (c *Classifier) search(x []float64, k int, w *Workspace) {
	_ = c.model.TransformVec(w.y, x) // Workspace.check says what is wrong
	w.search.Nearest(context.Background(), c.points, matrix.OfRow(w.y), k)
}

// check says whether the latest search, for x, was of finite numbers alone.
func (w *Workspace) check(x []float64) error {
	if err := checkProjected(x, w.y); err != nil {
		return err
	}
	rows, distances := w.search.Near(0)
	if last := len(rows) - 1; isNotFinite(distances[last]) {
		return fmt.Errorf("%w: the distance from sample %d is %v", ErrNotFinite, rows[last], distances[last])
	}
	return nil
}

// MarshalBinary implements encoding.BinaryMarshaler. The file is that of the model,
// which Load reads, with the projected samples in it.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	if c == nil || c.points == nil {
		return nil, fmt.Errorf("%w: the zero Classifier", ErrModel)
	}
	return encode(c.model, c)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. On error, which wraps
// ErrModel, c is unchanged. It is an error if the file holds a model only. c must not be
// in use.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	_, loaded, err := decode(data)
	if err == nil && loaded == nil {
		err = errNoClassifier
	}
	if err != nil {
		return err
	}
	*c = *loaded
	return nil
}
