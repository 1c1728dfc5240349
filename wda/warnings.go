package wda

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/fault"
)

const (
	// oddScale is how many times the median a feature's spread may be.
	oddScale = 1e4
	// fewSamples is the least size of a class without a warning.
	fewSamples = 5
	// lineRank is the effective rank of the scatter within classes up to which they are
	// lines.
	lineRank = 1.02
	// imbalance is the ratio of class sizes from which uniform weights are odd.
	imbalance = 20
)

// warnings says what is odd about the data, the settings or the result, as of the last
// evaluation of o; rank is the effective rank of the transport within classes.
// The error is the context's cause.
func warnings(ctx context.Context, s *discriminant.Samples, t discriminant.Troubles, set *Settings, rank float64, choice *Choice) ([]string, error) {
	var w []string
	add := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }

	spread := s.Spreads(ctx)
	if err := fault.Ended(ctx, nil); err != nil {
		return nil, err
	}
	var positive []float64
	constant, first := 0, 0
	for j, v := range spread {
		if v > 0 {
			positive = append(positive, v)
			continue
		}
		if constant == 0 {
			first = j
		}
		constant++
	}
	if constant > 0 {
		add("%d of %d features are constant; the first is feature %d, counted from 0", constant, s.D, first)
	}
	slices.Sort(positive)
	median := positive[(len(positive)-1)/2]
	odd, largest := 0, 0
	for j, v := range spread {
		if v > oddScale*median {
			odd++
		}
		if v > spread[largest] {
			largest = j
		}
	}
	if odd > 0 {
		add("the scale of feature %d, counted from 0, is %.0e times the median of all features (%d such features): distances depend on little else; see Standardize", largest, spread[largest]/median, odd)
	}

	small, big := 0, 0
	for c := range s.Classes {
		if s.Count(c) < s.Count(small) {
			small = c
		}
		if s.Count(c) > s.Count(big) {
			big = c
		}
	}
	if n := s.Count(small); n < fewSamples {
		add("class %d has only %d samples", s.Classes[small], n)
	}
	if !set.Objective.Proportional && s.Count(big) >= imbalance*s.Count(small) {
		add("class %d has %d samples and class %d has %d, but all classes have the same weight; see Proportional", s.Classes[big], s.Count(big), s.Classes[small], s.Count(small))
	}
	if s.N < s.D && set.Objective.Shrinkage.rho == 0 {
		add("%d samples of %d features without shrinkage: the projection will fit noise; see Shrinkage", s.N, s.D)
	}
	coincide := 0
	for c, label := range s.Classes {
		if s.Coincides(c) {
			if coincide++; coincide == 1 {
				add("all samples of class %d are equal", label)
			}
		}
	}
	if set.Components > 1 && rank <= lineRank {
		add("within classes the samples vary in only one of %d components (effective rank %.3f): a few features decide alone, because their numbers are large or nearly constant; standardize the features, whiten them, or use more shrinkage", set.Components, rank)
	}
	if choice.compared() && choice.Members[0].Error > choice.principal+float64(2*standardError(choice.principal, choice.Rows)) {
		add("%s %.1f %% of the held-out rows wrongly in the projection, and with principal components in their place %.1f %%: "+besideAdvice, classifies[choice.use], 100*choice.Members[0].Error, 100*choice.principal)
	}
	if t.InLog > 0 {
		add("λ is so large that %d of %d transport problems had to be solved in the log domain, which is slower", t.InLog, t.Pairs)
	}
	if t.Rough > 0 {
		add("λ is so large that %d of %d transport plans have only few correct digits", t.Rough, t.Pairs)
	}
	return w, nil
}

// classifies says what the classifier for a Use does.
var classifies = [numUses]string{"nearest neighbors classify", "nearest neighbors classify", "a linear classifier classifies", "nearest centroids classify"}

const besideAdvice = "leave λ, Shrinkage and Whitening open, or take Method Principal"

// standardError is that of a share of n rows.
func standardError(share float64, n int) float64 { return math.Sqrt(share * (1 - share) / float64(n)) }
