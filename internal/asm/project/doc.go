// Package project multiplies by tall, skinny matrices.
//
//	Mul       y_il = y_il + Σ_k x_ik b_kl            one chain of FMAs, k ascending
//	TransMul  g_lk = g_lk + Σ_i y_il x_ik            one chain of FMAs, i ascending
//
// Mul projects samples (X·P: x is n × d, b the d × p projection); the vector lanes
// lie across the p columns. TransMul is the way back (Xᵀ·G, transposed: lanes lie
// across the d features, so that x is read along its rows in both). Without add
// the chains start from +0.
//
// Shapes          Mul: x m × d, b d × p, y m × p. TransMul: x m × d, y m × p, g p × d. Row-major with strides ldx, ldb, ldy, ldg.
// Aliasing        the output overlaps no input.
// Special values  follow the arithmetic; an empty chain stores +0 (or, with add, nothing).
// Accuracy        a chain of n terms is off by at most γ_n Σ|terms|, γ_n = nu/(1 − nu).
// Cost            m·d·p FMAs.
//
// # What was measured
//
// AVX2 on a Zen 3 core (3.2 GHz, FMA peak 51.1 GFLOP/s in float64, 102 in float32),
// 1000 × 784, one thread, against BLIS 0.9, the better of BLIS and OpenBLAS in all
// but p = 64; µs and how many times as fast:
//
//	           p=10             p=14             p=20             p=64
//	Mul f64    401 of 512 1.28  532 of 630 1.18  715 of 919 1.28  3010 of 2630 0.87
//	Mul f32    265 of 370 1.39  265 of 452 1.70  397 of 461 1.16  1168 of 1129 0.97
//	Trans f64  363 of 394 1.08  545 of 549 1.01  711 of 774 1.09  2890 of 2490 0.86
//	Trans f32  169 of 182 1.08  255 of 254 1.00  342 of 357 1.04  1139 of 1254 1.10
//
// p = 64 in float64 has rows of a power of two bytes, which share few sets of L1; it
// would want b packed. With 500 × 4096, p = 14, the factors are 1.36, 1.8, 1.2, 1.15.
//
// Tiles reach 96 to 99 % of the peak from L1 (8×1 81 %, which is two loads a cycle),
// with the last vector masked as without. Rejected: 6×2 beside 5×2 (the same speed,
// but p = 10 is two fives); two 5×2 for p = 14, where x is broadcast twice (674 µs);
// in Mul, pieces of k outside of pieces of rows (5 to 30 %, as x is read in strips);
// in TransMul, chains of 8 or 16 rows a call (25 and 7 %: g is loaded and stored for
// each), and fetching the next tile's columns ahead (4 % for it, but 8 % against Mul).
//
// Where x comes from the third-level cache or memory, the rows of a call of TransMul decide:
// a tile reads a few lines of each row, and what goes on line by line in a page is fetched
// ahead by the hardware in 32 pages at most. On a Sapphire Rapids, µs with chains of 16, 24,
// 32, 48, 64 and 128 rows, x 1000 × 784 or 12 000 × 784:
//
//	p = 10, f64, AVX-512         423   409   409   462   576   589
//	p = 10, f64, AVX2            528   491   482   571   830   846
//	p = 10, f64, AVX-512, far   5970  5817  5688  7425 17242 18365
//	p = 10, f32, AVX-512         267   252   244   260   255   264
//	p = 20, f64, AVX-512        1028  1005  1011  1039  1157  1113
//	p = 64, f64, AVX-512        2501  2414  2303  2190  2188  2160
//
// Hence 32, if x has more than 2 MB and p is not large: in cache they take 1.06 of the time of
// 128. On other machines it is a guess.
package project
