package sinkhorn

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/dist"
)

// Pool shares solvers among any number of goroutines, in bounded memory. Its methods are safe for
// concurrent use.
type Pool[T dist.Float] struct {
	free      chan solverImpl[T]
	keepBytes float64 // maximum bytes of a workspace that a solver keeps
}

// NewPool returns a pool of solvers with these settings; nil means the zero Settings. Settings.MaxMemory is the limit for all
// solvers together, and each solver has an equal share. A problem may use a quarter of its solver's share, and its gradient may
// use another quarter. A larger problem returns ErrSettings, even if other solvers use no memory. Settings.Workers applies to
// each solver; set it to 1 if many problems are solved at the same time. An error wraps ErrSettings.
func NewPool[T dist.Float](settings *Settings, solvers int) (*Pool[T], error) {
	var set Settings
	if settings != nil {
		set = *settings
	}
	if solvers < 1 {
		return nil, fmt.Errorf("%w: a pool of %d solvers; it needs at least 1", ErrSettings, solvers)
	}
	if err := set.check(); err != nil {
		return nil, err
	}
	share := set.MaxMemory / int64(solvers)
	if set.MaxMemory = share / 4; set.MaxMemory == 0 {
		return nil, fmt.Errorf("%w: MaxMemory leaves %d bytes for each of %d solvers", ErrSettings, share, solvers)
	}
	// A solver keeps the buffers of a problem that needs at most share/32 bytes. There are eight kinds of buffers. Each kind may
	// be from a different problem and a quarter larger than needed, so all buffers take at most 8·1.25/32 of the share. The
	// current problem and its gradient take at most 2/4 of the share.
	p := &Pool[T]{make(chan solverImpl[T], solvers), float64(share) / 32}
	for range solvers {
		s, err := solverOf[T](&set)
		if err != nil {
			return nil, err
		}
		p.free <- s
	}
	return p, nil
}

// Solve waits for a free solver, solves the problem like [Solver.Solve], and calls the function use with the result. The result
// is valid until use returns. Waiting callers are served in turn.
//
// Solve returns the error of the solver or of use. If the solver fails, or if the context ends while waiting or solving, Solve
// does not call use.
//
// Solve does not allocate after every solver has solved its largest problem, with one exception. A workspace larger than 1/32
// of a solver's share of MaxMemory is freed after the solve, and allocated again for the next problem of this size.
func (p *Pool[T]) Solve(ctx context.Context, problem *Problem[T], use func(*Result[T]) error) error {
	var s solverImpl[T]
	select {
	case s = <-p.free:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer p.returnSolver(s)
	r, err := s.solutionOf(ctx, *problem)
	if err != nil {
		return err
	}
	return use(r)
}

// returnSolver releases the data of the problem, and the workspace if the workspace is large. Then the solver is free again.
func (p *Pool[T]) returnSolver(s solverImpl[T]) {
	s.release(p.keepBytes)
	p.free <- s
}

// release releases the data of the problem, and frees the workspace if it has more than keep bytes. The result becomes invalid.
func (s *solver[T]) release(keep float64) {
	kernel := &s.kernel
	if kernel.N() > 0 && kernel.M() > 0 && s.own.bytes()+kernel.SinkBytes() > keep {
		s.Shrink()
	}
	s.own.problem = Problem[T]{}
	kernel.Release()
	s.resultCount++
}
