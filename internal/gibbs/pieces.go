package gibbs

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/parallel"
)

// LargeSize is the largest number of elements that is not cut into pieces.
const LargeSize = 1 << 19

const (
	pieceRows   = 64 // at least so many rows a piece
	maxPieces   = 64
	maxPartials = 1 << 20 // elements of all partial sums, if that leaves 16 pieces
)

// rowPass is what a pass does with every block of rows: an operation with its operands.
type rowPass[T dist.Float] interface {
	rows(b *rowBlock[T])
}

// rowBlock is the block of rows i … i+r−1 on which a goroutine works, and its buffers.
type rowBlock[T dist.Float] struct {
	*Kernel[T]
	piece, i, r int
	q           []T   // the piece's sums over rows, one for each column
	err         error // what ends the pass

	kernelRows, costRows []T // of K and M, where they are not stored in T
	row                  []T
	adjointRows          []T // of M̄, or of the plan
}

// pieces are the pieces of a pass and the worker pool that makes it.
//
// A pass touches all n × m elements. It takes blocks of whole rows one after the other, either
// from memory or, matrix-free, computed into a buffer. In both cases a row sum sees its whole row,
// and the sums over rows continue from block to block. So the bits do not depend on the storage.
//
// The rows of a large problem are cut into pieces, by its size alone. Each piece has its own
// sums over rows. They are added in ascending order at the end. Goroutines take the next piece when
// they are done with one: which goroutine computes a piece makes no difference. Every other pass
// takes the pieces from the last to the first, because what the pass before it read last is still
// in the third-level cache.
type pieces[T dist.Float] struct {
	count     int
	big       bool
	workers   int
	cols      int
	partials  []T // the pieces' sums over rows
	ones      []T
	blocks    []*rowBlock[T] // one for each goroutine
	pool      *parallel.Pool
	backwards bool     // this pass takes the pieces from the last to the first
	at        struct { // this pass, for the goroutines
		pass  rowPass[T]
		step  int
		sums  bool
		start T
	}
	take func(ctx context.Context, w, piece int) error
}

// layOut decides into how many pieces an n × m problem is cut, and how many of the workers are used.
func (p *pieces[T]) layOut(n, m, cols, workers int) {
	p.count, p.workers, p.big, p.cols = 1, 1, n > LargeSize/m, cols
	if p.big {
		p.count = max(1, min(n/pieceRows, maxPieces, max(16, maxPartials/m)))
		p.workers = parallel.Workers(workers, p.count)
	}
}

// allocate makes room for what layOut has decided.
func (p *pieces[T]) allocate(g *Kernel[T]) {
	if p.count > 1 {
		Grow(&p.partials, p.count*p.cols)
		if p.ones == nil {
			p.ones = make([]T, maxPieces)
			for i := range p.ones {
				p.ones[i] = 1
			}
		}
	}
	for len(p.blocks) < p.workers {
		p.blocks = append(p.blocks, &rowBlock[T]{Kernel: g})
	}
}

// each makes a pass whose outputs are rows, in blocks of step rows.
func (p *pieces[T]) each(ctx context.Context, pass rowPass[T], step int) error {
	if p.count == 1 {
		return p.blocks[0].walk(ctx, pass, step, 0, nil)
	}
	p.at.sums = false
	return p.divide(ctx, pass, step)
}

// sum sets q to what the pass adds to 0.
func (p *pieces[T]) sum(ctx context.Context, rows rowPass[T], step int, q []T) error {
	q = q[:p.cols]
	clear(q)
	if p.count == 1 {
		return p.blocks[0].walk(ctx, rows, step, 0, q)
	}
	p.at.sums, p.at.start = true, 0
	if err := p.divide(ctx, rows, step); err != nil {
		return err
	}
	pass.Columns(p.count, p.cols, q, p.partials, p.cols, p.ones)
	return nil
}

// max sets q to the maximum of −∞ and of what the pass finds.
func (p *pieces[T]) max(ctx context.Context, rows rowPass[T], step int, q []T) error {
	least := T(math.Inf(-1))
	for j := range q {
		q[j] = least
	}
	if p.count == 1 {
		return p.blocks[0].walk(ctx, rows, step, 0, q)
	}
	p.at.sums, p.at.start = true, least
	if err := p.divide(ctx, rows, step); err != nil {
		return err
	}
	for i := range p.count {
		for j, x := range p.partials[i*p.cols:][:len(q)] {
			if x > q[j] {
				q[j] = x
			}
		}
	}
	return nil
}

// divide shares the pieces of a pass among the goroutines.
func (p *pieces[T]) divide(ctx context.Context, pass rowPass[T], step int) error {
	p.at.pass, p.at.step = pass, step
	p.backwards = !p.backwards
	if p.take == nil {
		p.take = p.takePiece // once: a method value is an allocation
	}
	return p.blocks[0].Run(ctx, p.count, p.take)
}

// takePiece makes goroutine w pass over the next piece.
func (p *pieces[T]) takePiece(ctx context.Context, w, piece int) error {
	if p.backwards {
		piece = p.count - 1 - piece
	}
	var q []T
	if p.at.sums {
		q = p.partials[piece*p.cols:][:p.cols]
		for j := range q {
			q[j] = p.at.start
		}
	}
	return p.blocks[w].walk(ctx, p.at.pass, p.at.step, piece, q)
}

// walk makes the pass over the rows of a piece, block by block, until the context ends.
func (b *rowBlock[T]) walk(ctx context.Context, p rowPass[T], step, piece int, q []T) error {
	count := b.pieces.count
	first, last := piece*b.n/count, (piece+1)*b.n/count
	b.piece, b.q, b.err = piece, q, nil
	for i := first; i < last; i += step {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b.i, b.r = i, min(step, last-i)
		if p.rows(b); b.err != nil {
			return b.err
		}
	}
	return nil
}

// inOrder makes a pass on the calling goroutine, one piece after the other.
func (p *pieces[T]) inOrder(ctx context.Context, pass rowPass[T], step int) error {
	for piece := range p.count {
		if err := p.blocks[0].walk(ctx, pass, step, piece, nil); err != nil {
			return err
		}
	}
	return nil
}

// Run calls f(ctx, w, i) for i = 0 … count−1 on the goroutines that make the passes, as parallel.Pool.Run does.
// A PlanVisitor of EachPlanRows may call it, other visitors must not.
func (g *Kernel[T]) Run(ctx context.Context, count int, f func(ctx context.Context, w, i int) error) error {
	if g.pieces.pool == nil {
		g.pieces.pool = new(parallel.Pool)
	}
	return g.pieces.pool.Run(ctx, g.pieces.workers, count, f)
}

// Pieces returns the number of pieces into which the passes are cut.
func (g *Kernel[T]) Pieces() int { return g.pieces.count }
