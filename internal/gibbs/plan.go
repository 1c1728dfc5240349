package gibbs

import (
	"context"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/distance"
	"github.com/gomonge/monge/internal/asm/project"
)

// Plan sets dst to the transport plan diag(u) K diag(v).
func (g *Kernel[T]) Plan(ctx context.Context, dst dist.Matrix[T], u, v []T) error {
	g.passes.plan = planPass[T]{dst, u, v}
	return g.pieces.each(ctx, &g.passes.plan, g.widenedRows())
}

type planPass[T dist.Float] struct {
	dst  dist.Matrix[T]
	u, v []T
}

func (p *planPass[T]) rows(b *rowBlock[T]) {
	k, _, _ := b.kernelAndCost()
	b.scaleRows(p.dst.Data[b.i*p.dst.Stride:], p.dst.Stride, k, b.r, p.u[b.i:], p.v)
}

// PlanRow sets dst to row i of the transport plan diag(u) K diag(v). It reads the row of the stored
// K, or computes the row.
func (g *Kernel[T]) PlanRow(dst []T, i int, u, v []T) {
	b := g.pieces.blocks[0]
	b.i, b.r = i, 1
	var k []T
	if g.matrixFree || g.filled {
		k, _, _ = b.kernelAndCost()
	} else {
		Grow(&b.kernelRows, g.ld)
		k = b.kernelRows
		g.compute(k, nil, i, 1)
		if g.mixed {
			for j, x := range k {
				k[j] = T(float32(x))
			}
		}
	}
	g.scaleRows(dst, g.m, k, 1, u[i:], v)
}

// scaleRows sets r rows of dst to rows of diag(u) K diag(v). The stride of dst is ld. AdjCost with
// λ = 0 computes these rows. scaleRows passes K in place of M, because products of M, u and v may
// overflow where K is 0.
func (g *Kernel[T]) scaleRows(dst []T, ld int, k []T, r int, u, v []T) {
	distance.AdjCost(r, g.m, 0, dst, ld, k, g.ld, k, g.ld, nil, 0, nil, 0, u, v, 0)
}

// planRows sets adjointRows, which has stride m, to the block's rows of diag(u) K diag(v).
func (b *rowBlock[T]) planRows(u, v []T) {
	Grow(&b.adjointRows, b.r*b.m)
	k, _, _ := b.kernelAndCost()
	b.scaleRows(b.adjointRows, b.m, k, b.r, u[b.i:], v)
}

// PlanTimesY sets dst = diag(u) K diag(v) Y.
func (g *Kernel[T]) PlanTimesY(ctx context.Context, dst dist.Matrix[T], u, v []T) error {
	g.passes.planTimesY = planTimesYPass[T]{dst, u, v}
	return g.pieces.each(ctx, &g.passes.planTimesY, g.copiedRows())
}

type planTimesYPass[T dist.Float] struct {
	dst  dist.Matrix[T]
	u, v []T
}

func (p *planTimesYPass[T]) rows(b *rowBlock[T]) {
	b.planRows(p.u, p.v)
	project.Mul(b.r, b.p, b.m, p.dst.Data[b.i*p.dst.Stride:], p.dst.Stride, b.adjointRows, b.m, b.y.Data, b.y.Stride, false)
}

// PlanVisitor visits the transport plan diag(u) K diag(v) in blocks of rows. The slice t contains
// rows i … i+r−1 with stride m. The plan is divided into pieces, and a piece into blocks. Different
// goroutines may visit different pieces concurrently. Within a piece, the visits are in ascending
// order of rows.
// VisitPlan may modify t, but must not use t after it returns. An error ends the visits.
type PlanVisitor[T dist.Float] interface {
	VisitPlan(piece, i, r int, t []T) error
}

// EachPlanBlock calls visitor for all rows of diag(u) K diag(v), in blocks that fit into the
// second-level cache. It returns the error of a visit, or the context's cause.
func (g *Kernel[T]) EachPlanBlock(ctx context.Context, u, v []T, visitor PlanVisitor[T]) error {
	g.passes.visit = visitPass[T]{u, v, visitor}
	return g.pieces.each(ctx, &g.passes.visit, g.copiedRows())
}

// EachPlanRows is like EachPlanBlock, but it calls visitor on the calling goroutine, in ascending
// order and in blocks of the given number of rows.
func (g *Kernel[T]) EachPlanRows(ctx context.Context, rows int, u, v []T, visitor PlanVisitor[T]) error {
	g.passes.visit = visitPass[T]{u, v, visitor}
	return g.pieces.inOrder(ctx, &g.passes.visit, rows)
}

type visitPass[T dist.Float] struct {
	u, v    []T
	visitor PlanVisitor[T]
}

func (p *visitPass[T]) rows(b *rowBlock[T]) {
	b.planRows(p.u, p.v)
	b.err = p.visitor.VisitPlan(b.piece, b.i, b.r, b.adjointRows)
}
