// Package adjcost computes the adjoint of the cost matrix, the last step of the
// reverse sweep, for a block of rows.
//
//	h     = u[i] v[j]
//	k̄     = Σ_{q<r} A_iq B_qj + h M_ij                  one chain of FMAs from +0, q ascending, M last
//	G_ij  = K_ij (h − λ k̄)                              one FMA, one product
//
// A holds what belongs to row i (the s^k_i and u^{k−1}_i of all iterations), B what
// belongs to column j (v^k_j and t^k_j), so that k̄ is the adjoint of K_ij and G_ij
// that of M_ij. A block of G is as long-lived as the row and column sums that
// package project forms of it; the n × m matrix is never stored.
//
// Shapes          G, K, M: m × n, strides ldg, ldk, ldm; A: m × r, stride lda; B: r × n, stride ldb; u: m; v: n.
// Aliasing        G may be M; otherwise it overlaps no input.
// Accuracy        G_ij is within γ_(r+4) Σ|terms|, the terms being those of K_ij (h − λ k̄) multiplied out; γ_k = ku/(1 − ku).
// Special values  follow the arithmetic.
// Cost            (r+2)·m·n FMAs, 2·m·n products.
package adjcost
