// Package algebra implements the small dense linear algebra that a fit needs, in float64 and with
// the same bits on every machine. The results of gonum's LAPACK, in contrast, differ between
// machines. Matrix products use internal/matrix. All other functions are plain Go with a fixed order
// of operations. To prevent the compiler from fusing a product and a sum, the functions call
// math.FMA or convert the product to float64.
//
// For n = 784, a symmetric eigenproblem takes half as long as in gonum, and a Cholesky factorization
// takes a fifth of gonum's time. For n = 10, an eigenproblem takes four times as long as in gonum
// (38 µs; go test -bench Eigen), but a fit solves only a few small eigenproblems.
//
// Matrices are row-major. Only the lower triangle of a symmetric operand is read.
package algebra
