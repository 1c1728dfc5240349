package sinkhorn

import (
	"cmp"
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/block"
	"github.com/gomonge/monge/internal/asm/pass"
)

const (
	most       = 16      // problems that are solved together
	groupBlock = 1 << 16 // elements of rows that stay in the second-level cache while all go through them
	groupBytes = 1 << 15 // of K stay in the first: no faster for several at a time than for one
)

// group are problems that are solved together: of one K, for which iteration k of all of
// them is one pass, or apart, each in a lane.
type group[T dist.Float] struct {
	members []member[T]
	apart   bool
	shape   shape        // if apart, that of the last one, which was affordable
	active  []*member[T] // those that go on
	pass    groupPass[T]
}

// member is one of them.
type member[T dist.Float] struct {
	state[T]
	pace  pace
	err   error
	ended bool // by the context, before the first iteration was made
	alone bool // it needs something else than plain iterations on scalings
	over  bool // in a lane: its last iteration has been made
}

// solveTogether solves problems of one K, those of the numbers in which, and calls visit.
func (s *Solver[T]) solveTogether(ctx context.Context, problems []Problem[T], which []int, visit func(i int, r *Result[T], err error)) error {
	defer func() { s.state = &s.own }() // when visit panics, too
	return s.handOver(ctx, problems, which, visit, s.solveGroup(ctx, problems, which))
}

// handOver calls visit for the members. Those that leave the plain domain, those whose
// iterations turn out to be slow where there is something better, and those that cannot be
// solved, are then given to Solve, which finds out what they need, or why they cannot. The
// error is the context's cause if that has ended any of them, or ended.
func (s *Solver[T]) handOver(ctx context.Context, problems []Problem[T], which []int, visit func(i int, r *Result[T], err error), ended error) error {
	members := s.group.members[:len(which)]
	for i := range members {
		m := &members[i]
		if m.alone {
			continue
		}
		s.state = &m.state
		s.placed = !s.group.apart
		s.count++
		m.res.solver, m.res.serial = s, s.count
		r := &m.res
		if m.ended {
			r = nil
		}
		visit(which[i], r, m.err)
	}
	s.state = &s.own
	for i := range members {
		if members[i].alone {
			ended = cmp.Or(s.solveAlone(ctx, &problems[which[i]], which[i], visit), ended)
		}
	}
	return ended
}

// gather makes the problems members that begin in the plain domain, or are alone.
func (s *Solver[T]) gather(ctx context.Context, problems []Problem[T], which []int) {
	g := &s.group
	for len(g.members) < len(which) {
		g.members = append(g.members, member[T]{state: state[T]{limits: s.own.limits}})
	}
	g.shape = shape{}
	for i, at := range which {
		m := &g.members[i]
		m.res, m.err, m.ended, m.over, m.lane = Result[T]{}, nil, false, false, 0
		s.state = &m.state
		var err error
		if g.apart {
			if err = s.admit(&problems[at]); err == nil {
				m.shape, g.shape = s.geo.shape(), s.geo.shape()
			}
		} else {
			err = s.prepare(ctx, &problems[at])
		}
		m.alone = err != nil || s.taken+float64(float64(i)*s.stateBytes()) > float64(s.settings.MaxMemory)
		if !m.alone {
			m.pace = newPace(paceFrom-paceEvery, s.geo.n, s.geo.m)
			m.alone = !s.startPlain()
		}
	}
}

// solveGroup is solve for all members but those that are to be solved alone. The error is
// the context's cause.
func (s *Solver[T]) solveGroup(ctx context.Context, problems []Problem[T], which []int) error {
	s.enter()
	defer s.leave()
	g := &s.group
	g.apart = false
	s.gather(ctx, problems, which)
	err := s.iterateGroup(ctx, len(which))
	if err == nil {
		err = s.costs(ctx, len(which))
	}
	for i := range which {
		switch m := &g.members[i]; {
		case m.alone:
		case err != nil:
			s.state = &m.state
			m.err, m.ended = err, !s.cancelled()
		default:
			m.alone = !finite(m.res.Cost)
		}
	}
	return err
}

// startPlain makes the problem at hand begin in the plain domain, and reports whether it
// can.
func (s *Solver[T]) startPlain() bool {
	s.res.Iterations, s.res.MarginalError, s.res.Status, s.res.Domain = 0, math.NaN(), Completed, DomainPlain
	s.begun = false
	scaled, err := s.start(0, s.problem.Start)
	return scaled && err == nil
}

// iterateGroup is forward for the first count members. The error is the context's cause.
func (s *Solver[T]) iterateGroup(ctx context.Context, count int) error {
	g, geo := &s.group, &s.geo
	g.active = g.active[:0]
	for i := range count {
		if !g.members[i].alone {
			g.active = append(g.active, &g.members[i])
		}
	}
	if len(g.active) == 0 {
		return nil
	}
	geo.setBase(noBase, nil, nil)
	geo.filled = false
	if err := geo.fill(ctx); err != nil {
		return err
	}
	if err := s.groupPass(ctx, columnsOf, 0); err != nil {
		return err
	}
	limit, tolerance, accelerates := s.settings.Iterations, s.settings.Tolerance, s.accelerates()
	for k := 1; k <= limit && len(g.active) > 0; k++ {
		left := g.active[:0]
		for _, m := range g.active {
			s.state = &m.state
			if m.alone = !s.scaleColumns(k); !m.alone {
				left = append(left, m)
			}
		}
		g.active = left
		if err := s.groupPass(ctx, iterationOf, k); err != nil {
			return err
		}
		left = g.active[:0]
		for _, m := range g.active {
			s.state = &m.state
			if m.alone = !s.scaledRows(k); m.alone || s.done(k, limit, tolerance) {
				continue
			}
			if m.alone = accelerates && k < limit && m.pace.slow(k, m.res.MarginalError, tolerance*m.mass); !m.alone {
				left = append(left, m)
			}
		}
		g.active = left
	}
	return nil
}

// costs computes the members' transport costs.
func (s *Solver[T]) costs(ctx context.Context, count int) error {
	g := &s.group
	g.active = g.active[:0]
	for i := range count {
		if m := &g.members[i]; !m.alone {
			s.state = &m.state
			s.locate()
			g.active = append(g.active, m)
		}
	}
	if len(g.active) == 0 {
		return nil
	}
	if err := s.groupPass(ctx, costsOf, 0); err != nil {
		return err
	}
	for _, m := range g.active {
		m.res.Cost = costOf(m.fu, m.r)
	}
	return nil
}

// What a pass computes of every member's vectors.
const (
	columnsOf   = iota // q = Kᵀu^0
	iterationOf        // u^k = a ⊘ Kv^k and q = Kᵀu^k
	costsOf            // r = (K⊙M)v, v that of the result
)

// groupPass is a pass for the active members.
type groupPass[T dist.Float] struct {
	what       int
	v, a, u, q [][]T // of every member
	sums       [][]T // what rows add to: q, or the piece's sums
	partials   []T
	scratch    []T
}

// groupPass makes a pass over K.
func (s *Solver[T]) groupPass(ctx context.Context, what, k int) error {
	g, geo := &s.group, &s.geo
	p := &g.pass
	p.what = what
	p.v, p.a, p.u, p.q, p.sums = p.v[:0], p.a[:0], p.u[:0], p.q[:0], p.sums[:0]
	for _, m := range g.active {
		s.state = &m.state
		u, v := s.u(k), s.v(k)
		if what == costsOf {
			u, v = s.r, s.fv
		}
		q := s.q[:geo.cols]
		if what != costsOf {
			clear(q)
		}
		p.v, p.a, p.u, p.q = append(p.v, geo.pad(v)), append(p.a, s.a), append(p.u, u), append(p.q, q)
	}
	if len(p.scratch) == 0 {
		p.scratch = make([]T, block.Scratch[T]())
	}
	step := geo.blockRows()
	if what == costsOf {
		step = geo.copiedRows()
	}
	if geo.pieces == 1 || what == costsOf {
		p.sums = append(p.sums, p.q...)
		for piece := range geo.pieces {
			if err := geo.strips[0].walk(ctx, p, step, piece, nil); err != nil {
				return err
			}
		}
		return nil
	}
	grow(&p.partials, len(p.q)*geo.cols)
	for i := range p.q {
		p.sums = append(p.sums, p.partials[i*geo.cols:][:geo.cols])
	}
	for piece := range geo.pieces {
		clear(p.partials)
		if err := geo.strips[0].walk(ctx, p, step, piece, nil); err != nil {
			return err
		}
		for i, q := range p.q { // as sum adds them, one after the other
			pass.Columns(1, geo.cols, q, p.sums[i], geo.cols, geo.ones)
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

// groupRows makes the pass over the rows k of the strip, a few of them after the other.
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
