// query of many vectors for float32 with AVX2 + FMA.
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
// Tile            3 vectors × 2 rows × 16 elements. Two registers hold the 16 lanes of every vector and row. Every
//                 iteration prefetches one cache line and advances the prefetch address by step bytes.
// Tail            none.
// Special values  propagate as in ordinary arithmetic.
// Registers       SI row 0 · R8 bytes of a row of x · R9 bytes of a row of q · DI dst · R12 bytes of a row of
//                 dst · DX pointer into q · BX q · AX rows left · CX elements left · R11
//                 scale · R13 prefetch address · R10 bytes to the next prefetch · Y0–Y3, Y4–Y7, Y8–Y11 lanes of
//                 vectors 0, 1, 2: lanes 0 to 7 of two rows, then lanes 8 to 15 · Y12 Y13 elements of the rows,
//                 then temporaries of the fold · Y14 Y15 elements of a vector, scales, differences.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define xp SI
#define ld R8
#define ldq R9
#define dp DI
#define rowd R12
#define qp DX
#define q0 BX
#define rows AX
#define left CX
#define fetched R13
#define every R10
#define sp R11
#define half (8*size)

// SQUARES adds squared differences to the sums in the registers a and b. PRODUCTS adds products. Both macros load eight
// elements of a query from q. The sum in a is for the row elements in Y12, and the sum in b is for the row elements in Y13.
#define SQUARES(q, a, b) \
	VMOVUPS     q, Y14;        \
	VSUBPS      Y12, Y14, Y15; \
	VFMADD231PS Y15, Y15, a;   \
	VSUBPS      Y13, Y14, Y14; \
	VFMADD231PS Y14, Y14, b
#define PRODUCTS(q, a, b) \
	VMOVUPS     q, Y14;      \
	VFMADD231PS Y12, Y14, a; \
	VFMADD231PS Y13, Y14, b

#define SCALESTART
#define SCALENEXT
#define args 64

#define size 4
#define ELEMENTS(x, s, y) VMOVUPS x, y
#define MANY ·sqEuclideanManyAVX2F32
#define TERMS SQUARES
#include "many_avx2_amd64.h"
#undef MANY
#undef TERMS

#define MANY ·dotManyAVX2F32
#define TERMS PRODUCTS
#include "many_avx2_amd64.h"
#undef MANY
#undef TERMS
#undef ELEMENTS
#undef size

// The WIDEN macros load eight elements of a row and convert them to float32. The macro SCALEDINT8 does so for int8, and also
// multiplies the elements by the scale s.
#define WIDENBF16(x, s, y) \
	VPMOVZXWD x, y;      \
	VPSLLD    $16, y, y
#define WIDENF16(x, s, y) VCVTPH2PS x, y
#define WIDENINT8(x, s, y) \
	VPMOVSXBD x, y; \
	VCVTDQ2PS y, y
#define SCALEDINT8(x, s, y) \
	VPMOVSXBD    x, y;      \
	VCVTDQ2PS    y, y;      \
	VBROADCASTSS s, Y14;    \
	VMULPS       Y14, y, y

#define size 2
#define ELEMENTS WIDENBF16
#define MANY ·sqEuclideanManyAVX2BF16
#define TERMS SQUARES
#include "many_avx2_amd64.h"
#undef MANY
#undef TERMS

#define MANY ·dotManyAVX2BF16
#define TERMS PRODUCTS
#include "many_avx2_amd64.h"
#undef MANY
#undef TERMS
#undef ELEMENTS

#define ELEMENTS WIDENF16
#define MANY ·sqEuclideanManyAVX2F16
#define TERMS SQUARES
#include "many_avx2_amd64.h"
#undef MANY
#undef TERMS

#define MANY ·dotManyAVX2F16
#define TERMS PRODUCTS
#include "many_avx2_amd64.h"
#undef MANY
#undef TERMS
#undef ELEMENTS
#undef size
#undef args
#undef SCALESTART
#undef SCALENEXT

// SCALEDSQUARES is like SQUARES, but first multiplies the int8 elements in Y12 and Y13 by the scales of their rows.
#define SCALEDSQUARES(q, a, b) \
	VMOVUPS      q, Y15;        \
	VBROADCASTSS (sp), Y14;     \
	VFNMADD231PS Y14, Y12, Y15; \
	VFMADD231PS  Y15, Y15, a;   \
	VMOVUPS      q, Y15;        \
	VBROADCASTSS 4(sp), Y14;    \
	VFNMADD231PS Y14, Y13, Y15; \
	VFMADD231PS  Y15, Y15, b

#define SCALESTART MOVQ scale+64(FP), sp
#define SCALENEXT ADDQ $8, sp
#define args 72

#define size 1
#define ELEMENTS WIDENINT8
#define MANY ·sqEuclideanManyAVX2Int8
#define TERMS SCALEDSQUARES
#include "many_avx2_amd64.h"
#undef MANY
#undef TERMS
#undef ELEMENTS

#define ELEMENTS SCALEDINT8
#define MANY ·dotManyAVX2Int8
#define TERMS PRODUCTS
#include "many_avx2_amd64.h"
#undef MANY
#undef TERMS
