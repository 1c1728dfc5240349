package wda

import (
	"context"
	"math"
	"slices"

	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/fault"
)

const (
	// A feature causes a warning if its spread exceeds maxSpreadRatio times the median spread of
	// the features.
	maxSpreadRatio = 1e4
	// A class causes a warning if it has fewer than fewSamples samples.
	fewSamples = 5
	// lineRank is the largest effective rank of the scatter within classes that causes
	// WarningOneDirection.
	lineRank = 1.02
	// imbalance is the smallest ratio of class sizes at which uniform weights cause a warning.
	imbalance = 20
)

// findWarnings returns warnings about the data, the settings and the result. t counts the numerical
// problems of the last evaluation, and rank is the effective rank of the transport within classes.
// The error is context.Cause(ctx).
func findWarnings(ctx context.Context, s *discriminant.Samples, t discriminant.PairCounts, set *Settings, rank float64, choice *Choice) ([]Warning, error) {
	var w []Warning
	add := func(code WarningCode, classes, features []int, values ...float64) {
		w = append(w, Warning{Code: code, Classes: classes, Features: features, Values: values})
	}

	spread := s.StandardDeviations(ctx)
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
		add(WarningConstantFeatures, nil, []int{first}, float64(constant), float64(s.D))
	}
	slices.Sort(positive)
	median := positive[(len(positive)-1)/2]
	odd, largest := 0, 0
	for j, v := range spread {
		if v > maxSpreadRatio*median {
			odd++
		}
		if v > spread[largest] {
			largest = j
		}
	}
	if odd > 0 {
		add(WarningFeatureScale, nil, []int{largest}, min(spread[largest]/median, math.MaxFloat64), float64(odd))
	}

	small, big := 0, 0
	for c := range s.Classes {
		if s.CompleteSize(c) < s.CompleteSize(small) {
			small = c
		}
		if s.CompleteSize(c) > s.CompleteSize(big) {
			big = c
		}
	}
	if n := s.CompleteSize(small); n < fewSamples {
		add(WarningFewSamples, []int{s.Classes[small]}, nil, float64(n))
	}
	if !set.Objective.Proportional && s.CompleteSize(big) >= imbalance*s.CompleteSize(small) {
		add(WarningClassSizes, []int{s.Classes[big], s.Classes[small]}, nil, float64(s.CompleteSize(big)), float64(s.CompleteSize(small)))
	}
	if s.N < s.D && set.Objective.Shrinkage.rho == 0 {
		add(WarningNoShrinkage, nil, nil, float64(s.N), float64(s.D))
	}
	for c, label := range s.Classes {
		if s.IsConstantClass(c) {
			add(WarningEqualSamples, []int{label}, nil)
			break
		}
	}
	if set.Components > 1 && rank <= lineRank {
		add(WarningOneDirection, nil, nil, float64(set.Components), rank)
	}
	if choice.wasCompared() && choice.Members[0].Error > choice.principal+float64(2*shareError(choice.principal, choice.Rows)) {
		add(WarningHeldOutError, nil, nil, choice.Members[0].Error, choice.principal)
	}
	if t.LogDomain > 0 {
		add(WarningLogDomain, nil, nil, float64(t.LogDomain), float64(t.Pairs))
	}
	if t.LowPrecision > 0 {
		add(WarningLowPrecision, nil, nil, float64(t.LowPrecision), float64(t.Pairs))
	}
	return w, nil
}

// shareError returns the standard error of a share that was measured on n rows.
func shareError(share float64, n int) float64 { return math.Sqrt(share * (1 - share) / float64(n)) }
