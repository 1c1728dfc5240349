package wda

import (
	"encoding"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestSettingsText checks that settings can be written as text and JSON and read back, and that unknown text is an
// error that leaves the value unchanged.
func TestSettingsText(t *testing.T) {
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
	for _, want := range Methods() {
		if got, err := ParseMethod(want.String()); err != nil || got != want {
			t.Errorf("%v is read as %v, %v", want, got, err)
		}
	}
	if got, err := ParseMethod("best"); got != nil || !errors.Is(err, ErrSettings) {
		t.Errorf("unknown method is %v, %v", got, err)
	}
	for v := range StatusStopped + 1 {
		var got Status
		b, err := v.MarshalText()
		if err == nil {
			err = got.UnmarshalText(b)
		}
		if err != nil || got != v {
			t.Errorf("%s is read as %v, %v", b, got, err)
		}
	}
	for v := range numScales {
		got := ScaleRatio
		check(v, &got, func() any { return got })
	}
	for _, v := range []Whitening{{}, NoWhitening(), SphericalWhitening(LedoitWolf), DiagonalWhitening(LedoitWolf), SphericalWhitening(0.25), DiagonalWhitening(1)} {
		got := NoWhitening()
		check(v, &got, func() any { return got })
	}
	for _, text := range []string{"spherical:0", "spherical:-1", "diagonal:2", "none:0.5", "spherical:NaN", "spherical:"} {
		if err := new(Whitening).UnmarshalText([]byte(text)); !errors.Is(err, ErrSettings) || strings.Contains(err.Error(), "LedoitWolf") {
			t.Errorf("whitening %s: %v", text, err)
		}
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
	for _, v := range []encoding.TextMarshaler{numScales, StatusStopped + 1} {
		if b, err := v.MarshalText(); err == nil {
			t.Errorf("%v has the text %q, %v", v, b, err)
		}
	}
}

// TestOpenSettingsAreChosen checks that a fit chooses values for unset settings and keeps the other settings. A fit
// without unset settings must not report a choice.
func TestOpenSettingsAreChosen(t *testing.T) {
	x, labels := parts3(1, 30, 8) // fewer than five samples for each feature
	m, err := Fit(t.Context(), x, labels, &Settings{Optimizer: Optimizer{MaxSteps: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if set := m.Report().Settings; set.leavesOpen() || set.Objective.Iterations != 10 {
		t.Errorf("chosen: %+v", set)
	}
	pinned := Settings{
		Data: Data{Whitening: NoWhitening()}, Scale: ScaleUnit, Optimizer: Optimizer{MaxSteps: 1},
		Objective: Objective{Lambda: AbsoluteLambda(0.5), Shrinkage: FixedShrinkage(0), Iterations: 3},
	}
	if m, err = Fit(t.Context(), x, labels, &pinned); err != nil {
		t.Fatal(err)
	}
	if set := m.Report().Settings; set.Objective != pinned.Objective || set.Data != pinned.Data || set.Scale != pinned.Scale || m.Report().Choice != nil {
		t.Errorf("pinned: %+v", set)
	}
	// Score uses ρ = 1 instead of choosing ρ, so the ridge is σ_w².
	auto, err := Score(t.Context(), x, labels, pca(t, x, 2), nil)
	if err != nil {
		t.Fatal(err)
	}
	if e := relative(auto.Ridge, auto.Within); !(e < 1e-14) {
		t.Errorf("a score without a choice has the ridge %v for σ_w² = %v", auto.Ridge, auto.Within)
	}
	for _, s := range []Objective{{Lambda: AbsoluteLambda(0)}, {Lambda: LambdaMatrix(nil)}, {Lambda: LambdaMatrix(mat.NewDense(3, 3, nil))}, {Shrinkage: FixedShrinkage(-1)}, {Lambda: AbsoluteLambda(math.NaN())}, {Shrinkage: FixedShrinkage(1e308)}} {
		if _, err := fitPinned(t.Context(), x, labels, &Settings{Objective: s}); !errors.Is(err, ErrSettings) {
			t.Errorf("%v, ρ = %v: %v", s.Lambda, s.Shrinkage, err)
		}
	}
}

// TestValidationDefaults checks the default values of Validation, and that the smallest allowed values are not replaced
// by defaults.
func TestValidationDefaults(t *testing.T) {
	x, labels := clusters(1, 3, 20, 20)
	for _, c := range []struct{ given, want Validation }{
		{Validation{}, Validation{Fraction: 0.25, Neighbors: 5, Every: 2, Patience: 10}},
		{Validation{Fraction: 0.5, Neighbors: 1, Every: 1, Patience: 1}, Validation{Fraction: 0.5, Neighbors: 1, Every: 1, Patience: 1}},
	} {
		if h, err := c.given.holdOut(t.Context(), x, labels, 1); err != nil || !reflect.DeepEqual(h.set, c.want) {
			t.Errorf("%+v: %+v, %v", c.given, h, err)
		}
	}
}

// TestMultiplications checks that the estimated work of comparing candidate settings is proportional to the square of
// the number of rows, and to the numbers of folds, candidates, steps and iterations.
func TestMultiplications(t *testing.T) {
	work := func(rows, folds, candidates, steps, iterations int) float64 {
		set := &Settings{Optimizer: Optimizer{MaxSteps: steps}, Objective: Objective{Iterations: iterations}}
		return (&comparison{set: set, rows: rows, folds: make([]choiceFold, folds), candidates: make([]Member, candidates)}).multiplications()
	}
	once := work(50, 5, 7, 11, 10)
	for i, got := range []float64{work(100, 5, 7, 11, 10) / 4, work(50, 10, 7, 11, 10) / 2, work(50, 5, 14, 11, 10) / 2, work(50, 5, 7, 22, 10) / 2, work(50, 5, 7, 11, 20) / 2} {
		if got != once {
			t.Errorf("factor %d: %v, want %v", i, got, once)
		}
	}
}
