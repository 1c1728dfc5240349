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
	for _, v := range []Lambda{{}, {Value: 0.3}, {Value: 1e-300}, {Value: 3, Absolute: true}, {Value: 1 / 3., Absolute: true}} {
		got := Lambda{Value: 7}
		check(v, &got, func() any { return got })
	}
	for _, v := range []Shrinkage{{}, {None: true}, {Value: 0.1}, {Value: maxShrinkage}} {
		got := Shrinkage{Value: 7}
		check(v, &got, func() any { return got })
	}
	for _, text := range []string{"-1", "NaN", "Inf", "1e13"} {
		if err := new(Shrinkage).UnmarshalText([]byte(text)); !errors.Is(err, ErrSettings) {
			t.Errorf("shrinkage %s: %v", text, err)
		}
	}
	for _, v := range []encoding.TextMarshaler{numMethods} {
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
		Objective: Objective{Lambda: Lambda{Value: 0.5, Absolute: true}, Shrinkage: Shrinkage{None: true}, Iterations: 3},
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
	for _, s := range []Objective{{Lambda: Lambda{Absolute: true}}, {Lambda: Lambda{Value: 1, Matrix: mat.NewDense(3, 3, nil)}}, {Shrinkage: Shrinkage{Value: 1, None: true}}, {Lambda: Lambda{Value: math.NaN(), Absolute: true}}, {Shrinkage: Shrinkage{Value: 1e308}}} {
		if _, err := fitPinned(t.Context(), x, labels, &Settings{Objective: s}); !errors.Is(err, ErrSettings) {
			t.Errorf("%v, ρ = %v: %v", s.Lambda, s.Shrinkage, err)
		}
	}
}
