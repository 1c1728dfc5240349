// Package baselines provides projections that the experiments compare with WDA: LFDA, LMNN, LSDR, LSQMI,
// CEML and NCA. Package wda/baseline has PCA and FDA.
//
// Each method is a struct whose fields are its settings. The zero value has the defaults. All
// methods are deterministic: random choices depend on a seed in the settings, and not on the order
// of the samples.
//
//	method  columns                  found by
//	LFDA    weighted or orthonormal  generalized eigenvectors of close pairs
//	LMNN    any length               hinge loss of neighbors, L-BFGS
//	LSDR    orthonormal              squared-loss mutual information, time n·b² per step
//	LSQMI   orthonormal              quadratic mutual information, time n·b per step
//	CEML    tr(PᵀP) = p              conditional entropy, time n³ per step
//	NCA     any length               random neighbors, L-BFGS, time n² per step
//
// NOTES.md in this folder compares the errors of the methods on simulated data.
package baselines

import (
	"context"
	"fmt"

	"github.com/gomonge/monge/internal/fault"
	"github.com/gomonge/monge/internal/projection"
	"github.com/gomonge/monge/wda/baseline"
	"gonum.org/v1/gonum/mat"
)

// A Method is one of the methods of this package or of package wda/baseline.
type Method = fmt.Stringer

// method is the interface of the dimension reduction methods that this package implements.
type method interface {
	Method

	// filled returns the method with its defaults, and reports whether its settings are valid.
	filled() (projection.Method, bool)
}

// Fit fits any method of this package or of wda/baseline, like baseline.Fit. The methods of this package also need
// a class with two samples.
func Fit(ctx context.Context, x mat.Matrix, labels []int, components int, m Method) (*mat.Dense, error) {
	if m, ok := m.(baseline.Method); ok {
		return baseline.Fit(ctx, x, labels, components, m)
	}
	own, ok := m.(method)
	if !ok {
		return nil, fmt.Errorf("%w: %T is no method of the packages baseline and baselines", fault.ErrSettings, m)
	}
	filled, ok := own.filled()
	if !ok {
		return nil, fmt.Errorf("%w: a setting of %v is out of range: %+v", fault.ErrSettings, m, m)
	}
	return projection.Fit(ctx, x, labels, components, filled)
}

// components returns the p leading principal components of the rows of x. All elements of x must be
// finite.
func components(ctx context.Context, x *mat.Dense, p int) (*mat.Dense, error) {
	return baseline.Fit(ctx, x, nil, p, baseline.PCA{})
}
