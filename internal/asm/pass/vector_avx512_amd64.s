// vector for float64, float32 and mixed with AVX-512 F.
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
// Tile            one register.
// Tail            opmask K1. No access outside the slices.
// Special values  propagate as in ordinary arithmetic; comparisons with NaN are false.
// Registers       SI x · DX y · DI dst · R8 offset · R9 bytes in whole steps · R10 bytes
//                 (of the float32 slice, beside a float64 slice) · BX elements inside ·
//                 AX CX scratch · K1 mask · K2 K3 comparisons · Z10 lo or 2⁻¹²⁶ · Z11 hi or all
//                 bits but the sign.
// Source          written for this project.

//go:build amd64 && !purego

#include "textflag.h"

#define tmp AX
#define inside BX
#define c R8
#define yp DX
#define xp SI
#define dp DI
#define whole R9
#define bytes R10
#define mask K1
#define low Z10
#define high Z11
#define least Z10
#define unsigned Z11

#define MASKS MASKZ(tmp)

// DIVIDE computes dst_i = x_i / y_i.
#define DIVIDE \
	move (xp)(c*1), Z0;     \
	div  (yp)(c*1), Z0, Z0; \
	move Z0, (dp)(c*1)

#define DIVIDESHORT \
	movez (xp)(c*1), mask, Z0; \
	movez (yp)(c*1), mask, Z1; \
	div   Z1, Z0, Z0;          \
	move  Z0, mask, (dp)(c*1)

// COUNT adds the number of x_i with low ≤ x_i ≤ high to the register inside.
#define COUNT \
	move    (xp)(c*1), Z0;           \
	compare $0x12, Z0, low, K2;      \
	compare $0x12, high, Z0, K2, K3; \
	KMOVW   K3, tmp;                 \
	POPCNTL tmp, tmp;                \
	ADDQ    tmp, inside

#define COUNTSHORT \
	movez   (xp)(c*1), mask, Z0;      \
	compare $0x12, Z0, low, mask, K2; \
	compare $0x12, high, Z0, K2, K3;  \
	KMOVW   K3, tmp;                  \
	POPCNTL tmp, tmp;                 \
	ADDQ    tmp, inside

// FLUSHED rounds the x_i in Z0 to float32 and stores them in Y0. Register least holds a threshold: if |x_i| is below it, FLUSHED
// stores +0.
#define FLUSHED \
	VPANDQ      Z0, unsigned, Z1;     \
	VCMPPD      $0x15, least, Z1, K2; \
	VCVTPD2PS.Z Z0, K2, Y0

// NARROW computes dst_i = float32(x_i).
#define NARROW \
	move    (xp)(c*2), Z0; \
	FLUSHED;               \
	VMOVUPS Y0, (dp)(c*1)

#define NARROWSHORT \
	movez   (xp)(c*2), mask, Z0; \
	FLUSHED;                     \
	VMOVUPS Z0, mask, (dp)(c*1)

// WIDEN computes dst_i = float64(x_i).
#define WIDEN \
	VCVTPS2PD (xp)(c*1), Z0; \
	move      Z0, (dp)(c*2)

#define WIDENSHORT \
	LOADZ((xp)(c*1), Z0);    \
	move Z0, mask, (dp)(c*2)

#define F64
#include "type_amd64.h"

#define STEP DIVIDE
#define SHORT DIVIDESHORT

// func divideAVX512F64(n int, dst, x, y *float64)
TEXT ·divideAVX512F64(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), bytes
	MOVQ dst+8(FP), dp
	MOVQ x+16(FP), xp
	MOVQ y+24(FP), yp

#include "vector_amd64.h"

done:
	VZEROUPPER
	RET

#undef STEP
#undef SHORT
#define STEP COUNT
#define SHORT COUNTSHORT

// func countOutsideAVX512F64(n int, x *float64, lo, hi float64) int
TEXT ·countOutsideAVX512F64(SB), NOSPLIT, $0-40
	MOVQ         n+0(FP), bytes
	MOVQ         x+8(FP), xp
	VBROADCASTSD lo+16(FP), low
	VBROADCASTSD hi+24(FP), high
	XORL         inside, inside

#include "vector_amd64.h"

done:
	// n − inside
	MOVQ n+0(FP), AX
	SUBQ inside, AX
	MOVQ AX, ret+32(FP)
	VZEROUPPER
	RET

#undef STEP
#undef SHORT
#undef F64

#define F32
#include "type_amd64.h"

#define STEP COUNT
#define SHORT COUNTSHORT

// func countOutsideAVX512F32(n int, x *float32, lo, hi float32) int
TEXT ·countOutsideAVX512F32(SB), NOSPLIT, $0-32
	MOVQ         n+0(FP), bytes
	MOVQ         x+8(FP), xp
	VBROADCASTSS lo+16(FP), low
	VBROADCASTSS hi+20(FP), high
	XORL         inside, inside

#include "vector_amd64.h"

done:
	// n − inside
	MOVQ n+0(FP), AX
	SUBQ inside, AX
	MOVQ AX, ret+24(FP)
	VZEROUPPER
	RET

#undef STEP
#undef SHORT
#undef F32

#define MIXED
#include "type_amd64.h"

#define STEP NARROW
#define SHORT NARROWSHORT

// func narrowAVX512Mixed(n int, dst *float32, x *float64)
TEXT ·narrowAVX512Mixed(SB), NOSPLIT, $0-24
	MOVQ         n+0(FP), bytes
	MOVQ         dst+8(FP), dp
	MOVQ         x+16(FP), xp
	MOVQ         $0x3810000000000000, AX             // 2⁻¹²⁶
	VPBROADCASTQ AX, least
	VPTERNLOGQ   $0xff, unsigned, unsigned, unsigned
	VPSRLQ       $1, unsigned, unsigned

#include "vector_amd64.h"

done:
	VZEROUPPER
	RET

#undef STEP
#undef SHORT
#define STEP WIDEN
#define SHORT WIDENSHORT

// func widenAVX512Mixed(n int, dst *float64, x *float32)
TEXT ·widenAVX512Mixed(SB), NOSPLIT, $0-24
	MOVQ n+0(FP), bytes
	MOVQ dst+8(FP), dp
	MOVQ x+16(FP), xp

#include "vector_amd64.h"

done:
	VZEROUPPER
	RET
