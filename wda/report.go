package wda

import (
	"time"

	"github.com/gomonge/monge/internal/descent"
	"gonum.org/v1/gonum/mat"
)

// Report is how a fit went.
type Report struct {
	Objective float64 // J, with the ridge
	// Between and Within are σ_b² and σ_w², in the units of the data. They, and Warnings,
	// are missing where the context ended the fit.
	Between, Within float64
	Ridge           float64
	// ObjectiveSamples is the number of samples that all this was evaluated on: fewer
	// than there are if MiniBatch had too many. A class is represented by its share.
	ObjectiveSamples int
	GradientNorm     float64 // of J, Riemannian, at the result, as Objective.Gradient says
	// Status says how the fit ended. Its text, by String, MarshalText and UnmarshalText, and
	// in a model file, is one of
	//
	//	GradientTolerance    the gradient has become small
	//	StepTolerance        steps have
	//	FunctionTolerance    J does not rise any more
	//	MaxSteps             Optimizer.MaxSteps were made
	//	LineSearchFailed     no step raises J by more than rounding
	//	Stalled              neither J nor the gradient has become better in 100 steps
	//	EvaluationFailed     there is no J near the projection
	//	Cancelled            the context ended
	//	Stopped              by Progress or Validation, or as there is nothing to be done
	//
	// and its method Converged reports whether it is one of the first three.
	Status      descent.Status
	Steps       int
	Evaluations descent.Evaluations // of all starts
	History     []Step
	Elapsed     time.Duration
	// Start is the start that led to the result, and StartObjectives the J that each
	// has led to, NaN for one where J is not finite.
	Start           int
	StartObjectives []float64
	// Maxima are the different ones among these, largest first, and LedTo how many of the
	// starts have led to each; those within a thousandth of the next are one.
	Maxima []float64
	LedTo  []int
	// ValidationError is the lowest error on the held-out samples, that of the
	// result, and Validations all errors, from the start that led to the result.
	ValidationError float64
	Validations     []ValidationPoint
	// Warnings say what is odd about the data or the settings, one sentence each.
	Warnings []string
	// Lambda holds λ_cc', in the units of the data.
	Lambda *mat.SymDense
	// Ratios are those of the components, largest first: of their transport between
	// classes to that within, the ridge included.
	Ratios []float64
	// Choice is how settings that were left open have been chosen, nil if none was.
	Choice *Choice
	// Settings are those of the fit, with the defaults filled in.
	Settings Settings
}

// Progress is where a work stands that takes a while.
type Progress struct {
	// Done counts what is done, of Total at most: steps of Fit, fits of CrossValidate.
	Done, Total int
	// Step is the latest step of Fit.
	Step Step
}

// Step is one accepted step of the solver.
type Step struct {
	Start        int     // 0 is P⁰, others are random
	Index        int     // 0 is the start
	Objective    float64 // J
	GradientNorm float64 // of J, Riemannian
	StepSize     float64
}

// Member is a member of the family that was compared on rows held out.
type Member struct {
	Whitening Whitening
	Method    Method // Principal, Fisher, or that of the fit
	Shrinkage Shrinkage
	Lambda    Lambda
	Scale     Scale
	// Leading is the number of components that count. That of the member taken is of fits
	// to so many, of the others of the first so many.
	Leading int
	// Loss is Brier's of the neighbors' weighted votes and Error the share of rows that
	// they get wrong, means over Folds folds.
	Loss, Error float64
	Folds       int
}

// Choice is how the settings that were left open were chosen.
type Choice struct {
	// Members are the members compared, the one taken first.
	Members []Member
	// Neighbors is K, and Rows the number of rows that the folds are of.
	Neighbors, Rows int

	principal float64 // the error of the principal components
}

// compared reports whether there was anything to compare, and a way to.
func (c *Choice) compared() bool { return c != nil && c.Members[0].Folds > 0 }

// ValidationPoint is the share of held-out samples classified wrongly with the
// projection of a step.
type ValidationPoint struct {
	Step  int
	Error float64
}
