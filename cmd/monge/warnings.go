package main

import (
	"fmt"
	"strconv"

	"github.com/gomonge/monge/wda"
)

// warning is a warning about a fit in JSON.
type warning struct {
	Code wda.WarningCode `json:"code"`
	Text string          `json:"text"`
}

// warn prints the warnings about the fit of m and returns them. The labels of m are indices into
// classes.
func (a *app) warn(m *wda.Model, classes []string) []warning {
	var out []warning
	for _, w := range m.Report().Warnings {
		text := warningText(w, classes, m.FeatureNames())
		out = append(out, warning{w.Code, text})
		a.warnText(text)
	}
	return out
}

// warningText returns a warning as text. It names the classes and features, and suggests flags that
// may help.
func warningText(w wda.Warning, classes, features []string) string {
	class := func(i int) string {
		if l := w.Classes[i]; l >= 0 && l < len(classes) {
			return "class " + quoteShort(classes[l])
		}
		return "class " + strconv.Itoa(w.Classes[i])
	}
	feature := func() string {
		if j := w.Features[0]; j >= 0 && j < len(features) {
			return "feature " + quoteShort(features[j])
		}
		return fmt.Sprintf("feature %d, counted from 0,", w.Features[0])
	}
	const leaveOpen = "leave out --lambda, --shrinkage and --whitening, or use --method principal"
	v := w.Values
	switch w.Code {
	case wda.WarningConstantFeatures:
		return fmt.Sprintf("%g of %g features are constant; %s is the first", v[0], v[1], feature())
	case wda.WarningFeatureScale:
		return fmt.Sprintf("%s has %.0e times the median scale of all features (%g such features): distances depend on little else; use --standardize", feature(), v[0], v[1])
	case wda.WarningFewSamples:
		return fmt.Sprintf("%s has only %g samples", class(0), v[0])
	case wda.WarningClassSizes:
		return fmt.Sprintf("%s has %g samples and %s has %g, but all classes have the same weight; use --proportional if large classes should count for more", class(0), v[0], class(1), v[1])
	case wda.WarningNoShrinkage:
		return fmt.Sprintf("%g samples of %g features without shrinkage: the projection will fit noise; use --shrinkage", v[0], v[1])
	case wda.WarningEqualSamples:
		return fmt.Sprintf("all samples of %s are equal", class(0))
	case wda.WarningOneDirection:
		return fmt.Sprintf("within classes the samples vary in only one of %g components (effective rank %.3f): a few features decide alone, because their numbers are large or nearly constant; use --standardize, --whitening diagonal, or more --shrinkage", v[0], v[1])
	case wda.WarningHeldOutError:
		return fmt.Sprintf("of the held-out rows, %s are classified wrongly in the projection, and %s with principal components in its place: %s", percent(v[0]), percent(v[1]), leaveOpen)
	case wda.WarningTrainingError:
		return fmt.Sprintf("with each of %g training rows left out in turn, %g nearest neighbors classify %s wrongly in the projection, and %s with principal components: %s", v[0], v[1], percent(v[2]), percent(v[3]), leaveOpen)
	case wda.WarningLogDomain, wda.WarningLowPrecision:
		return w.String() + "; use a smaller --lambda"
	}
	return w.String()
}
