package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
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
	if err := s.geo.measure(ctx); err != nil {
		return false, err
	}
	s.costs = costRows[T]{strip: s.geo.parts.strips[0]}
	ok, err := s.exact.Solve(ctx, &simplex.Problem[T]{Costs: &s.costs, A: s.a, B: s.b, Mass: s.iteration.partial, Work: exactPasses * s.geo.size()})
	s.res.Annealing = int(math.Ceil(s.exact.Work / s.geo.size()))
	if err != nil || !ok {
		return false, err
	}
	grow(&s.warm, s.geo.n)
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

// costRows reads the rows of M. If its costs are not stored, they are computed a few rows at a time, by the same
// kernel, so that the answer does not depend on the storage.
type costRows[T dist.Float] struct {
	strip    *strip[T]
	from, to int // the rows at hand
	d        []T
	ld       int
}

func (c *costRows[T]) Row(i int) []T {
	b := c.strip
	if i < c.from || i >= c.to {
		b.i, b.r = i, min(b.blockRows(), b.n-i)
		c.d, c.ld = b.cost()
		c.from, c.to = i, i+b.r
	}
	return c.d[(i-c.from)*c.ld:][:b.m]
}
