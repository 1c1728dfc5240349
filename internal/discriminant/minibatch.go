package discriminant

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/sinkhorn"
	"gonum.org/v1/gonum/mat"
)

// A mini-batch contains BatchSize samples of each of several classes. The σ_b² and σ_w² of a
// mini-batch are transport costs between its samples only, with the λ_cc', the weights and the ridge
// of the whole problem. The expectations of these costs differ from the σ_b² and σ_w² of all
// samples for two reasons: nearest neighbors are farther apart in a mini-batch, and about
// 1/BatchSize of a sample's weight is transported to the sample itself. The loss is biased, but the
// gradients are unbiased estimates of the gradient of the expected mini-batch loss (K. Fatras, Y.
// Zine, R. Flamary, R. Gribonval and N. Courty, "Learning with minibatch Wasserstein", AISTATS 2020).
// Measurements are in wda/SOLVERS.md.
//
// The direction of a step is the gradient of log J, with running means instead of σ_b² and σ_w² to
// avoid the ratio of two noisy numbers:
//
//	G = ∂σ_b² / ⟨σ_b²⟩ − ∂σ_w² / (⟨σ_w²⟩ + ridge).
//
// The step uses transported momentum and divides by the root mean square of the norm of G. This
// method is Adam on a manifold (G. Bécigneul and O.-E. Ganea, ICLR 2019), with one second moment
// for the whole projection because J does not depend on the basis. At the end of a round of
// mini-batches, J is evaluated at the mean of the later iterates, on all samples or a fixed subset.
// If J has increased, the next round begins at this mean. Otherwise it begins at the best
// projection, with shorter steps.

const (
	// roundSteps is the number of mini-batches in a round. At the end of a round, the second half
	// of the iterates is averaged.
	roundSteps = 20
	// If the data have many classes, a mini-batch has about batchSamples samples. The samples come
	// from at most mostClasses classes.
	batchSamples, mostClasses = 1024, 32
	// The step length is firstStep in the first round. It is multiplied by stepShrink after a round
	// that did not raise J, and the attempt ends when it is less than lastStep. A step has exactly
	// this length if the norm of the momentum is the root mean square of the gradient norms. The
	// manifold has a diameter of about √p·π/2.
	firstStep, lastStep = 0.2, 1e-3
	stepShrink          = 0.5
	// These are the decay factors of the running means of the costs σ_b² and σ_w², of the gradient,
	// and of the squared norm of the gradient.
	meanDecay, momentumDecay, squareDecay = 0.9, 0.9, 0.99
)

// batches draws mini-batches.
type batches[T dist.Float] struct {
	whole      *Objective[T] // objective of all samples, which determined λ
	population *Population
	size       int // number of samples of each class in a mini-batch
	rng        *rand.Rand
	classes    []int // in random order
	used       []int // number of rows of every class that have been drawn since the last shuffle
	o          *Objective[T]
	rows       []int
	weight     func(c, e int) float64
}

func newBatches[T dist.Float](o *Objective[T], from *Population, size int, rng *rand.Rand) *batches[T] {
	c := len(from.RowsByClass)
	b := &batches[T]{
		whole: o, population: from, size: size, rng: rng,
		used: make([]int, c), weight: o.allSamples.pairWeight(o.config.Proportional),
	}
	for k := range c {
		b.classes = append(b.classes, k)
		b.used[k] = len(from.RowsByClass[k])
	}
	return b
}

// draw returns the objective of the next mini-batch. The next call of draw may overwrite this
// objective.
func (b *batches[T]) draw(ctx context.Context) (*Objective[T], error) {
	all := len(b.population.RowsByClass)
	typical := min(b.size, max(2, b.population.N/all))
	m := min(all, mostClasses, max(2, batchSamples/typical))
	if m < all {
		for i := range m {
			j := i + b.rng.IntN(all-i)
			b.classes[i], b.classes[j] = b.classes[j], b.classes[i]
		}
	}
	chosen := slices.Sorted(slices.Values(b.classes[:m]))
	b.rows = b.rows[:0]
	offset := []int{0}
	for _, c := range chosen {
		rows, k := b.population.RowsByClass[c], min(b.size, len(b.population.RowsByClass[c]))
		if k < len(rows) && b.used[c]+k > len(rows) {
			b.rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			b.used[c] = 0
		}
		if k < len(rows) {
			rows = rows[b.used[c]:][:k]
			b.used[c] += k
		}
		b.rows = append(b.rows, rows...)
		offset = append(offset, len(b.rows))
	}
	if b.o == nil || !slices.Equal(b.o.Samples.Offset, offset) {
		d := b.whole.Samples.D
		s := &Samples{N: len(b.rows), D: d, Classes: make([]int, m), Offset: offset, X: mat.NewDense(len(b.rows), d, nil)}
		o, err := newPartObjective(ctx, s, s, b.whole.config)
		if err != nil {
			return nil, err
		}
		o.local.workers = b.whole.local.workers
		b.o = o
	}
	drawn := b.o.Samples.X // o.x shares the memory of drawn or is a copy in type T
	if err := b.population.Read(ctx, drawn, b.rows); err != nil {
		return nil, err
	}
	for i := range b.rows {
		row := b.o.x.Row(i)
		for j, v := range drawn.RawRowView(i) {
			row[j] = T(v)
		}
	}
	// A mini-batch has m of C classes. A class is drawn with probability m/C, and a pair of classes
	// with probability m(m−1) / C(C−1). The weights are divided by these probabilities.
	within := float64(all) / float64(m)
	between := within * float64(all-1) / float64(m-1)
	for i := range b.o.pairs {
		q := &b.o.pairs[i]
		c, e := chosen[q.c], chosen[q.e]
		b.o.Samples.Classes[q.c] = b.whole.allSamples.Classes[c]
		scale := between
		if q.withinClass() {
			scale = within
		}
		var err error
		if q.lambda, err = b.whole.lambda(c, e); err != nil {
			return nil, err
		}
		q.weight = b.weight(c, e) * scale
	}
	return b.o, nil
}

// stochastic is the state of the stochastic gradient ascent.
type stochastic[T dist.Float] struct {
	driver         *Driver[T]
	batches        *batches[T]
	between        float64    // running mean of σ_b²
	within         float64    // running mean of σ_w²
	square         float64    // running mean of the squared gradient norm
	meanAge, age   int        // meanAge: mini-batches in the means of the costs; age: mini-batches in the mean of the gradient
	grad, momentum *mat.Dense // tangent vectors at the current projection
	mean           *mat.Dense
	reportBatch    func(batch int) error // reports the progress within a round
	reportErr      error                 // error returned by reportBatch
}

// runRound makes a round of mini-batches from p with steps of the given length. It sets p to the
// mean of the second half of the iterates.
func (s *stochastic[T]) runRound(ctx context.Context, p *mat.Dense, length float64) error {
	s.mean.Zero()
	for k := range roundSteps {
		if err := s.batchStep(ctx, p, length); err != nil {
			return err
		}
		if s.reportErr = s.reportBatch(k); s.reportErr != nil {
			return s.reportErr
		}
		if k >= roundSteps/2 {
			s.mean.Add(s.mean, p)
		}
	}
	if _, err := s.driver.Objective.Manifold().Orthonormalize(ctx, p, s.mean); err != nil {
		return err
	}
	s.driver.Objective.Manifold().Transport(ctx, s.momentum, p, s.momentum)
	return nil
}

// batchStep moves p by one step computed from one mini-batch.
func (s *stochastic[T]) batchStep(ctx context.Context, p *mat.Dense, length float64) error {
	o, err := s.batches.draw(ctx)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err = o.Evaluate(ctx, p, true)
	if errors.Is(err, sinkhorn.ErrRange) || errors.Is(err, sinkhorn.ErrNotConverged) {
		return nil // skip a mini-batch whose costs cannot be used
	}
	if err != nil {
		return err
	}
	s.driver.Values++
	s.driver.Gradients++
	s.between = runningMean(s.between, o.betweenCost, meanDecay, s.meanAge)
	s.within = runningMean(s.within, o.withinCost, meanDecay, s.meanAge)
	s.meanAge++
	b, w := s.between, s.within+s.driver.Objective.Ridge
	if !(b > 0 && w > 0) {
		return nil
	}
	if err := o.pullBack(ctx, s.grad, 1/b, -1/w); err != nil {
		return err
	}
	m := s.driver.Objective.Manifold()
	m.Tangent(ctx, s.grad, p, s.grad)
	norm := m.Inner(p, s.grad, s.grad)
	if norm-norm != 0 {
		return nil
	}
	s.square = runningMean(s.square, norm, squareDecay, s.age)
	decay := momentumDecay
	if s.age == 0 {
		decay = 0
	}
	s.age++
	s.momentum.Scale(decay, s.momentum)
	s.grad.Scale(1-decay, s.grad)
	s.momentum.Add(s.momentum, s.grad)
	if s.square == 0 {
		return nil
	}
	if err := m.Retract(ctx, p, p, s.momentum, length/math.Sqrt(s.square)); err != nil {
		return err
	}
	m.Transport(ctx, s.momentum, p, s.momentum)
	return nil
}

// runningMean returns the running mean after the next term x. age is the number of earlier
// terms. The first terms have equal weights. After the first terms, the weights of old
// terms decay.
func runningMean(mean, x, decay float64, age int) float64 {
	share := max(1-decay, 1/float64(age+1))
	return mean + float64(share*(x-mean))
}

// MiniBatchSolver uses stochastic gradient ascent.
type MiniBatchSolver[T dist.Float] struct {
	BatchSize  int                        // number of samples of each class in a mini-batch
	Population func() *Population         // samples from which mini-batches are drawn
	Random     func(start int) *rand.Rand // random numbers for a fit; start is the number of its starting point
}

// Maximize implements Solver.
func (m MiniBatchSolver[T]) Maximize(ctx context.Context, a *Ascent[T]) (descent.Status, error) {
	if err := a.measureStart(ctx); err != nil {
		return descent.NotTerminated, err
	}
	if status, err := a.reportLatest(); status != descent.NotTerminated {
		return status, err
	}
	d, o := a.driver, a.driver.Objective
	matrix := func() *mat.Dense { return mat.NewDense(o.Samples.D, o.p, nil) }
	sgd := &stochastic[T]{
		driver: d, batches: newBatches(o, m.Population(), m.BatchSize, m.Random(a.attempt.Index)),
		grad: matrix(), momentum: matrix(), mean: matrix(),
	}
	length := firstStep
	next := mat.DenseCopyOf(a.attempt.Projection)
	for round := range d.Limits.MaxSteps {
		sgd.reportBatch = func(batch int) error {
			if d.ReportBatch == nil {
				return nil
			}
			return d.ReportBatch((a.attempt.Index*d.Limits.MaxSteps+round)*roundSteps+batch+1, d.Starts*d.Limits.MaxSteps*roundSteps, a.latestStep())
		}
		err := sgd.runRound(ctx, next, length)
		if sgd.reportErr != nil {
			return descent.Stopped, sgd.reportErr
		}
		var value float64
		if err == nil {
			d.Values++
			err = o.Evaluate(ctx, next, false)
			value = o.Value()
		}
		if ctx.Err() != nil {
			return descent.Canceled, context.Cause(ctx)
		}
		if err != nil {
			return descent.EvaluationFailed, err
		}
		if a.improves(value) {
			value, norm, err := a.measure(ctx, next)
			if ctx.Err() != nil {
				return descent.Canceled, context.Cause(ctx)
			}
			if err == nil {
				a.acceptStep(next, value, norm, length)
				if status, err := a.reportLatest(); status != descent.NotTerminated {
					return status, err
				}
				continue
			}
		}
		if length *= stepShrink; length < lastStep {
			return descent.StepTolerance, nil
		}
		next.Copy(a.attempt.Projection)
		sgd.momentum.Zero()
		sgd.age = 0
	}
	return descent.MaxSteps, nil
}

// Population is the set from which mini-batches are drawn. It consists of the samples of a fit, or
// of all rows of a file that contains these samples.
type Population struct {
	N           int
	RowsByClass [][]int // rows of every class
	// Read sets dst to the given rows, scaled like the samples of the fit.
	Read func(ctx context.Context, dst *mat.Dense, rows []int) error
}

// Population returns the samples in memory as a Population.
func (s *Samples) Population() *Population {
	p := &Population{N: s.N, RowsByClass: make([][]int, len(s.Classes))}
	for c := range s.Classes {
		for i := s.Offset[c]; i < s.Offset[c+1]; i++ {
			p.RowsByClass[c] = append(p.RowsByClass[c], i)
		}
	}
	p.Read = func(_ context.Context, dst *mat.Dense, rows []int) error {
		for i, r := range rows {
			copy(dst.RawRowView(i), s.X.RawRowView(r))
		}
		return nil
	}
	return p
}
