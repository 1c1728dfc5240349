// gibbs, float32, NEON.
//
//	D_ij = Σ_k (x_ik − z_jk)²      K_ij = 2^(c·D_ij)      0≤i<m  0≤j<n  0≤k<d
//
// Same bits as    gibbsRef in ref.go: k ascending, one difference and one FMA a term;
//                 exp.Ref2 of the rounded product.
// Layout          x m×d row-major; zt d×n; K m×n; D m×n or absent; strides in elements.
//                 m n ≥ 1, d ≥ 0.
// Tile            4 rows × 4 registers (16 columns). There are too few registers to keep
//                 a tile of distances beside the exponential: a block of four rows goes
//                 to D, or K, and from the first-level cache into the exponential, 4
//                 registers at a time.
// Tail            columns: 4 rows × 1 register, then loads and stores of single lanes;
//                 rows: 1 row × 4 registers. No access outside the slices.
// Special values  as in exp.Exp2.
// Registers       named below; V0–V15 distances · V16–V19 z · V20–V23 x · V24–V31
//                 differences; then V0–V3 y · V4–V15 see exp2quad · V20–V23 2^y · V24 V25
//                 lookup (float32) · V27 c · V28–V31 constants.
// Source          own; the text is gibbs_neon_arm64.h and exp2quad_neon_f32_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "neon_f32_arm64.h"
#include "tile_neon_arm64.h"
#include "exp2_neon_f32_arm64.h"

#define rows R0
#define cols R1
#define depth R2
#define dp R3      // D, or K where D is not wanted: a row
#define lddb R4
#define xp R5
#define ldxb R6
#define zp R7
#define ldzb R8
#define kp R9      // K: a row
#define x0 R10     // four rows of x, moving, and of D
#define x1 R11
#define x2 R12
#define x3 R13
#define d0 R14
#define d1 R15
#define d2 R16
#define d3 R17
#define zc R19     // zt at the tile's columns
#define zk R20     // zt, moving down
#define left R21   // columns left
#define kk R22
#define depthb R23
#define step R24   // rows at once
#define spare R25

// The names of the second part.
#define src R10    // D
#define out R11    // K
#define last R12   // columns left, in the tail
#define rest R13   // those to come
#define bit0 R14
#define bit1 R15
#define consts R16
#define table R17
#define ldkb R19

// The next register of the tail, whole, in part or not at all.
#define LDTAIL(f, v) \
	LDANY(src, rest, f, v, spare); \
	ADD $16, src; \
	SUB $LANES, rest
#define STTAIL(f, v) \
	STANY(f, v, out, rest, spare); \
	ADD $16, out; \
	SUB $LANES, rest

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

	MOVD k+24(FP), kp
	CBNZ dp, start
	MOVD kp, dp
	MOVD ldk+32(FP), lddb

start:
#include "gibbs_neon_arm64.h"

	// K_ij = 2^(c·D_ij), row by row
	EXP2_CONSTS
	FMOVS c+88(FP), F27
	MOVD ldk+32(FP), ldkb
	LSL $ESHIFT, ldkb

exprow:
	MOVD dp, src
	MOVD kp, out
	MOVD cols, left
	MOVD $0, last

exploop:
	SUBS    $(4*LANES), left
	BLT     exptail
	FLDPQ.P 32(src), (F0, F1)
	FLDPQ.P 32(src), (F2, F3)

expcore:
	// y = c·D_ij
	FMUL_E(0, 0, 27, 0)
	FMUL_E(1, 1, 27, 0)
	FMUL_E(2, 2, 27, 0)
	FMUL_E(3, 3, 27, 0)

#include "exp2quad_neon_f32_arm64.h"

	CBNZ    last, expstore
	FSTPQ.P (F20, F21), 32(out)
	FSTPQ.P (F22, F23), 32(out)
	B       exploop

exptail:
	ADDS $(4*LANES), left, last
	BEQ  expnext

	// the last elements, then zeros
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	MOVD last, rest
	LDTAIL(F0, V0)
	LDTAIL(F1, V1)
	LDTAIL(F2, V2)
	LDTAIL(F3, V3)

	B expcore

expstore:
	MOVD last, rest
	STTAIL(F20, V20)
	STTAIL(F21, V21)
	STTAIL(F22, V22)
	STTAIL(F23, V23)

expnext:
	ADD  lddb, dp
	ADD  ldkb, kp
	SUB  $1, rows
	SUBS $1, step
	BNE  exprow
	CBNZ rows, rowloop
	RET
