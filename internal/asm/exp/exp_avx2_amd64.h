// The kernels of exp, exp2 and sumExp, for the type that the including file defines.

#define c Y14

// func exp(n int, dst, x *T)
TEXT EXP(SB), NOSPLIT, $0-24
	MOVQ  n+0(FP), left
	MOVQ  dst+8(FP), out
	MOVQ  x+16(FP), src
	bcast expc+MAGIC(SB), magic
#ifdef F32
	VBROADCASTF128 expf32<>+TABLE(SB), entries
#endif

loop:
	SUBQ $(4*lanes), left
	JLT  tail

	move (src), Y0
	move 32(src), Y1
	move 64(src), Y2
	move 96(src), Y3

	// check that every |x| is below 708 (float32: at most 87), by comparing the bits without the sign
	// (float64: the high 32 bits)
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

	// q = exp(r)/E − 1 (E ≈ 1 is defined in coef.go). The code computes T·2^⌊k⌋ between the
	// steps, because shuffles use another port.
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
	// clamp x; x is the first operand of min and max, so a NaN stays NaN
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

	// Y5 = mask of the lanes in which y·2^⌊k⌋ is subnormal; lanes with a NaN are not in the mask
	bcast   expc+LEASTK(SB), Y1
	compare $0x11, Y1, Y8, Y5

	// T = the table entry plus n mod 8 (4), which was subtracted from the stored bits
	lookup(Y0)
	shiftleft  $(8*size-indexbits), Y0, Y1
	shiftright $(8*size-indexbits-indexshift), Y1, Y1
	addbits    Y1, entry, Y3

	// q = exp(r)/E − 1 (E ≈ 1 is defined in coef.go), y = q·T + T
	bcast  expc+CTOP(SB), Y8
	onlyf64(step(C6))
	onlyf64(step(C5))
	onlyf64(step(C4))
	step(C3)
	step(C2)
	step(C1)
	step(C0)
	fma213 Y3, Y3, Y8

	// e = ⌊k⌋ from the low bits of t, plus 1022 (126) in the lanes of the mask Y5
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

	// Replace subnormal results, which are multiples of 2^−1074 (2^−149). e was increased, so 1 + z rounds z to a
	// multiple of 2^−52 (2^−23). The bits of 1 + z minus the bits of 1 are the bits of the result.
	bcast   expc+ONE(SB), Y1
	add     Y1, Y8, Y2
	subbits Y1, Y2, Y2
	blend   Y5, Y2, Y8, Y8

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
	move     (AX), c
	maskmove (src), c, Y0
	JMP      body

maskstore:
	move     (AX), c
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

	// check that every y is below the limit, by comparing bits (float64: the high 32 bits)
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

	// q = 2^f/E − 1 (E ≈ 1 is defined in coef.go)
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

#define tmp2 Y13

// func sumExp(n int, s, dst, x *T)
TEXT SUMEXP(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), left
	MOVQ s+8(FP), peak
	MOVQ dst+16(FP), out
	MOVQ x+24(FP), src
	LEAQ n+0(FP), counts
	MOVQ left, bytes
	SHLQ $logsize, bytes

	// top: four vectors of maxima, beginning with −Inf
	VPCMPEQD  Y8, Y8, Y8
	shiftleft $mantissa, Y8, Y8
	copy      Y8, Y0
	copy      Y8, Y1
	copy      Y8, Y2
	copy      Y8, Y3
	XORL      place, place
	JMP       maxcheck

maxloop:
	move (src)(place*1), Y4
	move 32(src)(place*1), Y5
	move 64(src)(place*1), Y6
	move 96(src)(place*1), Y7
	max  Y0, Y4, Y0
	max  Y1, Y5, Y1
	max  Y2, Y6, Y2
	max  Y3, Y7, Y3
	ADDQ $128, place

maxcheck:
	LEAQ 128(place), AX
	CMPQ AX, bytes
	JLE  maxloop

maxtail:
	LEAQ 32(place), AX
	CMPQ AX, bytes
	JGT  maxshort
	move (src)(place*1), Y4
	max  Y0, Y4, Y0
	MOVQ AX, place
	JMP  maxtail

maxshort:
	CMPQ     place, bytes
	JEQ      maxfold
	LEAQ     tailmask<>+64(SB), AX
	SUBQ     bytes, AX
	move     (AX)(place*1), Y5
	maskmove (src)(place*1), Y5, Y4
	blend    Y5, Y4, Y8, Y4
	max      Y1, Y4, Y1

maxfold:
	max          Y1, Y0, Y0
	max          Y3, Y2, Y2
	max          Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	max          X1, X0, X0
	VUNPCKHPD    X0, X0, X1
#ifdef F32
	VMAXPS    X1, X0, X0
	VMOVSHDUP X0, X1
#endif
	maxone  X1, X0, X0
	moveone (peak), X1
	maxone  X0, X1, X0
	xor     X2, X2, X2
	addone  X2, X0, X0
	moveone X0, (peak)

	// minus = 0 − top, stored in memory
	sub     X0, X2, X0
	moveone X0, size(peak)
	xor     Y14, Y14, Y14
	xor     Y15, Y15, Y15
	move    Y14, (counts)

loop:
	SUBQ $(4*lanes), left
	JLT  tail

	// d = x + minus
	bcast size(peak), tmp
	add   (src), tmp, Y0
	add   32(src), tmp, Y1
	add   64(src), tmp, Y2
	add   96(src), tmp, Y3

	// check that every d is negative and above −708 (float32: at least −87), by comparing bits. The bits of a
	// negative d increase with |d|. The bits of +0 and NaN are outside of the range.
	VPMAXSD   Y0, Y1, Y4
	VPMAXSD   Y2, Y3, Y5
	VPMAXSD   Y4, Y5, Y4
	VPCMPGTD  expc+NEAR(SB), Y4, Y4
	VMOVMSKPS Y4, AX
	TESTL     AX, AX
	JNE       slow

	// t = d·log2e + magic, −k = magic − t, f = d·log2e − k
	bcast  expc+MAGIC(SB), Y4
	copy   Y4, Y5
	copy   Y4, Y6
	copy   Y4, Y7
	copy   Y4, tmp2
	bcast  expc+LOG2E(SB), tmp
	fma    tmp, Y0, Y4
	fma    tmp, Y1, Y5
	fma    tmp, Y2, Y6
	fma    tmp, Y3, Y7
	sub    Y4, tmp2, Y8
	sub    Y5, tmp2, Y9
	sub    Y6, tmp2, Y10
	sub    Y7, tmp2, Y11
	fma213 Y8, tmp, Y0
	fma213 Y9, tmp, Y1
	fma213 Y10, tmp, Y2
	fma213 Y11, tmp, Y3

	// q = 2^f/E − 1 and S = 2^k·E (E ≈ 1 is defined in coef.go)
#ifdef F32
	VBROADCASTF128 expf32<>+TABLE(SB), entries
#endif
	table(Y4)
	table(Y5)
	EXP2_UPPER4(tmp)
	table(Y6)
	table(Y7)
	EXP2_LOWER4(tmp)
	EXP2_LAST(Y8, Y4)
	EXP2_LAST(Y9, Y5)
	EXP2_LAST(Y10, Y6)
	EXP2_LAST(Y11, Y7)

	add   Y8, Y14, Y14
	add   Y9, Y15, Y15
	add   Y10, Y14, Y14
	add   Y11, Y15, Y15
	ADDQ  $128, src
	TESTQ out, out
	JEQ   loop
	move  Y8, (out)
	move  Y9, 32(out)
	move  Y10, 64(out)
	move  Y11, 96(out)
	ADDQ  $128, out
	JMP   loop

tail:
	ADDQ $(4*lanes), left
	JEQ  fold
	MOVQ left, todo
	XORL left, left
	JMP  pairs

slow:
	MOVL $(4*lanes), todo

pairs:
	// the general body: two vectors at a time, with masks
	SUBQ     $(2*lanes), todo
	JLT      short
	VPCMPEQD Y2, Y2, Y2
	copy     Y2, Y3
	move     (src), Y0
	move     32(src), Y1

pair:
	bcast   size(peak), tmp
	add     tmp, Y0, Y0
	add     tmp, Y1, Y1
	bcast   expc+LEASTD(SB), tmp2
	compare $0x11, tmp2, Y0, Y6
	compare $0x11, tmp2, Y1, Y7
	xor     tmp, tmp, tmp
	compare $0x1d, tmp, Y0, Y10
	compare $0x1d, tmp, Y1, Y11
	max     Y0, tmp2, Y0
	max     Y1, tmp2, Y1
	bcast   expc+MAGIC(SB), Y4
	copy    Y4, Y5
	copy    Y4, tmp2
	bcast   expc+LOG2E(SB), tmp
	fma     tmp, Y0, Y4
	fma     tmp, Y1, Y5
	sub     Y4, tmp2, Y8
	sub     Y5, tmp2, Y9
	fma213  Y8, tmp, Y0
	fma213  Y9, tmp, Y1
	EXP2_LOOKUP(Y4, Y6, tmp, tmp2)
	EXP2_LOOKUP(Y5, Y7, tmp, tmp2)
	EXP2_UPPER2(tmp)
	EXP2_LOWER2(tmp)
	EXP2_LAST(Y8, Y4)
	EXP2_LAST(Y9, Y5)
	TESTQ   out, out
	JEQ     sums
	TESTQ   todo, todo
	JLT     maskstore
	move    Y8, (out)
	move    Y9, 32(out)
	ADDQ    $64, out

sums:
	andn  Y8, Y10, Y8
	andn  Y9, Y11, Y9
	and   Y2, Y8, Y8
	and   Y3, Y9, Y9
	add   Y8, Y14, Y14
	add   Y9, Y15, Y15
	bcast expc+ONE(SB), tmp
	and   tmp, Y10, Y10
	and   tmp, Y11, Y11
	and   Y2, Y10, Y10
	and   Y3, Y11, Y11
	add   Y11, Y10, Y10
	add   (counts), Y10, Y10
	move  Y10, (counts)
	ADDQ  $64, src
	TESTQ todo, todo
	JGT   pairs
	TESTQ left, left
	JNE   loop

fold:
	// fold the lanes in halves
	move         (counts), Y2
	add          Y15, Y14, Y0
	VEXTRACTF128 $1, Y0, X1
	VEXTRACTF128 $1, Y2, X3
	add          X1, X0, X0
	add          X3, X2, X2
	VUNPCKHPD    X0, X0, X1
	VUNPCKHPD    X2, X2, X3
#ifdef F32
	VADDPS    X1, X0, X0
	VADDPS    X3, X2, X2
	VMOVSHDUP X0, X1
	VMOVSHDUP X2, X3
#endif
	addone  X1, X0, X0
	addone  X3, X2, X2
	moveone X0, size(peak)
	moveone X2, (2*size)(peak)
	VZEROUPPER
	RET

short:
	LEAQ     tailmask<>(SB), AX
	SHLQ     $logsize, todo
	SUBQ     todo, AX
	move     (AX), Y2
	move     32(AX), Y3
	maskmove (src), Y2, Y0
	maskmove 32(src), Y3, Y1
	JMP      pair

maskstore:
	maskmove Y8, Y2, (out)
	maskmove Y9, Y3, 32(out)
	JMP      sums

#undef tmp2
