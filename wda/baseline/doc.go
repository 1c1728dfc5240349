// Package baseline has PCA and FDA, for comparison with WDA. WDA starts from PCA.
//
// A method is a struct whose fields are its settings. The zero value has the defaults. [Fit] takes
// samples (rows), labels, the number of columns p and a method, and returns the projection, d × p:
//
//	v, err := baseline.Fit(ctx, x, labels, 2, baseline.FDA{LedoitWolf: true})
//
// Both methods are deterministic. Neither standardizes the features. The documentation of a method
// says where their units matter.
//
//	method  columns      found by
//	PCA     orthonormal  eigenvectors; no labels
//	FDA     wᵀS_w w = 1  generalized eigenvectors, with shrinkage if wanted
package baseline
