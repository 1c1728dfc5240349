// product for float64 and float32 with AVX2 + FMA.
//
//	c[i*ldc+j] = c[i*ldc+j] + Σ_k a[i*ra+k*ka]·b[k*ldb+j]      if more is set
//	c[i*ldc+j] = Σ_k a[i*ra+k*ka]·b[k*ldb+j]                   otherwise
//
// The row index i is from 0 to rows−1, the column index j is from 0 to cols−1, and k is from 0 to depth−1.
//
// Same bits as    mulRef and transMulRef in ref.go. A sum adds its terms in ascending order of k, with one FMA per term.
// Layout          b is depth×cols and c is rows×cols, row-major. a has two strides, so one kernel computes
//                 both x·b (ra = ldx, ka = 1) and yᵀ·x (ra = 1, ka = ldy). rows, cols, depth ≥ 1. The
//                 columns fill whole tiles, except that the last vector may be partial.
// Tile            8 rows × 1 vector of columns, 5 × 2, 4 × 3 or 3 × 4. An iteration adds the terms of two
//                 indices k.
// Tail            columns: the last vector of a tile is masked. rows: the last tile computes its last
//                 row several times and stores it once. No access outside the slices.
// Special values  propagate as in ordinary arithmetic.
// Registers       AX BX CX DX SI DI R8 R9 pointers to the ends of the rows of a; in tiles with fewer rows, R8 holds
//                 ka and R9 the mask of the last vector · R10 k − depth in
//                 bytes of a, or scratch · R11 b at k, or scratch · R12 ldb · R13 c
//                 at the row · Y0–Y11 sums · Y8–Y14 b and a · Y15 mask, or b.
// Arguments       change their meaning. Strides and cols are in bytes; cols counts down.
//                 a points behind the first row's chain, at a[depth*ka]. The offset koff in
//                 a chain goes from −depth·ka, which depth then holds, to 0. rows holds
//                 the end of the chain of the row after the last row.
// Source          written for this project; the tile shapes were found by measurement (see NOTES.md).

//go:build amd64 && !purego

#include "textflag.h"

#define p0 AX
#define p1 BX
#define p2 CX
#define p3 DX
#define p4 SI
#define p5 DI
#define p6 R8
#define p7 R9
#define kab R8
#define mask R9
#define koff R10
#define bk R11
#define ldbb R12
#define crow R13

// nextrow sets p to the row of matrix a that follows row q, or to q if q is the last row. In that case the tile
// computes row q again, but does not store it again.
#define nextrow(q, p) \
	LEAQ    (q)(koff*1), p; \
	CMPQ    p, rows+0(FP);  \
	CMOVQCC q, p

// prologue1 converts the strides and the column count cols from elements to bytes.
#define prologue1 \
	SHLQ $logsize, cols+8(FP); \
	SHLQ $logsize, ldc+32(FP); \
	SHLQ $logsize, ra+48(FP);  \
	SHLQ $logsize, ka+56(FP);  \
	MOVQ ldb+72(FP), ldbb;     \
	SHLQ $logsize, ldbb

// prologue2 overwrites two arguments: a becomes &a[depth*ka], and depth becomes −depth·ka. prologue3 then overwrites rows
// with &a[depth*ka + rows*ra], where a and depth have their original values.
#define prologue2 \
	MOVQ  ka+56(FP), kab;     \
	MOVQ  depth+16(FP), koff; \
	IMULQ kab, koff;          \
	ADDQ  koff, a+40(FP);     \
	NEGQ  koff;               \
	MOVQ  koff, depth+16(FP)

#define prologue3 \
	MOVQ  rows+0(FP), koff; \
	IMULQ ra+48(FP), koff;  \
	ADDQ  a+40(FP), koff;   \
	MOVQ  koff, rows+0(FP)

#define F64
#include "type_amd64.h"

// func tile8x1AVX2F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, more bool)
TEXT ·tile8x1AVX2F64(SB), NOSPLIT, $0-81
#include "tile8x1_avx2_amd64.h"

// func tile5x2AVX2F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, more bool)
TEXT ·tile5x2AVX2F64(SB), NOSPLIT, $0-81
#include "tile5x2_avx2_amd64.h"

// func tile4x3AVX2F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, more bool)
TEXT ·tile4x3AVX2F64(SB), NOSPLIT, $0-81
#include "tile4x3_avx2_amd64.h"

// func tile3x4AVX2F64(rows, cols, depth int, c *float64, ldc int, a *float64, ra, ka int, b *float64, ldb int, more bool)
TEXT ·tile3x4AVX2F64(SB), NOSPLIT, $0-81
#include "tile3x4_avx2_amd64.h"
#undef F64

#define F32
#include "type_amd64.h"

// func tile8x1AVX2F32(rows, cols, depth int, c *float32, ldc int, a *float32, ra, ka int, b *float32, ldb int, more bool)
TEXT ·tile8x1AVX2F32(SB), NOSPLIT, $0-81
#include "tile8x1_avx2_amd64.h"

// func tile5x2AVX2F32(rows, cols, depth int, c *float32, ldc int, a *float32, ra, ka int, b *float32, ldb int, more bool)
TEXT ·tile5x2AVX2F32(SB), NOSPLIT, $0-81
#include "tile5x2_avx2_amd64.h"

// func tile4x3AVX2F32(rows, cols, depth int, c *float32, ldc int, a *float32, ra, ka int, b *float32, ldb int, more bool)
TEXT ·tile4x3AVX2F32(SB), NOSPLIT, $0-81
#include "tile4x3_avx2_amd64.h"

// func tile3x4AVX2F32(rows, cols, depth int, c *float32, ldc int, a *float32, ra, ka int, b *float32, ldb int, more bool)
TEXT ·tile3x4AVX2F32(SB), NOSPLIT, $0-81
#include "tile3x4_avx2_amd64.h"
#undef F32
