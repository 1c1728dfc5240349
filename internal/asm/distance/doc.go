// Package distance computes cost matrices: squared Euclidean distances, the Gibbs kernel of
// these distances, and the adjoint G of a cost matrix M. The contract below gives the shapes.
//
//	SqEuclidean   D_ij = Σ_k (x_ik − z_jk)²           one chain of FMAs, k ascending
//
//	Gibbs         D_ij as above
//	              K_ij = 2^(c·D_ij)                   as exp.Exp2; c = −λ·log₂e gives exp(−λ D_ij)
//
//	AdjCost       h    = u[i] v[j]
//	              k̄    = Σ_{q<r} A_iq B_qj + h M_ij   one chain of FMAs from +0, q ascending, M last
//	              G_ij = K_ij (h − λ k̄)               one FMA, one product
//
// z is transposed, so each vector lane computes a different column j. Every distance is therefore the
// same chain of FMAs for every vector length. If add is set, the chain of SqEuclidean begins with the value in
// dst, so a caller can split a long chain without changing the result. Gibbs computes the exponentials
// of a tile of distances while the tile is in registers or in the first-level cache. Gibbs stores
// D only if the caller passes a matrix for D.
//
// AdjCost is the last step of the reverse sweep (the computation of a gradient), for a block of rows. Row i of A
// has the values s^k_i and u^{k−1}_i of all iterations k, and column j of B has the values v^k_j and t^k_j.
// Then k̄ is the adjoint of K_ij, and G_ij is the adjoint of M_ij. The caller adds up each block of G with
// package project, so the gradient of the whole cost matrix is never stored.
//
// Distances are sums of squared differences. They are never negative, exactly 0 for equal
// rows, and have a relative error of at most (d+2)·u. The formula ‖x‖² + ‖z‖² − 2x·z has no
// correct digits if x and z are close. Package gram uses the formula for many features, and this
// package for close pairs.
//
// The contract:
//
//   - Shapes: x: m × d, stride ldx; zt: d × n, stride ldz; D, K, G, M: m × n, strides ldd, ldk,
//     ldg, ldm; D of Gibbs may be nil; A: m × r, stride lda; B: r × n, stride ldb; u: m; v: n.
//   - Aliasing: G may be M; otherwise an output overlaps no input and no other output.
//   - Accuracy: D: above. K: the relative error is at most ((d+3)·|ln K_ij| + 2)·u to first order,
//     where |ln K_ij| multiplies the errors of D and of its product with c, and 2u bounds the
//     power. G: within γ_(r+4) Σ|terms|, where the terms are those of the expanded K_ij (h − λ k̄);
//     γ_k = ku/(1 − ku).
//   - Special values: NaN and infinities propagate as in ordinary arithmetic. If d = 0, D is +0, or
//     with add, D is unchanged. A K_ij below the least normal number is replaced by +0.
//   - Cost: SqEuclidean: m·n·d differences and FMAs. Gibbs: m·n·(d + 8) FMA slots. AdjCost:
//     (r+2)·m·n FMAs, 2·m·n products.
//
// NOTES.md has measurements and rejected ideas.
package distance
