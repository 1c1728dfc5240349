// This file contains the kernels affine and maximum for the type that the including file defines.

// func affine(n int, dst, x *T, c, s, b T)
TEXT AFFINE(SB), NOSPLIT, $0-affineargs
	MOVD n+0(FP), left
	MOVD dst+8(FP), dp
	MOVD x+16(FP), xp
	DUPARG(c+24(FP), F28, V28)
	DUPARG(SARG, F29, V29)
	DUPARG(BARG, F30, V30)
	LSL  $ESHIFT, left, left

loop:
	LOAD4(xp, F0, F1, F2, F3)
	BY4(FSUB, 0, 0, 28)
	VORR V30.B16, V30.B16, V4.B16
	VORR V30.B16, V30.B16, V5.B16
	VORR V30.B16, V30.B16, V6.B16
	VORR V30.B16, V30.B16, V7.B16
	FMLA(4, 0, 29)
	FMLA(5, 1, 29)
	FMLA(6, 2, 29)
	FMLA(7, 3, 29)
	STORE4(dp, F4, F5, F6, F7)
	SUBS $64, left
	BNE  loop
	RET

// func maximum(n int, acc, x *T)
TEXT MAXIMUM(SB), NOSPLIT, $0-24
	MOVD  n+0(FP), left
	MOVD  acc+8(FP), dp
	MOVD  x+16(FP), xp
	FLDPQ (dp), (F16, F17)
	FLDPQ 32(dp), (F18, F19)
	LSL   $ESHIFT, left, left

loop:
	LOAD4(xp, F0, F1, F2, F3)
	OF4(FCMGT, 4, 0, 16)
	OF4(BIT_16B, 16, 0, 4)
	SUBS $64, left
	BNE  loop

	FSTPQ (F16, F17), (dp)
	FSTPQ (F18, F19), 32(dp)
	RET
