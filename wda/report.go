package wda

import (
	"errors"
	"math"
	"slices"
	"time"

	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/enum"
	"gonum.org/v1/gonum/mat"
)

// Report says how a fit went. The package documentation explains J, σ_b², σ_w² and the ridge.
//
// If the projection is a mixture of candidates (see Mixture), Objective, Between, Within, Ridge,
// GradientNorm, Lambda and Ratios are those of the mixture, with whitening, λ and ρ of the first
// candidate. Ratios are then not sorted. Status, Steps, Evaluations, History, Start and
// StartObjectives are those of the fit of the first candidate.
type Report struct {
	// Objective is J at the result. Compare it only with fits of the same λ, ridge and data.
	Objective float64
	// Between is σ_b², the transport cost between the classes, and Within is σ_w², the cost
	// within the classes. Both are in the squared unit of the data: J = Between / (Within +
	// Ridge). Between and Within are 0 if the context ended the fit. If a square is beyond the range of
	// float64, which takes data above about 1e150, it is math.MaxFloat64, or 0 for data below
	// about 1e-150. J does not suffer from this.
	Between, Within float64
	// Ridge is ρ·σ_w²(P⁰), ρ being Settings.Objective.Shrinkage, in the squared unit of the
	// data, with the same bounds.
	Ridge float64
	// ObjectiveSamples is the number of samples that J was evaluated on. It is less than n in two
	// cases. With Objective.Samples, or with MiniBatch and many samples, J is that of a fixed part
	// of every class. With more than 1024 classes and Auto, MiniBatch, Principal or Fisher, J is an
	// estimate from 1024 classes, evenly spaced in ascending order of the labels.
	ObjectiveSamples int
	// GradientNorm is the norm of the Riemannian gradient of J at the result, computed in the mode
	// Objective.Gradient.
	GradientNorm float64
	// Status says why the fit ended.
	Status Status
	// Steps is the number of steps from the start that led to the result.
	Steps int
	// Evaluations counts the evaluations of J and its gradient in all starts.
	Evaluations Evaluations
	// History holds the start and every step that led to the result.
	History []Step
	// Elapsed is the time that Fit took.
	Elapsed time.Duration
	// Start is the index of the start that led to the result. StartObjectives holds the J that
	// each start has led to, NaN if it is not finite.
	Start           int
	StartObjectives []float64
	// Maxima holds the different values among StartObjectives, largest first; values that
	// differ by less than a thousandth count as one. LedTo holds how many starts led to each.
	Maxima []float64
	LedTo  []int
	// ValidationError is the share of held-out samples that are classified wrongly at the
	// result. Validations holds all such errors from the start that led to the result. Both
	// are empty without Settings.Validation.
	ValidationError float64
	Validations     []ValidationPoint
	// Warnings say what is unusual about the data, the settings or the result.
	Warnings []Warning
	// Lambda holds λ_cc' of every pair of classes, in the inverse squared unit of the data. It
	// is nil if J was evaluated on some of the classes (see ObjectiveSamples).
	Lambda *mat.SymDense
	// Ratios holds one number for every component, largest first: its transport cost between
	// classes divided by that within classes, the ridge included. A component with a ratio
	// near 0 does not separate classes.
	Ratios []float64
	// Choice says how the settings that were left open were chosen. It is nil if none was.
	Choice *Choice
	// Settings are those of the fit, with all defaults and choices filled in.
	Settings Settings
}

// Evaluations counts evaluations of J, failed ones included. An evaluation that gives both J
// and its gradient counts in both.
type Evaluations struct {
	Values    int
	Gradients int
}

// Phase is the part of a fit that Progress is about.
type Phase uint8

const (
	// PhaseFit: the optimizer makes steps. Done counts steps, or the fits of CrossValidate.
	// Total is the largest number that Done can reach; a fit usually ends before.
	PhaseFit Phase = iota
	// PhaseChoice: Fit compares settings on held-out rows, before the first step. Done counts
	// fits of a candidate to a fold. Total is an estimate, as candidates are given up on the
	// way. Work that an Executor does is not reported.
	PhaseChoice
	// PhaseBatches: the method MiniBatch is between two steps. Done counts mini-batches, and
	// Total is the largest number that Done can reach.
	PhaseBatches
)

var phaseNames = enum.New("Phase", errors.New("unknown phase"), "Fit", "Choice", "Batches")

// String returns the name of the phase: that of the constant without the prefix Phase.
func (p Phase) String() string { return phaseNames.Name(uint8(p)) }

// Progress says how far Fit or CrossValidate has come.
type Progress struct {
	// Phase is the part of the fit.
	Phase Phase
	// Done says how much of the phase is done, and Total how much there is; the unit is that of
	// the phase. Done never falls within a phase.
	Done, Total int
	// Step is the latest step of the optimizer. It is empty before the first step.
	Step Step
}

// Step is one accepted step of a fit.
type Step struct {
	Start        int     // index of the start: 0 is P⁰, others are random
	Index        int     // number of the step; 0 is the start itself
	Objective    float64 // J
	GradientNorm float64 // of J, Riemannian
	StepSize     float64
}

// Choice says how the settings that were left open were chosen: by cross-validation of a list
// of candidates.
type Choice struct {
	// Members are the candidates, best first. The first is the one that Fit took, unless Mixed
	// is more than 1.
	Members []Member
	// Mixed is the number of candidates that the projection is a mixture of: of Members[:Mixed],
	// whose losses on held-out rows cannot be told apart. It is 1 if Fit took Members[0] alone.
	Mixed int
	// Neighbors is the number of neighbors of the classifier that judged the candidates. It is 0
	// if Settings.For asked for another classifier.
	Neighbors int
	// Rows is the number of rows that were divided into folds.
	Rows int

	principal float64 // the error of the principal components
}

// Member is one candidate of a Choice: a combination of settings, and how well it did.
type Member struct {
	Whitening Whitening
	Method    Method // Principal, Fisher, or the method of the fit
	Shrinkage Shrinkage
	Lambda    Lambda
	Scale     Scale
	// Leading is the number of informative components. For the candidate taken, fits with so
	// many components were compared; for the others, the first components of one fit.
	Leading int
	// Error is the share of held-out rows that were classified wrongly. Loss is Error plus a Brier
	// score: with neighbors that of their votes, weighted by distance; with UseLinear and
	// UseCentroid that of the probabilities of the classifier. Both are means over Folds folds.
	// A candidate with fewer Folds than others was given up early.
	Loss, Error float64
	Folds       int
}

// compared reports whether there was anything to compare, and a way to.
func (c *Choice) compared() bool { return c != nil && c.Members[0].Folds > 0 }

// ValidationPoint is one evaluation on held-out samples: after step Step the share Error of
// them was classified wrongly.
type ValidationPoint struct {
	Step  int
	Error float64
}

// Status says why a fit ended. Its zero value means that there was no fit.
type Status uint8

const (
	_ Status = iota // no fit
	// StatusGradientTolerance: the norm of the gradient has fallen to Optimizer.Tolerance
	// times that at the start.
	StatusGradientTolerance
	// StatusStepTolerance: the latest step hardly moved the projection.
	StatusStepTolerance
	// StatusFunctionTolerance: J has stopped rising.
	StatusFunctionTolerance
	// StatusMaxSteps: Optimizer.MaxSteps steps were made. More steps may raise J further.
	StatusMaxSteps
	// StatusLineSearchFailed: no step along the gradient raises J by more than rounding. This
	// is usual if Tolerance is smaller than rounding allows.
	StatusLineSearchFailed
	// StatusStalled: in 100 steps neither J nor the gradient became better. The usual cause is
	// that of StatusLineSearchFailed.
	StatusStalled
	// StatusEvaluationFailed: J could not be computed near the last projection.
	StatusEvaluationFailed
	// StatusCancelled: the context ended.
	StatusCancelled
	// StatusStopped: Progress returned an error, Validation saw no improvement any more, or
	// the method makes no steps, as Principal and Fisher.
	StatusStopped
)

// String returns the name of the status: that of the constant without the prefix Status.
func (s Status) String() string { return descent.Status(s).String() }

// MarshalText implements encoding.TextMarshaler with the text of String.
func (s Status) MarshalText() ([]byte, error) { return descent.Status(s).MarshalText() }

// UnmarshalText implements encoding.TextUnmarshaler. It reads what String writes.
func (s *Status) UnmarshalText(text []byte) error { return (*descent.Status)(s).UnmarshalText(text) }

// Converged reports whether the fit reached one of its three tolerances.
func (s Status) Converged() bool { return descent.Status(s).Converged() }

// sameMaximum is the share of J by which starts that have led to one maximum differ.
const sameMaximum = 1e-3

// maxima returns the different values among those that starts have led to, largest first,
// and how many have led to each.
func maxima(objectives []float64) (values []float64, starts []int) {
	last := math.NaN()
	for _, v := range slices.Backward(slices.Sorted(slices.Values(objectives))) {
		if math.IsNaN(v) {
			break // they come first
		}
		if last-v <= float64(sameMaximum*last) {
			starts[len(starts)-1]++
		} else {
			values, starts = append(values, v), append(starts, 1)
		}
		last = v
	}
	return values, starts
}

// clampReported returns a number of a report: the largest of float64 for what is larger.
func clampReported(x float64) float64 {
	if x > math.MaxFloat64 {
		return math.MaxFloat64
	}
	return x
}
