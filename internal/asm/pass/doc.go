// Package pass computes products of a kernel matrix K with vectors. A pass over K computes row sums,
// column sums, or both for a forward or backward Sinkhorn iteration. The package also has the elementwise
// operations between two passes.
//
//	Rows     s[i] = Σ_j K_ij v[j]                    row sum in the order that package asm defines
//	Columns  q[j] = q[j] + Σ_i u[i] K_ij             one chain of FMAs, i ascending
//
// Iterate is one Sinkhorn iteration. Two matrix-vector products would read K twice from
// memory. Iterate adds a block of rows to q while the block is still in the first-level
// cache:
//
//	for i = 0 … m−1:   u[i] = a[i] / Σ_j K_ij v[j]
//	                   q[j] = q[j] + u[i] K_ij       one FMA, i ascending
//
// If q was 0 before, then q = Kᵀ u afterwards, with u = a ⊘ K v. Divide completes the iteration with
// v = b ⊘ q.
//
// Begin and Sweep are for reverse-mode differentiation. Begin goes from the transport cost
// W = ⟨diag(u) K diag(v), M⟩ back to u and v of the last iteration. Sweep goes from an
// iteration back to the previous iteration:
//
//	Sweep    for i = 0 … m−1:   s[i] = w[i] Σ_j K_ij t[j]
//	                            q[j] = q[j] + s[i] K_ij
//	Begin    for i = 0 … m−1:   r[i] = Σ_j (K_ij M_ij) v[j]
//	                            s[i] = w[i] r[i]
//	                            q[j] = q[j] + K_ij (u[i] M_ij + s[i])      two FMAs
//
// With w = −u² ⊘ a, for the vector u of that iteration, s is the adjoint of K v and q is the adjoint of
// v. Then t = −q ⊙ v² ⊘ b is the input for the previous iteration. Package sinkhorn calls these vectors
// s^k and t^k. The transport cost is W = Σ_i u[i] r[i].
//
// K may be float32 while the vectors are float64. Then the kernels convert every loaded element of K to
// float64, which is exact. The result is bit-identical to the result with K in float64. Begin does not
// support a float32 K with float64 vectors: its caller converts the rows first.
//
//	Divide        dst[i] = x[i] / y[i]                     v = b ⊘ q
//	CountOutside  number of i with not lo ≤ x[i] ≤ hi      checks whether a scaling vector is in range
//	Narrow        dst[i] = x[i] rounded to float32, or +0 if |x[i]| < 2⁻¹²⁶
//	Widen         dst[i] = x[i], float32 to float64
//
// The contract:
//
//   - Shapes: K, M: m × n, row-major, strides ldk and ldm; v, t, q: n; a, u, w, r, s: m. x, y, dst:
//     of one length.
//   - Aliasing: s, u, r and q overlap no input and not each other; dst may be x or y, but not in
//     Narrow and Widen.
//   - Accuracy: with γ_k = ku/(1 − ku) and k = ⌈n/w⌉ + log₂w for a row sum of w lanes: Rows is
//     within γ_k Σ|terms|; u of Iterate within γ_(k+2) of a ⊘ K v for positive data; s within
//     γ_(k+1) in Sweep, r within γ_(k+1) and s within γ_(k+2) in Begin; q, given u or s, within
//     γ_m, in Begin within γ_(m+1). Divide is correctly rounded, and so is Narrow except where it
//     returns 0; the count is exact.
//   - Special values: propagate as in ordinary arithmetic: a row whose sum underflows
//     gives u = +Inf or NaN. A NaN counts as outside. Narrow: no result is subnormal, in constant time, as in exp.Exp2;
//     numbers beyond the largest float32 become ±Inf; NaN stays NaN.
//   - Cost: Rows, Columns: m·n FMAs and m·n elements read. Iterate, Sweep: 2·m·n FMAs, m divisions
//     or products, m·n elements read once. Begin: 3·m·n FMAs, 2·m·n elements. Divide: n divisions,
//     3n elements moved. CountOutside: n elements read. Narrow, Widen: 12n bytes moved.
//
// NOTES.md has measurements and rejected ideas.
package pass
