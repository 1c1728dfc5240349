// Package scale is the row half and the column half of a Sinkhorn iteration in one
// pass over the kernel matrix.
//
//	for i = 0 … m−1:   s    = Σ_j K_ij v[j]           row sum in the lanes of the contract
//	                   u[i] = a[i] / s
//	                   q[j] = q[j] + u[i] K_ij        one FMA, i ascending
//
// With q = 0 before, u = a ⊘ K v and q = Kᵀ u after; v = b ⊘ q (vec.Divide) then
// completes the iteration. A pair of matrix-vector products reads K twice; here a
// block of rows is still in the first-level cache when it is added to q.
//
// Shapes          K: m × n, row-major, stride ldk; v, q: n; a, u: m.
// Aliasing        u and q overlap no input.
// Accuracy        for positive data u is within γ_(k+2) of a ⊘ K v, k = ⌈n/w⌉ + log₂w, and q within γ_m of q + Kᵀ u; γ_k = ku/(1 − ku).
// Special values  follow the arithmetic: a row whose sum underflows gives u = +Inf or NaN.
// Cost            2·m·n FMAs, m divisions; m·n elements read once.
//
// # What was tried
//
// On AVX2, float64, one core of a Zen 3 (32 KB, 512 KB, 32 MB of cache), the time of
// the form chosen as 1:
//
//	                                         n = 64    256   1000   2000   4000
//	row sums of 4 rows, then the same to q     1.17   1.17   1.07   1.03   1.08
//	the same, to q from the last column on     1.15   1.17    .94   1.00   1.08
//	both in one loop, 4 rows apart             1.00   1.04   1.07   1.02    .99
//	the same, to q from the last column on        1      1      1      1      1
//	the same, 8 rows apart                      .99   1.15   1.03   1.12   1.15
//	next sums before q, not interleaved         .96   1.17   1.12   1.05   1.15
//	prefetching 512 bytes ahead (T0)           1.05   1.06   1.02    .99   1.01
//	prefetching the next 4 rows (T1)           1.17    .99   1.28   1.20   1.37
//
// Going back through the columns finds their end still in the first-level cache.
package scale
