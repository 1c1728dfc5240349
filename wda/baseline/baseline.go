package baseline

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/projection"
	"gonum.org/v1/gonum/mat"
)

// Errors of Fit match these values under errors.Is. Package wda exports the same errors under the
// same names.
var (
	// ErrNotFinite means that a value is NaN or infinite, or that an intermediate result is out of
	// range.
	ErrNotFinite = fault.ErrNotFinite
	// ErrLabels means that the number of labels is not the number of samples, or that all samples
	// are in one class.
	ErrLabels = fault.ErrLabels
	// ErrSettings means that the number of components or a setting of the method is out of range.
	ErrSettings = fault.ErrSettings
)

// A Method is one of the methods of this package: PCA or FDA. Its fields are its settings. A zero
// field means the default.
type Method interface {
	// String returns the usual abbreviation of the method.
	fmt.Stringer

	// withDefaults returns the method with its defaults, and reports whether its settings are
	// valid.
	withDefaults() (projection.Method, bool)
}

// Fit returns the projection of a method, a matrix of d × components.
//
// x has n samples of d features, one row for each sample. labels contains the class of each sample,
// any integer. PCA ignores the labels and accepts nil. components is the number of columns of the
// projection, from 1 to d; 0 means 2, or 1 if d is 1. The element of largest absolute value in each
// column is positive. Fit does not change x or labels.
//
// Data may have any scale: if the largest absolute value is above 2¹⁰⁰ or below 2⁻¹⁰⁰, Fit first
// multiplies the samples by a power of two.
//
// If ctx ends, Fit returns context.Cause(ctx) and no projection. Other errors match ErrLabels,
// ErrNotFinite or ErrSettings.
func Fit(ctx context.Context, x mat.Matrix, labels []int, components int, m Method) (*mat.Dense, error) {
	if m == nil {
		return nil, fmt.Errorf("%w: no method; use one of this package, such as PCA{}", ErrSettings)
	}
	method, ok := m.withDefaults()
	if !ok {
		return nil, fmt.Errorf("%w: a setting of %v is out of range: %+v", ErrSettings, m, m)
	}
	return projection.Fit(ctx, x, labels, components, method)
}
