// pack for float64 and float32 with AVX2 + FMA.
//
//	to[k*step+r] = factor·x[r*ldx+k]
//
// The input row index r is from 0 to 3, and the input column index k is from 0 to d−1.
//
// Same bits as    packRef in ref.go. Every element is one product.
// Layout          x is 4×d and to is d×4, row-major. d ≥ 1.
// Tile            4 rows × 4 columns. The loop prefetches the same columns of the next four rows.
// Tail            columns: one in each iteration.
// Special values  propagate as in ordinary arithmetic.
// Registers       AX BX CX DX x at k · SI to · DI step · R8 3·step · R9 k left · R10 4·ldx ·
//                 Y0–Y7 x and its transpose · Y15 factor.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define p0 AX
#define p1 BX
#define p2 CX
#define p3 DX
#define target SI
#define stride DI
#define three R8
#define left R9
#define ahead R10

// transposeF64 transposes the 4 × 4 matrix in Y0–Y3. transposeF32 transposes the 4 × 4 matrix in X0–X3.
#define transposeF64 \
	VUNPCKLPD Y1, Y0, Y4;   \
	VUNPCKHPD Y1, Y0, Y5;   \
	VUNPCKLPD Y3, Y2, Y6;   \
	VUNPCKHPD Y3, Y2, Y7;   \
	VPERM2F128 $0x20, Y6, Y4, Y0; \
	VPERM2F128 $0x20, Y7, Y5, Y1; \
	VPERM2F128 $0x31, Y6, Y4, Y2; \
	VPERM2F128 $0x31, Y7, Y5, Y3
#define transposeF32 \
	VUNPCKLPS X1, X0, X4; \
	VUNPCKHPS X1, X0, X5; \
	VUNPCKLPS X3, X2, X6; \
	VUNPCKHPS X3, X2, X7; \
	VUNPCKLPD X6, X4, X0; \
	VUNPCKHPD X6, X4, X1; \
	VUNPCKLPD X7, X5, X2; \
	VUNPCKHPD X7, X5, X3

// one(p, r) multiplies the element at p by factor, and stores the product as element r of the current
// output row.
#define one(p, r) \
	move1 (p), X0;           \
	mul1  X15, X0, X0;       \
	move1 X0, (r*size)(target)

#define F64
#include "type_amd64.h"

// func packAVX2F64(d int, to *float64, step int, x *float64, ldx int, factor float64)
TEXT ·packAVX2F64(SB), NOSPLIT, $0-48
	VBROADCASTSD factor+40(FP), Y15
#define r0 Y0
#define r1 Y1
#define r2 Y2
#define r3 Y3
#define factors Y15
#define transpose transposeF64
#include "pack_avx2_amd64.h"
#undef r0
#undef r1
#undef r2
#undef r3
#undef factors
#undef transpose
#undef F64

#define F32
#include "type_amd64.h"

// func packAVX2F32(d int, to *float32, step int, x *float32, ldx int, factor float32)
TEXT ·packAVX2F32(SB), NOSPLIT, $0-44
	VBROADCASTSS factor+40(FP), X15
#define r0 X0
#define r1 X1
#define r2 X2
#define r3 X3
#define factors X15
#define transpose transposeF32
#include "pack_avx2_amd64.h"
#undef F32
