package wda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/matrix"
	"github.com/gomonge/monge/internal/parallel"
	"github.com/gomonge/monge/sinkhorn"
	"gonum.org/v1/gonum/mat"
)

// objective evaluates J and its gradient in element type T. Everything is done in
// the projected space: Y = X·P once, transport between the classes of Y, and one
// Xᵀ·G on the way back; no d × d matrix is formed.
type objective[T dist.Float] struct {
	s          *samples
	whole      *samples // that s is a part of, or s
	p          int
	mode       sinkhorn.GradientMode
	iterations int            // of Sinkhorn
	x          dist.Matrix[T] // n × d
	pairs      []pair
	given      Lambda                 // what λ_cc' follows from, and the mean
	mean       func(c, e int) float64 // squared distance of two classes of whole at the start, if λ is relative to it
	ridge      float64
	set        *Settings
	workers    []*worker[T] // of pairs
	width      int          // goroutines otherwise
	pool       parallel.Pool

	proj     dist.Matrix[T] // P
	y        dist.Matrix[T] // X P
	gb, gw   dist.Matrix[T] // ∂σ_b²/∂Y, ∂σ_w²/∂Y
	sb, sw   dist.Matrix[T] // the same with constant plans, if they were needed
	gt       dist.Matrix[T] // (Xᵀ G)ᵀ
	results  []pairResult[T]
	touched  []int // classes of the pairs at hand
	small    []int // pairs at hand that are divided among the workers
	inLog    int   // pairs that were solved in the log domain
	rough    int   // pairs whose plans have few digits
	b, w     float64
	gradient bool
	frozen   bool // the gradient is that with constant plans, whatever the mode
	remember bool // samples and weights do not change, so that
	known    bool // b, w and, if gradient, gb and gw are those at proj

	// What the workers do is made once: an evaluation allocates nothing. Its operands
	// are in ctx, todo, small and touched.
	ctx  context.Context
	todo []pair
	work struct {
		project, accumulate, pullBack func(i, j int)
		solve                         func(w, i int)
	}
}

// pair is a pair of classes c ≤ e.
type pair struct {
	c, e           int
	lambda, weight float64
}

func (p pair) within() bool { return p.c == p.e }

// worker is what one goroutine needs to solve pairs.
type worker[T dist.Float] struct {
	solver *sinkhorn.Solver[T]
}

// pairResult is the outcome of one pair, kept until its turn in the sum.
type pairResult[T dist.Float] struct {
	cost   float64
	dx, dy []T
	err    error
	status sinkhorn.Status
	domain sinkhorn.Domain
}

// batch is the number of pairs whose results are held at a time. They are
// summed in the order of the pairs, whichever worker solved them.
const batch = 64

func newObjective[T dist.Float](ctx context.Context, s *samples, set *Settings) (*objective[T], error) {
	o := &objective[T]{s: s, whole: s, p: set.Components, mode: set.Objective.Gradient, iterations: set.Objective.Iterations, set: set}
	o.pairs = pairsOf(s, s, set.Objective.Proportional)
	o.width = workerCount(set.Workers)
	solvers := min(o.width, batch, len(o.pairs))
	if err := checkNeeds(objectiveNeeds[T](s, set, solvers)...); err != nil {
		return nil, err
	}
	for i := range solvers {
		// The first divides large problems among goroutines itself.
		ss := sinkhornSettings[T](set)
		ss.Workers = 1
		if i == 0 {
			ss.Workers = min(o.width, s.largestPair()/minPiece+1)
		}
		solver, err := sinkhorn.NewSolver[T](&ss)
		if err != nil {
			return nil, err
		}
		o.workers = append(o.workers, &worker[T]{solver: solver})
	}
	o.x = matrixOf[T](ctx, s.x)
	o.proj = dist.NewMatrix[T](s.d, o.p, nil)
	o.y = dist.NewMatrix[T](s.n, o.p, nil)
	o.gb = dist.NewMatrix[T](s.n, o.p, nil)
	o.gw = dist.NewMatrix[T](s.n, o.p, nil)
	o.gt = dist.NewMatrix[T](o.p, s.d, nil)
	o.results = make([]pairResult[T], min(batch, len(o.pairs)))
	o.work.project, o.work.accumulate, o.work.pullBack, o.work.solve = o.projectRows, o.addClasses, o.pullBackColumns, o.solveSmall
	return o, nil
}

// minPiece is fewer elements of K than one goroutine takes of a pair at a time.
const minPiece = 1 << 14

// pairsOf returns all pairs of classes of s, which may be some of the classes of whole, with their
// weights. If they are, the weights make the sums over the pairs estimates of those over all.
func pairsOf(s, whole *samples, proportional bool) []pair {
	m, all := float64(len(s.classes)), float64(len(whole.classes))
	within, between := all/m, float64(all*(all-1))/float64(m*max(m-1, 1))
	weight := whole.pairWeight(proportional)
	pairs := make([]pair, 0, len(s.classes)*(len(s.classes)+1)/2)
	for c := range s.classes {
		for e := c; e < len(s.classes); e++ {
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
func (s *samples) pairWeight(proportional bool) func(c, e int) float64 {
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
func (s *samples) among(whole *samples, c int) int {
	if s == whole {
		return c
	}
	return s.original(c)
}

// setLambdas fixes λ_cc' of every pair: that of the settings, in the units of the
// scaled samples, or relative to the mean squared distances at the projection p.
func (o *objective[T]) setLambdas(ctx context.Context, set *Settings, p *mat.Dense) error {
	o.mean, o.given, o.known = nil, set.Objective.Lambda, false
	if set.Objective.Lambda.kind == lambdaRelative {
		o.mean = o.whole.meanSquaredDistances(ctx, p, o.width)
	}
	for i := range o.pairs {
		q := &o.pairs[i]
		var err error
		if q.lambda, err = o.lambda(o.s.among(o.whole, q.c), o.s.among(o.whole, q.e)); err != nil {
			return err
		}
	}
	return nil
}

// lambda returns λ_cc' of two classes of the whole.
func (o *objective[T]) lambda(c, e int) (float64, error) {
	var lambda float64
	l := o.given
	switch {
	case l.kind == lambdaMatrix:
		lambda = o.s.units(l.matrix.At(o.whole.original(c), o.whole.original(e)))
	case l.kind == lambdaAbsolute:
		lambda = o.s.units(l.value)
	default:
		lambda = l.value / o.mean(c, e)
	}
	// What underflows is as good as 0: the plan is uniform.
	lambda = max(lambda, math.SmallestNonzeroFloat64)
	// The kernels multiply by λ·log₂e in type T.
	if math.IsNaN(lambda) || math.IsInf(float64(T(lambda*math.Log2E)), 1) {
		if l.kind == lambdaRelative && o.mean(c, e) <= coinciding[T]() {
			// All samples of both classes coincide in this projection, but for
			// rounding: any λ gives the same, uniform plan.
			return 1, nil
		}
		return 0, fmt.Errorf("%w: λ is too large or too small for data of this scale", ErrSettings)
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

// evaluate computes σ_b² and σ_w² (without the ridge) at p, in the units of the
// scaled samples, and, if gradient is set, their gradients with respect to Y. They do not depend on
// the ridge: where the evaluation before was at p, too, with the same λ, and it is remembered, nothing
// is computed.
func (o *objective[T]) evaluate(ctx context.Context, p *mat.Dense, gradient bool) error {
	if o.setProjection(p); o.known && o.remember && (o.gradient || !gradient) {
		return ended(ctx, nil)
	}
	o.known = false
	o.project(ctx)
	clear(o.gb.Data)
	clear(o.gw.Data)
	o.b, o.w, o.gradient = 0, 0, gradient
	o.inLog, o.rough = 0, 0
	to, step := o.set.remote(o.multiplications()), batch
	if to != nil {
		step = len(o.pairs) // sending takes time, however few pairs are sent
		o.results = slices.Grow(o.results[:0], step)[:step]
	}
	for first := 0; first < len(o.pairs); first += step {
		todo := o.pairs[first:min(first+step, len(o.pairs))]
		o.ctx, o.todo = ctx, todo
		if to == nil {
			o.solve()
		} else if err := o.solveAway(ctx, to); err != nil {
			return ended(ctx, err)
		}
		for i, q := range todo {
			r := &o.results[i]
			if r.err != nil {
				return o.pairError(ctx, q, r.err)
			}
			if r.domain == sinkhorn.DomainLog {
				o.inLog++
			}
			if r.status == sinkhorn.LowPrecision {
				o.rough++
			}
			if q.within() {
				o.w += float64(q.weight * r.cost)
			} else {
				o.b += float64(q.weight * r.cost)
			}
		}
		if gradient {
			o.accumulate()
		}
	}
	o.known = ctx.Err() == nil
	return ended(ctx, nil)
}

// accumulate adds the gradients of the pairs at hand to those of their classes, for
// each in the order of the pairs. The classes are divided among the workers.
func (o *objective[T]) accumulate() {
	o.touched = o.touched[:0]
	for _, q := range o.todo {
		o.touched = append(o.touched, q.c, q.e)
	}
	slices.Sort(o.touched)
	o.touched = slices.Compact(o.touched)
	o.each(o.ctx, len(o.touched), 1, o.work.accumulate)
}

func (o *objective[T]) addClasses(i, j int) {
	for _, c := range o.touched[i:j] {
		gb, gw := class(o.s, o.gb, c).Data, class(o.s, o.gw, c).Data
		for k, q := range o.todo {
			g := gb
			if q.within() {
				g = gw
			}
			if q.c == c {
				addScaled(g, o.results[k].dx, T(q.weight))
			}
			if q.e == c {
				addScaled(g, o.results[k].dy, T(q.weight))
			}
		}
	}
}

// pairError names the classes that err is about, unless the context has ended: it then returns the
// context's cause.
func (o *objective[T]) pairError(ctx context.Context, q pair, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		overdue(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, sinkhorn.ErrRange):
		err = fmt.Errorf("%w: λ is too large for these data: %w", ErrSettings, err)
	case errors.Is(err, sinkhorn.ErrNotConverged):
		err = fmt.Errorf("%w: the implicit gradient needs a smaller λ or more iterations: %w", ErrSettings, err)
	}
	return fmt.Errorf("classes %d and %d: %w", o.s.classes[q.c], o.s.classes[q.e], err)
}

// addScaled sets dst = dst + w·x.
func addScaled[T dist.Float](dst, x []T, w T) {
	dst = dst[:len(x)]
	for i, x := range x {
		dst[i] += T(w * x)
	}
}

// largePair is the number of elements of K from which one pair after the other is
// solved, by all goroutines together: that they take up to half a GiB, and not each of
// them, is what bounds the memory of a fit of many samples. Smaller pairs are divided
// among the goroutines.
const largePair = 1 << 20

// solve solves the pairs at hand and leaves the outcome of todo[i] in results[i]. The
// goroutines take the next pair whenever they are done with one.
func (o *objective[T]) solve() {
	o.small = o.small[:0]
	for i, q := range o.todo {
		if len(o.workers) > 1 && o.s.size(q.c) <= largePair/o.s.size(q.e) {
			o.small = append(o.small, i)
			continue
		}
		o.solvePair(o.ctx, o.workers[0], q, &o.results[i])
	}
	o.pool.Each(len(o.workers), len(o.small), o.work.solve)
}

func (o *objective[T]) solveSmall(w, k int) {
	i := o.small[k]
	o.solvePair(o.ctx, o.workers[w], o.todo[i], &o.results[i])
}

func (o *objective[T]) solvePair(ctx context.Context, w *worker[T], q pair, r *pairResult[T]) {
	w.solve(ctx, class(o.s, o.y, q.c), class(o.s, o.y, q.e), q.lambda, gradientMode(o.mode, o.frozen), o.gradient, r)
}

// gradientMode returns the mode of a gradient, which is of constant plans if frozen is set.
func gradientMode(mode sinkhorn.GradientMode, frozen bool) sinkhorn.GradientMode {
	if frozen {
		return sinkhorn.GradientFrozen
	}
	return mode
}

// solve sets r to the outcome of the transport from x to y, with or without its gradient.
func (w *worker[T]) solve(ctx context.Context, x, y dist.Matrix[T], lambda float64, mode sinkhorn.GradientMode, gradient bool, r *pairResult[T]) {
	res, err := w.solver.Solve(ctx, &sinkhorn.Problem[T]{X: x, Y: y, Lambda: lambda})
	if r.err = err; err != nil {
		return
	}
	r.cost, r.status, r.domain = res.Cost, res.Status, res.Domain
	if !gradient {
		return
	}
	resize(&r.dx, x.Rows*x.Cols)
	resize(&r.dy, y.Rows*y.Cols)
	r.err = res.PointGradientTo(ctx, dist.NewMatrix(x.Rows, x.Cols, r.dx), dist.NewMatrix(y.Rows, y.Cols, r.dy), mode)
}

func resize[T dist.Float](v *[]T, n int) {
	if cap(*v) < n {
		*v = make([]T, n)
	}
	*v = (*v)[:n]
}

// load makes p the projection to work with, and sets Y = X P.
func (o *objective[T]) load(ctx context.Context, p *mat.Dense) {
	o.setProjection(p)
	o.project(ctx)
}

// setProjection makes p the projection to work with. What is known of another is not known any more.
func (o *objective[T]) setProjection(p *mat.Dense) {
	for k := range o.s.d {
		row := o.proj.Row(k)
		for l, v := range p.RawRowView(k) {
			if v := T(v); v != row[l] {
				row[l], o.known = v, false
			}
		}
	}
}

// project sets Y = X P.
func (o *objective[T]) project(ctx context.Context) {
	o.each(ctx, o.s.n, productPiece(o.s.d*o.p), o.work.project)
}

func (o *objective[T]) projectRows(i, j int) {
	x, y := o.x.RowRange(i, j), o.y.RowRange(i, j)
	matrix.Mul(y, x, o.proj, false)
}

// each calls f for the pieces of 0 … n−1, of the given size, over the workers, until the
// context ends.
func (o *objective[T]) each(ctx context.Context, n, size int, f func(i, j int)) {
	o.pool.ForContext(ctx, o.width, n, size, f)
}

// pullBack sets grad = Xᵀ (cb ∂σ_b²/∂Y + cw ∂σ_w²/∂Y). Y is lost. The error is the context's cause.
func (o *objective[T]) pullBack(ctx context.Context, grad *mat.Dense, cb, cw float64) error {
	// Where σ_w² is tiny the coefficients are beyond float32, so a power of two is
	// taken out of them.
	scale := powerOfTwo(max(math.Abs(cb), math.Abs(cw)))
	g, gb, gw, tb, tw := o.y.Data, o.gb.Data, o.gw.Data, T(cb*scale), T(cw*scale)
	for i := range g { // the place of Y, which is not needed any more
		g[i] = T(tb*gb[i]) + T(tw*gw[i])
	}
	o.each(ctx, o.s.d, productColumns(o.s.n*o.p), o.work.pullBack)
	scale = 1 / scale
	for k := range o.s.d {
		i := k
		row := grad.RawRowView(k)
		for l := range row {
			row[l] = float64(o.gt.Data[i]) * scale
			i += o.gt.Stride
		}
	}
	return ended(ctx, nil)
}

// pullBackColumns sets columns of gt to those of GᵀX, G being in y. Columns of X, not
// rows, go to the workers: every element is summed over the rows in one order, whichever worker does it.
func (o *objective[T]) pullBackColumns(i, j int) {
	matrix.TransMul(o.gt.ColRange(i, j), o.y, o.x.ColRange(i, j), false)
}

// ratio returns J.
func (o *objective[T]) ratio() float64 { return o.b / (o.w + o.ridge) }

// prepare fixes λ and the ridge at the start p.
func (o *objective[T]) prepare(ctx context.Context, set *Settings, p *mat.Dense) error {
	if err := o.setLambdas(ctx, set, p); err != nil {
		return ended(ctx, err)
	}
	o.ridge = 0
	if err := o.evaluate(ctx, p, false); err != nil {
		return err
	}
	o.ridge = float64(set.Objective.Shrinkage.rho * o.w)
	if !(o.b > 0) {
		return fmt.Errorf("%w between classes", ErrNoSpread)
	}
	if !(o.w+o.ridge > 0) {
		distance := o.s.meanSquaredDistances(ctx, p, o.width)
		for c, label := range o.s.classes {
			// Samples are of the order of 1.
			if !o.s.coincides(c) && distance(c, c) > 1e-28 {
				return lambdaError{label}
			}
		}
		return fmt.Errorf("%w within classes", ErrNoSpread)
	}
	return nil
}

// lambdaError is the class whose samples are transported to themselves.
type lambdaError struct{ label int }

func (e lambdaError) Error() string {
	return fmt.Sprintf("%v: λ is so large that every sample of class %d is transported to itself", ErrSettings, e.label)
}

func (e lambdaError) Unwrap() error { return ErrSettings }

// lambdas returns λ_cc' in the units of the data, or nil if J is of some of the classes.
func (o *objective[T]) lambdas() *mat.SymDense {
	if len(o.s.classes) < len(o.whole.classes) {
		return nil
	}
	l := mat.NewSymDense(len(o.s.classes), nil)
	for _, q := range o.pairs {
		l.SetSym(q.c, q.e, o.s.perUnits(q.lambda))
	}
	return l
}
