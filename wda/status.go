package wda

import (
	"errors"

	"github.com/gomonge/monge/internal/descent"
	"github.com/gomonge/monge/internal/enum"
)

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

var statusNames = enum.New("Status", errStatus,
	"NotTerminated", "GradientTolerance", "StepTolerance", "FunctionTolerance", "MaxSteps",
	"LineSearchFailed", "Stalled", "EvaluationFailed", "Cancelled", "Stopped")

var errStatus = errors.New("unknown status")

// String returns the name of the status: that of the constant without the prefix Status.
func (s Status) String() string { return statusNames.Name(uint8(s)) }

// MarshalText implements encoding.TextMarshaler with the text of String.
func (s Status) MarshalText() ([]byte, error) { return statusNames.Text(uint8(s)) }

// UnmarshalText implements encoding.TextUnmarshaler. It reads what String writes.
func (s *Status) UnmarshalText(text []byte) error { return enum.Parse(s, text, statusNames) }

// Converged reports whether the fit reached one of its three tolerances.
func (s Status) Converged() bool {
	return s == StatusGradientTolerance || s == StatusStepTolerance || s == StatusFunctionTolerance
}

// statusOf returns the status of package descent, whose constants have the same order.
func statusOf(s descent.Status) Status { return Status(s) }
