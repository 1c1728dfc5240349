// The texts of exp and exp2, for the type that the including file has defined.

#define c Y14

// func exp(n int, acc, dst, x *T, shift T)
TEXT EXP(SB), NOSPLIT, $0-expargs
	MOVQ  n+0(FP), left
	MOVQ  acc+8(FP), sums
	MOVQ  dst+16(FP), out
	MOVQ  x+24(FP), src
	bcast expc+MAGIC(SB), magic
#ifdef F32
	VBROADCASTF128 expf32<>+TABLE(SB), entries
#endif

loop:
	SUBQ $(4*lanes), left
	JLT  tail

	move  (src), Y0
	move  32(src), Y1
	move  64(src), Y2
	move  96(src), Y3
	TESTQ sums, sums
	JEQ   range
	bcast shift+32(FP), Y4
	sub   Y4, Y0, Y0
	sub   Y4, Y1, Y1
	sub   Y4, Y2, Y2
	sub   Y4, Y3, Y3

range:
	// all |x| < 708 (≤ 87), by their bits without the sign, of float64 the upper halves
	VPADDD    Y0, Y0, Y4
	VPADDD    Y1, Y1, Y5
	VPADDD    Y2, Y2, Y6
	VPADDD    Y3, Y3, Y7
	VPMAXUD   Y4, Y5, Y4
	VPMAXUD   Y6, Y7, Y6
	VPMAXUD   Y4, Y6, Y4
	VPSRLD    $1, Y4, Y4
	VPCMPGTD  expc+FASTLIMIT(SB), Y4, Y4
	VMOVMSKPS Y4, AX
	TESTL     AX, AX
	JNE       outside

	// t = x·log2e + magic, k = t − magic
	copy   Y0, Y4
	copy   Y1, Y5
	copy   Y2, Y6
	copy   Y3, Y7
	bcast  expc+LOG2E(SB), c
	fma213 magic, c, Y0
	fma213 magic, c, Y1
	fma213 magic, c, Y2
	fma213 magic, c, Y3
	sub    magic, Y0, Y8
	sub    magic, Y1, Y9
	sub    magic, Y2, Y10
	sub    magic, Y3, Y11

	// r = x − k·ln 2
	fnma4(LN2HI)
	fnma4(LN2LO)

	// q = exp(r)/E − 1; between the steps T·2^⌊k⌋, a shuffle's work
	bcast expc+CTOP(SB), Y8
	copy  Y8, Y9
	copy  Y8, Y10
	copy  Y8, Y11
	onlyf64(fma4(C6))
	onlyf32(fma4(C3))
	table(Y0)
	onlyf64(fma4(C5))
	table(Y1)
	onlyf64(fma4(C4))
	onlyf32(fma4(C2))
	table(Y2)
	onlyf64(fma4(C3))
	table(Y3)
	onlyf64(fma4(C2))
	fma4(C1)
	fma4(C0)

	// q·T + T
	fma213 Y0, Y0, Y8
	fma213 Y1, Y1, Y9
	fma213 Y2, Y2, Y10
	fma213 Y3, Y3, Y11
	ADDQ   $128, src
	TESTQ  sums, sums
	JEQ    store

	// the lanes of the sums, in two halves
	move  (sums), Y0
	move  32(sums), Y1
	add   Y8, Y0, Y0
	add   Y9, Y1, Y1
	add   Y10, Y0, Y0
	add   Y11, Y1, Y1
	move  Y0, (sums)
	move  Y1, 32(sums)
	TESTQ out, out
	JEQ   loop

store:
	move Y8, (out)
	move Y9, 32(out)
	move Y10, 64(out)
	move Y11, 96(out)
	ADDQ $128, out
	JMP  loop

tail:
	ADDQ $(4*lanes), left
	JEQ  done
	MOVQ left, todo
	XORL left, left
	JMP  general

outside:
	MOVL $(4*lanes), todo

general:
	// vector by vector, in turn to the two halves of the lanes
	XORL lane, lane

vector:
	SUBQ $lanes, todo
	JLT  maskload
	move (src), Y0

body:
	TESTQ sums, sums
	JEQ   shifted
	bcast shift+32(FP), Y1
	sub   Y1, Y0, Y0

shifted:
	// clamp; of a NaN and a number min and max return the first operand here
	bcast expc+LIMIT(SB), Y1
	bcast expc+NEGLIMIT(SB), Y2
	min   Y0, Y1, Y0
	max   Y0, Y2, Y0

	// t = x·log2e + magic, k = t − magic, r = x − k·ln 2
	copy   Y0, Y4
	bcast  expc+LOG2E(SB), c
	fma213 magic, c, Y0
	sub    magic, Y0, Y8
	bcast  expc+LN2HI(SB), Y1
	bcast  expc+LN2LO(SB), Y2
	fnma   Y1, Y8, Y4
	fnma   Y2, Y8, Y4

	// where y·2^⌊k⌋ will be subnormal; not where k is a NaN
	bcast   expc+LEASTK(SB), Y1
	compare $0x11, Y1, Y8, Y5

	// T: the entry, to which n mod 8 (4) is added back
	lookup(Y0)
	shiftleft  $(8*size-indexbits), Y0, Y1
	shiftright $(8*size-indexbits-indexshift), Y1, Y1
	addbits    Y1, entry, Y3

	// q = exp(r)/E − 1, y = q·T + T
	bcast  expc+CTOP(SB), Y8
	onlyf64(step(C6))
	onlyf64(step(C5))
	onlyf64(step(C4))
	step(C3)
	step(C2)
	step(C1)
	step(C0)
	fma213 Y3, Y3, Y8

	// e = ⌊k⌋ from the lower half of t, of float32 its lower bits; +1022 (+126) where y·2^e
	// is subnormal
#ifdef F32
	VPSLLD $10, Y0, Y0
	VPSRAD $12, Y0, Y2
#else
	VPSRAD $3, Y0, Y2
#endif
	bcastbits expc+MINEXP(SB), Y1
	VPAND     Y1, Y5, Y3
	VPSUBD    Y3, Y2, Y2

	// z = y·2^(e/2)·2^(e − e/2)
	bcastbits expc+BIAS(SB), Y1
	VPSRAD    $1, Y2, Y3
	VPSUBD    Y3, Y2, Y2
	VPADDD    Y1, Y2, Y2
	VPADDD    Y1, Y3, Y3
	shiftleft $mantissa, Y2, Y2
	shiftleft $mantissa, Y3, Y3
	mul       Y3, Y8, Y8
	mul       Y2, Y8, Y8

	// a subnormal result is a multiple of 2^−1074 (2^−149): 1 + z rounds z to one of
	// 2^−52 (2^−23), and its bits above those of 1 are those of the result
	bcast   expc+ONE(SB), Y1
	add     Y1, Y8, Y2
	subbits Y1, Y2, Y2
	blend   Y5, Y2, Y8, Y8

	TESTQ todo, todo
	JLT   maskstore
	ADDQ  $32, src
	TESTQ sums, sums
	JEQ   storeone
	add   (sums)(lane*1), Y8, Y0
	move  Y0, (sums)(lane*1)
	XORQ  $32, lane
	TESTQ out, out
	JEQ   next

storeone:
	move Y8, (out)
	ADDQ $32, out

next:
	TESTQ todo, todo
	JNE   vector
	TESTQ left, left
	JNE   loop

done:
	VZEROUPPER
	RET

maskload:
	LEAQ     tailmask<>+32(SB), AX
	SHLQ     $logsize, todo
	SUBQ     todo, AX
	move     (AX), c
	maskmove (src), c, Y0
	JMP      body

maskstore:
	move     (AX), c
	TESTQ    sums, sums
	JEQ      storelast
	maskmove (sums)(lane*1), c, Y0
	add      Y8, Y0, Y0
	maskmove Y0, c, (sums)(lane*1)
	TESTQ    out, out
	JEQ      done

storelast:
	maskmove Y8, c, (out)
	VZEROUPPER
	RET

#undef c

// func exp2(n int, dst, x *T, c T)
TEXT EXP2(SB), NOSPLIT, $0-exp2args
	MOVQ  n+0(FP), left
	MOVQ  dst+8(FP), out
	MOVQ  x+16(FP), src
	bcast c+24(FP), factor
	EXP2_CONST(EXP2_MAGIC, magic)

loop:
	SUBQ $(4*lanes), left
	JLT  tail

	// y = c·x
	mul (src), factor, Y0
	mul 32(src), factor, Y1
	mul 64(src), factor, Y2
	mul 96(src), factor, Y3

	// all y below the limit, by their bits, of float64 the upper halves
	VPMAXSD   Y0, Y1, Y4
	VPMAXSD   Y2, Y3, Y5
	VPMAXSD   Y4, Y5, Y4
	VPCMPGTD  exp2c+EXP2_FAST(SB), Y4, Y4
	VMOVMSKPS Y4, AX
	TESTL     AX, AX
	JNE       outside

	// f = y − k, t = magic + k
	EXP2_CONST(EXP2_LEAST, least)
	EXP2_SPLIT(Y0, Y4, Y8, tmp)
	EXP2_SPLIT(Y1, Y5, Y9, tmp)
	EXP2_SPLIT(Y2, Y6, Y10, tmp)
	EXP2_SPLIT(Y3, Y7, Y11, tmp)

	// S = 2^k·E
	EXP2_LOOKUP(Y4, Y8, tmp, least)
	EXP2_LOOKUP(Y5, Y9, tmp, least)
	EXP2_LOOKUP(Y6, Y10, tmp, least)
	EXP2_LOOKUP(Y7, Y11, tmp, least)

	// q = 2^f/E − 1
	EXP2_UPPER4(tmp)
	EXP2_LOWER4(tmp)

	// q·S + S
	EXP2_LAST(Y8, Y4)
	EXP2_LAST(Y9, Y5)
	EXP2_LAST(Y10, Y6)
	EXP2_LAST(Y11, Y7)
	move Y8, (out)
	move Y9, 32(out)
	move Y10, 64(out)
	move Y11, 96(out)
	ADDQ $128, src
	ADDQ $128, out
	JMP  loop

tail:
	ADDQ $(4*lanes), left
	JEQ  done
	MOVQ left, todo
	XORL left, left
	JMP  general

outside:
	MOVL $(4*lanes), todo

general:
	SUBQ $lanes, todo
	JLT  maskload
	move (src), Y0

body:
	mul  Y0, factor, Y0
	copy Y0, Y1
	EXP2_CONST(EXP2_LEAST, least)
	EXP2_SPLIT(Y0, Y4, Y8, tmp)
	EXP2_LOOKUP(Y4, Y8, tmp, least)
	EXP2_CONST(EXP2_TOP, Y8)
	EXP2_HIGH(tmp, Y8, Y0)
	EXP2_STEP(EXP2_C3, tmp, Y8, Y0)
	EXP2_STEP(EXP2_C2, tmp, Y8, Y0)
	EXP2_STEP(EXP2_C1, tmp, Y8, Y0)
	EXP2_STEP(EXP2_C0, tmp, Y8, Y0)
	EXP2_LAST(Y8, Y4)
	EXP2_OVER(Y1, Y8, tmp, Y2)

	TESTQ todo, todo
	JLT   maskstore
	move  Y8, (out)
	ADDQ  $32, src
	ADDQ  $32, out
	TESTQ todo, todo
	JNE   general
	TESTQ left, left
	JNE   loop

done:
	VZEROUPPER
	RET

maskload:
	LEAQ     tailmask<>+32(SB), AX
	SHLQ     $logsize, todo
	SUBQ     todo, AX
	move     (AX), tmp
	maskmove (src), tmp, Y0
	JMP      body

maskstore:
	move     (AX), tmp
	maskmove Y8, tmp, (out)
	VZEROUPPER
	RET
