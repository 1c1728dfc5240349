package wda

import (
	"github.com/gomonge/monge/dist"
	"github.com/gomonge/monge/internal/discriminant"
	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/modelfile"
)

// What can be wrong with data or settings. Errors of this package wrap one of these and say
// where. Errors of the same name in packages sinkhorn, baseline and dataset are the same values.
var (
	// ErrShape: matrices or slices do not match in size, or overlap.
	ErrShape = fault.ErrShape
	// ErrNotFinite: a value is NaN or infinite. A PositionError says where.
	ErrNotFinite = fault.ErrNotFinite
	// ErrSettings: a setting is out of range, or settings need too much memory.
	ErrSettings = fault.ErrSettings
	// ErrLabels: there are not as many labels as samples, all labels are the same, or a class
	// has only one sample.
	ErrLabels = fault.ErrLabels
	// ErrNoSpread: the samples of the classes, or of one class, do not differ, so that J would
	// be 0 or infinite.
	ErrNoSpread = discriminant.ErrNoSpread
	// ErrModel: a model file is damaged or is something else, or its version is unknown.
	ErrModel = modelfile.ErrInvalid
)

// PositionError says where in the data a value is wrong, and which value. It is that of package dist.
type PositionError = dist.PositionError
