// Package discriminant is the engine of Wasserstein Discriminant Analysis. It evaluates
//
//	J(P) = σ_b² / (σ_w² + ridge)
//
// and maximizes it over projections P. A fit uses these types, each defined in its own file:
//
//	Samples     rows sorted by class, centered, scaled by powers of two
//	Span        the space of the samples, whitened or not, and conversions of projections
//	Objective   J, its gradient and the canonical components of a projection
//	Driver      attempts from one or several starts, each with a Solver
//
// Package wda translates its settings to the types of this package, chooses values for unspecified
// settings, and builds models from the results.
package discriminant

import "errors"

// ErrNoSpread means that the samples do not differ. J would then be 0 or infinite. Package wda
// exports this error.
var ErrNoSpread = errors.New("samples do not differ")
