package emd

import (
	"context"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/parallel"
)

// batch is the state of SolveBatch: a solver for every goroutine.
type batch[T dist.Float] struct {
	solvers   []*Solver[T]
	pool      parallel.Pool
	solveNext func(ctx context.Context, w, i int) error
	problems  []Problem[T]
	visit     func(i int, r *Result[T], err error)
}

// SolveBatch solves many problems, Settings.Workers at a time. It calls visit(i, r, err) with what
// Solve would have returned for problems[i]. The result is valid until visit returns. visit is called
// from several goroutines at once and in no particular order. Each answer is the same bits as from
// Solve, whatever the number of workers.
//
// When the context ends, problems that have not been started are not visited. Those that have been
// are visited with a cancelled result, as Solve returns it. SolveBatch then returns the context's
// cause. A panic in visit ends the batch in the same way and is passed on to the caller. Results of
// Solve stay valid. Nothing is allocated once every worker has seen a largest problem.
func (s *Solver[T]) SolveBatch(ctx context.Context, problems []Problem[T], visit func(i int, r *Result[T], err error)) error {
	s.markBusy()
	defer s.markIdle()
	b := &s.batch
	workers := parallel.Workers(s.settings.Workers, len(problems))
	for len(b.solvers) < workers {
		b.solvers = append(b.solvers, &Solver[T]{settings: s.settings})
	}
	if b.solveNext == nil {
		b.solveNext = b.solveProblem
	}
	b.problems, b.visit = problems, visit
	defer func() { b.problems, b.visit = nil, nil }()
	return b.pool.Run(s.timed.Of(ctx), workers, len(problems), b.solveNext)
}

// solveProblem makes goroutine w solve problem i.
func (b *batch[T]) solveProblem(ctx context.Context, w, i int) error {
	r, err := b.solvers[w].solve(ctx, &b.problems[i])
	b.visit(i, r, err)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
