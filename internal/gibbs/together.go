package gibbs

import (
	"context"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/block"
	"github.com/gomonge/monge/internal/asm/pass"
)

const (
	groupBlock = 1 << 16 // number of elements of K that a pass applies to all problems before it reads the next elements
	groupBytes = 1 << 15 // if K has at most this number of bytes, a separate pass for each problem is as fast as one pass for the group
)

// Group contains several problems with the same K. A pass over K computes the same operation for
// every problem and gives the same bits as a separate pass for each problem.
type Group[T dist.Float] struct {
	operation  groupOperation
	u, v, a, q [][]T // operands of every problem
	sums       [][]T // vectors to which a pass adds: q of every problem, or partial sums if there are several pieces
	partials   []T
	scratch    []T
}

// groupOperation is the operation that a pass computes for every problem.
type groupOperation int

const (
	mulTransOf groupOperation = iota
	iterationOf
	costRowsOf
)

// Reset removes all problems.
func (p *Group[T]) Reset() { p.u, p.v, p.a, p.q = p.u[:0], p.v[:0], p.a[:0], p.q[:0] }

// Add adds a problem with the given operands. v and q need capacity for padding.
func (p *Group[T]) Add(u, v, a, q []T) {
	p.u, p.v, p.a, p.q = append(p.u, u), append(p.v, v), append(p.a, a), append(p.q, q)
}

// MulTransGroup sets q = Kᵀu for every problem.
func (g *Kernel[T]) MulTransGroup(ctx context.Context, p *Group[T]) error {
	return g.passOver(ctx, p, mulTransOf)
}

// IterateGroup sets u = a ⊘ Kv, and then q = Kᵀu, for every problem.
func (g *Kernel[T]) IterateGroup(ctx context.Context, p *Group[T]) error {
	return g.passOver(ctx, p, iterationOf)
}

// CostRowsGroup sets u = (K⊙M)v for every problem.
func (g *Kernel[T]) CostRowsGroup(ctx context.Context, p *Group[T]) error {
	return g.passOver(ctx, p, costRowsOf)
}

func (g *Kernel[T]) passOver(ctx context.Context, p *Group[T], operation groupOperation) error {
	parts := &g.pieces
	p.operation, p.sums = operation, p.sums[:0]
	for i, v := range p.v {
		p.v[i], p.q[i] = g.pad(v), p.q[i][:g.cols]
		if operation != costRowsOf {
			clear(p.q[i])
		}
	}
	if len(p.scratch) == 0 {
		p.scratch = make([]T, block.Scratch[T]())
	}
	if parts.count == 1 || operation == costRowsOf {
		step := g.blockRows()
		if operation == costRowsOf {
			step = g.copiedRows()
		}
		p.sums = append(p.sums, p.q...)
		return parts.inOrder(ctx, p, step)
	}
	Grow(&p.partials, len(p.q)*g.cols)
	for i := range p.q {
		p.sums = append(p.sums, p.partials[i*g.cols:][:g.cols])
	}
	for piece := range parts.count {
		clear(p.partials)
		if err := parts.blocks[0].walk(ctx, p, g.blockRows(), piece, nil); err != nil {
			return err
		}
		for i, q := range p.q { // add in the same order as pieces.sum
			pass.Columns(1, g.cols, q, p.sums[i], g.cols, parts.ones)
		}
	}
	return nil
}

func (p *Group[T]) rows(b *rowBlock[T]) {
	switch {
	case p.operation == costRowsOf:
		groupRows(p, b, b.kernelTimesCost())
	case b.mixed:
		groupRows(p, b, b.kernel32())
	default:
		groupRows(p, b, b.kernel())
	}
}

// kernelTimesCost returns the block's rows of K⊙M.
func (b *rowBlock[T]) kernelTimesCost() []T {
	k, d, ldd := b.kernelAndCost()
	Grow(&b.adjointRows, b.r*b.ld)
	for l := range b.r {
		row, d := b.adjointRows[l*b.ld:][:b.ld], d[l*ldd:][:b.m]
		clear(row[b.m:])
		for j, k := range k[l*b.ld:][:len(d)] {
			row[j] = T(k * d[j])
		}
	}
	return b.adjointRows
}

// groupRows runs the pass over the rows of K in a block, a few rows at a time. k contains these rows.
func groupRows[K, T dist.Float](p *Group[T], b *rowBlock[T], k []K) {
	step := max(8, groupBlock/b.ld&^7)
	for first := 0; first < b.r; first += step {
		r, k := min(step, b.r-first), k[first*b.ld:]
		i, last := b.i+first, b.i+first+min(step, b.r-first)
		s, blocks := 0, len(p.q)
		if b.n*b.ld*ElementBytes[K]() <= groupBytes {
			blocks = 0
		}
		for ; s+block.Size <= blocks; s += block.Size {
			var v, a, u, q [block.Size][]T
			for l := range v {
				v[l], a[l], u[l], q[l] = p.v[s+l], p.a[s+l][i:last], p.u[s+l][i:last], p.sums[s+l]
			}
			switch p.operation {
			case mulTransOf:
				block.Columns(r, b.cols, &q, k, b.ld, &u)
			case iterationOf:
				block.Iterate(r, b.cols, k, b.ld, &v, &a, &u, &q, p.scratch)
			default:
				block.Rows(r, b.cols, &u, k, b.ld, &v, p.scratch)
			}
		}
		for ; s < len(p.q); s++ {
			switch p.operation {
			case mulTransOf:
				pass.Columns(r, b.cols, p.sums[s], k, b.ld, p.u[s][i:last])
			case iterationOf:
				pass.Iterate(r, b.cols, k, b.ld, p.v[s], p.a[s][i:last], p.u[s][i:last], p.sums[s])
			default:
				pass.Rows(r, b.cols, p.u[s][i:last], k, b.ld, p.v[s])
			}
		}
	}
}
