// query for float32 with AVX-512 F.
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
// Tile            8 rows × 16 elements, or 4 rows of float32. One register holds the 16 lanes of every row.
// Tail            none.
// Special values  propagate as in ordinary arithmetic.
// Registers       SI R11 rows 0 and 4 · R8 R9 bytes of one and three rows · DI dst · DX pointer into q ·
//                 BX q · AX rows left · CX groups left · R10 groups · R12 scale · R13 address to
//                 fetch · Z0–Z7 lanes of the rows · Z8 q, then a temporary of the fold · Z9 elements of x, then
//                 differences, then a temporary of the fold · Z16–Z23 scales.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define xp SI
#define x4 R11
#define ld R8
#define ld3 R9
#define dp DI
#define qp DX
#define q0 BX
#define rows AX
#define left CX
#define groups R10
#define sp R12
#define ahead R13

// FETCH prefetches the rows that follow the current rows. For float32 elements, prefetching begins at the end of the current
// rows. For shorter elements, it begins 1024 bytes later. Every iteration prefetches as many bytes as it reads. A prefetch
// beyond the end of x has no effect.
#define far 1024

// HALVE adds the upper half of register z to register y, which is the lower half of z.
#define HALVE(z, y) \
	VEXTRACTF64X4 $1, z, Y8;   \
	VADDPS        Y8, y, y

// QUARTER folds the lanes of two rows. Registers a and c hold eight lanes of one row each. The results, four lanes of each
// row, are in register a.
#define QUARTER(a, c) \
	VPERM2F128 $0x20, c, a, Y8; \
	VPERM2F128 $0x31, c, a, Y9; \
	VADDPS     Y9, Y8, a

// LAST folds four lanes of each of four rows, and stores the four row sums in xa. Register a holds the lanes of rows 0 and 2,
// and register b holds the lanes of rows 1 and 3.
#define LAST(a, b, xa) \
	VUNPCKLPD    b, a, Y8;            \
	VUNPCKHPD    b, a, Y9;            \
	VADDPS       Y9, Y8, a;           \
	VEXTRACTF128 $1, a, X9;           \
	VSHUFPS      $0x88, X9, xa, X8;   \
	VSHUFPS      $0xdd, X9, xa, X9;   \
	VADDPS       X9, X8, xa

// HALVES folds the 16 lanes of every row to eight lanes, for eight rows. SUMS folds the eight lanes to row sums, with rows
// 0 to 3 in X0 and rows 4 to 7 in X4.
#define HALVES \
	HALVE(Z0, Y0); \
	HALVE(Z1, Y1); \
	HALVE(Z2, Y2); \
	HALVE(Z3, Y3); \
	HALVE(Z4, Y4); \
	HALVE(Z5, Y5); \
	HALVE(Z6, Y6); \
	HALVE(Z7, Y7)
#define SUMS \
	QUARTER(Y0, Y2);  \
	QUARTER(Y1, Y3);  \
	QUARTER(Y4, Y6);  \
	QUARTER(Y5, Y7);  \
	LAST(Y0, Y1, X0); \
	LAST(Y4, Y5, X4)

// The WIDEN macros load 16 elements of a row into Z9, and convert them to float32.
#define WIDENBF16(x) \
	VPMOVZXWD x, Z9;       \
	VPSLLD    $16, Z9, Z9
#define WIDENINT8(x) \
	VPMOVSXBD x, Z9;  \
	VCVTDQ2PS Z9, Z9

#define SCALESTART
#define SCALES
#define args 40

// LINES prefetches four cache lines.
#define LINES(at) \
	PREFETCHT0 at(ahead);       \
	PREFETCHT0 (at+64)(ahead);  \
	PREFETCHT0 (at+128)(ahead); \
	PREFETCHT0 (at+192)(ahead)

// If d ≥ 1024, the current four rows and the next four rows do not fit in the L1 cache together, so FETCH does nothing.
#define size 4
#define FETCH \
	CMPQ groups, $64; \
	JGE  unfetched;   \
	LINES(0);         \
unfetched:
#define QUERY ·sqEuclideanAVX512F32
#define TERM(x, lanes, s) \
	VSUBPS      x, Z8, Z9;       \
	VFMADD231PS Z9, Z9, lanes
#include "four_avx512_amd64.h"
#undef QUERY
#undef TERM

#define QUERY ·dotAVX512F32
#define TERM(x, lanes, s) VFMADD231PS x, Z8, lanes
#include "four_avx512_amd64.h"
#undef QUERY
#undef TERM
#undef FETCH
#undef size

#define size 2
#define FETCH LINES(far)
#define QUERY ·sqEuclideanAVX512BF16
#define TERM(x, lanes, s) \
	WIDENBF16(x);                \
	VSUBPS      Z9, Z8, Z9;      \
	VFMADD231PS Z9, Z9, lanes
#include "query_avx512_amd64.h"
#undef QUERY
#undef TERM

#define QUERY ·dotAVX512BF16
#define TERM(x, lanes, s) \
	WIDENBF16(x);                \
	VFMADD231PS Z9, Z8, lanes
#include "query_avx512_amd64.h"
#undef QUERY
#undef TERM

#define QUERY ·sqEuclideanAVX512F16
#define TERM(x, lanes, s) \
	VCVTPH2PS   x, Z9;           \
	VSUBPS      Z9, Z8, Z9;      \
	VFMADD231PS Z9, Z9, lanes
#include "query_avx512_amd64.h"
#undef QUERY
#undef TERM

#define QUERY ·dotAVX512F16
#define TERM(x, lanes, s) \
	VCVTPH2PS   x, Z9;           \
	VFMADD231PS Z9, Z8, lanes
#include "query_avx512_amd64.h"
#undef QUERY
#undef TERM
#undef FETCH
#undef size
#undef args
#undef SCALESTART
#undef SCALES

// SCALES loads the scales of eight rows, and SCALESTART loads the pointer to the scales.
#define SCALESTART MOVQ scale+40(FP), sp
#define SCALES \
	VBROADCASTSS (sp), Z16;   \
	VBROADCASTSS 4(sp), Z17;  \
	VBROADCASTSS 8(sp), Z18;  \
	VBROADCASTSS 12(sp), Z19; \
	MORESCALES
#define MORESCALES \
	VBROADCASTSS 16(sp), Z20; \
	VBROADCASTSS 20(sp), Z21; \
	VBROADCASTSS 24(sp), Z22; \
	VBROADCASTSS 28(sp), Z23; \
	ADDQ         $32, sp
#define args 48

#define size 1
#define FETCH \
	PREFETCHT0 far(ahead);      \
	PREFETCHT0 (far+64)(ahead)
#define QUERY ·sqEuclideanAVX512Int8
#define TERM(x, lanes, s) \
	WIDENINT8(x);                \
	VFNMADD213PS Z8, s, Z9;      \
	VFMADD231PS  Z9, Z9, lanes
#include "query_avx512_amd64.h"
#undef QUERY
#undef TERM

#define QUERY ·dotAVX512Int8
#define TERM(x, lanes, s) \
	WIDENINT8(x);                \
	VMULPS      s, Z9, Z9;       \
	VFMADD231PS Z9, Z8, lanes
#include "query_avx512_amd64.h"
#undef QUERY
#undef TERM
