// Package lane works on w small problems at once, one in each vector lane. There are w = 8
// problems in float64 and 16 in float32. Each problem has its own matrix K and its own vectors.
//
//	Rows        s[i] = Σ_j K_ij v[j]                  row sum in the order that package asm defines
//	Columns     q[j] = q[j] + Σ_i u[i] K_ij           one chain of FMAs, i ascending
//	Divide      x[i] = a[i] / y[i]                    also marks the problems with an x[i] out of range
//	SqEuclidean D_ij = Σ_k (x_ik − y_jk)²             one chain of FMAs, k ascending
//	Mul         z[i] = x[i] y[i]
//	Interleave  dst_ij = x_p[i*ldx+j]                 copies to the layout of the other functions
//
// The formulas are for one problem. Every function computes all w problems.
//
// The problems are interleaved. Element i of a vector of problem p has index i*w+p. Element (i, j)
// of an m × n matrix of problem p has index (i*n+j)*w+p. In the order of package asm, a row
// sum consists of w partial sums. Every partial sum has its own register, so the kernels need no
// shuffles.
//
// The caller pads rows to a multiple of w columns, with v = 0, and the number of rows to a
// multiple of four, with K > 0 and a = 0.
//
// The contract:
//
//   - Shapes: m a multiple of 4, n of w; K: m·n·w; v, q: n·w; u, s: m·w; lo, hi, outside: w.
//     Interleave: any m and n.
//   - Aliasing: outputs overlap nothing else; z may be x.
//   - Accuracy: as in packages pass and distance, with the same bits.
//   - Special values: propagate as in ordinary arithmetic. Divide counts a NaN as outside
//     the range, and a 0 with a weight of 0 as inside. With clear, it sets elements with a weight of 0 to 0.
//   - Cost: Rows, Columns: m·n·w FMAs. Divide: n·w divisions.
//
// NOTES.md has measurements and rejected ideas.
package lane
