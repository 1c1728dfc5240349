package sinkhorn

import (
	"context"

	"github.com/gomonge/monge/dist"
)

// Newton's steps stall where λ is so large that the start of ε-scaling, which is rough, is far from the
// solution: parts of the plan are then not connected by any element that is not lost to rounding, and
// every step has to find out anew which are. Where λ is smaller, they are connected. So λ is doubled from
// a small one on, and every stage is solved by Newton's steps, too. The dual variables f/λ then move little
// from one stage to the next.
//
// Weights below the error that a stage may leave need not follow. If they matter for the tolerance, Newton's
// steps stall again. The stages are then made once more, to the tolerance itself.

const (
	stageFactor    = 2    // of λ, from one stage to the next
	roughTolerance = 1e-4 // marginal error of each, when the stages are made first
	stagePasses    = 2000 // the most passes of each: all of them take about Settings.Iterations,
	leastPasses    = 64   // but each has so many
)

// stagedStart finds a start in stages.
type stagedStart[T dist.Float] struct {
	solution *solution[T]
	rough    float64 // the least marginal error of a stage, if above the tolerance
}

func (a *stagedStart[T]) find(ctx context.Context) (bool, error) {
	s, it := a.solution, a.solution.it
	tolerance := it.tolerance
	it.tolerance = max(tolerance, a.rough)
	defer func() { it.tolerance = tolerance }()
	it.startShift, it.startOffset = 0, 0
	return true, s.passStages(ctx, stageFactor, nil, func(stages int, start []T) error {
		return s.solveStage(ctx, max(leastPasses, min(stagePasses, it.settings.Iterations/max(1, stages))), start)
	})
}

// solveStage solves the problem for the λ that is set, from u⁰ = exp(start), in so many passes.
func (s *solution[T]) solveStage(ctx context.Context, passes int, start []T) error {
	it := s.it
	if err := it.restart(ctx, 0, start); err != nil {
		return err
	}
	p := newPace(paceFrom-paceEvery, it.n, it.m)
	for {
		err := s.iterate(ctx, passes, it.tolerance, &p)
		if err != nil || it.converged() || it.res.Iterations >= passes {
			return err
		}
		if err := s.newton.climb(ctx, s.dual(), passes); err != nil || it.converged() {
			return err
		}
		p = newPace(2*it.res.Iterations, it.n, it.m)
	}
}
