// pair, float64 and float32, AVX-512 F and DQ.
//
//	dot           Σ x[i]·y[i]
//	sqEuclidean   Σ (x[i] − y[i])²
//	manhattan     Σ |x[i] − y[i]|
//	squares       Σ x[i]²
//	sum           Σ x[i]                  0≤i<n
//
// and lanes: the same terms added to acc[i mod w], with w = 64 lanes of float32, 32 of float64.
//
// Same bits as    addTerms and fold in ref.go: element i in lane i mod w, i ascending, one FMA per product.
//                 Lanes begin at −0, so that lanes without an element change nothing in a fold.
// Layout          x, y n elements, contiguous; n ≥ 1. lanes: n is a multiple of w, not 0; acc w elements.
// Tile            four registers; short, with n at most a register: one.
// Tail            masked loads. No access outside the slices.
// Special values  follow the arithmetic.
// Registers       CX elements left · SI x · DI y · DX acc · AX mask · K1 part of it · Z0–Z3 lanes, then
//                 their folds · Z4–Z7 elements, differences · Z8 all bits but the sign.
// Source          own, after a prototype that measured 64 lanes.

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

// FOLD folds the lanes of one register to the lowest.
#define FOLD \
	VEXTRACTF64X4 $1, Z0, Y1; \
	add           Y1, Y0, Y0; \
	VEXTRACTF128  $1, Y0, X1; \
	add           X1, X0, X0; \
	LASTFOLD                  \
	SWAP(X0, X1);             \
	addone        X1, X0, X0

// TERM adds the terms of 64 bytes at off to the lanes a; PART those that K1 has.
#define TERMDOT(off, t, a) \
	move off(xp), t;    \
	fma  off(yp), t, a
#define PARTDOT(off, t, a) \
	move.Z off(xp), K1, t;    \
	fma    off(yp), t, K1, a
#define TERMSQUARES2(off, t, a) \
	move off(xp), t;    \
	sub  off(yp), t, t; \
	fma  t, t, a
#define PARTSQUARES2(off, t, a) \
	move.Z off(xp), K1, t;    \
	sub.Z  off(yp), t, K1, t; \
	fma    t, t, K1, a
#define TERMABS(off, t, a) \
	move off(xp), t;    \
	sub  off(yp), t, t; \
	and  Z8, t, t;      \
	add  t, a, a
#define PARTABS(off, t, a) \
	move.Z off(xp), K1, t;    \
	sub.Z  off(yp), t, K1, t; \
	and    Z8, t, t;          \
	add    t, a, K1, a
#define TERMSQUARES(off, t, a) \
	move off(xp), t; \
	fma  t, t, a
#define PARTSQUARES(off, t, a) \
	move.Z off(xp), K1, t; \
	fma    t, t, K1, a
#define TERMPLAIN(off, t, a) add off(xp), a, a
#define PARTPLAIN(off, t, a) add off(xp), a, K1, a

#define F32
#include "type_amd64.h"

#define YARG(y) MOVQ y, yp
#define YNEXT ADDQ $256, yp
#define args 28
#define result ret+24(FP)
#define lanesargs 32
#define SUM ·dotAVX512F32
#define LANES ·dotLanesAVX512F32
#define TERM TERMDOT
#define PART PARTDOT
#define CONSTANTS
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef TERM
#undef PART
#undef CONSTANTS
#define SUM ·sqEuclideanAVX512F32
#define LANES ·sqEuclideanLanesAVX512F32
#define TERM TERMSQUARES2
#define PART PARTSQUARES2
#define CONSTANTS
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef TERM
#undef PART
#undef CONSTANTS
#define SUM ·manhattanAVX512F32
#define LANES ·manhattanLanesAVX512F32
#define TERM TERMABS
#define PART PARTABS
#define CONSTANTS bcast absf32<>(SB), Z8
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
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
#define SUM ·squaresAVX512F32
#define LANES ·squaresLanesAVX512F32
#define TERM TERMSQUARES
#define PART PARTSQUARES
#define CONSTANTS
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef TERM
#undef PART
#undef CONSTANTS
#define SUM ·sumAVX512F32
#define LANES ·sumLanesAVX512F32
#define TERM TERMPLAIN
#define PART PARTPLAIN
#define CONSTANTS
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef TERM
#undef PART
#undef CONSTANTS
#undef YARG
#undef YNEXT
#undef args
#undef result
#undef lanesargs
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
#define TERM TERMDOT
#define PART PARTDOT
#define CONSTANTS
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef TERM
#undef PART
#undef CONSTANTS
#define SUM ·sqEuclideanAVX512F64
#define LANES ·sqEuclideanLanesAVX512F64
#define TERM TERMSQUARES2
#define PART PARTSQUARES2
#define CONSTANTS
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef TERM
#undef PART
#undef CONSTANTS
#define SUM ·manhattanAVX512F64
#define LANES ·manhattanLanesAVX512F64
#define TERM TERMABS
#define PART PARTABS
#define CONSTANTS bcast absf64<>(SB), Z8
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
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
#define SUM ·squaresAVX512F64
#define LANES ·squaresLanesAVX512F64
#define TERM TERMSQUARES
#define PART PARTSQUARES
#define CONSTANTS
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef TERM
#undef PART
#undef CONSTANTS
#define SUM ·sumAVX512F64
#define LANES ·sumLanesAVX512F64
#define TERM TERMPLAIN
#define PART PARTPLAIN
#define CONSTANTS
#include "sum_avx512_amd64.h"
#undef SUM
#undef LANES
#undef TERM
#undef PART
#undef CONSTANTS
#undef YARG
#undef YNEXT
#undef args
#undef result
#undef lanesargs
#undef F64
