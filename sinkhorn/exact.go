package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/gibbs"
	"github.com/gomonge/monge/internal/simplex"
)

// Where λ is large, λ times the dual variables of the problem without entropy are a start from which
// Newton's steps need not find out anew which parts of the plan are connected. They come from the network
// simplex method, on one goroutine.

// exactPasses is the most work of the network simplex method, in passes over the costs.
const exactPasses = 500

// exactStart sets the start to λ times the dual variables of the rows for λ = ∞, and reports whether it
// has found them. Its work counts as passes of ε-scaling.
func (s *solution[T]) exactStart(ctx context.Context) (bool, error) {
	if err := s.kernel.Measure(ctx); err != nil {
		return false, err
	}
	s.costs = s.kernel.CostRows()
	err := s.exact.Solve(ctx, &simplex.Problem[T]{Costs: &s.costs, A: s.a, B: s.b, Mass: s.iteration.partial, Work: exactPasses * s.kernel.Size()})
	s.res.Annealing = int(math.Ceil(s.exact.Work / s.kernel.Size()))
	if err != nil {
		if ctx.Err() != nil {
			return false, err
		}
		return false, nil
	}
	gibbs.Grow(&s.warm, s.kernel.N())
	for i, f := range s.exact.F {
		switch f := float64(s.lambda * f); {
		case s.a[i] == 0:
			s.warm[i] = T(math.Inf(-1))
		case s.iteration.partial > 0: // points at their cap have scalings in proportion to their weights
			s.warm[i] = T(f + num.Log(float64(s.a[i])))
		default:
			s.warm[i] = T(f)
		}
	}
	s.startShift, s.startOffset = 0, 0
	s.problem.Start = s.warm
	return true, nil
}
