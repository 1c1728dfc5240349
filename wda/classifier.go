package wda

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/sqdist"
	"github.com/gomonge/monge/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// Classifier is a Model with labelled samples, projected. It classifies a new sample
// by its K nearest neighbors among them: neighbors are ordered by squared
// Euclidean distance in the projection and, where that is equal, by their row; the
// label that most of them have wins, and of labels that equally many have the one
// of the nearest neighbor. It does not change, and any number of goroutines may
// use it at once.
type Classifier struct {
	model  *Model
	k      int
	n, p   int
	zt     []float64 // the projected samples, transposed, p × n
	class  []int     // of every sample, an index into labels
	labels []int     // distinct, ascending
	pool   *sync.Pool
}

// Workspace is the memory that a Classifier works in. It must not be used by two
// goroutines at once.
type Workspace struct {
	y        []float64 // the projected sample
	distance []float64 // to a block of samples
	near     []Neighbor
	votes    []int
}

// Neighbor is a sample of the Classifier near another one.
type Neighbor struct {
	Row        int // of the samples that the Classifier was made with
	Label      int
	SqDistance float64 // in the projection
}

// classifierBlock is the number of distances that are computed at a time.
const classifierBlock = 1024

// NewClassifier returns the classifier of the samples x (n × d) with these labels and
// k neighbors; k = 0 is 5, or n if that is less. The samples are usually those of
// the fit, but need not be. Errors wrap the sentinel errors of this package.
func NewClassifier(m *Model, x mat.Matrix, labels []int, k int) (*Classifier, error) {
	if err := checkSamples(x, labels); err != nil {
		return nil, err
	}
	n, xd := x.Dims()
	d, _ := m.Dims()
	if xd != d {
		return nil, fmt.Errorf("%w: samples of %d features for a model of %d", ErrShape, xd, d)
	}
	if k == 0 {
		k = min(5, n)
	}
	if k < 1 || k > n {
		return nil, fmt.Errorf("%w: %d neighbors of %d samples", ErrSettings, k, n)
	}
	var y mat.Dense
	m.Transform(&y, x)
	if err := checkFinite(&y); err != nil {
		return nil, fmt.Errorf("projected samples: %w", err)
	}
	return newClassifier(m, &y, labels, k), nil
}

// newClassifier makes a classifier of projected samples.
func newClassifier(m *Model, y *mat.Dense, labels []int, k int) *Classifier {
	n, p := y.Dims()
	c := &Classifier{
		model: m, k: k, n: n, p: p, zt: mat.DenseCopyOf(y.T()).RawMatrix().Data, class: make([]int, n),
		labels: slices.Compact(slices.Sorted(slices.Values(labels))),
	}
	for i, l := range labels {
		c.class[i], _ = slices.BinarySearch(c.labels, l)
	}
	c.pool = &sync.Pool{New: func() any { return c.NewWorkspace() }}
	return c
}

// WithK returns the classifier of the same samples, which are shared, by k neighbors.
func (c *Classifier) WithK(k int) (*Classifier, error) {
	if k < 1 || k > c.n {
		return nil, fmt.Errorf("%w: %d neighbors of %d samples", ErrSettings, k, c.n)
	}
	other := *c
	other.k = k
	other.pool = &sync.Pool{New: func() any { return other.NewWorkspace() }}
	return &other, nil
}

// Model returns the model that projects the samples.
func (c *Classifier) Model() *Model { return c.model }

// K returns the number of neighbors that vote.
func (c *Classifier) K() int { return c.k }

// Len returns the number of samples.
func (c *Classifier) Len() int { return c.n }

// Labels returns the distinct labels of the samples, ascending.
func (c *Classifier) Labels() []int { return slices.Clone(c.labels) }

// NewWorkspace returns a workspace for one goroutine.
func (c *Classifier) NewWorkspace() *Workspace {
	return &Workspace{
		y: make([]float64, c.p), distance: make([]float64, min(classifierBlock, c.n)),
		near: make([]Neighbor, 0, c.k), votes: make([]int, len(c.labels)),
	}
}

// Predict returns the label of a sample x (length d, finite). Like the methods below
// it takes a workspace of its own from a pool if w is nil, allocates nothing in
// steady state, and panics if lengths do not match.
func (c *Classifier) Predict(x []float64, w *Workspace) int {
	w, borrowed := c.workspace(w)
	at := c.vote(x, w)
	if borrowed {
		c.pool.Put(w)
	}
	return c.labels[at]
}

// PredictProba sets dst to the share of the K neighbors that every label has, in
// the order of Labels, and returns the label that Predict would.
func (c *Classifier) PredictProba(dst, x []float64, w *Workspace) int {
	if len(dst) != len(c.labels) {
		panic(shapePanic)
	}
	w, borrowed := c.workspace(w)
	at := c.vote(x, w)
	for i, v := range w.votes {
		dst[i] = float64(v) / float64(c.k)
	}
	if borrowed {
		c.pool.Put(w)
	}
	return c.labels[at]
}

// Neighbors appends the k nearest samples, the nearest first, to dst[:0].
func (c *Classifier) Neighbors(dst []Neighbor, x []float64, k int, w *Workspace) []Neighbor {
	if k < 1 || k > c.n {
		panic("wda: number of neighbors out of range")
	}
	w, borrowed := c.workspace(w)
	c.search(x, k, w)
	dst = append(dst[:0], w.near...)
	if borrowed {
		c.pool.Put(w)
	}
	return dst
}

// PredictAll returns the labels of the rows of x, computed by so many goroutines, or
// GOMAXPROCS if workers is 0. An error wraps ErrShape, ErrSettings or ErrNotFinite, or
// is the cause of the context's end.
func (c *Classifier) PredictAll(ctx context.Context, x mat.Matrix, workers int) ([]int, error) {
	out, err := c.predictions(ctx, x, workers)
	if err != nil {
		return nil, err
	}
	err = c.rows(ctx, x, workers, func(i int, row []float64, w *Workspace) { out[i] = c.Predict(row, w) })
	if err != nil {
		return nil, err
	}
	return out, nil
}

// PredictProbaAll is PredictAll with PredictProba: row i of dst (n × C, C the number of
// Labels) is set to the shares of the labels among the neighbors of row i of x. An
// empty dst is given that shape; it panics if one that is not has another.
func (c *Classifier) PredictProbaAll(ctx context.Context, dst *mat.Dense, x mat.Matrix, workers int) ([]int, error) {
	out, err := c.predictions(ctx, x, workers)
	if err != nil {
		return nil, err
	}
	if dst.IsEmpty() {
		dst.ReuseAs(len(out), len(c.labels))
	}
	if r, k := dst.Dims(); r != len(out) || k != len(c.labels) {
		panic(shapePanic)
	}
	err = c.rows(ctx, x, workers, func(i int, row []float64, w *Workspace) { out[i] = c.PredictProba(dst.RawRowView(i), row, w) })
	if err != nil {
		return nil, err
	}
	return out, nil
}

// NeighborsAll is PredictAll with Neighbors: element i of the result holds the k
// nearest samples of row i of x.
func (c *Classifier) NeighborsAll(ctx context.Context, x mat.Matrix, k, workers int) ([][]Neighbor, error) {
	labels, err := c.predictions(ctx, x, workers)
	if err != nil {
		return nil, err
	}
	if k < 1 || k > c.n {
		return nil, fmt.Errorf("%w: %d neighbors of %d samples", ErrSettings, k, c.n)
	}
	out := make([][]Neighbor, len(labels))
	err = c.rows(ctx, x, workers, func(i int, row []float64, w *Workspace) { out[i] = c.Neighbors(nil, row, k, w) })
	if err != nil {
		return nil, err
	}
	return out, nil
}

// predictions checks the arguments and makes room for a label of every row of x.
func (c *Classifier) predictions(ctx context.Context, x mat.Matrix, workers int) ([]int, error) {
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
	return make([]int, n), checkFinite(x)
}

// rows calls f for all rows of x, each goroutine with a workspace of its own. It is an
// error if the projection of a row, which f leaves in the workspace, is beyond float64:
// its distances have no order.
func (c *Classifier) rows(ctx context.Context, x mat.Matrix, workers int, f func(i int, row []float64, w *Workspace)) error {
	n, d := x.Dims()
	var bad error
	var mu sync.Mutex
	first := n
	parallel.For(workerCount(workers), n, 16, func(i, j int) {
		w, row := c.pool.Get().(*Workspace), make([]float64, d)
		for ; i < j && ctx.Err() == nil; i++ {
			f(i, mat.Row(row, i, x), w)
			if at := slices.IndexFunc(w.y, func(v float64) bool { return v-v != 0 }); at >= 0 {
				mu.Lock()
				if i < first {
					first, bad = i, fmt.Errorf("projected samples: %w", &PositionError{i, at, w.y[at], ErrNotFinite})
				}
				mu.Unlock()
			}
		}
		c.pool.Put(w)
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return bad
}

func (c *Classifier) workspace(w *Workspace) (_ *Workspace, borrowed bool) {
	if w != nil {
		return w, false
	}
	return c.pool.Get().(*Workspace), true
}

// vote sets w.votes and returns the class that wins.
func (c *Classifier) vote(x []float64, w *Workspace) int {
	c.search(x, c.k, w)
	clear(w.votes)
	most := 0
	for _, n := range w.near {
		at := c.class[n.Row]
		w.votes[at]++
		most = max(most, w.votes[at])
	}
	for _, n := range w.near {
		if at := c.class[n.Row]; w.votes[at] == most {
			return at
		}
	}
	return 0
}

// search sets w.near to the k nearest samples.
func (c *Classifier) search(x []float64, k int, w *Workspace) {
	if cap(w.near) < k {
		w.near = make([]Neighbor, 0, k)
	}
	c.model.TransformVec(w.y, x)
	w.near = w.near[:0]
	for first := 0; first < c.n; first += classifierBlock {
		d := w.distance[:min(classifierBlock, c.n-first)]
		sqdist.Block(asm.Best(), 1, len(d), c.p, d, len(d), w.y, c.p, c.zt[first:], c.n, false)
		for j, v := range d {
			h := len(w.near)
			if h == k {
				if v >= w.near[k-1].SqDistance {
					continue
				}
				h--
			} else {
				w.near = w.near[:h+1]
			}
			for ; h > 0 && v < w.near[h-1].SqDistance; h-- {
				w.near[h] = w.near[h-1]
			}
			w.near[h] = Neighbor{Row: first + j, SqDistance: v}
		}
	}
	for i := range w.near {
		w.near[i].Label = c.labels[c.class[w.near[i].Row]]
	}
}

// projected returns the samples, projected, and their labels.
func (c *Classifier) samples() (y *mat.Dense, labels []int64) {
	labels = make([]int64, c.n)
	for i, at := range c.class {
		labels[i] = int64(c.labels[at])
	}
	return mat.DenseCopyOf(mat.NewDense(c.p, c.n, c.zt).T()), labels
}

// MarshalBinary implements encoding.BinaryMarshaler. The file is that of the model,
// which Load reads, with the projected samples in it.
func (c *Classifier) MarshalBinary() ([]byte, error) { return encode(c.model, c) }

// UnmarshalBinary implements encoding.BinaryUnmarshaler. On error, which wraps
// ErrModel, c is unchanged. It is an error if the file holds a model only.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	_, loaded, err := decode(data)
	if err == nil && loaded == nil {
		err = fmt.Errorf("%w: it holds no classifier", ErrModel)
	}
	if err != nil {
		return err
	}
	*c = *loaded
	return nil
}
