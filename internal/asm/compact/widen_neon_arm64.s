// widenFloat16, widenBFloat16 for float32 with NEON.
//
//	widenFloat16    dst_i = src_i, where src is IEEE 754 binary16
//	widenBFloat16   dst_i = src_i, where src is bfloat16 (the upper half of a float32)      0≤i<n
//
// Same bits as    widenFloat16Ref and widenBFloat16Ref in ref.go. The results are exact. A NaN stays a NaN, but
//                 the payload is not specified.
// Layout          dst and src have n elements. n is a positive multiple of 16.
// Tile            16 elements in four registers.
// Tail            none, because n is a multiple of 16.
// Special values  subnormal numbers, infinities and NaN are converted like other numbers.
// Registers       R0 dst · R1 src · R2 elements left · V0–V3 elements of dst · V4 V5 elements of src · V6 zeros.
// Source          FCVTL widens float16. widenBFloat16 inserts 16 zero bits below the bits of src_i.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

#define dp R0
#define from R1
#define left R2

// func widenFloat16NEON(n int, dst *float32, src *uint16)
TEXT ·widenFloat16NEON(SB), NOSPLIT, $0-24
	MOVD n+0(FP), left
	MOVD dst+8(FP), dp
	MOVD src+16(FP), from

loop:
	VLD1.P 32(from), [V4.H8, V5.H8]
	FCVTL_4S(0, 4)
	FCVTL2_4S(1, 4)
	FCVTL_4S(2, 5)
	FCVTL2_4S(3, 5)
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(dp)
	SUBS   $16, left
	BNE    loop
	RET

// func widenBFloat16NEON(n int, dst *float32, src *uint16)
TEXT ·widenBFloat16NEON(SB), NOSPLIT, $0-24
	MOVD n+0(FP), left
	MOVD dst+8(FP), dp
	MOVD src+16(FP), from
	VEOR V6.B16, V6.B16, V6.B16

loop:
	VLD1.P 32(from), [V4.H8, V5.H8]
	VZIP1  V4.H8, V6.H8, V0.H8
	VZIP2  V4.H8, V6.H8, V1.H8
	VZIP1  V5.H8, V6.H8, V2.H8
	VZIP2  V5.H8, V6.H8, V3.H8
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(dp)
	SUBS   $16, left
	BNE    loop
	RET
