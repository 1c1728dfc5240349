package sinkhorn

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/dist"
)

// Pool lends solvers to any number of goroutines, in bounded memory.
type Pool[T dist.Float] struct {
	free chan *Solver[T]
	keep float64 // bytes of the problems whose workspace a solver keeps
}

// NewPool returns a pool of so many solvers with these settings, whose MaxMemory is that
// of all of them together. A problem may take a quarter of a solver's equal share, and so
// may a gradient of it; what takes more is refused with ErrSettings, whatever the other
// solvers do. Workers is that of each solver: where many problems are solved at a time, 1.
// Errors wrap ErrSettings.
func NewPool[T dist.Float](settings *Settings, solvers int) (*Pool[T], error) {
	var set Settings
	if settings != nil {
		set = *settings
	}
	if solvers < 1 {
		return nil, fmt.Errorf("%w: a pool of %d solvers", ErrSettings, solvers)
	}
	if err := set.check(); err != nil {
		return nil, err
	}
	share := set.MaxMemory / int64(solvers)
	if set.MaxMemory = share / 4; set.MaxMemory == 0 {
		return nil, fmt.Errorf("%w: %d bytes for each of %d solvers", ErrSettings, share, solvers)
	}
	// What is kept are buffers of eight kinds, each that of another problem perhaps, and
	// up to a quarter larger than wanted: 10/32 of the share, with 2/4 for the problem at
	// hand and its gradient.
	p := &Pool[T]{make(chan *Solver[T], solvers), float64(share) / 32}
	for range solvers {
		s, err := NewSolver[T](&set)
		if err != nil {
			return nil, err
		}
		p.free <- s
	}
	return p, nil
}

// Solve waits for a free solver, solves problem as [Solver.Solve] does, and calls use with
// the result, which is valid until use returns. It returns the error of Solve, with which
// use is not called, or that of use; or the context's cause if that ends first, while
// waiting, too. Those who wait are served in turn.
//
// It allocates nothing once every solver has seen its largest problem, except for a
// problem of more than a 32nd of a solver's share of the memory: that one's workspace is
// given back.
func (p *Pool[T]) Solve(ctx context.Context, problem *Problem[T], use func(*Result[T]) error) error {
	var s *Solver[T]
	select {
	case s = <-p.free:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer p.giveBack(s)
	r, err := s.Solve(ctx, problem)
	if err != nil {
		return err
	}
	return use(r)
}

// giveBack lets go of a problem's data, and of its workspace if that is large.
func (p *Pool[T]) giveBack(s *Solver[T]) {
	if s.geo.n > 0 && s.geo.m > 0 && s.bytes()+s.gradientBytes() > p.keep {
		s.Shrink()
	}
	s.problem, s.geo.x, s.geo.y, s.geo.cost = Problem[T]{}, dist.Matrix[T]{}, dist.Matrix[T]{}, dist.Matrix[T]{}
	s.count++ // the result is not valid any more
	p.free <- s
}
