package sinkhorn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/parallel"
)

// Solver solves one problem after another in one workspace. The zero Solver has the zero Settings.
//
// The workspace has the size that the largest problem needed, or up to a quarter more if problems have grown gradually. A
// Solver does not allocate after it has solved its largest problem. Shrink frees the workspace.
//
// A Solver and its results must not be used by two goroutines at the same time. A Solver panics when it detects concurrent use.
type Solver[T dist.Float] struct {
	once sync.Once
	impl solverImpl[T]
}

// solverImpl is the implementation of a Solver. Every solverImpl is a *solver. The compiler compiles a generic type in every
// package that uses the type, which would take seconds for solver. The interface hides the type solver, so only this package
// compiles solver. Problems are passed by value, because a pointer argument of an interface method escapes to the heap.
type solverImpl[T dist.Float] interface {
	divergenceOf(ctx context.Context, dx, dy dist.Matrix[T], p Problem[T]) (Divergence, error)
	Shrink()
	solutionOf(ctx context.Context, p Problem[T]) (*Result[T], error)
	SolveBatch(ctx context.Context, problems []Problem[T], visit func(i int, r *Result[T], err error)) error
	release(keep float64)
}

// solverOf returns a solver, or an error that wraps ErrSettings.
func solverOf[T dist.Float](settings *Settings) (solverImpl[T], error) {
	var s any
	var err error
	if num.IsFloat64[T]() {
		s, err = solver64(settings)
	} else {
		s, err = solver32(settings)
	}
	if err != nil {
		return nil, err
	}
	return s.(solverImpl[T]), nil
}

//go:noinline
func solver32(settings *Settings) (any, error) { return newSolver[float32](settings) }

//go:noinline
func solver64(settings *Settings) (any, error) { return newSolver[float64](settings) }

// NewSolver returns a solver with these settings; nil means the zero Settings. An error wraps
// ErrSettings.
func NewSolver[T dist.Float](settings *Settings) (*Solver[T], error) {
	impl, err := solverOf[T](settings)
	if err != nil {
		return nil, err
	}
	return &Solver[T]{impl: impl}, nil
}

// implementation returns s.impl. A zero Solver creates it on first use.
func (s *Solver[T]) implementation() solverImpl[T] {
	s.once.Do(func() {
		if s.impl == nil {
			s.impl, _ = solverOf[T](nil)
		}
	})
	return s.impl
}

// solver implements Solver.
type solver[T dist.Float] struct {
	workspace[T]
	busy atomic.Bool

	own         iteration[T] // iteration of Solve and Divergence
	outcome     outcome[T]   // result of the latest Solve
	solution    solution[T]  // strategy of Solve
	system      system[T]
	gradients   gradients[T]
	half        struct{ g, h []T } // scratch of Divergence
	group       group[T]
	batch       batch[T]
	timed       parallel.Timed
	resultCount uint64 // number of results
}

func newSolver[T dist.Float](settings *Settings) (*solver[T], error) {
	var set Settings
	if settings != nil {
		set = *settings
	}
	if err := set.check(); err != nil {
		return nil, err
	}
	s := new(solver[T])
	s.resetWorkspace(set)
	return s, nil
}

// resetWorkspace frees the workspace and stores the settings.
func (s *solver[T]) resetWorkspace(settings Settings) {
	*s = solver[T]{workspace: workspace[T]{settings: settings}, resultCount: s.resultCount + 1}
	s.own = newIteration(&s.workspace)
	s.outcome.it = &s.own
	s.system.workspace = &s.workspace
	s.solution.init(&s.own, &s.system)
	s.gradients.sys, s.gradients.solution = &s.system, &s.solution
	s.group.workspace = &s.workspace
	s.group.lanes.group = &s.group
}

// markBusy marks the solver as busy until markFree.
func (s *solver[T]) markBusy() {
	if !s.busy.CompareAndSwap(false, true) {
		panic("sinkhorn: a Solver was used by two goroutines at once")
	}
}

func (s *solver[T]) markFree() { s.busy.Store(false) }

// Shrink frees the workspace. The next problem allocates a new workspace. Earlier results become invalid.
func (s *Solver[T]) Shrink() { s.implementation().Shrink() }

func (s *solver[T]) Shrink() {
	s.markBusy()
	s.resetWorkspace(s.settings)
}

// Solve solves p. The result is valid until the next call of the solver.
//
// When the context ends, Solve returns the best result so far together with the context's cause:
// the plan of the last whole iteration with its marginal error, without a cost, and with the status
// StatusCanceled. This result is never nil. If there was no iteration yet, its Iterations is 0 and its
// methods return ErrNoResult. With any other error the result is nil.
//
// Solve checks the context before every block of rows of every pass, so it usually returns within
// 10 ms, and within 0.1 s if a core is free. It also checks the clock and meets a deadline even if
// the context's timer is late. The error is then context.DeadlineExceeded instead of the context's
// cause.
func (s *Solver[T]) Solve(ctx context.Context, p *Problem[T]) (*Result[T], error) {
	return s.implementation().solutionOf(ctx, *p)
}

func (s *solver[T]) solutionOf(ctx context.Context, p Problem[T]) (*Result[T], error) {
	return s.Solve(ctx, &p)
}

func (s *solver[T]) Solve(ctx context.Context, p *Problem[T]) (*Result[T], error) {
	s.markBusy()
	defer s.markFree()
	return s.solve(s.timed.Of(ctx), p)
}

// isCauseOf reports whether ctx has ended and err is the context's cause.
func isCauseOf(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Cause(ctx))
}

// solve implements Solve for a solver that is marked as busy.
func (s *solver[T]) solve(ctx context.Context, p *Problem[T]) (*Result[T], error) {
	s.resultCount++
	it := &s.own
	it.res = Result[T]{}
	it.kernelCurrent = true
	if err := it.setProblem(p); err != nil {
		return nil, err
	}
	err := s.kernel.Transpose(ctx)
	if err == nil {
		_, err = s.solution.settled.find(ctx)
	}
	if err == nil {
		err = s.solution.converge(ctx)
	}
	if err == nil {
		err = it.finishIterate(ctx)
	}
	if err == nil {
		if err = it.beginSweep(ctx, it.scratch); err == nil {
			it.res.Cost = costOf(it.plan.u, it.scratch)
		}
	}
	if err == nil && (!finite(it.res.Cost) || !finite(it.res.MarginalError)) {
		err = fmt.Errorf("%w: the transport cost or a marginal overflows", ErrRange)
	}
	if err != nil && !isCauseOf(ctx, err) {
		err = cmp.Or(it.notFiniteError(ctx), err) // the context may end during the check
		if !isCauseOf(ctx, err) {
			return nil, err
		}
	}
	if err != nil {
		it.setCanceled()
	}
	return s.outcome.publish(s), err
}
