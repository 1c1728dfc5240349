package descent

import (
	"errors"
	"fmt"

	"github.com/gomonge/monge/internal/enum"
	"gonum.org/v1/gonum/mat"
)

// Status is the reason why a minimization ended.
type Status uint8

const (
	// NotTerminated is the zero value. Minimize never returns it in a Result.
	NotTerminated Status = iota
	// GradientTolerance: a gradient tolerance is met.
	GradientTolerance
	// StepTolerance: the latest step was shorter than Settings.StepTolerance.
	StepTolerance
	// FunctionTolerance: the value has stopped decreasing.
	FunctionTolerance
	// MaxSteps: the maximum number of steps is reached.
	MaxSteps
	// LineSearchFailed: no step decreases the value, even along the direction of steepest descent.
	// This is common if a tolerance is below the rounding error.
	LineSearchFailed
	// Stalled: for 100 steps, the value has not decreased by more than its rounding error and the
	// gradient norm has not reached a new minimum. This is common if a tolerance is below the
	// rounding error.
	Stalled
	// EvaluationFailed: the last line search could not evaluate any point.
	EvaluationFailed
	// Canceled: the context ended.
	Canceled
	// Stopped: Settings.Progress returned an error.
	Stopped
)

var statusNames = enum.New("Status", errStatus,
	"NotTerminated", "GradientTolerance", "StepTolerance", "FunctionTolerance", "MaxSteps",
	"LineSearchFailed", "Stalled", "EvaluationFailed", "Canceled", "Stopped")

var errStatus = errors.New("unknown status")

// String returns the name of the constant.
func (s Status) String() string { return statusNames.Name(uint8(s)) }

// MarshalText implements encoding.TextMarshaler.
func (s Status) MarshalText() ([]byte, error) { return statusNames.Text(uint8(s)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Status) UnmarshalText(text []byte) error { return enum.Parse(s, text, statusNames) }

// Converged reports whether a tolerance was met.
func (s Status) Converged() bool {
	return s == GradientTolerance || s == StepTolerance || s == FunctionTolerance
}

// Evaluations counts evaluations, including failed ones. An evaluation of both value and gradient
// counts in both fields.
type Evaluations struct {
	Values    int // forward passes
	Gradients int // reverse passes
}

// Step describes an iterate and the step that led to it.
type Step struct {
	Index        int     // 0 for the start
	Value        float64 // f(P)
	GradientNorm float64 // Riemannian: ‖grad f(P)‖
	StepSize     float64 // α
	StepLength   float64 // ‖αD‖
	Restart      bool    // conjugate gradient or LBFGS used the direction of steepest descent
	Evaluations  Evaluations
}

// Result is the outcome of a minimization.
type Result struct {
	// Point is the last iterate. No iterate had a value lower than Value − Settings.Noise·|Value|.
	Point *mat.Dense

	Value        float64 // f(Point), finite
	GradientNorm float64 // ‖grad f(Point)‖, finite
	Status       Status

	// Steps is the number of accepted steps. History contains the start and every accepted step.
	Steps       int
	History     []Step
	Evaluations Evaluations
}

// StartError reports that f or its gradient cannot be computed at the start, or that the start is
// not on the manifold. Minimize then returns no Result.
type StartError struct {
	Value         float64 // f(start), if computed
	GradientNorm  float64 // ‖grad f(start)‖, if computed
	Infeasibility float64 // distance of the start from the manifold
	Err           error   // error of the evaluation, or nil
}

func (e *StartError) Error() string {
	switch {
	case e.Err != nil:
		return fmt.Sprintf("descent: evaluation at the start: %v", e.Err)
	case !(e.Infeasibility <= maxInfeasibility):
		return fmt.Sprintf("descent: start is not on the manifold: off by %.3g", e.Infeasibility)
	default:
		return fmt.Sprintf("descent: start has value %v and gradient norm %v", e.Value, e.GradientNorm)
	}
}

// Unwrap returns the error of the evaluation, or nil.
func (e *StartError) Unwrap() error { return e.Err }
