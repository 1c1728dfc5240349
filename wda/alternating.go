package wda

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/subspace"
	"gonum.org/v1/gonum/mat"
)

const (
	// eigenLimit is the number of samples up to which Eigen looks at the plans of all: beyond, the graph takes more than 128 MiB.
	eigenLimit = 4096
	// eigenBlock is the number of steps of the block iteration in one step of it.
	eigenBlock = 10
	// eigenPatience is the number of steps in a row that do not raise J after which
	// it ends. J rises for a few steps and then falls towards the fixed point; on the
	// golden cases no rise came after more than nine steps without.
	eigenPatience = 15
)

// alternating is the solver of Eigen: plans and projection are improved
// in turn. The iteration goes on from every iterate; only those that raise J are recorded.
type alternating[T dist.Float] struct {
	*fitter[T]
	traceRatio bool
}

func (f alternating[T]) maximize(ctx context.Context, index int, p *mat.Dense) (*attempt, error) {
	s, err := f.newAscent(ctx, index, p)
	if err != nil {
		return nil, err
	}
	e, err := newEigen(ctx, f.objective, f.set, eigenLimit, len(f.s.classes))
	if err != nil {
		return nil, err
	}
	if err := s.report(); err != nil {
		return s.end(StatusStopped, err)
	}
	if s.stationary() {
		return s.end(StatusGradientTolerance, nil)
	}
	p = mat.DenseCopyOf(p)
	next := mat.NewDense(f.s.d, f.p, nil)
	least := f.set.Optimizer.Tolerance * math.Sqrt(float64(f.p))
	for step, idle := 0, 0; step < f.set.Optimizer.MaxSteps; step++ {
		next.Copy(p)
		err := ctx.Err()
		if err == nil {
			err = e.step(ctx, next, f.traceRatio)
		}
		var value, norm float64
		if err == nil {
			value, norm, err = f.measure(ctx, next, s.g)
		}
		if ctx.Err() != nil {
			return s.end(StatusCancelled, context.Cause(ctx))
		}
		if err != nil {
			return s.end(StatusEvaluationFailed, err)
		}
		moved := f.manifold.Distance(ctx, p, next)
		p.Copy(next)
		if idle++; s.better(value) {
			idle = 0
			s.accept(p, value, norm, moved)
			if err := s.report(); err != nil {
				return s.end(StatusStopped, err)
			}
		}
		switch {
		case s.stationary():
			return s.end(StatusGradientTolerance, nil)
		case moved <= least:
			return s.end(StatusStepTolerance, nil)
		case idle == eigenPatience:
			return s.end(StatusFunctionTolerance, nil)
		}
	}
	return s.end(StatusMaxSteps, nil)
}

// step improves p for the plans at p. Where C_w is singular it takes the smallest of
// the ridges of Auto.
func (e *eigen[T]) step(ctx context.Context, p *mat.Dense, traceRatio bool) error {
	if err := e.assemble(ctx, p); err != nil {
		return err
	}
	if traceRatio {
		return e.traceRatio(ctx, p, 0, eigenBlock)
	}
	err := e.ratioTrace(ctx, p, 0, eigenBlock)
	if errors.Is(err, subspace.ErrFactorize) {
		err = e.ratioTrace(ctx, p, slices.Min(eigenRidges), eigenBlock)
	}
	return err
}
