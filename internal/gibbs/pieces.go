package gibbs

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/pass"
	"github.com/gomonge/monge/internal/parallel"
)

// LargeSize is the maximum number of elements of a matrix that is not divided into pieces.
const LargeSize = 1 << 19

const (
	pieceRows   = 64 // minimum number of rows of a piece
	maxPieces   = 64
	maxPartials = 1 << 20 // maximum number of elements in the partial sums of all pieces, if there are more than 16 pieces
)

// A rowPass contains the operands of a pass over K. It computes one block of rows at a time.
type rowPass[T dist.Float] interface {
	rows(b *rowBlock[T])
}

// rowBlock is the block of rows i … i+r−1 that a goroutine computes, with the buffers of the
// goroutine.
type rowBlock[T dist.Float] struct {
	*Kernel[T]
	piece, i, r int
	q           []T   // sums over the rows of the piece, one for each column
	err         error // error that ends the pass

	kernelRows, costRows []T // rows of K and M, computed because they are not stored in type T
	row                  []T
	adjointRows          []T // rows of M̄ or of the transport plan
}

// pieces describes how the passes are divided into pieces, and contains the worker pool.
//
// A pass visits all n × m elements in blocks of whole rows. The pass reads the blocks from memory
// or, if it is matrix-free, computes them into a buffer. In both cases, every row sum covers its
// whole row, and the sums over rows continue from block to block. The bits therefore do not depend
// on the storage.
//
// The number of pieces of a large problem depends only on its size. Each piece has its own sums
// over rows, and the sums of all pieces are added in ascending order. A goroutine that has finished
// a piece takes the next piece. The bits do not depend on which goroutine computes a piece. Every
// second pass takes the pieces from the last to the first, because the rows that the previous pass
// read last are still in the third-level cache.
type pieces[T dist.Float] struct {
	count     int
	big       bool
	workers   int
	cols      int
	partials  []T // for each piece, the sums over its rows
	ones      []T
	blocks    []*rowBlock[T] // one for each goroutine
	pool      *parallel.Pool
	backwards bool     // the current pass takes the pieces from the last to the first
	current   struct { // current pass, read by the goroutines
		pass  rowPass[T]
		step  int
		sums  bool
		start T
	}
	take func(ctx context.Context, w, piece int) error
}

// layOut sets the number of pieces of an n × m problem and the number of goroutines that share a
// pass.
func (p *pieces[T]) layOut(n, m, cols, workers int) {
	p.count, p.workers, p.big, p.cols = 1, 1, n > LargeSize/m, cols
	if p.big {
		p.count = max(1, min(n/pieceRows, maxPieces, max(16, maxPartials/m)))
		p.workers = parallel.Workers(workers, p.count)
	}
}

// allocate allocates the partial sums and the row blocks of the layout that layOut has chosen.
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

// each runs a pass that computes neither sums nor maxima of columns. step is the number of rows in a
// block.
func (p *pieces[T]) each(ctx context.Context, pass rowPass[T], step int) error {
	if p.count == 1 {
		return p.blocks[0].walk(ctx, pass, step, 0, nil)
	}
	p.current.sums = false
	return p.divide(ctx, pass, step)
}

// sum runs a pass that computes the sum of each column, and sets q to the sums. step is the number
// of rows in a block.
func (p *pieces[T]) sum(ctx context.Context, rows rowPass[T], step int, q []T) error {
	q = q[:p.cols]
	clear(q)
	if p.count == 1 {
		return p.blocks[0].walk(ctx, rows, step, 0, q)
	}
	p.current.sums, p.current.start = true, 0
	if err := p.divide(ctx, rows, step); err != nil {
		return err
	}
	pass.Columns(p.count, p.cols, q, p.partials, p.cols, p.ones)
	return nil
}

// max runs a pass that computes the maximum of each column, and sets q to the maxima. step is the
// number of rows in a block.
func (p *pieces[T]) max(ctx context.Context, rows rowPass[T], step int, q []T) error {
	least := T(math.Inf(-1))
	for j := range q {
		q[j] = least
	}
	if p.count == 1 {
		return p.blocks[0].walk(ctx, rows, step, 0, q)
	}
	p.current.sums, p.current.start = true, least
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

// divide runs a pass and shares its pieces among the goroutines.
func (p *pieces[T]) divide(ctx context.Context, pass rowPass[T], step int) error {
	p.current.pass, p.current.step = pass, step
	p.backwards = !p.backwards
	if p.take == nil {
		p.take = p.takePiece // created once, because a method value allocates
	}
	return p.blocks[0].Run(ctx, p.count, p.take)
}

// takePiece runs the current pass over one piece on goroutine w.
func (p *pieces[T]) takePiece(ctx context.Context, w, piece int) error {
	if p.backwards {
		piece = p.count - 1 - piece
	}
	var q []T
	if p.current.sums {
		q = p.partials[piece*p.cols:][:p.cols]
		for j := range q {
			q[j] = p.current.start
		}
	}
	return p.blocks[w].walk(ctx, p.current.pass, p.current.step, piece, q)
}

// walk runs the pass p over the rows of a piece, block by block, until the context ends or the pass
// fails.
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

// inOrder runs a pass on the calling goroutine, in ascending order of the pieces.
func (p *pieces[T]) inOrder(ctx context.Context, pass rowPass[T], step int) error {
	for piece := range p.count {
		if err := p.blocks[0].walk(ctx, pass, step, piece, nil); err != nil {
			return err
		}
	}
	return nil
}

// Run calls f(ctx, w, i) for i = 0 … count−1 on the goroutines of the passes, like
// parallel.Pool.Run. A PlanVisitor may call Run from EachPlanRows, but not from EachPlanBlock.
func (g *Kernel[T]) Run(ctx context.Context, count int, f func(ctx context.Context, w, i int) error) error {
	if g.pieces.pool == nil {
		g.pieces.pool = new(parallel.Pool)
	}
	return g.pieces.pool.Run(ctx, g.pieces.workers, count, f)
}

// Pieces returns the number of pieces of a pass.
func (g *Kernel[T]) Pieces() int { return g.pieces.count }
