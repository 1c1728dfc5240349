// Package logscale has the passes of a Sinkhorn iteration in the log domain, where
// nothing underflows. Potentials are base-2 logarithms: f = log₂u, g = log₂v, and
// c = λ·log₂e turns a cost into bits, so that T_ij = 2^(f[i] + g[j] − c M_ij).
//
// Rows, one full iteration's pass over M:
//
//	for i = 0 … m−1:   x_j    = g[j] − c M_ij                 one FMA
//	                   max[i] = max_j x_j                     NaN ignored; a zero is +0
//	                   e_j    = 2^(x_j − max[i])              as package exp2
//	                   sum[i] = Σ_j e_j                       row sum in the lanes of the contract
//	                   w      = a[i] / sum[i]
//	                   q[j]   = q[j] + w e_j                  one FMA, i ascending
//
// so that log₂ Σ_j 2^x_j = max[i] + log₂ sum[i] is never out of range, f[i] is log₂a[i]
// minus that, and q gathers the column sums of the plan that results, for
// g[j] + log₂(b[j]/q[j]) to be the next potential. Each element takes one
// exponential for the row and the column update together. Where a column of the
// plan is so small that q underflows, its log-sum-exp is taken for itself:
//
//	ColumnMax   h[j] = max(h[j], f[i] − c M_ij)               NaN ignored, i ascending
//	ColumnSum   s[j] = s[j] + 2^(f[i] − c M_ij − h[j])        i ascending
//
// Plan writes the plan out, T_ij = 2^((g[j] − c M_ij) + f[i]).
//
// Shapes          M, T: m × n, strides ldm, ldt; f, a, max, sum: m; g, q, h, s, e (scratch): n.
// Aliasing        T may be M; otherwise outputs overlap no input and not each other.
// Accuracy        an exponent x that becomes y by the second rounding costs 2^y a relative (|x| + |y|) u ln 2, package exp2 2.2u; sums add γ_k as in package pass.
// Special values  f[i] = −Inf or g[j] = −Inf stand for a zero weight and give zeros; a row in which every x is −Inf or NaN has max −Inf and sum NaN.
// Cost            Rows: one FMA, one exponential and one more FMA an element, M read once.
package logscale
