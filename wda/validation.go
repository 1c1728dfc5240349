package wda

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomonge/monge/internal/dense"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/knn"
	"github.com/gomonge/monge/internal/parallel"
	"gonum.org/v1/gonum/mat"
)

// heldOut has the held-out samples and the training samples.
type heldOut struct {
	set                 Validation
	trainX, x           mat.Matrix
	trainLabels, labels []int
}

// holdOut checks v and sets its defaults. If v has no samples, holdOut divides the samples x, which
// must have been checked, into training samples and held-out samples.
func (v *Validation) holdOut(ctx context.Context, x mat.Matrix, labels []int, seed uint64) (*heldOut, error) {
	h := &heldOut{set: *v, trainX: x, trainLabels: labels}
	s := &h.set
	if s.Fraction == 0 {
		s.Fraction = 0.25
	}
	if s.Neighbors == 0 {
		s.Neighbors = 5
	}
	if s.Every == 0 {
		s.Every = 2
	}
	if s.Patience == 0 {
		s.Patience = 10
	}
	if !(s.Fraction > 0 && s.Fraction < 1) || s.Neighbors < 0 || s.Every < 0 || s.Patience < 0 {
		return nil, fmt.Errorf("%w: Validation has Fraction %v, Neighbors %d, Every %d, Patience %d; Fraction must be between 0 and 1, and the others must not be negative", ErrSettings, s.Fraction, s.Neighbors, s.Every, s.Patience)
	}
	if s.X != nil {
		n, d := s.X.Dims()
		if _, xd := x.Dims(); d != xd || n == 0 {
			return nil, fmt.Errorf("%w: validation samples are %d × %d for %d features", ErrShape, n, d, xd)
		}
		if len(s.Labels) != n {
			return nil, fmt.Errorf("%w: %d labels for %d validation samples", ErrLabels, len(s.Labels), n)
		}
		if err := checkFinite(ctx, s.X); err != nil {
			return nil, fmt.Errorf("validation samples: %w", err)
		}
		known := slices.Compact(slices.Sorted(slices.Values(labels)))
		for i, l := range s.Labels {
			if _, ok := slices.BinarySearch(known, l); !ok {
				return nil, fmt.Errorf("%w: row %d of the validation samples has label %d, which no training sample has", ErrLabels, i, l)
			}
		}
		h.x, h.labels = s.X, s.Labels
		return h, nil
	}
	rng := rand.New(rand.NewPCG(seed, streamHoldOut))
	var in, out []int
	for _, rows := range shuffledClasses(labels, rng) {
		k := min(int(math.Round(s.Fraction*float64(len(rows)))), max(len(rows)-2, 0))
		out = append(out, rows[:k]...)
		in = append(in, rows[k:]...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: no class has enough samples to hold any out for Validation", ErrSettings)
	}
	slices.Sort(in)
	slices.Sort(out)
	k := len(in)
	both, ofBoth := copyRows(ctx, x, labels, append(in, out...))
	n, d := both.Dims()
	h.trainX, h.trainLabels = both.Slice(0, k, 0, d), ofBoth[:k]
	h.x, h.labels = both.Slice(k, n, 0, d), ofBoth[k:]
	return h, nil
}

// copyRows returns copies of the given rows and their labels.
func copyRows(ctx context.Context, x mat.Matrix, labels, rows []int) (*mat.Dense, []int) {
	_, d := x.Dims()
	out, l := mat.NewDense(len(rows), d, nil), make([]int, len(rows))
	dense.EachRow(ctx, 0, len(rows), d, func(i int) {
		mat.Row(out.RawRowView(i), rows[i], x)
		l[i] = labels[rows[i]]
	})
	return out, l
}

// shuffledClasses returns the rows of each class in random order. Classes are in the order of their
// labels.
func shuffledClasses(labels []int, rng *rand.Rand) [][]int {
	rows := map[int][]int{}
	for i, l := range labels {
		rows[l] = append(rows[l], i)
	}
	var out [][]int
	for _, l := range slices.Compact(slices.Sorted(slices.Values(labels))) {
		r := rows[l]
		rng.Shuffle(len(r), func(i, j int) { r[i], r[j] = r[j], r[i] })
		out = append(out, r)
	}
	return out
}

// validator classifies the held-out samples in a given projection.
type validator struct {
	set         Validation
	span        *discriminant.Span
	train, test *mat.Dense // in the units of the scaled samples
	trainLabels []int
	testLabels  []int
	workers     int
}

func newValidator(ctx context.Context, s *discriminant.Samples, sp *discriminant.Span, h *heldOut, set *Settings) *validator {
	v := &validator{set: h.set, span: sp, train: s.X, test: s.NormalizedRows(ctx, h.x), testLabels: h.labels, workers: parallel.Count(set.Workers)}
	for c, l := range s.Classes {
		for range s.Offset[c+1] - s.Offset[c] {
			v.trainLabels = append(v.trainLabels, l)
		}
	}
	v.set.Neighbors = min(v.set.Neighbors, s.N)
	return v
}

// errorAt returns the fraction of held-out samples that are classified wrongly after projection by
// p. The rows of p are coordinates in the span.
func (v *validator) errorAt(ctx context.Context, p *mat.Dense) (float64, error) {
	q, err := v.span.ToFeatures(ctx, p, discriminant.NearestOrthonormal)
	if err != nil {
		return 0, err
	}
	predicted, err := knn.Predict(ctx, discriminant.Project(ctx, v.train, q, v.workers), v.trainLabels, discriminant.Project(ctx, v.test, q, v.workers), []int{v.set.Neighbors}, &knn.Settings{Workers: v.workers})
	if err != nil {
		return 0, err
	}
	return knn.ErrorRate(predicted[0], v.testLabels), nil
}

// validationWatch validates projections during the fit from one starting point. It implements
// discriminant.Watcher.
type validationWatch struct {
	validator *validator
	ctx       context.Context
	points    []ValidationPoint
	best      *mat.Dense
	bestError float64           // of best
	bestStep  discriminant.Step // of best
	sinceBest int               // evaluations since best
}

func (v *validator) newWatch(ctx context.Context) *validationWatch {
	return &validationWatch{validator: v, ctx: ctx, bestError: math.Inf(1)}
}

// Observe validates p if the index of the step is a multiple of Every. It returns descent.ErrStop
// after Patience evaluations without improvement.
func (w *validationWatch) Observe(s discriminant.Step, p *mat.Dense) error {
	if s.Index%w.validator.set.Every != 0 {
		return nil
	}
	return w.record(s, p)
}

func (w *validationWatch) record(s discriminant.Step, p *mat.Dense) error {
	e, err := w.validator.errorAt(w.ctx, p)
	if err != nil {
		if w.ctx.Err() != nil {
			return nil // the solver checks ctx itself
		}
		return err
	}
	w.points = append(w.points, ValidationPoint{s.Index, e})
	w.sinceBest++
	if e < w.bestError {
		w.best, w.bestError, w.bestStep, w.sinceBest = mat.DenseCopyOf(p), e, s, 0
	}
	if w.sinceBest >= w.validator.set.Patience {
		return descent.ErrStop
	}
	return nil
}

// Finish validates the last projection of the fit from one starting point, unless Observe has already
// validated it.
func (w *validationWatch) Finish(a *discriminant.Attempt) error {
	s := a.History[len(a.History)-1]
	if n := len(w.points); n > 0 && w.points[n-1].Step == s.Index {
		return nil
	}
	err := w.record(s, a.Projection)
	if err == descent.ErrStop {
		err = nil
	}
	return err
}

// KeepBest sets the result to the best projection seen.
func (w *validationWatch) KeepBest(a *discriminant.Attempt) {
	a.Loss = 1
	if w.best != nil {
		a.Projection, a.Loss, a.Objective, a.GradientNorm = w.best, w.bestError, w.bestStep.Objective, w.bestStep.GradientNorm
	}
}

// leaveOneOutError returns the leave-one-out error of a nearest-neighbor classifier in the projection
// p: the share of samples that their neighbors classify wrongly.
func leaveOneOutError(ctx context.Context, s *discriminant.Samples, p *mat.Dense, workers int) (float64, error) {
	x := discriminant.Project(ctx, s.X, p, workers)
	rows := make([]int, s.N)
	for i := range rows {
		rows[i] = i
	}
	points, k := knn.New(x, s.LabelsOf(rows)), min(choiceNeighbors, s.N-1)
	var search knn.Search[float64]
	if err := search.Nearest(ctx, points, x, k+1); err != nil {
		return 0, err
	}
	votes, wrong := make([]int, len(points.Labels())), 0
	for i := range rows {
		near, _ := search.Near(i)
		if at := slices.Index(near, i); at >= 0 {
			near = slices.Delete(near, at, at+1)
		}
		if points.Labels()[points.Vote(votes, near[:k])] != points.Label(i) {
			wrong++
		}
	}
	return float64(wrong) / float64(s.N), nil
}
