package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/search"
	"github.com/gomonge/monge/wda"
)

// Options configures how a [Cache] compares embeddings.
type Options struct {
	// Model projects embeddings to a few features before they are compared by squared distance. If
	// Model is nil, embeddings are compared by cosine similarity.
	Model *wda.Model

	// Groups is the number of groups to search. A group contains the questions with the same
	// answer. Lookup searches the groups whose means are nearest to the query. If Groups is 0,
	// Lookup searches all groups.
	Groups int

	// Storage is the format of the stored numbers.
	Storage search.Storage
}

// Cache stores embeddings of questions, each with the number of its answer. It finds the stored
// question that is most similar to a new question. A Cache is safe for concurrent use.
type Cache struct {
	options Options
	d       int // length of an embedding

	current atomic.Pointer[snapshot] // read by lookups without locking
	adding  sync.Mutex               // held while the snapshot is replaced

	work sync.Pool // of *work
}

// snapshot is the immutable contents of a cache.
type snapshot struct {
	groups    []group
	means     *search.Rows
	questions int
}

// group holds the questions that have the same answer.
type group struct {
	answer    int
	questions []int        // numbers of the questions, in the order of insertion
	rows      *search.Rows // embeddings or projections of the questions
	mean      []float32
}

// Found is the stored question most similar to the query.
type Found struct {
	Question, Answer int     // numbers of the question and its answer, or −1 if nothing is stored
	Score            float32 // the cosine similarity, or minus the squared distance of projections
}

// work is the scratch memory of one lookup.
type work struct {
	searcher     search.Searcher
	groups       []int
	query, short []float32
}

// NewCache returns a cache of the embeddings (n × d) with their answers. NewCache copies the
// embeddings.
func NewCache(embeddings dist.Matrix[float32], answers []int, options Options) (*Cache, error) {
	if len(answers) != embeddings.Rows {
		return nil, fmt.Errorf("%d embeddings with %d answers", embeddings.Rows, len(answers))
	}
	c := &Cache{options: options, d: embeddings.Cols}
	c.work.New = func() any { return new(work) }
	of := map[int][]int{}
	for i, a := range answers {
		of[a] = append(of[a], i)
	}
	s := &snapshot{questions: len(answers)}
	for _, a := range slices.Compact(slices.Sorted(slices.Values(answers))) {
		x := dist.NewMatrix[float32](len(of[a]), c.d, nil)
		for i, row := range of[a] {
			normalize(x.Row(i), embeddings.Row(row))
		}
		g := group{answer: a, questions: of[a]}
		if err := c.setGroup(&g, x); err != nil {
			return nil, err
		}
		s.groups = append(s.groups, g)
	}
	return c, c.publish(s)
}

// setGroup stores the embeddings x of a group, or their projections, and sets the mean of the
// group. The embeddings must have Euclidean norm 1.
func (c *Cache) setGroup(g *group, x dist.Matrix[float32]) (err error) {
	if m := c.options.Model; m != nil {
		_, components := m.Dims()
		short := dist.NewMatrix[float32](x.Rows, components, nil)
		if err := m.Transform32(short, x); err != nil {
			return err
		}
		x = short
	}
	if g.rows, err = search.NewRows(x, c.options.Storage); err != nil {
		return err
	}
	g.mean = make([]float32, x.Cols)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			g.mean[j] += v / float32(x.Rows)
		}
	}
	return nil
}

// publish replaces the contents of the cache by s.
func (c *Cache) publish(s *snapshot) (err error) {
	if len(s.groups) > 0 {
		means := dist.NewMatrix[float32](len(s.groups), len(s.groups[0].mean), nil)
		for i, g := range s.groups {
			copy(means.Row(i), g.mean)
		}
		if s.means, err = search.NewRows(means, search.StorageFloat32); err != nil {
			return err
		}
	}
	c.current.Store(s)
	return nil
}

// Add stores a question and rebuilds the group of its answer. Concurrent lookups use the old
// contents.
func (c *Cache) Add(embedding []float32, answer int) error {
	if len(embedding) != c.d {
		return fmt.Errorf("an embedding of %d numbers; the cache has %d", len(embedding), c.d)
	}
	unit := make([]float32, c.d)
	normalize(unit, embedding)
	c.adding.Lock()
	defer c.adding.Unlock()
	old := c.current.Load()
	s := &snapshot{groups: slices.Clone(old.groups), questions: old.questions + 1}
	at := slices.IndexFunc(s.groups, func(g group) bool { return g.answer == answer })
	if at < 0 {
		at = len(s.groups)
		s.groups = append(s.groups, group{answer: answer})
	}
	g, one := &s.groups[at], group{}
	if err := c.setGroup(&one, dist.NewMatrix(1, c.d, unit)); err != nil {
		return err
	}
	n := len(g.questions)
	g.questions = append(g.questions[:n:n], old.questions)
	if n > 0 {
		var err error
		if one.rows, err = concatenateRows(g.rows, one.rows); err != nil {
			return err
		}
	}
	g.rows = one.rows
	mean := one.mean
	for j := range g.mean {
		mean[j] = g.mean[j] + (mean[j]-g.mean[j])/float32(n+1)
	}
	g.mean = mean
	return c.publish(s)
}

// concatenateRows returns the rows of a followed by the rows of b.
func concatenateRows(a, b *search.Rows) (*search.Rows, error) {
	x := dist.NewMatrix[float32](a.Len()+b.Len(), a.Cols(), nil)
	for i := range x.Rows {
		if i < a.Len() {
			a.Row(x.Row(i), i)
		} else {
			b.Row(x.Row(i), i-a.Len())
		}
	}
	return search.NewRows(x, b.Storage())
}

// Lookup returns the stored question most similar to embedding. Compare its score with a threshold
// before you use its answer.
func (c *Cache) Lookup(ctx context.Context, embedding []float32) (Found, error) {
	best := Found{-1, -1, float32(math.Inf(-1))}
	if len(embedding) != c.d {
		return best, fmt.Errorf("an embedding of %d numbers; the cache has %d", len(embedding), c.d)
	}
	w := c.work.Get().(*work)
	defer c.work.Put(w)
	w.query = resize(w.query, c.d)
	normalize(w.query, embedding)
	query, measure := dist.NewMatrix(1, c.d, w.query), search.MeasureCosine
	if m := c.options.Model; m != nil {
		_, components := m.Dims()
		w.short = resize(w.short, components)
		short := dist.NewMatrix(1, components, w.short)
		if err := m.Transform32(short, query); err != nil {
			return best, err
		}
		query, measure = short, search.MeasureSqEuclidean
	}
	now := c.current.Load()
	if err := c.selectGroups(ctx, w, now, query, measure); err != nil {
		return best, err
	}
	for _, i := range w.groups {
		g := &now.groups[i]
		found, err := w.searcher.Nearest(ctx, g.rows, query, 1, measure)
		if err != nil {
			return best, err
		}
		f := found[0][0]
		if measure == search.MeasureSqEuclidean {
			f.Value = -f.Value
		}
		if f.Value > best.Score {
			best = Found{g.questions[f.Row], g.answer, f.Value}
		}
	}
	return best, nil
}

// selectGroups sets w.groups to the groups to search.
func (c *Cache) selectGroups(ctx context.Context, w *work, s *snapshot, query dist.Matrix[float32], measure search.Measure) error {
	w.groups = w.groups[:0]
	if k := c.options.Groups; k == 0 || k >= len(s.groups) {
		for i := range s.groups {
			w.groups = append(w.groups, i)
		}
		return nil
	}
	found, err := w.searcher.Nearest(ctx, s.means, query, c.options.Groups, measure)
	if err != nil {
		return err
	}
	for _, f := range found[0] {
		w.groups = append(w.groups, f.Row)
	}
	return nil
}

// Bytes returns the size in bytes of the stored embeddings or projections.
func (c *Cache) Bytes() int {
	sum := 0
	for _, g := range c.current.Load().groups {
		sum += g.rows.Bytes()
	}
	return sum
}

// normalize sets dst to x scaled to Euclidean norm 1.
func normalize(dst, x []float32) {
	sum := 0.0
	for _, v := range x {
		sum = math.FMA(float64(v), float64(v), sum)
	}
	factor := 1.0
	if sum > 0 {
		factor = 1 / math.Sqrt(sum)
	}
	for i, v := range x {
		dst[i] = float32(float64(v) * factor)
	}
}

func resize(x []float32, n int) []float32 {
	if len(x) != n {
		return make([]float32, n)
	}
	return x
}
