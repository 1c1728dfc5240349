// pair for float64 and float32 with AVX-512 F and DQ.
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
//                 first term. Masked-off lanes begin at −0.
// Layout          x and y have n contiguous elements, n ≥ 1. In cosine, n ≥ w/2. In the functions with Lanes in their names,
//                 n is a multiple of w, and acc has w elements (in cosineLanes 3w/2).
// Tile            four registers. The code for vectors of at most four registers has no loop.
// Tail            masked loads. No access outside the slices.
// Special values  propagate as in ordinary arithmetic.
// Registers       CX elements left · SI x · DI y · DX acc · AX mask · K1 mask of one register · Z0–Z3 lanes, then
//                 their sums · Z4–Z7 elements, differences · Z8 all bits but the sign. cosine: Z0 Z1, Z4 Z5, Z6 Z7
//                 lanes, in cosineLanes Z0 Z1, Z2 Z3, Z4 Z5 · Z8 Z9 elements.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"
#include "tail_amd64.h"

#define left CX
#define xp SI
#define yp DI
#define lanes DX

DATA absf32<>+0(SB)/4, $0x7fffffff
GLOBL absf32<>(SB), RODATA|NOPTR, $4
DATA absf64<>+0(SB)/8, $0x7fffffffffffffff
GLOBL absf64<>(SB), RODATA|NOPTR, $8

// FOLD adds the lanes of register z, and leaves the sum in the lowest lane. Registers y and x are the lowest half and
// the lowest quarter of z. The macro overwrites register u. Register t is the lowest quarter of u.
#define FOLD(z, y, x, u, t) \
	VEXTRACTF64X4 $1, z, u; \
	add           u, y, y;  \
	VEXTRACTF128  $1, y, t; \
	add           t, x, x;  \
	LASTFOLD(x, t)          \
	SWAP(x, t);             \
	addone        t, x, x

// The FIRST macros set the lane register a to the terms of the 64 bytes at off. The TERM macros add these terms to a. The
// PART macros do the same, but only for the elements that the mask k selects.
#define FIRSTDOT(off, t, a) \
	move off(xp), t;    \
	mul  off(yp), t, a
#define TERMDOT(off, t, a) \
	move off(xp), t;    \
	fma  off(yp), t, a
#define PARTDOT(off, t, k, a) \
	move.Z off(xp), k, t;    \
	fma    off(yp), t, k, a
#define FIRSTSQUARES2(off, t, a) \
	move off(xp), t;    \
	sub  off(yp), t, t; \
	mul  t, t, a
#define TERMSQUARES2(off, t, a) \
	move off(xp), t;    \
	sub  off(yp), t, t; \
	fma  t, t, a
#define PARTSQUARES2(off, t, k, a) \
	move.Z off(xp), k, t;    \
	sub.Z  off(yp), t, k, t; \
	fma    t, t, k, a
#define FIRSTABS(off, t, a) \
	move off(xp), t;    \
	sub  off(yp), t, t; \
	and  Z8, t, a
#define TERMABS(off, t, a) \
	move off(xp), t;    \
	sub  off(yp), t, t; \
	and  Z8, t, t;      \
	add  t, a, a
#define PARTABS(off, t, k, a) \
	move.Z off(xp), k, t;    \
	sub.Z  off(yp), t, k, t; \
	and    Z8, t, t;         \
	add    t, a, k, a
#define FIRSTSQUARES(off, t, a) \
	move off(xp), t; \
	mul  t, t, a
#define TERMSQUARES(off, t, a) \
	move off(xp), t; \
	fma  t, t, a
#define PARTSQUARES(off, t, k, a) \
	move.Z off(xp), k, t; \
	fma    t, t, k, a
#define FIRSTPLAIN(off, t, a) move off(xp), a
#define TERMPLAIN(off, t, a) add off(xp), a, a
#define PARTPLAIN(off, t, k, a) add off(xp), a, k, a

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

// TERM3 adds the terms of a cosine for the 64 bytes at off. It adds x·y to the lanes a, x² to the lanes b and y² to
// the lanes c. PART3 does the same, but only for the elements that the mask K1 selects.
#define TERM3(off, a, b, c) \
	move off(xp), Z8; \
	move off(yp), Z9; \
	fma  Z9, Z8, a;   \
	fma  Z8, Z8, b;   \
	fma  Z9, Z9, c
#define PART3(off, a, b, c) \
	move.Z off(xp), K1, Z8; \
	move.Z off(yp), K1, Z9; \
	fma    Z9, Z8, K1, a;   \
	fma    Z8, Z8, K1, b;   \
	fma    Z9, Z9, K1, c

// FIRST3 sets the lane registers a, b and c to the terms that TERM3 would add.
#define FIRST3(off, a, b, c) \
	move off(xp), Z8; \
	move off(yp), Z9; \
	mul  Z9, Z8, a;   \
	mul  Z8, Z8, b;   \
	mul  Z9, Z9, c

#define F32
#include "type_amd64.h"

#define YARG(y) MOVQ y, yp
#define YNEXT ADDQ $256, yp
#define args 28
#define result ret+24(FP)
#define lanesargs 32
#define SUM ·dotAVX512F32
#define LANES ·dotLanesAVX512F32
#define FIRST FIRSTDOT
#define TERM TERMDOT
#define PART PARTDOT
#define CONSTANTS
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
#undef TERM
#undef PART
#undef CONSTANTS
#define SUM ·sqEuclideanAVX512F32
#define LANES ·sqEuclideanLanesAVX512F32
#define FIRST FIRSTSQUARES2
#define TERM TERMSQUARES2
#define PART PARTSQUARES2
#define CONSTANTS
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
#undef TERM
#undef PART
#undef CONSTANTS
#define SUM ·manhattanAVX512F32
#define LANES ·manhattanLanesAVX512F32
#define FIRST FIRSTABS
#define TERM TERMABS
#define PART PARTABS
#define CONSTANTS bcast absf32<>(SB), Z8
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
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
#define SUM ·normAVX512F32
#define LANES ·squaresLanesAVX512F32
#define FIRST FIRSTSQUARES
#define TERM TERMSQUARES
#define PART PARTSQUARES
#define CONSTANTS
#undef RESULT
#define RESULT RESULTNORM
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
#undef TERM
#undef PART
#undef CONSTANTS
#undef OUTOFRANGE
#undef RESULT
#define RESULT RESULTSUM
#define SUM ·sumAVX512F32
#define LANES ·sumLanesAVX512F32
#define FIRST FIRSTPLAIN
#define TERM TERMPLAIN
#define PART PARTPLAIN
#define CONSTANTS
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
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
#define COSINE ·cosineAVX512F32
#define LANES ·cosineLanesAVX512F32
#include "cosine_avx512_amd64.h"
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
#define SUM ·dotAVX512F64
#define LANES ·dotLanesAVX512F64
#define FIRST FIRSTDOT
#define TERM TERMDOT
#define PART PARTDOT
#define CONSTANTS
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
#undef TERM
#undef PART
#undef CONSTANTS
#define SUM ·sqEuclideanAVX512F64
#define LANES ·sqEuclideanLanesAVX512F64
#define FIRST FIRSTSQUARES2
#define TERM TERMSQUARES2
#define PART PARTSQUARES2
#define CONSTANTS
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
#undef TERM
#undef PART
#undef CONSTANTS
#define SUM ·manhattanAVX512F64
#define LANES ·manhattanLanesAVX512F64
#define FIRST FIRSTABS
#define TERM TERMABS
#define PART PARTABS
#define CONSTANTS bcast absf64<>(SB), Z8
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
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
#define SUM ·normAVX512F64
#define LANES ·squaresLanesAVX512F64
#define FIRST FIRSTSQUARES
#define TERM TERMSQUARES
#define PART PARTSQUARES
#define CONSTANTS
#undef RESULT
#define RESULT RESULTNORM
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
#undef TERM
#undef PART
#undef CONSTANTS
#undef OUTOFRANGE
#undef RESULT
#define RESULT RESULTSUM
#define SUM ·sumAVX512F64
#define LANES ·sumLanesAVX512F64
#define FIRST FIRSTPLAIN
#define TERM TERMPLAIN
#define PART PARTPLAIN
#define CONSTANTS
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef FIRST
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
#define COSINE ·cosineAVX512F64
#define LANES ·cosineLanesAVX512F64
#include "cosine_avx512_amd64.h"
#undef COSINE
#undef cosineargs
#undef OUTOFRANGE
#undef result
#undef LANES
#undef F64
