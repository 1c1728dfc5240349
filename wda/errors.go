package wda

import (
	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/modelfile"
)

// Errors of this package wrap one of these values and say where the problem is. The values with the
// same names in packages sinkhorn, baseline and dataset are identical.
var (
	// ErrShape means that matrices or slices do not match in size, or overlap.
	ErrShape = fault.ErrShape
	// ErrNotFinite means that a value is NaN or infinite. A PositionError contains its position.
	ErrNotFinite = fault.ErrNotFinite
	// ErrSettings means that a setting is out of range, or that settings need too much memory.
	ErrSettings = fault.ErrSettings
	// ErrLabels means that the number of labels is not the number of samples, that all labels are
	// the same, or that a class has only one sample.
	ErrLabels = fault.ErrLabels
	// ErrNoSpread means that the samples do not vary between classes or within classes, so the
	// objective J would be 0 or infinite.
	ErrNoSpread = discriminant.ErrNoSpread
	// ErrModel means that a file is damaged, is not a model file, or has an unknown version.
	ErrModel = modelfile.ErrInvalid
)

// PositionError contains the row and column of an invalid value. It is the same type as dist.PositionError.
type PositionError = dist.PositionError
