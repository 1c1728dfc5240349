// pair for float64 and float32 with NEON.
//
//	dot           Σ x[i]·y[i]
//	sqEuclidean   Σ (x[i] − y[i])²
//	manhattan     Σ |x[i] − y[i]|
//	squares       Σ x[i]²
//	sum           Σ x[i]
//	cosine        stores Σ x[i]·y[i], Σ x[i]² and Σ y[i]² in the array sums
//
// The sums are over i from 0 to n−1.
//
// The functions with Lanes in their names add the same terms to acc[i mod w], where w is 64 for float32 and 32 for float64.
// cosineLanes has w/2 lanes for each of its three sums in acc.
//
// Same bits as    addRef, sumLanes, addCosineRef and foldCosine in ref.go. The term of element i is
//                 added to lane i mod w, in ascending order, with one FMA per product. The lanes begin at −0, so a lane
//                 without an element does not change the sum.
// Layout          x and y have n contiguous elements, n ≥ 1. In the functions with Lanes in their names, n is a multiple of
//                 w, and acc has w elements (in cosineLanes 3w/2).
// Tile            16 registers of lanes, or four if the elements fit in four registers.
// Tail            one register at a time, then loads of single lanes. No access outside the slices.
// Special values  propagate as in ordinary arithmetic.
// Registers       R0 elements left · R1 x · R2 y · R3 acc · R4 scratch · R5 elements of the last, partial register ·
//                 V0–V8 elements, differences; V1 −0 until the loop · V16–V31 lanes, then their sums. cosine: V8–V15,
//                 V16–V23, V24–V31 lanes; R3 sums.
// Source          written for this project.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

#define left R0
#define xp R1
#define yp R2
#define lanes R3

// The TERM2 macros load two registers at off, and add their terms to the lane registers a and a+1. The TERM2B macros
// do the same with other scratch registers. The TERM macros add the terms of one register. The PART macros add the
// terms of the last elements; R5 holds the number of these elements. In a lane without an element, the term is −0·0 for
// products, and +0 for squares and distances. Such a term changes no sum.
#define TERM2DOT(off, a) \
	FLDPQ off(xp), (F0, F2); \
	FLDPQ off(yp), (F3, F4); \
	FMLA(a, 0, 3);            \
	FMLA(a+1, 2, 4)
#define TERM2BDOT(off, a) \
	FLDPQ off(xp), (F5, F6); \
	FLDPQ off(yp), (F7, F8); \
	FMLA(a, 5, 7);            \
	FMLA(a+1, 6, 8)
#define TERMDOT(a) \
	FMOVQ.P 16(xp), F0; \
	FMOVQ.P 16(yp), F2; \
	FMLA(a, 0, 2)
#define PARTDOT(a) \
	VMOV V1.B16, V0.B16;         \
	VEOR V2.B16, V2.B16, V2.B16; \
	LDREST(xp, V0);              \
	LDREST(yp, V2);              \
	FMLA(a, 0, 2)
#define TERM2SQUARES2(off, a) \
	FLDPQ off(xp), (F0, F2); \
	FLDPQ off(yp), (F3, F4); \
	FSUB(0, 0, 3);            \
	FSUB(2, 2, 4);            \
	FMLA(a, 0, 0);            \
	FMLA(a+1, 2, 2)
#define TERM2BSQUARES2(off, a) \
	FLDPQ off(xp), (F5, F6); \
	FLDPQ off(yp), (F7, F8); \
	FSUB(5, 5, 7);            \
	FSUB(6, 6, 8);            \
	FMLA(a, 5, 5);            \
	FMLA(a+1, 6, 6)
#define TERMSQUARES2(a) \
	FMOVQ.P 16(xp), F0; \
	FMOVQ.P 16(yp), F2; \
	FSUB(0, 0, 2);      \
	FMLA(a, 0, 0)
#define PARTSQUARES2(a) \
	VEOR V0.B16, V0.B16, V0.B16; \
	VEOR V2.B16, V2.B16, V2.B16; \
	LDREST(xp, V0);              \
	LDREST(yp, V2);              \
	FSUB(0, 0, 2);               \
	FMLA(a, 0, 0)
#define TERM2ABS(off, a) \
	FLDPQ off(xp), (F0, F2); \
	FLDPQ off(yp), (F3, F4); \
	FABD(0, 0, 3);            \
	FABD(2, 2, 4);            \
	FADD(a, a, 0);            \
	FADD(a+1, a+1, 2)
#define TERM2BABS(off, a) \
	FLDPQ off(xp), (F5, F6); \
	FLDPQ off(yp), (F7, F8); \
	FABD(5, 5, 7);            \
	FABD(6, 6, 8);            \
	FADD(a, a, 5);            \
	FADD(a+1, a+1, 6)
#define TERMABS(a) \
	FMOVQ.P 16(xp), F0; \
	FMOVQ.P 16(yp), F2; \
	FABD(0, 0, 2);      \
	FADD(a, a, 0)
#define PARTABS(a) \
	VEOR V0.B16, V0.B16, V0.B16; \
	VEOR V2.B16, V2.B16, V2.B16; \
	LDREST(xp, V0);              \
	LDREST(yp, V2);              \
	FABD(0, 0, 2);               \
	FADD(a, a, 0)
#define TERM2SQUARES(off, a) \
	FLDPQ off(xp), (F0, F2); \
	FMLA(a, 0, 0);            \
	FMLA(a+1, 2, 2)
#define TERM2BSQUARES(off, a) \
	FLDPQ off(xp), (F5, F6); \
	FMLA(a, 5, 5);            \
	FMLA(a+1, 6, 6)
#define TERMSQUARES(a) \
	FMOVQ.P 16(xp), F0; \
	FMLA(a, 0, 0)
#define PARTSQUARES(a) \
	VEOR V0.B16, V0.B16, V0.B16; \
	LDREST(xp, V0);              \
	FMLA(a, 0, 0)
#define TERM2PLAIN(off, a) \
	FLDPQ off(xp), (F0, F2); \
	FADD(a, a, 0);            \
	FADD(a+1, a+1, 2)
#define TERM2BPLAIN(off, a) \
	FLDPQ off(xp), (F5, F6); \
	FADD(a, a, 5);            \
	FADD(a+1, a+1, 6)
#define TERMPLAIN(a) \
	FMOVQ.P 16(xp), F0; \
	FADD(a, a, 0)
#define PARTPLAIN(a) \
	VMOV V1.B16, V0.B16; \
	LDREST(xp, V0);      \
	FADD(a, a, 0)

// TERM3X2 loads two registers of x and two registers of y at offset off. It adds the products x·y to registers a and
// a+1, x² to b and b+1, and y² to c and c+1. TERM3 does the same for one register each of x and y, and PART3 for the
// last R5 elements.
#define TERM3X2(off, a, b, c) \
	FLDPQ off(xp), (F0, F2); \
	FLDPQ off(yp), (F3, F4); \
	FMLA(a, 0, 3);            \
	FMLA(b, 0, 0);            \
	FMLA(c, 3, 3);            \
	FMLA(a+1, 2, 4);          \
	FMLA(b+1, 2, 2);          \
	FMLA(c+1, 4, 4)
#define TERM3(a, b, c) \
	FMOVQ.P 16(xp), F0; \
	FMOVQ.P 16(yp), F2; \
	FMLA(a, 0, 2);      \
	FMLA(b, 0, 0);      \
	FMLA(c, 2, 2)
#define PART3(a, b, c) \
	VMOV V1.B16, V0.B16;         \
	VEOR V2.B16, V2.B16, V2.B16; \
	LDREST(xp, V0);              \
	LDREST(yp, V2);              \
	FMLA(a, 0, 2);               \
	FMLA(b, 0, 0);               \
	FMLA(c, 2, 2)

#define F32
#include "type_arm64.h"

#define YARG(y) MOVD y, yp
#define YNEXT ADD $256, yp
#define args 28
#define result ret+24(FP)
#define lanesargs 32
#define SUM ·dotNEONF32
#define LANESUM ·dotLanesNEONF32
#define TERM2 TERM2DOT
#define TERM2B TERM2BDOT
#define TERM TERMDOT
#define PART PARTDOT
#include "sum_neon_arm64.h"
#undef SUM
#undef LANESUM
#undef TERM2
#undef TERM2B
#undef TERM
#undef PART
#define SUM ·sqEuclideanNEONF32
#define LANESUM ·sqEuclideanLanesNEONF32
#define TERM2 TERM2SQUARES2
#define TERM2B TERM2BSQUARES2
#define TERM TERMSQUARES2
#define PART PARTSQUARES2
#include "sum_neon_arm64.h"
#undef SUM
#undef LANESUM
#undef TERM2
#undef TERM2B
#undef TERM
#undef PART
#define SUM ·manhattanNEONF32
#define LANESUM ·manhattanLanesNEONF32
#define TERM2 TERM2ABS
#define TERM2B TERM2BABS
#define TERM TERMABS
#define PART PARTABS
#include "sum_neon_arm64.h"
#undef SUM
#undef LANESUM
#undef TERM2
#undef TERM2B
#undef TERM
#undef PART
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
#define SUM ·squaresNEONF32
#define LANESUM ·squaresLanesNEONF32
#define TERM2 TERM2SQUARES
#define TERM2B TERM2BSQUARES
#define TERM TERMSQUARES
#define PART PARTSQUARES
#include "sum_neon_arm64.h"
#undef SUM
#undef LANESUM
#undef TERM2
#undef TERM2B
#undef TERM
#undef PART
#define SUM ·sumNEONF32
#define LANESUM ·sumLanesNEONF32
#define TERM2 TERM2PLAIN
#define TERM2B TERM2BPLAIN
#define TERM TERMPLAIN
#define PART PARTPLAIN
#include "sum_neon_arm64.h"
#undef SUM
#undef LANESUM
#undef TERM2
#undef TERM2B
#undef TERM
#undef PART
#undef YARG
#undef YNEXT
#undef args
#undef result
#undef lanesargs
#define COSINE ·cosineNEONF32
#define LANESUM ·cosineLanesNEONF32
#include "cosine_neon_arm64.h"
#undef COSINE
#undef LANESUM
#undef F32

#define F64
#include "type_arm64.h"

#define YARG(y) MOVD y, yp
#define YNEXT ADD $256, yp
#define args 32
#define result ret+24(FP)
#define lanesargs 32
#define SUM ·dotNEONF64
#define LANESUM ·dotLanesNEONF64
#define TERM2 TERM2DOT
#define TERM2B TERM2BDOT
#define TERM TERMDOT
#define PART PARTDOT
#include "sum_neon_arm64.h"
#undef SUM
#undef LANESUM
#undef TERM2
#undef TERM2B
#undef TERM
#undef PART
#define SUM ·sqEuclideanNEONF64
#define LANESUM ·sqEuclideanLanesNEONF64
#define TERM2 TERM2SQUARES2
#define TERM2B TERM2BSQUARES2
#define TERM TERMSQUARES2
#define PART PARTSQUARES2
#include "sum_neon_arm64.h"
#undef SUM
#undef LANESUM
#undef TERM2
#undef TERM2B
#undef TERM
#undef PART
#define SUM ·manhattanNEONF64
#define LANESUM ·manhattanLanesNEONF64
#define TERM2 TERM2ABS
#define TERM2B TERM2BABS
#define TERM TERMABS
#define PART PARTABS
#include "sum_neon_arm64.h"
#undef SUM
#undef LANESUM
#undef TERM2
#undef TERM2B
#undef TERM
#undef PART
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
#define SUM ·squaresNEONF64
#define LANESUM ·squaresLanesNEONF64
#define TERM2 TERM2SQUARES
#define TERM2B TERM2BSQUARES
#define TERM TERMSQUARES
#define PART PARTSQUARES
#include "sum_neon_arm64.h"
#undef SUM
#undef LANESUM
#undef TERM2
#undef TERM2B
#undef TERM
#undef PART
#define SUM ·sumNEONF64
#define LANESUM ·sumLanesNEONF64
#define TERM2 TERM2PLAIN
#define TERM2B TERM2BPLAIN
#define TERM TERMPLAIN
#define PART PARTPLAIN
#include "sum_neon_arm64.h"
#undef SUM
#undef LANESUM
#undef TERM2
#undef TERM2B
#undef TERM
#undef PART
#undef YARG
#undef YNEXT
#undef args
#undef result
#undef lanesargs
#define COSINE ·cosineNEONF64
#define LANESUM ·cosineLanesNEONF64
#include "cosine_neon_arm64.h"
#undef COSINE
#undef LANESUM
#undef F64
