// Package discriminant is the engine of Wasserstein Discriminant Analysis. It evaluates
//
//	J(P) = σ_b² / (σ_w² + ridge)
//
// and maximizes it over projections P. A fit has these steps, each in a file of its own:
//
//	Samples     rows sorted by class, centered, scaled by powers of two
//	Span        the space of the samples, whitened or not, and conversions of projections
//	Objective   J, its gradient and the canonical components of a projection
//	Driver      attempts from one or several starts, each with a Solver
//
// The package works on plain numbers. Package wda translates its settings, chooses unspecified
// settings, and builds models.
package discriminant

import "errors"

// ErrNoSpread means that the samples do not differ, so that J would be 0 or infinite. Package wda
// exports it.
var ErrNoSpread = errors.New("samples do not differ")
