// Package distance has the kernels of a cost matrix: squared Euclidean distances, the
// Gibbs kernel of them, and the adjoint of a cost matrix.
//
//	SqDist   D_ij = Σ_k (x_ik − z_jk)²           one chain of FMAs, k ascending
//
//	Gibbs    D_ij likewise,
//	         K_ij = 2^(c·D_ij)                   as exp.Exp2; c = −λ·log₂e gives exp(−λ D_ij)
//
//	AdjCost  h    = u[i] v[j]
//	         k̄    = Σ_{q<r} A_iq B_qj + h M_ij   one chain of FMAs from +0, q ascending, M last
//	         G_ij = K_ij (h − λ k̄)               one FMA, one product
//
// z comes transposed, so that the vector lanes lie across j and every distance is the
// same chain at any width. With add, SqDist's chain goes on from what dst holds: a long
// one can be cut anywhere without changing a bit. Gibbs takes a tile of distances into
// the exponential while it is in registers or in the first-level cache, and stores D if
// the caller wants it.
//
// AdjCost is the last step of the reverse sweep, for a block of rows. A holds what
// belongs to row i (the s^k_i and u^{k−1}_i of all iterations), B what belongs to
// column j (v^k_j and t^k_j), so that k̄ is the adjoint of K_ij and G_ij that of M_ij.
// A block of G is as long-lived as the row and column sums that package project forms
// of it; the n × m matrix is never stored.
//
// The direct difference is never negative, exactly 0 for equal rows, and has a
// relative error of at most (d+2)·u. The usual ‖x‖² + ‖z‖² − 2x·z loses everything
// where x and z are close; on hardware that adds and multiplies on different ports
// it is hardly faster, because a difference and an FMA cost what an FMA costs.
//
// Shapes          x: m × d, stride ldx; zt: d × n, stride ldz; D, K, G, M: m × n, strides ldd, ldk, ldg, ldm; D of Gibbs may be nil; A: m × r, stride lda; B: r × n, stride ldb; u: m; v: n.
// Aliasing        G may be M; otherwise outputs overlap no input and not each other.
// Accuracy        D: above. K: the relative error is at most ((d+3)·|ln K_ij| + 2)·u to first order, |ln K_ij| times that of D and of its product with c, and that of the power. G: within γ_(r+4) Σ|terms|, the terms being those of K_ij (h − λ k̄) multiplied out; γ_k = ku/(1 − ku).
// Special values  follow the arithmetic; d = 0 stores D = +0 (or, with add, nothing); K_ij below the least normal number is +0.
// Cost            SqDist: m·n·d differences and FMAs. Gibbs: m·n·(d + 8) FMA slots. AdjCost: (r+2)·m·n FMAs, 2·m·n products.
//
// # What was measured
//
// AVX2 on a Zen 3 core (3.2 GHz, FMA peak 51.1 GFLOP/s in float64), a difference not
// counted. In L1 the 6×2 tile (rows by vectors) reaches 97 % of the peak with z in
// registers and a broadcast x, 5×2 95 %, 4×3 with a third z from memory 97 %, all from
// memory 70 % (loads). SqDist: 93 % on 8 columns, 83 % on a panel of 96 columns
// by 256 dimensions in L2, 73 % at d = 10. Against OpenBLAS and ‖x‖² + ‖z‖² − 2x·z in
// C, 1000 × 1000, with the panels packed as package dist does: 4.2, 1.9, 1.1 and 0.85
// times as fast at d = 2, 10, 64 and 784 (float32: 5.7, 2.3, 1.1, 0.9).
//
// Rejected: fetching the next tile's columns ahead (unpacked zt of d = 64 gains 25 %,
// packed panels lose 18 %: pack instead); clearing the sums before the chain instead
// of starting it with a product (5 % at d = 10); panels of one tile's 8 or 16 columns,
// so that x streams and zt stays (10 to 20 % at d = 784). With AVX-512 it is the other way
// round: panels of a tile's 24 or 48 columns and all features take .92 of the time of 96
// by 256 in float64 and .81 in float32, if the next rows of x are fetched on the way;
// without that, 0.9 and 1.12.
//
// Gibbs in float64: .87, 1.28 and 3.6 ns an element at d = 2, 10 and 64 in cache, 45,
// 55 and 79 % of the slots; float32 .31, .49 and 1.62. The same expression in numpy,
// 1000 × 1000, takes about 8, 8 and 2.4 times as long. The power alone takes 8.9 cycles
// a vector of 4, twice its 8 slots, because its look-up and comparisons wait for the
// ports of FMA; so it cannot hide behind the distances, and finer mixtures were slower.
// Cycles a vector at d = 10:
//
//	6×2 tile, through L1 into the power, 4 vectors at a time      15.7
//	2×2 tile, in registers into the power                         18.0
//	4×1 tile, the same                                            18.9
//	2×2 tile, instruction by instruction between the last power   18.5
//	the distances alone, 6×2 tile                                  6.0
//
// Rejected: no kernel, but blocks of 16 or 64 KiB of SqDist and then Exp2. It would save
// all text of Gibbs and the copy of 2^y; on Sapphire Rapids, 1000 × 1000, d = 2, it
// takes 1.49 ms for 1.15 in float64 and .72 for .50 in float32 with AVX-512, 4 to 22 %
// more with AVX2. Gibbs stands here, beside the tile it shares a form with; its macros of
// 2^y, exp2core_*, are a copy, their constants are those of package exp.
package distance
