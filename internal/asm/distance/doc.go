// Package distance has the kernels of a cost matrix: squared Euclidean distances, the
// Gibbs kernel of them, and the adjoint of a cost matrix.
//
//	SqEuclidean   D_ij = Σ_k (x_ik − z_jk)²           one chain of FMAs, k ascending
//
//	Gibbs    D_ij likewise,
//	         K_ij = 2^(c·D_ij)                   as exp.Exp2; c = −λ·log₂e gives exp(−λ D_ij)
//
//	AdjCost  h    = u[i] v[j]
//	         k̄    = Σ_{q<r} A_iq B_qj + h M_ij   one chain of FMAs from +0, q ascending, M last
//	         G_ij = K_ij (h − λ k̄)               one FMA, one product
//
// z comes transposed, so that the vector lanes lie across j and every distance is the
// same chain at any width. With add, SqEuclidean's chain goes on from what dst holds: a long
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
// Cost            SqEuclidean: m·n·d differences and FMAs. Gibbs: m·n·(d + 8) FMA slots. AdjCost: (r+2)·m·n FMAs, 2·m·n products.
//
// # What was measured
//
// AVX2 on a Zen 3 core (3.2 GHz, FMA peak 51.1 GFLOP/s in float64), a difference not
// counted. In L1 the 6×2 tile (rows by vectors) reaches 97 % of the peak with z in
// registers and a broadcast x, 5×2 95 %, 4×3 with a third z from memory 97 %, all from
// memory 70 % (loads). SqEuclidean: 93 % on 8 columns, 83 % on a panel of 96 columns
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
// Rejected: no kernel, but blocks of 16 or 64 KiB of SqEuclidean and then Exp2. It would save
// all text of Gibbs and the copy of 2^y; on Sapphire Rapids, 1000 × 1000, d = 2, it
// takes 1.49 ms for 1.15 in float64 and .72 for .50 in float32 with AVX-512, 4 to 22 %
// more with AVX2. Gibbs stands here, beside the tile it shares a form with; its macros of
// 2^y, exp2core_*, are a copy, their constants are those of package exp.
//
// # At its limit on Sapphire Rapids
//
// Two ports serve 512-bit vectors, for additions and FMAs alike: from registers 1.8 FMAs a
// cycle, or 1.97 to 2.0 of a difference and an FMA in turn, so that a vector of direct
// differences takes a cycle and one of a product half of it. 256-bit vectors have three ports, two
// of them for either kind: 1.95 FMAs a cycle, 2.87 of both, 1.37 times a product. SqEuclidean in cache (24 × 48,
// d = 64, 256, 784, either type) takes .94 to .97 of that limit with AVX-512 and .93 to .97 with AVX2:
// another tile can gain nothing. 1000 × 1000 × 784 cannot take less than 40.8 and 20.4 ms at the 2.4 GHz that
// it had, with AVX2 54.4 and 27.2; it took 49.8 to 60.5 and 22.6 to 26.3, with AVX2 65 to 82 and 32 to 43 (minima of 10
// to 24 rounds in turn with the peer, three runs; neighbors make 30 %). OpenBLAS and norms, which Debian's
// 0.3.21 does there with the kernels of a Haswell, take .86 to .99 of ours in float64, .94 to 1.10 in float32, with
// AVX2 .71 and .72; with those for AVX-512, which it does not choose (30 and 14.1 ms), .57 to .62.
//
// Rejected there: several panels of a tile's columns side by side, 320 KB to 1.25 MB of them, and x in
// pieces of 24 or 48 rows past all, which reads x from memory 2 to 8 times less often: AVX-512 .99 to 1.0
// (medians of ratios of 24 rounds); AVX2 with panels one or two tiles wide and 784 deep, f32 .93 to .96, f64 .96 to 1.02,
// on Zen 3 and 4 1.07 to 1.13. Fetching K's part of a tile before the distances of Gibbs, instead of a tile ahead as now: 3000 × 3000 f32
// .84 (d = 2) and .99 (d = 10), f64 1.02 and .96; 1000 × 1000 f64 1.09 and 1.0. Stores past the caches need whole lines,
// which rows that begin anywhere do not have, and K is read next. Before that fetching, Gibbs of 3000 × 3000
// took 27.5 cycles a vector of 64 bytes at d = 10 in float64, 25.4 in cache; in float32 30 to 35 after 22,
// of which 5 are for rows of 12 000 bytes, half of which begin within a line (ldk = 3008: 30). SqEuclidean alone showed
// what memory takes: 15 cycles a line at 3000 × 3000, d = 2, 9 at 1000 × 1000, 3.7 in cache.
//
// Stores wait for their lines one after the other, and 48 of them (24, of which each lies astride two lines) were the more
// of AVX-512's form: beyond the second-level cache it took 1.0 to 1.4 of AVX2's time. Since SqEuclidean (both forms) and Gibbs (AVX-512's)
// fetch what the tile to the right is to store, it takes .85 to 1.05. ms before and after, n × n, minima of three
// processes of each in turn; in cache (n = 100, 256) the same within 4 %:
//
//	                         AVX-512: SqEuclidean     Gibbs        Gibbs and D   AVX2: SqEuclidean
//	f64 n = 1000, d = 2       .56  .48    1.04  .96                    .52  .48
//	f64 n = 2000, d = 2      4.2  2.5     4.5  3.3                    3.7  2.7
//	f64 n = 2000, d = 10     5.3  3.3     6.0  4.9     9.8  6.1       4.2  3.6
//	f32 n = 1000, d = 2       .35  .23     .43  .41                    .28  .23
//	f32 n = 2000, d = 2      1.9  1.0     2.5  1.7                    1.8  1.0
//	f32 n = 2000, d = 10     2.1  1.5     2.8  2.3     5.4  3.1       1.9  1.7
//
// Gibbs with AVX2, which goes through D or K in the first-level cache anyway, gained nothing from it (.7 to 1.4, without a rule).
//
// # On paper: a packed product with close pairs recomputed
//
// D = (‖x‖² + ‖z‖²) − 2 x·z, and direct where that is below (‖x‖² + ‖z‖²)/κ. A tile of products takes
// half of ours on Sapphire Rapids and 1/1.7 on Ice Lake, 1/2.3 on a Neoverse and .73 with
// AVX2 here (static estimates but for Sapphire Rapids: a step of k of the 8 × 3 tile takes 24.0 cycles, and 14.1 without
// differences, by llvm-mca -mcpu=icelake-server, 24.0 and 24.0 by znver4; of the 4 × 4 tile 18.3 and 8.0 by neoverse-n1, 9.3 and
// 4.0 by neoverse-v2, if x is packed for products by element, 10.4 and 5.4 if it is broadcast as here); at OpenBLAS' two thirds of the peak
// 1000 × 1000 × 784 would take 30 ms for 48. On Zen 3 and 4, where additions have ports of their own, it gains nothing.
//
// A close pair is one chain of d steps: alone 4d cycles on Sapphire Rapids (the FMA's latency), eight at a time d/2,
// for d/16 that are saved on every pair in float64, so that above one close pair in eight, or in 64 where
// they come alone, all is lost. MNIST (1000 digits, 784 pixels): 19 % below 1/2, .8 % below 1/4, .08 % below 1/8; centered 1.4, .21
// and .03 %; ten principal components 8, 1.7 and .5 %; Gaussian clouds of d = 64 none. Duplicates and
// Sinkhorn's problem of a cloud with itself add the diagonal, which is known.
//
// The contract pays: every bit of every distance changes, and with it golden bits and model
// files; relative (d+2)u becomes about κ(d+4)u, and D jumps by as much where a pair ceases to be close; a sum
// that overflows is NaN (∞ − ∞) where D is finite, so norms need a check; a chain could no longer be cut
// anywhere (add), as norms come last; nearest neighbors far from the origin are all close pairs unless the data
// are centered first. What would stay: D ≥ 0, symmetry, 0 for equal rows, the same bits at all levels.
// Not done: a fit spends its time on p ≤ 20 features, where the exponential takes as long as the distance.
package distance
