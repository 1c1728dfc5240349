// narrowFloat16, narrowBFloat16 for float32 with AVX2 + FMA.
//
//	narrowFloat16    dst_i = src_i, rounded to IEEE 754 binary16
//	narrowBFloat16   dst_i = src_i, rounded to bfloat16 (the upper half of a float32)      0≤i<n
//
// Same bits as    narrowFloat16Ref and narrowBFloat16Ref in ref.go. Results are rounded to nearest, ties to even. A NaN
//                 becomes 0x7e00 in binary16 and 0x7fc0 in bfloat16.
// Layout          dst and src have n elements. n is a positive multiple of 16.
// Tile            16 elements in two registers.
// Tail            none, because n is a multiple of 16.
// Special values  The kernels replace a NaN before the conversion. The conversion handles infinities, overflow and
//                 subnormal numbers.
// Registers       CX elements left · DI dst · SI src · AX constants · Y0 Y1 elements · Y2–Y5 scratch · Y8 NaN · Y9 0x7fff · Y10 one · Y11 Y12
//                 byte indices.
// Source          VCVTPS2PH of F16C. A bfloat16 is the upper half of an integer sum with three terms: the bits of
//                 the float32, 0x7fff, and the lowest bit of the float32's upper half.

//go:build amd64 && !purego

#include "textflag.h"

// upper contains byte indices for VPSHUFB. With these indices, VPSHUFB moves the upper halves of
// four elements to the first or the last 8 of 16 bytes.
DATA upper<>+0(SB)/8, $0x0f0e0b0a07060302
DATA upper<>+8(SB)/8, $0x8080808080808080
DATA upper<>+16(SB)/8, $0x0f0e0b0a07060302
DATA upper<>+24(SB)/8, $0x8080808080808080
DATA upper<>+32(SB)/8, $0x8080808080808080
DATA upper<>+40(SB)/8, $0x0f0e0b0a07060302
DATA upper<>+48(SB)/8, $0x8080808080808080
DATA upper<>+56(SB)/8, $0x0f0e0b0a07060302
GLOBL upper<>(SB), RODATA|NOPTR, $64

#define left CX
#define dp DI
#define from SI

// arguments loads the arguments of the function. broadcast sets all lanes of y to the 32-bit constant v.
#define arguments \
	MOVQ n+0(FP), left;    \
	MOVQ dst+8(FP), dp;    \
	MOVQ src+16(FP), from

#define broadcast(v, x, y) \
	MOVL         $v, AX; \
	VMOVD        AX, x;  \
	VPBROADCASTD x, y

// convert8 converts eight elements to binary16 and stores the results.
#define convert8(at, to, x, xlow, t) \
	VMOVUPS   at(from), x;     \
	VCMPPS    $0, x, x, t;     \
	VBLENDVPS t, x, Y8, x;     \
	VCVTPS2PH $0, x, xlow;     \
	VMOVUPS   xlow, to(dp)

// round8 rounds eight elements to bfloat16. The results are the upper halves of the elements of x.
#define round8(at, x, s, t) \
	VMOVUPS   at(from), x;  \
	VPSRLD    $16, x, t;    \
	VPAND     Y10, t, t;    \
	VPADDD    Y9, t, t;     \
	VPADDD    x, t, s;      \
	VCMPPS    $0, x, x, t;  \
	VBLENDVPS t, s, Y8, x

// next advances to the next 16 elements.
#define next \
	ADDQ $64, from; \
	ADDQ $32, dp;   \
	SUBQ $16, left

// func narrowFloat16AVX2(n int, dst *uint16, src *float32)
TEXT ·narrowFloat16AVX2(SB), NOSPLIT, $0-24
	arguments
	broadcast(0x7fc00000, X8, Y8)

loop:
	convert8(0, 0, Y0, X0, Y2)
	convert8(32, 16, Y1, X1, Y3)
	next
	JNZ loop
	VZEROUPPER
	RET

// func narrowBFloat16AVX2(n int, dst *uint16, src *float32)
TEXT ·narrowBFloat16AVX2(SB), NOSPLIT, $0-24
	arguments
	broadcast(0x7fc00000, X8, Y8)
	broadcast(0x7fff, X9, Y9)
	broadcast(1, X10, Y10)
	VMOVDQU upper<>+0(SB), Y11
	VMOVDQU upper<>+32(SB), Y12

loop:
	round8(0, Y0, Y2, Y3)
	round8(32, Y1, Y4, Y5)
	VPSHUFB Y11, Y0, Y0
	VPSHUFB Y12, Y1, Y1
	VPOR    Y1, Y0, Y0
	VPERMQ  $0xd8, Y0, Y0
	VMOVDQU Y0, (dp)
	next
	JNZ     loop
	VZEROUPPER
	RET
