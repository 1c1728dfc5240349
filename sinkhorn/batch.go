package sinkhorn

import (
	"cmp"
	"context"
	"slices"
	"unsafe"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/block"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/parallel"
)

// batch is the state of SolveBatch: one solver for each goroutine.
type batch[T dist.Float] struct {
	solvers  []*solver[T]
	pool     *parallel.Pool
	take     func(ctx context.Context, w, i int) error
	problems []Problem[T]
	order    []int    // problem indices; the problems of a run are adjacent
	small    []uint64 // shapes and indices of small problems
	runs     []run
	visit    func(i int, r *Result[T], err error)
}

// run is the group of problems order[first:last]. The problems share one kernel matrix K, or each problem uses one lane of the
// vector registers.
type run struct {
	first, last int
	lanes       bool
}

// SolveBatch solves many problems, Settings.Workers at a time. It calls visit(i, r, err) with the values that Solve returns for
// problems[i]. The result is valid until visit returns. visit is called from several goroutines at once and in no particular
// order. Results have the same bits as results of Solve, for any number of workers.
//
// Two kinds of problems are solved faster than by Solve:
//
//   - Consecutive problems with the same cost matrix or the same points, and the same λ, are solved together, up to 16 at a
//     time. Matrices are the same if they share Data; equal elements are not enough. The kernel matrix K is computed once, and
//     each pass over K serves all of these problems.
//   - Problems of at most 32 × 32 points (24 × 24 without AVX-512) in at most 16 dimensions are solved 8 at a time, or 16 in
//     float32. Each problem uses one lane of the vector registers. This is not done with StorageMixed.
//
// With Settings.Gradient or Anneal, all problems are solved one by one. Problems that need the log domain or an accelerated
// method are solved one by one.
//
// When the context ends, SolveBatch cancels the problems that have started. It still calls visit for them, with the values that
// a canceled Solve returns. It does not call visit for the other problems, and returns the context's cause. A panic in visit ends
// the batch in the same way and continues in the caller. Earlier results of Solve stay valid. After warm-up SolveBatch does not
// allocate.
func (s *Solver[T]) SolveBatch(ctx context.Context, problems []Problem[T], visit func(i int, r *Result[T], err error)) error {
	return s.implementation().SolveBatch(ctx, problems, visit)
}

func (s *solver[T]) SolveBatch(ctx context.Context, problems []Problem[T], visit func(i int, r *Result[T], err error)) error {
	s.markBusy()
	defer s.markFree()
	b := &s.batch
	workers := parallel.Workers(s.settings.Workers, len(problems))
	for len(b.solvers) < workers {
		one := new(solver[T])
		set := s.settings
		set.Workers = 1
		one.resetWorkspace(set)
		b.solvers = append(b.solvers, one)
	}
	if b.take == nil {
		b.take, b.pool = b.takeRun, new(parallel.Pool)
	}
	b.problems, b.visit = problems, visit
	b.divideRuns(&s.settings, workers)
	defer func() { b.problems, b.visit = nil, nil }()
	return b.pool.Run(s.timed.Of(ctx), workers, len(b.runs), b.take)
}

// divideRuns divides the problems into runs. A large set of problems that share K is divided among the
// workers.
func (b *batch[T]) divideRuns(set *Settings, workers int) {
	b.runs, b.order, b.small = b.runs[:0], b.order[:0], b.small[:0]
	together := !set.Gradient && set.Anneal == 0 && set.Domain != DomainLog
	lanes := together && set.Storage != StorageMixed && asm.Current() != asm.Ref
	for i := 0; i < len(b.problems); {
		if shape, ok := smallShape(&b.problems[i]); ok && lanes {
			b.small = append(b.small, uint64(shape)<<32|uint64(i))
			i++
			continue
		}
		last := i + 1
		for together && last < len(b.problems) && sameKernel(set, &b.problems[i], &b.problems[last]) {
			last++
		}
		share := (last - i + workers - 1) / workers
		size := min(mostTogether, (share+block.Size-1)/block.Size*block.Size)
		for ; i < last; i += size {
			first := len(b.order)
			for at := i; at < min(i+size, last); at++ {
				b.order = append(b.order, at)
			}
			b.runs = append(b.runs, run{first, len(b.order), false})
		}
		i = last
	}
	b.divideSmall()
}

// divideSmall divides the small problems into runs. A run has similar shapes, and at most one problem for each vector lane.
func (b *batch[T]) divideSmall() {
	slices.Sort(b.small)
	width := num.Lanes[T]()
	for small := b.small; len(small) > 0; {
		count := min(width, len(small))
		if count < width/4 { // Solve is faster for few problems
			count = 1
		}
		first := len(b.order)
		for _, key := range small[:count] {
			b.order = append(b.order, int(uint32(key)))
		}
		small = small[count:]
		b.runs = append(b.runs, run{first, len(b.order), count > 1})
	}
}

// sameKernel reports whether two problems have the same cost matrix or points, and the same λ, and therefore the same kernel
// matrix K. It reports false for problems with penalties or Mass, which are solved one by one.
func sameKernel[T dist.Float](set *Settings, p, q *Problem[T]) bool {
	lambda := func(p *Problem[T]) float64 {
		if p.Lambda == 0 {
			return set.Lambda
		}
		return p.Lambda
	}
	if p.unequal() || q.unequal() {
		return false
	}
	return sameMatrix(p.Cost, q.Cost) && sameMatrix(p.X, q.X) && sameMatrix(p.Y, q.Y) && lambda(p) == lambda(q)
}

// sameMatrix reports whether two matrices share their memory, or are both empty.
func sameMatrix[T dist.Float](x, y dist.Matrix[T]) bool {
	return x.Rows == y.Rows && x.Cols == y.Cols && x.Stride == y.Stride && len(x.Data) == len(y.Data) &&
		unsafe.SliceData(x.Data) == unsafe.SliceData(y.Data)
}

// takeRun solves the problems of run t on goroutine w.
func (b *batch[T]) takeRun(ctx context.Context, w, t int) error {
	s, r := b.solvers[w], b.runs[t]
	indices := b.order[r.first:r.last]
	if len(indices) == 1 {
		return s.solveAlone(ctx, &b.problems[indices[0]], indices[0], b.visit)
	}
	return s.solveGroup(ctx, b.problems, indices, r.lanes, b.visit)
}

// solveAlone solves one problem of a batch. If the context ends, it returns the context's cause.
func (s *solver[T]) solveAlone(ctx context.Context, p *Problem[T], i int, visit func(i int, r *Result[T], err error)) error {
	r, err := s.Solve(ctx, p)
	visit(i, r, err)
	if err != nil && isCauseOf(ctx, err) {
		return err
	}
	return nil
}

// solveGroup solves the problems with the given indices, and calls visit for each of them. If lanes is true, each problem uses
// one lane of the vector registers. Otherwise all problems must have the same K. solveGroup makes plain iterations only. If these
// fail for a problem or converge too slowly, it passes the problem to Solve. If the context ends, solveGroup returns the
// context's cause.
func (s *solver[T]) solveGroup(ctx context.Context, problems []Problem[T], indices []int, lanes bool, visit func(i int, r *Result[T], err error)) error {
	ended := s.solveTogether(ctx, problems, indices, lanes)
	members := s.group.members[:len(indices)]
	for i := range members {
		m := &members[i]
		if m.needsSolve {
			continue
		}
		s.resultCount++
		visit(indices[i], m.outcome.publish(s), m.err)
	}
	for i := range members {
		if members[i].needsSolve {
			ended = cmp.Or(s.solveAlone(ctx, &problems[indices[i]], indices[i], visit), ended)
		}
	}
	return ended
}

// solveTogether solves the problems of solveGroup. It marks the solver as busy until it returns.
// solveGroup calls the function visit only after that, so visit can use the results.
func (s *solver[T]) solveTogether(ctx context.Context, problems []Problem[T], indices []int, lanes bool) error {
	s.markBusy()
	defer s.markFree()
	s.group.gatherMembers(ctx, problems, indices, lanes)
	if lanes {
		return s.group.lanes.solve(ctx)
	}
	return s.group.solveMembers(ctx)
}
