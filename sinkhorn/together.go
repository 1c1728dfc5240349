package sinkhorn

import (
	"context"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/gibbs"
)

// mostTogether is the number of problems that are solved together.
const mostTogether = 16

// group are problems that are solved together. Either they share K, and iteration k of all of them is
// one pass; or each has a lane.
type group[T dist.Float] struct {
	*workspace[T]
	members  []member[T]
	count    int          // of members at hand
	active   []*member[T] // those that go on
	operands gibbs.Group[T]
	lanes    lanes[T]
}

// member is one of the problems.
type member[T dist.Float] struct {
	it      iteration[T]
	outcome outcome[T]
	costs   []T // (K⊙M)v of the plan
	pace    pace
	err     error
	alone   bool // it needs something else than plain iterations on scalings
	over    bool // in a lane: its last iteration has been made
}

// gather makes the problems members that begin in the plain domain, or are alone.
func (g *group[T]) gather(ctx context.Context, problems []Problem[T], which []int, lanes bool) {
	for len(g.members) < len(which) {
		g.members = append(g.members, member[T]{it: newIteration(g.workspace)})
	}
	g.count = len(which)
	g.laid = gibbs.Shape{}
	for i, at := range which {
		m := &g.members[i]
		m.err, m.over, m.outcome = nil, false, outcome[T]{it: &m.it}
		m.it.res, m.it.placed = Result[T]{}, !lanes
		err := m.it.admit(&problems[at])
		switch {
		case err != nil:
		case lanes:
			m.it.shape, g.laid = g.kernel.Shape(), g.kernel.Shape()
		default:
			err = g.kernel.Transpose(ctx)
		}
		m.alone = err != nil || g.taken+float64(float64(i)*m.it.ownBytes()) > float64(g.settings.MaxMemory)
		if !m.alone {
			m.pace = newPace(paceFrom-paceEvery, g.kernel.N(), g.kernel.M())
			m.alone = !m.it.startPlain()
		}
	}
}

// solve solves the members that are not alone. The error is the context's cause.
func (g *group[T]) solve(ctx context.Context) error {
	err := g.iterate(ctx)
	if err == nil {
		err = g.costs(ctx)
	}
	for i := range g.count {
		switch m := &g.members[i]; {
		case m.alone:
		case err != nil:
			m.err = err
			m.it.cancelled()
		default:
			m.alone = !finite(m.it.res.Cost)
		}
	}
	return err
}

// iterate makes the iterations. The error is the context's cause.
func (g *group[T]) iterate(ctx context.Context) error {
	g.active = g.active[:0]
	for i := range g.count {
		if !g.members[i].alone {
			g.active = append(g.active, &g.members[i])
		}
	}
	if len(g.active) == 0 {
		return nil
	}
	g.kernel.SetBase(nil, nil)
	g.kernel.Invalidate()
	if err := g.kernel.Fill(ctx); err != nil {
		return err
	}
	if err := g.kernel.MulTransGroup(ctx, g.pack(0)); err != nil {
		return err
	}
	limit, tolerance := g.settings.Iterations, g.settings.Tolerance
	for k := 1; k <= limit && len(g.active) > 0; k++ {
		left := g.active[:0]
		for _, m := range g.active {
			if m.alone = !m.it.scaleColumns(k); !m.alone {
				left = append(left, m)
			}
		}
		g.active = left
		if err := g.kernel.IterateGroup(ctx, g.pack(k)); err != nil {
			return err
		}
		left = g.active[:0]
		for _, m := range g.active {
			if m.alone = !m.it.scaledRows(k); m.alone || m.it.done(k, limit, tolerance) {
				continue
			}
			if m.alone = m.it.accelerates() && k < limit && m.pace.slow(k, m.it.res.MarginalError, tolerance*m.it.mass); !m.alone {
				left = append(left, m)
			}
		}
		g.active = left
	}
	return nil
}

// costs computes the transport costs.
func (g *group[T]) costs(ctx context.Context) error {
	g.active = g.active[:0]
	g.operands.Reset()
	for i := range g.count {
		if m := &g.members[i]; !m.alone {
			m.it.locate()
			g.active = append(g.active, m)
			gibbs.Grow(&m.costs, m.it.n)
			g.operands.Add(m.costs, m.it.plan.v, m.it.a, m.it.q)
		}
	}
	if len(g.active) == 0 {
		return nil
	}
	if err := g.kernel.CostRowsGroup(ctx, &g.operands); err != nil {
		return err
	}
	for _, m := range g.active {
		m.it.res.Cost = costOf(m.it.plan.u, m.costs)
	}
	return nil
}

// pack makes the vectors of the active members at iterate k the operands of the next pass.
func (g *group[T]) pack(k int) *gibbs.Group[T] {
	g.operands.Reset()
	for _, m := range g.active {
		g.operands.Add(m.it.u(k), m.it.v(k), m.it.a, m.it.q)
	}
	return &g.operands
}
