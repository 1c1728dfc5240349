// query of many vectors for float32 with AVX-512 F.
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
// Tile            3 vectors × 4 rows × 16 elements. One register holds the 16 lanes of every vector and row.
// Tail            none.
// Special values  propagate as in ordinary arithmetic.
// Registers       SI row 0 · R8 R13 bytes of one and three rows of x · R9 bytes of a row of q · DI dst ·
//                 R12 bytes of a row of dst · DX pointer into q · BX q · AX rows left · CX groups left ·
//                 R10 groups · R11 scale · Z0–Z3, Z4–Z7, Z8–Z11 lanes of vectors 0, 1, 2 and the four rows ·
//                 Z12–Z15 elements of the rows · Z12 Z13 temporaries of the fold · Z16 elements of a vector ·
//                 Z17 differences · Z20–Z23 scales.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define xp SI
#define ld R8
#define ld3 R13
#define ldq R9
#define dp DI
#define rowd R12
#define qp DX
#define q0 BX
#define rows AX
#define left CX
#define groups R10
#define sp R11

// HALVE adds the upper half of register z to register y, which is the lower half of z.
#define HALVE(z, y) \
	VEXTRACTF64X4 $1, z, Y12;   \
	VADDPS        Y12, y, y

// QUARTER folds the lanes of two rows. Registers a and c hold eight lanes of one row each. The results, four lanes of each
// row, are in register a.
#define QUARTER(a, c) \
	VPERM2F128 $0x20, c, a, Y12; \
	VPERM2F128 $0x31, c, a, Y13; \
	VADDPS     Y13, Y12, a

// LAST folds four lanes of each of four rows, and stores the four row sums in xa. Register a holds the lanes of rows 0 and 2,
// and register b holds the lanes of rows 1 and 3.
#define LAST(a, b, xa) \
	VUNPCKLPD    b, a, Y12;            \
	VUNPCKHPD    b, a, Y13;            \
	VADDPS       Y13, Y12, a;          \
	VEXTRACTF128 $1, a, X13;           \
	VSHUFPS      $0x88, X13, xa, X12;  \
	VSHUFPS      $0xdd, X13, xa, X13;  \
	VADDPS       X13, X12, xa

// SQUARES adds squared differences to the sums in the registers a and b. PRODUCTS adds products. Z16 holds 16 elements of a
// query. The sum in a is for row x, and the sum in b is for row y. The scales s and t are not used.
#define SQUARES(x, y, s, t, a, b) \
	VSUBPS      x, Z16, Z17;   \
	VFMADD231PS Z17, Z17, a;   \
	VSUBPS      y, Z16, Z17;   \
	VFMADD231PS Z17, Z17, b
#define PRODUCTS(x, y, s, t, a, b) \
	VFMADD231PS x, Z16, a; \
	VFMADD231PS y, Z16, b

#define SCALESTART
#define SCALES
#define args 48

#define size 4
#define ELEMENTS(x, s, y) VMOVUPS x, y
#define MANY ·sqEuclideanManyAVX512F32
#define TERMS SQUARES
#include "many_avx512_amd64.h"
#undef MANY
#undef TERMS

#define MANY ·dotManyAVX512F32
#define TERMS PRODUCTS
#include "many_avx512_amd64.h"
#undef MANY
#undef TERMS
#undef ELEMENTS
#undef size

// The WIDEN macros load 16 elements of a row and convert them to float32. The macro SCALEDINT8 does so for int8, and also
// multiplies the elements by the scale s.
#define WIDENBF16(x, s, y) \
	VPMOVZXWD x, y;      \
	VPSLLD    $16, y, y
#define WIDENF16(x, s, y) VCVTPH2PS x, y
#define WIDENINT8(x, s, y) \
	VPMOVSXBD x, y; \
	VCVTDQ2PS y, y
#define SCALEDINT8(x, s, y) \
	VPMOVSXBD x, y;    \
	VCVTDQ2PS y, y;    \
	VMULPS    s, y, y

#define size 2
#define ELEMENTS WIDENBF16
#define MANY ·sqEuclideanManyAVX512BF16
#define TERMS SQUARES
#include "many_avx512_amd64.h"
#undef MANY
#undef TERMS

#define MANY ·dotManyAVX512BF16
#define TERMS PRODUCTS
#include "many_avx512_amd64.h"
#undef MANY
#undef TERMS
#undef ELEMENTS

#define ELEMENTS WIDENF16
#define MANY ·sqEuclideanManyAVX512F16
#define TERMS SQUARES
#include "many_avx512_amd64.h"
#undef MANY
#undef TERMS

#define MANY ·dotManyAVX512F16
#define TERMS PRODUCTS
#include "many_avx512_amd64.h"
#undef MANY
#undef TERMS
#undef ELEMENTS
#undef size
#undef args
#undef SCALESTART
#undef SCALES

// SCALEDSQUARES is like SQUARES, but first multiplies the int8 elements of rows x and y by the row scales s and t.
#define SCALEDSQUARES(x, y, s, t, a, b) \
	VMOVAPS      Z16, Z17;    \
	VFNMADD231PS s, x, Z17;   \
	VFMADD231PS  Z17, Z17, a; \
	VMOVAPS      Z16, Z17;    \
	VFNMADD231PS t, y, Z17;   \
	VFMADD231PS  Z17, Z17, b

// SCALES loads the scales of four rows, and SCALESTART loads the pointer to the scales.
#define SCALESTART MOVQ scale+48(FP), sp
#define SCALES \
	VBROADCASTSS (sp), Z20;   \
	VBROADCASTSS 4(sp), Z21;  \
	VBROADCASTSS 8(sp), Z22;  \
	VBROADCASTSS 12(sp), Z23; \
	ADDQ         $16, sp
#define args 56

#define size 1
#define ELEMENTS WIDENINT8
#define MANY ·sqEuclideanManyAVX512Int8
#define TERMS SCALEDSQUARES
#include "many_avx512_amd64.h"
#undef MANY
#undef TERMS
#undef ELEMENTS

#define ELEMENTS SCALEDINT8
#define MANY ·dotManyAVX512Int8
#define TERMS PRODUCTS
#include "many_avx512_amd64.h"
#undef MANY
#undef TERMS
