// query for float32 with NEON.
//
//	sqEuclidean   dst[i] = Σ_k (q[k] − x[i,k])²
//	dot           dst[i] = Σ_k q[k]·x[i,k]            0≤i<n  0≤k<d
//
// The elements of x are float32, float16, bfloat16 or int8. The kernels convert shorter elements to float32, and multiply
// the int8 elements of row i by scale[i].
//
// Same bits as    sqEuclideanRef, dotRef, sqEuclideanHalfRef, dotHalfRef, sqEuclideanInt8Ref and
//                 dotInt8Ref in ref.go. Lane k mod 16 accumulates the term of element k, in ascending order
//                 of k. The fold repeatedly adds the upper half of the lanes to the lower half.
// Layout          q has d elements. x is n×d, row-major without gaps. dst and scale have n elements. n is a
//                 positive multiple of 8, and d is a positive multiple of 16.
// Tile            4 rows × 16 elements. Four registers hold the 16 lanes of every row.
// Tail            none.
// Special values  propagate as in ordinary arithmetic.
// Registers       R0 rows left · R1 elements of a row · R2 dst · R3 q · R4–R7 pointers into the rows ·
//                 R8 pointer into q · R9 elements left · R10 bytes of a row · R11 scale · V0–V15 lanes
//                 of the rows, four registers for each row · V16–V19 q · V20–V23 elements of x, then differences ·
//                 V24 V25 elements before they are widened · V26 scales · V27 zero · V28–V31
//                 differences; V28 V29 the four results.
// Source          written for this project.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

#define rows R0
#define cols R1
#define dp R2
#define q0 R3
#define row0 R4
#define row1 R5
#define row2 R6
#define row3 R7
#define qp R8
#define left R9
#define ld R10
#define sp R11

// SQUARES and PRODUCTS add the terms of the 16 row elements in V20–V23 to four registers, which have the numbers lanes to
// lanes+3.
#define SQUARES(lanes) \
	OF4(FSUB, 20, 16, 20); \
	OF4(FMLA, lanes, 20, 20)
#define PRODUCTS(lanes) OF4(FMLA, lanes, 20, 16)

// The WIDEN macros load 16 elements of a row into V20–V23, and convert them to float32. WIDENINT8 moves each byte to the
// top of a 32-bit integer, and converts the integer as a fixed-point number with 24 fraction bits.
#define WIDENBF16(x) \
	FLDPQ.P 32(x), (F24, F25);     \
	VZIP1   V24.H8, V27.H8, V20.H8; \
	VZIP2   V24.H8, V27.H8, V21.H8; \
	VZIP1   V25.H8, V27.H8, V22.H8; \
	VZIP2   V25.H8, V27.H8, V23.H8
#define WIDENF16(x) \
	FLDPQ.P 32(x), (F24, F25); \
	FCVTL_4S(20, 24);  \
	FCVTL2_4S(21, 24); \
	FCVTL_4S(22, 25);  \
	FCVTL2_4S(23, 25)
#define BYTES(x) \
	FMOVQ.P 16(x), F24;              \
	VZIP2   V24.B16, V27.B16, V25.B16; \
	VZIP1   V24.B16, V27.B16, V24.B16
#define WIDENINT8(x) \
	BYTES(x);                       \
	VZIP1 V24.H8, V27.H8, V20.H8; \
	VZIP2 V24.H8, V27.H8, V21.H8; \
	VZIP1 V25.H8, V27.H8, V22.H8; \
	VZIP2 V25.H8, V27.H8, V23.H8; \
	OF4I(SCVTF, 20, 20, 24)

#define SCALESTART
#define SCALES
#define args 40

#define shift 2
#define QUERY ·sqEuclideanNEONF32
#define TERM(x, lanes, i) \
	LOAD4(x, F20, F21, F22, F23); \
	SQUARES(lanes)
#include "query_neon_arm64.h"
#undef QUERY
#undef TERM

#define QUERY ·dotNEONF32
#define TERM(x, lanes, i) \
	LOAD4(x, F20, F21, F22, F23); \
	PRODUCTS(lanes)
#include "query_neon_arm64.h"
#undef QUERY
#undef TERM
#undef shift

#define shift 1
#define QUERY ·sqEuclideanNEONF16
#define TERM(x, lanes, i) \
	WIDENF16(x); \
	SQUARES(lanes)
#include "query_neon_arm64.h"
#undef QUERY
#undef TERM

#define QUERY ·dotNEONF16
#define TERM(x, lanes, i) \
	WIDENF16(x); \
	PRODUCTS(lanes)
#include "query_neon_arm64.h"
#undef QUERY
#undef TERM

#undef SCALESTART
#define SCALESTART VEOR V27.B16, V27.B16, V27.B16
#define QUERY ·sqEuclideanNEONBF16
#define TERM(x, lanes, i) \
	WIDENBF16(x); \
	SQUARES(lanes)
#include "query_neon_arm64.h"
#undef QUERY
#undef TERM

#define QUERY ·dotNEONBF16
#define TERM(x, lanes, i) \
	WIDENBF16(x); \
	PRODUCTS(lanes)
#include "query_neon_arm64.h"
#undef QUERY
#undef TERM
#undef shift
#undef args
#undef SCALESTART
#undef SCALES

// SCALES loads the scales of four rows, and SCALESTART loads the pointer to the scales.
#define SCALESTART \
	VEOR V27.B16, V27.B16, V27.B16; \
	MOVD scale+40(FP), sp
#define SCALES FMOVQ.P 16(sp), F26
#define args 48

#define shift 0
#define QUERY ·sqEuclideanNEONInt8
#define TERM(x, lanes, i) \
	WIDENINT8(x); \
	COPY4(V16, V17, V18, V19); \
	OF4E(FMLS_E, 28, 20, 26, i); \
	OF4(FMLA, lanes, 28, 28)
#include "query_neon_arm64.h"
#undef QUERY
#undef TERM

#define QUERY ·dotNEONInt8
#define TERM(x, lanes, i) \
	WIDENINT8(x); \
	OF4E(FMUL_E, 20, 20, 26, i); \
	PRODUCTS(lanes)
#include "query_neon_arm64.h"
#undef QUERY
#undef TERM
