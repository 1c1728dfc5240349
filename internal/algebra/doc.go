// Package algebra is the small dense linear algebra that a fit needs between its data
// and its model, in float64, with the same bits on every machine: products are those of
// internal/matrix, everything else is plain Go in which every rounding is written out
// (math.FMA, or a product rounded by a conversion before it is added), in a fixed order.
// gonum's LAPACK has the same functions, but takes other instructions on other machines.
//
// A symmetric eigenproblem takes half of gonum's time for n = 784 and .8 for 128, but 1.5 times as
// long for 42 and four times for 10, 38 µs (go test -bench Eigen): a fit has one or a few of those
// small ones. A Cholesky factor takes a fifth for 784.
//
// Matrices are row-major. Only the lower triangle of a symmetric operand is read.
package algebra
