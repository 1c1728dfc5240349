package sinkhorn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gomonge/monge/dist"
)

// Solver solves problems one after the other in one workspace. The zero Solver is that of
// the zero Settings.
//
// The workspace is as large as the largest problem wanted, and up to a quarter more where
// problems have grown one by one: a solver that has seen its largest problem allocates
// nothing. [Solver.Shrink] gives it back.
//
// A Solver, with its results, must not be used by two goroutines at once: it panics when
// it sees that it is.
type Solver[T dist.Float] struct {
	settings Settings
	ready    bool
	busy     atomic.Bool

	*state[T] // of the problem at hand: own, or that of one of several solved together
	own       state[T]

	geo     geometry[T]
	ring    int // iterates kept
	fq      []T // column sums of the plan
	x, y    []T // scratch, of length n and m
	log     logDomain[T]
	rev     reverse[T]
	im      implicit[T]
	newton  newton[T]
	unequal unequal[T]
	warm    []T // start of the next stage of annealing
	div     struct{ g, h []T }
	batch   batch[T]
	group   group[T]
	lanes   lanes[T]
	placed  bool    // the geometry is that of the problem at hand
	taken   float64 // bytes of the workspace that it takes
	timed   timed
	count   uint64 // of results
}

// state is what a solver has of one problem.
type state[T dist.Float] struct {
	problem Problem[T]
	lambda  float64
	limits  limits[T]

	// Marginals.
	a, b     []T
	mass     float64
	zeroB    bool // b has zeros
	uniformA int  // length for which a is uniform already
	uniformB int

	// Iterates.
	us, vs []T // in a ring
	kind   []int
	walk   walk
	q      []T // Kᵀu
	fu, fv []T // scalings of the result

	// What the reverse sweep starts from.
	r, s, w []T   // of length n
	begun   bool  // r, s and q are what begin has left
	shape   shape // in a lane: what it has room for
	lane    int   // if positive, one more than the lane that still has the last iterate

	res Result[T]
}

// NewSolver returns a solver with these settings, nil being those of the zero value, or an
// error that wraps ErrSettings.
func NewSolver[T dist.Float](settings *Settings) (*Solver[T], error) {
	s := new(Solver[T])
	if settings == nil {
		settings = new(Settings)
	}
	if err := s.set(*settings); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Solver[T]) set(settings Settings) error {
	if err := settings.check(); err != nil {
		return err
	}
	s.reset(settings)
	return nil
}

// reset lets go of the workspace.
func (s *Solver[T]) reset(settings Settings) {
	*s = Solver[T]{settings: settings, ready: true, count: s.count + 1}
	s.state = &s.own
	s.limits = limitsOf[T](settings.Storage == StorageMixed)
}

// enter marks the solver as being used, until leave.
func (s *Solver[T]) enter() {
	if !s.busy.CompareAndSwap(false, true) {
		panic("sinkhorn: a Solver is used by two goroutines at once")
	}
	if !s.ready {
		if err := s.set(Settings{}); err != nil {
			panic(err)
		}
	}
}

func (s *Solver[T]) leave() { s.busy.Store(false) }

// Shrink lets go of the workspace: the next problem allocates what it needs. A result
// before is not valid any more.
func (s *Solver[T]) Shrink() {
	s.enter()
	s.reset(s.settings)
}

// Solve solves p. The result, and what it refers to, is valid until the next call.
//
// When the context ends, so does the solve, within an iteration of a small problem and one
// more, and within a few hundred rows of a large one: the result is then the best so far,
// the plan of the last whole iteration, with its marginal error and without a cost, its
// status Cancelled, and the error the context's cause; it is nil if there was none. Any
// other error comes without a result. A deadline is kept by the clock: the solve ends also
// where the context does not know yet, because nothing has let its timer run.
func (s *Solver[T]) Solve(ctx context.Context, p *Problem[T]) (*Result[T], error) {
	s.enter()
	defer s.leave()
	return s.solve(s.timed.of(ctx), p)
}

// timed is a context that looks at the clock itself. Where all processors are busy, a
// deadline's timer runs tens of milliseconds late.
type timed struct {
	context.Context
	end time.Time
}

// of returns ctx, as a timed context if it has a deadline.
func (t *timed) of(ctx context.Context) context.Context {
	end, ok := ctx.Deadline()
	if _, is := ctx.(*timed); is || !ok {
		return ctx
	}
	*t = timed{ctx, end}
	return t
}

// Err returns DeadlineExceeded from the deadline on.
func (t *timed) Err() error {
	if err := t.Context.Err(); err != nil || time.Now().Before(t.end) {
		return err
	}
	return context.DeadlineExceeded
}

// solve is Solve for a solver that is marked as being used.
func (s *Solver[T]) solve(ctx context.Context, p *Problem[T]) (*Result[T], error) {
	s.count++
	s.res = Result[T]{}
	err := s.prepare(ctx, p)
	if err != nil {
		return nil, err
	}
	if err = s.anneal(ctx, s.settings.Anneal); err == nil {
		err = s.converge(ctx)
	}
	if err == nil {
		err = s.begin(ctx)
	}
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		if !s.cancelled() {
			return nil, err
		}
	case err != nil:
		if e := s.notFinite(ctx); e != nil {
			err = e
		}
		return nil, err
	case !finite(s.res.Cost) || !finite(s.res.MarginalError):
		if err = s.notFinite(ctx); err == nil {
			err = fmt.Errorf("%w: the transport cost or a marginal overflows", ErrRange)
		}
		return nil, err
	}
	s.res.solver, s.res.serial = s, s.count
	return &s.res, err
}

// cancelled makes the result that of the last whole iteration, and reports whether there
// is one.
func (s *Solver[T]) cancelled() bool {
	s.res.Status, s.res.Cost = Cancelled, math.NaN()
	if s.res.Iterations == 0 {
		return false
	}
	if !finite(s.res.MarginalError) { // a small problem without tolerance: one pass, over
		// what the context that has ended does not keep
		if s.columnSums(context.Background()) == nil {
			s.res.MarginalError = 0
			for j, b := range s.b {
				s.res.MarginalError += math.Abs(float64(s.fq[j]) - float64(b))
			}
		}
	}
	return true
}

func finite(x float64) bool { return x-x == 0 }

// begin computes the cost of the plan, and what the reverse sweep starts from: s
// and q.
func (s *Solver[T]) begin(ctx context.Context) error {
	if err := s.final(ctx); err != nil {
		return err
	}
	if s.settings.Gradient {
		adjointWeights(s.w, s.fu, s.a)
	}
	if err := s.geo.begin(ctx, s.r, s.s, s.q, s.fu, s.fv, s.w); err != nil {
		return err
	}
	s.res.Cost = costOf(s.fu, s.r)
	s.begun = true
	return nil
}

// costOf returns Σ_i u_i r_i.
func costOf[T dist.Float](u, r []T) (sum float64) {
	for i, r := range r {
		sum += float64(float64(u[i]) * float64(r))
	}
	return sum
}

// adjointWeights sets w = −u² ⊘ a, and 0 where there is no weight.
func adjointWeights[T dist.Float](w, u, a []T) {
	u, a = u[:len(w)], a[:len(w)]
	for i := range w {
		w[i] = 0
		if a[i] > 0 {
			w[i] = -(u[i] / a[i]) * u[i] // u² might overflow before a divides it
		}
	}
}

// What iterate k keeps in its slots: the scalings u^k and v^k themselves, relative
// to the potentials of an earlier iterate, or potentials.
const (
	plainKind     = -1 // scalings; k ≥ 0 is "relative to the potentials in slot k"
	potentialKind = -2 // base-2 logarithms
)

// u and v return the slots of iterate k.
func (s *Solver[T]) u(k int) []T { return s.us[k%s.ring*s.geo.n:][:s.geo.n] }
func (s *Solver[T]) v(k int) []T {
	cols := s.geo.cols
	return s.vs[k%s.ring*cols:][:s.geo.m:cols]
}

// bytes returns what the workspace of a problem takes that has been laid out, but for what
// gradients of points take besides.
func (s *Solver[T]) bytes() float64 {
	geo := &s.geo
	vectors := 21. // in each direction
	if s.unequal.on {
		vectors += 4
	}
	if s.settings.Gradient {
		vectors += 2 * float64(s.settings.Iterations) // the terms of a reverse pass
	}
	return geo.bytes() + s.stateBytes() + float64(vectors*(float64(geo.n)+float64(geo.cols))*float64(size[T]()))
}

// stateBytes is what a state takes of it.
func (s *Solver[T]) stateBytes() float64 {
	vectors := float64(s.ring) + 4
	return float64(vectors*(float64(s.geo.n)+float64(s.geo.cols))*float64(size[T]())) + float64(float64(s.ring)*float64(unsafe.Sizeof(s.kind[0])))
}

// allocate makes the workspace large enough for the problem, unless that is larger than
// the settings allow.
func (s *Solver[T]) allocate() error {
	geo := &s.geo
	if h := geo.shape(); h == s.shape && h == s.group.shape && !s.unequal.on {
		return nil
	}
	s.shape = shape{}
	geo.layOut(&s.settings)
	s.ring = 2
	if s.settings.Gradient {
		s.ring = s.settings.Iterations + 1
	}
	s.taken = s.bytes()
	if err := s.settings.afford(s.taken, "a problem of this size with these settings"); err != nil {
		return err
	}
	n, m := geo.n, geo.m
	geo.allocate()
	if len(s.a) != n || cap(s.a) < n {
		s.uniformA = 0
	}
	if len(s.b) != m || cap(s.b) < geo.cols {
		s.uniformB = 0
	}
	grow(&s.a, n)
	geo.column(&s.b)
	grow(&s.us, s.ring*n)
	grow(&s.vs, s.ring*geo.cols)
	grow(&s.kind, s.ring)
	geo.column(&s.q)
	grow(&s.r, n)
	grow(&s.s, n)
	grow(&s.w, n)
	s.begun = false
	return nil
}
