// This kernel computes log, or log2 if BASE2 is defined, in float32.

// func log(n int, dst, x *float32) int
TEXT LOG(SB), NOSPLIT, $0-32
	MOVD n+0(FP), left
	MOVD dst+8(FP), dp
	MOVD x+16(FP), xp
	MOVD $LOGC(SB), consts
	LSL  $ESHIFT, left, left

loop:
	// check 2^-126 ≤ x ≤ the largest number
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

	// byte 2 holds the cell number times 16; then the byte indices of the table entries
	FMOVQ BIAS(consts), F28
	FMOVQ CELL(consts), F29
	FMOVQ BYTE2(consts), F30
	VSUB  V28.S4, V0.S4, V4.S4
	VSUB  V28.S4, V1.S4, V5.S4
	VSUB  V28.S4, V2.S4, V6.S4
	VSUB  V28.S4, V3.S4, V7.S4
	VAND  V29.B16, V4.B16, V8.B16
	VAND  V29.B16, V5.B16, V9.B16
	VAND  V29.B16, V6.B16, V10.B16
	VAND  V29.B16, V7.B16, V11.B16
	VTBL  V30.B16, [V8.B16], V8.B16
	VTBL  V30.B16, [V9.B16], V9.B16
	VTBL  V30.B16, [V10.B16], V10.B16
	VTBL  V30.B16, [V11.B16], V11.B16
	FILL_20(ENTRY)
	VUSRA $2, V8.B16, V20.B16
	VUSRA $2, V9.B16, V21.B16
	VUSRA $2, V10.B16, V22.B16
	VUSRA $2, V11.B16, V23.B16

	// m and k
	FMOVQ MASK(consts), F28
	VAND  V28.B16, V4.B16, V4.B16
	VAND  V28.B16, V5.B16, V5.B16
	VAND  V28.B16, V6.B16, V6.B16
	VAND  V28.B16, V7.B16, V7.B16
	VSUB  V4.S4, V0.S4, V0.S4
	VSUB  V5.S4, V1.S4, V1.S4
	VSUB  V6.S4, V2.S4, V2.S4
	VSUB  V7.S4, V3.S4, V3.S4
	SCVTF(4, 4, 23)
	SCVTF(5, 5, 23)
	SCVTF(6, 6, 23)
	SCVTF(7, 7, 23)

	// r = m·c − 1
	FMOVQ INVERSE(consts), F28
	FMOVQ INVERSE+16(consts), F29
	VTBL  V20.B16, [V28.B16, V29.B16], V8.B16
	VTBL  V21.B16, [V28.B16, V29.B16], V9.B16
	VTBL  V22.B16, [V28.B16, V29.B16], V10.B16
	VTBL  V23.B16, [V28.B16, V29.B16], V11.B16
	FILL_24(ONE)
	OF4(FMLA, 24, 0, 8)

	// high and low parts of t = k·log 2 − log c
	FMOVQ TABLEHI(consts), F28
	FMOVQ TABLEHI+16(consts), F29
	FMOVQ TABLELO(consts), F30
	FMOVQ TABLELO+16(consts), F31
	VTBL  V20.B16, [V28.B16, V29.B16], V16.B16
	VTBL  V21.B16, [V28.B16, V29.B16], V17.B16
	VTBL  V22.B16, [V28.B16, V29.B16], V18.B16
	VTBL  V23.B16, [V28.B16, V29.B16], V19.B16
	VTBL  V20.B16, [V30.B16, V31.B16], V20.B16
	VTBL  V21.B16, [V30.B16, V31.B16], V21.B16
	VTBL  V22.B16, [V30.B16, V31.B16], V22.B16
	VTBL  V23.B16, [V30.B16, V31.B16], V23.B16
	FMOVQ LN2HI(consts), F28
	FMOVQ LN2LO(consts), F29
	BY4(FMLA, 16, 4, 28)
#ifdef BASE2
	BY4(FMLA, 20, 24, 29)
#else
	BY4(FMLA, 20, 4, 29)
#endif

	// r²·Q(r)
	OF4(FMUL, 12, 24, 24)
	FMOVQ C3(consts), F28
	FMOVQ C1(consts), F29
	FILL_8(C2)
	BY4(FMLA, 8, 24, 28)
	FILL_4(C0)
	BY4(FMLA, 4, 24, 29)
	OF4(FMLA, 4, 8, 12)
	OF4(FMLA, 20, 4, 12)

	// b = t + r, or t + r/ln 2 for log2; its rounding error e; and b + (e + w)
#ifdef BASE2
	FMOVQ INVLN2(consts), F28
	BY4(FMUL, 0, 24, 28)
	OF4(FADD, 0, 0, 16)
	OF4(FSUB, 4, 0, 16)
	BY4(FMLS, 4, 24, 28)
	OF4(FSUB, 4, 20, 4)
#else
	OF4(FADD, 0, 16, 24)
	OF4(FSUB, 4, 0, 16)
	OF4(FSUB, 4, 24, 4)
	OF4(FADD, 4, 4, 20)
#endif
	OF4(FADD, 0, 0, 4)
	STORE4(dp, F0, F1, F2, F3)
	SUBS $64, left
	BNE  loop

done:
	MOVD n+0(FP), count
	LSR  $ESHIFT, left, left
	SUB  left, count, count
	MOVD count, ret+24(FP)
	RET
