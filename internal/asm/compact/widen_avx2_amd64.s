// widenFloat16, widenBFloat16 for float32 with AVX2 + FMA.
//
//	widenFloat16    dst_i = src_i, where src is IEEE 754 binary16
//	widenBFloat16   dst_i = src_i, where src is bfloat16 (the upper half of a float32)      0≤i<n
//
// Same bits as    widenFloat16Ref and widenBFloat16Ref in ref.go. The results are exact. A NaN stays a NaN, but
//                 the payload is not specified.
// Layout          dst and src have n elements. n is a positive multiple of 16.
// Tile            16 elements in two registers.
// Tail            none, because n is a multiple of 16.
// Special values  subnormal numbers, infinities and NaN are converted like other numbers.
// Registers       CX elements left · DI dst · SI src · Y0 Y1 elements.
// Source          VCVTPH2PS of F16C.

//go:build amd64 && !purego

#include "textflag.h"

#define left CX
#define dp DI
#define from SI

// store16 stores 16 elements and advances to the next 16 elements.
#define store16 \
	VMOVUPS Y0, (dp);    \
	VMOVUPS Y1, 32(dp);  \
	ADDQ    $32, from;    \
	ADDQ    $64, dp;     \
	SUBQ    $16, left

// func widenFloat16AVX2(n int, dst *float32, src *uint16)
TEXT ·widenFloat16AVX2(SB), NOSPLIT, $0-24
	MOVQ n+0(FP), left
	MOVQ dst+8(FP), dp
	MOVQ src+16(FP), from

loop:
	VCVTPH2PS (from), Y0
	VCVTPH2PS 16(from), Y1
	store16
	JNZ       loop
	VZEROUPPER
	RET

// func widenBFloat16AVX2(n int, dst *float32, src *uint16)
TEXT ·widenBFloat16AVX2(SB), NOSPLIT, $0-24
	MOVQ n+0(FP), left
	MOVQ dst+8(FP), dp
	MOVQ src+16(FP), from

loop:
	VPMOVZXWD (from), Y0
	VPMOVZXWD 16(from), Y1
	VPSLLD    $16, Y0, Y0
	VPSLLD    $16, Y1, Y1
	store16
	JNZ       loop
	VZEROUPPER
	RET
