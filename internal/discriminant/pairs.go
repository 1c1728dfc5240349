package discriminant

import (
	"context"
	"math/rand/v2"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/parallel"
	"github.com/gomonge/monge/sinkhorn"
)

// PairSolver solves transport problems between classes, in this process or in other processes.
type PairSolver[T dist.Float] interface {
	// Worth reports whether the solver should be used for transport problems that take the given
	// number of multiplications.
	Worth(multiplications float64) bool
	// SolvePairs sets Results[i] to the outcome of pair i of the job, for all pairs. If a single
	// pair fails, its result contains the error. If SolvePairs returns an error, the evaluation
	// ends.
	SolvePairs(ctx context.Context, job *PairJob[T]) error
}

// PairJob contains the data shared by the transport problems of one evaluation, and the pairs to
// solve.
type PairJob[T dist.Float] struct {
	Y          dist.Matrix[T] // projected samples
	Offset     []int          // class c consists of rows Offset[c] … Offset[c+1]−1
	Iterations int
	Mode       sinkhorn.GradientMode
	Gradient   bool // compute the gradient
	Frozen     bool // compute the gradient for constant transport plans, regardless of Mode
	Results    []PairResult[T]
	pairs      []pair
}

// PairResult is the solution of the transport problem between two classes.
type PairResult[T dist.Float] struct {
	Cost   float64
	DX, DY []T // gradients of the cost with respect to the samples of the two classes
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
	// pairBatch is the number of pairs whose results are in memory at the same time. The results
	// are summed in the order of the pairs, whatever the number of workers.
	pairBatch = 64
	// minPiece is the minimum number of elements of the kernel matrix K for each goroutine if
	// several goroutines solve one pair.
	minPiece = 1 << 14
	// largePair limits the memory of a fit. A pair of classes is large if its kernel matrix K has
	// more than largePair elements. A large pair may take half a GiB of memory, so large pairs are
	// solved one after the other, each by all goroutines. Small pairs are divided among the
	// goroutines.
	largePair = 1 << 20
)

const (
	// If the gradient is implicit, the Sinkhorn iterations end when the marginal error is at most
	// implicitTolerance64, or implicitTolerance32 in float32. The relative error of J is then at
	// most implicitNoise64 or implicitNoise32.
	implicitTolerance64, implicitNoise64 = 1e-12, 1e-11
	implicitTolerance32, implicitNoise32 = 1e-5, 1e-5
)

// sinkhornSettings returns the settings of a solver for pairs.
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

// RoundingError returns the relative rounding error of J. A solver may accept a step that lowers J
// by less than this error.
func RoundingError[T dist.Float](mode sinkhorn.GradientMode) float64 {
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

// PairWorker contains the solver of one goroutine.
type PairWorker[T dist.Float] struct{ solver *sinkhorn.Solver[T] }

// NewPairWorker returns a worker whose solver uses one goroutine.
func NewPairWorker[T dist.Float](iterations int, mode sinkhorn.GradientMode) (*PairWorker[T], error) {
	return newPairWorker[T](sinkhornSettings[T](iterations, mode))
}

func newPairWorker[T dist.Float](settings sinkhorn.Settings) (*PairWorker[T], error) {
	solver, err := sinkhorn.NewSolver[T](&settings)
	return &PairWorker[T]{solver}, err
}

// Solve sets r to the result of the transport problem between classes c and e of the job.
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

// localPairs is the PairSolver that works in this process.
type localPairs[T dist.Float] struct {
	workers    []*PairWorker[T]
	pool       *parallel.Pool
	smallPairs []int // indices of small pairs, which are divided among the workers
	// The function solveSmall is created once and reads its operands from these fields. Solving
	// therefore does not allocate.
	ctx        context.Context
	job        *PairJob[T]
	solveSmall func(w, k int)
}

// newLocalPairs returns a PairSolver with the given number of workers. The first worker also solves
// large pairs. It divides a pair among as many goroutines as wide specifies.
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
	l.solveSmall = func(w, k int) { l.solvePair(w, l.smallPairs[k]) }
	return l, nil
}

// Worth implements PairSolver.
func (l *localPairs[T]) Worth(float64) bool { return true }

// SolvePairs implements PairSolver. A goroutine that has solved a pair takes the next pair.
func (l *localPairs[T]) SolvePairs(ctx context.Context, job *PairJob[T]) error {
	l.ctx, l.job, l.smallPairs = ctx, job, l.smallPairs[:0]
	for i, q := range job.pairs {
		n, m := job.Offset[q.c+1]-job.Offset[q.c], job.Offset[q.e+1]-job.Offset[q.e]
		if len(l.workers) > 1 && n <= largePair/m {
			l.smallPairs = append(l.smallPairs, i)
			continue
		}
		l.solvePair(0, i)
	}
	l.pool.Each(len(l.workers), len(l.smallPairs), l.solveSmall)
	return nil
}

func (l *localPairs[T]) solvePair(w, i int) {
	q := &l.job.pairs[i]
	l.workers[w].Solve(l.ctx, l.job, q.c, q.e, q.lambda, &l.job.Results[i])
}

// SamplePairs keeps every pair of a class with itself. It draws perClass/2 random
// numbers, and keeps a pair of two classes if the difference of the class indices, modulo the number
// of classes, is one of these numbers or its negative. Every class then has the same number of
// partners. SamplePairs scales the weights, so that the weighted sum over the remaining pairs
// estimates the sum over all pairs. The graph of the remaining pairs is a random circulant graph,
// which approximates a complete graph.
func (o *Objective[T]) SamplePairs(perClass int, rng *rand.Rand) {
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
		if q.withinClass() || chosen[min(q.e-q.c, classes-q.e+q.c)] {
			some = append(some, q)
		}
	}
	scale := float64(len(all)-classes) / float64(len(some)-classes)
	for i := range some {
		if q := &some[i]; !q.withinClass() {
			q.weight *= scale
		}
	}
	o.pairs = some
}
