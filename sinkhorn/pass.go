package sinkhorn

import (
	"context"
	"sync/atomic"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/distance"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/asm/project"
)

// passes holds one pass of each kind, so that a pass allocates nothing.
type passes[T dist.Float] struct {
	fill      fillPass[T]
	measure   measurePass[T]
	columns   columnsPass[T]
	rows      rowsPass[T]
	iterate   iteratePass[T]
	sweep     sweepPass[T]
	begin     beginPass[T]
	logRows   logRowsPass[T]
	columnMax columnMaxPass[T]
	columnSum columnSumPass[T]
	bounded   boundedPass[T]
	plan      planPass[T]
	project   projectPass[T]
	adjoint   adjointPass[T]
}

// kernel returns the strip's rows of K, of stride ld, unless it is stored in float32.
func (b *strip[T]) kernel() []T {
	if !b.free {
		return b.geometry.kernel[b.i*b.ld:]
	}
	grow(&b.kernelRows, b.r*b.ld)
	b.compute(b.kernelRows, nil, b.i, b.r)
	return b.kernelRows
}

// cost returns the strip's rows of M, and their stride.
func (b *strip[T]) cost() ([]T, int) {
	if !b.free {
		return b.geometry.cost.Data[b.i*b.geometry.cost.Stride:], b.geometry.cost.Stride
	}
	grow(&b.costRows, b.r*b.ld)
	b.distances(b.costRows, b.ld, b.i, b.r)
	return b.costRows, b.ld
}

// both returns the strip's rows of K, of stride ld, and those of M and their stride.
func (b *strip[T]) both() (k, d []T, ldd int) {
	switch {
	case b.free:
		grow(&b.kernelRows, b.r*b.ld)
		grow(&b.costRows, b.r*b.ld)
		b.compute(b.kernelRows, b.costRows, b.i, b.r)
		return b.kernelRows, b.costRows, b.ld
	case b.mixed:
		grow(&b.kernelRows, b.r*b.ld)
		pass.Widen(num.F64(b.kernelRows), b.narrowed())
		k = b.kernelRows
	default:
		k = b.kernel()
	}
	d, ldd = b.cost()
	return k, d, ldd
}

// narrowed returns the strip's rows of K in float32.
func (b *strip[T]) narrowed() []float32 { return b.narrow[b.i*b.ld:][:b.r*b.ld] }

// fillPass computes the stored K, and the distances where they are not there yet.
type fillPass[T dist.Float] struct{}

func (*fillPass[T]) rows(b *strip[T]) {
	var d []T
	if b.points {
		d = b.dists[b.i*b.ld:]
	}
	if !b.mixed {
		b.compute(b.geometry.kernel[b.i*b.ld:], d, b.i, b.r)
		return
	}
	grow(&b.kernelRows, b.r*b.ld)
	b.compute(b.kernelRows, d, b.i, b.r)
	pass.Narrow(b.narrowed(), num.F64(b.kernelRows))
}

// measurePass computes the stored distances.
type measurePass[T dist.Float] struct{}

func (*measurePass[T]) rows(b *strip[T]) { b.distances(b.dists[b.i*b.ld:], b.ld, b.i, b.r) }

// columns sets q = Kᵀu.
func (geo *geometry[T]) columns(ctx context.Context, q, u []T) error {
	geo.passes.columns = columnsPass[T]{u}
	return geo.parts.sum(ctx, &geo.passes.columns, geo.blockRows(), q)
}

type columnsPass[T dist.Float] struct{ u []T }

func (p *columnsPass[T]) rows(b *strip[T]) {
	if b.mixed {
		pass.Columns(b.r, b.cols, b.q, b.narrowed(), b.ld, p.u[b.i:])
		return
	}
	pass.Columns(b.r, b.cols, b.q, b.kernel(), b.ld, p.u[b.i:])
}

// rows sets r = Kv.
func (geo *geometry[T]) rows(ctx context.Context, r, v []T) error {
	geo.passes.rows = rowsPass[T]{r, geo.pad(v)}
	return geo.parts.each(ctx, &geo.passes.rows, geo.blockRows())
}

type rowsPass[T dist.Float] struct{ r, v []T }

func (p *rowsPass[T]) rows(b *strip[T]) {
	if b.mixed {
		pass.Rows(b.r, b.cols, p.r[b.i:], b.narrowed(), b.ld, p.v)
		return
	}
	pass.Rows(b.r, b.cols, p.r[b.i:], b.kernel(), b.ld, p.v)
}

// iterate sets u = a ⊘ Kv and q = Kᵀu, of the new u.
func (geo *geometry[T]) iterate(ctx context.Context, u, q, v, a []T) error {
	geo.passes.iterate = iteratePass[T]{u, geo.pad(v), a}
	return geo.parts.sum(ctx, &geo.passes.iterate, geo.blockRows(), q)
}

type iteratePass[T dist.Float] struct{ u, v, a []T }

func (p *iteratePass[T]) rows(b *strip[T]) {
	if b.mixed {
		pass.Iterate(b.r, b.cols, b.narrowed(), b.ld, p.v, p.a[b.i:], p.u[b.i:], b.q)
		return
	}
	pass.Iterate(b.r, b.cols, b.kernel(), b.ld, p.v, p.a[b.i:], p.u[b.i:], b.q)
}

// sweep sets s = w ⊙ Kt and q = Kᵀs.
func (geo *geometry[T]) sweep(ctx context.Context, s, q, t, w []T) error {
	geo.passes.sweep = sweepPass[T]{s, geo.pad(t), w}
	return geo.parts.sum(ctx, &geo.passes.sweep, geo.blockRows(), q)
}

type sweepPass[T dist.Float] struct{ s, t, w []T }

func (p *sweepPass[T]) rows(b *strip[T]) {
	if b.mixed {
		pass.Sweep(b.r, b.cols, b.narrowed(), b.ld, p.t, p.w[b.i:], p.s[b.i:], b.q)
		return
	}
	pass.Sweep(b.r, b.cols, b.kernel(), b.ld, p.t, p.w[b.i:], p.s[b.i:], b.q)
}

// begin sets r = (K⊙M)v, s = w ⊙ r and q = Kᵀs + (K⊙M)ᵀu.
func (geo *geometry[T]) begin(ctx context.Context, r, s, q, u, v, w []T) error {
	geo.passes.begin = beginPass[T]{r, s, u, v, w}
	step := geo.blockRows()
	if geo.mixed {
		step = geo.copiedRows()
	}
	return geo.parts.sum(ctx, &geo.passes.begin, step, q)
}

type beginPass[T dist.Float] struct{ r, s, u, v, w []T }

func (p *beginPass[T]) rows(b *strip[T]) {
	k, d, ldd := b.both()
	pass.Begin(b.r, b.m, k, b.ld, d, ldd, p.v, p.u[b.i:], p.w[b.i:], p.r[b.i:], p.s[b.i:], b.q)
}

// logRows sets max and sum to the log-sum-exps of the rows of g − cM in two parts, and q
// to the column sums of the plan whose rows have sums a.
func (geo *geometry[T]) logRows(ctx context.Context, max, sum, q, g, a []T) error {
	geo.passes.logRows = logRowsPass[T]{max, sum, g, a}
	return geo.parts.sum(ctx, &geo.passes.logRows, geo.blockRows(), q)
}

type logRowsPass[T dist.Float] struct{ max, sum, g, a []T }

func (p *logRowsPass[T]) rows(b *strip[T]) {
	grow(&b.row, b.m)
	d, ldd := b.cost()
	exp.LogRows(b.r, b.m, d, ldd, b.c, p.g, p.a[b.i:], p.max[b.i:], p.sum[b.i:], b.q, b.row)
}

// columnMax sets h_j = max_i f_i − c M_ij.
func (geo *geometry[T]) columnMax(ctx context.Context, h, f []T) error {
	geo.passes.columnMax = columnMaxPass[T]{f}
	return geo.parts.max(ctx, &geo.passes.columnMax, geo.blockRows(), h)
}

type columnMaxPass[T dist.Float] struct{ f []T }

func (p *columnMaxPass[T]) rows(b *strip[T]) {
	d, ldd := b.cost()
	exp.LogColumnMax(b.r, b.m, d, ldd, b.c, p.f[b.i:], b.q)
}

// columnSum sets sum_j = Σ_i 2^(f_i − c M_ij − h_j).
func (geo *geometry[T]) columnSum(ctx context.Context, sum, f, h []T) error {
	geo.passes.columnSum = columnSumPass[T]{f, h}
	return geo.parts.sum(ctx, &geo.passes.columnSum, geo.blockRows(), sum)
}

type columnSumPass[T dist.Float] struct{ f, h []T }

func (p *columnSumPass[T]) rows(b *strip[T]) {
	d, ldd := b.cost()
	exp.LogColumnSum(b.r, b.m, d, ldd, b.c, p.f[b.i:], p.h, b.q)
}

// bounded reports whether every |M_ij| is at most limit.
func (geo *geometry[T]) bounded(ctx context.Context, limit float64) (bool, error) {
	p := &geo.passes.bounded
	p.limit = T(limit)
	p.beyond.Store(false)
	err := geo.parts.each(ctx, p, geo.blockRows())
	return !p.beyond.Load(), err
}

type boundedPass[T dist.Float] struct {
	limit  T
	beyond atomic.Bool
}

func (p *boundedPass[T]) rows(b *strip[T]) {
	d, ldd := b.cost()
	for l := range b.r {
		if pass.CountOutside(d[l*ldd:][:b.m], -p.limit, p.limit) > 0 {
			p.beyond.Store(true)
		}
	}
}

// plan sets dst = diag(u) K diag(v).
func (geo *geometry[T]) plan(ctx context.Context, dst dist.Matrix[T], u, v []T) error {
	geo.passes.plan = planPass[T]{dst, u, v}
	step := geo.blockRows()
	if geo.mixed {
		step = geo.copiedRows()
	}
	return geo.parts.each(ctx, &geo.passes.plan, step)
}

type planPass[T dist.Float] struct {
	dst  dist.Matrix[T]
	u, v []T
}

func (p *planPass[T]) rows(b *strip[T]) {
	k, _, _ := b.both()
	b.scaled(p.dst.Data[b.i*p.dst.Stride:], p.dst.Stride, k, b.r, p.u[b.i:], p.v)
}

// planRow sets dst to row i of diag(u) K diag(v). It takes K from where it is, or computes
// the row.
func (geo *geometry[T]) planRow(dst []T, i int, u, v []T) {
	b := geo.parts.strips[0]
	b.i, b.r = i, 1
	var k []T
	if geo.free || geo.filled {
		k, _, _ = b.both()
	} else {
		grow(&b.kernelRows, geo.ld)
		k = b.kernelRows
		geo.compute(k, nil, i, 1)
		if geo.mixed {
			for j, x := range k {
				k[j] = T(float32(x))
			}
		}
	}
	geo.scaled(dst, geo.m, k, 1, u[i:], v)
}

// scaled sets r rows of dst, of stride ld, to those of diag(u) K diag(v), which is M̄ for
// λ = 0. K stands in for M, whose product with u and v may overflow where K is 0.
func (geo *geometry[T]) scaled(dst []T, ld int, k []T, r int, u, v []T) {
	distance.AdjCost(r, geo.m, 0, dst, ld, k, geo.ld, k, geo.ld, nil, 0, nil, 0, u, v, 0)
}

// project sets dst = diag(u) K diag(v) Y.
func (geo *geometry[T]) project(ctx context.Context, dst dist.Matrix[T], u, v []T) error {
	geo.passes.project = projectPass[T]{dst, u, v}
	return geo.parts.each(ctx, &geo.passes.project, geo.copiedRows())
}

type projectPass[T dist.Float] struct {
	dst  dist.Matrix[T]
	u, v []T
}

func (p *projectPass[T]) rows(b *strip[T]) {
	grow(&b.adjointRows, b.r*b.m)
	k, _, _ := b.both()
	b.scaled(b.adjointRows, b.m, k, b.r, p.u[b.i:], p.v)
	project.Mul(b.r, b.p, b.m, p.dst.Data[b.i*p.dst.Stride:], p.dst.Stride, b.adjointRows, b.m, b.y.Data, b.y.Stride, false)
}

// adjoint computes a segment's share of M̄ and hands it to the sink, block by block.
func (geo *geometry[T]) adjoint(ctx context.Context, seg segment[T], to sink[T]) error {
	geo.passes.adjoint = adjointPass[T]{seg, to}
	step := geo.blockRows()
	if !geo.free {
		step = geo.copiedRows()
	}
	// With many terms, blocks have few rows, so that the context is checked often enough.
	step = max(1, min(step, maxBlockTerms/geo.m/max(1, seg.terms)))
	return geo.parts.each(ctx, &geo.passes.adjoint, step)
}

// maxBlockTerms is the number of products that are computed between two looks at the
// context: some 10 ms.
const maxBlockTerms = 1 << 27

// segment is a sum of terms of M̄: with H = hu hvᵀ,
//
//	M̄ = K ⊙ (H − λ(M⊙H + left·right)).
type segment[T dist.Float] struct {
	terms       int
	left, right []T // n × depth and depth × m
	depth       int
	hu, hv      []T
	lambda      T
	skipZeros   bool // M̄_ij is 0 where K_ij is 0, even if its other factor is infinite
}

// sink takes M̄, or its products with the points.
type sink[T dist.Float] struct {
	cost bool           // whether M̄ is added to dst, or else
	dst  dist.Matrix[T] // multiplied by
	xa   []T            // X and a column of ones, n × (p+1), and
	ya   []T            // Y and a column of ones, m × (p+1):
	gx   []T            // M̄ [Y 1], n × (p+1)
	gy   []T            // ([X 1]ᵀ M̄), (p+1) × m, or those of every piece
	sum  []T            // the sum of the pieces' gy
	self bool           // X and Y are one cloud
}

type adjointPass[T dist.Float] struct {
	segment[T]
	to sink[T]
}

func (p *adjointPass[T]) rows(b *strip[T]) {
	r, m, to := b.r, b.m, &p.to
	grow(&b.adjointRows, r*m)
	g := b.adjointRows
	k, d, ldd := b.both()
	var left []T
	if p.terms > 0 {
		left = p.left[b.i*p.depth:]
	}
	distance.AdjCost(r, m, p.terms, g, m, k, b.ld, d, ldd, left, p.depth, p.right, m, p.hu[b.i:], p.hv, p.lambda)
	if p.skipZeros {
		for l := range r {
			for j, kij := range k[l*b.ld:][:m] {
				if kij == 0 {
					g[l*m+j] = 0
				}
			}
		}
	}
	if to.cost {
		for l := range r {
			row := to.dst.Data[(b.i+l)*to.dst.Stride:][:m]
			for j, g := range g[l*m:][:m] {
				row[j] += g
			}
		}
		return
	}
	if to.self {
		// M̄_ii (x_i − x_i) is 0. Where λ is so large that hardly anything leaves its
		// place, M̄_ii is 10⁶ and more times as large as the rest: it would not cancel to
		// rounding of the rest, but of itself.
		for l := range r {
			g[l*m+b.i+l] = 0
		}
	}
	p1 := b.p + 1
	project.Mul(r, p1, m, to.gx[b.i*p1:], p1, g, m, to.ya, p1, true)
	project.TransMul(r, p1, m, to.gy[b.piece*p1*m:][:p1*m], m, g, m, to.xa[b.i*p1:], p1, true)
}
