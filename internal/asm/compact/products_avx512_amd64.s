// dotInt8, sqEuclideanInt8 for integers with AVX-512 F, BW, VL and VNNI.
//
//	dotInt8          Σ a_i·b_i
//	sqEuclideanInt8  Σ (a_i − b_i)²      0≤i<n
//
// Same bits as    dotInt8Ref and sqEuclideanInt8Ref in ref.go. The sums are exact in any order.
// Layout          a and b have n bytes. n is a positive multiple of 16 and at most mostDot (dotInt8) or
//                 mostSqEuclidean (sqEuclideanInt8).
// Tile            128 elements. Each of four registers with 32-bit sums accumulates the terms of 32 elements.
//                 dotInt8 with VNNI: two registers accumulate (a + 128)·b, and two registers accumulate
//                 128·b, which is subtracted after the loop.
// Tail            up to seven pieces of 16 elements, added to Z12 and, in dotInt8 with VNNI, to Z13.
// Special values  none, because the data are integers.
// Registers       CX elements left · SI a · DI b · Z0–Z3 sums · Z4–Z11 elements · Z12 Z13 sums of the
//                 tail · Z15 the byte 128.
// Source          VPDPBUSD multiplies unsigned bytes by signed bytes: a + 128 is unsigned.

//go:build amd64 && !purego

#include "textflag.h"

#define left CX
#define ap SI
#define bp DI

// dot adds the products of 32 or 16 elements to sums. square and squareVNNI add the squared
// differences of the elements.
#define dot(at, x, y, sums) \
	VPMOVSXBW at(ap), x;    \
	VPMOVSXBW at(bp), y;    \
	VPMADDWD  y, x, x;      \
	VPADDD    x, sums, sums

#define square(at, x, y, sums) \
	VPMOVSXBW at(ap), x;    \
	VPMOVSXBW at(bp), y;    \
	VPSUBW    y, x, x;      \
	VPMADDWD  x, x, x;      \
	VPADDD    x, sums, sums

#define squareVNNI(at, x, y, sums) \
	VPMOVSXBW at(ap), x;    \
	VPMOVSXBW at(bp), y;    \
	VPSUBW    y, x, x;      \
	VPDPWSSD  x, x, sums

// dotVNNI adds the products (a + 128)·b of 64 elements to sums, and 128·b to rest.
#define dotVNNI(at, x, y, sums, rest) \
	VMOVDQU64 at(ap), x;     \
	VMOVDQU64 at(bp), y;     \
	VPXORQ    Z15, x, x;     \
	VPDPBUSD  y, x, sums;    \
	VPDPBUSD  y, Z15, rest

// begin loads the arguments. clear clears the sums.
#define begin \
	MOVQ n+0(FP), left;  \
	MOVQ a+8(FP), ap;    \
	MOVQ b+16(FP), bp;   \
	SUBQ $128, left

#define clear \
	VPXORD Z0, Z0, Z0;     \
	VPXORD Z1, Z1, Z1;     \
	VPXORD Z2, Z2, Z2;     \
	VPXORD Z3, Z3, Z3;     \
	VPXORD Z12, Z12, Z12

// next advances the pointers ap and bp by n elements.
#define next(n) \
	ADDQ $n, ap;  \
	ADDQ $n, bp;  \
	SUBQ $n, left

// The macro fold adds the five registers of sums, with the result in Z0. The macro halves adds the
// four quarters of Z0, with the result in X0. The macro total adds the four lanes of X0 and extends
// the sum to 64 bits.
#define fold \
	VPADDD Z1, Z0, Z0;   \
	VPADDD Z3, Z2, Z2;   \
	VPADDD Z12, Z0, Z0;  \
	VPADDD Z2, Z0, Z0

#define halves \
	VEXTRACTI64X4 $1, Z0, Y1;  \
	VPADDD        Y1, Y0, Y0;  \
	VEXTRACTI128  $1, Y0, X1;  \
	VPADDD        X1, X0, X0

#define total \
	VPSHUFD   $0x4e, X0, X1;  \
	VPADDD    X1, X0, X0;     \
	VPSHUFD   $0xb1, X0, X1;  \
	VPADDD    X1, X0, X0;     \
	VPMOVSXDQ X0, X0

#define SUM ·dotInt8AVX512
#define TERMS dot
#include "products_avx512_amd64.h"
#undef SUM
#undef TERMS

// func dotInt8AVX512VNNI(n int, a, b *int8) int64
TEXT ·dotInt8AVX512VNNI(SB), NOSPLIT, $0-32
	clear
	VPXORD       Z13, Z13, Z13
	MOVL         $0x80808080, AX
	VPBROADCASTD AX, Z15
	begin
	JL           tail

loop:
	dotVNNI(0, Z4, Z5, Z0, Z2)
	dotVNNI(64, Z6, Z7, Z1, Z3)
	next(128)
	JGE loop

tail:
	ADDQ $128, left
	JZ   done

tailloop:
	VMOVDQU  (ap), X4
	VMOVDQU  (bp), X5
	VPXOR    X15, X4, X4
	VPDPBUSD X5, X4, X12
	VPDPBUSD X5, X15, X13
	next(16)
	JNZ      tailloop

done:
	VPADDD Z1, Z0, Z0
	VPADDD Z3, Z2, Z2
	VPADDD Z12, Z0, Z0
	VPADDD Z13, Z2, Z2
	VPSUBD Z2, Z0, Z0
	halves
	total
	VMOVQ  X0, ret+24(FP)
	VZEROUPPER
	RET

#define SUM ·sqEuclideanInt8AVX512
#define TERMS square
#include "products_avx512_amd64.h"
#undef SUM
#undef TERMS

#define SUM ·sqEuclideanInt8AVX512VNNI
#define TERMS squareVNNI
#include "products_avx512_amd64.h"
#undef SUM
#undef TERMS
