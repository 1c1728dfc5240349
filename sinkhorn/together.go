package sinkhorn

import (
	"context"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/gibbs"
)

// mostTogether is the maximum number of problems solved together.
const mostTogether = 16

// group contains problems that are solved together. Either the problems share K, and each pass over K serves all problems, or
// each problem uses one lane of the vector registers.
type group[T dist.Float] struct {
	*workspace[T]
	members     []member[T]
	memberCount int          // number of current members
	active      []*member[T] // members whose iterations continue
	operands    gibbs.Group[T]
	lanes       lanes[T]
}

// member is the state of one of the problems that a group solves together.
type member[T dist.Float] struct {
	it         iteration[T]
	outcome    outcome[T]
	costs      []T // (K⊙M)v of the plan
	pace       pace
	err        error
	needsSolve bool // whether the problem must be passed to Solve
	finished   bool // whether the last iteration has been made; used only if each problem has its own vector lane
}

// gatherMembers sets the members of the group, one for each index. It starts each member in the plain domain. If the group
// cannot solve the problem of a member, it sets needsSolve for this member.
func (g *group[T]) gatherMembers(ctx context.Context, problems []Problem[T], indices []int, lanes bool) {
	for len(g.members) < len(indices) {
		g.members = append(g.members, member[T]{it: newIteration(g.workspace)})
	}
	g.memberCount = len(indices)
	g.affordableShape = gibbs.Shape{}
	for i, at := range indices {
		m := &g.members[i]
		m.err, m.finished, m.outcome = nil, false, outcome[T]{it: &m.it}
		m.it.res, m.it.kernelCurrent = Result[T]{}, !lanes
		err := m.it.setProblem(&problems[at])
		switch {
		case err != nil:
		case lanes:
			m.it.shape, g.affordableShape = g.kernel.Shape(), g.kernel.Shape()
		default:
			err = g.kernel.Transpose(ctx)
		}
		m.needsSolve = err != nil || g.allocatedBytes+float64(float64(i)*m.it.ownBytes()) > float64(g.settings.MaxMemory)
		if !m.needsSolve {
			m.pace = newPace(paceFrom-paceEvery, g.kernel.N(), g.kernel.M())
			m.needsSolve = !m.it.startPlain()
		}
	}
}

// solveMembers solves the problems of the group, except those that must be passed to Solve. If ctx ends, it returns the
// context's cause.
func (g *group[T]) solveMembers(ctx context.Context) error {
	err := g.iterateMembers(ctx)
	if err == nil {
		err = g.computeCosts(ctx)
	}
	for i := range g.memberCount {
		switch m := &g.members[i]; {
		case m.needsSolve:
		case err != nil:
			m.err = err
			m.it.setCanceled()
		default:
			m.needsSolve = !finite(m.it.res.Cost)
		}
	}
	return err
}

// iterateMembers makes the iterations of all members. If ctx ends, it returns the context's cause.
func (g *group[T]) iterateMembers(ctx context.Context) error {
	g.active = g.active[:0]
	for i := range g.memberCount {
		if !g.members[i].needsSolve {
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
	if err := g.kernel.MulTransGroup(ctx, g.packOperands(0)); err != nil {
		return err
	}
	limit, tolerance := g.settings.Iterations, g.settings.Tolerance
	for k := 1; k <= limit && len(g.active) > 0; k++ {
		left := g.active[:0]
		for _, m := range g.active {
			if m.needsSolve = !m.it.scaleColumns(k); !m.needsSolve {
				left = append(left, m)
			}
		}
		g.active = left
		if err := g.kernel.IterateGroup(ctx, g.packOperands(k)); err != nil {
			return err
		}
		left = g.active[:0]
		for _, m := range g.active {
			if m.needsSolve = !m.it.scaledRows(k); m.needsSolve || m.it.recordIteration(k, limit, tolerance) {
				continue
			}
			if m.needsSolve = m.it.accelerates() && k < limit && m.pace.isSlow(k, m.it.res.MarginalError, tolerance*m.it.mass); !m.needsSolve {
				left = append(left, m)
			}
		}
		g.active = left
	}
	return nil
}

func (g *group[T]) computeCosts(ctx context.Context) error {
	g.active = g.active[:0]
	g.operands.Reset()
	for i := range g.memberCount {
		if m := &g.members[i]; !m.needsSolve {
			m.it.locatePlan()
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

// packOperands returns the operands of the next pass, which are vectors of the active problems at iteration k.
func (g *group[T]) packOperands(k int) *gibbs.Group[T] {
	g.operands.Reset()
	for _, m := range g.active {
		g.operands.Add(m.it.u(k), m.it.v(k), m.it.a, m.it.q)
	}
	return &g.operands
}
