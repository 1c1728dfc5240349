// This kernel computes log, or log2 if BASE2 is defined, in float64.

// func log(n int, dst, x *float64) int
TEXT LOG(SB), NOSPLIT, $0-32
	MOVD n+0(FP), left
	MOVD dst+8(FP), dp
	MOVD x+16(FP), xp
	MOVD $LOGC(SB), consts
	LSL  $ESHIFT, left, left

loop:
	// check 2^-1022 ≤ x ≤ the largest number
	LOAD4(xp, F0, F1, F2, F3)
	FMOVQ LEAST(consts), F28
	FMOVQ MOST(consts), F29
	BY4(FCMGE, 4, 0, 28)
	FCMGE(8, 29, 0)
	FCMGE(9, 29, 1)
	FCMGE(10, 29, 2)
	FCMGE(11, 29, 3)
	VAND  V4.B16, V5.B16, V4.B16
	VAND  V6.B16, V7.B16, V6.B16
	VAND  V8.B16, V9.B16, V8.B16
	VAND  V10.B16, V11.B16, V10.B16
	VAND  V4.B16, V6.B16, V4.B16
	VAND  V8.B16, V10.B16, V8.B16
	VAND  V4.B16, V8.B16, V4.B16
	VMOV  V4.D[0], bits0
	VMOV  V4.D[1], bits1
	AND   bits0, bits1, bits0
	CMN   $1, bits0
	BNE   done

	// k + 1024 in the bits above the mantissa; k counts binades (octaves) that begin at √½
	FMOVQ BIAS(consts), F28
	INTEGER4(VSUB, ARR)
	VUSHR $MANTISSA, V0.ARR, V4.ARR
	VUSHR $MANTISSA, V1.ARR, V5.ARR
	VUSHR $MANTISSA, V2.ARR, V6.ARR
	VUSHR $MANTISSA, V3.ARR, V7.ARR

	// m
	FMOVQ MASK(consts), F28
	INTEGER4(VAND, B16)
	FMOVQ HALF(consts), F28
	INTEGER4(VADD, ARR)

	// k as a number, f = m − 1
	FMOVQ WHOLE(consts), F28
	FMOVQ WHOLEK(consts), F29
	FMOVQ ONE(consts), F30
	VORR  V28.B16, V4.B16, V4.B16
	VORR  V28.B16, V5.B16, V5.B16
	VORR  V28.B16, V6.B16, V6.B16
	VORR  V28.B16, V7.B16, V7.B16
	BY4(FSUB, 4, 4, 29)
	BY4(FSUB, 0, 0, 30)

#include "polyf64_neon_arm64.h"

	// h = f²/2, and its rounding error, negated
	FMOVQ POINT5(consts), F28
	BY4(FMUL, 24, 0, 28)
	OF4(FMUL, 12, 24, 0)
	VORR  V12.B16, V12.B16, V20.B16
	VORR  V13.B16, V13.B16, V21.B16
	VORR  V14.B16, V14.B16, V22.B16
	VORR  V15.B16, V15.B16, V23.B16
	OF4(FMLS, 20, 24, 0)

	// log m = hi + lo, where hi = f − h, and lo is the rounding error of hi plus s·(h + R)
	OF4(FSUB, 24, 0, 12)
	OF4(FSUB, 0, 0, 24)
	OF4(FSUB, 0, 0, 12)
	OF4(FADD, 0, 0, 20)
	// add s·(h + R) to lo
	OF4(FADD, 16, 12, 16)
	OF4(FMLA, 0, 8, 16)

#ifdef BASE2
	// p = hi/ln 2; l is the negative of the rounding error of p and of lo/ln 2
	FMOVQ INVLN2(consts), F28
	FMOVQ INVLN2LO(consts), F29
	BY4(FMUL, 8, 24, 28)
	VORR  V8.B16, V8.B16, V16.B16
	VORR  V9.B16, V9.B16, V17.B16
	VORR  V10.B16, V10.B16, V18.B16
	VORR  V11.B16, V11.B16, V19.B16
	BY4(FMLS, 16, 24, 28)
	BY4(FMLS, 16, 0, 28)
	BY4(FMLS, 16, 24, 29)

	// b = k + p, and its rounding error
	OF4(FADD, 12, 4, 8)
	OF4(FSUB, 4, 12, 4)
	OF4(FSUB, 8, 8, 4)
	OF4(FSUB, 8, 8, 16)
#else
	// b = k·ln2hi + hi, its rounding error, and k·ln2lo + lo
	FMOVQ LN2HI(consts), F28
	FMOVQ LN2LO(consts), F29
	BY4(FMUL, 8, 4, 28)
	OF4(FADD, 12, 8, 24)
	OF4(FSUB, 8, 12, 8)
	OF4(FSUB, 8, 24, 8)
	BY4(FMLA, 0, 4, 29)
	OF4(FADD, 8, 8, 0)
#endif

	OF4(FADD, 12, 12, 8)
	STORE4(dp, F12, F13, F14, F15)
	SUBS $64, left
	BNE  loop

done:
	MOVD n+0(FP), count
	LSR  $ESHIFT, left, left
	SUB  left, count, count
	MOVD count, ret+24(FP)
	RET
