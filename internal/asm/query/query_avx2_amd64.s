// query for float32 with AVX2 + FMA.
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
// Tile            4 rows × 16 elements. Two registers hold the 16 lanes of every row. In the Far kernels, the
//                 four rows of a tile are n/4 rows apart.
// Tail            none.
// Special values  propagate as in ordinary arithmetic.
// Registers       SI row 0 · R8 R9 bytes of one and three rows · DI dst · DX pointer into q · BX q ·
//                 AX rows left · CX groups left · R10 groups · R11 scale · R12 address to fetch ·
//                 Y0–Y7 lanes of the rows, two registers for each row · Y8 Y9 q, then temporaries of the fold ·
//                 Y10 Y11 elements of x, then differences · Y12–Y15 scales. Far kernels: R8 R9 bytes of n/4 and
//                 3n/4 rows of x, R11 R12 bytes of n/4 and 3n/4 elements of dst.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define xp SI
#define ld R8
#define ld3 R9
#define dp DI
#define qp DX
#define q0 BX
#define rows AX
#define left CX
#define groups R10
#define sp R11
#define ahead R12
#define dld R11
#define dld3 R12
#define half (8*size)

// FETCH prefetches the rows that follow the current four rows. Prefetching begins 1024 bytes after the end of the current rows.
// Every iteration prefetches as many bytes as it reads. A prefetch beyond the end of x has no effect.
#define far 1024

// SQUARES and PRODUCTS add 16 terms to the lanes in registers a and b. For SQUARES, Y10 and Y11 hold the differences that
// DIFFERENCES computes. For PRODUCTS, Y10 and Y11 hold the elements of a row.
#define SQUARES(a, b) \
	VFMADD231PS Y10, Y10, a; \
	VFMADD231PS Y11, Y11, b
#define PRODUCTS(a, b) \
	VFMADD231PS Y10, Y8, a; \
	VFMADD231PS Y11, Y9, b
#define DIFFERENCES \
	VSUBPS Y10, Y8, Y10; \
	VSUBPS Y11, Y9, Y11

// Each of four rows has 16 partial sums in two registers. HALVES adds partial sums l and l+8. QUARTERS then adds partial sums
// l and l+4, and stores the results of rows 0 and 2 in Y0, and the results of rows 1 and 3 in Y2. SUMS adds the remaining
// partial sums and stores the four row sums in X0.
#define HALVES \
	VADDPS Y1, Y0, Y0; \
	VADDPS Y3, Y2, Y2; \
	VADDPS Y5, Y4, Y4; \
	VADDPS Y7, Y6, Y6
#define QUARTERS \
	VPERM2F128 $0x20, Y4, Y0, Y8; \
	VPERM2F128 $0x31, Y4, Y0, Y9; \
	VADDPS     Y9, Y8, Y0;        \
	VPERM2F128 $0x20, Y6, Y2, Y8; \
	VPERM2F128 $0x31, Y6, Y2, Y9; \
	VADDPS     Y9, Y8, Y2
#define SUMS \
	VUNPCKLPD    Y2, Y0, Y8;        \
	VUNPCKHPD    Y2, Y0, Y9;        \
	VADDPS       Y9, Y8, Y0;        \
	VEXTRACTF128 $1, Y0, X1;        \
	VSHUFPS      $0x88, X1, X0, X8; \
	VSHUFPS      $0xdd, X1, X0, X9; \
	VADDPS       X9, X8, X0

// The WIDEN macros load 16 elements of a row into Y10 and Y11, and convert them to float32.
#define WIDENBF16(lo, hi) \
	VPMOVZXWD lo, Y10;       \
	VPMOVZXWD hi, Y11;       \
	VPSLLD    $16, Y10, Y10; \
	VPSLLD    $16, Y11, Y11
#define WIDENF16(lo, hi) \
	VCVTPH2PS lo, Y10; \
	VCVTPH2PS hi, Y11
#define WIDENINT8(lo, hi) \
	VPMOVSXBD lo, Y10;  \
	VPMOVSXBD hi, Y11;  \
	VCVTDQ2PS Y10, Y10; \
	VCVTDQ2PS Y11, Y11

#define SCALESTART
#define SCALES
#define args 40

// If d ≥ 1024, the current four rows and the next four rows do not fit in the L1 cache together. In this case FETCH
// prefetches the current rows, 512 bytes ahead.
#define near 512
#define NEXT \
	PREFETCHT0 far(ahead);       \
	PREFETCHT0 (far+64)(ahead);  \
	PREFETCHT0 (far+128)(ahead); \
	PREFETCHT0 (far+192)(ahead)
#define SAME \
	PREFETCHT0 near(xp);         \
	PREFETCHT0 near(xp)(ld*1);   \
	PREFETCHT0 near(xp)(ld*2);   \
	PREFETCHT0 near(xp)(ld3*1)
#define size 4
#define FETCH \
	CMPQ groups, $64; \
	JGE  same;        \
	NEXT;             \
	JMP  fetched;     \
same:                     \
	SAME;             \
fetched:
#define QUERY ·sqEuclideanAVX2F32
#define TERM(lo, hi, a, b, s) \
	VSUBPS lo, Y8, Y10; \
	VSUBPS hi, Y9, Y11; \
	SQUARES(a, b)
#include "query_avx2_amd64.h"
#undef QUERY
#define QUERY ·sqEuclideanFarAVX2F32
#include "far_avx2_amd64.h"
#undef QUERY
#undef TERM

#define QUERY ·dotAVX2F32
#define TERM(lo, hi, a, b, s) \
	VFMADD231PS lo, Y8, a; \
	VFMADD231PS hi, Y9, b
#include "query_avx2_amd64.h"
#undef QUERY
#define QUERY ·dotFarAVX2F32
#include "far_avx2_amd64.h"
#undef QUERY
#undef TERM
#undef size

#undef FETCH
#define size 2
#define FETCH \
	PREFETCHT0 far(ahead);      \
	PREFETCHT0 (far+64)(ahead)
#define QUERY ·sqEuclideanAVX2BF16
#define TERM(lo, hi, a, b, s) \
	WIDENBF16(lo, hi); \
	DIFFERENCES;       \
	SQUARES(a, b)
#include "query_avx2_amd64.h"
#undef QUERY
#undef TERM

#define QUERY ·dotAVX2BF16
#define TERM(lo, hi, a, b, s) \
	WIDENBF16(lo, hi); \
	PRODUCTS(a, b)
#include "query_avx2_amd64.h"
#undef QUERY
#undef TERM

#define QUERY ·sqEuclideanAVX2F16
#define TERM(lo, hi, a, b, s) \
	WIDENF16(lo, hi); \
	DIFFERENCES;      \
	SQUARES(a, b)
#include "query_avx2_amd64.h"
#undef QUERY
#undef TERM

#define QUERY ·dotAVX2F16
#define TERM(lo, hi, a, b, s) \
	WIDENF16(lo, hi); \
	PRODUCTS(a, b)
#include "query_avx2_amd64.h"
#undef QUERY
#undef TERM
#undef size
#undef args
#undef SCALESTART
#undef SCALES

// SCALES loads the scales of four rows, and SCALESTART loads the pointer to the scales.
#define SCALESTART MOVQ scale+40(FP), sp
#define SCALES \
	VBROADCASTSS (sp), Y12;   \
	VBROADCASTSS 4(sp), Y13;  \
	VBROADCASTSS 8(sp), Y14;  \
	VBROADCASTSS 12(sp), Y15; \
	ADDQ         $16, sp
#define args 48

#undef FETCH
#define size 1
#define FETCH PREFETCHT0 far(ahead)
#define QUERY ·sqEuclideanAVX2Int8
#define TERM(lo, hi, a, b, s) \
	WIDENINT8(lo, hi);           \
	VFNMADD213PS Y8, s, Y10;     \
	VFNMADD213PS Y9, s, Y11;     \
	SQUARES(a, b)
#include "query_avx2_amd64.h"
#undef QUERY
#undef TERM

#define QUERY ·dotAVX2Int8
#define TERM(lo, hi, a, b, s) \
	WIDENINT8(lo, hi);     \
	VMULPS s, Y10, Y10;    \
	VMULPS s, Y11, Y11;    \
	PRODUCTS(a, b)
#include "query_avx2_amd64.h"
#undef QUERY
#undef TERM
