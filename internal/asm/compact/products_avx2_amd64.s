// dotInt8, sqEuclideanInt8 for integers with AVX2 + FMA.
//
//	dotInt8          Σ a_i·b_i
//	sqEuclideanInt8  Σ (a_i − b_i)²      0≤i<n
//
// Same bits as    dotInt8Ref and sqEuclideanInt8Ref in ref.go. The sums are exact in any order.
// Layout          a and b have n bytes. n is a positive multiple of 16 and at most mostDot (dotInt8) or
//                 mostSqEuclidean (sqEuclideanInt8).
// Tile            64 elements. Each of four registers with 32-bit sums accumulates the terms of 16 elements.
// Tail            up to three pieces of 16 elements, all added to the first register of sums.
// Special values  none, because the data are integers.
// Registers       CX elements left · SI a · DI b · Y0–Y3 sums · Y4–Y11 elements in 16 bits.
// Source          VPMADDWD multiplies 16-bit integers and adds pairs of products in 32 bits.

//go:build amd64 && !purego

#include "textflag.h"

#define left CX
#define ap SI
#define bp DI

// dot16 adds 16 products to sums; square16 adds 16 squares of differences.
#define dot16(at, x, y, sums) \
	VPMOVSXBW at(ap), x;    \
	VPMOVSXBW at(bp), y;    \
	VPMADDWD  y, x, x;      \
	VPADDD    x, sums, sums

#define square16(at, x, y, sums) \
	VPMOVSXBW at(ap), x;    \
	VPMOVSXBW at(bp), y;    \
	VPSUBW    y, x, x;      \
	VPMADDWD  x, x, x;      \
	VPADDD    x, sums, sums

// begin loads the arguments and clears the sums.
#define begin \
	MOVQ  n+0(FP), left;   \
	MOVQ  a+8(FP), ap;     \
	MOVQ  b+16(FP), bp;    \
	VPXOR Y0, Y0, Y0;      \
	VPXOR Y1, Y1, Y1;      \
	VPXOR Y2, Y2, Y2;      \
	VPXOR Y3, Y3, Y3;      \
	SUBQ  $64, left

// fold adds the four registers of sums, and then the halves of the result. total adds the four
// remaining lanes and extends the sum to 64 bits.
#define fold \
	VPADDD       Y1, Y0, Y0;  \
	VPADDD       Y3, Y2, Y2;  \
	VPADDD       Y2, Y0, Y0;  \
	VEXTRACTI128 $1, Y0, X1;  \
	VPADDD       X1, X0, X0

#define total \
	VPSHUFD   $0x4e, X0, X1;  \
	VPADDD    X1, X0, X0;     \
	VPSHUFD   $0xb1, X0, X1;  \
	VPADDD    X1, X0, X0;     \
	VPMOVSXDQ X0, X0

#define SUM ·dotInt8AVX2
#define TERMS dot16
#include "products_avx2_amd64.h"
#undef SUM
#undef TERMS

#define SUM ·sqEuclideanInt8AVX2
#define TERMS square16
#include "products_avx2_amd64.h"
#undef SUM
#undef TERMS
