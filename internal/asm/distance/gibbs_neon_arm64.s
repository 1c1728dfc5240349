// gibbs, float32 and float64, NEON.
//
//	D_ij = Σ_k (x_ik − z_jk)²      K_ij = 2^(c·D_ij)      0≤i<m  0≤j<n  0≤k<d
//
// Same bits as    gibbsRef in ref.go: k ascending, one difference and one FMA a term;
//                 exp.Ref2 of the rounded product.
// Layout          x m×d row-major; zt d×n; K m×n; D m×n or absent; strides in elements.
//                 m n ≥ 1, d ≥ 0.
// Tile            4 rows × 4 registers. There are too few registers to keep a tile of
//                 distances beside the exponential: a block of four rows goes to D, or K,
//                 and from the first-level cache into the exponential, 4 registers at a
//                 time.
// Tail            columns: 4 rows × 1 register, then loads and stores of single lanes;
//                 rows: 1 row × 4 registers. No access outside the slices.
// Special values  as in exp2.
// Registers       see tile_neon_arm64.h and below; V0–V15 distances · V16–V19 z · V20–V23 x ·
//                 V24–V31 differences; then V0–V3 y · V4–V15 see exp2quad_neon_arm64.h ·
//                 V20–V23 2^y · V24 V25 lookup (float32) · V27 c · V28–V31 constants.
// Source          own; the text is gibbs_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "tile_neon_arm64.h"
#include "exp2data_neon_arm64.h"

#define kp R9      // a row of K
#define adding ZR  // distances start from +0

// The names of the second part.
#define src R10    // D
#define out R11    // K
#define last R12   // columns left, in the tail
#define rest R13   // those to come
#define bit0 R14
#define bit1 R15
#define consts R16
#define ldkb R17

#include "neon_f32_arm64.h"

// func gibbsNEONF32(m, n, d int, k *float32, ldk int, dist *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, c float32)
TEXT ·gibbsNEONF32(SB), NOSPLIT, $0-92
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD d+16(FP), depth
	MOVD dist+40(FP), dp
	MOVD ldd+48(FP), lddb
	MOVD x+56(FP), xp
	MOVD ldx+64(FP), ldxb
	MOVD zt+72(FP), zp
	MOVD ldz+80(FP), ldzb

#include "gibbs_neon_arm64.h"

#include "neon_f64_arm64.h"

// func gibbsNEONF64(m, n, d int, k *float64, ldk int, dist *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, c float64)
TEXT ·gibbsNEONF64(SB), NOSPLIT, $0-96
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD d+16(FP), depth
	MOVD dist+40(FP), dp
	MOVD ldd+48(FP), lddb
	MOVD x+56(FP), xp
	MOVD ldx+64(FP), ldxb
	MOVD zt+72(FP), zp
	MOVD ldz+80(FP), ldzb

#include "gibbs_neon_arm64.h"
