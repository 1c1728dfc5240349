package gibbs

import (
	"context"
	"sync/atomic"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/exp"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/asm/pass"
)

// passes contains a reusable pass of each kind, because a pass must not allocate.
type passes[T dist.Float] struct {
	fill         fillPass[T]
	measure      measurePass[T]
	mulTrans     mulTransPass[T]
	mul          mulPass[T]
	iterate      iteratePass[T]
	sweep        sweepPass[T]
	beginSweep   beginSweepPass[T]
	logRows      logRowsPass[T]
	logColumnMax logColumnMaxPass[T]
	logColumnSum logColumnSumPass[T]
	costsWithin  costsWithinPass[T]
	plan         planPass[T]
	planTimesY   planTimesYPass[T]
	adjoint      adjointPass[T]
	visit        visitPass[T]
}

// kernel returns the block's rows of K, with stride ld. It must not be called if K is stored in
// float32.
func (b *rowBlock[T]) kernel() []T {
	if !b.matrixFree {
		return b.Kernel.kernel[b.i*b.ld:]
	}
	Grow(&b.kernelRows, b.r*b.ld)
	b.compute(b.kernelRows, nil, b.i, b.r)
	return b.kernelRows
}

// cost returns the block's rows of M and their stride.
func (b *rowBlock[T]) cost() ([]T, int) {
	if !b.matrixFree {
		return b.Kernel.cost.Data[b.i*b.Kernel.cost.Stride:], b.Kernel.cost.Stride
	}
	Grow(&b.costRows, b.r*b.ld)
	b.distances(b.costRows, b.ld, b.i, b.r)
	return b.costRows, b.ld
}

// kernelAndCost returns the block's rows of K, with stride ld, and its rows of M, with stride ldd.
func (b *rowBlock[T]) kernelAndCost() (k, d []T, ldd int) {
	switch {
	case b.matrixFree:
		Grow(&b.kernelRows, b.r*b.ld)
		Grow(&b.costRows, b.r*b.ld)
		b.compute(b.kernelRows, b.costRows, b.i, b.r)
		return b.kernelRows, b.costRows, b.ld
	case b.mixed:
		Grow(&b.kernelRows, b.r*b.ld)
		pass.Widen(num.F64(b.kernelRows), b.kernel32())
		k = b.kernelRows
	default:
		k = b.kernel()
	}
	d, ldd = b.cost()
	return k, d, ldd
}

// kernel32 returns the block's rows of K in float32.
func (b *rowBlock[T]) kernel32() []float32 { return b.storedKernel32[b.i*b.ld:][:b.r*b.ld] }

// CostRows reads single rows of M.
type CostRows[T dist.Float] struct {
	block    *rowBlock[T]
	from, to int // the field rows contains row i of M if from ≤ i < to
	rows     []T
	stride   int
}

// CostRows returns a reader of the rows of M. If M is stored, it must have been computed by Fill or
// Measure. The next pass over K invalidates the reader.
func (g *Kernel[T]) CostRows() CostRows[T] { return CostRows[T]{block: g.pieces.blocks[0]} }

// Row returns row i of M, which is valid until the next call. If M is not stored and the rows are
// read in order, Row computes a block of rows at once. The bits are the same whether or not M is
// stored, because the same kernel computes M.
func (c *CostRows[T]) Row(i int) []T {
	b := c.block
	if i < c.from || i >= c.to {
		b.i, b.r = i, 1
		if i == c.to {
			b.r = min(b.blockRows(), b.n-i)
		}
		c.rows, c.stride = b.cost()
		c.from, c.to = i, i+b.r
	}
	return c.rows[(i-c.from)*c.stride:][:b.m]
}

// At returns element i, j of M. If M is not stored, At takes as long as Row.
func (c *CostRows[T]) At(i, j int) T { return c.Row(i)[j] }

// fillPass computes K and stores it. It also stores the distances, unless they are already stored.
type fillPass[T dist.Float] struct{}

func (*fillPass[T]) rows(b *rowBlock[T]) {
	var d []T
	if b.points {
		d = b.dists[b.i*b.ld:]
	}
	if !b.mixed {
		b.compute(b.Kernel.kernel[b.i*b.ld:], d, b.i, b.r)
		return
	}
	Grow(&b.kernelRows, b.r*b.ld)
	b.compute(b.kernelRows, d, b.i, b.r)
	pass.Narrow(b.kernel32(), num.F64(b.kernelRows))
}

// measurePass computes the stored distances.
type measurePass[T dist.Float] struct{}

func (*measurePass[T]) rows(b *rowBlock[T]) { b.distances(b.dists[b.i*b.ld:], b.ld, b.i, b.r) }

// MulTrans sets q = Kᵀu.
func (g *Kernel[T]) MulTrans(ctx context.Context, q, u []T) error {
	g.passes.mulTrans = mulTransPass[T]{u}
	return g.pieces.sum(ctx, &g.passes.mulTrans, g.blockRows(), q)
}

type mulTransPass[T dist.Float] struct{ u []T }

func (p *mulTransPass[T]) rows(b *rowBlock[T]) {
	if b.mixed {
		pass.Columns(b.r, b.cols, b.q, b.kernel32(), b.ld, p.u[b.i:])
		return
	}
	pass.Columns(b.r, b.cols, b.q, b.kernel(), b.ld, p.u[b.i:])
}

// Mul sets r = Kv.
func (g *Kernel[T]) Mul(ctx context.Context, r, v []T) error {
	g.passes.mul = mulPass[T]{r, g.pad(v)}
	return g.pieces.each(ctx, &g.passes.mul, g.blockRows())
}

type mulPass[T dist.Float] struct{ r, v []T }

func (p *mulPass[T]) rows(b *rowBlock[T]) {
	if b.mixed {
		pass.Rows(b.r, b.cols, p.r[b.i:], b.kernel32(), b.ld, p.v)
		return
	}
	pass.Rows(b.r, b.cols, p.r[b.i:], b.kernel(), b.ld, p.v)
}

// Iterate sets u = a ⊘ Kv, and then q = Kᵀu.
func (g *Kernel[T]) Iterate(ctx context.Context, u, q, v, a []T) error {
	g.passes.iterate = iteratePass[T]{u, g.pad(v), a}
	return g.pieces.sum(ctx, &g.passes.iterate, g.blockRows(), q)
}

type iteratePass[T dist.Float] struct{ u, v, a []T }

func (p *iteratePass[T]) rows(b *rowBlock[T]) {
	if b.mixed {
		pass.Iterate(b.r, b.cols, b.kernel32(), b.ld, p.v, p.a[b.i:], p.u[b.i:], b.q)
		return
	}
	pass.Iterate(b.r, b.cols, b.kernel(), b.ld, p.v, p.a[b.i:], p.u[b.i:], b.q)
}

// Sweep sets s = w ⊙ Kt and q = Kᵀs.
func (g *Kernel[T]) Sweep(ctx context.Context, s, q, t, w []T) error {
	g.passes.sweep = sweepPass[T]{s, g.pad(t), w}
	return g.pieces.sum(ctx, &g.passes.sweep, g.blockRows(), q)
}

type sweepPass[T dist.Float] struct{ s, t, w []T }

func (p *sweepPass[T]) rows(b *rowBlock[T]) {
	if b.mixed {
		pass.Sweep(b.r, b.cols, b.kernel32(), b.ld, p.t, p.w[b.i:], p.s[b.i:], b.q)
		return
	}
	pass.Sweep(b.r, b.cols, b.kernel(), b.ld, p.t, p.w[b.i:], p.s[b.i:], b.q)
}

// BeginSweep sets r = (K⊙M)v, s = w ⊙ r and q = Kᵀs + (K⊙M)ᵀu.
func (g *Kernel[T]) BeginSweep(ctx context.Context, r, s, q, u, v, w []T) error {
	g.passes.beginSweep = beginSweepPass[T]{r, s, u, v, w}
	return g.pieces.sum(ctx, &g.passes.beginSweep, g.widenedRows(), q)
}

type beginSweepPass[T dist.Float] struct{ r, s, u, v, w []T }

func (p *beginSweepPass[T]) rows(b *rowBlock[T]) {
	k, d, ldd := b.kernelAndCost()
	pass.Begin(b.r, b.m, k, b.ld, d, ldd, p.v, p.u[b.i:], p.w[b.i:], p.r[b.i:], p.s[b.i:], b.q)
}

// LogRows sets max_i = max_j (h_j − c M_ij) and sum_i = Σ_j 2^(h_j − c M_ij − max_i). It sets q to
// the column sums of the transport plan with row sums a: q_j = Σ_i a_i/sum_i · 2^(h_j − c M_ij −
// max_i).
func (g *Kernel[T]) LogRows(ctx context.Context, max, sum, q, h, a []T) error {
	g.passes.logRows = logRowsPass[T]{max, sum, h, a}
	return g.pieces.sum(ctx, &g.passes.logRows, g.blockRows(), q)
}

type logRowsPass[T dist.Float] struct{ max, sum, h, a []T }

func (p *logRowsPass[T]) rows(b *rowBlock[T]) {
	Grow(&b.row, b.m)
	d, ldd := b.cost()
	exp.LogRows(b.r, b.m, d, ldd, b.c, p.h, p.a[b.i:], p.max[b.i:], p.sum[b.i:], b.q, b.row)
}

// LogColumnMax sets h_j = max_i (f_i − c M_ij), where c = λ·log₂e.
func (g *Kernel[T]) LogColumnMax(ctx context.Context, h, f []T) error {
	g.passes.logColumnMax = logColumnMaxPass[T]{f}
	return g.pieces.max(ctx, &g.passes.logColumnMax, g.blockRows(), h)
}

type logColumnMaxPass[T dist.Float] struct{ f []T }

func (p *logColumnMaxPass[T]) rows(b *rowBlock[T]) {
	d, ldd := b.cost()
	exp.LogColumnMax(b.r, b.m, d, ldd, b.c, p.f[b.i:], b.q)
}

// LogColumnSum sets sum_j = Σ_i 2^(f_i − c M_ij − h_j), where c = λ·log₂e.
func (g *Kernel[T]) LogColumnSum(ctx context.Context, sum, f, h []T) error {
	g.passes.logColumnSum = logColumnSumPass[T]{f, h}
	return g.pieces.sum(ctx, &g.passes.logColumnSum, g.blockRows(), sum)
}

type logColumnSumPass[T dist.Float] struct{ f, h []T }

func (p *logColumnSumPass[T]) rows(b *rowBlock[T]) {
	d, ldd := b.cost()
	exp.LogColumnSum(b.r, b.m, d, ldd, b.c, p.f[b.i:], p.h, b.q)
}

// CostsWithin reports whether every |M_ij| is at most limit.
func (g *Kernel[T]) CostsWithin(ctx context.Context, limit float64) (bool, error) {
	p := &g.passes.costsWithin
	p.limit = T(limit)
	p.beyond.Store(false)
	err := g.pieces.each(ctx, p, g.blockRows())
	return !p.beyond.Load(), err
}

type costsWithinPass[T dist.Float] struct {
	limit  T
	beyond atomic.Bool
}

func (p *costsWithinPass[T]) rows(b *rowBlock[T]) {
	d, ldd := b.cost()
	for l := range b.r {
		if pass.CountOutside(d[l*ldd:][:b.m], -p.limit, p.limit) > 0 {
			p.beyond.Store(true)
		}
	}
}
