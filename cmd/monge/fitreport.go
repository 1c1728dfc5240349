package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gomonge/monge/wda"
)

// print writes the report of a fit as text. defaultSteps is true if --max-steps has its default
// value.
func (out *fitResult) print(w io.Writer, r *wda.Report, defaultSteps bool) {
	atLimit := "before it converged; --max-steps allows more"
	if defaultSteps && r.Choice != nil {
		atLimit = "as many as every candidate was given in the comparison"
	}
	of := ""
	if out.FileRows > 0 {
		of = fmt.Sprintf(" of %d", out.FileRows)
	}
	fmt.Fprintf(w, "data\t%d%s rows, %d features, %d classes (%s)\n", out.Samples, of, out.Features, len(out.Classes), joinNames(out.Classes, 60))
	informative := ""
	if out.Leading < out.Components {
		informative = fmt.Sprintf(", of which %d %s informative", out.Leading, plural(out.Leading, "is", "are"))
	}
	fmt.Fprintf(w, "projection\t%d → %d dimensions%s\n", out.Features, out.Components, informative)
	first, leads := "", ""
	if out.Mixed > 1 {
		first, leads = printMixture(w, out.Choice[:out.Mixed])
	} else {
		fmt.Fprintf(w, "method\t%s\n", methodText(out.Solver, out.Whitening, out.Lambda, float64(out.Shrinkage), out.Scale))
	}
	if out.Choice != nil {
		fmt.Fprintf(w, "chosen\t%s\n", out.choiceReason())
	}
	fmt.Fprintf(w, "optimizer\t%s%s; %.3g s in all\n", leads, endText(r, atLimit), r.Elapsed.Seconds())
	if n := len(out.StartObjectives); n > 1 && kindText(out.Solver) == "WDA" {
		fmt.Fprintf(w, "starts\tbest of %d: %s\n", n, startsText(out.Maxima))
	}
	of = ""
	if out.ObjectiveSamples < out.Samples {
		of = fmt.Sprintf(", on %d rows", out.ObjectiveSamples)
	}
	if first != "" {
		of += ", with the settings" + first
	}
	fmt.Fprintf(w, "J\t%.6g = between %.6g / (within %.6g + ridge %.6g)%s\n", r.Objective, r.Between, r.Within, r.Ridge, of)
	fmt.Fprintf(w, "ratios\t%s: between / within for each component\n", ratiosText(r.Ratios))
	if out.ValidationError != nil {
		fmt.Fprintf(w, "validation\t%s of the rows of --validation are classified wrongly, by %d neighbors\n", percent(r.ValidationError), r.Settings.Validation.Neighbors)
	}
	keeps := ""
	if out.K > 0 {
		keeps = fmt.Sprintf(", with training rows to classify by %d %s", out.K, plural(out.K, "neighbor", "neighbors"))
	}
	if out.Calibration > 0 {
		fmt.Fprintf(w, "rejection\trejects a share of %v of the rows of known classes on average; %d rows, kept apart, set the threshold\n", float64(out.RejectRate), out.Calibration)
	}
	if out.Storage != "" && out.Storage != wda.StorageFloat64().String() {
		s := storageResult{Storage: out.Storage, RowBytes: out.RowBytes, Bytes: out.Bytes}
		fmt.Fprintf(w, "storage\t%s\n", s.text())
	}
	fmt.Fprintf(w, "model\t%s%s\n", out.Model, keeps)
	if out.Choice != nil {
		out.printChoice(w, r.Choice)
	}
}

// printMixture writes the candidates of a mixture. Some numbers in the report describe only the
// first candidate. The suffix is a phrase that follows such a number, and the prefix is a phrase that
// precedes such a number.
func printMixture(w io.Writer, members []choice) (suffix, prefix string) {
	fmt.Fprintf(w, "method\tmixed from %s candidates that cross-validation could not tell apart:\n", numberWord(len(members)))
	for _, m := range members {
		fmt.Fprintf(w, "\t%s\n", m.text())
	}
	return " of the first candidate", "of the first candidate: "
}

// bestPerKind returns the candidates that the fit uses, and the best candidate of every other kind
// of method. taken is the number of candidates that the fit uses.
func (out *fitResult) bestPerKind(taken int) []choice {
	shown := slices.Clone(out.Choice[:taken])
	for _, m := range out.Choice {
		kind := kindText(m.Method)
		if m.Folds > 0 && !slices.ContainsFunc(shown, func(s choice) bool { return kindText(s.Method) == kind }) {
			shown = append(shown, m)
		}
	}
	return shown
}

// choiceReason returns one line that explains the choice of the method.
func (out *fitResult) choiceReason() string {
	if out.Choice[0].Folds == 0 {
		return "the default: no class has enough rows to hold some out and compare"
	}
	shown := out.bestPerKind(1)
	words := fmt.Sprintf("by the lowest loss in cross-validation of these rows, of %d candidates: %s, error %s", len(out.Choice), kindText(shown[0].Method), percent(float64(shown[0].Error)))
	for _, m := range shown[1:] {
		words += fmt.Sprintf("; best %s %s", kindText(m.Method), percent(float64(m.Error)))
	}
	return words
}

// printChoice lists the chosen candidates, and the best candidate of each kind of method that was
// not chosen. If all candidates are of one kind, it lists the best two.
func (out *fitResult) printChoice(w io.Writer, c *wda.Choice) {
	taken := out.Choice[0]
	if taken.Folds == 0 {
		return
	}
	shown := out.bestPerKind(out.Mixed)
	which := "The best of each kind"
	if out.Mixed > 1 {
		which = "The mixed candidates, and the best of every other kind"
	} else if len(shown) == 1 {
		which = "The best"
		// Find the next candidate with a different text. The text omits settings that the method does not use.
		next := slices.IndexFunc(out.Choice, func(m choice) bool { return m.text() != taken.text() })
		if next > 0 {
			shown = append(shown, out.Choice[next])
		}
	}
	judge := fmt.Sprintf("%d %s", c.Neighbors, plural(c.Neighbors, "neighbor", "neighbors"))
	if c.Neighbors == 0 {
		judge = map[string]string{"linear": "a linear classifier", "centroid": "nearest centroids"}[out.For]
	}
	fmt.Fprintf(w, "\nChosen from %d candidates by the loss of %s in cross-validation. %s:\n\n", len(out.Choice), judge, which)
	fmt.Fprintf(w, "  loss\terror\tcandidate\n")
	for i, m := range shown {
		mark := ""
		switch {
		case i >= out.Mixed:
		case out.Mixed > 1:
			mark = " (mixed)"
		default:
			mark = " (taken)"
		}
		fmt.Fprintf(w, "  %.4f\t%s\t%s%s\n", float64(m.Loss), percent(float64(m.Error)), m.text(), mark)
	}
}

// text returns the method and the settings of the candidate.
func (m *choice) text() string {
	return methodText(m.Method, m.Whitening, m.Lambda, m.Shrinkage, m.Scale)
}

// numberWord returns a small number as a word.
func numberWord(n int) string {
	if words := []string{"no", "one", "two", "three", "four", "five", "six"}; n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n)
}

// kindText describes the kind of a method.
func kindText(method string) string {
	switch method {
	case "principal":
		return "principal components"
	case "fisher":
		return "discriminant analysis"
	}
	return "WDA"
}

// methodText describes a method with the settings that it uses.
func methodText(method, whitening, lambda string, rho float64, scale string) string {
	kind := kindText(method)
	if whitening == "none" {
		whitening = "no"
	}
	rest := []string{whitening + " whitening"}
	if kind == "WDA" {
		if value, ok := strings.CutPrefix(lambda, "absolute:"); ok {
			lambda = value + " (absolute)"
		}
		rest = append(rest, "λ = "+lambda, fmt.Sprintf("ρ = %g", rho))
	}
	rest = append(rest, scale+" scale")
	if kind == "WDA" && method != "auto" {
		rest = append(rest, "method "+method)
	}
	return kind + " (" + strings.Join(rest, ", ") + ")"
}

// endText describes how a fit ended. atLimit is the text for a fit that ended at the maximum number
// of steps.
func endText(r *wda.Report, atLimit string) string {
	if kindText(r.Settings.Optimizer.Method.String()) != "WDA" {
		return "not needed, the method has a closed form"
	}
	steps := fmt.Sprintf("after %d %s", r.Steps, plural(r.Steps, "step", "steps"))
	switch r.Status.String() {
	case "GradientTolerance":
		return "converged " + steps + ": the gradient is small enough"
	case "StepTolerance":
		return "converged " + steps + ": the projection no longer moves"
	case "FunctionTolerance":
		return "converged " + steps + ": J no longer rises"
	case "LineSearchFailed":
		return "converged " + steps + ", as far as rounding allows: no step raises J"
	case "Stalled":
		return "converged " + steps + ", as far as rounding allows: J has not risen in the last 100"
	case "MaxSteps":
		if limit := r.Settings.Optimizer.MaxSteps; r.Settings.Optimizer.Method.String() == "minibatch" && r.Steps < limit {
			// The result is the best projection of all rounds, because the last round may lower the
			// objective.
			return fmt.Sprintf("ended at the limit of %d %s of mini-batches, and J was largest after %d; --max-steps allows more", limit, plural(limit, "round", "rounds"), r.Steps)
		}
		return "ended " + steps + ", " + atLimit
	case "EvaluationFailed":
		return "not converged: J cannot be computed near the projection " + steps
	case "Stopped":
		if r.Settings.Validation != nil && r.Steps == 0 {
			return "the start is kept: no step classified the rows of --validation better"
		}
		if r.Settings.Validation != nil {
			return "stopped early " + steps + ": the rows of --validation are no longer classified better"
		}
		return "stopped early " + steps
	}
	return r.Status.String() + " " + steps
}

// plural returns singular if n is 1, and multiple otherwise.
func plural(n int, singular, multiple string) string {
	if n == 1 {
		return singular
	}
	return multiple
}

// startsText describes how many starts of the optimizer reached each maximum.
func startsText(all []maximum) string {
	if len(all) == 1 {
		return fmt.Sprintf("all lead to J = %.4g", float64(all[0].Objective))
	}
	var out []string
	for _, m := range all {
		out = append(out, fmt.Sprintf("J = %.4g from %d", float64(m.Objective), m.Starts))
	}
	return joinNames(out, 60)
}

// ratiosText lists the ratios of the components.
func ratiosText(v []float64) string {
	var out []string
	for _, r := range v {
		out = append(out, strconv.FormatFloat(r, 'g', 3, 64))
	}
	return joinNames(out, 60)
}
