package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/lane"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/gibbs"
)

const (
	smallSize  = 32 // most points of a small problem,
	smallAVX2  = 24 // without AVX-512: at 32 a problem at a time was 2 to 8 % faster
	smallDims  = 16 // and their dimensions
	rowPadding = 4  // rows are a multiple of

	laneBytes = 16 << 10 // of K stay in the first-level cache from one pass over them to the next
)

// smallShape reports whether a problem is small, and returns a number that is close for similar
// shapes. It does not check the problem.
func smallShape[T dist.Float](p *Problem[T]) (shape int, ok bool) {
	largest := smallSize
	if asm.Current() != asm.AVX512 {
		largest = smallAVX2
	}
	n, m := p.Cost.Rows, p.Cost.Cols
	if p.Cost.IsEmpty() {
		n, m = p.X.Rows, p.Y.Rows
	}
	ok = n > 0 && n <= largest && m > 0 && m <= largest && p.X.Cols <= smallDims && !p.unequal()
	return m<<16 | n<<8 | p.X.Cols, ok
}

// lanes are small problems with a K each, solved at once. Problem p has lane p of everything here,
// interleaved as in package lane, in the shape of the largest problem. Smaller problems are padded:
// by columns with weights of 0, for which v is 0, and by rows with weights of 0 and K = 1, for which u
// is 0.
type lanes[T dist.Float] struct {
	group        *group[T]
	n, m         int // the largest shape, padded
	alike, same  bool
	kernel, cost []T // K and M
	x, y         []T
	a, b         []T
	u, v, q, r   []T

	common         T               // −λ·log₂e of all of them, if it is the same,
	c              [num.MaxLanes]T // and of each
	lo, hi         [num.MaxLanes]T // the safe ranges
	outside        [num.MaxLanes]T // not 0: a scaling was outside of the range
	marginalErrors [num.MaxLanes]float64
	costs          [num.MaxLanes]float64
}

// solve solves the members that are not alone. The error is the context's cause.
func (l *lanes[T]) solve(ctx context.Context) error {
	g := l.group
	if !l.interleave() {
		return nil
	}
	k, err := l.iterate(ctx)
	if err == nil {
		l.computeCosts()
		return nil
	}
	for i := range g.count {
		m := &g.members[i]
		if m.alone = m.alone || !(l.outside[i] == 0); m.alone {
			continue
		}
		if k > 0 && !m.over {
			l.fetch(&m.it, i, k)
			m.it.done(k, g.settings.Iterations, g.settings.Tolerance)
		}
		m.it.place()
		m.err = err
		m.it.cancelled()
		m.it.placed = false // the next member takes the geometry
	}
	return err
}

// operands are slices, one of each problem in a lane.
type operands[T dist.Float] = [num.MaxLanes][]T

// alike reports whether two problems are of one shape and lie in memory in the same way,
// points without gaps.
func alike[T dist.Float](p, q *Problem[T]) bool {
	return p.Cost.Rows == q.Cost.Rows && p.Cost.Cols == q.Cost.Cols && p.Cost.Stride == q.Cost.Stride &&
		p.X.Rows == q.X.Rows && p.Y.Rows == q.Y.Rows && p.X.Cols == q.X.Cols && p.X.Stride == p.X.Cols && p.Y.Stride == p.Y.Cols
}

// interleave lays the members out in lanes, computes K, and reports whether there are any members.
// If they are alike, lanes without a member get the data of the first.
func (l *lanes[T]) interleave() bool {
	w := num.Lanes[T]()
	var first *Problem[T]
	l.n, l.m, l.alike, l.same = 0, 0, true, true
	dims := 0
	var a, b, u, x, y operands[T]
	for i := range l.group.count {
		m := &l.group.members[i]
		if m.alone {
			continue
		}
		p, c := &m.it.problem, -T(m.it.lambda*math.Log2E)
		if first == nil {
			first, l.common = p, c
			for k := range w {
				a[k], b[k], u[k], x[k], y[k] = m.it.a, m.it.b, m.it.u(0), p.X.Data, p.Y.Data
			}
		}
		l.n, l.m, dims = max(l.n, len(m.it.a)), max(l.m, len(m.it.b)), max(dims, p.X.Cols)
		l.alike, l.same = l.alike && alike(p, first), l.same && c == l.common
		a[i], b[i], u[i], x[i], y[i] = m.it.a, m.it.b, m.it.u(0), p.X.Data, p.Y.Data
		l.c[i], l.lo[i], l.hi[i] = c, m.it.limits.lo, m.it.limits.hi
	}
	if first == nil {
		return false
	}
	n, m := l.n, l.m
	l.n, l.m = (n+rowPadding-1)/rowPadding*rowPadding, (m+w-1)/w*w
	for _, v := range []*[]T{&l.kernel, &l.cost} {
		gibbs.Grow(v, l.n*l.m*w)
	}
	for _, z := range [...]struct {
		v           *[]T
		given, room int // elements that a problem has, and there are
		of          *operands[T]
	}{
		{&l.a, n, l.n, &a}, {&l.u, n, l.n, &u}, {&l.x, n * dims, l.n * dims, &x}, {&l.b, m, l.m, &b}, {&l.y, m * dims, l.m * dims, &y},
		{&l.r, 0, l.n, nil}, {&l.v, 0, l.m, nil}, {&l.q, 0, l.m, nil},
	} {
		gibbs.Grow(z.v, z.room*w)
		if !l.alike {
			z.given = 0
		}
		clear((*z.v)[z.given*w:])
		if z.given > 0 {
			lane.Interleave(1, z.given, *z.v, z.given, z.of, z.given)
		}
	}
	for i := range l.group.count {
		if m := &l.group.members[i]; !m.alone && !l.alike {
			spread(l.a[i:], w, a[i])
			spread(l.b[i:], w, b[i])
			spread(l.u[i:], w, u[i])
			if m.it.problem.Cost.IsEmpty() {
				l.points(l.x[i:], m.it.problem.X, dims)
				l.points(l.y[i:], m.it.problem.Y, dims)
			}
		}
	}
	clear(l.outside[:])
	l.kernels(dims)
	return true
}

// points lays out the points of one problem; dims is the largest dimension among the problems.
func (l *lanes[T]) points(dst []T, x dist.Matrix[T], dims int) {
	w := num.Lanes[T]()
	for i := range x.Rows {
		spread(dst[i*dims*w:], w, x.Row(i))
	}
}

// eachRows calls visit for one block of rows of K after the other: r rows, beginning at row i and
// element at.
func (l *lanes[T]) eachRows(visit func(i, r, at, last int)) {
	row := l.m * num.Lanes[T]()
	step := max(rowPadding, laneBytes/(row*gibbs.ElementBytes[T]())/rowPadding*rowPadding)
	for i := 0; i < l.n; i += step {
		r := min(step, l.n-i)
		visit(i, r, i*row, (i+r)*row)
	}
}

// kernels computes K and M, and q for the first iteration.
func (l *lanes[T]) kernels(dims int) {
	w, count := num.Lanes[T](), l.group.count
	l.eachRows(func(i, r, at, last int) {
		cost, kernel := l.cost[at:last], l.kernel[at:last]
		if dims > 0 {
			lane.SqEuclidean(r, l.m, dims, cost, l.x[i*dims*w:], l.y)
		}
		if dims == 0 || !l.alike {
			l.layCosts(cost, i, r, dims > 0)
		}
		if l.same {
			exp.Exp2(kernel, cost, l.common)
		} else {
			lane.Mul(r*l.m, kernel, cost, l.c[:w], true)
			exp.Exp2(kernel, kernel, 1)
		}
		for p := range count {
			m := &l.group.members[p]
			for e := max(0, len(m.it.a)-i) * l.m; !m.alone && e < r*l.m; e++ {
				kernel[e*w+p] = 1
			}
		}
		lane.Columns(r, l.m, l.q, kernel, l.u[i*w:])
	})
}

// layCosts lays out rows i … i+r−1 of the members' cost matrices, as far as they have them.
// set: there are distances already, and 0 where there is a cost matrix.
func (l *lanes[T]) layCosts(dst []T, i, r int, set bool) {
	w := num.Lanes[T]()
	if l.alike {
		l.layAlike(dst, i, r)
		return
	}
	if !set {
		clear(dst)
	}
	for p := range l.group.count {
		m := &l.group.members[p]
		for row := i; !m.alone && row < min(i+r, m.it.problem.Cost.Rows); row++ {
			spread(dst[(row-i)*l.m*w+p:], w, m.it.problem.Cost.Row(row))
		}
	}
}

// layAlike is layCosts for matrices of one shape.
func (l *lanes[T]) layAlike(dst []T, i, r int) {
	var x operands[T]
	first := -1
	for p := range x {
		if p < l.group.count && !l.group.members[p].alone {
			cost := &l.group.members[p].it.problem.Cost
			x[p] = cost.Data[i*cost.Stride:]
			if first < 0 {
				first = p
				for k := range p {
					x[k] = x[p]
				}
			}
		} else if first >= 0 {
			x[p] = x[first]
		}
	}
	cost := &l.group.members[first].it.problem.Cost
	if cost.Rows-i < r || cost.Cols < l.m {
		clear(dst)
	}
	lane.Interleave(min(r, cost.Rows-i), cost.Cols, dst, l.m, &x, cost.Stride)
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

// iterate makes the iterations, and returns how many. The error is the
// context's cause.
func (l *lanes[T]) iterate(ctx context.Context) (k int, err error) {
	w := num.Lanes[T]()
	limit, tolerance := l.group.settings.Iterations, l.group.settings.Tolerance
	left := 0
	for i := range l.group.count {
		if !l.group.members[i].alone {
			left++
		}
	}
	for k = 1; k <= limit && left > 0; k++ {
		if ctx.Err() != nil {
			return k - 1, context.Cause(ctx)
		}
		lane.Divide(l.m, l.v, l.b, l.q, l.lo[:], l.hi[:], l.outside[:], true)
		clear(l.q)
		l.eachRows(func(i, r, at, last int) {
			u, kernel := l.u[i*w:], l.kernel[at:last]
			lane.Rows(r, l.m, u, kernel, l.v)
			lane.Divide(r, u, l.a[i*w:], u, l.lo[:], l.hi[:], l.outside[:], false)
			lane.Columns(r, l.m, l.q, kernel, u)
		})
		if tolerance > 0 || k == limit {
			left = l.settle(k)
		}
	}
	return k - 1, nil
}

// settle finds out for which members iteration k is the last, and returns how many go on. If all
// end at once, the iterates stay in the lanes until fetch copies them.
func (l *lanes[T]) settle(k int) (left int) {
	limit, tolerance := l.group.settings.Iterations, l.group.settings.Tolerance
	l.errors()
	for i := range l.group.count {
		m := &l.group.members[i]
		if m.alone || m.over {
			continue
		}
		goal := tolerance * m.it.mass
		switch {
		case !(l.outside[i] == 0) || !finite(l.marginalErrors[i]):
			m.alone = true
		case tolerance == 0:
			m.it.res.Iterations, m.it.res.MarginalError = k, l.marginalErrors[i]
			m.outcome.lane, m.over = i+1, true
		case k == limit || l.marginalErrors[i] <= goal:
			l.fetch(&m.it, i, k)
			m.it.done(k, limit, tolerance)
			m.over = true
		case m.it.accelerates() && m.pace.slow(k, l.marginalErrors[i], goal):
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

// fetch copies iterate k from lane i.
func (l *lanes[T]) fetch(it *iteration[T], i, k int) {
	w := num.Lanes[T]()
	collect(it.u(k), l.u[i:], w)
	collect(it.v(k), l.v[i:], w)
	collect(it.q, l.q[i:], w)
	it.setKind(k, plainKind)
}

// computeCosts computes the transport costs.
func (l *lanes[T]) computeCosts() {
	w := num.Lanes[T]()
	for i := range l.group.count {
		if m := &l.group.members[i]; !m.alone && l.group.settings.Tolerance > 0 {
			spread(l.u[i:], w, m.it.u(m.it.res.Iterations)) // lanes that were over have gone on
			spread(l.v[i:], w, m.it.v(m.it.res.Iterations))
		}
	}
	l.eachRows(func(i, r, at, last int) {
		kernel := l.kernel[at:last]
		lane.Mul(r*l.m, kernel, kernel, l.cost[at:last], false)
		lane.Rows(r, l.m, l.r[i*w:], kernel, l.v)
	})
	clear(l.costs[:])
	for i := range l.n {
		u, r := l.u[i*w:][:w], l.r[i*w:][:w]
		for p, u := range u { // as costOf does
			l.costs[p] += float64(float64(u) * float64(r[p]))
		}
	}
	for i := range l.group.count {
		if m := &l.group.members[i]; !m.alone {
			m.it.res.Cost = l.costs[i]
			m.alone = !finite(m.it.res.Cost)
		}
	}
}
