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
	// eigenLimit is the maximum number of samples for which AlternatingSolver computes transport
	// plans. The graph of the plans of 4096 samples takes 128 MiB.
	eigenLimit = 4096
	// eigenBlock is the number of block iterations in one step.
	eigenBlock = 10
	// AlternatingSolver ends after eigenPatience successive steps that do not raise J. J usually
	// rises for a few steps and then falls toward the fixed point.
	eigenPatience = 15
)

// AlternatingSolver updates the transport plans and the projection alternately. It continues from
// every iterate, but records only the iterates that raise J.
type AlternatingSolver[T dist.Float] struct {
	TraceRatio bool // maximize the trace ratio instead of the ratio trace
}

// Maximize implements Solver.
func (m AlternatingSolver[T]) Maximize(ctx context.Context, a *Ascent[T]) (descent.Status, error) {
	if err := a.measureStart(ctx); err != nil {
		return descent.NotTerminated, err
	}
	o, limits := a.driver.Objective, &a.driver.Limits
	e, err := newEigen(ctx, o, eigenLimit, len(o.Samples.Classes))
	if err != nil {
		return descent.NotTerminated, err
	}
	if status, err := a.reportLatest(); status != descent.NotTerminated {
		return status, err
	}
	p := mat.DenseCopyOf(a.attempt.Projection)
	next := mat.NewDense(o.Samples.D, o.p, nil)
	least := limits.Tolerance * math.Sqrt(float64(o.p))
	for step, idle := 0, 0; step < limits.MaxSteps; step++ {
		next.Copy(p)
		err := ctx.Err()
		if err == nil {
			err = e.improveWithRidge(ctx, next, m.TraceRatio)
		}
		var value, norm float64
		if err == nil {
			value, norm, err = a.measure(ctx, next)
		}
		if ctx.Err() != nil {
			return descent.Canceled, context.Cause(ctx)
		}
		if err != nil {
			return descent.EvaluationFailed, err
		}
		moved := o.Manifold().Distance(ctx, p, next)
		p.Copy(next)
		if idle++; a.improves(value) {
			idle = 0
			a.acceptStep(p, value, norm, moved)
			if err := a.reportStep(a.latestStep(), a.attempt.Projection); err != nil {
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

// improveWithRidge replaces p by the maximizer of the trace ratio or ratio trace for the transport
// plans at p. For the ratio trace, if the matrix C_w of the within-class costs is singular,
// improveWithRidge adds the smallest of eigenRidges to C_w.
func (e *eigen[T]) improveWithRidge(ctx context.Context, p *mat.Dense, traceRatio bool) error {
	if err := e.assembleGraph(ctx, p); err != nil {
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
