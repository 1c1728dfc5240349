// Package project multiplies by tall, skinny matrices.
//
//	Mul       y_il = y_il + Σ_k x_ik b_kl            one chain of FMAs, k ascending
//	TransMul  g_lk = g_lk + Σ_i y_il x_ik            one chain of FMAs, i ascending
//	Panel     y_ij = y_ij + Σ_k a_ik b_kj            one chain of FMAs, k ascending
//	          h_j  = max(h_j, f_i − y_ij)            one rounding; NaN is ignored
//	Pack      to_kr = c·x_rk                         one product
//	Norms     n_i  = n_i + Σ_k x_ik²                 one chain of FMAs, k ascending
//
// Mul projects samples: X·P, where x has a row for each sample and b is the projection. The
// vector lanes lie across the p columns. TransMul computes (Xᵀ·Y)ᵀ. Its vector lanes lie
// across the d features, so both functions read x along its rows. Without add the chains
// of Mul, TransMul and Norms begin with +0.
//
// Panel multiplies packed operands. Package gram uses it for squared distances. The first operand,
// a, is m × d, in groups of four rows, and each group is a d × 4 matrix. b is d × [PanelColumns]: a
// tile has as many columns. The chains may begin with r_i + s_j instead of y_ij. If h is not nil,
// the maximum finds columns with a small element. Pack transposes four rows. Norms takes [NormRows]
// rows, each in a vector lane.
//
// The contract:
//
//   - Shapes: Mul: x m × d, b d × p, y m × p. TransMul: x m × d, y m × p, g p × d. Norms: x rows ×
//     d. Row-major with strides ldx, ldb, ldy, ldg.
//   - Aliasing: the output overlaps no input.
//   - Special values: follow the arithmetic; an empty chain stores +0 (or, with add, nothing).
//   - Accuracy: a chain of n terms is off by at most γ_n Σ|terms|, γ_n = nu/(1 − nu).
//   - Cost: m·d·p FMAs; Panel m·d·w. Panel and Pack have assembly for AVX2, which AVX-512 also uses
//     on some machines (HasPanel). Norms uses the AVX2 form with AVX-512, too.
//
// NOTES.md has measurements and rejected ideas.
package project
