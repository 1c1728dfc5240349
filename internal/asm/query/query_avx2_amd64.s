// query, float32, AVX2 + FMA.
//
//	sqEuclidean   dst[i] = Σ_k (q[k] − x[i,k])²
//	dot           dst[i] = Σ_k q[k]·x[i,k]            0≤i<n  0≤k<d
//
// for x of float32, of float16 and bfloat16, which are widened, and of int8, times scale[i].
//
// Same bits as    sqEuclideanRef, dotRef, sqEuclideanHalfRef, dotHalfRef, sqEuclideanInt8Ref and
//                 dotInt8Ref in ref.go: 16 lanes, element k in lane k mod 16, k ascending, folded
//                 in halves.
// Layout          q d elements, x n×d row-major without gaps, dst and scale n elements. n is a
//                 multiple of 8, d of 16, neither is 0.
// Tile            4 rows, 16 elements of each: two vectors for the lanes of a row. Far kernels:
//                 row i of each of four streams of n/4 rows.
// Tail            none.
// Special values  follow the arithmetic.
// Registers       SI row 0 · R8 R9 bytes of one and three rows · DI dst · DX pointer into q · BX q ·
//                 AX rows left · CX groups left · R10 groups · R11 scale · R12 address to fetch ·
//                 Y0–Y7 lanes of the rows, two each · Y8 Y9 q, then parts of the fold · Y10 Y11 elements of x,
//                 then differences · Y12–Y15 scales. Far kernels: R8 R9 bytes of n/4 and 3n/4 rows of x, R11 R12 bytes of n/4 and 3n/4
//                 elements of dst.
// Source          own.

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

// FETCH prefetches x in ascending order: in each iteration as many bytes as the iteration reads, beginning far bytes
// behind the start of the next four rows. A prefetch beyond the end of x does nothing.
#define far 1024

// Adds the terms of a row, from x or differences in Y10 and Y11, to its lanes a and b.
#define SQUARES(a, b) \
	VFMADD231PS Y10, Y10, a; \
	VFMADD231PS Y11, Y11, b
#define PRODUCTS(a, b) \
	VFMADD231PS Y10, Y8, a; \
	VFMADD231PS Y11, Y9, b
#define DIFFERENCES \
	VSUBPS Y10, Y8, Y10; \
	VSUBPS Y11, Y9, Y11

// HALVES adds lane l and lane l+8 of four rows. QUARTERS adds lane l and lane l+4 of rows 0 and 2, and of rows 1
// and 3, in Y0 and Y2. SUMS folds these lanes to the sums of rows 0 to 3 in X0.
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

// Loads 16 elements of a row, widened.
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

// From 1024 elements on, four rows and the next four do not fit L1, so FETCH fetches the same rows near bytes ahead.
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

// SCALES loads the scales of four rows.
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
