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
	smallSize  = 32 // maximum number of rows, and of columns, of a small problem
	smallAVX2  = 24 // used instead of smallSize without AVX-512
	smallDims  = 16 // largest dimension of the points of a small problem
	rowPadding = 4  // the number of rows is a multiple of rowPadding

	laneBytes = 16 << 10 // bytes of K that stay in the L1 cache between passes
)

// smallShape reports whether a problem is small. It also returns a sort key, which is similar for
// similar shapes. It does not check the problem.
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

// lanes contains small problems that are solved at the same time. Each problem has its own K. Every array is interleaved as in
// package lane, and problem p uses lane p. All problems are padded to the shape of the largest problem. A padding column has
// the weight 0 and v = 0. A padding row has the weight 0, K = 1 and u = 0.
type lanes[T dist.Float] struct {
	group          *group[T]
	n, m           int // largest shape, padded
	allAlike, same bool
	kernel, cost   []T // K and M
	x, y           []T
	a, b           []T
	u, v, q, r     []T

	common         T               // −λ·log₂e if it is equal for all problems
	c              [num.MaxLanes]T // −λ·log₂e of each problem
	lo, hi         [num.MaxLanes]T // safe ranges of the scalings
	outside        [num.MaxLanes]T // nonzero if a scaling was out of range
	marginalErrors [num.MaxLanes]float64
	costs          [num.MaxLanes]float64
}

// solve solves the members of the group. It skips members with needsSolve, which are solved alone later. If ctx ends, solve
// returns the context's cause.
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
	for i := range g.memberCount {
		m := &g.members[i]
		if m.needsSolve = m.needsSolve || !(l.outside[i] == 0); m.needsSolve {
			continue
		}
		if k > 0 && !m.finished {
			l.fetchIterate(&m.it, i, k)
			m.it.recordIteration(k, g.settings.Iterations, g.settings.Tolerance)
		}
		m.it.placeKernel()
		m.err = err
		m.it.setCanceled()
		m.it.kernelCurrent = false // the next member of the group overwrites the shared kernel
	}
	return err
}

// operands contains one slice for each lane.
type operands[T dist.Float] = [num.MaxLanes][]T

// sameLayout reports whether p and q have the same shape and memory layout. It returns false if the points of p have gaps
// between rows.
func sameLayout[T dist.Float](p, q *Problem[T]) bool {
	return p.Cost.Rows == q.Cost.Rows && p.Cost.Cols == q.Cost.Cols && p.Cost.Stride == q.Cost.Stride &&
		p.X.Rows == q.X.Rows && p.Y.Rows == q.Y.Rows && p.X.Cols == q.X.Cols && p.X.Stride == p.X.Cols && p.Y.Stride == p.Y.Cols
}

// interleave copies the members of the group into lanes and computes K. It returns false if every
// member must be solved by Solve instead. If all members have the same layout, unused lanes receive the data of the first
// member.
func (l *lanes[T]) interleave() bool {
	w := num.Lanes[T]()
	var first *Problem[T]
	l.n, l.m, l.allAlike, l.same = 0, 0, true, true
	dims := 0
	var a, b, u, x, y operands[T]
	for i := range l.group.memberCount {
		m := &l.group.members[i]
		if m.needsSolve {
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
		l.allAlike, l.same = l.allAlike && sameLayout(p, first), l.same && c == l.common
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
		given, room int // elements to copy from each problem, and elements to allocate for each lane
		of          *operands[T]
	}{
		{&l.a, n, l.n, &a}, {&l.u, n, l.n, &u}, {&l.x, n * dims, l.n * dims, &x}, {&l.b, m, l.m, &b}, {&l.y, m * dims, l.m * dims, &y},
		{&l.r, 0, l.n, nil}, {&l.v, 0, l.m, nil}, {&l.q, 0, l.m, nil},
	} {
		gibbs.Grow(z.v, z.room*w)
		if !l.allAlike {
			z.given = 0
		}
		clear((*z.v)[z.given*w:])
		if z.given > 0 {
			lane.Interleave(1, z.given, *z.v, z.given, z.of, z.given)
		}
	}
	for i := range l.group.memberCount {
		if m := &l.group.members[i]; !m.needsSolve && !l.allAlike {
			scatterLane(l.a[i:], w, a[i])
			scatterLane(l.b[i:], w, b[i])
			scatterLane(l.u[i:], w, u[i])
			if m.it.problem.Cost.IsEmpty() {
				l.layPoints(l.x[i:], m.it.problem.X, dims)
				l.layPoints(l.y[i:], m.it.problem.Y, dims)
			}
		}
	}
	clear(l.outside[:])
	l.computeKernels(dims)
	return true
}

// layPoints copies the points of one problem into its lane. Every point gets dims elements, the largest dimension of
// all problems.
func (l *lanes[T]) layPoints(dst []T, x dist.Matrix[T], dims int) {
	w := num.Lanes[T]()
	for i := range x.Rows {
		scatterLane(dst[i*dims*w:], w, x.Row(i))
	}
}

// eachRows calls the function visit for consecutive blocks of rows of K. A block contains rows i … i+r−1 of K, which
// are the elements kernel[at:last].
func (l *lanes[T]) eachRows(visit func(i, r, at, last int)) {
	row := l.m * num.Lanes[T]()
	step := max(rowPadding, laneBytes/(row*gibbs.ElementBytes[T]())/rowPadding*rowPadding)
	for i := 0; i < l.n; i += step {
		r := min(step, l.n-i)
		visit(i, r, i*row, (i+r)*row)
	}
}

// computeKernels computes the matrices K and M of all problems of the group, and the column sums q for the first iteration.
func (l *lanes[T]) computeKernels(dims int) {
	w, count := num.Lanes[T](), l.group.memberCount
	l.eachRows(func(i, r, at, last int) {
		cost, kernel := l.cost[at:last], l.kernel[at:last]
		if dims > 0 {
			lane.SqEuclidean(r, l.m, dims, cost, l.x[i*dims*w:], l.y)
		}
		if dims == 0 || !l.allAlike {
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
			for e := max(0, len(m.it.a)-i) * l.m; !m.needsSolve && e < r*l.m; e++ {
				kernel[e*w+p] = 1
			}
		}
		lane.Columns(r, l.m, l.q, kernel, l.u[i*w:])
	})
}

// layCosts copies rows i … i+r−1 of the cost matrices into dst, for all members that have a cost matrix. If hasDistances is
// true, dst already contains the distances of members with points, and 0 for other members.
func (l *lanes[T]) layCosts(dst []T, i, r int, hasDistances bool) {
	w := num.Lanes[T]()
	if l.allAlike {
		l.layAlike(dst, i, r)
		return
	}
	if !hasDistances {
		clear(dst)
	}
	for p := range l.group.memberCount {
		m := &l.group.members[p]
		for row := i; !m.needsSolve && row < min(i+r, m.it.problem.Cost.Rows); row++ {
			scatterLane(dst[(row-i)*l.m*w+p:], w, m.it.problem.Cost.Row(row))
		}
	}
}

// layAlike implements layCosts for problems of the same shape and memory layout.
func (l *lanes[T]) layAlike(dst []T, i, r int) {
	var x operands[T]
	first := -1
	for p := range x {
		if p < l.group.memberCount && !l.group.members[p].needsSolve {
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

// scatterLane copies x to every w-th element of dst.
func scatterLane[T dist.Float](dst []T, w int, x []T) {
	for i, x := range x {
		dst[i*w] = x
	}
}

// gatherLane is the inverse of scatterLane.
func gatherLane[T dist.Float](x, src []T, w int) {
	for i := range x {
		x[i] = src[i*w]
	}
}

// iterate makes the iterations and returns their number. If ctx ends, it returns the context's
// cause.
func (l *lanes[T]) iterate(ctx context.Context) (k int, err error) {
	w := num.Lanes[T]()
	limit, tolerance := l.group.settings.Iterations, l.group.settings.Tolerance
	left := 0
	for i := range l.group.memberCount {
		if !l.group.members[i].needsSolve {
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
			left = l.retireFinished(k)
		}
	}
	return k - 1, nil
}

// retireFinished marks the members (problems) that end with iteration k, and returns the number of the remaining members.
// Without a tolerance, the last iterates stay in the lanes until fetchIterate copies them.
func (l *lanes[T]) retireFinished(k int) (left int) {
	limit, tolerance := l.group.settings.Iterations, l.group.settings.Tolerance
	l.computeErrors()
	for i := range l.group.memberCount {
		m := &l.group.members[i]
		if m.needsSolve || m.finished {
			continue
		}
		goal := tolerance * m.it.mass
		switch {
		case !(l.outside[i] == 0) || !finite(l.marginalErrors[i]):
			m.needsSolve = true
		case tolerance == 0:
			m.it.res.Iterations, m.it.res.MarginalError = k, l.marginalErrors[i]
			m.outcome.lane, m.finished = i+1, true
		case k == limit || l.marginalErrors[i] <= goal:
			l.fetchIterate(&m.it, i, k)
			m.it.recordIteration(k, limit, tolerance)
			m.finished = true
		case m.it.accelerates() && m.pace.isSlow(k, l.marginalErrors[i], goal):
			m.needsSolve = true
		default:
			left++
		}
	}
	return left
}

// computeErrors computes the marginal errors of the current iterate, like recordIteration.
func (l *lanes[T]) computeErrors() {
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

// fetchIterate copies iterate k from lane i.
func (l *lanes[T]) fetchIterate(it *iteration[T], i, k int) {
	w := num.Lanes[T]()
	gatherLane(it.u(k), l.u[i:], w)
	gatherLane(it.v(k), l.v[i:], w)
	gatherLane(it.q, l.q[i:], w)
	it.setKind(k, plainKind)
}

func (l *lanes[T]) computeCosts() {
	w := num.Lanes[T]()
	for i := range l.group.memberCount {
		if m := &l.group.members[i]; !m.needsSolve && l.group.settings.Tolerance > 0 {
			scatterLane(l.u[i:], w, m.it.u(m.it.res.Iterations)) // the lane continued after the member had finished
			scatterLane(l.v[i:], w, m.it.v(m.it.res.Iterations))
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
	for i := range l.group.memberCount {
		if m := &l.group.members[i]; !m.needsSolve {
			m.it.res.Cost = l.costs[i]
			m.needsSolve = !finite(m.it.res.Cost)
		}
	}
}
