package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/gibbs"
	"github.com/gomonge/monge/internal/simplex"
)

// For large λ, the dual variables of the unregularized problem, multiplied by λ, are good initial potentials. The network
// simplex method computes these dual variables on one goroutine.

// exactPasses is the maximum work of the network simplex method, measured in passes over the costs.
const exactPasses = 500

// exactStart uses λ times the row dual variables of the unregularized problem as initial potentials. Result.Annealing is the
// work of the simplex method, measured in passes over the costs.
type exactStart[T dist.Float] struct {
	solution *solution[T]
	simplex  simplex.Solver[T]
	costs    gibbs.CostRows[T]
}

func (e *exactStart[T]) find(ctx context.Context) (bool, error) {
	s, it := e.solution, e.solution.it
	if err := it.kernel.Measure(ctx); err != nil {
		return false, err
	}
	e.costs = it.kernel.CostRows()
	err := e.simplex.Solve(ctx, &simplex.Problem[T]{Costs: &e.costs, A: it.a, B: it.b, Mass: it.partial, Work: exactPasses * it.kernel.Size()})
	it.res.Annealing = int(math.Ceil(e.simplex.Work / it.kernel.Size()))
	if err != nil {
		if ctx.Err() != nil {
			return false, err
		}
		return false, nil
	}
	gibbs.Grow(&s.foundStart, it.n)
	for i, f := range e.simplex.F {
		switch f := float64(it.lambda * f); {
		case it.a[i] == 0:
			s.foundStart[i] = T(math.Inf(-1))
		case it.partial > 0: // scalings of points at their cap are proportional to their weights
			s.foundStart[i] = T(f + num.Log(float64(it.a[i])))
		default:
			s.foundStart[i] = T(f)
		}
	}
	it.startShift, it.startOffset = 0, 0
	it.problem.Start = s.foundStart
	return true, nil
}
