package discriminant

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/parallel"
	"github.com/gomonge/monge/internal/stiefel"
	"github.com/gomonge/monge/sinkhorn"
	"github.com/gomonge/monge/vecmath"
	"gonum.org/v1/gonum/mat"
)

// Objective evaluates J and its gradient in element type T. An evaluation computes the projected
// samples Y = X·P, solves transport problems between the classes of Y, and computes XᵀG, where G is
// the gradient with respect to Y. It forms no d × d matrix.
type Objective[T dist.Float] struct {
	Samples      *Samples
	allSamples   *Samples // all samples; the same as Samples if the objective uses all samples
	p            int
	config       *Config[T]
	x            dist.Matrix[T] // n × d
	pairs        []pair
	lambdaRule   LambdaRule             // rule that determines λ_cc'
	meanDistance func(c, e int) float64 // mean squared distance of two classes of allSamples at the start; nil if λ is not relative
	Ridge        float64
	startWithin  float64 // σ_w² at the start, set by Prepare
	local        *localPairs[T]
	workers      int // maximum number of goroutines
	pool         parallel.Pool
	stiefel      *stiefel.Manifold // created when first needed

	proj                        dist.Matrix[T] // P
	y                           dist.Matrix[T] // X P
	gradBetween, gradWithin     dist.Matrix[T] // gradients of the costs σ_b² and σ_w² with respect to Y
	frozenBetween, frozenWithin dist.Matrix[T] // gradients for constant transport plans, if computed
	gradTransposed              dist.Matrix[T] // transpose of XᵀG
	job                         PairJob[T]     // current pairs
	touchedClasses              []int          // classes of the current pairs
	logDomainPairs              int            // pairs solved in the log domain
	lowPrecisionPairs           int            // pairs whose plans have few correct digits
	betweenCost, withinCost     float64
	gradient                    bool
	CacheResult                 bool // skip evaluations at the same p; samples and weights must not change
	evaluated                   bool // whether the costs for proj have been computed, and also the gradients if the field gradient is true

	// The functions for the workers are created once, so that an evaluation does not allocate. The
	// functions read their operands from job and touchedClasses.
	work struct {
		project, accumulate, pullBack func(i, j int)
	}
}

// pair is a pair of classes c and e, c ≤ e.
type pair struct {
	c, e           int
	lambda, weight float64
}

func (p pair) withinClass() bool { return p.c == p.e }

// NewObjective returns the objective of a fit to s. The objective uses only some of the samples if
// the configuration limits classes or samples. The weights and a relative λ always refer to s.
func NewObjective[T dist.Float](ctx context.Context, s *Samples, config *Config[T]) (*Objective[T], error) {
	part := s
	if config.MaxClasses > 0 {
		part = part.WithFewerClasses(ctx, config.MaxClasses)
	}
	if config.MaxSamples > 0 {
		part = part.WithFewerSamples(ctx, config.MaxSamples)
	}
	return newPartObjective(ctx, part, s, config)
}

// newPartObjective returns the objective of the samples s, which are some or all of the samples in
// allSamples.
func newPartObjective[T dist.Float](ctx context.Context, s, allSamples *Samples, config *Config[T]) (*Objective[T], error) {
	o := &Objective[T]{Samples: s, allSamples: allSamples, p: config.Components, config: config, workers: parallel.Count(config.Workers)}
	o.pairs = pairsOf(s, allSamples, config.Proportional)
	solvers := min(o.workers, pairBatch, len(o.pairs))
	if err := CheckMemory(ObjectiveNeeds(s, config, solvers)...); err != nil {
		return nil, err
	}
	var err error
	if o.local, err = newLocalPairs(config, &o.pool, solvers, min(o.workers, s.largestPair()/minPiece+1)); err != nil {
		return nil, err
	}
	o.x = matrixOf[T](ctx, s.X)
	o.proj = dist.NewMatrix[T](s.D, o.p, nil)
	o.y = dist.NewMatrix[T](s.N, o.p, nil)
	o.gradBetween = dist.NewMatrix[T](s.N, o.p, nil)
	o.gradWithin = dist.NewMatrix[T](s.N, o.p, nil)
	o.gradTransposed = dist.NewMatrix[T](o.p, s.D, nil)
	o.job = PairJob[T]{Y: o.y, Offset: s.Offset, Iterations: config.Iterations, Mode: config.Gradient, Results: make([]PairResult[T], min(pairBatch, len(o.pairs)))}
	o.work.project, o.work.accumulate, o.work.pullBack = o.projectRows, o.addClasses, o.pullBackColumns
	return o, nil
}

// pairsOf returns all pairs of classes of s with their weights. If allSamples has more classes than s,
// the weights are increased so that sums over the pairs estimate sums over all pairs of classes of
// allSamples.
func pairsOf(s, allSamples *Samples, proportional bool) []pair {
	m, all := float64(len(s.Classes)), float64(len(allSamples.Classes))
	within, between := all/m, float64(all*(all-1))/float64(m*max(m-1, 1))
	weight := allSamples.pairWeight(proportional)
	pairs := make([]pair, 0, len(s.Classes)*(len(s.Classes)+1)/2)
	for c := range s.Classes {
		for e := c; e < len(s.Classes); e++ {
			scale := between
			if e == c {
				scale = within
			}
			pairs = append(pairs, pair{c: c, e: e, weight: weight(s.indexIn(allSamples, c), s.indexIn(allSamples, e)) * scale})
		}
	}
	return pairs
}

// pairWeight returns a function that returns the weight of two classes of s in J.
func (s *Samples) pairWeight(proportional bool) func(c, e int) float64 {
	if !proportional {
		return func(c, e int) float64 { return 1 }
	}
	pi := s.frequencies()
	return func(c, e int) float64 {
		if e == c {
			return pi[c]
		}
		return pi[c] * pi[e]
	}
}

// indexIn returns the index of class c of s among the classes of allSamples.
func (s *Samples) indexIn(allSamples *Samples, c int) int {
	if s == allSamples {
		return c
	}
	return s.original(c)
}

// setLambdas determines λ_cc' of every pair of classes by the rule. The costs that λ_cc' multiplies are
// squared distances between scaled samples. A relative λ is divided by the mean squared distance in the
// projection p.
func (o *Objective[T]) setLambdas(ctx context.Context, rule LambdaRule, p *mat.Dense) error {
	o.meanDistance, o.lambdaRule, o.evaluated = nil, rule, false
	if rule.Relative {
		o.meanDistance = o.allSamples.meanSquaredDistances(ctx, p, o.workers)
	}
	for i := range o.pairs {
		q := &o.pairs[i]
		var err error
		if q.lambda, err = o.lambda(o.Samples.indexIn(o.allSamples, q.c), o.Samples.indexIn(o.allSamples, q.e)); err != nil {
			return err
		}
	}
	return nil
}

// lambda returns λ for the classes c and e of o.allSamples.
func (o *Objective[T]) lambda(c, e int) (float64, error) {
	var lambda float64
	switch rule := o.lambdaRule; {
	case rule.Matrix != nil:
		lambda = o.Samples.ToDataUnits(rule.Matrix.At(o.allSamples.original(c), o.allSamples.original(e)))
	case rule.Relative:
		lambda = rule.Value / o.meanDistance(c, e)
	default:
		lambda = o.Samples.ToDataUnits(rule.Value)
	}
	// If λ underflows, use the smallest positive λ. It gives a uniform plan, as λ = 0 would.
	lambda = max(lambda, math.SmallestNonzeroFloat64)
	// The kernels multiply by λ·log₂e in type T.
	if math.IsNaN(lambda) || math.IsInf(float64(T(lambda*math.Log2E)), 1) {
		if o.lambdaRule.Relative && o.meanDistance(c, e) <= roundingDistance[T]() {
			// All samples of both classes coincide in this projection up to rounding, so every λ
			// gives a uniform plan.
			return 1, nil
		}
		return 0, fmt.Errorf("%w: λ is too large or too small for data of this scale", fault.ErrSettings)
	}
	return lambda, nil
}

// roundingDistance returns the mean squared distance that rounding in type T causes between samples
// that are equal in exact arithmetic. The elements of the samples have magnitudes near 1.
func roundingDistance[T dist.Float]() float64 {
	if num.IsFloat64[T]() {
		return 0x1p-94
	}
	return 0x1p-40
}

// Evaluate computes σ_b² and σ_w² (without the ridge) at p, in units of the scaled samples. If
// gradient is set, it also computes the gradients of both costs with respect to Y. The results do
// not depend on the ridge. If CacheResult is set, a repeated evaluation at the same p and λ
// computes nothing.
func (o *Objective[T]) Evaluate(ctx context.Context, p *mat.Dense, gradient bool) error {
	if o.setProjection(p); o.evaluated && o.CacheResult && (o.gradient || !gradient) {
		return fault.Ended(ctx, nil)
	}
	o.evaluated = false
	o.project(ctx)
	clear(o.gradBetween.Data)
	clear(o.gradWithin.Data)
	o.betweenCost, o.withinCost, o.gradient = 0, 0, gradient
	o.logDomainPairs, o.lowPrecisionPairs = 0, 0
	solver, step := PairSolver[T](o.local), pairBatch
	if away := o.config.PairSolver; away != nil && away.Worth(o.multiplications()) {
		solver, step = away, len(o.pairs) // remote solvers have a fixed cost per call, so send all pairs at once
		o.job.Results = slices.Grow(o.job.Results[:0], step)[:step]
	}
	job := &o.job
	job.Gradient = gradient
	for first := 0; first < len(o.pairs); first += step {
		job.pairs = o.pairs[first:min(first+step, len(o.pairs))]
		if err := solver.SolvePairs(ctx, job); err != nil {
			return fault.Ended(ctx, err)
		}
		for i, q := range job.pairs {
			r := &job.Results[i]
			if r.Err != nil {
				return o.pairError(ctx, q, r.Err)
			}
			if r.Domain == sinkhorn.DomainLog {
				o.logDomainPairs++
			}
			if r.Status == sinkhorn.StatusLowPrecision {
				o.lowPrecisionPairs++
			}
			if q.withinClass() {
				o.withinCost += float64(q.weight * r.Cost)
			} else {
				o.betweenCost += float64(q.weight * r.Cost)
			}
		}
		if gradient {
			o.accumulateGradients(ctx)
		}
	}
	o.evaluated = ctx.Err() == nil
	return fault.Ended(ctx, nil)
}

// multiplications returns the approximate number of multiplications of an evaluation.
func (o *Objective[T]) multiplications() float64 {
	n := float64(0)
	for _, q := range o.pairs {
		n += float64(float64(o.Samples.Size(q.c)) * float64(o.Samples.Size(q.e)))
	}
	return n * float64(2*o.config.Iterations+o.p)
}

// accumulateGradients adds the gradients of the current pairs to the gradients of their classes. It
// adds the gradients of a class in the order of the pairs. The classes are divided among the
// workers.
func (o *Objective[T]) accumulateGradients(ctx context.Context) {
	o.touchedClasses = o.touchedClasses[:0]
	for _, q := range o.job.pairs {
		o.touchedClasses = append(o.touchedClasses, q.c, q.e)
	}
	slices.Sort(o.touchedClasses)
	o.touchedClasses = slices.Compact(o.touchedClasses)
	o.eachPiece(ctx, len(o.touchedClasses), 1, o.work.accumulate)
}

func (o *Objective[T]) addClasses(i, j int) {
	for _, c := range o.touchedClasses[i:j] {
		gb, gw := classRows(o.Samples, o.gradBetween, c).Data, classRows(o.Samples, o.gradWithin, c).Data
		for k, q := range o.job.pairs {
			g := gb
			if q.withinClass() {
				g = gw
			}
			if q.c == c {
				addScaled(g, o.job.Results[k].DX, T(q.weight))
			}
			if q.e == c {
				addScaled(g, o.job.Results[k].DY, T(q.weight))
			}
		}
	}
}

// pairError adds the classes of pair q to err. If the context has ended, pairError returns the
// context's cause instead.
func (o *Objective[T]) pairError(ctx context.Context, q pair, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		awaitDeadline(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, sinkhorn.ErrRange):
		err = fmt.Errorf("%w: λ is too large for these data: %w", fault.ErrSettings, err)
	case errors.Is(err, sinkhorn.ErrNotConverged):
		err = fmt.Errorf("%w: the implicit gradient needs a smaller λ or more iterations: %w", fault.ErrSettings, err)
	}
	return fmt.Errorf("classes %d and %d: %w", o.Samples.Classes[q.c], o.Samples.Classes[q.e], err)
}

// timerLate limits how long awaitDeadline waits for a timer.
const timerLate = time.Second

// awaitDeadline waits until ctx has ended, if the deadline of ctx has passed. A solver that reads
// the clock may notice the deadline before the context's timer fires, and only the timer sets the
// cause.
func awaitDeadline(ctx context.Context) {
	end, ok := ctx.Deadline()
	if !ok || time.Now().Before(end) {
		return
	}
	wait := time.NewTimer(timerLate)
	defer wait.Stop()
	select {
	case <-ctx.Done():
	case <-wait.C:
	}
}

// addScaled sets dst = dst + w·x.
func addScaled[T dist.Float](dst, x []T, w T) {
	dst = dst[:len(x)]
	if w == 1 { // w·x is exact, so a fused multiply-add gives the same bits
		vecmath.AddScaled(dst, w, x)
		return
	}
	for i, x := range x {
		dst[i] += T(w * x)
	}
}

// projectSamples sets the current projection to p and computes Y = X·P.
func (o *Objective[T]) projectSamples(ctx context.Context, p *mat.Dense) {
	o.setProjection(p)
	o.project(ctx)
}

// setProjection sets the current projection to p. If p differs from the previous projection,
// earlier results become invalid.
func (o *Objective[T]) setProjection(p *mat.Dense) {
	for k := range o.Samples.D {
		row := o.proj.Row(k)
		for l, v := range p.RawRowView(k) {
			if v := T(v); v != row[l] {
				row[l], o.evaluated = v, false
			}
		}
	}
}

// project computes Y = X·P.
func (o *Objective[T]) project(ctx context.Context) {
	o.eachPiece(ctx, o.Samples.N, productRows(o.Samples.D*o.p), o.work.project)
}

func (o *Objective[T]) projectRows(i, j int) {
	x, y := o.x.RowRange(i, j), o.y.RowRange(i, j)
	matrix.Mul(y, x, o.proj, false)
}

// eachPiece divides 0 … n−1 into pieces of the given size. The workers call f for each piece until
// the context ends.
func (o *Objective[T]) eachPiece(ctx context.Context, n, size int, f func(i, j int)) {
	o.pool.ForContext(ctx, o.workers, n, size, f)
}

// pullBack sets grad = XᵀG with G = cb ∂σ_b²/∂Y + cw ∂σ_w²/∂Y. It overwrites Y. If ctx ends,
// pullBack returns context.Cause(ctx).
func (o *Objective[T]) pullBack(ctx context.Context, grad *mat.Dense, cb, cw float64) error {
	// If σ_w² is tiny, the coefficients may overflow float32. Factor out a power of two.
	scale := powerOfTwo(max(math.Abs(cb), math.Abs(cw)))
	g, gb, gw, tb, tw := o.y.Data, o.gradBetween.Data, o.gradWithin.Data, T(cb*scale), T(cw*scale)
	for i := range g { // store G in the memory of Y
		g[i] = T(tb*gb[i]) + T(tw*gw[i])
	}
	o.eachPiece(ctx, o.Samples.D, productColumns(o.Samples.N*o.p), o.work.pullBack)
	scale = 1 / scale
	for k := range o.Samples.D {
		i := k
		row := grad.RawRowView(k)
		for l := range row {
			row[l] = float64(o.gradTransposed.Data[i]) * scale
			i += o.gradTransposed.Stride
		}
	}
	return fault.Ended(ctx, nil)
}

// pullBackColumns sets columns i … j−1 of gradTransposed to the same columns of GᵀX, where y
// contains G. The workers divide the columns of X, so the order of every sum does not depend on the
// number of workers.
func (o *Objective[T]) pullBackColumns(i, j int) {
	matrix.TransMul(o.gradTransposed.ColRange(i, j), o.y, o.x.ColRange(i, j), false)
}

// Value returns J.
func (o *Objective[T]) Value() float64 { return o.betweenCost / (o.withinCost + o.Ridge) }

// Prepare computes λ and the ridge at the starting point p. The ridge is rho times the transport cost
// within classes.
func (o *Objective[T]) Prepare(ctx context.Context, lambda LambdaRule, rho float64, p *mat.Dense) error {
	o.startWithin = 0
	if err := o.setLambdas(ctx, lambda, p); err != nil {
		return fault.Ended(ctx, err)
	}
	o.Ridge = 0
	if err := o.Evaluate(ctx, p, false); err != nil {
		return err
	}
	o.Ridge = float64(rho * o.withinCost)
	if !(o.betweenCost > 0) {
		return fmt.Errorf("%w between classes", ErrNoSpread)
	}
	if !(o.withinCost+o.Ridge > 0) {
		distance := o.Samples.meanSquaredDistances(ctx, p, o.workers)
		for c, label := range o.Samples.Classes {
			// Samples are of order 1, so mean squared distances of at most 1e-28 are rounding errors.
			if !o.Samples.IsConstantClass(c) && distance(c, c) > 1e-28 {
				return LambdaError{label}
			}
		}
		return fmt.Errorf("%w within classes", ErrNoSpread)
	}
	o.startWithin = o.withinCost
	return nil
}

// SetShrinkage sets the ridge to ρ times σ_w² at the start that was passed to Prepare. λ does not
// change.
func (o *Objective[T]) SetShrinkage(rho float64) { o.Ridge = float64(rho * o.startWithin) }

// BestOf returns the candidate with the largest J. It skips candidates that are nil or cannot be
// evaluated. If every candidate is skipped, BestOf returns the first candidate. costs[i] must be
// the costs of candidate i, or zero if they are not known. BestOf sets these zeros to the computed
// costs. costs may be shorter than candidates. If the context ends, BestOf returns the first
// candidate and the context's cause.
func (o *Objective[T]) BestOf(ctx context.Context, costs []Costs, candidates ...*mat.Dense) (*mat.Dense, error) {
	best, value := candidates[0], 0.0
	for i, p := range candidates {
		if p == nil || slices.Contains(candidates[:i], p) {
			continue
		}
		var at Costs
		if i < len(costs) && costs[i].Between > 0 { // costs do not depend on the ridge, so known costs remain valid
			at = costs[i]
		} else if err := o.Evaluate(ctx, p, false); ctx.Err() != nil {
			return candidates[0], context.Cause(ctx)
		} else if err != nil {
			continue
		} else if at = o.Costs(); i < len(costs) {
			costs[i] = at
		}
		if j := at.Between / (at.Within + o.Ridge); j > value {
			best, value = p, j
		}
	}
	return best, nil
}

// PairCounts counts three kinds of pairs in the latest evaluation: all pairs of classes, the pairs
// solved in the log domain, and the pairs whose transport plans have few correct digits.
type PairCounts struct{ Pairs, LogDomain, LowPrecision int }

// PairCounts returns the counts of the latest evaluation.
func (o *Objective[T]) PairCounts() PairCounts {
	return PairCounts{len(o.pairs), o.logDomainPairs, o.lowPrecisionPairs}
}

// Costs contains σ_b² and σ_w² in the units of the scaled samples.
type Costs struct{ Between, Within float64 }

// Costs returns the costs of the latest evaluation.
func (o *Objective[T]) Costs() Costs { return Costs{o.betweenCost, o.withinCost} }

// LambdaError is the error if λ is too large: every sample of a class is transported to itself.
type LambdaError struct{ label int }

func (e LambdaError) Error() string {
	return fmt.Sprintf("%v: λ is so large that every sample of class %d is transported to itself", fault.ErrSettings, e.label)
}

func (e LambdaError) Unwrap() error { return fault.ErrSettings }

// Lambdas returns λ for each pair of classes in data units. It returns nil if J uses a subset of the classes.
func (o *Objective[T]) Lambdas() *mat.SymDense {
	if len(o.Samples.Classes) < len(o.allSamples.Classes) {
		return nil
	}
	l := mat.NewSymDense(len(o.Samples.Classes), nil)
	for _, q := range o.pairs {
		l.SetSym(q.c, q.e, o.Samples.fromDataUnits(q.lambda))
	}
	return l
}
