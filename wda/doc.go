// Package wda is Wasserstein Discriminant Analysis: a linear projection P (d × p,
// PᵀP = I) that separates classes in the sense of optimal transport (R. Flamary,
// M. Cuturi, N. Courty and A. Rakotomamonjy, "Wasserstein Discriminant Analysis",
// Machine Learning, 2018, arXiv:1608.08063).
//
// With X^c the samples of class c (rows), it maximizes
//
//	J(P) = σ_b² / (σ_w² + ridge),
//	σ_b² = Σ_{c<c'} w_cc' W(X^c P, X^c' P),     σ_w² = Σ_c w_cc W(X^c P, X^c P),
//
// where W(Y, Z) = ⟨T, M⟩, M_ij = ‖y_i − z_j‖², is the transport cost after exactly L
// Sinkhorn iterations with λ_cc' (package sinkhorn). As λ → 0 transport is uniform
// and J is Fisher's ratio; as λ grows only near neighbors count, so that a class
// may consist of several clusters.
//
// Fit returns a Model, which projects new samples.
//
//	m, err := wda.Fit(ctx, x, labels, &wda.Settings{Components: 2})
//	m.Transform(&y, x)
package wda
