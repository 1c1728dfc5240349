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

// Report describes a fit. The package documentation explains J, σ_b², σ_w² and the ridge.
//
// If the projection is a mixture of candidates (see Mixture), Objective, Between, Within, Ridge,
// GradientNorm, Lambda and Ratios describe the mixture. They are computed with the whitening, λ and ρ
// of the first candidate. The Ratios of a mixture are not sorted. Status, Steps, Evaluations,
// History, Start and StartObjectives describe the fit of the first candidate.
type Report struct {
	// Objective is J at the result. Compare it only with fits of the same λ, ridge and data.
	Objective float64
	// Between is σ_b², the transport cost between the classes, and Within is σ_w², the cost within
	// the classes. Both are in the squared unit of the data: J = Between / (Within + Ridge).
	// Between and Within are 0 if the context ended the fit. If squares are out of the range of
	// float64, the value is math.MaxFloat64 (for data above about 1e150) or 0 (for data below about
	// 1e-150). J is not affected.
	Between, Within float64
	// Ridge is ρ·σ_w²(P⁰), where ρ is Settings.Objective.Shrinkage and P⁰ is the starting point. The
	// unit is the squared unit of the data. If squares are out of the range of float64, Ridge is
	// math.MaxFloat64 or 0, like Between.
	Ridge float64
	// ObjectiveSamples is the number of samples on which J was evaluated. It is less than n in two
	// cases. With Objective.Samples, or with MiniBatch and many samples, J uses a fixed part of
	// each class. With more than 1024 classes and Auto, MiniBatch, Principal or Fisher, J is an
	// estimate from 1024 classes, evenly spaced in ascending order of the labels.
	ObjectiveSamples int
	// GradientNorm is the norm of the Riemannian gradient of J at the result. Objective.Gradient
	// selects how the gradient is computed.
	GradientNorm float64
	// Status is the reason why the fit ended.
	Status Status
	// Steps is the number of steps from the starting point that led to the result.
	Steps int
	// Evaluations counts the evaluations of J and its gradient for all starting points.
	Evaluations Evaluations
	// History contains the starting point and all steps that led to the result.
	History []Step
	// Elapsed is the time that Fit took.
	Elapsed time.Duration
	// Start is the index of the starting point that led to the result. StartObjectives contains the
	// final J for each starting point, or NaN if J is not finite.
	Start           int
	StartObjectives []float64
	// Maxima contains the distinct values in StartObjectives, largest first; values that differ by
	// less than 0.1 % count as equal. LedTo contains the number of starting points that led to each
	// maximum.
	Maxima []float64
	LedTo  []int
	// ValidationError is the fraction of held-out samples that the result classifies wrongly.
	// Validations contains this fraction for the projections during the fit. With several starting
	// points, Validations covers only the fit that led to the result. Without Settings.Validation, both
	// fields are zero.
	ValidationError float64
	Validations     []ValidationPoint
	// Warnings lists what is unusual about the data, the settings or the result.
	Warnings []Warning
	// Lambda contains λ_cc' for each pair of classes, in the inverse squared unit of the data. It
	// is nil if J was evaluated on a subset of the classes (see ObjectiveSamples).
	Lambda *mat.SymDense
	// Ratios contains one ratio for each component, largest first. The numerator is the transport
	// cost between classes, and the denominator is the cost within classes plus ridge/p. The ratios
	// are the eigenvalues μ of S_b v = μ (S_w + ridge/p·I) v. S_b and S_w (p × p) are the sums of
	// T_ij (y_i − z_j)(y_i − z_j)ᵀ between and within classes, for the transport plans T and an
	// orthonormal basis of the span of the projection. A component with a ratio near 0 does not
	// separate classes.
	Ratios []float64
	// Choice describes how Fit chose settings. It is nil if no setting was automatic.
	Choice *Choice
	// Settings are the settings of the fit, with all defaults and choices filled in.
	Settings Settings
}

// Evaluations counts evaluations of J, including failed evaluations. An evaluation that computes J
// and its gradient counts in both fields.
type Evaluations struct {
	Values    int
	Gradients int
}

// Phase is a part of a fit.
type Phase uint8

const (
	// PhaseFit: the optimizer makes steps. Done counts steps, or the fits of CrossValidate. Total
	// is the largest number that Done can reach; a fit usually ends earlier.
	PhaseFit Phase = iota
	// PhaseChoice: Fit compares candidate settings on held-out rows, before the first step. Done
	// counts fits, each with one candidate and one fold. Total is an estimate, because candidates
	// are eliminated early. Work of an Executor is not reported.
	PhaseChoice
	// PhaseBatches: the method MiniBatch processes mini-batches before its next step. Done counts
	// mini-batches, and Total is the largest number that Done can reach.
	PhaseBatches
)

var phaseNames = enum.New("Phase", errors.New("unknown phase"), "Fit", "Choice", "Batches")

// String returns the name of the phase: the name of the constant without the prefix Phase.
func (p Phase) String() string { return phaseNames.Name(uint8(p)) }

// Progress reports how far Fit or CrossValidate has come.
type Progress struct {
	// Phase is the part of the fit.
	Phase Phase
	// Done is the amount of work that has been done in the phase, and Total is the amount of all work
	// of the phase. Phase determines the unit. Done never decreases within a phase.
	Done, Total int
	// Step is the latest step of the optimizer. It is empty before the first step.
	Step Step
}

// Step is one accepted step of a fit.
type Step struct {
	Start        int     // index of the starting point: 0 for P⁰, larger for random points
	Index        int     // number of the step; 0 for the starting point
	Objective    float64 // J
	GradientNorm float64 // norm of the Riemannian gradient
	StepSize     float64
}

// Choice describes how Fit chose settings by cross-validation of a list of candidates.
type Choice struct {
	// Members are the candidates, best first. Fit used the first candidate, unless Mixed is more
	// than 1.
	Members []Member
	// Mixed is the number of candidates in the mixture: the projection combines Members[:Mixed],
	// whose losses on held-out rows do not differ significantly. It is 1 if Fit used only
	// Members[0].
	Mixed int
	// Neighbors is the number of neighbors of the classifier that compared the candidates. It is 0
	// if Settings.For selects another classifier.
	Neighbors int
	// Rows is the number of rows that were divided into folds.
	Rows int

	principal float64 // error of the principal components
}

// Member is one candidate of a Choice: a combination of settings and its errors.
type Member struct {
	Whitening Whitening
	Method    Method // Principal, Fisher, or the method in Settings
	Shrinkage Shrinkage
	Lambda    Lambda
	Scale     Scale
	// Leading is the number of informative components. To choose Leading for a finalist, Fit
	// compared several fits with different numbers of components. For all other candidates, Fit
	// made one fit with all components and compared the first components of this fit.
	Leading int
	// Error is the fraction of held-out rows that were classified wrongly. Loss is Error plus a
	// Brier score: the score of the votes of the neighbors, weighted by distance, or the score of the
	// class probabilities with UseLinear and UseCentroid. Error and Loss are means over Folds folds.
	// A candidate with fewer Folds than other candidates was eliminated early.
	Loss, Error float64
	Folds       int
}

// wasCompared reports whether candidates were compared.
func (c *Choice) wasCompared() bool { return c != nil && c.Members[0].Folds > 0 }

// ValidationPoint is one evaluation on held-out samples. Error is the fraction of these samples that
// was classified wrongly after the step with the number Step.
type ValidationPoint struct {
	Step  int
	Error float64
}

// Status is the reason why a fit ended. Its zero value means that there was no fit.
type Status uint8

const (
	_ Status = iota // no fit
	// StatusGradientTolerance: the norm of the gradient has fallen to Optimizer.Tolerance times the
	// norm at the starting point.
	StatusGradientTolerance
	// StatusStepTolerance: the latest step moved the projection by less than a tolerance.
	StatusStepTolerance
	// StatusFunctionTolerance: J has stopped rising.
	StatusFunctionTolerance
	// StatusMaxSteps: Optimizer.MaxSteps steps were made. More steps may raise J further.
	StatusMaxSteps
	// StatusLineSearchFailed: no step along the gradient raises J by more than rounding. This
	// is usual if Tolerance is smaller than rounding allows.
	StatusLineSearchFailed
	// StatusStalled: in 100 steps neither J nor the gradient improved. The usual cause is the same
	// as for StatusLineSearchFailed.
	StatusStalled
	// StatusEvaluationFailed: J could not be computed near the last projection.
	StatusEvaluationFailed
	// StatusCanceled: the context ended.
	StatusCanceled
	// StatusStopped: Progress returned an error, Validation saw no further improvement, or the
	// method makes no steps, like Principal and Fisher.
	StatusStopped
)

// String returns the name of the status: the name of the constant without the prefix Status.
func (s Status) String() string { return descent.Status(s).String() }

// MarshalText implements encoding.TextMarshaler. It returns the text of String.
func (s Status) MarshalText() ([]byte, error) { return descent.Status(s).MarshalText() }

// UnmarshalText implements encoding.TextUnmarshaler. It reads what String writes.
func (s *Status) UnmarshalText(text []byte) error { return (*descent.Status)(s).UnmarshalText(text) }

// Converged reports whether the fit reached one of its three tolerances.
func (s Status) Converged() bool { return descent.Status(s).Converged() }

// Two fits have found the same maximum if their values of J differ by at most the fraction sameMaximum.
const sameMaximum = 1e-3

// maxima returns the distinct maxima among the objectives, largest first, and the number of starting
// points that led to each maximum.
func maxima(objectives []float64) (values []float64, starts []int) {
	last := math.NaN()
	for _, v := range slices.Backward(slices.Sorted(slices.Values(objectives))) {
		if math.IsNaN(v) {
			break // NaN sorts first
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

// clampReported returns x, or the largest float64 if x is larger.
func clampReported(x float64) float64 {
	if x > math.MaxFloat64 {
		return math.MaxFloat64
	}
	return x
}
