package sinkhorn

import (
	"context"
	"math"

	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/gibbs"
)

const (
	annealFrom       = 8    // upper limit of λ·(max M − min M) in the first stage
	annealTolerance  = 1e-2 // a stage ends at this error of the marginals
	annealIterations = 200  // maximum iterations of a stage

	leastLambda = 0x1p-1000 // least λ of a stage; its reciprocal does not overflow
)

// annealedStart finds initial potentials by ε-scaling. It solves the problem with low accuracy in stages, in which λ increases
// by a constant factor: …, λ/factor², λ/factor. See B. Schmitzer, "Stabilized sparse scaling algorithms for entropy regularized
// transport problems", SIAM J. Sci. Comput. 41 (2019).
type annealedStart[T dist.Float] struct {
	solution *solution[T]
	factor   float64
}

func (a *annealedStart[T]) find(ctx context.Context) (bool, error) {
	s := a.solution
	return true, s.solveStages(ctx, a.factor, s.it.problem.Start, func(_ int, start []T) error {
		return s.solveFrom(ctx, annealIterations, annealTolerance, start)
	})
}

// solveStages solves the problem in stages of ε-scaling, and then stores initial potentials for λ in problem.Start. The stages
// use the increasing values …, λ/factor², λ/factor instead of λ. For each stage, solveStages calls solve with the total
// number of stages and with initial potentials, scaled to the λ of the stage. The first stage begins with the potentials
// in start. Each later stage begins with the potentials of the previous stage.
func (s *solution[T]) solveStages(ctx context.Context, factor float64, start []T, solve func(stages int, start []T) error) error {
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
			start = s.foundStart
		}
		it.setLambda(lambda)
		err := solve(stages, start)
		total += it.res.Iterations
		if err != nil {
			it.res.Iterations = 0
			return err
		}
		gibbs.Grow(&s.foundStart, it.n)
		last := it.res.Iterations
		naturalPotentials(s.foundStart, it.u(last), it.kind(last), it.log.f, 0)
		it.startShift, it.startOffset = it.shift, 0
		start, from = s.foundStart, lambda
	}
	if stages > 0 {
		s.scaleStart(start, target/from)
		it.problem.Start = s.foundStart
	}
	it.res.Annealing = total
	it.setLambda(target)
	return nil
}

// countStages returns the number of stages of ε-scaling if λ grows by the given factor from stage to stage. It returns 0 for a
// factor of 0.
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

// scaleStart subtracts startOffset from the potentials in start, and sets s.foundStart to c times the differences. It also
// multiplies startShift by c. The slices start and s.foundStart may be the same.
func (s *solution[T]) scaleStart(start []T, c float64) {
	it := s.it
	gibbs.Grow(&s.foundStart, it.n)
	offset := float64(it.startOffset * math.Ln2)
	for i, f := range start {
		s.foundStart[i] = T((float64(f) - offset) * c)
	}
	it.startShift, it.startOffset = float64(c*it.startShift), 0
}
