// exp2, float32 and float64, NEON.
//
//	dst[i] = 2^(c·x[i])      0≤i<n
//
// Same bits as    exp2Ref in ref.go of y = c·x[i], rounded.
// Layout          x, dst n elements, contiguous; dst may be x. n ≥ 1.
// Tile            four registers, in constant time.
// Tail            the same body; loads and stores of single lanes. No access outside the
//                 slices.
// Special values  zeros and infinities beyond the limits by mask; a NaN is one in q.
// Registers       named below; V0–V3 y · V4–V15 see exp2quad_neon_arm64.h · V20–V23 2^y ·
//                 V24 V25 lookup (float32) · V27 c · V28–V31 constants.
// Source          own; the core is exp2quad_neon_arm64.h.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "exp2data_neon_arm64.h"

#define src R0
#define out R1
#define left R2   // elements left
#define last R3   // elements in the tail
#define rest R4   // of those to come
#define spare R5
#define bit0 R6
#define bit1 R7
#define consts R9

#include "neon_f32_arm64.h"

// func exp2NEONF32(n int, dst, x *float32, c float32)
TEXT ·exp2NEONF32(SB), NOSPLIT, $0-28
	FMOVS c+24(FP), F27
	MOVD  n+0(FP), left
	MOVD  dst+8(FP), out
	MOVD  x+16(FP), src

#include "exp2_neon_arm64.h"

#include "neon_f64_arm64.h"

// func exp2NEONF64(n int, dst, x *float64, c float64)
TEXT ·exp2NEONF64(SB), NOSPLIT, $0-32
	FMOVD c+24(FP), F27
	MOVD  n+0(FP), left
	MOVD  dst+8(FP), out
	MOVD  x+16(FP), src

#include "exp2_neon_arm64.h"
