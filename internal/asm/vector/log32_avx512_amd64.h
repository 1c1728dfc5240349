// This kernel computes log, or log2 if BASE2 is defined, in float32.

// func log(n int, dst, x *float32) int
TEXT LOG(SB), NOSPLIT, $0-32
	MOVQ  n+0(FP), bytes
	MOVQ  dst+8(FP), dp
	MOVQ  x+16(FP), xp
	move  logc+INVERSE(SB), Z16
	move  logc+TABLEHI(SB), Z17
	move  logc+TABLELO(SB), Z18
	bcast logc+LEAST(SB), Z19
	bcast logc+MOST(SB), Z20
	bcast logc+BIAS(SB), Z21
	bcast logc+MASK(SB), Z22
	bcast logc+ONE(SB), Z23
	bcast logc+LN2HI(SB), Z24
	bcast logc+LN2LO(SB), Z25
	bcast logc+C3(SB), Z26
	bcast logc+C2(SB), Z27
	bcast logc+C1(SB), Z28
	bcast logc+C0(SB), Z29
#ifdef BASE2
	bcast logc+INVLN2(SB), Z30
#endif
	SHLQ  $logsize, bytes
	XORL  at, at

loop:
	// check 2^-126 ≤ x ≤ the largest number: as signed integers, the bits of x plus the bits of 2^-126 are at least the bits of 2^-125
	move     (xp)(at*1), Z0
	VPADDD   Z19, Z0, Z4
	VPCMPGTD Z20, Z4, K1
	KMOVW    K1, AX
	CMPL     AX, allmask
	JNE      done

	// Z4: the cell in the lowest bits; Z2: k·2^23; Z0: m
	VPSUBD    Z21, Z0, Z2
	VPSRLD    $20, Z2, Z4
	VPANDD    Z22, Z2, Z2
	VPSUBD    Z2, Z0, Z0
	VCVTDQ2PS Z2, Z2

	// r = m·c − 1; high and low parts of t = k·log 2 − log c
	VPERMPS Z16, Z4, Z6
	fms213  Z23, Z6, Z0
	VPERMPS Z17, Z4, Z6
	VPERMPS Z18, Z4, Z8
	fma     Z24, Z2, Z6
#ifdef BASE2
	fma     Z25, Z0, Z8
#else
	fma     Z25, Z2, Z8
#endif

	// r²·Q(r)
	copy   Z26, Z4
	copy   Z28, Z12
	mul    Z0, Z0, Z10
	fma213 Z27, Z0, Z4
	fma213 Z29, Z0, Z12
	fma    Z4, Z10, Z12
	fma    Z12, Z10, Z8

	// b = t + r, or t + r/ln 2 for log2; its rounding error e; and b + (e + w)
#ifdef BASE2
	mul    Z30, Z0, Z4
	add    Z4, Z6, Z4
	sub    Z6, Z4, Z6
	fms213 Z6, Z30, Z0
#else
	add    Z0, Z6, Z4
	sub    Z6, Z4, Z6
	sub    Z6, Z0, Z0
#endif
	add  Z8, Z0, Z0
	add  Z0, Z4, Z4
	move Z4, (dp)(at*1)
	ADDQ $64, at
	CMPQ at, bytes
	JLT  loop

done:
	SHRQ $logsize, at
	MOVQ at, ret+24(FP)
	VZEROUPPER
	RET
