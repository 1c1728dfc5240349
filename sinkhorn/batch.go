package sinkhorn

import (
	"context"
	"errors"
	"slices"
	"unsafe"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/block"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/parallel"
)

// batch is the state of SolveBatch: a solver for every goroutine.
type batch[T dist.Float] struct {
	solvers  []*Solver[T]
	crew     *parallel.Crew
	take     func(ctx context.Context, w, i int) error
	problems []Problem[T]
	order    []int    // problems in the order of the runs
	small    []uint64 // of small problems, shapes and numbers
	runs     []run
	visit    func(i int, r *Result[T], err error)
}

// run are the problems order[first] … order[last−1], which have one K, or go a problem to a
// lane.
type run struct {
	first, last int
	lanes       bool
}

// SolveBatch solves many problems, Settings.Workers at a time, and calls visit with
// what Solve would have returned for problems[i]: the result is valid until visit
// returns. visit is called from several goroutines at once and in no particular
// order; each problem's answer is the same bits whatever the number of workers, and
// as from Solve.
//
// Problems that follow one another and have one cost matrix, or the same points, and one λ
// are solved together, up to 16 at a time: K is computed once, and if it has more than 32 KB,
// a pass over it is made for all of them, at the speed of arithmetic instead of memory's. The same are
// matrices of the same Data, not of equal values. Problems of at most 32 against 32 points
// (24 without AVX-512) in at most 16 dimensions are solved 8 at a time, 16 in float32, each
// in a lane of the vector registers. Both take settings without Gradient and Anneal, lanes
// without StorageMixed; problems that need the log domain, or more than plain iterations to a
// Tolerance, are solved by themselves.
//
// When the context ends, problems that have not been started are not visited, those that
// have been are as Solve says, and the error is the context's cause. A panic in visit ends
// the batch likewise and reaches the caller. Results of Solve are left alone. Nothing is
// allocated once every worker has seen a largest problem.
func (s *Solver[T]) SolveBatch(ctx context.Context, problems []Problem[T], visit func(i int, r *Result[T], err error)) error {
	s.enter()
	defer s.leave()
	b := &s.batch
	workers := parallel.Workers(s.settings.Workers, len(problems))
	for len(b.solvers) < workers {
		one := new(Solver[T])
		one.reset(s.settings)
		one.settings.Workers = 1
		b.solvers = append(b.solvers, one)
	}
	if b.take == nil {
		b.take, b.crew = b.takeRun, new(parallel.Crew)
	}
	b.problems, b.visit = problems, visit
	b.divide(&s.settings, workers)
	defer func() { b.problems, b.visit = nil, nil }()
	return b.crew.Run(s.timed.of(ctx), workers, len(b.runs), b.take)
}

// divide cuts the problems into runs, such that every worker gets some of those that have
// one K.
func (b *batch[T]) divide(set *Settings, workers int) {
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
		size := min(most, (share+block.Size-1)/block.Size*block.Size)
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

// divideSmall cuts the small problems into runs of a problem to a lane, of similar shapes.
func (b *batch[T]) divideSmall() {
	slices.Sort(b.small)
	width := num.Lanes[T]()
	for small := b.small; len(small) > 0; {
		count := min(width, len(small))
		if count < width/4 { // so few take longer at once than one by one
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

// sameKernel reports whether K is the same for two problems, because M and λ are.
func sameKernel[T dist.Float](set *Settings, p, q *Problem[T]) bool {
	lambda := func(p *Problem[T]) float64 {
		if p.Lambda == 0 {
			return set.Lambda
		}
		return p.Lambda
	}
	if p.unequal() || q.unequal() {
		return false // these are solved by themselves
	}
	return same(p.Cost, q.Cost) && same(p.X, q.X) && same(p.Y, q.Y) && lambda(p) == lambda(q)
}

// same reports whether two matrices are one, or both empty.
func same[T dist.Float](x, y dist.Matrix[T]) bool {
	return x.Rows == y.Rows && x.Cols == y.Cols && x.Stride == y.Stride && len(x.Data) == len(y.Data) &&
		unsafe.SliceData(x.Data) == unsafe.SliceData(y.Data)
}

// takeRun is what goroutine w does with the run whose turn it is.
func (b *batch[T]) takeRun(ctx context.Context, w, t int) error {
	s, r := b.solvers[w], b.runs[t]
	which := b.order[r.first:r.last]
	switch {
	case r.lanes:
		return s.solveLanes(ctx, b.problems, which, b.visit)
	case len(which) > 1:
		return s.solveTogether(ctx, b.problems, which, b.visit)
	}
	return s.solveAlone(ctx, &b.problems[which[0]], which[0], b.visit)
}

// solveAlone solves one problem of a batch, and returns the context's cause if that has
// ended it.
func (s *Solver[T]) solveAlone(ctx context.Context, p *Problem[T], i int, visit func(i int, r *Result[T], err error)) error {
	r, err := s.Solve(ctx, p)
	visit(i, r, err)
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return err
	}
	return nil
}
