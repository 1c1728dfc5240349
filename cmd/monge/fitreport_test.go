package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomonge/monge/wda"
)

// TestEndText checks that a report contains words instead of names of constants.
func TestEndText(t *testing.T) {
	r := &wda.Report{Steps: 7}
	r.Settings.Optimizer.Method = wda.Auto{}
	for status, want := range map[string]string{
		"GradientTolerance": "converged after 7 steps: the gradient is small enough",
		"StepTolerance":     "converged after 7 steps: the projection no longer moves",
		"FunctionTolerance": "converged after 7 steps: J no longer rises",
		"MaxSteps":          "ended after 7 steps, at its limit",
		"LineSearchFailed":  "converged after 7 steps, as far as rounding allows: no step raises J",
		"Stalled":           "converged after 7 steps, as far as rounding allows: J has not risen in the last 100",
		"EvaluationFailed":  "not converged: J cannot be computed near the projection after 7 steps",
		"Stopped":           "stopped early after 7 steps",
	} {
		if err := r.Status.UnmarshalText([]byte(status)); err != nil {
			t.Fatal(err)
		}
		if got := endText(r, "at its limit"); got != want {
			t.Errorf("%s: %q, want %q", status, got, want)
		}
	}
	if err := r.Status.UnmarshalText([]byte("Stopped")); err != nil {
		t.Fatal(err)
	}
	batches := &wda.Report{Status: wda.StatusMaxSteps, Steps: 2, Settings: wda.Settings{Optimizer: wda.Optimizer{Method: wda.MiniBatch{}, MaxSteps: 5}}}
	if got := endText(batches, ""); !strings.HasPrefix(got, "ended at the limit of 5 rounds of mini-batches, and J was largest after 2;") {
		t.Errorf("mini-batches: %q", got)
	}
	r.Settings.Validation = new(wda.Validation)
	if got := endText(r, ""); !strings.HasSuffix(got, "the rows of --validation are no longer classified better") {
		t.Errorf("with validation: %q", got)
	}
	r.Steps = 0
	if got := endText(r, ""); got != "the start is kept: no step classified the rows of --validation better" {
		t.Errorf("with validation, no step: %q", got)
	}
	r.Settings.Optimizer.Method = wda.Fisher{}
	if got := endText(r, ""); got != "not needed, the method has a closed form" {
		t.Errorf("without an optimizer: %q", got)
	}
}

func TestMethodText(t *testing.T) {
	for want, is := range map[string]choice{
		"WDA (no whitening, λ = 1, ρ = 0.2, unit scale)":                                    {Method: "auto", Whitening: "none", Lambda: "1", Shrinkage: 0.2, Scale: "unit"},
		"WDA (diagonal whitening, λ = 0.5 (absolute), ρ = 0, orthonormal scale, method pg)": {Method: "pg", Whitening: "diagonal", Lambda: "absolute:0.5", Scale: "orthonormal"},
		"discriminant analysis (spherical:0.5 whitening, unit scale)":                       {Method: "fisher", Whitening: "spherical:0.5", Lambda: "1", Shrinkage: 1, Scale: "unit"},
		"principal components (no whitening, ratio scale)":                                  {Method: "principal", Whitening: "none", Scale: "ratio"},
	} {
		if got := methodText(is.Method, is.Whitening, is.Lambda, is.Shrinkage, is.Scale); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestFitReport checks that the report of a fit contains the chosen settings, the reasons, and how the optimizer ended.
func TestFitReport(t *testing.T) {
	s := simulate(t)
	_, mixed, _ := monge(t, "fit", "--data", s.csv, "--model", s.dir+"/m.wda")
	for _, want := range []string{"method      mixed from ", " candidates that cross-validation could not tell apart:\n            WDA (", "optimizer   of the first candidate: ", ", with the settings of the first candidate\n",
		"The mixed candidates, and the best of every other kind:\n", " (mixed)\n", "principal components ("} {
		if !strings.Contains(mixed, want) {
			t.Errorf("no %q in\n%s", want, mixed)
		}
	}
	if _, verified, _ := monge(t, "verify", s.dir+"/m.wda", "--data", s.csv); !strings.Contains(verified, "same") {
		t.Errorf("verify says %q", verified)
	}
	_, stdout, _ := monge(t, withFixedScale("fit", "--data", s.csv, "--mixture", "1", "--model", s.dir+"/m.wda")...)
	for _, want := range []string{"data        60 rows, 5 features, 3 classes (0, 1, 2)\n", "projection  5 → 2 dimensions", "method      WDA (", "chosen      by the lowest loss in cross-validation of these rows, of ", " candidates: WDA, error ", "; best discriminant analysis ", "optimizer   ", " = between ", "for each component\n",
		"candidates by the loss of ", "error    candidate\n", " (taken)\n", "discriminant analysis (", "principal components ("} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if _, closed, _ := monge(t, "fit", "--data", s.csv, "--method", "fisher", "--starts", "3", "--model", s.dir+"/m.wda"); strings.Contains(closed, "starts") {
		t.Errorf("starts of a method without an optimizer:\n%s", closed)
	}
}

// TestWarnings checks that warnings name classes, columns and flags instead of indices and fields.
func TestWarnings(t *testing.T) {
	classes, features := []string{"red", "blue"}, []string{"height", "age", "income"}
	for _, c := range []struct {
		warning wda.Warning
		want    string
	}{
		{wda.Warning{Code: wda.WarningConstantFeatures, Features: []int{1}, Values: []float64{1, 3}}, `1 of 3 features are constant; feature "age" is the first`},
		{wda.Warning{Code: wda.WarningFeatureScale, Features: []int{2}, Values: []float64{2e5, 1}}, `feature "income" has 2e+05 times the median scale of all features (1 such features): distances depend on little else; use --standardize`},
		{wda.Warning{Code: wda.WarningFeatureScale, Features: []int{3}, Values: []float64{2e5, 1}}, `feature 3, counted from 0, has 2e+05 times`},
		{wda.Warning{Code: wda.WarningFewSamples, Classes: []int{1}, Values: []float64{3}}, `class "blue" has only 3 samples`},
		{wda.Warning{Code: wda.WarningClassSizes, Classes: []int{0, 1}, Values: []float64{90, 3}}, `class "red" has 90 samples and class "blue" has 3, but`},
		{wda.Warning{Code: wda.WarningNoShrinkage, Values: []float64{3, 5}}, `3 samples of 5 features without shrinkage: the projection will fit noise; use --shrinkage`},
		{wda.Warning{Code: wda.WarningEqualSamples, Classes: []int{7}}, `all samples of class 7 are equal`},
		{wda.Warning{Code: wda.WarningOneDirection, Values: []float64{2, 1.01}}, `only one of 2 components (effective rank 1.010): a few features decide alone, because their numbers are large or nearly constant; use --standardize`},
		{wda.Warning{Code: wda.WarningHeldOutError, Values: []float64{0.5, 0.25}}, `of the held-out rows, 50.00 % are classified wrongly in the projection, and 25.00 % with principal components in its place: leave out --lambda`},
		{wda.Warning{Code: wda.WarningTrainingError, Values: []float64{100, 5, 0.5, 0.25}}, `with each of 100 training rows left out in turn, 5 nearest neighbors classify 50.00 % wrongly in the projection, and 25.00 % with principal components: leave out --lambda`},
		{wda.Warning{Code: wda.WarningLogDomain, Values: []float64{2, 6}}, `2 of 6 transport problems had to be solved in the log domain, which is slower; use a smaller --lambda`},
		{wda.Warning{Code: wda.WarningLowPrecision, Values: []float64{2, 6}}, `2 of 6 transport plans have only few correct digits; use a smaller --lambda`},
		{wda.Warning{Code: "later"}, "later"},
	} {
		if got := warningText(c.warning, classes, features); !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	rows := strings.Repeat("1,2,common\n2,1,common\n3,1,common\n1,1,common\n2,4,common\n", 20) + "5,2,rare\n6,1,rare\n7,3,rare\n5,4,rare\n"
	data := write(t, filepath.Join(t.TempDir(), "d.csv"), rows)
	_, _, stderr := monge(t, "fit", "--data", data, "--model", data+".wda", "--method", "fisher")
	if !strings.Contains(stderr, "use --proportional") {
		t.Error(stderr)
	}
}
