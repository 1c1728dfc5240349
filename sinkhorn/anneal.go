package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/internal/gibbs"
)

const (
	annealFrom       = 8    // λ·(largest − least cost) to start annealing with
	annealTolerance  = 1e-2 // marginal error that is good enough before the last λ
	annealIterations = 200  // and the most iterations for each

	leastLambda = 0x1p-1000 // of a stage: its reciprocal is in range
)

// anneal solves the problem roughly for …, λ/factor², λ/factor, the least first, and leaves the
// start for λ itself in the problem: ε-scaling. Each stage starts from the dual variables f/λ of
// the one before. See B. Schmitzer, "Stabilized sparse scaling algorithms for entropy regularized
// transport problems", SIAM J. Sci. Comput. 41 (2019).
func (s *solution[T]) anneal(ctx context.Context, factor float64) error {
	stages, err := s.annealStages(ctx, factor)
	if err != nil {
		return err
	}
	target, below := s.lambda, 1.0
	for range stages {
		below *= factor
	}
	total, start := 0, s.problem.Start
	for k := range stages {
		lambda := target / below
		below /= factor
		if start != nil {
			// The start is for the target λ, or for that of the stage before.
			from := target
			if k > 0 {
				from = s.lambda
			}
			s.scaleStart(start, lambda/from)
			start = s.warm
		}
		s.setLambda(lambda)
		err := s.forward(ctx, annealIterations, annealTolerance, start)
		total += s.res.Iterations
		if err != nil {
			s.res.Iterations = 0
			return err
		}
		gibbs.Grow(&s.warm, s.kernel.N())
		last := s.res.Iterations
		natural(s.warm, s.u(last), s.kind(last), s.log.f, 0)
		s.startShift, s.startOffset = s.shift, 0
		start = s.warm
	}
	if stages > 0 {
		s.scaleStart(start, target/s.lambda)
		s.problem.Start = s.warm
	}
	s.res.Annealing = total
	s.setLambda(target)
	return nil
}

// annealStages returns the number of stages, 0 for a factor of 0.
func (s *solution[T]) annealStages(ctx context.Context, factor float64) (stages int, err error) {
	if factor == 0 {
		return 0, nil
	}
	span, err := s.kernel.CostSpan(ctx)
	if err != nil || !(span > 0) || !(span*s.lambda < math.MaxFloat64) {
		return 0, err
	}
	for below := 1.0; s.lambda/below*span > annealFrom && s.lambda/(below*factor) > leastLambda; below *= factor {
		stages++
	}
	return stages, nil
}

// scaleStart sets warm = c·start, which may be warm, without the part that is in the shift.
func (s *solution[T]) scaleStart(start []T, c float64) {
	gibbs.Grow(&s.warm, s.kernel.N())
	offset := float64(s.startOffset * math.Ln2)
	for i, f := range start {
		s.warm[i] = T((float64(f) - offset) * c)
	}
	s.startShift, s.startOffset = float64(c*s.startShift), 0
}
