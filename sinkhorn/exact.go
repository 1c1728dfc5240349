package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/gibbs"
	"github.com/gomonge/monge/internal/simplex"
)

// Where λ is large, λ times the dual variables of the problem without entropy are a start from which
// Newton's steps need not find out anew which parts of the plan are connected. They come from the network
// simplex method, on one goroutine.

// exactPasses is the most work of the network simplex method, in passes over the costs.
const exactPasses = 500

// exactStart makes the start λ times the dual variables of the rows for λ = ∞. Its work counts as passes of
// ε-scaling.
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
	gibbs.Grow(&s.warm, it.n)
	for i, f := range e.simplex.F {
		switch f := float64(it.lambda * f); {
		case it.a[i] == 0:
			s.warm[i] = T(math.Inf(-1))
		case it.partial > 0: // points at their cap have scalings in proportion to their weights
			s.warm[i] = T(f + num.Log(float64(it.a[i])))
		default:
			s.warm[i] = T(f)
		}
	}
	it.startShift, it.startOffset = 0, 0
	it.problem.Start = s.warm
	return true, nil
}
