package emd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/parallel"
	"github.com/gomonge/monge/internal/simplex"
)

const (
	defaultMaxMemory = 8 << 30
	goodRelativeGap  = 1e-12                                // largest gap that needs no second solve, relative to Σ_ij T_ij |M_ij|
	limitFactor      = 16                                   // cost limit relative to the largest cost of the plan
	nodeBytes        = simplex.NodeBytes + assignBytes + 80 // bytes that Solve needs for each row and column
)

// Settings configures a Solver. The zero value works.
type Settings struct {
	// Workers is the number of goroutines that solve the problems of a batch; 0 means GOMAXPROCS. Each problem uses one
	// goroutine. Results have the same bits for any number of workers.
	Workers int
	// MaxMemory is the largest size of a workspace in bytes; 0 means 8 GiB. If a problem needs more, the methods return
	// ErrSettings and allocate nothing. In a batch, each worker has its own workspace of at most this size.
	MaxMemory int64
}

// Solver solves problems one after the other in the same workspace. The zero Solver has the zero Settings.
//
// The workspace has the size that the largest problem needed, or up to a quarter more if the sizes of problems have grown
// slowly. A Solver does not allocate after it has solved its largest problem. Shrink frees the workspace.
//
// A Solver and its results must not be used by several goroutines at the same time. If a method detects this, it panics.
type Solver[T dist.Float] struct {
	settings Settings
	busy     atomic.Bool
	timed    parallel.Timed
	work     workspace[T]
	assign   assignment[T]
	line     line[T]
	batch    batch[T]
}

// workspace is the workspace of Solve.
type workspace[T dist.Float] struct {
	costs                     costs[T]
	simplex                   simplex.Solver[T]
	a, b                      []T // uniform weights
	entryCounts               []int32
	rowScratch, columnScratch []float64
	result                    Result[T]
	limitRaised               bool // whether this solve has raised the limit of the costs
}

// NewSolver returns a Solver with the given settings; nil means the zero Settings. An error wraps ErrSettings.
func NewSolver[T dist.Float](settings *Settings) (*Solver[T], error) {
	s := new(Solver[T])
	if settings != nil {
		s.settings = *settings
	}
	switch {
	case s.settings.Workers < 0:
		return nil, fmt.Errorf("%w: Workers is %d; it must not be negative", ErrSettings, s.settings.Workers)
	case s.settings.MaxMemory < 0:
		return nil, fmt.Errorf("%w: MaxMemory is %d; it must not be negative", ErrSettings, s.settings.MaxMemory)
	}
	return s, nil
}

// markBusy marks the Solver as being used until markIdle. It panics if the Solver is being used already.
func (s *Solver[T]) markBusy() {
	if !s.busy.CompareAndSwap(false, true) {
		panic("emd: two goroutines used a Solver at the same time")
	}
}

func (s *Solver[T]) markIdle() { s.busy.Store(false) }

// Shrink frees the workspace. Earlier results become invalid. The next call allocates a new workspace.
func (s *Solver[T]) Shrink() {
	s.markBusy()
	defer s.markIdle()
	s.work, s.assign, s.line, s.batch = workspace[T]{}, assignment[T]{}, line[T]{}, batch[T]{}
}

// checkMemory returns an error if a workspace of the given size exceeds MaxMemory.
func (s *Solver[T]) checkMemory(bytes float64) error {
	most := s.settings.MaxMemory
	if most == 0 {
		most = defaultMaxMemory
	}
	if bytes > float64(most) {
		return fmt.Errorf("%w: the problem needs %.0f bytes, but MaxMemory is %d", ErrSettings, bytes, most)
	}
	return nil
}

// Solve finds an optimal plan of p and its certificate. The result is valid until the next call of the Solver.
//
// If the problem is invalid or out of range, the result is nil, and the error wraps ErrShape,
// ErrNotFinite, ErrMarginals, ErrSettings or ErrRange.
//
// If the context ends, Solve returns the context's cause together with a feasible plan, whose status is StatusCanceled. The
// dual variables and Violation, Dual and Gap of the certificate are NaN. A canceled Solve does not check all costs. If the
// cost of its plan is not finite, the result is nil.
func (s *Solver[T]) Solve(ctx context.Context, p *Problem[T]) (*Result[T], error) {
	s.markBusy()
	defer s.markIdle()
	return s.solve(s.timed.Of(ctx), p)
}

// solve is like Solve, but does not mark the Solver as busy.
func (s *Solver[T]) solve(ctx context.Context, p *Problem[T]) (*Result[T], error) {
	w := &s.work
	n, m, err := s.checkProblem(ctx, p)
	if err != nil {
		return nil, err
	}
	// Even a canceled Solve returns a plan and therefore needs all weights.
	sumA, err := checkWeights(context.Background(), "A", p.A, n)
	if err != nil {
		return nil, err
	}
	sumB, err := checkWeights(context.Background(), "B", p.B, m)
	if err != nil {
		return nil, err
	}
	if err := checkSums[T](sumA, sumB, p.Mass); err != nil {
		return nil, err
	}
	w.limitRaised = false
	a, b := weightsOrUniform(p.A, &w.a, n), weightsOrUniform(p.B, &w.b, m)
	if p.Cost.Rows > 0 {
		w.costs.setMatrix(p.Cost)
	} else {
		w.costs.setPoints(ctx, p.X, p.Y)
	}
	problem := &simplex.Problem[T]{Costs: &w.costs, A: a, B: b, Mass: p.Mass, CostWork: w.costs.rowWork()}
	if c := w.costs.m; c.Rows == n && n == m && p.Mass == 0 && allEqual(a) && allEqual(b) {
		// If all weights are equal, the optimal plan is an assignment. If prepare or solve fails, the simplex method returns
		// the error.
		x := &s.assign
		if err := x.prepare(ctx, c); err == nil && x.solve(ctx) == nil {
			problem.Columns, problem.V = x.columnOf, x.v
		}
	}
	for failed := w.simplex.Solve(ctx, problem); ; {
		r, err := w.makeResult(ctx, p, a, b, failed)
		if err != nil {
			return r, err
		}
		from, again := w.adjustLimit()
		if !again {
			return r, nil
		}
		failed = w.simplex.SolveChanged(ctx, problem, from)
	}
}

// adjustLimit reports whether the problem must be solved again with a different cost limit. If so, adjustLimit sets the new
// limit and also returns the least cost that the new limit changes.
//
// If some costs are much larger than all costs of the plan, the dual variables may be large, and their rounding errors may
// hide small costs. adjustLimit then limits the costs: each cost above the limit is replaced by the limit. If the plan
// contains none of these costs, the plan and its dual variables are also optimal for the original costs.
// also optimal for the original costs.
func (w *workspace[T]) adjustLimit() (from float64, again bool) {
	r, c := &w.result, &w.costs
	var size, used, large float64
	for _, e := range r.Plan {
		x := math.Abs(float64(c.row(e.Row)[e.Column]))
		size += float64(e.Mass * x)
		used = max(used, x)
	}
	if c.limit > 0 && used >= float64(c.limit) { // the limit was too low
		w.limitRaised, from = true, float64(c.limit)
		if c.limit *= limitFactor; c.limit-c.limit != 0 {
			c.limit = 0
		}
		return from, true
	}
	if w.limitRaised || r.Certificate.Gap <= float64(goodRelativeGap*size) {
		return 0, false
	}
	for _, u := range r.U {
		large = max(large, math.Abs(u))
	}
	if c.limit > 0 {
		large = float64(c.limit) / 2
	}
	cap := T(used * limitFactor)
	if !(float64(cap) < large) || cap <= 0 {
		return 0, false
	}
	c.limit = cap
	return float64(cap), true
}

// makeResult sets the result from the final state of the simplex method, which returned err.
func (w *workspace[T]) makeResult(ctx context.Context, p *Problem[T], a, b []T, err error) (*Result[T], error) {
	n, m := len(a), len(b)
	canceled := err != nil && w.simplex.Feasible && !errors.Is(err, simplex.ErrRange)
	if err != nil && !canceled {
		return nil, explainError(p, err)
	}
	r := &w.result
	*r = Result[T]{Plan: r.Plan, U: r.U, V: r.V, n: n, m: m}
	w.setPlan(n, m)
	grow(&r.U, n)
	grow(&r.V, m)
	if !canceled {
		w.setDuals(a, b)
		if r.Certificate.Violation, err = w.findViolation(ctx, p, a, b); err != nil {
			if ctx.Err() == nil {
				return nil, err
			}
			canceled = true
		}
	}
	if r.Status = StatusOptimal; canceled {
		r.Status = StatusCanceled
		r.Price, r.Certificate.Violation = math.NaN(), math.NaN()
		for _, duals := range [2][]float64{r.U, r.V} {
			for k := range duals {
				duals[k] = math.NaN()
			}
		}
	}
	w.setCertificate(p, a, b)
	r.Cost = r.Certificate.Primal
	switch {
	case r.Cost-r.Cost == 0:
	case canceled: // the input may contain NaN or infinity, because it was not checked completely
		return nil, err
	default:
		return nil, fmt.Errorf("%w: the transport cost overflows", ErrRange)
	}
	if gap := r.Certificate.Gap; !canceled && gap-gap != 0 {
		return nil, fmt.Errorf("%w: the gap is %v", ErrRange, gap)
	}
	return r, err
}

// explainError translates an error of the simplex method to an error of this package.
func explainError[T dist.Float](p *Problem[T], err error) error {
	var where *simplex.NotFiniteError
	switch {
	case errors.As(err, &where) && p.Cost.Rows > 0:
		return fmt.Errorf("cost matrix: %w", &dist.PositionError{Row: where.Row, Column: where.Column, Value: float64(p.Cost.At(where.Row, where.Column)), Err: ErrNotFinite})
	case where != nil:
		return fmt.Errorf("%w: the squared distance of X[%d] and Y[%d] overflows", ErrRange, where.Row, where.Column)
	case errors.Is(err, simplex.ErrRange):
		return fmt.Errorf("%w: a sum of costs overflows", ErrRange)
	case errors.Is(err, simplex.ErrNodes):
		return fmt.Errorf("%w: more than 2³⁰ rows and columns", ErrSettings)
	}
	return err
}

// checkProblem checks the shapes of p, its points, and the memory that it needs. It returns the size of the problem.
func (s *Solver[T]) checkProblem(ctx context.Context, p *Problem[T]) (n, m int, err error) {
	points := p.X.Rows > 0 || p.Y.Rows > 0
	switch {
	case points && (p.Cost.Rows > 0 || p.Cost.Cols > 0):
		return 0, 0, fmt.Errorf("%w: give a cost matrix or points, not both", ErrShape)
	case points:
		if err := checkPoints(ctx, p.X, p.Y); err != nil {
			return 0, 0, err
		}
		n, m = p.X.Rows, p.Y.Rows
		stored := float64(float64(stripRows[T](n, m)) * float64(m))
		stored += float64(float64(m) * float64(p.Y.Cols))
		return n, m, s.checkMemory(float64(nodeBytes*(float64(n)+float64(m))) + float64(float64(elementSize[T]())*stored))
	}
	if err := checkMatrix("Cost", p.Cost); err != nil {
		return 0, 0, err
	}
	if n, m = p.Cost.Rows, p.Cost.Cols; n == 0 || m == 0 {
		return 0, 0, fmt.Errorf("%w: the problem has no points and no costs", ErrShape)
	}
	return n, m, s.checkMemory(nodeBytes * (float64(n) + float64(m)))
}

func allEqual[T dist.Float](w []T) bool {
	for _, x := range w {
		if x != w[0] {
			return false
		}
	}
	return true
}

// weightsOrUniform returns w, or n uniform weights if w is nil.
func weightsOrUniform[T dist.Float](w []T, uniform *[]T, n int) []T {
	if w != nil {
		return w
	}
	if len(*uniform) != n {
		grow(uniform, n)
		for i := range *uniform {
			(*uniform)[i] = 1 / T(n)
		}
	}
	return *uniform
}
