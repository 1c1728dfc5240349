// pair for float64 and float32 with AVX2 + FMA.
//
//	dot           Σ x[i]·y[i]
//	sqEuclidean   Σ (x[i] − y[i])²
//	manhattan     Σ |x[i] − y[i]|
//	norm          √Σ x[i]²
//	sum           Σ x[i]
//	cosine        Σ x[i]·y[i] / √(Σ x[i]²·Σ y[i]²)
//
// The sums are over i from 0 to n−1. If a sum of squares is out of range, norm and cosine jump to a Go function.
//
// The functions with Lanes in their names add the terms to acc[i mod w], where w is 64 for float32 and 32 for float64.
// squaresLanes adds the terms x[i]² of norm. cosineLanes has w/2 lanes for each of its three sums in acc.
//
// Same bits as    addRef, sumLanes, addCosineRef and foldCosine in ref.go, and quotient and root in scaled.go.
//                 The term of element i is added to lane i mod w, in ascending order, with one FMA per product. In
//                 ref.go the lanes begin at −0, which does not change the sum. In this file a lane begins with its
//                 first term. The comment of the FIRST macros explains the masked-off lanes.
// Layout          x and y have n contiguous elements, n ≥ 1. In the functions with Lanes in their names, n is a multiple of
//                 w, and acc has w elements (in cosineLanes 3w/2).
// Tile            eight registers. The code for shorter vectors has no loop.
// Tail            one register at a time, then a masked load. No access outside the slices.
// Special values  propagate as in ordinary arithmetic.
// Registers       CX elements left, then bytes in the last, partial register · SI x · DI y · DX acc · R8 address of
//                 the mask · Y0–Y7 lanes, then their sums · Y8–Y11 elements, differences, Y10 the mask · Y12 all bits
//                 but the sign. cosine: Y0–Y3, Y4–Y7, Y8–Y11 lanes · Y12 Y13 elements · Y14 mask.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"
#include "tail_amd64.h"

#define left CX
#define xp SI
#define yp DI
#define lanes DX
#define mask R8

DATA absf32<>+0(SB)/4, $0x7fffffff
GLOBL absf32<>(SB), RODATA|NOPTR, $4
DATA absf64<>+0(SB)/8, $0x7fffffffffffffff
GLOBL absf64<>(SB), RODATA|NOPTR, $8

// FOLD adds the lanes of register y, and leaves the sum in the lowest lane. Register x is the lower half of y. The macro
// overwrites t.
#define FOLD(y, x, t) \
	VEXTRACTF128 $1, y, t; \
	add          t, x, x;  \
	LASTFOLD(x, t)         \
	SWAP(x, t);            \
	addone       t, x, x

// MASK sets register mask to the address of a mask. The mask selects the elements of the last, partial register.
#define MASK \
	ANDQ $(unit-1), left;   \
	SHLQ $logsize, left;    \
	LEAQ tail+32(SB), mask; \
	SUBQ left, mask

// The FIRST macros set the lane register a to the terms of the 32 bytes at off. The TERM macros add these terms to a. The
// FIRSTPART and PART macros do the same, but only for the elements that the mask selects. A masked-off element has the
// product −0·0, which changes no lane. Its square or distance is +0, which changes no sum, because squares and distances
// are never −0.
#define FIRSTDOT(off, t, a) \
	move off(xp), t;    \
	mul  off(yp), t, a
#define TERMDOT(off, t, a) \
	move off(xp), t;    \
	fma  off(yp), t, a
#define LOADDOT(off) \
	move     (mask), Y10;      \
	maskmove off(xp), Y10, Y8; \
	or       64(mask), Y8, Y8; \
	maskmove off(yp), Y10, Y9;
#define FIRSTPARTDOT(off, a) \
	LOADDOT(off) \
	mul Y9, Y8, a
#define PARTDOT(off, a) \
	LOADDOT(off) \
	fma Y9, Y8, a
#define FIRSTSQUARES2(off, t, a) \
	move off(xp), t;    \
	sub  off(yp), t, t; \
	mul  t, t, a
#define TERMSQUARES2(off, t, a) \
	move off(xp), t;    \
	sub  off(yp), t, t; \
	fma  t, t, a
#define LOADDIFFERENCE(off) \
	move     (mask), Y10;      \
	maskmove off(xp), Y10, Y8; \
	maskmove off(yp), Y10, Y9; \
	sub      Y9, Y8, Y8;
#define FIRSTPARTSQUARES2(off, a) \
	LOADDIFFERENCE(off) \
	mul Y8, Y8, a
#define PARTSQUARES2(off, a) \
	LOADDIFFERENCE(off) \
	fma Y8, Y8, a
#define FIRSTABS(off, t, a) \
	move off(xp), t;    \
	sub  off(yp), t, t; \
	and  Y12, t, a
#define TERMABS(off, t, a) \
	move off(xp), t;    \
	sub  off(yp), t, t; \
	and  Y12, t, t;     \
	add  t, a, a
#define FIRSTPARTABS(off, a) \
	LOADDIFFERENCE(off) \
	and Y12, Y8, a
#define PARTABS(off, a) \
	LOADDIFFERENCE(off) \
	and Y12, Y8, Y8; \
	add Y8, a, a
#define FIRSTSQUARES(off, t, a) \
	move off(xp), t; \
	mul  t, t, a
#define TERMSQUARES(off, t, a) \
	move off(xp), t; \
	fma  t, t, a
#define FIRSTPARTSQUARES(off, a) \
	move     (mask), Y10;      \
	maskmove off(xp), Y10, Y8; \
	mul      Y8, Y8, a
#define PARTSQUARES(off, a) \
	move     (mask), Y10;      \
	maskmove off(xp), Y10, Y8; \
	fma      Y8, Y8, a
#define FIRSTPLAIN(off, t, a) move off(xp), a
#define TERMPLAIN(off, t, a) add off(xp), a, a
#define FIRSTPARTPLAIN(off, a) \
	move     (mask), Y10;      \
	maskmove off(xp), Y10, Y8; \
	or       64(mask), Y8, a
#define PARTPLAIN(off, a) \
	move     (mask), Y10;      \
	maskmove off(xp), Y10, Y8; \
	or       64(mask), Y8, Y8; \
	add      Y8, a, a

// RESULTSUM stores the sum from X0. RESULTNORM stores the square root of the sum. If the sum is too small, too large or
// NaN, RESULTNORM stores nothing and jumps to out.
#define RESULTSUM moveone X0, result
#define RESULTNORM \
	order   quotient+0(SB), X0;  \
	JCS     out;                 \
	order   quotient+16(SB), X0; \
	JCC     out;                 \
	sqrtone X0, X0, X0;          \
	moveone X0, result
#define RESULT RESULTSUM

// TERM3 adds the terms of a cosine for the 32 bytes at off. It adds x·y to the lanes a, x² to the lanes b and y² to
// the lanes c. PART3 does the same, but only for the elements that the mask selects.
#define TERM3(off, a, b, c) \
	move off(xp), Y12; \
	move off(yp), Y13; \
	fma  Y13, Y12, a;  \
	fma  Y12, Y12, b;  \
	fma  Y13, Y13, c
#define PART3(off, a, b, c) \
	move     (mask), Y14;        \
	maskmove off(xp), Y14, Y12;  \
	maskmove off(yp), Y14, Y13;  \
	fma      Y12, Y12, b;        \
	fma      Y13, Y13, c;        \
	or       64(mask), Y12, Y12; \
	fma      Y13, Y12, a

// FIRST3 and FIRSTPART3 set the lane registers to the terms that TERM3 and PART3 would add.
#define FIRST3(off, a, b, c) \
	move off(xp), Y12; \
	move off(yp), Y13; \
	mul  Y13, Y12, a;  \
	mul  Y12, Y12, b;  \
	mul  Y13, Y13, c
#define FIRSTPART3(off, a, b, c) \
	move     (mask), Y14;        \
	maskmove off(xp), Y14, Y12;  \
	maskmove off(yp), Y14, Y13;  \
	mul      Y12, Y12, b;        \
	mul      Y13, Y13, c;        \
	or       64(mask), Y12, Y12; \
	mul      Y13, Y12, a

#define F32
#include "type_amd64.h"

#define YARG(y) MOVQ y, yp
#define YNEXT ADDQ $256, yp
#define args 28
#define result ret+24(FP)
#define lanesargs 32
#define SUM ·dotAVX2F32
#define LANES ·dotLanesAVX2F32
#define FIRST FIRSTDOT
#define FIRSTPART FIRSTPARTDOT
#define TERM TERMDOT
#define PART PARTDOT
#define CONSTANTS
#include "sum_avx2_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
#undef FIRSTPART
#undef TERM
#undef PART
#undef CONSTANTS
#define SUM ·sqEuclideanAVX2F32
#define LANES ·sqEuclideanLanesAVX2F32
#define FIRST FIRSTSQUARES2
#define FIRSTPART FIRSTPARTSQUARES2
#define TERM TERMSQUARES2
#define PART PARTSQUARES2
#define CONSTANTS
#include "sum_avx2_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
#undef FIRSTPART
#undef TERM
#undef PART
#undef CONSTANTS
#define SUM ·manhattanAVX2F32
#define LANES ·manhattanLanesAVX2F32
#define FIRST FIRSTABS
#define FIRSTPART FIRSTPARTABS
#define TERM TERMABS
#define PART PARTABS
#define CONSTANTS bcast absf32<>(SB), Y12
#include "sum_avx2_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
#undef FIRSTPART
#undef TERM
#undef PART
#undef CONSTANTS
#undef YARG
#undef YNEXT
#undef args
#undef result
#undef lanesargs

#define YARG(y)
#define YNEXT
#define args 20
#define result ret+16(FP)
#define lanesargs 24
#define OUTOFRANGE ·normOutOfRange32
#define SUM ·normAVX2F32
#define LANES ·squaresLanesAVX2F32
#define FIRST FIRSTSQUARES
#define FIRSTPART FIRSTPARTSQUARES
#define TERM TERMSQUARES
#define PART PARTSQUARES
#define CONSTANTS
#undef RESULT
#define RESULT RESULTNORM
#include "sum_avx2_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
#undef FIRSTPART
#undef TERM
#undef PART
#undef CONSTANTS
#undef OUTOFRANGE
#undef RESULT
#define RESULT RESULTSUM
#define SUM ·sumAVX2F32
#define LANES ·sumLanesAVX2F32
#define FIRST FIRSTPLAIN
#define FIRSTPART FIRSTPARTPLAIN
#define TERM TERMPLAIN
#define PART PARTPLAIN
#define CONSTANTS
#include "sum_avx2_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
#undef FIRSTPART
#undef TERM
#undef PART
#undef CONSTANTS
#undef YARG
#undef YNEXT
#undef args
#undef result
#undef lanesargs
#define cosineargs 28
#define OUTOFRANGE ·cosineOutOfRange32
#define result ret+24(FP)
#define COSINE ·cosineAVX2F32
#define LANES ·cosineLanesAVX2F32
#include "cosine_avx2_amd64.h"
#undef COSINE
#undef cosineargs
#undef OUTOFRANGE
#undef result
#undef LANES
#undef F32

#define F64
#include "type_amd64.h"

#define YARG(y) MOVQ y, yp
#define YNEXT ADDQ $256, yp
#define args 32
#define result ret+24(FP)
#define lanesargs 32
#define SUM ·dotAVX2F64
#define LANES ·dotLanesAVX2F64
#define FIRST FIRSTDOT
#define FIRSTPART FIRSTPARTDOT
#define TERM TERMDOT
#define PART PARTDOT
#define CONSTANTS
#include "sum_avx2_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
#undef FIRSTPART
#undef TERM
#undef PART
#undef CONSTANTS
#define SUM ·sqEuclideanAVX2F64
#define LANES ·sqEuclideanLanesAVX2F64
#define FIRST FIRSTSQUARES2
#define FIRSTPART FIRSTPARTSQUARES2
#define TERM TERMSQUARES2
#define PART PARTSQUARES2
#define CONSTANTS
#include "sum_avx2_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
#undef FIRSTPART
#undef TERM
#undef PART
#undef CONSTANTS
#define SUM ·manhattanAVX2F64
#define LANES ·manhattanLanesAVX2F64
#define FIRST FIRSTABS
#define FIRSTPART FIRSTPARTABS
#define TERM TERMABS
#define PART PARTABS
#define CONSTANTS bcast absf64<>(SB), Y12
#include "sum_avx2_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
#undef FIRSTPART
#undef TERM
#undef PART
#undef CONSTANTS
#undef YARG
#undef YNEXT
#undef args
#undef result
#undef lanesargs

#define YARG(y)
#define YNEXT
#define args 24
#define result ret+16(FP)
#define lanesargs 24
#define OUTOFRANGE ·normOutOfRange64
#define SUM ·normAVX2F64
#define LANES ·squaresLanesAVX2F64
#define FIRST FIRSTSQUARES
#define FIRSTPART FIRSTPARTSQUARES
#define TERM TERMSQUARES
#define PART PARTSQUARES
#define CONSTANTS
#undef RESULT
#define RESULT RESULTNORM
#include "sum_avx2_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
#undef FIRSTPART
#undef TERM
#undef PART
#undef CONSTANTS
#undef OUTOFRANGE
#undef RESULT
#define RESULT RESULTSUM
#define SUM ·sumAVX2F64
#define LANES ·sumLanesAVX2F64
#define FIRST FIRSTPLAIN
#define FIRSTPART FIRSTPARTPLAIN
#define TERM TERMPLAIN
#define PART PARTPLAIN
#define CONSTANTS
#include "sum_avx2_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
#undef FIRSTPART
#undef TERM
#undef PART
#undef CONSTANTS
#undef YARG
#undef YNEXT
#undef args
#undef result
#undef lanesargs
#define cosineargs 32
#define OUTOFRANGE ·cosineOutOfRange64
#define result ret+24(FP)
#define COSINE ·cosineAVX2F64
#define LANES ·cosineLanesAVX2F64
#include "cosine_avx2_amd64.h"
#undef COSINE
#undef cosineargs
#undef OUTOFRANGE
#undef result
#undef LANES
#undef F64
