// Package baseline has the linear projections that WDA is compared with, and
// starts from. Each method is a type whose fields are its settings, and whose zero value
// has the defaults; [Fit] takes it with samples (rows) and labels, and returns a
// projection, d × p.
//
// All are deterministic: what is drawn at random comes from a seed among the settings,
// and does not depend on the order of the samples. None standardizes features; where their units matter the
// method says so.
//
//	PCA    orthonormal columns   no labels
//	FDA    wᵀS_w w = 1           generalized eigenvectors; Shrinkage
//	LFDA   √μ, or orthonormal    generalized eigenvectors of nearby pairs
//	LMNN   free lengths          hinge loss of neighbors, L-BFGS
//	LSDR   orthonormal columns   squared-loss mutual information, n·b² a step
//	LSQMI  orthonormal columns   quadratic mutual information, n·b a step
//	CEML   tr(PᵀP) = p           conditional entropy, n³ a step
//	NCA    free lengths          neighbors drawn at random, L-BFGS, n² a step
//
// 5-nearest-neighbors error in two dimensions found in the ten of
// [github.com/gomonge/monge/wda/dataset.Simulation], 100 samples, mean of 20 draws,
// where the two true dimensions have 0.02: PCA 0.65, FDA 0.67, LFDA 0.45, with one
// neighbor 0.24, LMNN 0.08, LSDR 0.04, LSQMI 0.18 (from some starts it finds another
// local maximum), CEML 0.03, NCA 0.54.
package baseline
