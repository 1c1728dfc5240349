// Package gram computes the squared distances between rows with many features by a matrix product:
//
//	s_ij = ‖x_i‖² + ‖z_j‖²            each norm is one chain of FMAs from +0, k ascending
//	D_ij = s_ij + Σ_k x_ik (−2 z_jk)  one chain of FMAs, k ascending
//
// D_ij is the result if D_ij ≥ s_ij/16 + 2⁻⁹⁶⁰ (float32: 2⁻¹⁰⁰) and both squared norms are less than
// 2¹⁰²⁰ (float32: 2¹²⁴). One FMA computes the sum s_ij/16 + 2⁻⁹⁶⁰. Other pairs of rows are close, or
// have features of extreme size. Package distance computes the distances of the other pairs:
//
//	D_ij = Σ_k (x_ik − z_jk)²         one chain of FMAs, k ascending
//
// A distance therefore depends only on its two rows, and not on other rows of the call. Rows are not
// centered, because the center would depend on other rows. A single query would then differ from
// the same query in a batch.
//
// Distances are symmetric, never negative, exactly 0 for equal rows, and finite for finite rows
// unless the sum of the squared differences overflows.
//
// # Accuracy
//
// The relative error is at most 50·(d+2)·u if this bound is less than 1/25: for all
// d ≤ 13 000 in float32. u is 2⁻⁵³ (2⁻²⁴). Close pairs have the bound of package distance,
// (d+2)·u. The proof for others, with γ_n = nu/(1 − nu) and S = ‖x‖² + ‖z‖²:
//
//   - A norm is a sum of d products that are not negative: its relative error is at most γ_d.
//     One more rounding makes s: |s − S| ≤ γ_(d+1) S.
//   - The chain begins with s and has d terms 2x_k z_k, whose magnitudes sum to at most S. The error
//     of a chain of d FMAs is at most γ_d times the sum of the magnitudes: γ_d (s + S).
//   - Together: at most (3d + 1)·u·S to first order.
//   - As D ≥ s/16, S is at most 16·D to first order. So the error is at most
//     48·(d + 1)·u·D to first order. The factor of 50 covers terms of higher order.
//   - A product that underflows adds at most 2⁻¹⁰⁷⁵ (2⁻¹⁵⁰), which is less than u²·D/d for
//     D ≥ 2⁻⁹⁶⁰ (for d < 2¹⁰, u·D/d, for D ≥ 2⁻¹⁰⁰).
//
// The contract:
//
//   - Shapes: x: m × d, stride ldx; z: n × d, stride ldz, or zt: d × n; D: m × n, stride ldd.
//   - Aliasing: D overlaps no input. z may be x: then half of the distances are computed.
//   - Special values: pairs of rows with NaN or infinities count as close pairs, so their distances
//     are computed directly from differences. d = 0 stores +0.
//   - Cost: m·n·d FMAs, and for close pairs as many differences and FMAs again; packing is linear
//     in x and z.
//
// This package has no assembly. Package project computes products and norms. Packages distance and
// exp find and compute close pairs. With AVX2, project.Panel multiplies many columns, adds the
// norms, and finds the columns that may have close pairs. NOTES.md has measurements and rejected
// ideas.
package gram
