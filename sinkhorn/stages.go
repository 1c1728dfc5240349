package sinkhorn

import (
	"context"

	"github.com/gomonge/monge/dist"
)

// Newton's method stalls if λ is so large that the rough start from ε-scaling is far from the solution. Rounding then divides
// the plan into disconnected blocks, and every step has to find the connections again. For smaller λ, the blocks are connected.
// Therefore λ is doubled repeatedly from a small value, and Newton's method also solves each stage. The dual variables f/λ then
// change little between stages.
//
// A stage may ignore weights below its marginal error. If these weights matter for the tolerance, Newton's method stalls again.
// Then the stages are repeated with the tolerance of the solve.

const (
	stageFactor    = 2    // ratio of λ between two stages
	roughTolerance = 1e-4 // marginal error of each stage in the first round
	stagePasses    = 2000 // maximum passes of a stage; fewer if all stages together would exceed Settings.Iterations
	leastPasses    = 64   // passes that a stage may always make, even if Settings.Iterations is small
)

// stagedStart finds initial potentials by ε-scaling with Newton's method in each stage.
type stagedStart[T dist.Float] struct {
	solution *solution[T]
	rough    float64 // marginal error at which a stage ends, unless the tolerance is larger
}

func (a *stagedStart[T]) find(ctx context.Context) (bool, error) {
	s, it := a.solution, a.solution.it
	tolerance := it.tolerance
	it.tolerance = max(tolerance, a.rough)
	defer func() { it.tolerance = tolerance }()
	it.startShift, it.startOffset = 0, 0
	return true, s.solveStages(ctx, stageFactor, nil, func(stages int, start []T) error {
		return s.solveStage(ctx, max(leastPasses, min(stagePasses, it.settings.Iterations/max(1, stages))), start)
	})
}

// solveStage solves the problem for the current λ from u⁰ = exp(start), in at most the given number of passes.
func (s *solution[T]) solveStage(ctx context.Context, passes int, start []T) error {
	it := s.it
	if err := it.setStart(ctx, 0, start); err != nil {
		return err
	}
	p := newPace(paceFrom-paceEvery, it.n, it.m)
	for {
		err := s.plainIterate(ctx, passes, it.tolerance, &p)
		if err != nil || it.converged() || it.res.Iterations >= passes {
			return err
		}
		if err := s.newton.climb(ctx, s.dual(), passes); err != nil || it.converged() {
			return err
		}
		p = newPace(2*it.res.Iterations, it.n, it.m)
	}
}
