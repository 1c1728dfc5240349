package sinkhorn

import (
	"context"

	"github.com/gomonge/monge/internal/gibbs"
)

// Newton's steps stall where λ is so large that the start of ε-scaling, which is rough, is far from the
// solution: parts of the plan are then not connected by any element that is not lost to rounding, and
// every step has to find out anew which are. Where λ is smaller, they are connected. So λ is doubled from
// a small one on, and every stage is solved by Newton's steps, too. The dual variables f/λ then move little
// from one stage to the next.
//
// Weights below the error that a stage may leave need not follow. If they matter for the tolerance, Newton's
// steps stall again. The stages are then made once more, to the tolerance itself.

const (
	stageFactor    = 2    // of λ, from one stage to the next
	stageTolerance = 1e-4 // marginal error of each
	stagePasses    = 2000 // the most passes of each: all of them take about Settings.Iterations,
	leastPasses    = 64   // but each has so many
)

// follow finds a start in stages. Each begins with the scaled dual variables of the one before.
func (s *solution[T]) follow(ctx context.Context) error {
	stages, err := s.annealStages(ctx, stageFactor)
	if err != nil {
		return err
	}
	target, below, total := s.lambda, 1.0, 0
	for range stages {
		below *= stageFactor
	}
	passes := max(leastPasses, min(stagePasses, s.settings.Iterations/max(1, stages)))
	tolerance := s.tolerance
	s.tolerance = s.stageTolerance
	defer func() { s.tolerance = tolerance }()
	var start []T
	s.startShift, s.startOffset = 0, 0
	for range stages {
		s.setLambda(target / below)
		below /= stageFactor
		err := s.stage(ctx, passes, start)
		total += s.res.Iterations
		if err != nil {
			s.res.Iterations = 0
			return err
		}
		gibbs.Grow(&s.warm, s.kernel.N())
		last := s.res.Iterations
		natural(s.warm, s.u(last), s.kind(last), s.log.f, 0)
		s.startShift, s.startOffset = s.shift, 0
		s.scaleStart(s.warm, target/below/s.lambda)
		start = s.warm
	}
	s.problem.Start = s.warm
	s.res.Annealing = total
	s.setLambda(target)
	return nil
}

// stage solves the problem for the λ that is set, from u⁰ = exp(start), in so many passes.
func (s *solution[T]) stage(ctx context.Context, passes int, start []T) error {
	if err := s.restart(ctx, 0, start); err != nil {
		return err
	}
	p := newPace(paceFrom-paceEvery, s.kernel.N(), s.kernel.M())
	for {
		err := s.iterate(ctx, passes, s.tolerance, &p)
		if err != nil || s.converged() || s.res.Iterations >= passes {
			return err
		}
		if err := s.newton.climb(ctx, s.dual(), passes); err != nil || s.converged() {
			return err
		}
		p = newPace(2*s.res.Iterations, s.kernel.N(), s.kernel.M())
	}
}
