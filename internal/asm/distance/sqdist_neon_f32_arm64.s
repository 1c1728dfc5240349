// sqdist, float32, NEON.
//
//	dst[i*ldd+j] = Σ_k (x[i*ldx+k] − zt[k*ldz+j])²      0≤i<m  0≤j<n  0≤k<d
//
// Same bits as    sqdistRef in ref.go: k ascending, one difference and one FMA a term.
// Layout          x m×d row-major; zt d×n; dst m×n; strides in elements. m n d ≥ 1.
// Tile            4 rows × 4 registers (16 columns).
// Tail            columns: 4 rows × 1 register, then loads and stores of single lanes;
//                 rows: 1 row × 4 registers. No access outside the slices.
// Special values  follow the arithmetic.
// Registers       R0 m · R1 n · R2 d · R3 dst · R4 ldd · R5 x · R6 ldx · R7 zt · R8 ldz ·
//                 R9 add · R10–R13 x of four rows · R14–R17 dst of four rows · R19 zt of
//                 the tile · R20 zt moving · R21 columns left · R22 k · R23 d in bytes ·
//                 R24 rows at once · R25 spare · V0–V15 distances · V16–V19 z ·
//                 V20–V23 x · V24–V31 differences.
// Source          own; the text is sqdist_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "neon_f32_arm64.h"
#include "tile_neon_arm64.h"

#define rows R0
#define cols R1
#define depth R2
#define dp R3
#define lddb R4
#define xp R5
#define ldxb R6
#define zp R7
#define ldzb R8
#define adding R9
#define x0 R10
#define x1 R11
#define x2 R12
#define x3 R13
#define d0 R14
#define d1 R15
#define d2 R16
#define d3 R17
#define zc R19
#define zk R20
#define left R21
#define k R22
#define depthb R23
#define step R24
#define spare R25

// func sqdistNEONF32(m, n, d int, dst *float32, ldd int, x *float32, ldx int, zt *float32, ldz int, add bool)
TEXT ·sqdistNEONF32(SB), NOSPLIT, $0-73
	MOVD  m+0(FP), rows
	MOVD  n+8(FP), cols
	MOVD  d+16(FP), depth
	MOVD  dst+24(FP), dp
	MOVD  ldd+32(FP), lddb
	MOVD  x+40(FP), xp
	MOVD  ldx+48(FP), ldxb
	MOVD  zt+56(FP), zp
	MOVD  ldz+64(FP), ldzb
	MOVBU add+72(FP), adding

#include "sqdist_neon_arm64.h"
