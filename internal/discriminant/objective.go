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
	"gonum.org/v1/gonum/mat"
)

// Objective evaluates J and its gradient in element type T. Everything is done in
// the projected space: Y = X·P once, transport between the classes of Y, and one
// Xᵀ·G on the way back; no d × d matrix is formed.
type Objective[T dist.Float] struct {
	Samples     *Samples
	whole       *Samples // that s is a part of, or s
	p           int
	config      *Config[T]
	x           dist.Matrix[T] // n × d
	pairs       []pair
	rule        LambdaRule             // what λ_cc' follows from, and the mean
	mean        func(c, e int) float64 // squared distance of two classes of whole at the start, if λ is relative to it
	Ridge       float64
	startWithin float64 // σ_w² at the start, once λ and the ridge are fixed there
	local       *localPairs[T]
	width       int // goroutines for everything but pairs
	pool        parallel.Pool
	stiefel     *stiefel.Manifold // of the projections, once it is needed

	proj     dist.Matrix[T] // P
	y        dist.Matrix[T] // X P
	gb, gw   dist.Matrix[T] // ∂σ_b²/∂Y, ∂σ_w²/∂Y
	sb, sw   dist.Matrix[T] // the same with constant plans, if they were needed
	gt       dist.Matrix[T] // (Xᵀ G)ᵀ
	job      PairJob[T]     // the pairs at hand
	touched  []int          // classes of the pairs at hand
	inLog    int            // pairs that were solved in the log domain
	rough    int            // pairs whose plans have few digits
	b, w     float64
	gradient bool
	Remember bool // samples and weights do not change, so that
	known    bool // b, w and, if gradient, gb and gw are those at proj

	// What the workers do is made once: an evaluation allocates nothing. Its operands are in job and
	// touched.
	work struct {
		project, accumulate, pullBack func(i, j int)
	}
}

// pair is a pair of classes c ≤ e.
type pair struct {
	c, e           int
	lambda, weight float64
}

func (p pair) within() bool { return p.c == p.e }

// NewObjective returns the objective that a fit to s evaluates: that of s, or of a part of s if the
// configuration bounds classes or samples. Weights are those of s, and λ is relative to s.
func NewObjective[T dist.Float](ctx context.Context, s *Samples, config *Config[T]) (*Objective[T], error) {
	part := s
	if config.MaxClasses > 0 {
		part = part.Fewer(ctx, config.MaxClasses)
	}
	if config.MaxSamples > 0 {
		part = part.Thinned(ctx, config.MaxSamples)
	}
	return newPartObjective(ctx, part, s, config)
}

// newPartObjective returns the objective of the samples s, which are a part of whole, or whole.
func newPartObjective[T dist.Float](ctx context.Context, s, whole *Samples, config *Config[T]) (*Objective[T], error) {
	o := &Objective[T]{Samples: s, whole: whole, p: config.Components, config: config, width: parallel.Count(config.Workers)}
	o.pairs = pairsOf(s, whole, config.Proportional)
	solvers := min(o.width, batch, len(o.pairs))
	if err := CheckMemory(ObjectiveNeeds(s, config, solvers)...); err != nil {
		return nil, err
	}
	var err error
	if o.local, err = newLocalPairs(config, &o.pool, solvers, min(o.width, s.largestPair()/minPiece+1)); err != nil {
		return nil, err
	}
	o.x = matrixOf[T](ctx, s.X)
	o.proj = dist.NewMatrix[T](s.D, o.p, nil)
	o.y = dist.NewMatrix[T](s.N, o.p, nil)
	o.gb = dist.NewMatrix[T](s.N, o.p, nil)
	o.gw = dist.NewMatrix[T](s.N, o.p, nil)
	o.gt = dist.NewMatrix[T](o.p, s.D, nil)
	o.job = PairJob[T]{Y: o.y, Offset: s.Offset, Iterations: config.Iterations, Mode: config.Gradient, Results: make([]PairResult[T], min(batch, len(o.pairs)))}
	o.work.project, o.work.accumulate, o.work.pullBack = o.projectRows, o.addClasses, o.pullBackColumns
	return o, nil
}

// pairsOf returns all pairs of classes of s, which may be some of the classes of whole, with their
// weights. If they are, the weights make the sums over the pairs estimates of those over all.
func pairsOf(s, whole *Samples, proportional bool) []pair {
	m, all := float64(len(s.Classes)), float64(len(whole.Classes))
	within, between := all/m, float64(all*(all-1))/float64(m*max(m-1, 1))
	weight := whole.pairWeight(proportional)
	pairs := make([]pair, 0, len(s.Classes)*(len(s.Classes)+1)/2)
	for c := range s.Classes {
		for e := c; e < len(s.Classes); e++ {
			scale := between
			if e == c {
				scale = within
			}
			pairs = append(pairs, pair{c: c, e: e, weight: weight(s.among(whole, c), s.among(whole, e)) * scale})
		}
	}
	return pairs
}

// pairWeight returns the function that is the weight of two classes of s.
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

// among returns the index in whole, which has all classes of the fit unless it is s, of class c.
func (s *Samples) among(whole *Samples, c int) int {
	if s == whole {
		return c
	}
	return s.original(c)
}

// setLambdas fixes λ_cc' of every pair by the rule: in the units of the scaled samples, or relative to
// the mean squared distances at the projection p.
func (o *Objective[T]) setLambdas(ctx context.Context, rule LambdaRule, p *mat.Dense) error {
	o.mean, o.rule, o.known = nil, rule, false
	if rule.Relative {
		o.mean = o.whole.meanSquaredDistances(ctx, p, o.width)
	}
	for i := range o.pairs {
		q := &o.pairs[i]
		var err error
		if q.lambda, err = o.lambda(o.Samples.among(o.whole, q.c), o.Samples.among(o.whole, q.e)); err != nil {
			return err
		}
	}
	return nil
}

// lambda returns λ_cc' of two classes of the whole.
func (o *Objective[T]) lambda(c, e int) (float64, error) {
	var lambda float64
	switch rule := o.rule; {
	case rule.Matrix != nil:
		lambda = o.Samples.Units(rule.Matrix.At(o.whole.original(c), o.whole.original(e)))
	case rule.Relative:
		lambda = rule.Value / o.mean(c, e)
	default:
		lambda = o.Samples.Units(rule.Value)
	}
	// What underflows is as good as 0: the plan is uniform.
	lambda = max(lambda, math.SmallestNonzeroFloat64)
	// The kernels multiply by λ·log₂e in type T.
	if math.IsNaN(lambda) || math.IsInf(float64(T(lambda*math.Log2E)), 1) {
		if o.rule.Relative && o.mean(c, e) <= coinciding[T]() {
			// All samples of both classes coincide in this projection, but for
			// rounding: any λ gives the same, uniform plan.
			return 1, nil
		}
		return 0, fmt.Errorf("%w: λ is too large or too small for data of this scale", fault.ErrSettings)
	}
	return lambda, nil
}

// coinciding is the mean squared distance that rounding in type T makes of samples that
// coincide, which are of the order of 1.
func coinciding[T dist.Float]() float64 {
	if num.IsFloat64[T]() {
		return 0x1p-94
	}
	return 0x1p-40
}

// Evaluate computes σ_b² and σ_w² (without the ridge) at p, in the units of the
// scaled samples, and, if gradient is set, their gradients with respect to Y. They do not depend on
// the ridge: where the evaluation before was at p, too, with the same λ, and it is remembered, nothing
// is computed.
func (o *Objective[T]) Evaluate(ctx context.Context, p *mat.Dense, gradient bool) error {
	if o.setProjection(p); o.known && o.Remember && (o.gradient || !gradient) {
		return fault.Ended(ctx, nil)
	}
	o.known = false
	o.project(ctx)
	clear(o.gb.Data)
	clear(o.gw.Data)
	o.b, o.w, o.gradient = 0, 0, gradient
	o.inLog, o.rough = 0, 0
	solver, step := PairSolver[T](o.local), batch
	if away := o.config.Pairs; away != nil && away.Worth(o.multiplications()) {
		solver, step = away, len(o.pairs) // sending takes time, however few pairs are sent
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
				o.inLog++
			}
			if r.Status == sinkhorn.StatusLowPrecision {
				o.rough++
			}
			if q.within() {
				o.w += float64(q.weight * r.Cost)
			} else {
				o.b += float64(q.weight * r.Cost)
			}
		}
		if gradient {
			o.accumulate(ctx)
		}
	}
	o.known = ctx.Err() == nil
	return fault.Ended(ctx, nil)
}

// multiplications is about how many multiplications an evaluation makes.
func (o *Objective[T]) multiplications() float64 {
	n := float64(0)
	for _, q := range o.pairs {
		n += float64(float64(o.Samples.Size(q.c)) * float64(o.Samples.Size(q.e)))
	}
	return n * float64(2*o.config.Iterations+o.p)
}

// accumulate adds the gradients of the pairs at hand to those of their classes, for
// each in the order of the pairs. The classes are divided among the workers.
func (o *Objective[T]) accumulate(ctx context.Context) {
	o.touched = o.touched[:0]
	for _, q := range o.job.pairs {
		o.touched = append(o.touched, q.c, q.e)
	}
	slices.Sort(o.touched)
	o.touched = slices.Compact(o.touched)
	o.each(ctx, len(o.touched), 1, o.work.accumulate)
}

func (o *Objective[T]) addClasses(i, j int) {
	for _, c := range o.touched[i:j] {
		gb, gw := class(o.Samples, o.gb, c).Data, class(o.Samples, o.gw, c).Data
		for k, q := range o.job.pairs {
			g := gb
			if q.within() {
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

// pairError names the classes that err is about, unless the context has ended: it then returns the
// context's cause.
func (o *Objective[T]) pairError(ctx context.Context, q pair, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		overdue(ctx)
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

// timerLate bounds the time that a timer is waited for.
const timerLate = time.Second

// overdue waits until the context has ended if its deadline is past. A solver looks at the clock
// and may see the deadline before the context's timer does, and only the timer sets the cause.
func overdue(ctx context.Context) {
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
	for i, x := range x {
		dst[i] += T(w * x)
	}
}

// load makes p the projection to work with, and sets Y = X P.
func (o *Objective[T]) load(ctx context.Context, p *mat.Dense) {
	o.setProjection(p)
	o.project(ctx)
}

// setProjection makes p the projection to work with. What is known of another is not known any more.
func (o *Objective[T]) setProjection(p *mat.Dense) {
	for k := range o.Samples.D {
		row := o.proj.Row(k)
		for l, v := range p.RawRowView(k) {
			if v := T(v); v != row[l] {
				row[l], o.known = v, false
			}
		}
	}
}

// project sets Y = X P.
func (o *Objective[T]) project(ctx context.Context) {
	o.each(ctx, o.Samples.N, productPiece(o.Samples.D*o.p), o.work.project)
}

func (o *Objective[T]) projectRows(i, j int) {
	x, y := o.x.RowRange(i, j), o.y.RowRange(i, j)
	matrix.Mul(y, x, o.proj, false)
}

// each calls f for the pieces of 0 … n−1, of the given size, over the workers, until the
// context ends.
func (o *Objective[T]) each(ctx context.Context, n, size int, f func(i, j int)) {
	o.pool.ForContext(ctx, o.width, n, size, f)
}

// pullBack sets grad = Xᵀ (cb ∂σ_b²/∂Y + cw ∂σ_w²/∂Y). Y is lost. The error is the context's cause.
func (o *Objective[T]) pullBack(ctx context.Context, grad *mat.Dense, cb, cw float64) error {
	// Where σ_w² is tiny the coefficients are beyond float32, so a power of two is
	// taken out of them.
	scale := powerOfTwo(max(math.Abs(cb), math.Abs(cw)))
	g, gb, gw, tb, tw := o.y.Data, o.gb.Data, o.gw.Data, T(cb*scale), T(cw*scale)
	for i := range g { // the place of Y, which is not needed any more
		g[i] = T(tb*gb[i]) + T(tw*gw[i])
	}
	o.each(ctx, o.Samples.D, productColumns(o.Samples.N*o.p), o.work.pullBack)
	scale = 1 / scale
	for k := range o.Samples.D {
		i := k
		row := grad.RawRowView(k)
		for l := range row {
			row[l] = float64(o.gt.Data[i]) * scale
			i += o.gt.Stride
		}
	}
	return fault.Ended(ctx, nil)
}

// pullBackColumns sets columns of gt to those of GᵀX, G being in y. Columns of X, not
// rows, go to the workers: every element is summed over the rows in one order, whichever worker does it.
func (o *Objective[T]) pullBackColumns(i, j int) {
	matrix.TransMul(o.gt.ColRange(i, j), o.y, o.x.ColRange(i, j), false)
}

// Ratio returns J.
func (o *Objective[T]) Ratio() float64 { return o.b / (o.w + o.Ridge) }

// Prepare fixes λ and the ridge at the start p: the ridge is ρ·σ_w².
func (o *Objective[T]) Prepare(ctx context.Context, lambda LambdaRule, rho float64, p *mat.Dense) error {
	o.startWithin = 0
	if err := o.setLambdas(ctx, lambda, p); err != nil {
		return fault.Ended(ctx, err)
	}
	o.Ridge = 0
	if err := o.Evaluate(ctx, p, false); err != nil {
		return err
	}
	o.Ridge = float64(rho * o.w)
	if !(o.b > 0) {
		return fmt.Errorf("%w between classes", ErrNoSpread)
	}
	if !(o.w+o.Ridge > 0) {
		distance := o.Samples.meanSquaredDistances(ctx, p, o.width)
		for c, label := range o.Samples.Classes {
			// Samples are of the order of 1.
			if !o.Samples.Coincides(c) && distance(c, c) > 1e-28 {
				return LambdaError{label}
			}
		}
		return fmt.Errorf("%w within classes", ErrNoSpread)
	}
	o.startWithin = o.w
	return nil
}

// SetShrinkage sets the ridge to ρ·σ_w² of the start that prepare was called with. λ stays.
func (o *Objective[T]) SetShrinkage(rho float64) { o.Ridge = float64(rho * o.startWithin) }

// Highest returns the candidate with the largest J. Candidates that are nil or cannot be evaluated are
// left out; if none is left, it returns the first. costs has the costs of the first candidates, or zeros
// where they are not known yet: Highest fills these in. If the context ends, Highest returns the first
// candidate and the context's cause.
func (o *Objective[T]) Highest(ctx context.Context, costs []Costs, candidates ...*mat.Dense) (*mat.Dense, error) {
	best, value := candidates[0], 0.0
	for i, p := range candidates {
		if p == nil || slices.Contains(candidates[:i], p) {
			continue
		}
		var at Costs
		if i < len(costs) && costs[i].Between > 0 { // J alone depends on ρ
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

// Troubles counts the pairs of classes of the latest evaluation, those that were solved in the log domain,
// and those whose plans have few correct digits.
type Troubles struct{ Pairs, InLog, Rough int }

// Troubles returns the counts for the latest evaluation.
func (o *Objective[T]) Troubles() Troubles { return Troubles{len(o.pairs), o.inLog, o.rough} }

// Costs are σ_b² and σ_w², in the units of the scaled samples.
type Costs struct{ Between, Within float64 }

// Costs returns the costs of the latest evaluation.
func (o *Objective[T]) Costs() Costs { return Costs{o.b, o.w} }

// LambdaError is the class whose samples are transported to themselves.
type LambdaError struct{ label int }

func (e LambdaError) Error() string {
	return fmt.Sprintf("%v: λ is so large that every sample of class %d is transported to itself", fault.ErrSettings, e.label)
}

func (e LambdaError) Unwrap() error { return fault.ErrSettings }

// Lambdas returns λ for each pair of classes in data units. It returns nil if J uses a subset of the classes.
func (o *Objective[T]) Lambdas() *mat.SymDense {
	if len(o.Samples.Classes) < len(o.whole.Classes) {
		return nil
	}
	l := mat.NewSymDense(len(o.Samples.Classes), nil)
	for _, q := range o.pairs {
		l.SetSym(q.c, q.e, o.Samples.perUnits(q.lambda))
	}
	return l
}
