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
	move         (xp)(at*1), Z0
	compare.BCST $0x1d, logc+LEAST(SB), Z0, K1
	compare.BCST $0x12, logc+MOST(SB), Z0, K1, K2
	KMOVW        K2, AX
	CMPL         AX, allmask
	JNE          done

	// k + 1024 in the bits above the mantissa, where k counts binades that begin at √½; then m
	subbits.BCST logc+BIAS(SB), Z0, Z0
	shiftright   mantissa, Z0, Z2
	andbits.BCST logc+MASK(SB), Z0, Z0
	addbits.BCST logc+HALF(SB), Z0, Z0

	// k as a number, f = m − 1
	orbits.BCST logc+WHOLE(SB), Z2, Z2
	sub.BCST    logc+WHOLEK(SB), Z2, Z2
	sub.BCST    logc+ONE(SB), Z0, Z0

	// s = f/(2 + f); R is a polynomial in s² with (log m)/s = 2 + R
	add.BCST logc+TWO(SB), Z0, Z4
	div      Z4, Z0, Z4
	mul      Z4, Z4, Z6
	bcast    logc+C7(SB), Z8
	step(C6, Z6)
	step(C5, Z6)
	step(C4, Z6)
	step(C3, Z6)
	step(C2, Z6)
	step(C1, Z6)
	mul      Z6, Z8, Z8

	// h = f²/2, and its rounding error
	mul.BCST logc+POINT5(SB), Z0, Z10
	mul      Z0, Z10, Z6
	fms213   Z6, Z0, Z10

	// log m = hi + lo, where hi = f − h, and lo is the rounding error of hi plus s·(h + R)
	sub Z6, Z0, Z13
	sub Z13, Z0, Z0
	sub Z6, Z0, Z0
	sub Z10, Z0, Z0
	// add s·(h + R) to lo
	add Z6, Z8, Z8
	fma Z8, Z4, Z0

#ifdef BASE2
	// p = hi/ln 2; l is the negative of the rounding error of p and of lo/ln 2
	mul.BCST  logc+INVLN2(SB), Z13, Z4
	copy      Z4, Z10
	fnma.BCST logc+INVLN2(SB), Z13, Z10
	fnma.BCST logc+INVLN2(SB), Z0, Z10
	fnma.BCST logc+INVLN2LO(SB), Z13, Z10

	// b = k + p, and its rounding error
	add Z4, Z2, Z6
	sub Z2, Z6, Z2
	sub Z2, Z4, Z4
	sub Z10, Z4, Z4
#else
	// b = k·ln2hi + hi, its rounding error, and k·ln2lo + lo
	mul.BCST logc+LN2HI(SB), Z2, Z4
	add      Z13, Z4, Z6
	sub      Z4, Z6, Z4
	sub      Z4, Z13, Z4
	fma.BCST logc+LN2LO(SB), Z2, Z0
	add      Z0, Z4, Z4
#endif

	add  Z4, Z6, Z6
	move Z6, (dp)(at*1)
	ADDQ $64, at
	CMPQ at, bytes
	JLT  loop

done:
	SHRQ $logsize, at
	MOVQ at, ret+24(FP)
	VZEROUPPER
	RET
