// gibbs, float64, AVX2 + FMA.
//
//	D_ij = Σ_k (x_ik − z_jk)²      K_ij = 2^(c·D_ij)      0≤i<m  0≤j<n  0≤k<d
//
// Same bits as    gibbsRef in ref.go: k ascending, one FMA per term; exp.Ref2 of the
//                 rounded product.
// Layout          x m×d row-major; zt d×n; K m×n; D m×n or absent; strides in elements.
//                 m, n, d ≥ 1.
// Tile            6 rows × 8 columns as in sqdist. There are too few registers to keep a
//                 tile of distances beside the exponential: it goes to D, or K, and at
//                 once from the first-level cache into 2^y, two rows at a time.
// Tail            columns: 6 × 4 tiles, the last one masked; rows: the last row stands in
//                 for those that are missing. No access outside the slices.
// Special values  as in exp.Exp2; what overflows becomes +Inf only where c has no sign.
// Registers       AX BX CX DX SI DI ends of six rows of x · R8 k − d in bytes, or a row of
//                 D · R9 zt at k, or a row of K · R10 ldz, or a second row · R11 rows left ·
//                 R12 D at the tile · R13 K at the tile · Y0–Y11 sums · Y12 Y13 zt · Y14
//                 Y15 x and differences; then Y0–Y3 y, f · Y4–Y7 t, S · Y8–Y11 underflow,
//                 q · Y12 scratch · Y13 c · Y14 least y, scratch · Y15 magic. Y11 mask of
//                 the column tail.
// Source          own; the core of 2^y is exp2_avx2_amd64.h.

//go:build amd64 && !purego

#include "textflag.h"
#include "exp2_avx2_amd64.h"
#include "mask_amd64.h"

#define size 8
#define logsize 3
#define move VMOVUPD
#define bcast VBROADCASTSD
#define maskmove VMASKMOVPD
#define sub VSUBPD
#define mul VMULPD
#define fma VFMADD231PD

#define p0 AX
#define p1 BX
#define p2 CX
#define p3 DX
#define p4 SI
#define p5 DI
#define koff R8
#define drow R8
#define zk R9
#define krow R9
#define ldzb R10
#define second R10
#define left R11
#define dcol R12
#define kcol R13

#define mask Y11
#define tmp Y12
#define factor Y13
#define least Y14
#define magic Y15

#define ofmagic EXP2_F64_MAGIC
#define ofleast EXP2_F64_LEAST
#define constant(of, y) EXP2_CONST_F64(of, y)
#define split(y, t, u) EXP2_SPLIT_F64(y, t, u, tmp)
#define table(t, u) EXP2_TABLE_F64(t, u, tmp, least)
#define horner4(of) EXP2_STEP4_F64(of, tmp, Y8, Y0, Y9, Y1, Y10, Y2, Y11, Y3)
#define horner2(of) EXP2_STEP2_F64(of, tmp, Y8, Y0, Y9, Y1)
#define last(q, s) EXP2_LAST_F64(q, s)
#define upperlimit(y, q) EXP2_OVER_F64(y, q, tmp, least)
#define cmpc CMPQ

#define upper4 \
	EXP2_CONST_F64(EXP2_F64_C7, Y8); \
	VMOVAPD Y8, Y9; \
	VMOVAPD Y8, Y10; \
	VMOVAPD Y8, Y11; \
	horner4(EXP2_F64_C6); \
	horner4(EXP2_F64_C5); \
	horner4(EXP2_F64_C4)

#define lower4 \
	horner4(EXP2_F64_C3); \
	horner4(EXP2_F64_C2); \
	horner4(EXP2_F64_C1); \
	horner4(EXP2_F64_C0)

#define upper2 \
	EXP2_CONST_F64(EXP2_F64_C7, Y8); \
	VMOVAPD Y8, Y9; \
	horner2(EXP2_F64_C6); \
	horner2(EXP2_F64_C5); \
	horner2(EXP2_F64_C4)

#define lower2 \
	horner2(EXP2_F64_C3); \
	horner2(EXP2_F64_C2); \
	horner2(EXP2_F64_C1); \
	horner2(EXP2_F64_C0)

// func gibbsAVX2F64(m, n, d int, k *float64, ldk int, dist *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, c float64)
TEXT ·gibbsAVX2F64(SB), NOSPLIT, $0-96
#include "gibbs_avx2_amd64.h"
