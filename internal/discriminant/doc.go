// Package discriminant is the engine of Wasserstein Discriminant Analysis: it evaluates
//
//	J(P) = σ_b² / (σ_w² + ridge)
//
// and maximizes it over projections P. A fit goes through these steps, each in a file of its own:
//
//	Samples     rows sorted by class, centred, scaled by powers of two
//	Span        their space, whitened or not; a projection there is one of the features
//	Objective   J, its gradient and the canonical components of a projection
//	Driver      makes attempts from one start or several, each with a Solver
//
// The package knows numbers, but no settings. Package wda translates its settings, chooses those that are
// left open, and makes models.
package discriminant

import "errors"

// ErrNoSpread: samples do not differ, so that J would be 0 or infinite. Package wda exports it.
var ErrNoSpread = errors.New("samples do not differ")
