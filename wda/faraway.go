package wda

import (
	"context"
	"sync"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/asm/num"
	"github.com/gomonge/monge/internal/fanout"
	"github.com/gomonge/monge/sinkhorn"
)

// pairTask solves pairs of classes elsewhere: what goes there is Y = X·P, n × p, once, and
// a few numbers a pair; what comes back of a pair is its cost and ∂W/∂Y, for both classes.
// The sum over the pairs, in their order, and Xᵀ·G stay here, and so do the bits of both.
const pairTask = "wda.pair"

func init() { fanout.Register(pairTask, openPairs) }

// farPairs are what pairs share: the projected samples, and how transport is solved.
type farPairs struct {
	P, Iterations     int
	Mode              sinkhorn.GradientMode
	Gradient, Float32 bool
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

// multiplications is about how many an evaluation makes.
func (o *objective[T]) multiplications() float64 {
	n := float64(0)
	for _, q := range o.pairs {
		n += float64(float64(o.s.size(q.c)) * float64(o.s.size(q.e)))
	}
	return n * float64(2*o.iterations+o.p)
}

// solveAway is solve by a pool.
func (o *objective[T]) solveAway(ctx context.Context, pool fanout.Pool) error {
	shared, err := encodeWire(farPairs{
		P: o.p, Iterations: o.iterations, Mode: o.mode, Gradient: o.gradient, Float32: !num.IsFloat64[T](), Offset: o.s.offset, Y: packed(o.y.Data),
	})
	if err != nil {
		return err
	}
	items := make([][]byte, len(o.todo))
	for i, q := range o.todo {
		if items[i], err = encodeWire(farPair{q.c, q.e, q.lambda}); err != nil {
			return err
		}
	}
	answers, err := pool.Do(ctx, &fanout.Batch{Task: pairTask, Shared: shared, Items: items})
	if err != nil {
		return err
	}
	results, err := decodeAll[farResult](answers, len(items))
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
func openPairs(_ context.Context, shared []byte) (fanout.Doer, error) {
	var f farPairs
	if err := decodeWire(shared, &f); err != nil {
		return nil, err
	}
	if f.Float32 {
		return pairDoer[float32](&f)
	}
	return pairDoer[float64](&f)
}

func pairDoer[T dist.Float](f *farPairs) (fanout.Doer, error) {
	y := dist.NewMatrix(f.Offset[len(f.Offset)-1], f.P, unpacked[T](f.Y))
	ss := sinkhornSettings[T](&Settings{Objective: Objective{Iterations: f.Iterations, Gradient: f.Mode}})
	ss.Workers = 1
	var idle sync.Pool
	return func(ctx context.Context, item []byte) ([]byte, error) {
		var q farPair
		if err := decodeWire(item, &q); err != nil {
			return nil, err
		}
		w, _ := idle.Get().(*worker[T])
		if w == nil {
			solver, err := sinkhorn.NewSolver[T](&ss)
			if err != nil {
				return nil, err
			}
			w = &worker[T]{solver}
		}
		defer idle.Put(w)
		var r pairResult[T]
		of := func(c int) dist.Matrix[T] { return y.RowRange(f.Offset[c], f.Offset[c+1]) }
		w.solve(ctx, of(q.C), of(q.E), q.Lambda, f.Mode, f.Gradient, &r)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		out := farResult{Cost: r.cost, Status: r.status, Domain: r.domain, DX: packed(r.dx), DY: packed(r.dy)}
		if r.err != nil {
			out = farResult{Err: wiredError(r.err)}
		}
		return encodeWire(out)
	}, nil
}
