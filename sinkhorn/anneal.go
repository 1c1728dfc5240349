package sinkhorn

import (
	"math"

	"github.com/gomonge/monge/internal/asm/num"
)

const (
	annealFrom       = 8    // λ·(largest − least cost) to start annealing with
	annealTolerance  = 1e-2 // marginal error that is good enough before the last λ
	annealIterations = 200  // and the most iterations for each
)

// anneal solves the problem roughly for λ, λ/factor, λ/factor², …, the least first,
// and leaves the start for λ itself in the problem: ε-scaling. The dual variables
// f/λ of one stage are where the next begins. See B. Schmitzer, "Stabilized sparse
// scaling algorithms for entropy regularized transport problems", SIAM J. Sci.
// Comput. 41 (2019).
func (s *Solver[T]) anneal() error {
	factor, target := s.settings.Anneal, s.lambda
	if factor == 0 {
		return nil
	}
	span := s.span()
	if !(span > 0) || !(span*target < math.MaxFloat64) {
		return nil
	}
	stages, below := 0, 1.0
	for target/below*span > annealFrom {
		stages++
		below *= factor
	}
	total, start := 0, s.problem.Start
	for k := range stages {
		lambda := target / below
		below /= factor
		if start != nil {
			// In units of cost the start is for target, or for the stage before.
			from := target
			if k > 0 {
				from = s.lambda
			}
			s.scaleStart(start, lambda/from)
			start = s.warm
		}
		s.setLambda(lambda)
		err := s.forward(annealIterations, annealTolerance, start)
		total += s.res.Iterations
		if err != nil {
			s.res.Iterations = 0
			return err
		}
		grow(&s.warm, s.n)
		natural(s.warm, s.u(s.res.Iterations), s.kind[s.res.Iterations%s.ring], s.f)
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

// scaleStart sets warm = c·start, which may be warm.
func (s *Solver[T]) scaleStart(start []T, c float64) {
	grow(&s.warm, s.n)
	for i, f := range start {
		s.warm[i] = T(float64(f) * c)
	}
}

// span returns the largest minus the least cost, or for points an upper bound of the
// largest: that of the boxes that they lie in.
func (s *Solver[T]) span() float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	if !s.points {
		for i := range s.n {
			for _, x := range s.cost.Row(i) {
				lo, hi = math.Min(lo, float64(x)), math.Max(hi, float64(x))
			}
		}
		return hi - lo
	}
	var sum float64
	x, y := s.problem.X, s.problem.Y
	for l := range s.p {
		lo, hi = math.Inf(1), math.Inf(-1)
		for i := range s.n {
			v := float64(x.At(i, l))
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
		low, high := math.Inf(1), math.Inf(-1)
		for j := range s.m {
			v := float64(y.At(j, l))
			low, high = math.Min(low, v), math.Max(high, v)
		}
		d := math.Max(hi-low, high-lo)
		sum = num.FMA(d, d, sum)
	}
	return sum
}
