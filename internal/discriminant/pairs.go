package discriminant

import (
	"context"
	"math/rand/v2"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/parallel"
	"github.com/gomonge/monge/sinkhorn"
)

// PairSolver solves transport problems between classes: in this process, or elsewhere.
type PairSolver[T dist.Float] interface {
	// Worth reports whether it pays to solve problems of about so many multiplications.
	Worth(multiplications float64) bool
	// SolvePairs sets Results[i] to the outcome of pair i of the job, for all pairs. An error of one pair
	// is in its result; the error returned ends the evaluation.
	SolvePairs(ctx context.Context, job *PairJob[T]) error
}

// PairJob has the data that the transport problems of one evaluation share, and a part of the pairs.
type PairJob[T dist.Float] struct {
	Y          dist.Matrix[T] // the projected samples
	Offset     []int          // class c is rows Offset[c] … Offset[c+1]−1
	Iterations int
	Mode       sinkhorn.GradientMode
	Gradient   bool // is wanted
	Frozen     bool // the gradient is that with constant plans, whatever the mode
	Results    []PairResult[T]
	pairs      []pair
}

// PairResult is the outcome of one pair.
type PairResult[T dist.Float] struct {
	Cost   float64
	DX, DY []T // ∂W/∂Y of the two classes
	Err    error
	Status sinkhorn.Status
	Domain sinkhorn.Domain
}

// Len returns the number of pairs.
func (j *PairJob[T]) Len() int { return len(j.pairs) }

// Pair returns the classes and λ of pair i.
func (j *PairJob[T]) Pair(i int) (c, e int, lambda float64) {
	q := &j.pairs[i]
	return q.c, q.e, q.lambda
}

func (j *PairJob[T]) class(c int) dist.Matrix[T] { return j.Y.RowRange(j.Offset[c], j.Offset[c+1]) }

const (
	// batch is the number of pairs whose results are held at a time. They are
	// summed in the order of the pairs, whichever worker solved them.
	batch = 64
	// minPiece is fewer elements of K than one goroutine takes of a pair at a time.
	minPiece = 1 << 14
	// largePair is the number of elements of K from which one pair after the other is
	// solved, by all goroutines together: that they take up to half a GiB, and not each of
	// them, is what bounds the memory of a fit of many samples. Smaller pairs are divided
	// among the goroutines.
	largePair = 1 << 20
)

const (
	// The marginal error at which the iterations of Implicit end, and what J may be
	// off by then, relatively.
	implicitTolerance64, implicitNoise64 = 1e-12, 1e-11
	implicitTolerance32, implicitNoise32 = 1e-5, 1e-5
)

// sinkhornSettings returns the settings of a solver of pairs.
func sinkhornSettings[T dist.Float](iterations int, mode sinkhorn.GradientMode) sinkhorn.Settings {
	s := sinkhorn.Settings{Iterations: iterations, Workers: 1}
	switch mode {
	case sinkhorn.GradientUnrolled:
		s.Gradient = true
	case sinkhorn.GradientImplicit:
		s.Tolerance = implicitTolerance64
		if !num.IsFloat64[T]() {
			s.Tolerance = implicitTolerance32
		}
	}
	return s
}

// Noise returns the relative error of J that is no reason to refuse a step.
func Noise[T dist.Float](mode sinkhorn.GradientMode) float64 {
	switch double := num.IsFloat64[T](); {
	case mode == sinkhorn.GradientImplicit && !double:
		return implicitNoise32
	case mode == sinkhorn.GradientImplicit:
		return implicitNoise64
	case !double:
		return 1e-6
	}
	return 1e-12
}

// PairWorker is what one goroutine needs to solve pairs.
type PairWorker[T dist.Float] struct{ solver *sinkhorn.Solver[T] }

// NewPairWorker returns a worker whose solver uses one goroutine.
func NewPairWorker[T dist.Float](iterations int, mode sinkhorn.GradientMode) (*PairWorker[T], error) {
	return newPairWorker[T](sinkhornSettings[T](iterations, mode))
}

func newPairWorker[T dist.Float](settings sinkhorn.Settings) (*PairWorker[T], error) {
	solver, err := sinkhorn.NewSolver[T](&settings)
	return &PairWorker[T]{solver}, err
}

// Solve sets r to the outcome of the transport between classes c and e of the job.
func (w *PairWorker[T]) Solve(ctx context.Context, job *PairJob[T], c, e int, lambda float64, r *PairResult[T]) {
	x, y := job.class(c), job.class(e)
	res, err := w.solver.Solve(ctx, &sinkhorn.Problem[T]{X: x, Y: y, Lambda: lambda})
	if r.Err = err; err != nil {
		return
	}
	r.Cost, r.Status, r.Domain = res.Cost, res.Status, res.Domain
	if !job.Gradient {
		return
	}
	mode := job.Mode
	if job.Frozen {
		mode = sinkhorn.GradientFrozen
	}
	resize(&r.DX, x.Rows*x.Cols)
	resize(&r.DY, y.Rows*y.Cols)
	r.Err = res.PointGradientTo(ctx, dist.NewMatrix(x.Rows, x.Cols, r.DX), dist.NewMatrix(y.Rows, y.Cols, r.DY), mode)
}

func resize[T dist.Float](v *[]T, n int) {
	if cap(*v) < n {
		*v = make([]T, n)
	}
	*v = (*v)[:n]
}

// localPairs is the PairSolver of this process.
type localPairs[T dist.Float] struct {
	workers []*PairWorker[T]
	pool    *parallel.Pool
	small   []int // pairs at hand that are divided among the workers
	// What the workers do is made once, with its operands here: solving allocates nothing.
	ctx        context.Context
	job        *PairJob[T]
	solveSmall func(w, k int)
}

// newLocalPairs returns a PairSolver with so many workers. The first divides large problems among
// wide goroutines itself.
func newLocalPairs[T dist.Float](config *Config[T], pool *parallel.Pool, workers, wide int) (*localPairs[T], error) {
	l := &localPairs[T]{pool: pool}
	for i := range workers {
		settings := sinkhornSettings[T](config.Iterations, config.Gradient)
		if i == 0 {
			settings.Workers = wide
		}
		w, err := newPairWorker[T](settings)
		if err != nil {
			return nil, err
		}
		l.workers = append(l.workers, w)
	}
	l.solveSmall = func(w, k int) { l.solve(w, l.small[k]) }
	return l, nil
}

// Worth implements PairSolver.
func (l *localPairs[T]) Worth(float64) bool { return true }

// SolvePairs implements PairSolver. The goroutines take the next pair whenever they are done with one.
func (l *localPairs[T]) SolvePairs(ctx context.Context, job *PairJob[T]) error {
	l.ctx, l.job, l.small = ctx, job, l.small[:0]
	for i, q := range job.pairs {
		n, m := job.Offset[q.c+1]-job.Offset[q.c], job.Offset[q.e+1]-job.Offset[q.e]
		if len(l.workers) > 1 && n <= largePair/m {
			l.small = append(l.small, i)
			continue
		}
		l.solve(0, i)
	}
	l.pool.Each(len(l.workers), len(l.small), l.solveSmall)
	return nil
}

func (l *localPairs[T]) solve(w, i int) {
	q := &l.job.pairs[i]
	l.workers[w].Solve(l.ctx, l.job, q.c, q.e, q.lambda, &l.job.Results[i])
}

// SomePairs keeps those pairs whose classes differ by one of perClass/2 numbers, modulo the number of
// classes, and the pairs of a class with itself. The numbers are drawn. Every class has as many others
// as any, and the weights make the sum an estimate of the sum over all pairs: the graph of the pairs is
// a random circulant graph, which is near to a complete one.
func (o *Objective[T]) SomePairs(perClass int, rng *rand.Rand) {
	all, classes := o.pairs, len(o.Samples.Classes)
	half := classes / 2
	if half <= perClass/2 {
		return
	}
	chosen := make([]bool, half+1)
	for _, k := range rng.Perm(half)[:perClass/2] {
		chosen[k+1] = true
	}
	some := make([]pair, 0, classes*(perClass/2+1))
	for _, q := range all {
		if q.within() || chosen[min(q.e-q.c, classes-q.e+q.c)] {
			some = append(some, q)
		}
	}
	scale := float64(len(all)-classes) / float64(len(some)-classes)
	for i := range some {
		if q := &some[i]; !q.within() {
			q.weight *= scale
		}
	}
	o.pairs = some
}
