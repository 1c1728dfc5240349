// Package project multiplies by tall, skinny matrices.
//
//	Mul       y_il = y_il + Σ_k x_ik b_kl            one chain of FMAs, k ascending
//	TransMul  g_lk = g_lk + Σ_i y_il x_ik            one chain of FMAs, i ascending
//	Panel     y_ij = y_ij + Σ_k a_ik b_kj            one chain of FMAs, k ascending
//	          h_j  = max(h_j, f_i − y_ij)            one rounding; NaN is ignored
//	Pack      dst_kr = c·x_rk                        one product
//	Norms     n_i  = n_i + Σ_k x_ik²                 one chain of FMAs, k ascending
//
// Mul projects samples: x has a row for each sample, and b is the projection matrix. The vector lanes of
// Mul are columns of b. TransMul computes g = yᵀ·x. Its vector lanes are the d features. So both functions
// read x along its rows. If add is not set, the sums of Mul, TransMul and Norms begin with +0.
//
// Panel multiplies packed operands. Package gram uses Panel for squared distances. The operand a is m × d,
// in groups of four rows, and each group is stored as a d × 4 matrix. The operand b is
// d × [PanelColumns], because a tile has this number of columns. The sums may begin with r_i + s_j instead
// of y_ij. If h is not nil, Panel also updates the maxima h, which show the columns that have a small
// element. Pack transposes four rows. Norms processes [NormRows] rows, one row in each vector lane.
//
// The contract:
//
//   - Shapes: Mul: x m × d, b d × p, y m × p. TransMul: x m × d, y m × p, g p × d. Norms: x rows ×
//     d. Row-major with strides ldx, ldb, ldy, ldg.
//   - Aliasing: the output overlaps no input.
//   - Special values: propagate as in ordinary arithmetic. An empty sum is +0. With add, an empty
//     sum changes nothing.
//   - Accuracy: the error of a sum of n terms is at most γ_n Σ|terms|, with γ_n = nu/(1 − nu).
//   - Cost: m·d·p FMAs, in Panel m·d·w. Panel and Pack have AVX2 assembly, which some AVX-512 machines
//     also use (HasPanel). Norms uses the AVX2 assembly on all AVX-512 machines.
//
// NOTES.md has measurements and rejected ideas.
package project
