package sinkhorn

import (
	"context"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/parallel"
)

// batch is the state of SolveBatch: a solver for every goroutine.
type batch[T dist.Float] struct {
	solvers  []*Solver[T]
	crew     *parallel.Crew
	take     func(ctx context.Context, w, i int) error
	problems []Problem[T]
	visit    func(i int, r *Result[T], err error)
}

// SolveBatch solves many problems, Settings.Workers at a time, and calls visit with
// what Solve would have returned for problems[i]: the result is valid until visit
// returns. visit is called from several goroutines at once and in no particular
// order; each problem's answer is the same bits whatever the number of workers, and
// as from Solve.
//
// When the context ends, problems that have not been started are not visited, and
// the error is the context's cause. A panic in visit ends the batch likewise and reaches
// the caller. Results of Solve are left alone. Nothing is allocated once every worker
// has seen a largest problem.
func (s *Solver[T]) SolveBatch(ctx context.Context, problems []Problem[T], visit func(i int, r *Result[T], err error)) error {
	s.enter()
	defer s.leave()
	b := &s.batch
	workers := parallel.Workers(s.settings.Workers, len(problems))
	for len(b.solvers) < workers {
		one := &Solver[T]{settings: s.settings, limits: s.limits, ready: true}
		one.settings.Workers = 1
		b.solvers = append(b.solvers, one)
	}
	if b.take == nil {
		b.take, b.crew = b.takeProblem, new(parallel.Crew)
	}
	b.problems, b.visit = problems, visit
	defer func() { b.problems, b.visit = nil, nil }()
	return b.crew.Run(ctx, workers, len(problems), b.take)
}

// takeProblem is what goroutine w does with the problem whose turn it is.
func (b *batch[T]) takeProblem(ctx context.Context, w, i int) error {
	r, err := b.solvers[w].Solve(ctx, &b.problems[i])
	b.visit(i, r, err)
	return nil
}
