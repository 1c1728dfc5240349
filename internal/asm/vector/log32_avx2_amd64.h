// This kernel computes log, or log2 if BASE2 is defined, in float32.

// func log(n int, dst, x *float32) int
TEXT LOG(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), bytes
	MOVQ dst+8(FP), dp
	MOVQ x+16(FP), xp
	SHLQ $logsize, bytes
	XORL at, at

loop:
	// check 2^-126 ≤ x ≤ the largest number: as signed integers, the bits of x plus the bits of 2^-126 are at least the bits of 2^-125
	move     (xp)(at*1), Y0
	move     32(xp)(at*1), Y1
	copy     logc+LEAST(SB), Y14
	copy     logc+MOST(SB), Y15
	VPADDD   Y14, Y0, Y4
	VPADDD   Y14, Y1, Y5
	VPCMPGTD Y15, Y4, Y4
	VPCMPGTD Y15, Y5, Y5
	VPAND    Y4, Y5, Y4
	signs    Y4, AX
	CMPL     AX, allsigns
	JNE      done

	// Y4 Y5: the cell in the lowest bits; Y2 Y3: k·2^23; Y0 Y1: m
	copy      logc+BIAS(SB), Y14
	copy      logc+MASK(SB), Y15
	VPSUBD    Y14, Y0, Y2
	VPSUBD    Y14, Y1, Y3
	VPSRLD    $20, Y2, Y4
	VPSRLD    $20, Y3, Y5
	VPAND     Y15, Y2, Y2
	VPAND     Y15, Y3, Y3
	VPSUBD    Y2, Y0, Y0
	VPSUBD    Y3, Y1, Y1
	VCVTDQ2PS Y2, Y2
	VCVTDQ2PS Y3, Y3

	// r = m·c − 1; high and low parts of −log c
	copy    logc+INVERSE(SB), Y14
	copy    logc+ONE(SB), Y15
	VPERMPS Y14, Y4, Y6
	VPERMPS Y14, Y5, Y7
	fms213  Y15, Y6, Y0
	fms213  Y15, Y7, Y1
	copy    logc+TABLEHI(SB), Y14
	copy    logc+TABLELO(SB), Y15
	VPERMPS Y14, Y4, Y6
	VPERMPS Y14, Y5, Y7
	VPERMPS Y15, Y4, Y8
	VPERMPS Y15, Y5, Y9

	// high and low parts of t = k·log 2 − log c
	copy logc+LN2HI(SB), Y14
	copy logc+LN2LO(SB), Y15
	fma  Y14, Y2, Y6
	fma  Y14, Y3, Y7
#ifdef BASE2
	fma  Y15, Y0, Y8
	fma  Y15, Y1, Y9
#else
	fma  Y15, Y2, Y8
	fma  Y15, Y3, Y9
#endif

	// r²·Q(r)
	copy   logc+C3(SB), Y4
	copy   Y4, Y5
	copy   logc+C2(SB), Y14
	copy   logc+C1(SB), Y12
	copy   Y12, Y13
	copy   logc+C0(SB), Y15
	mul    Y0, Y0, Y10
	mul    Y1, Y1, Y11
	fma213 Y14, Y0, Y4
	fma213 Y14, Y1, Y5
	fma213 Y15, Y0, Y12
	fma213 Y15, Y1, Y13
	fma    Y4, Y10, Y12
	fma    Y5, Y11, Y13
	fma    Y12, Y10, Y8
	fma    Y13, Y11, Y9

	// b = t + r, or t + r/ln 2 for log2; its rounding error e; and b + (e + w)
#ifdef BASE2
	copy   logc+INVLN2(SB), Y14
	mul    Y14, Y0, Y4
	mul    Y14, Y1, Y5
	add    Y4, Y6, Y4
	add    Y5, Y7, Y5
	sub    Y6, Y4, Y6
	sub    Y7, Y5, Y7
	fms213 Y6, Y14, Y0
	fms213 Y7, Y14, Y1
#else
	add Y0, Y6, Y4
	add Y1, Y7, Y5
	sub Y6, Y4, Y6
	sub Y7, Y5, Y7
	sub Y6, Y0, Y0
	sub Y7, Y1, Y1
#endif
	add  Y8, Y0, Y0
	add  Y9, Y1, Y1
	add  Y0, Y4, Y4
	add  Y1, Y5, Y5
	move Y4, (dp)(at*1)
	move Y5, 32(dp)(at*1)
	ADDQ $64, at
	CMPQ at, bytes
	JLT  loop

done:
	SHRQ $logsize, at
	MOVQ at, ret+24(FP)
	VZEROUPPER
	RET
