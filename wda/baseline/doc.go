// Package baseline implements PCA and FDA for comparison with WDA.
//
// A method is a struct whose fields are its settings. The zero value selects the defaults. [Fit]
// takes samples (rows), labels, the number of columns p and a method, and returns the d × p
// projection:
//
//	v, err := baseline.Fit(ctx, x, labels, 2, baseline.FDA{LedoitWolf: true})
//
// The methods are deterministic and do not standardize the features. The documentation of each
// method describes how the units of features affect the result.
//
//	method  columns      found by
//	PCA     orthonormal  eigenvectors of the covariance
//	FDA     wᵀS_w w = 1  generalized eigenvectors, with shrinkage if wanted
package baseline
