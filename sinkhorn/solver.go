package sinkhorn

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gomonge/monge/dist"
)

// Solver solves problems one after the other in one workspace. The zero Solver has the zero
// Settings.
//
// The workspace is as large as the largest problem needed, and up to a quarter larger if problems
// have grown one by one. A solver that has seen its largest problem allocates nothing. Shrink frees
// the workspace.
//
// A Solver and its results must not be used by two goroutines at once. It panics when it notices
// that they are.
type Solver[T dist.Float] struct {
	workspace[T]
	ready bool
	busy  atomic.Bool

	own       iteration[T] // of Solve and Divergence
	solution  solution[T]  // how Solve gets there
	system    system[T]
	gradients gradients[T]
	half      struct{ g, h []T } // of a Divergence
	group     group[T]
	batch     batch[T]
	timed     timed
	count     uint64 // of results
}

// NewSolver returns a solver with these settings; nil means the zero Settings. An error wraps
// ErrSettings.
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
	*s = Solver[T]{workspace: workspace[T]{settings: settings}, ready: true, count: s.count + 1}
	s.own = newIteration(&s.workspace)
	s.system.workspace = &s.workspace
	s.solution.init(&s.own, &s.system)
	s.gradients.sys, s.gradients.solution = &s.system, &s.solution
	s.group.workspace = &s.workspace
	s.group.lanes.group = &s.group
}

// enter marks the solver as being used, until leave.
func (s *Solver[T]) enter() {
	if !s.busy.CompareAndSwap(false, true) {
		panic("sinkhorn: a Solver was used by two goroutines at once")
	}
	if !s.ready {
		if err := s.set(Settings{}); err != nil {
			panic(err)
		}
		s.busy.Store(true) // set has reset it
	}
}

func (s *Solver[T]) leave() { s.busy.Store(false) }

// Shrink frees the workspace. The next problem allocates what it needs. Earlier results are not
// valid any more.
func (s *Solver[T]) Shrink() {
	s.enter()
	s.reset(s.settings)
}

// Solve solves p. The result is valid until the next call of the solver.
//
// When the context ends, Solve returns the best result so far together with the context's cause:
// the plan of the last whole iteration with its marginal error, without a cost, and with the status
// Cancelled. This result is never nil. If there was no iteration yet, its Iterations is 0 and its
// methods return ErrNoResult. With any other error the result is nil.
//
// Solve looks at the context before every block of rows of every pass, so that it ends within some
// 10 ms. It also looks at the clock: a deadline is kept even if its timer is late. The error is then
// context.DeadlineExceeded, whatever cause the timer would have set.
func (s *Solver[T]) Solve(ctx context.Context, p *Problem[T]) (*Result[T], error) {
	s.enter()
	defer s.leave()
	return s.solve(s.timed.of(ctx), p)
}

// timed is a context that looks at the clock itself. If all processors are busy, the timer of a
// deadline runs tens of milliseconds late.
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
	it := &s.own
	it.res = Result[T]{}
	it.placed = true
	if err := it.admit(p); err != nil {
		return nil, err
	}
	err := s.geo.transpose(ctx)
	if err == nil {
		err = s.solution.anneal(ctx, s.settings.Anneal)
	}
	if err == nil {
		err = s.solution.converge(ctx)
	}
	if err == nil {
		err = it.finish(ctx)
	}
	if err == nil {
		err = it.begin(ctx)
	}
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		it.cancelled()
	case err != nil:
		if e := it.notFinite(ctx); e != nil {
			err = e
		}
		return nil, err
	case !finite(it.res.Cost) || !finite(it.res.MarginalError):
		if err = it.notFinite(ctx); err == nil {
			err = fmt.Errorf("%w: the transport cost or a marginal overflows", ErrRange)
		}
		return nil, err
	}
	it.res.solver, it.res.it, it.res.serial = s, it, s.count
	return &it.res, err
}

// place makes the workspace that of an iteration, which others may have used since.
func (s *Solver[T]) place(it *iteration[T]) {
	it.place()
	if it.lane > 0 {
		s.group.lanes.fetch(it, it.lane-1, it.res.Iterations)
		it.lane = 0
	}
}
