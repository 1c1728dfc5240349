package wda

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Warning is something unusual about the data, the settings or the result of a fit. The comment of
// each WarningCode explains the fields.
//
// Model files written before v1 contain sentences instead of codes. Code is then empty, and String
// returns the sentence.
type Warning struct {
	Code     WarningCode
	Classes  []int     // labels
	Features []int     // feature numbers, counted from 0
	Values   []float64 // numbers whose meaning depends on Code

	text string // sentence of a warning from a model file without warning codes
}

// WarningCode is the kind of a Warning. Later versions may add kinds.
type WarningCode string

const (
	// WarningConstantFeatures: some features have the same value in all samples. Features contains
	// the first constant feature. Values contains the number of constant features and the number of
	// all features.
	WarningConstantFeatures WarningCode = "constant-features"
	// WarningFeatureScale: the spread of a feature is so large that this feature dominates
	// distances. Features contains the feature with the largest spread. Values contains its spread
	// divided by the median spread, and the number of features with too large a spread. See
	// Data.Standardize.
	WarningFeatureScale WarningCode = "feature-scale"
	// WarningFewSamples: a class has fewer than 5 samples. Classes contains the smallest class, and
	// Values contains its size.
	WarningFewSamples WarningCode = "few-samples"
	// WarningClassSizes: the largest class is at least 20 times as large as the smallest class, and
	// all classes have the same weight. Classes contains the largest and the smallest class, and
	// Values contains their sizes. See Objective.Proportional.
	WarningClassSizes WarningCode = "class-sizes"
	// WarningNoShrinkage: the projection will fit noise, because there are fewer samples than features
	// and no shrinkage. Values contains the numbers of samples and of features. See
	// Objective.Shrinkage.
	WarningNoShrinkage WarningCode = "no-shrinkage"
	// WarningEqualSamples: all samples of a class are equal. Classes contains the first such class.
	WarningEqualSamples WarningCode = "equal-samples"
	// WarningOneDirection: within classes, the projected samples vary in one direction only. A few
	// features determine the projection, because their values are large or nearly constant. Values
	// contains the number of components and the effective rank of the scatter within classes.
	WarningOneDirection WarningCode = "one-direction"
	// WarningHeldOutError: principal components classify held-out rows better than the projection.
	// Values contains the share of held-out rows that the projection classifies wrongly, and the share
	// that principal components classify wrongly. Let Fit choose λ, ρ and the whitening, or use the
	// method Principal.
	WarningHeldOutError WarningCode = "held-out-error"
	// WarningTrainingError: no rows were held out, and the leave-one-out error of principal
	// components on training rows is smaller than the error of the projection. Values contains the
	// number of rows, the number of neighbors, the error of the projection, and the error of
	// principal components.
	WarningTrainingError WarningCode = "training-error"
	// WarningLogDomain: λ is so large that some transport problems were solved in the log domain,
	// which is slower. Values contains the number of these problems and the number of all problems.
	WarningLogDomain WarningCode = "log-domain"
	// WarningLowPrecision: λ is so large that some transport plans have only few correct digits.
	// Values contains the number of these plans and the number of all transport plans.
	WarningLowPrecision WarningCode = "low-precision"
)

// warningForm has the lengths of the fields of a Warning.
type warningForm struct{ classes, features, values int }

var warningForms = map[WarningCode]warningForm{
	WarningConstantFeatures: {features: 1, values: 2},
	WarningFeatureScale:     {features: 1, values: 2},
	WarningFewSamples:       {classes: 1, values: 1},
	WarningClassSizes:       {classes: 2, values: 2},
	WarningNoShrinkage:      {values: 2},
	WarningEqualSamples:     {classes: 1},
	WarningOneDirection:     {values: 2},
	WarningHeldOutError:     {values: 2},
	WarningTrainingError:    {values: 4},
	WarningLogDomain:        {values: 2},
	WarningLowPrecision:     {values: 2},
}

// wellFormed reports whether the code is known and the fields have the lengths that the code requires.
func (w Warning) wellFormed() bool {
	form, ok := warningForms[w.Code]
	return ok && form == warningForm{len(w.Classes), len(w.Features), len(w.Values)}
}

// String returns the warning as a sentence without a period. It uses labels and feature numbers
// instead of names. If Code is unknown, or if the length of a field differs from the documentation of
// Code, String returns Code.
func (w Warning) String() string {
	if w.Code == "" {
		return w.text
	}
	if !w.wellFormed() {
		return string(w.Code)
	}
	const advice = "leave λ, Shrinkage and Whitening open, or take the method Principal"
	v := w.Values
	switch w.Code {
	case WarningConstantFeatures:
		return fmt.Sprintf("%g of %g features are constant; the first is feature %d, counted from 0", v[0], v[1], w.Features[0])
	case WarningFeatureScale:
		return fmt.Sprintf("the scale of feature %d, counted from 0, is %.0e times the median of all features (%g such features): distances depend on little else; see Standardize", w.Features[0], v[0], v[1])
	case WarningFewSamples:
		return fmt.Sprintf("class %d has only %g samples", w.Classes[0], v[0])
	case WarningClassSizes:
		return fmt.Sprintf("class %d has %g samples and class %d has %g, but all classes have the same weight; see Proportional", w.Classes[0], v[0], w.Classes[1], v[1])
	case WarningNoShrinkage:
		return fmt.Sprintf("%g samples of %g features without shrinkage: the projection will fit noise; see Shrinkage", v[0], v[1])
	case WarningEqualSamples:
		return fmt.Sprintf("all samples of class %d are equal", w.Classes[0])
	case WarningOneDirection:
		return fmt.Sprintf("within classes the samples vary in only one of %g components (effective rank %.3f): a few features decide alone, because their numbers are large or nearly constant; standardize the features, whiten them, or use more shrinkage", v[0], v[1])
	case WarningHeldOutError:
		return fmt.Sprintf("of the held-out rows, %.1f %% are classified wrongly in the projection, and %.1f %% with principal components in its place: %s", 100*v[0], 100*v[1], advice)
	case WarningTrainingError:
		return fmt.Sprintf("with each of %g training rows left out in turn, %g nearest neighbors classify %.1f %% wrongly in the projection, and %.1f %% with principal components: %s", v[0], v[1], 100*v[2], 100*v[3], advice)
	case WarningLogDomain:
		return fmt.Sprintf("λ is so large that %g of %g transport problems had to be solved in the log domain, which is slower", v[0], v[1])
	default: // WarningLowPrecision
		return fmt.Sprintf("λ is so large that %g of %g transport plans have only few correct digits", v[0], v[1])
	}
}

// clone returns a deep copy of w.
func (w Warning) clone() Warning {
	w.Classes, w.Features, w.Values = slices.Clone(w.Classes), slices.Clone(w.Features), slices.Clone(w.Values)
	return w
}

// fileWarning is a Warning in a model file: an object or, before v1, a sentence.
type fileWarning struct{ Warning }

func fileWarnings(warnings []Warning) (out []fileWarning) {
	for _, w := range warnings {
		out = append(out, fileWarning{w})
	}
	return out
}

func fromFileWarnings(file []fileWarning) (out []Warning) {
	for _, w := range file {
		out = append(out, w.Warning)
	}
	return out
}

// warningFields is the JSON object of a warning.
type warningFields struct {
	Code     WarningCode `json:"code"`
	Classes  []int       `json:"classes,omitempty"`
	Features []int       `json:"features,omitempty"`
	Values   []float64   `json:"values,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (w fileWarning) MarshalJSON() ([]byte, error) {
	if w.Code == "" {
		return json.Marshal(w.text)
	}
	return json.Marshal(warningFields{w.Code, w.Classes, w.Features, w.Values})
}

// UnmarshalJSON implements json.Unmarshaler.
func (w *fileWarning) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &w.text) == nil {
		return nil
	}
	var f warningFields
	err := json.Unmarshal(data, &f)
	w.Warning = Warning{Code: f.Code, Classes: f.Classes, Features: f.Features, Values: f.Values}
	return err
}
