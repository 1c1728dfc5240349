package wda

import (
	"cmp"
	"slices"

	"github.com/gomonge/monge/internal/discriminant"
)

const (
	// choiceSteps is the number of steps of a candidate. With more than choiceClasses classes
	// steps are halved: an evaluation takes longer.
	choiceSteps, fewStepsClasses = 8, 30
)

// candidates returns the members of the family that the settings allow, those with the
// same whitening together, in the order in which they are fitted.
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
				// Classes of several modes; where rows are few it fits closest, to noise.
				c.Shrinkage = FixedShrinkage(0.2)
				add(c)
			}
		}
	}
	return out
}

// applyTo returns the settings with what c has chosen.
func (c *Member) applyTo(s Settings) Settings {
	s.Data.Whitening, s.Optimizer.Method, s.Scale = c.Whitening, c.Method, c.Scale
	s.Objective.Shrinkage, s.Objective.Lambda = c.Shrinkage, c.Lambda
	s.Leading = c.Leading
	return s
}

// componentCounts returns the numbers of components that may count, largest first: all, C − 1, which
// tell the means of classes apart, powers of two, and these times one and a half.
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

// A start of n samples and C classes takes time as n² + pairWork·C²; there are so many
// that all take startWork, mostStarts at most.
const startWork, pairWork, mostStarts = 90_000, 50, 8

// startsRows is the number of rows for every feature up to which there is one start: of several
// maxima the highest then fits noise, and a fit that converges does, too.
const startsRows = 5

// defaultStarts returns the number of starts.
func defaultStarts(n, d, classes int) int {
	if n <= startsRows*d+1 {
		return 1
	}
	return min(max(startWork/(n*n+pairWork*classes*classes), 1), mostStarts)
}

// candidateSteps is the number of steps of a fit of so many classes.
func candidateSteps(classes int) int {
	if classes > fewStepsClasses {
		return choiceSteps / 2
	}
	return choiceSteps
}
