package wda

import (
	"cmp"
	"slices"

	"github.com/gomonge/monge/internal/discriminant"
)

const (
	// choiceSteps is the number of steps in the fit of a candidate. With more than fewStepsClasses
	// classes, a fit has half as many steps, because each step takes longer.
	choiceSteps, fewStepsClasses = 8, 30
)

// candidates returns the candidates that the settings allow, in the order in which they are fitted.
// Candidates with the same whitening are adjacent.
func (s *Settings) candidates(n, d, classes int) []Member {
	whitenings := []Whitening{NoWhitening(), DiagonalWhitening(LedoitWolf), SphericalWhitening(0.5)}
	if n <= d {
		whitenings = append(whitenings, SphericalWhitening(LedoitWolf))
	}
	if !s.Data.Whitening.IsAuto() {
		whitenings = []Whitening{s.Data.Whitening}
	}
	scales := []Scale{ScaleEqual, ScaleUnit}
	if s.Scale != ScaleAuto {
		scales = []Scale{s.Scale}
	}
	var out []Member
	add := func(c Member) {
		for _, c.Scale = range scales {
			out = append(out, c)
		}
	}
	for _, w := range whitenings {
		c := Member{Whitening: w, Lambda: RelativeLambda(1), Shrinkage: FixedShrinkage(1)}
		rho, lambda := s.Objective.Shrinkage.IsAuto(), s.Objective.Lambda.IsAuto()
		if rho && lambda && s.Optimizer.Method.traits().chooses && s.Optimizer.Init == nil {
			c.Method = Principal{}
			add(c)
			c.Method, c.Scale = Fisher{}, ScaleUnit
			if w.kind != whiteningNone && slices.Contains(scales, c.Scale) {
				out = append(out, c)
			}
		}
		c.Method = s.Optimizer.Method
		if !lambda {
			c.Lambda = s.Objective.Lambda
		}
		if !rho {
			c.Shrinkage = s.Objective.Shrinkage
			add(c)
		} else {
			for _, r := range []float64{5, 1, 0.2} {
				c.Shrinkage = FixedShrinkage(r)
				add(c)
			}
			c.Shrinkage = FixedShrinkage(1)
		}
		if lambda {
			c.Lambda = RelativeLambda(3)
			add(c)
			if rho && defaultStarts(n, d, classes) > 1 {
				// This candidate suits classes with several clusters. With few rows, it would fit
				// noise.
				c.Shrinkage = FixedShrinkage(0.2)
				add(c)
			}
		}
	}
	return out
}

// applyTo returns s with the settings of candidate c.
func (c *Member) applyTo(s Settings) Settings {
	s.Data.Whitening, s.Optimizer.Method, s.Scale = c.Whitening, c.Method, c.Scale
	s.Objective.Shrinkage, s.Objective.Lambda = c.Shrinkage, c.Lambda
	s.Leading = c.Leading
	return s
}

// componentCounts returns the numbers of leading components to compare, largest first: the number
// of all components, C − 1 (enough for the means of C classes), powers of two, and 1.5 times powers
// of two.
func (s *Settings) componentCounts(x *discriminant.Samples) []int {
	p := s.Components
	if s.Leading != 0 {
		return []int{s.Leading}
	}
	out := []int{p}
	if c := len(x.Classes) - 1; c < p {
		out = append(out, c)
	}
	for q := 1; q < p; q *= 2 {
		for _, r := range []int{q, q + q/2} {
			if r < p && !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Compare(b, a) })
	return out
}

// Optimization from one starting point takes n² + pairWork·C² units of time for n samples of C
// classes. By default, a fit has as many starting points as take at most startWork units, but at
// least one and at most maxStarts.
const startWork, pairWork, maxStarts = 90_000, 50, 8

// startsRows is the largest number of rows per feature for which a fit has only one starting point.
// With few rows, the best of several local maxima of the objective fits noise, and so does a fit
// that runs until convergence.
const startsRows = 5

// defaultStarts returns the default number of starting points for n samples of d features.
func defaultStarts(n, d, classes int) int {
	if n <= startsRows*d+1 {
		return 1
	}
	return min(max(startWork/(n*n+pairWork*classes*classes), 1), maxStarts)
}

// candidateSteps returns the number of steps in the fit of a candidate.
func candidateSteps(classes int) int {
	if classes > fewStepsClasses {
		return choiceSteps / 2
	}
	return choiceSteps
}
