// Package tsne maps samples of many dimensions to two: t-SNE of L. van der Maaten and
// G. Hinton, "Visualizing data using t-SNE", JMLR 9 (2008), computed exactly.
//
// Equation and section numbers are those of the paper. Every iteration uses all pairs of
// samples and approximates nothing. The package is therefore meant for a few thousand samples.
// It stores the matrix of joint probabilities, 8n² bytes, and nothing else of that size.
// NOTES.md has measurements.
//
// For the same samples and initial positions, the positions have the same bits on every
// machine and with any number of goroutines.
package tsne
