// sqdist, float32 and float64, NEON.
//
//	dst[i*ldd+j] = Σ_k (x[i*ldx+k] − zt[k*ldz+j])²      0≤i<m  0≤j<n  0≤k<d
//
// Same bits as    sqdistRef in ref.go: k ascending, one difference and one FMA a term.
// Layout          x m×d row-major; zt d×n; dst m×n; strides in elements. m n d ≥ 1.
// Tile            4 rows × 4 registers.
// Tail            columns: 4 rows × 1 register, then loads and stores of single lanes;
//                 rows: 1 row × 4 registers. No access outside the slices.
// Special values  follow the arithmetic.
// Registers       see tile_neon_arm64.h; R9 add · V0–V15 distances · V16–V19 z · V20–V23 x ·
//                 V24–V31 differences.
// Source          own; the text is sqdist_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "tile_neon_arm64.h"

#define adding R9

#include "neon_f32_arm64.h"

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

#include "neon_f64_arm64.h"

// func sqdistNEONF64(m, n, d int, dst *float64, ldd int, x *float64, ldx int, zt *float64, ldz int, add bool)
TEXT ·sqdistNEONF64(SB), NOSPLIT, $0-73
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
