// This kernel computes log, or log2 if BASE2 is defined, in float64.

// func log(n int, dst, x *float64) int
TEXT LOG(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), bytes
	MOVQ dst+8(FP), dp
	MOVQ x+16(FP), xp
	SHLQ $logsize, bytes
	XORL at, at

loop:
	// check 2^-1022 ≤ x ≤ the largest number
	move    (xp)(at*1), Y0
	move    32(xp)(at*1), Y1
	compare $0x1d, logc+LEAST(SB), Y0, Y4
	compare $0x1d, logc+LEAST(SB), Y1, Y5
	compare $0x12, logc+MOST(SB), Y0, Y6
	compare $0x12, logc+MOST(SB), Y1, Y7
	VANDPS  Y4, Y5, Y4
	VANDPS  Y6, Y7, Y6
	VANDPS  Y4, Y6, Y4
	signs   Y4, AX
	CMPL    AX, allsigns
	JNE     done

	// k + 1024 in the bits above the mantissa; k counts binades (octaves) that begin at √½
	subbits    logc+BIAS(SB), Y0, Y0
	subbits    logc+BIAS(SB), Y1, Y1
	shiftright mantissa, Y0, Y2
	shiftright mantissa, Y1, Y3

	// m
	VPAND   logc+MASK(SB), Y0, Y0
	VPAND   logc+MASK(SB), Y1, Y1
	addbits logc+HALF(SB), Y0, Y0
	addbits logc+HALF(SB), Y1, Y1

	// k as a number, f = m − 1
	VPOR logc+WHOLE(SB), Y2, Y2
	VPOR logc+WHOLE(SB), Y3, Y3
	sub  logc+WHOLEK(SB), Y2, Y2
	sub  logc+WHOLEK(SB), Y3, Y3
	sub  logc+ONE(SB), Y0, Y0
	sub  logc+ONE(SB), Y1, Y1

	// s = f/(2 + f); R is a polynomial in s² with (log m)/s = 2 + R
	add  logc+TWO(SB), Y0, Y4
	add  logc+TWO(SB), Y1, Y5
	div  Y4, Y0, Y4
	div  Y5, Y1, Y5
	mul  Y4, Y4, Y6
	mul  Y5, Y5, Y7
	copy logc+C7(SB), Y8
	copy logc+C7(SB), Y9
	step(C6, Y6, Y7)
	step(C5, Y6, Y7)
	step(C4, Y6, Y7)
	step(C3, Y6, Y7)
	step(C2, Y6, Y7)
	step(C1, Y6, Y7)
	mul  Y6, Y8, Y8
	mul  Y7, Y9, Y9

	// h = f²/2, and its rounding error
	mul    logc+POINT5(SB), Y0, Y10
	mul    logc+POINT5(SB), Y1, Y11
	mul    Y0, Y10, Y6
	mul    Y1, Y11, Y7
	fms213 Y6, Y0, Y10
	fms213 Y7, Y1, Y11

	// log m = hi + lo, where hi = f − h, and lo is the rounding error of hi plus s·(h + R)
	sub Y6, Y0, Y13
	sub Y7, Y1, Y14
	sub Y13, Y0, Y0
	sub Y14, Y1, Y1
	sub Y6, Y0, Y0
	sub Y7, Y1, Y1
	sub Y10, Y0, Y0
	sub Y11, Y1, Y1
	// add s·(h + R) to lo
	add Y6, Y8, Y8
	add Y7, Y9, Y9
	fma Y8, Y4, Y0
	fma Y9, Y5, Y1

#ifdef BASE2
	// p = hi/ln 2; l is the negative of the rounding error of p and of lo/ln 2
	copy logc+INVLN2(SB), Y12
	copy logc+INVLN2LO(SB), Y15
	mul  Y12, Y13, Y4
	mul  Y12, Y14, Y5
	copy Y4, Y10
	copy Y5, Y11
	fnma Y12, Y13, Y10
	fnma Y12, Y14, Y11
	fnma Y12, Y0, Y10
	fnma Y12, Y1, Y11
	fnma Y15, Y13, Y10
	fnma Y15, Y14, Y11

	// b = k + p, and its rounding error
	add Y4, Y2, Y6
	add Y5, Y3, Y7
	sub Y2, Y6, Y2
	sub Y3, Y7, Y3
	sub Y2, Y4, Y4
	sub Y3, Y5, Y5
	sub Y10, Y4, Y4
	sub Y11, Y5, Y5
#else
	// b = k·ln2hi + hi, its rounding error, and k·ln2lo + lo
	mul logc+LN2HI(SB), Y2, Y4
	mul logc+LN2HI(SB), Y3, Y5
	add Y13, Y4, Y6
	add Y14, Y5, Y7
	sub Y4, Y6, Y4
	sub Y5, Y7, Y5
	sub Y4, Y13, Y4
	sub Y5, Y14, Y5
	fma logc+LN2LO(SB), Y2, Y0
	fma logc+LN2LO(SB), Y3, Y1
	add Y0, Y4, Y4
	add Y1, Y5, Y5
#endif

	add  Y4, Y6, Y6
	add  Y5, Y7, Y7
	move Y6, (dp)(at*1)
	move Y7, 32(dp)(at*1)
	ADDQ $64, at
	CMPQ at, bytes
	JLT  loop

done:
	SHRQ $logsize, at
	MOVQ at, ret+24(FP)
	VZEROUPPER
	RET
