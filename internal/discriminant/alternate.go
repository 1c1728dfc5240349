package discriminant

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/descent"
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

// Alternate is the solver that improves plans and projection in turn. The iteration goes on from
// every iterate; only those that raise J are recorded.
type Alternate[T dist.Float] struct {
	TraceRatio bool // maximize the trace ratio, not the ratio trace
}

// Maximize implements Solver.
func (m Alternate[T]) Maximize(ctx context.Context, a *Ascent[T]) (descent.Status, error) {
	if err := a.begin(ctx); err != nil {
		return descent.NotTerminated, err
	}
	o, limits := a.driver.Objective, &a.driver.Limits
	e, err := newEigen(ctx, o, eigenLimit, len(o.Samples.Classes))
	if err != nil {
		return descent.NotTerminated, err
	}
	if status, err := a.arrive(); status != descent.NotTerminated {
		return status, err
	}
	p := mat.DenseCopyOf(a.attempt.Point)
	next := mat.NewDense(o.Samples.D, o.p, nil)
	least := limits.Tolerance * math.Sqrt(float64(o.p))
	for step, idle := 0, 0; step < limits.MaxSteps; step++ {
		next.Copy(p)
		err := ctx.Err()
		if err == nil {
			err = e.step(ctx, next, m.TraceRatio)
		}
		var value, norm float64
		if err == nil {
			value, norm, err = a.measure(ctx, next)
		}
		if ctx.Err() != nil {
			return descent.Cancelled, context.Cause(ctx)
		}
		if err != nil {
			return descent.EvaluationFailed, err
		}
		moved := o.Manifold().Distance(ctx, p, next)
		p.Copy(next)
		if idle++; a.better(value) {
			idle = 0
			a.accept(p, value, norm, moved)
			if err := a.report(a.latest(), a.attempt.Point); err != nil {
				return descent.Stopped, err
			}
		}
		switch {
		case a.stationary():
			return descent.GradientTolerance, nil
		case moved <= least:
			return descent.StepTolerance, nil
		case idle == eigenPatience:
			return descent.FunctionTolerance, nil
		}
	}
	return descent.MaxSteps, nil
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
