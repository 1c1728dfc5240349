package wda

import (
	"encoding"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestTexts: what has a name, or is written in a word, is read back from it, also
// within JSON, and what is unknown is an error that leaves the value alone.
func TestTexts(t *testing.T) {
	check := func(want any, into encoding.TextUnmarshaler, value func() any) {
		t.Helper()
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, into); err != nil || value() != want {
			t.Errorf("%s is read as %v, %v", b, value(), err)
		}
		if err := into.UnmarshalText([]byte("best")); !errors.Is(err, ErrSettings) || value() != want {
			t.Errorf("unknown text makes %v, %v of %s", value(), err, b)
		}
	}
	for v := range numMethods {
		var got Method
		check(v, &got, func() any { return got })
	}
	for v := range numGradientModes {
		var got GradientMode
		check(v, &got, func() any { return got })
	}
	for _, v := range []Lambda{{}, RelativeLambda(0.3), RelativeLambda(1e-300), AbsoluteLambda(3), AbsoluteLambda(1 / 3.)} {
		got := RelativeLambda(7)
		check(v, &got, func() any { return got })
	}
	for _, v := range []Shrinkage{{}, FixedShrinkage(0), FixedShrinkage(0.1), FixedShrinkage(maxShrinkage)} {
		got := FixedShrinkage(7)
		check(v, &got, func() any { return got })
	}
	for _, text := range []string{"-1", "NaN", "Inf", "1e13"} {
		if err := new(Shrinkage).UnmarshalText([]byte(text)); !errors.Is(err, ErrSettings) {
			t.Errorf("shrinkage %s: %v", text, err)
		}
	}
	for _, v := range []encoding.TextMarshaler{numMethods, numGradientModes} {
		if b, err := v.MarshalText(); !errors.Is(err, ErrSettings) {
			t.Errorf("%v has the text %q, %v", v, b, err)
		}
	}
}

// TestChoices: what is left out is chosen, what is given stays, and both are told apart
// in the settings that a report has.
func TestChoices(t *testing.T) {
	x, labels := parts3(1, 30, 8) // fewer than five samples a feature
	m, err := Fit(t.Context(), x, labels, &Settings{Optimizer: Optimizer{MaxSteps: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if set := m.Report().Settings; set.open() || set.Objective.Iterations != 10 {
		t.Errorf("chosen: %+v", set)
	}
	pinned := Settings{
		Data: Data{Whitening: NoWhitening()}, Scale: UnitWithin, Optimizer: Optimizer{MaxSteps: 1},
		Objective: Objective{Lambda: AbsoluteLambda(0.5), Shrinkage: FixedShrinkage(0), Iterations: 3},
	}
	if m, err = Fit(t.Context(), x, labels, &pinned); err != nil {
		t.Fatal(err)
	}
	if set := m.Report().Settings; set.Objective != pinned.Objective || set.Data != pinned.Data || set.Scale != pinned.Scale || m.Report().Choice != nil {
		t.Errorf("pinned: %+v", set)
	}
	// The same everywhere: a score without a choice has the ridge of a fit without.
	auto, err := Score(t.Context(), x, labels, pca(t, x, 2), nil)
	if err != nil {
		t.Fatal(err)
	}
	if e := relative(auto.Ridge, auto.Within); !(e < 1e-14) {
		t.Errorf("a score without a choice has the ridge %v for σ_w² = %v", auto.Ridge, auto.Within)
	}
	for _, c := range []struct {
		l        Lambda
		value    float64
		relative bool
	}{{Lambda{}, 0, false}, {RelativeLambda(2), 2, true}, {AbsoluteLambda(2), 2, false}, {LambdaMatrix(mat.NewDense(1, 1, nil)), 0, false}} {
		if v, relative := c.l.Value(); v != c.value || relative != c.relative {
			t.Errorf("%v has the value %v, %v", c.l, v, relative)
		}
	}
	if v, fixed := FixedShrinkage(0).Value(); v != 0 || !fixed {
		t.Errorf("ρ = 0 has the value %v, %v", v, fixed)
	}
	for _, s := range []Objective{{Lambda: LambdaMatrix(nil)}, {Lambda: RelativeLambda(0)}, {Lambda: AbsoluteLambda(math.NaN())}, {Shrinkage: FixedShrinkage(1e308)}} {
		if _, err := fitPinned(t.Context(), x, labels, &Settings{Objective: s}); !errors.Is(err, ErrSettings) {
			t.Errorf("%v, ρ = %v: %v", s.Lambda, s.Shrinkage, err)
		}
	}
}
