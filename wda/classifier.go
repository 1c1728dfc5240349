package wda

import (
	"context"
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

// Classifier classifies samples by their K nearest neighbors in the projection of a Model.
//
// It stores projected samples and their labels. The neighbors of a new sample are sorted by squared
// Euclidean distance in the projection, and by row if distances are equal. The most frequent label
// among the K neighbors wins. If several labels have the same number of votes, the label with the
// nearest neighbor wins.
//
// A Classifier never changes, and any number of goroutines may use it at the same time. The zero
// value can only be used with UnmarshalBinary; classifying with it panics.
type Classifier struct {
	model   *Model
	k       int
	points  *knn.Points[float64] // the projected samples
	compact *compactStorage      // the compact storage of the samples, or nil for float64
	// rejection is nil unless Calibrate made the classifier.
	rejection *rejection
}

// Workspace is the scratch memory of a Classifier. The zero value is ready to use. It grows when
// needed and may serve one Classifier after another, but only one goroutine at a time.
type Workspace struct {
	x        []float64 // the sample of Predict32, converted to float64
	y        []float64 // the projected sample
	centered []float64 // the sample minus the mean, scaled; see residualShare
	inSpan   []float64 // coordinates of the sample's projection onto the span
	search   knn.Search[float64]
	votes    []int
	voters   int // number of neighbors that voted
}

// Neighbor is a sample of a Classifier that is near another sample.
type Neighbor struct {
	Row        int // row of the sample in the argument x of NewClassifier
	Label      int
	SqDistance float64 // squared Euclidean distance of the projected samples
}

// Class is the result of Predict.
type Class struct {
	Label int
	Name  string  // the name of the class; see Model.ClassName
	Share float64 // fraction of the K neighbors that have this label
	// SqDistance is the squared distance of the farthest of the K neighbors, in the projection. A
	// large value means that the sample is unlike all samples of the classifier.
	SqDistance float64
	// Score measures how much the sample differs from the samples of the classifier. Score is 0 on
	// average for known classes and larger for unknown classes. The unit is about one standard
	// deviation of the scores of known classes. Rejected means that Score is above the threshold.
	// Score is 0 and Rejected is false if the classifier was not calibrated.
	Score    float64
	Rejected bool
}

// NewClassifier returns a classifier that stores the projections of the samples x (n × d) and their
// labels, and votes with k neighbors. k = 0 means 5, or n if n < 5. x is usually, but not necessarily,
// the training data of the model. x and labels are copied.
//
// The error wraps ErrShape if x has no rows or its number of columns is not d, and ErrLabels if the
// number of labels is not n. It wraps ErrNotFinite if x or its projection contains NaN or infinity,
// and ErrSettings unless 0 ≤ k ≤ n. If ctx ends, the error is context.Cause(ctx).
func NewClassifier(ctx context.Context, m *Model, x mat.Matrix, labels []int, k int) (*Classifier, error) {
	m.mustDims()
	if err := checkShape(x, labels); err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	if k == 0 {
		k = min(5, n)
	}
	if err := checkNeighbors(k, n); err != nil {
		return nil, err
	}
	var y mat.Dense
	if err := m.transform(ctx, &y, x); err != nil {
		return nil, err
	}
	return newClassifier(ctx, m, &y, labels, k)
}

// newClassifier returns a classifier of the projected samples y.
func newClassifier(ctx context.Context, m *Model, y *mat.Dense, labels []int, k int) (*Classifier, error) {
	points, err := knn.NewColumns(ctx, dense.View(y), labels)
	if err != nil {
		return nil, err
	}
	return &Classifier{model: m, k: k, points: points}, nil
}

func checkNeighbors(k, n int) error {
	if k < 1 || k > n {
		return fmt.Errorf("%w: %d neighbors; it must be between 1 and the number of samples, %d", ErrSettings, k, n)
	}
	return nil
}

// WithK returns a classifier like c that votes with k neighbors. The new classifier shares the samples
// of c. If k differs from c.K(), the new classifier is not calibrated, because scores depend on k. The
// error wraps ErrSettings unless 1 ≤ k ≤ c.Len().
func (c *Classifier) WithK(k int) (*Classifier, error) {
	if err := checkNeighbors(k, c.Len()); err != nil {
		return nil, err
	}
	other := *c
	if other.k = k; k != c.k {
		other.rejection = nil
	}
	return &other, nil
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

// Labels returns the distinct labels of the samples, in ascending order.
func (c *Classifier) Labels() []int {
	if c.points == nil {
		return nil
	}
	return slices.Clone(c.points.Labels())
}

// Predict classifies the sample x, a slice of d features. If w is nil, Predict takes a workspace
// from a pool. After warm-up Predict does not allocate, except for errors.
//
// The error wraps ErrShape if len(x) is not d. It wraps ErrNotFinite if x contains NaN or infinity,
// or if its projection or the distance to one of the K neighbors exceeds the range of float64.
func (c *Classifier) Predict(x []float64, w *Workspace) (Class, error) {
	w, borrowed := c.prepareWorkspace(w)
	defer returnWorkspace(w, borrowed)
	if d, _ := c.model.Dims(); len(x) != d {
		return Class{}, fmt.Errorf("%w: the sample has %d features, but the model was fitted to %d", ErrShape, len(x), d)
	}
	at := c.vote(x, w)
	if err := w.checkSearch(x); err != nil {
		return Class{}, err
	}
	return c.newClass(x, at, w), nil
}

// Predict32 classifies the sample x, a slice of d features in float32. The result is bit-identical
// to the result of Predict for the same values in float64. The workspace w, the allocations and the
// errors are as in Predict.
func (c *Classifier) Predict32(x []float32, w *Workspace) (Class, error) {
	w, borrowed := c.prepareWorkspace(w)
	defer returnWorkspace(w, borrowed)
	w.x = resize(w.x, len(x))
	for i, v := range x {
		w.x[i] = float64(v)
	}
	return c.Predict(w.x, w)
}

// newClass returns the Class of the sample x. labelIndex is the result of vote for x and w.
func (c *Classifier) newClass(x []float64, labelIndex int, w *Workspace) Class {
	label := c.points.Labels()[labelIndex]
	_, distances := w.search.Near(0)
	out := Class{Label: label, Name: c.model.ClassName(label), Share: w.voteShare(labelIndex), SqDistance: distances[c.k-1]}
	c.setScore(&out, x, labelIndex, w)
	return out
}

// Shares sets dst to the share of each label in the latest Predict with the workspace w. The share of a
// label is the fraction of the K neighbors that have this label. The shares are in the order of
// Classifier.Labels. They are NaN if the projection was not finite. The error wraps ErrShape if dst
// does not have one element for each label. Shares does not allocate, except for errors.
func (w *Workspace) Shares(dst []float64) error {
	if len(dst) != len(w.votes) {
		return fmt.Errorf("%w: a destination of %d elements for the shares of %d labels", ErrShape, len(dst), len(w.votes))
	}
	unknown := firstNotFinite(w.y) >= 0
	for i := range dst {
		if dst[i] = w.voteShare(i); unknown {
			dst[i] = math.NaN()
		}
	}
	return nil
}

// voteShare returns the fraction of the votes for the label with the given index.
func (w *Workspace) voteShare(labelIndex int) float64 {
	return float64(w.votes[labelIndex]) / float64(w.voters)
}

// appendNeighbors appends the k nearest samples to dst[:0], the nearest first. A distance beyond
// the range of float64 is +Inf. The neighbors are meaningless if the projection of x is not finite.
func (c *Classifier) appendNeighbors(dst []Neighbor, x []float64, k int, w *Workspace) []Neighbor {
	c.searchNearest(x, k, w)
	rows, distances := w.search.Near(0)
	dst = dst[:0]
	for i, r := range rows {
		dst = append(dst, Neighbor{r, c.points.Label(r), distances[i]})
	}
	return dst
}

// PredictLabels classifies the rows of x (n × d) and returns their n labels. It uses at most
// workers goroutines, or GOMAXPROCS if workers is 0.
//
// If shares is not nil, PredictLabels sets element (i, j) of shares to the fraction of the K neighbors
// of row i of x that have the label Labels()[j]. For C labels, shares must be n × C or empty; an empty
// matrix is resized. shares must not overlap x.
//
// Errors are as in Predict, and name the row. The error also wraps ErrShape if shares has the wrong
// shape or overlaps x, and ErrSettings if workers is negative. If ctx ends, the error is
// context.Cause(ctx).
func (c *Classifier) PredictLabels(ctx context.Context, shares *mat.Dense, x mat.Matrix, workers int) ([]int, error) {
	out, err := c.newLabels(ctx, x, workers)
	if err != nil {
		return nil, err
	}
	if shares != nil {
		if err := c.checkShares(shares, x); err != nil {
			return nil, err
		}
	}
	err = c.forEachRow(ctx, x, workers, func(i int, row []float64, w *Workspace) {
		if out[i] = c.points.Labels()[c.vote(row, w)]; shares != nil {
			_ = w.Shares(shares.RawRowView(i)) // the shape has been checked
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// PredictAll classifies the rows of x (n × d) and returns the result of Predict for each row. The
// number of workers and the errors are as in PredictLabels.
func (c *Classifier) PredictAll(ctx context.Context, x mat.Matrix, workers int) ([]Class, error) {
	labels, err := c.newLabels(ctx, x, workers)
	if err != nil {
		return nil, err
	}
	out := make([]Class, len(labels))
	err = c.forEachRow(ctx, x, workers, func(i int, row []float64, w *Workspace) { out[i] = c.newClass(row, c.vote(row, w), w) })
	if err != nil {
		return nil, err
	}
	return out, nil
}

// checkShares checks that shares has a row for each row of x and a column for each label, and does
// not overlap x. If shares is empty, checkShares first resizes shares.
func (c *Classifier) checkShares(shares *mat.Dense, x mat.Matrix) error {
	n, _ := x.Dims()
	classes := len(c.points.Labels())
	if shares.IsEmpty() {
		shares.ReuseAs(n, classes)
	}
	if r, k := shares.Dims(); r != n || k != classes {
		return fmt.Errorf("%w: shares is %d × %d; it must be %d × %d or empty", ErrShape, r, k, n, classes)
	}
	if t, ok := x.(mat.Untransposer); ok {
		x = t.Untranspose()
	}
	if rm, ok := x.(mat.RawMatrixer); ok && matrix.Overlap(dense.View(shares), dense.General(rm.RawMatrix())) {
		return errOverlap
	}
	return nil
}

// Neighbors finds the k nearest samples of each row of x (n × d). Element i of the result contains
// the neighbors of row i, nearest first. k must be between 1 and c.Len(); it may differ from c.K().
// The number of workers and the errors are as in PredictLabels.
func (c *Classifier) Neighbors(ctx context.Context, x mat.Matrix, k, workers int) ([][]Neighbor, error) {
	labels, err := c.newLabels(ctx, x, workers)
	if err != nil {
		return nil, err
	}
	if err := checkNeighbors(k, c.Len()); err != nil {
		return nil, err
	}
	out := make([][]Neighbor, len(labels))
	err = c.forEachRow(ctx, x, workers, func(i int, row []float64, w *Workspace) { out[i] = c.appendNeighbors(nil, row, k, w) })
	if err != nil {
		return nil, err
	}
	return out, nil
}

// newLabels checks the arguments and allocates a label for each row of x.
func (c *Classifier) newLabels(ctx context.Context, x mat.Matrix, workers int) ([]int, error) {
	c.mustBeMade()
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

// forEachRow calls f for each row of x. f must search for neighbors with w. After each call of f,
// forEachRow checks the distances of these neighbors. If several rows fail, it returns the error of
// the first such row.
func (c *Classifier) forEachRow(ctx context.Context, x mat.Matrix, workers int, f func(i int, row []float64, w *Workspace)) error {
	n, _ := x.Dims()
	var bad error
	var mu sync.Mutex
	first := n
	parallel.For(parallel.Count(workers), n, 16, func(i, j int) {
		w, borrowed := c.prepareWorkspace(nil)
		defer returnWorkspace(w, borrowed)
		rows := rowsOf(x)
		for ; i < j && ctx.Err() == nil; i++ {
			row, err := rows(i)
			if err == nil {
				f(i, row, w)
				err = w.checkSearch(row)
			}
			if err != nil {
				mu.Lock()
				if i < first {
					first, bad = i, setErrorRow(i, err)
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

// workspaces is the pool of workspaces for callers that pass nil.
var workspaces = sync.Pool{New: func() any { return new(Workspace) }}

// prepareWorkspace resizes w for c. If w is nil, it borrows a workspace from the pool.
func (c *Classifier) prepareWorkspace(w *Workspace) (_ *Workspace, borrowed bool) {
	c.mustBeMade()
	if borrowed = w == nil; borrowed {
		w = workspaces.Get().(*Workspace)
	}
	w.y, w.votes = resize(w.y, len(c.model.offset)), resize(w.votes, len(c.points.Labels()))
	return w, borrowed
}

func resize[E any](s []E, n int) []E { return slices.Grow(s[:0], n)[:n] }

func returnWorkspace(w *Workspace, borrowed bool) {
	if borrowed {
		workspaces.Put(w)
	}
}

// mustBeMade panics if c is the zero Classifier.
func (c *Classifier) mustBeMade() {
	if c == nil || c.points == nil {
		panic("wda: use of a zero Classifier: make one by NewClassifier or Load")
	}
}

// vote counts the votes of the neighbors of x in w.votes, and returns the index of the label that wins.
func (c *Classifier) vote(x []float64, w *Workspace) int {
	c.searchNearest(x, c.k, w)
	rows, _ := w.search.Near(0)
	w.voters = c.k
	return c.points.Vote(w.votes, rows)
}

// searchNearest sets w.search to the k samples nearest to x.
func (c *Classifier) searchNearest(x []float64, k int, w *Workspace) {
	_ = c.model.TransformVec(w.y, x) // checkSearch reports the error
	w.search.Nearest(context.Background(), c.points, matrix.OfRow(w.y), k)
}

// checkSearch returns an error unless x, its projection and the distances of the latest search are finite.
func (w *Workspace) checkSearch(x []float64) error {
	if err := checkProjected(x, w.y); err != nil {
		return err
	}
	rows, distances := w.search.Near(0)
	if last := len(rows) - 1; isNotFinite(distances[last]) {
		return fmt.Errorf("%w: the distance to row %d of the classifier's samples is %v", ErrNotFinite, rows[last], distances[last])
	}
	return nil
}

// MarshalBinary implements encoding.BinaryMarshaler. The result is a model file that also
// contains the projected samples and their labels. Load reads this file.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	if c == nil || c.points == nil {
		return nil, fmt.Errorf("%w: the zero Classifier", ErrModel)
	}
	return encodeModelFile(c.model, c)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. The error wraps ErrModel if data is not a
// valid model file or does not contain a classifier. In case of an error, c is unchanged. No other
// goroutine may use c at the same time.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	_, loaded, err := decodeModelFile(data)
	if err == nil && loaded == nil {
		err = fmt.Errorf("%w; read it with Load or Model.UnmarshalBinary", errNoClassifier)
	}
	if err != nil {
		return err
	}
	*c = *loaded
	return nil
}
