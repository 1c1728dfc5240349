// Package monge is the home of optimal transport and discriminant analysis kernels
// for Go: see dist (distances, Gibbs kernels), sinkhorn (regularized
// optimal transport and its gradients) and wda (Wasserstein Discriminant Analysis).
// The command is cmd/monge.
package monge
