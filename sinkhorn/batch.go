package sinkhorn

import (
	"context"
	"sync/atomic"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/parallel"
)

// batch is the state of SolveBatch: a solver for every goroutine.
type batch[T dist.Float] struct {
	solvers  []*Solver[T]
	crew     parallel.Crew
	take     func(w, i int)
	ctx      context.Context
	problems []Problem[T]
	visit    func(i int, r *Result[T], err error)
	visited  atomic.Int64
}

// SolveBatch solves many problems, Settings.Workers at a time, and calls visit with
// what Solve would have returned for problems[i]: the result is valid until visit
// returns. visit is called from several goroutines at once and in no particular
// order; each problem's answer is the same bits whatever the number of workers, and
// as from Solve.
//
// When the context ends, problems that have not been started are not visited, and
// the error is the context's. Results of Solve are left alone. Nothing is allocated
// once every worker has seen a largest problem.
func (s *Solver[T]) SolveBatch(ctx context.Context, problems []Problem[T], visit func(i int, r *Result[T], err error)) error {
	b := &s.batch
	workers := min(s.settings.Workers, len(problems))
	for len(b.solvers) < workers {
		set := s.settings
		set.Workers = 1
		b.solvers = append(b.solvers, &Solver[T]{settings: set, level: s.level, limits: s.limits})
	}
	if b.take == nil {
		b.take = b.takeProblem
	}
	b.ctx, b.problems, b.visit = ctx, problems, visit
	b.visited.Store(0)
	b.crew.Each(workers, len(problems), b.take)
	b.ctx, b.problems, b.visit = nil, nil, nil
	if int(b.visited.Load()) == len(problems) {
		return nil
	}
	return ctx.Err()
}

// takeProblem is what goroutine w does with the problem whose turn it is.
func (b *batch[T]) takeProblem(w, i int) {
	if b.ctx.Err() != nil {
		return
	}
	b.visited.Add(1)
	r, err := b.solvers[w].Solve(b.ctx, &b.problems[i])
	b.visit(i, r, err)
}
