package wda

import (
	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/modelfile"
)

// Errors of this package wrap one of the following and name the position. Errors of the same name
// in packages sinkhorn, baseline and dataset are the same values.
var (
	// ErrShape: matrices or slices do not match in size, or overlap.
	ErrShape = fault.ErrShape
	// ErrNotFinite: a value is NaN or infinite. A PositionError says where.
	ErrNotFinite = fault.ErrNotFinite
	// ErrSettings: a setting is out of range, or settings need too much memory.
	ErrSettings = fault.ErrSettings
	// ErrLabels: the number of labels is not the number of samples, all labels are the same, or a
	// class has only one sample.
	ErrLabels = fault.ErrLabels
	// ErrNoSpread: the samples do not vary between classes, or not within classes, so that J would
	// be 0 or infinite.
	ErrNoSpread = discriminant.ErrNoSpread
	// ErrModel: a model file is damaged or is something else, or its version is unknown.
	ErrModel = modelfile.ErrInvalid
)

// PositionError names the row and column of a wrong value. It is the type of package dist.
type PositionError = dist.PositionError
