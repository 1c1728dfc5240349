package sinkhorn

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/gomonge/monge/dist"
)

// batch is the state of SolveBatch: a solver for every goroutine.
type batch[T dist.Float] struct {
	solvers  []*Solver[T]
	runs     []func()
	ctx      context.Context
	problems []Problem[T]
	visit    func(i int, r *Result[T], err error)
	next     atomic.Int64
	wg       sync.WaitGroup
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
		w := &Solver[T]{settings: set, level: s.level, limits: s.limits}
		b.solvers = append(b.solvers, w)
		b.runs = append(b.runs, func() {
			b.drain(w)
			b.wg.Done()
		})
	}
	b.ctx, b.problems, b.visit = ctx, problems, visit
	b.next.Store(0)
	if workers == 1 {
		b.drain(b.solvers[0])
	} else {
		b.wg.Add(workers)
		for _, run := range b.runs[:workers] {
			go run()
		}
		b.wg.Wait()
	}
	done := int(b.next.Load()) >= len(problems)
	b.ctx, b.problems, b.visit = nil, nil, nil
	if done {
		return nil
	}
	return ctx.Err()
}

// drain takes problems until there are none.
func (b *batch[T]) drain(s *Solver[T]) {
	for b.ctx.Err() == nil {
		i := int(b.next.Add(1)) - 1
		if i >= len(b.problems) {
			return
		}
		r, err := s.Solve(b.ctx, &b.problems[i])
		b.visit(i, r, err)
	}
}
