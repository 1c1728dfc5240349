// Package project multiplies by tall, skinny matrices.
//
//	Mul       y_il = y_il + Σ_k x_ik b_kl            one chain of FMAs, k ascending
//	TransMul  g_lk = g_lk + Σ_i y_il x_ik            one chain of FMAs, i ascending
//
// Mul projects samples: X·P, where x has a row for each sample and b is the projection. The
// vector lanes lie across the p columns. TransMul computes (Xᵀ·Y)ᵀ. Its vector lanes lie
// across the d features, so both functions read x along its rows. Without add the chains
// start from +0.
//
// Shapes          Mul: x m × d, b d × p, y m × p. TransMul: x m × d, y m × p, g p × d. Row-major with strides ldx, ldb, ldy, ldg.
// Aliasing        the output overlaps no input.
// Special values  follow the arithmetic; an empty chain stores +0 (or, with add, nothing).
// Accuracy        a chain of n terms is off by at most γ_n Σ|terms|, γ_n = nu/(1 − nu).
// Cost            m·d·p FMAs.
//
// NOTES.md has measurements and rejected ideas.
package project
