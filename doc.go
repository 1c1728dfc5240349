// Package monge is the root of a module for optimal transport and Wasserstein Discriminant
// Analysis. It has no code of its own. The packages are:
//
//   - [github.com/gomonge/monge/wda] fits, serves and saves projections and classifiers.
//   - [github.com/gomonge/monge/wda/dataset] reads files of samples and makes simulated data.
//   - [github.com/gomonge/monge/wda/baseline] computes PCA and FDA for comparisons.
//   - [github.com/gomonge/monge/sinkhorn] solves entropy-regularized transport problems.
//   - [github.com/gomonge/monge/emd] solves transport problems exactly, with a certificate of optimality.
//   - [github.com/gomonge/monge/dist] computes squared distances and Gibbs kernels.
//   - [github.com/gomonge/monge/search] finds the nearest of many stored vectors, exactly.
//   - [github.com/gomonge/monge/vecmath] computes dot products, distances and sums of slices.
//
// The command is github.com/gomonge/monge/cmd/monge. README.md introduces the packages and the
// command, and docs/guide explains how to use them.
package monge
