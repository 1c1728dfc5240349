// Package baseline has other linear projections, for comparison with WDA: PCA, FDA, LFDA, LMNN, LSDR,
// LSQMI, CEML and NCA. WDA starts from PCA.
//
// Each method is a struct whose fields are its settings. The zero value has the defaults. [Fit] takes
// samples (rows), labels, the number of columns p and a method, and returns the projection, d × p:
//
//	v, err := baseline.Fit(ctx, x, labels, 2, baseline.FDA{LedoitWolf: true})
//
// All methods are deterministic: random choices come from a seed among the settings, and do not depend
// on the order of the samples. No method standardizes the features. The documentation of a method says
// where their units matter.
//
//	method  columns                  found by
//	PCA     orthonormal              eigenvectors; no labels
//	FDA     wᵀS_w w = 1              generalized eigenvectors, with shrinkage if wanted
//	LFDA    weighted or orthonormal  generalized eigenvectors of close pairs
//	LMNN    any length               hinge loss of neighbors, L-BFGS
//	LSDR    orthonormal              squared-loss mutual information, time n·b² a step
//	LSQMI   orthonormal              quadratic mutual information, time n·b a step
//	CEML    tr(PᵀP) = p              conditional entropy, time n³ a step
//	NCA     any length               random neighbors, L-BFGS, time n² a step
//
// NOTES.md in this folder compares their errors on simulated data.
package baseline
