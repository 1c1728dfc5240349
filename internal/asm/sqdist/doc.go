// Package sqdist computes squared Euclidean distances by direct differences.
//
//	D_ij = Σ_k (x_ik − z_jk)²             one chain of FMAs, k ascending
//
// The second operand comes transposed, so that the vector lanes lie across j and
// every distance is the same chain at any width. With add, the chain goes on from
// what dst holds: a long one can be cut anywhere without changing a bit.
//
// The direct difference is never negative, exactly 0 for equal rows, and has a
// relative error of at most (d+2)·u. The usual ‖x‖² + ‖z‖² − 2x·z loses everything
// where x and z are close; on hardware that adds and multiplies on different ports
// it is hardly faster, because a difference and an FMA cost what an FMA costs.
//
// Shapes          x: m × d, stride ldx; zt: d × n, stride ldz; dst: m × n, stride ldd.
// Aliasing        dst overlaps neither x nor zt.
// Special values  follow the arithmetic; d = 0 stores +0 (or, with add, nothing).
// Cost            m·n·d differences and FMAs.
//
// # What was measured
//
// AVX2 on a Zen 3 core (3.2 GHz, FMA peak 51.1 GFLOP/s in float64), a difference not
// counted. In L1 the 6×2 tile (rows by vectors) reaches 97 % of the peak with z in
// registers and a broadcast x, 5×2 95 %, 4×3 with a third z from memory 97 %, all from
// memory 70 % (loads). The kernel: 93 % on 8 columns, 83 % on a panel of 96 columns
// by 256 dimensions in L2, 73 % at d = 10. Against OpenBLAS and ‖x‖² + ‖z‖² − 2x·z in
// C, 1000 × 1000, with the panels packed as package dist does: 4.2, 1.9, 1.1 and 0.85
// times as fast at d = 2, 10, 64 and 784 (float32: 5.7, 2.3, 1.1, 0.9).
//
// Rejected: fetching the next tile's columns ahead (unpacked zt of d = 64 gains 25 %,
// packed panels lose 18 %: pack instead); clearing the sums before the chain instead
// of starting it with a product (5 % at d = 10); panels of one tile's 8 or 16 columns,
// so that x streams and zt stays (10 to 20 % at d = 784).
package sqdist
