package emd

import (
	"context"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/parallel"
)

// batch is the state of SolveBatch. Each goroutine has its own solver.
type batch[T dist.Float] struct {
	solvers   []*Solver[T]
	pool      parallel.Pool
	solveNext func(ctx context.Context, w, i int) error
	problems  []Problem[T]
	visit     func(i int, r *Result[T], err error)
}

// SolveBatch solves many problems, Settings.Workers at a time. It calls visit(i, r, err) with the values that Solve returns
// for problems[i]. The result is valid until visit returns. visit is called from several goroutines at once and in no
// particular order. Results have the same bits as results of Solve, for any number of workers.
//
// When the context ends, SolveBatch cancels the problems that are being solved. It still calls visit for them, with the values
// that a canceled Solve returns. It does not call visit for the remaining problems, and returns the context's cause. A panic in
// visit also ends the batch and is passed on to the caller. An earlier result of Solve stays valid. SolveBatch does not allocate
// once every worker has solved its largest problem.
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

// solveProblem solves problem i in goroutine w and passes the result to the function visit.
func (b *batch[T]) solveProblem(ctx context.Context, w, i int) error {
	r, err := b.solvers[w].solve(ctx, &b.problems[i])
	b.visit(i, r, err)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
