package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/gibbs"
)

const (
	annealFrom       = 8    // λ·(largest − least cost) to start annealing with
	annealTolerance  = 1e-2 // marginal error that is good enough before the last λ
	annealIterations = 200  // and the most iterations for each

	leastLambda = 0x1p-1000 // of a stage: its reciprocal is in range
)

// annealedStart finds a start by ε-scaling: it solves the problem roughly for …, λ/factor², λ/factor, the
// least first. See B. Schmitzer, "Stabilized sparse scaling algorithms for entropy regularized
// transport problems", SIAM J. Sci. Comput. 41 (2019).
type annealedStart[T dist.Float] struct {
	solution *solution[T]
	factor   float64
}

func (a *annealedStart[T]) find(ctx context.Context) (bool, error) {
	s := a.solution
	return true, s.passStages(ctx, a.factor, s.it.problem.Start, func(_ int, start []T) error {
		return s.forward(ctx, annealIterations, annealTolerance, start)
	})
}

// passStages calls solve for …, λ/factor², λ/factor, the least first, and leaves the
// start for λ itself in the problem. solve gets the number of stages, and the start of its stage: the scaled
// dual variables f/λ of the stage before. The first one gets start, for λ, scaled likewise.
func (s *solution[T]) passStages(ctx context.Context, factor float64, start []T, solve func(stages int, start []T) error) error {
	stages, err := s.countStages(ctx, factor)
	if err != nil {
		return err
	}
	it := s.it
	target, below := it.lambda, 1.0
	for range stages {
		below *= factor
	}
	total, from := 0, target // λ of start
	for range stages {
		lambda := target / below
		below /= factor
		if start != nil {
			s.scaleStart(start, lambda/from)
			start = s.warm
		}
		it.setLambda(lambda)
		err := solve(stages, start)
		total += it.res.Iterations
		if err != nil {
			it.res.Iterations = 0
			return err
		}
		gibbs.Grow(&s.warm, it.n)
		last := it.res.Iterations
		natural(s.warm, it.u(last), it.kind(last), it.log.f, 0)
		it.startShift, it.startOffset = it.shift, 0
		start, from = s.warm, lambda
	}
	if stages > 0 {
		s.scaleStart(start, target/from)
		it.problem.Start = s.warm
	}
	it.res.Annealing = total
	it.setLambda(target)
	return nil
}

// countStages returns the number of stages that ε-scaling takes, 0 for a factor of 0.
func (s *solution[T]) countStages(ctx context.Context, factor float64) (stages int, err error) {
	if factor == 0 {
		return 0, nil
	}
	lambda := s.it.lambda
	span, err := s.it.kernel.CostSpan(ctx)
	if err != nil || !(span > 0) || !(span*lambda < math.MaxFloat64) {
		return 0, err
	}
	for below := 1.0; lambda/below*span > annealFrom && lambda/(below*factor) > leastLambda; below *= factor {
		stages++
	}
	return stages, nil
}

// scaleStart sets warm = c·start, which may be warm, without the part that is in the shift.
func (s *solution[T]) scaleStart(start []T, c float64) {
	it := s.it
	gibbs.Grow(&s.warm, it.n)
	offset := float64(it.startOffset * math.Ln2)
	for i, f := range start {
		s.warm[i] = T((float64(f) - offset) * c)
	}
	it.startShift, it.startOffset = float64(c*it.startShift), 0
}
