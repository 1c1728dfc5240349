package wda

import (
	"context"
	"sync"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/sinkhorn"
)

// pairTask solves pairs of classes in another process. The process gets Y = X·P, n × p, once,
// and a few numbers for every pair. It returns for every pair the cost and ∂W/∂Y of both
// classes. The sum over the pairs, in their order, and Xᵀ·G are computed here, so that no bit
// depends on where pairs are solved.
const pairTask = "wda.pair"

// farPairs are what pairs share: the projected samples, and how transport is solved.
type farPairs struct {
	P, Iterations     int
	Mode              sinkhorn.GradientMode
	Gradient, Float32 bool
	Frozen            bool // the gradient is that with constant plans
	Offset            []int
	Y                 []byte
}

type farPair struct {
	C, E   int
	Lambda float64
}

type farResult struct {
	Cost   float64
	Status sinkhorn.Status
	Domain sinkhorn.Domain
	DX, DY []byte
	Err    *wireError
}

// multiplications is about how many multiplications an evaluation makes.
func (o *objective[T]) multiplications() float64 {
	n := float64(0)
	for _, q := range o.pairs {
		n += float64(float64(o.s.size(q.c)) * float64(o.s.size(q.e)))
	}
	return n * float64(2*o.iterations+o.p)
}

// solveAway is solve by an executor.
func (o *objective[T]) solveAway(ctx context.Context, to Executor) error {
	shared, err := encodeWire(farPairs{
		P: o.p, Iterations: o.iterations, Mode: o.mode, Gradient: o.gradient, Float32: !num.IsFloat64[T](), Frozen: o.frozen, Offset: o.s.offset, Y: packed(o.y.Data),
	})
	if err != nil {
		return err
	}
	items := make([]farPair, len(o.todo))
	for i, q := range o.todo {
		items[i] = farPair{q.c, q.e, q.lambda}
	}
	results, err := send[farResult](ctx, to, pairTask, shared, items, 1)
	if err != nil {
		return err
	}
	for i, r := range results {
		to := &o.results[i]
		to.cost, to.status, to.domain, to.err = r.Cost, r.Status, r.Domain, r.Err.error()
		to.dx, to.dy = unpacked[T](r.DX), unpacked[T](r.DY)
	}
	return nil
}

// openPairs is the other end of solveAway.
func openPairs(_ context.Context, shared []byte) (doer, error) {
	var f farPairs
	if err := decodeWire(shared, &f); err != nil {
		return nil, err
	}
	if f.Float32 {
		return pairDoer[float32](&f), nil
	}
	return pairDoer[float64](&f), nil
}

func pairDoer[T dist.Float](f *farPairs) doer {
	y := dist.NewMatrix(f.Offset[len(f.Offset)-1], f.P, unpacked[T](f.Y))
	ss := sinkhornSettings[T](&Settings{Objective: Objective{Iterations: f.Iterations, Gradient: f.Mode}})
	ss.Workers = 1
	var idle sync.Pool
	return receive(func(ctx context.Context, q farPair) (farResult, error) {
		w, _ := idle.Get().(*worker[T])
		if w == nil {
			solver, err := sinkhorn.NewSolver[T](&ss)
			if err != nil {
				return farResult{}, err
			}
			w = &worker[T]{solver: solver}
		}
		defer idle.Put(w)
		var r pairResult[T]
		of := func(c int) dist.Matrix[T] { return y.RowRange(f.Offset[c], f.Offset[c+1]) }
		w.solve(ctx, of(q.C), of(q.E), q.Lambda, gradientMode(f.Mode, f.Frozen), f.Gradient, &r)
		if r.err != nil {
			return farResult{Err: wiredError(r.err)}, nil
		}
		return farResult{Cost: r.cost, Status: r.status, Domain: r.domain, DX: packed(r.dx), DY: packed(r.dy)}, nil
	})
}
