package descent

import (
	"errors"
	"fmt"

	"github.com/gomonge/monge/internal/enum"
	"gonum.org/v1/gonum/mat"
)

// Status says why a minimization ended.
type Status uint8

const (
	// NotTerminated is the zero value; no Result of Minimize has it.
	NotTerminated Status = iota
	// GradientTolerance: one of the gradient tolerances is met.
	GradientTolerance
	// StepTolerance: the latest step was shorter than Settings.StepTolerance.
	StepTolerance
	// FunctionTolerance: the value has stopped decreasing.
	FunctionTolerance
	// MaxSteps: as many steps as allowed were made.
	MaxSteps
	// LineSearchFailed: not even along the steepest descent does a step improve
	// the value. Usual when the tolerances ask for more than rounding allows.
	LineSearchFailed
	// Stalled: neither has the value gone down by more than its rounding error nor
	// the gradient norm below its least in 100 steps. Usual in the same case.
	Stalled
	// EvaluationFailed: no point of the last line search could be evaluated.
	EvaluationFailed
	// Cancelled: the context was done.
	Cancelled
	// Stopped: Settings.Progress returned an error.
	Stopped
)

var statusNames = enum.New("Status", errStatus,
	"NotTerminated", "GradientTolerance", "StepTolerance", "FunctionTolerance", "MaxSteps",
	"LineSearchFailed", "Stalled", "EvaluationFailed", "Cancelled", "Stopped")

var errStatus = errors.New("unknown status")

// String returns the name of the status, as the constants are called.
func (s Status) String() string { return statusNames.Name(uint8(s)) }

// MarshalText implements encoding.TextMarshaler.
func (s Status) MarshalText() ([]byte, error) { return statusNames.Text(uint8(s)) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Status) UnmarshalText(text []byte) error { return enum.Parse(s, text, statusNames) }

// Converged reports whether a tolerance was met.
func (s Status) Converged() bool {
	return s == GradientTolerance || s == StepTolerance || s == FunctionTolerance
}

// Evaluations counts evaluations, failed ones included. A sweep that gives both
// counts in both.
type Evaluations struct {
	Values    int // forward passes
	Gradients int // reverse passes
}

// Step describes an iterate and the step that led to it.
type Step struct {
	Index        int     // 0 for the start
	Value        float64 // f(P)
	GradientNorm float64 // ‖grad f(P)‖, of the Riemannian gradient
	StepSize     float64 // α
	StepLength   float64 // ‖αD‖
	Restart      bool    // conjugate gradient, LBFGS: D was the direction of steepest descent
	Evaluations  Evaluations
}

// Result is the outcome of a minimization.
type Result struct {
	// Point is the last iterate. It is the best: no iterate had a value lower
	// than Value − Settings.Noise·|Value|.
	Point *mat.Dense

	Value        float64 // f(Point), finite
	GradientNorm float64 // ‖grad f(Point)‖, finite
	Status       Status

	// Steps is the number of accepted steps, History the start and every accepted
	// step.
	Steps       int
	History     []Step
	Evaluations Evaluations
}

// StartError is returned when f or its gradient cannot be computed at the start, or
// when the start is not on the manifold. There is then no Result.
type StartError struct {
	Value         float64 // f(P⁰), if it got that far
	GradientNorm  float64 // ‖grad f(P⁰)‖, if it got that far
	Infeasibility float64 // distance of P⁰ from the manifold
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

// Unwrap returns the error of the evaluation.
func (e *StartError) Unwrap() error { return e.Err }
