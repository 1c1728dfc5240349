// query of many vectors for float32 with NEON.
//
//	sqEuclideanMany   dst[j,i] = Σ_k (q[j,k] − x[i,k])²
//	dotMany           dst[j,i] = Σ_k q[j,k]·x[i,k]            0≤j<3  0≤i<n  0≤k<d
//
// The elements of x are float32, float16, bfloat16 or int8. The kernels convert shorter elements to float32, and multiply
// the int8 elements of row i by scale[i].
//
// Same bits as    sqEuclideanRef, dotRef, sqEuclideanHalfRef, dotHalfRef, sqEuclideanInt8Ref and
//                 dotInt8Ref in ref.go, for each vector. Lane k mod 16 accumulates the term of element k, in
//                 ascending order of k. The fold repeatedly adds the upper half of the lanes to the lower half.
// Layout          q is 3×d and x is n×d, row-major without gaps. dst is 3×n with row stride ldd, and scale
//                 has n elements. n is a positive multiple of 8, and d is a positive multiple of 16.
// Tile            3 vectors × 2 rows × 16 elements. Four registers hold the 16 lanes of every vector and row.
// Tail            none.
// Special values  propagate as in ordinary arithmetic.
// Registers       R0 rows left · R1 elements of a row · R2–R4 rows of dst · R5 q · R6–R8 pointers into
//                 q · R9 R10 pointers into the rows · R11 bytes of a row · R12 elements left · R13 scale ·
//                 V0–V7, V8–V15, V16–V23 lanes of vectors 0, 1, 2, four registers for each row ·
//                 V24 V25 elements of the rows · V26 elements of a vector · V27 differences · V24–V27
//                 then temporaries of the fold · V28 scales · V29 zero.
// Source          written for this project.

//go:build arm64 && !purego

#include "textflag.h"
#include "neon_arm64.h"

#define rows R0
#define cols R1
#define dp0 R2
#define dp1 R3
#define dp2 R4
#define q0 R5
#define qp0 R6
#define qp1 R7
#define qp2 R8
#define row0 R9
#define row1 R10
#define ld R11
#define left R12
#define sp R13

// FOURLANES adds the terms of lanes 4l … 4l+3, for three vectors and two rows.
#define FOURLANES(l) \
	ELEMENTS(row0, 0, 24, F24, V24); \
	ELEMENTS(row1, 1, 25, F25, V25); \
	TERMS(qp0, l, 4+l);              \
	TERMS(qp1, 8+l, 12+l);           \
	TERMS(qp2, 16+l, 20+l)

// SQUARES adds squared differences to the sums in the registers a and b. PRODUCTS adds products. Both macros load four
// elements of a query from q. The sum in a is for the row elements in V24, and the sum in b is for the row elements in V25.
#define SQUARES(q, a, b) \
	FMOVQ.P 16(q), F26; \
	FSUB(27, 26, 24);   \
	FMLA(a, 27, 27);    \
	FSUB(27, 26, 25);   \
	FMLA(b, 27, 27)
#define PRODUCTS(q, a, b) \
	FMOVQ.P 16(q), F26; \
	FMLA(a, 26, 24);    \
	FMLA(b, 26, 25)

#define SCALESTART
#define SCALES
#define args 48

#define shift 2
#define ELEMENTS(x, i, y, f, v) FMOVQ.P 16(x), f
#define MANY ·sqEuclideanManyNEONF32
#define TERMS SQUARES
#include "many_neon_arm64.h"
#undef MANY
#undef TERMS

#define MANY ·dotManyNEONF32
#define TERMS PRODUCTS
#include "many_neon_arm64.h"
#undef MANY
#undef TERMS
#undef ELEMENTS
#undef shift

// The WIDEN macros load four elements of a row and convert them to float32. WIDENINT8 moves each byte to the top of a
// 32-bit integer, and converts the integer as a fixed-point number with 24 fraction bits. SCALEDINT8 also multiplies the
// elements by scale i.
#define WIDENF16(x, i, y, f, v) \
	FMOVD.P 8(x), f; \
	FCVTL_4S(y, y)
#define WIDENBF16(x, i, y, f, v) \
	FMOVD.P 8(x), f;           \
	VZIP1   v.H8, V29.H8, v.H8
#define WIDENINT8(x, i, y, f, v) \
	FMOVS.P 4(x), f;              \
	VZIP1   v.B16, V29.B16, v.B16; \
	VZIP1   v.H8, V29.H8, v.H8;   \
	SCVTF(y, y, 24)
#define SCALEDINT8(x, i, y, f, v) \
	WIDENINT8(x, i, y, f, v); \
	FMUL_E(y, y, 28, i)

#define shift 1
#define ELEMENTS WIDENF16
#define MANY ·sqEuclideanManyNEONF16
#define TERMS SQUARES
#include "many_neon_arm64.h"
#undef MANY
#undef TERMS

#define MANY ·dotManyNEONF16
#define TERMS PRODUCTS
#include "many_neon_arm64.h"
#undef MANY
#undef TERMS
#undef ELEMENTS

#undef SCALESTART
#define SCALESTART VEOR V29.B16, V29.B16, V29.B16
#define ELEMENTS WIDENBF16
#define MANY ·sqEuclideanManyNEONBF16
#define TERMS SQUARES
#include "many_neon_arm64.h"
#undef MANY
#undef TERMS

#define MANY ·dotManyNEONBF16
#define TERMS PRODUCTS
#include "many_neon_arm64.h"
#undef MANY
#undef TERMS
#undef ELEMENTS
#undef shift
#undef args
#undef SCALESTART
#undef SCALES

// SCALEDSQUARES is like SQUARES, but first multiplies the int8 elements by the row scales in V28.
#define SCALEDSQUARES(q, a, b) \
	FMOVQ.P 16(q), F26;           \
	VORR    V26.B16, V26.B16, V27.B16; \
	FMLS_E(27, 24, 28, 0);        \
	FMLA(a, 27, 27);              \
	FMLS_E(26, 25, 28, 1);        \
	FMLA(b, 26, 26)

// SCALES loads the scales of two rows, and SCALESTART loads the pointer to the scales.
#define SCALESTART \
	VEOR V29.B16, V29.B16, V29.B16; \
	MOVD scale+48(FP), sp
#define SCALES FMOVD.P 8(sp), F28
#define args 56

#define shift 0
#define ELEMENTS WIDENINT8
#define MANY ·sqEuclideanManyNEONInt8
#define TERMS SCALEDSQUARES
#include "many_neon_arm64.h"
#undef MANY
#undef TERMS
#undef ELEMENTS

#define ELEMENTS SCALEDINT8
#define MANY ·dotManyNEONInt8
#define TERMS PRODUCTS
#include "many_neon_arm64.h"
#undef MANY
#undef TERMS
