// Package matvec multiplies a matrix and its transpose by a vector.
//
//	Rows     s[i] = Σ_j K_ij v[j]                row sums in the lanes of the contract
//	Columns  q[j] = q[j] + Σ_i u[i] K_ij         one chain of FMAs, i ascending
//
// RowsMixed and ColumnsMixed take K in float32 with vectors in float64, and give the
// bits of Rows and Columns with K widened.
//
// Shapes          K: m × n, row-major, stride ldk; v, q: n; u, s: m.
// Aliasing        outputs overlap no input.
// Accuracy        γ_k Σ|terms| with k = ⌈n/w⌉ + log₂w for a row sum of w lanes, k = m for a column sum; γ_k = ku/(1 − ku).
// Special values  follow the arithmetic.
// Cost            m·n FMAs and m·n elements read.
package matvec
