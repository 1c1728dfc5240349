// narrowFloat16, narrowBFloat16 for float32 with NEON.
//
//	narrowFloat16    dst_i = src_i, rounded to IEEE 754 binary16
//	narrowBFloat16   dst_i = src_i, rounded to bfloat16 (the upper half of a float32)      0≤i<n
//
// Same bits as    narrowFloat16Ref and narrowBFloat16Ref in ref.go. Results are rounded to nearest, ties to even. A NaN
//                 becomes 0x7e00 in binary16 and 0x7fc0 in bfloat16.
// Layout          dst and src have n elements. n is a positive multiple of 16.
// Tile            16 elements in four registers.
// Tail            none, because n is a multiple of 16.
// Special values  The kernels replace a NaN before the conversion. The conversion handles infinities, overflow and
//                 subnormal numbers.
// Registers       R0 dst · R1 src · R2 elements left · R3 constants · V0–V3 elements · V4–V7 results · V8–V11 masks, or last places ·
//                 V16 NaN · V17 0x7fff · V18 one.
// Source          FCVTN. A bfloat16 is the upper half of an integer sum with three terms: the bits of the float32,
//                 0x7fff, and the lowest bit of the float32's upper half.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

#define dp R0
#define from R1
#define left R2

// arguments loads the arguments and the constant NaN.
#define arguments \
	MOVD n+0(FP), left;    \
	MOVD dst+8(FP), dp;    \
	MOVD src+16(FP), from; \
	MOVD $0x7fc00000, R3;  \
	VDUP R3, V16.S4

// valid copies four elements from register x to register y and replaces every NaN with the constant
// NaN in V16. n and m are the numbers of the registers x and mask.
#define valid(n, x, y, mask, m) \
	FCMEQ_4S(m, n, n);       \
	VMOV V16.B16, y.B16;     \
	VBIT mask.B16, x.B16, y.B16

// round4 rounds four elements to bfloat16. The results are the upper halves of the elements of y.
#define round4(n, x, y, t, m) \
	VUSHR $16, x.S4, t.S4;         \
	VAND  V18.B16, t.B16, t.B16;   \
	VADD  V17.S4, t.S4, t.S4;      \
	VADD  t.S4, x.S4, y.S4;        \
	FCMEQ_4S(m, n, n);             \
	VBIF  t.B16, V16.B16, y.B16

// func narrowFloat16NEON(n int, dst *uint16, src *float32)
TEXT ·narrowFloat16NEON(SB), NOSPLIT, $0-24
	arguments

loop:
	VLD1.P 64(from), [V0.S4, V1.S4, V2.S4, V3.S4]
	valid(0, V0, V4, V8, 8)
	valid(1, V1, V5, V9, 9)
	valid(2, V2, V6, V10, 10)
	valid(3, V3, V7, V11, 11)
	FCVTN_4H(0, 4)
	FCVTN2_8H(0, 5)
	FCVTN_4H(1, 6)
	FCVTN2_8H(1, 7)
	VST1.P [V0.H8, V1.H8], 32(dp)
	SUBS   $16, left
	BNE    loop
	RET

// func narrowBFloat16NEON(n int, dst *uint16, src *float32)
TEXT ·narrowBFloat16NEON(SB), NOSPLIT, $0-24
	arguments
	MOVD $0x7fff, R3
	VDUP R3, V17.S4
	MOVD $1, R3
	VDUP R3, V18.S4

loop:
	VLD1.P 64(from), [V0.S4, V1.S4, V2.S4, V3.S4]
	round4(0, V0, V4, V8, 8)
	round4(1, V1, V5, V9, 9)
	round4(2, V2, V6, V10, 10)
	round4(3, V3, V7, V11, 11)
	VUZP2  V5.H8, V4.H8, V0.H8
	VUZP2  V7.H8, V6.H8, V1.H8
	VST1.P [V0.H8, V1.H8], 32(dp)
	SUBS   $16, left
	BNE    loop
	RET
