package sinkhorn

import (
	"context"
	"math"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/lane"
	"github.com/gomonge/monge/internal/asm/num"
)

const (
	smallSize  = 32 // most points of a small problem,
	smallAVX2  = 24 // without AVX-512: at 32 a problem at a time was 2 to 8 % faster
	smallDims  = 16 // and their dimensions
	rowPadding = 4  // rows are a multiple of

	laneBytes = 16 << 10 // of K stay in the first-level cache from one pass over them to the next
)

// smallShape reports whether a problem is small, and a number by which problems of similar
// shapes are close to each other. What is wrong with it, Solve finds out.
func smallShape[T dist.Float](p *Problem[T], lv asm.Level) (shape int, ok bool) {
	largest := smallSize
	if lv != asm.AVX512 {
		largest = smallAVX2
	}
	n, m := p.Cost.Rows, p.Cost.Cols
	if p.Cost.IsEmpty() {
		n, m = p.X.Rows, p.Y.Rows
	}
	ok = n > 0 && n <= largest && m > 0 && m <= largest && p.X.Cols <= smallDims && !p.unequal()
	return m<<16 | n<<8 | p.X.Cols, ok
}

// lanes are small problems with a K each, solved at once: problem p has lane p of everything
// here, interleaved as package lane has it, in the shape of the largest. What a problem has
// not is padded: columns with weights of 0, for which v is 0, and rows with weights of 0 and
// K = 1, for which u is.
type lanes[T dist.Float] struct {
	n, m           int // the largest shape, padded
	kernel, cost   []T // K and M
	x, y           []T
	a, b           []T
	u, v, q        []T
	c, lo, hi      []T // −λ·log₂e; the safe ranges
	outside        []T // not 0: a scaling was outside of the range
	marginalErrors [num.MaxLanes]float64
}

// solveLanes solves small problems, those of the numbers in which, and calls visit.
func (s *Solver[T]) solveLanes(ctx context.Context, problems []Problem[T], which []int, visit func(i int, r *Result[T], err error)) error {
	defer func() { s.state = &s.own }() // when visit panics, too
	return s.handOver(ctx, problems, which, visit, s.solveApart(ctx, problems, which))
}

// solveApart is solve for all members but those that are to be solved alone. The error is
// the context's cause.
func (s *Solver[T]) solveApart(ctx context.Context, problems []Problem[T], which []int) error {
	s.enter()
	defer s.leave()
	g := &s.group
	g.apart = true
	s.gather(ctx, problems, which)
	if !s.interleave(len(which)) {
		return nil
	}
	k, err := s.iterateLanes(ctx, len(which))
	if err == nil {
		s.laneCosts(len(which))
		return nil
	}
	for i := range which {
		m := &g.members[i]
		if m.alone = m.alone || !(s.lanes.outside[i] == 0); m.alone {
			continue
		}
		s.state = &m.state
		if k > 0 && !m.over {
			s.fetch(i, k)
		}
		s.place()
		m.err, m.ended = err, !s.cancelled()
	}
	return err
}

// place makes the geometry that of the problem at hand, of which it has been before.
func (s *Solver[T]) place() {
	geo, p := &s.geo, &s.problem
	if p.Cost.IsEmpty() {
		geo.setPoints(p.X, p.Y)
	} else {
		geo.setCost(p.Cost)
	}
	geo.setLambda(s.lambda)
	geo.layOut(&s.settings)
	geo.allocate()
	geo.transpose(context.Background()) // it is small
	s.placed = true
}

// interleave lays the members out in lanes, computes K, and reports whether there are any.
func (s *Solver[T]) interleave(count int) bool {
	l, w := &s.lanes, num.Lanes[T]()
	l.n, l.m = 0, 0
	dims := 0
	for i := range count {
		if m := &s.group.members[i]; !m.alone {
			n, cols := m.problem.Cost.Rows, m.problem.Cost.Cols
			if m.problem.Cost.IsEmpty() {
				n, cols = m.problem.X.Rows, m.problem.Y.Rows
			}
			l.n, l.m, dims = max(l.n, n), max(l.m, cols), max(dims, m.problem.X.Cols)
		}
	}
	if l.n == 0 {
		return false
	}
	l.n, l.m = (l.n+rowPadding-1)/rowPadding*rowPadding, (l.m+w-1)/w*w
	for _, v := range []*[]T{&l.kernel, &l.cost} {
		grow(v, l.n*l.m*w)
	}
	for _, z := range []struct {
		v *[]T
		n int
	}{{&l.a, l.n}, {&l.u, l.n}, {&l.x, l.n * dims}, {&l.b, l.m}, {&l.v, l.m}, {&l.q, l.m}, {&l.y, l.m * dims}, {&l.c, 1}, {&l.lo, 1}, {&l.hi, 1}, {&l.outside, 1}} {
		grow(z.v, z.n*w)
		clear(*z.v)
	}
	for i := range count {
		m := &s.group.members[i]
		if m.alone {
			continue
		}
		s.state = &m.state
		s.resize()
		spread(l.a[i:], w, s.a)
		spread(l.b[i:], w, s.b)
		spread(l.u[i:], w, s.u(0))
		l.c[i], l.lo[i], l.hi[i] = -T(s.lambda*math.Log2E), s.limits.lo, s.limits.hi
		if m.problem.Cost.IsEmpty() {
			l.points(l.x[i:], m.problem.X, dims)
			l.points(l.y[i:], m.problem.Y, dims)
		}
	}
	s.laneKernels(count, dims)
	return true
}

// points lays out the points of one problem; dims are those of the problem with most.
func (l *lanes[T]) points(dst []T, x dist.Matrix[T], dims int) {
	w := num.Lanes[T]()
	if x.Cols == dims && x.Stride == dims { // as a rule, and in one loop
		spread(dst, w, x.Data[:x.Rows*dims])
		return
	}
	for i := range x.Rows {
		spread(dst[i*dims*w:], w, x.Row(i))
	}
}

// eachRows calls visit for a few rows of K after the other: r of them, beginning at row i and
// element at.
func (l *lanes[T]) eachRows(visit func(i, r, at, last int)) {
	row := l.m * num.Lanes[T]()
	step := max(rowPadding, laneBytes/(row*size[T]())/rowPadding*rowPadding)
	for i := 0; i < l.n; i += step {
		r := min(step, l.n-i)
		visit(i, r, i*row, (i+r)*row)
	}
}

// laneKernels computes K and M, and q for the first iteration.
func (s *Solver[T]) laneKernels(count, dims int) {
	l, w, lv := &s.lanes, num.Lanes[T](), s.geo.level
	c := l.c[0]
	same := !slices.ContainsFunc(l.c[:count], func(x T) bool { return x != c })
	l.eachRows(func(i, r, at, last int) {
		cost, kernel := l.cost[at:last], l.kernel[at:last]
		if dims > 0 {
			lane.SqDist(lv, r, l.m, dims, cost, l.x[i*dims*w:], l.y)
		} else {
			clear(cost)
		}
		for row := range r {
			s.layCosts(cost[row*l.m*w:][:l.m*w], count, i+row)
		}
		if same {
			exp.Exp2(lv, kernel, cost, c)
		} else {
			lane.Mul(lv, r*l.m, kernel, cost, l.c, true)
			exp.Exp2(lv, kernel, kernel, 1)
		}
		for p := range count {
			m := &s.group.members[p]
			for e := max(0, len(m.a)-i) * l.m; !m.alone && e < r*l.m; e++ {
				kernel[e*w+p] = 1
			}
		}
		lane.Columns(lv, r, l.m, l.q, kernel, l.u[i*w:])
	})
}

// layCosts lays out a row of the members' cost matrices, as far as they have it: where eight
// do, an element of all after the other. It is .77 to .9 of the time of a batch.
func (s *Solver[T]) layCosts(dst []T, count, row int) {
	w := num.Lanes[T]()
	var rows [num.MaxLanes][]T
	cols := len(dst)
	for p := range count {
		if m := &s.group.members[p]; !m.alone && row < m.problem.Cost.Rows {
			rows[p] = m.problem.Cost.Row(row)
		}
		cols = min(cols, len(rows[p]))
	}
	if count == 8 && w == 8 {
		a, b, c, d, e, f, g, h := rows[0][:cols], rows[1][:cols], rows[2][:cols], rows[3][:cols], rows[4][:cols], rows[5][:cols], rows[6][:cols], rows[7][:cols]
		for j := range a {
			t := (*[8]T)(dst[j*8:])
			t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7] = a[j], b[j], c[j], d[j], e[j], f[j], g[j], h[j]
		}
	} else {
		cols = 0
	}
	for p, x := range rows[:count] {
		if cols < len(x) {
			spread(dst[cols*w+p:], w, x[cols:])
		}
	}
}

// spread sets every w-th element of dst to those of x.
func spread[T dist.Float](dst []T, w int, x []T) {
	for i, x := range x {
		dst[i*w] = x
	}
}

// collect is the inverse of spread.
func collect[T dist.Float](x, src []T, w int) {
	for i := range x {
		x[i] = src[i*w]
	}
}

// iterateLanes is forward for the members, and returns the iterations made. The error is the
// context's cause.
func (s *Solver[T]) iterateLanes(ctx context.Context, count int) (k int, err error) {
	l, lv, w := &s.lanes, s.geo.level, num.Lanes[T]()
	limit, tolerance := s.settings.Iterations, s.settings.Tolerance
	left := 0
	for i := range count {
		if m := &s.group.members[i]; !m.alone {
			left++
		}
	}
	for k = 1; k <= limit && left > 0; k++ {
		if ctx.Err() != nil {
			return k - 1, context.Cause(ctx)
		}
		lane.Divide(lv, l.m, l.v, l.b, l.q, l.lo, l.hi, l.outside, true)
		clear(l.q)
		l.eachRows(func(i, r, at, last int) {
			u, kernel := l.u[i*w:], l.kernel[at:last]
			lane.Rows(lv, r, l.m, u, kernel, l.v)
			lane.Divide(lv, r, u, l.a[i*w:], u, l.lo, l.hi, l.outside, false)
			lane.Columns(lv, r, l.m, l.q, kernel, u)
		})
		if tolerance > 0 || k == limit {
			left = s.settle(count, k)
		}
	}
	return k - 1, nil
}

// settle finds out for which members iteration k is the last, and returns how many go on.
func (s *Solver[T]) settle(count, k int) (left int) {
	l, limit, tolerance := &s.lanes, s.settings.Iterations, s.settings.Tolerance
	if k < limit {
		l.errors()
	}
	for i := range count {
		m := &s.group.members[i]
		if m.alone || m.over {
			continue
		}
		s.state = &m.state
		goal := tolerance * m.mass
		switch {
		case !(l.outside[i] == 0):
			m.alone = true
		case k == limit || l.marginalErrors[i] <= goal:
			s.fetch(i, k)
			m.over = true
		case s.accelerates() && m.pace.slow(k, l.marginalErrors[i], goal):
			m.alone = true
		default:
			left++
		}
	}
	return left
}

// errors computes the marginal errors of the iterate at hand as done does.
func (l *lanes[T]) errors() {
	w := num.Lanes[T]()
	e := &l.marginalErrors
	clear(e[:])
	for j := range l.m {
		v, q, b := l.v[j*w:][:w], l.q[j*w:][:w], l.b[j*w:][:w]
		for p, v := range v {
			e[p] += math.Abs(float64(T(v*q[p])) - float64(b[p]))
		}
	}
}

// fetch makes iterate k that of the state at hand, member i's.
func (s *Solver[T]) fetch(i, k int) {
	l, w := &s.lanes, num.Lanes[T]()
	s.resize()
	collect(s.u(k), l.u[i:], w)
	collect(s.v(k), l.v[i:], w)
	collect(s.q, l.q[i:], w)
	s.kind[k%s.ring] = plainKind
	s.done(k, s.settings.Iterations, s.settings.Tolerance)
}

// resize gives the geometry the shape of the problem at hand.
func (s *Solver[T]) resize() {
	geo := &s.geo
	geo.n, geo.m = len(s.a), len(s.b)
	geo.cols, geo.ld = padded[T](geo.m, false)
}

// laneCosts computes the members' transport costs.
func (s *Solver[T]) laneCosts(count int) {
	l, w, lv := &s.lanes, num.Lanes[T](), s.geo.level
	for i := range count {
		if m := &s.group.members[i]; !m.alone && s.settings.Tolerance > 0 {
			s.state = &m.state
			s.resize()
			spread(l.v[i:], w, s.v(s.res.Iterations)) // lanes that were over have gone on
		}
	}
	l.eachRows(func(i, r, at, last int) {
		kernel := l.kernel[at:last]
		lane.Mul(lv, r*l.m, kernel, kernel, l.cost[at:last], false)
		lane.Rows(lv, r, l.m, l.u[i*w:], kernel, l.v)
	})
	for i := range count {
		m := &s.group.members[i]
		if m.alone {
			continue
		}
		s.state = &m.state
		s.resize()
		collect(s.r, l.u[i:], w)
		s.res.Cost = costOf(s.u(s.res.Iterations), s.r)
		m.alone = !finite(s.res.Cost)
	}
}
