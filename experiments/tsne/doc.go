// Package tsne maps samples of many dimensions to two dimensions. It computes the exact t-SNE of L.
// van der Maaten and G. Hinton, "Visualizing data using t-SNE", JMLR 9 (2008).
//
// Equation and section numbers refer to the paper. Every iteration uses all pairs of samples,
// without approximation. The package is therefore meant for at most a few thousand samples. For n
// samples, it stores the n × n matrix of joint probabilities, 8n² bytes, and no other matrix of
// that size. NOTES.md has measurements.
//
// For the same samples and initial positions, the resulting positions are bit-identical on every
// machine and for any number of goroutines.
package tsne
