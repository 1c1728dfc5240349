// vec between the types, float64, NEON.
//
//	narrow  dst[i] = x[i] rounded to float32, or +0 if |x[i]| < 2⁻¹²⁶
//	widen   dst[i] = x[i]                                                0≤i<n
//
// Same bits as    narrowRef and widenRef in ref.go: a conversion is correctly rounded
//                 at any width.
// Layout          dst x n, contiguous. n ≥ 1.
// Tile            8 elements, four registers of float64, then 2.
// Tail            1 element. No access outside the slices.
// Special values  as converted; a comparison with NaN is false.
// Registers       R0 n · R1 x · R3 dst · R4 scratch · V0–V3 float64 · V4 V5 float32 or
//                 V4–V7 what is to be 0 · V31 2⁻¹²⁶.
// Source          own.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"
#include "neon_mixed_arm64.h"

#define count R0
#define xp R1
#define dp R3

// FLUSH sets a to +0 where it is less than 2⁻¹²⁶ in size; t is spoiled.
#define FLUSH(a, t) \
	FACGT_2D(t, 31, a); \
	BIC_16B(a, a, t)

// func narrowNEONMixed(n int, dst *float32, x *float64)
TEXT ·narrowNEONMixed(SB), NOSPLIT, $0-24
	MOVD n+0(FP), count
	MOVD dst+8(FP), dp
	MOVD x+16(FP), xp
	MOVD $0x3810000000000000, R4 // 2⁻¹²⁶
	VDUP R4, V31.D2
	SUBS $8, count
	BLT  pairs

loop:
	// dst_i = float32(x_i), eight elements
	FLDPQ   32(xp), (F2, F3)
	FLDPQ.P 64(xp), (F0, F1)
	FLUSH(0, 4)
	FLUSH(1, 5)
	FLUSH(2, 6)
	FLUSH(3, 7)
	FCVTN_2S(4, 0)
	FCVTN2_4S(4, 1)
	FCVTN_2S(5, 2)
	FCVTN2_4S(5, 3)
	FSTPQ.P (F4, F5), 32(dp)
	SUBS    $8, count
	BGE     loop

pairs:
	// the same, two elements
	ADDS $6, count
	BLT  last

ploop:
	FMOVQ.P 16(xp), F0
	FLUSH(0, 4)
	FCVTN_2S(4, 0)
	FMOVD.P F4, 8(dp)
	SUBS    $2, count
	BGE     ploop

last:
	// the same, one element
	ADDS  $2, count
	BEQ   done
	FMOVD (xp), F0
	FLUSH(0, 4)
	FCVTN_2S(4, 0)
	FMOVS F4, (dp)

done:
	RET

// func widenNEONMixed(n int, dst *float64, x *float32)
TEXT ·widenNEONMixed(SB), NOSPLIT, $0-24
	MOVD n+0(FP), count
	MOVD dst+8(FP), dp
	MOVD x+16(FP), xp
	SUBS $8, count
	BLT  pairs

loop:
	// dst_i = float64(x_i), eight elements
	FLDPQ.P 32(xp), (F4, F5)
	FCVTL_2D(0, 4)
	FCVTL2_2D(1, 4)
	FCVTL_2D(2, 5)
	FCVTL2_2D(3, 5)
	FSTPQ   (F2, F3), 32(dp)
	FSTPQ.P (F0, F1), 64(dp)
	SUBS    $8, count
	BGE     loop

pairs:
	// the same, two elements
	ADDS $6, count
	BLT  last

ploop:
	FMOVD.P 8(xp), F4
	FCVTL_2D(0, 4)
	FMOVQ.P F0, 16(dp)
	SUBS    $2, count
	BGE     ploop

last:
	// the same, one element
	ADDS  $2, count
	BEQ   done
	FMOVS (xp), F4
	FCVTL_2D(0, 4)
	FMOVD F0, (dp)

done:
	RET
