// Package gibbs computes the Gibbs kernel of two point clouds in one go.
//
//	D_ij = Σ_k (x_ik − z_jk)²             as package sqdist
//	K_ij = 2^(c·D_ij)                     as package exp2; c = −λ·log₂e gives exp(−λ D_ij)
//
// A tile of distances goes into the exponential while it is in registers or in the
// first-level cache. D is stored if the caller wants it.
//
// Shapes          x: m × d, stride ldx; zt: d × n, stride ldz; K: m × n, stride ldk; D: m × n, stride ldd, or nil.
// Aliasing        K and D overlap no input and not each other.
// Accuracy        the relative error of K_ij is at most ((d+3)·|ln K_ij| + 2)·u to first order: |ln K_ij| times that of D and of its product with c, and that of the power.
// Special values  K_ij below the least normal number is +0; the rest follows the arithmetic.
// Cost            m·n·(d + 8) FMA slots.
//
// # What was measured
//
// AVX2 on a Zen 3 core at 3.2 GHz, float64: .87, 1.28 and 3.6 ns an element at d = 2,
// 10 and 64 in cache, 45, 55 and 79 % of the slots; float32 .31, .49 and 1.62. The
// same expression in numpy, 1000 × 1000, takes about 8, 8 and 2.4 times as long. The power
// alone takes 8.9 cycles a vector of 4, twice its 8 slots, because its look-up and
// comparisons wait for the ports of FMA; so it cannot hide behind the distances, and
// finer mixtures were slower. Cycles a vector at d = 10:
//
//	6×2 tile, through L1 into the power, 4 vectors at a time      15.7
//	2×2 tile, in registers into the power                         18.0
//	4×1 tile, the same                                            18.9
//	2×2 tile, instruction by instruction between the last power   18.5
//	the distances alone, 6×2 tile                                  6.0
package gibbs
