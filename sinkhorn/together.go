package sinkhorn

import (
	"context"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/block"
	"github.com/gomonge/monge/internal/asm/pass"
)

const (
	mostTogether = 16      // problems that are solved together
	groupBlock   = 1 << 16 // elements of rows that stay in the second-level cache while all problems go through them
	groupBytes   = 1 << 15 // a K of so many bytes stays in the first: several at a time are no faster than one
)

// group are problems that are solved together. Either they share K, and iteration k of all of them is
// one pass; or each has a lane.
type group[T dist.Float] struct {
	*workspace[T]
	members []member[T]
	count   int          // of members at hand
	active  []*member[T] // those that go on
	pass    groupPass[T]
	lanes   lanes[T]
}

// member is one of the problems.
type member[T dist.Float] struct {
	iteration[T]
	pace  pace
	err   error
	alone bool // it needs something else than plain iterations on scalings
	over  bool // in a lane: its last iteration has been made
}

// gather makes the problems members that begin in the plain domain, or are alone.
func (g *group[T]) gather(ctx context.Context, problems []Problem[T], which []int, lanes bool) {
	for len(g.members) < len(which) {
		g.members = append(g.members, member[T]{iteration: newIteration(g.workspace)})
	}
	g.count = len(which)
	g.laid = shape{}
	for i, at := range which {
		m := &g.members[i]
		m.res, m.err, m.over, m.lane = Result[T]{}, nil, false, 0
		m.placed = !lanes
		err := m.admit(&problems[at])
		switch {
		case err != nil:
		case lanes:
			m.shape, g.laid = g.geo.shape(), g.geo.shape()
		default:
			err = g.geo.transpose(ctx)
		}
		m.alone = err != nil || g.taken+float64(float64(i)*m.ownBytes()) > float64(g.settings.MaxMemory)
		if !m.alone {
			m.pace = newPace(paceFrom-paceEvery, g.geo.n, g.geo.m)
			m.alone = !m.startPlain()
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
			m.cancelled()
		default:
			m.alone = !finite(m.res.Cost)
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
	g.geo.setBase(noBase, nil, nil)
	g.geo.filled = false
	if err := g.geo.fill(ctx); err != nil {
		return err
	}
	if err := g.passOver(ctx, columnsOf, 0); err != nil {
		return err
	}
	limit, tolerance := g.settings.Iterations, g.settings.Tolerance
	for k := 1; k <= limit && len(g.active) > 0; k++ {
		left := g.active[:0]
		for _, m := range g.active {
			if m.alone = !m.scaleColumns(k); !m.alone {
				left = append(left, m)
			}
		}
		g.active = left
		if err := g.passOver(ctx, iterationOf, k); err != nil {
			return err
		}
		left = g.active[:0]
		for _, m := range g.active {
			if m.alone = !m.scaledRows(k); m.alone || m.done(k, limit, tolerance) {
				continue
			}
			if m.alone = m.accelerates() && k < limit && m.pace.slow(k, m.res.MarginalError, tolerance*m.mass); !m.alone {
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
	for i := range g.count {
		if m := &g.members[i]; !m.alone {
			m.locate()
			g.active = append(g.active, m)
		}
	}
	if len(g.active) == 0 {
		return nil
	}
	if err := g.passOver(ctx, costsOf, 0); err != nil {
		return err
	}
	for _, m := range g.active {
		m.res.Cost = costOf(m.plan.u, m.r)
	}
	return nil
}

// What a pass computes for every member.
const (
	columnsOf   = iota // q = Kᵀu⁰
	iterationOf        // u^k = a ⊘ Kv^k and q = Kᵀu^k
	costsOf            // r = (K⊙M)v, v that of the plan
)

// groupPass is a pass for the active members.
type groupPass[T dist.Float] struct {
	what       int
	v, a, u, q [][]T // of every member
	sums       [][]T // what rows add to: q, or the piece's sums
	partials   []T
	scratch    []T
}

// passOver makes a pass over K for the active members.
func (g *group[T]) passOver(ctx context.Context, what, k int) error {
	geo, parts, p := &g.geo, &g.geo.parts, &g.pass
	p.what = what
	p.v, p.a, p.u, p.q, p.sums = p.v[:0], p.a[:0], p.u[:0], p.q[:0], p.sums[:0]
	for _, m := range g.active {
		u, v := m.u(k), m.v(k)
		if what == costsOf {
			u, v = m.r, m.plan.v
		}
		q := m.q[:geo.cols]
		if what != costsOf {
			clear(q)
		}
		p.v, p.a, p.u, p.q = append(p.v, geo.pad(v)), append(p.a, m.a), append(p.u, u), append(p.q, q)
	}
	if len(p.scratch) == 0 {
		p.scratch = make([]T, block.Scratch[T]())
	}
	step := geo.blockRows()
	if what == costsOf {
		step = geo.copiedRows()
	}
	if parts.count == 1 || what == costsOf {
		p.sums = append(p.sums, p.q...)
		for piece := range parts.count {
			if err := parts.strips[0].walk(ctx, p, step, piece, nil); err != nil {
				return err
			}
		}
		return nil
	}
	grow(&p.partials, len(p.q)*geo.cols)
	for i := range p.q {
		p.sums = append(p.sums, p.partials[i*geo.cols:][:geo.cols])
	}
	for piece := range parts.count {
		clear(p.partials)
		if err := parts.strips[0].walk(ctx, p, step, piece, nil); err != nil {
			return err
		}
		for i, q := range p.q { // as parts.sum adds them, one after the other
			pass.Columns(1, geo.cols, q, p.sums[i], geo.cols, parts.ones)
		}
	}
	return nil
}

func (p *groupPass[T]) rows(b *strip[T]) {
	switch {
	case p.what == costsOf:
		groupRows(p, b, b.weighted())
	case b.mixed:
		groupRows(p, b, b.narrowed())
	default:
		groupRows(p, b, b.kernel())
	}
}

// weighted returns the strip's rows of K⊙M.
func (b *strip[T]) weighted() []T {
	k, d, ldd := b.both()
	grow(&b.adjointRows, b.r*b.ld)
	for l := range b.r {
		row, d := b.adjointRows[l*b.ld:][:b.ld], d[l*ldd:][:b.m]
		clear(row[b.m:])
		for j, k := range k[l*b.ld:][:len(d)] {
			row[j] = T(k * d[j])
		}
	}
	return b.adjointRows
}

// groupRows makes the pass over the rows k of the strip, a few at a time.
func groupRows[K, T dist.Float](p *groupPass[T], b *strip[T], k []K) {
	step := max(8, groupBlock/b.ld&^7)
	for first := 0; first < b.r; first += step {
		r, k := min(step, b.r-first), k[first*b.ld:]
		i, last := b.i+first, b.i+first+min(step, b.r-first)
		s, blocks := 0, len(p.q)
		if b.n*b.ld*size[K]() <= groupBytes {
			blocks = 0
		}
		for ; s+block.Size <= blocks; s += block.Size {
			var v, a, u, q [block.Size][]T
			for l := range v {
				v[l], a[l], u[l], q[l] = p.v[s+l], p.a[s+l][i:last], p.u[s+l][i:last], p.sums[s+l]
			}
			switch p.what {
			case columnsOf:
				block.Columns(r, b.cols, &q, k, b.ld, &u)
			case iterationOf:
				block.Iterate(r, b.cols, k, b.ld, &v, &a, &u, &q, p.scratch)
			default:
				block.Rows(r, b.cols, &u, k, b.ld, &v, p.scratch)
			}
		}
		for ; s < len(p.q); s++ {
			switch p.what {
			case columnsOf:
				pass.Columns(r, b.cols, p.sums[s], k, b.ld, p.u[s][i:last])
			case iterationOf:
				pass.Iterate(r, b.cols, k, b.ld, p.v[s], p.a[s][i:last], p.u[s][i:last], p.sums[s])
			default:
				pass.Rows(r, b.cols, p.u[s][i:last], k, b.ld, p.v[s])
			}
		}
	}
}
