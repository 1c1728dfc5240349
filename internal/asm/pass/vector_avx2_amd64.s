// vector for float64, float32 and mixed with AVX2 + FMA.
//
//	divide        dst[i] = x[i] / y[i]
//	countOutside  number of i for which lo ≤ x[i] ≤ hi is false
//	narrow        dst[i] = x[i] rounded to float32, or +0 if |x[i]| < 2⁻¹²⁶
//	widen         dst[i] = x[i], float32 to float64
//
// The index i is from 0 to n−1.
//
// Same bits as    divideRef, countOutsideRef, narrowRef and widenRef in ref.go. Divisions and
//                 conversions are correctly rounded.
// Layout          dst, x and y have n contiguous elements. n ≥ 1.
// Tile            two registers; in narrow and widen, one register of float32.
// Tail            masked loads, and stores in pieces. No access outside the slices.
// Special values  propagate as in ordinary arithmetic; comparisons with NaN are false.
// Registers       SI x · DX y · DI dst · CX offset · AX scratch · R9 bytes in whole steps ·
//                 R10 bytes (of the float32 slice, beside a float64 slice) · Y12 Y13
//                 masks · Y10 lo or 2⁻¹²⁶ · Y11 hi or all bits but the sign · Y8 Y9 counts.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define p AX
#define to AX
#define c CX
#define rest CX
#define yp DX
#define xp SI
#define dp DI
#define whole R9
#define bytes R10
#define low Y10
#define high Y11
#define least Y10
#define unsigned Y11

#define MASKS VMASKS(p)

// DIVIDE computes dst_i = x_i / y_i.
#define DIVIDE \
	move (xp)(c*1), Y0;       \
	move 32(xp)(c*1), Y1;     \
	div  (yp)(c*1), Y0, Y0;   \
	div  32(yp)(c*1), Y1, Y1; \
	move Y0, (dp)(c*1);       \
	move Y1, 32(dp)(c*1)

#define DIVIDESHORT \
	maskmove (xp)(c*1), Y12, Y0;   \
	maskmove (yp)(c*1), Y12, Y2;   \
	div      Y2, Y0, Y0;           \
	maskmove 32(xp)(c*1), Y13, Y1; \
	maskmove 32(yp)(c*1), Y13, Y3; \
	div      Y3, Y1, Y1

// INSIDE sets lane l of t to −1 if low ≤ a[l] ≤ high, and to 0 otherwise. It overwrites Y4.
#define INSIDE(a, t) \
	compare $0x12, a, low, t;   \
	compare $0x12, high, a, Y4; \
	VANDPS  Y4, t, t

// COUNT subtracts 1 from a lane of Y8 or Y9 for every element in [low, high], so the lanes hold negated counts.
#define COUNT \
	move     (xp)(c*1), Y0;   \
	move     32(xp)(c*1), Y1; \
	INSIDE(Y0, Y2);           \
	INSIDE(Y1, Y3);           \
	addcount Y2, Y8, Y8;      \
	addcount Y3, Y9, Y9

#define COUNTSHORT \
	maskmove (xp)(c*1), Y12, Y0;   \
	maskmove 32(xp)(c*1), Y13, Y1; \
	INSIDE(Y0, Y2);                \
	INSIDE(Y1, Y3);                \
	VANDPS   Y12, Y2, Y2;          \
	VANDPS   Y13, Y3, Y3;          \
	addcount Y2, Y8, Y8;           \
	addcount Y3, Y9, Y9

// SUMCOUNTS sets AX to the sum of the int64 lanes of Y8.
#define SUMCOUNTS \
	VEXTRACTI128 $1, Y8, X9; \
	VPADDQ       X9, X8, X8; \
	VPEXTRQ      $1, X8, AX; \
	VMOVQ        X8, CX;     \
	ADDQ         CX, AX

// FLUSH sets lanes of a to +0 if their magnitude is below a threshold, which is in register least. It overwrites t.
#define FLUSH(a, t) \
	VANDPD  a, unsigned, t;     \
	VCMPPD  $0x11, least, t, t; \
	VANDNPD a, t, a

// NARROW computes dst_i = float32(x_i).
#define NARROW \
	move       (xp)(c*2), Y0;   \
	move       32(xp)(c*2), Y1; \
	FLUSH(Y0, Y2);              \
	FLUSH(Y1, Y3);              \
	VCVTPD2PSY Y0, X0;          \
	VCVTPD2PSY Y1, X1;          \
	VMOVUPS    X0, (dp)(c*1);   \
	VMOVUPS    X1, 16(dp)(c*1)

#define NARROWSHORT \
	maskmove    (xp)(c*2), Y12, Y0;   \
	maskmove    32(xp)(c*2), Y13, Y1; \
	FLUSH(Y0, Y2);                    \
	FLUSH(Y1, Y3);                    \
	VCVTPD2PSY  Y0, X0;               \
	VCVTPD2PSY  Y1, X1;               \
	VINSERTF128 $1, X1, Y0, Y0

// WIDEN computes dst_i = float64(x_i).
#define WIDEN \
	VCVTPS2PD (xp)(c*1), Y0;   \
	VCVTPS2PD 16(xp)(c*1), Y1; \
	move      Y0, (dp)(c*2);   \
	move      Y1, 32(dp)(c*2)

#define WIDENSHORT \
	TOKMASKS(p);                        \
	LOADSHORT((xp)(c*1), klo, X0, Y0);  \
	LOADSHORT(16(xp)(c*1), khi, X1, Y1)

#define F64
#include "type_amd64.h"

#define STEP DIVIDE
#define SHORT DIVIDESHORT

// func divideAVX2F64(n int, dst, x, y *float64)
TEXT ·divideAVX2F64(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), bytes
	MOVQ dst+8(FP), dp
	MOVQ x+16(FP), xp
	MOVQ y+24(FP), yp

#include "vector_amd64.h"

	LEAQ (dp)(c*1), to
	MOVQ bytes, rest
	SUBQ whole, rest

#include "store_avx2_amd64.h"

done:
	VZEROUPPER
	RET

#undef STEP
#undef SHORT
#define STEP COUNT
#define SHORT COUNTSHORT

// func countOutsideAVX2F64(n int, x *float64, lo, hi float64) int
TEXT ·countOutsideAVX2F64(SB), NOSPLIT, $0-40
	MOVQ         n+0(FP), bytes
	MOVQ         x+8(FP), xp
	VBROADCASTSD lo+16(FP), low
	VBROADCASTSD hi+24(FP), high
	VXORPS       Y8, Y8, Y8
	VXORPS       Y9, Y9, Y9

#include "vector_amd64.h"

done:
	// n − inside
	addcount Y9, Y8, Y8
	SUMCOUNTS
	ADDQ     n+0(FP), AX
	MOVQ     AX, ret+32(FP)
	VZEROUPPER
	RET

#undef STEP
#undef SHORT
#undef F64

#define F32
#include "type_amd64.h"

#define STEP DIVIDE
#define SHORT DIVIDESHORT

// func divideAVX2F32(n int, dst, x, y *float32)
TEXT ·divideAVX2F32(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), bytes
	MOVQ dst+8(FP), dp
	MOVQ x+16(FP), xp
	MOVQ y+24(FP), yp

#include "vector_amd64.h"

	LEAQ (dp)(c*1), to
	MOVQ bytes, rest
	SUBQ whole, rest

#include "store_avx2_amd64.h"

done:
	VZEROUPPER
	RET

#undef STEP
#undef SHORT
#define STEP COUNT
#define SHORT COUNTSHORT

// func countOutsideAVX2F32(n int, x *float32, lo, hi float32) int
TEXT ·countOutsideAVX2F32(SB), NOSPLIT, $0-32
	MOVQ         n+0(FP), bytes
	MOVQ         x+8(FP), xp
	VBROADCASTSS lo+16(FP), low
	VBROADCASTSS hi+20(FP), high
	VXORPS       Y8, Y8, Y8
	VXORPS       Y9, Y9, Y9

#include "vector_amd64.h"

done:
	// n − inside
	addcount     Y9, Y8, Y8
	VEXTRACTI128 $1, Y8, X9
	VPADDD       X9, X8, X8
	VPMOVSXDQ    X8, Y8
	SUMCOUNTS
	ADDQ         n+0(FP), AX
	MOVQ         AX, ret+24(FP)
	VZEROUPPER
	RET

#undef STEP
#undef SHORT
#undef F32

#define MIXED
#include "type_amd64.h"

#define STEP NARROW
#define SHORT NARROWSHORT

// func narrowAVX2Mixed(n int, dst *float32, x *float64)
TEXT ·narrowAVX2Mixed(SB), NOSPLIT, $0-24
	MOVQ         n+0(FP), bytes
	MOVQ         dst+8(FP), dp
	MOVQ         x+16(FP), xp
	MOVQ         $0x3810000000000000, AX      // 2⁻¹²⁶
	VMOVQ        AX, X10
	VPBROADCASTQ X10, least
	VPCMPEQD     unsigned, unsigned, unsigned
	VPSRLQ       $1, unsigned, unsigned

#include "vector_amd64.h"

	LEAQ (dp)(c*1), to
	MOVQ bytes, rest
	SUBQ whole, rest

#include "store_avx2_amd64.h"

done:
	VZEROUPPER
	RET

#undef STEP
#undef SHORT
#define STEP WIDEN
#define SHORT WIDENSHORT

// func widenAVX2Mixed(n int, dst *float64, x *float32)
TEXT ·widenAVX2Mixed(SB), NOSPLIT, $0-24
	MOVQ n+0(FP), bytes
	MOVQ dst+8(FP), dp
	MOVQ x+16(FP), xp

#include "vector_amd64.h"

	LEAQ (dp)(c*2), to
	MOVQ bytes, rest
	SUBQ whole, rest
	SHLQ $1, rest

#include "store_avx2_amd64.h"

done:
	VZEROUPPER
	RET
