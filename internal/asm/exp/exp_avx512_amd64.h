// The kernels of exp, exp2 and sumExp, for the type that the including file defines.

#define left CX

// func exp(n int, dst, x *T)
TEXT EXP(SB), NOSPLIT, $0-24
	MOVQ      n+0(FP), left
	MOVQ      dst+8(FP), out
	MOVQ      x+16(FP), src
	bcast     expc+MAGIC(SB), magic
	VMOVDQU64 expc+TABLE(SB), table
	addbits   expc+STEPS(SB), table, table
	bcast     expc+LIMIT(SB), Z16
	bcast     expc+NEGLIMIT(SB), Z17
	bcast     expc+HIGH(SB), Z18

loop:
	SUBQ $(4*lanes), left
	JLT  tail

	move (src), Z0
	move 64(src), Z1
	move 128(src), Z2
	move 192(src), Z3

	// t = x·log2e + magic
	copy     magic, Z4
	copy     magic, Z5
	copy     magic, Z6
	copy     magic, Z7
	fma.BCST expc+LOG2E(SB), Z0, Z4
	fma.BCST expc+LOG2E(SB), Z1, Z5
	fma.BCST expc+LOG2E(SB), Z2, Z6
	fma.BCST expc+LOG2E(SB), Z3, Z7

	// Clamp x only if a t is outside the binade of magic. Otherwise r is small enough, and
	// the scaling computes the same zeros and infinities with and without the clamp.
	xorbits  magic, Z4, Z12
	ternlog  $0xf6, magic, Z5, Z12
	ternlog  $0xf6, magic, Z6, Z12
	ternlog  $0xf6, magic, Z7, Z12
	testbits Z18, Z12, K2
	KORTESTW K2, K2
	JNE      outside

inside:
	reduce(Z0, Z4, Z8)
	reduce(Z1, Z5, Z9)
	reduce(Z2, Z6, Z10)
	reduce(Z3, Z7, Z11)

	// T = the table entry that the last bits of t select
	permute table, Z4, Z4
	permute table, Z5, Z5
	permute table, Z6, Z6
	permute table, Z7, Z7

	// q = exp(r)/E − 1 (E ≈ 1 is defined in coef.go)
	bcast expc+CTOP(SB), Z12
	copy  Z12, Z13
	copy  Z12, Z14
	copy  Z12, Z15
	onlyf64(step4(C6))
	onlyf64(step4(C5))
	onlyf64(step4(C4))
	step4(C3)
	step4(C2)
	step4(C1)
	step4(C0)

	finish(Z12, Z4, Z8)
	finish(Z13, Z5, Z9)
	finish(Z14, Z6, Z10)
	finish(Z15, Z7, Z11)
	move Z12, (out)
	move Z13, 64(out)
	move Z14, 128(out)
	move Z15, 192(out)
	ADDQ $256, src
	ADDQ $256, out
	JMP  loop

outside:
	clamp(Z0, Z16, Z17)
	clamp(Z1, Z16, Z17)
	clamp(Z2, Z16, Z17)
	clamp(Z3, Z16, Z17)
	copy     magic, Z4
	copy     magic, Z5
	copy     magic, Z6
	copy     magic, Z7
	fma.BCST expc+LOG2E(SB), Z0, Z4
	fma.BCST expc+LOG2E(SB), Z1, Z5
	fma.BCST expc+LOG2E(SB), Z2, Z6
	fma.BCST expc+LOG2E(SB), Z3, Z7
	JMP      inside

tail:
	ADDQ  $(4*lanes), left
	JEQ   done
	MOVL  $-1, AX
	KMOVW AX, mask

tailloop:
	CMPQ left, $lanes
	JGE  vector

	// set the mask of the last, partial vector
	MOVL  $1, AX
	SHLL  CX, AX
	DECL  AX
	KMOVW AX, mask

vector:
	move.Z   (src), mask, Z0
	clamp(Z0, Z16, Z17)
	copy     magic, Z4
	fma.BCST expc+LOG2E(SB), Z0, Z4
	reduce(Z0, Z4, Z8)
	permute  table, Z4, Z4
	bcast    expc+CTOP(SB), Z12
	onlyf64(step1(C6))
	onlyf64(step1(C5))
	onlyf64(step1(C4))
	step1(C3)
	step1(C2)
	step1(C1)
	step1(C0)
	finish(Z12, Z4, Z8)
	move     Z12, mask, (out)
	ADDQ     $64, src
	ADDQ     $64, out
	SUBQ     $lanes, left
	JGT      tailloop

done:
	VZEROUPPER
	RET

#undef left
#define left DX
#define todo CX

// func exp2(n int, dst, x *T, c T)
TEXT EXP2(SB), NOSPLIT, $0-exp2args
	MOVQ      n+0(FP), left
	MOVQ      dst+8(FP), out
	MOVQ      x+16(FP), src
	bcast     c+24(FP), factor
	bcast     exp2c+EXP2_MAGIC(SB), magic
	VMOVDQU64 exp2c+EXP2_TABLE(SB), table
	bcastbits exp2c+EXP2_FAST(SB), fast

loop:
	SUBQ $(3*lanes), left
	JLT  tail

	// y = c·x
	mul (src), factor, Z0
	mul 64(src), factor, Z1
	mul 128(src), factor, Z2

	// check whether a y overflows, by comparing bits (float64: the high 32 bits)
	VPMAXSD  Z0, Z1, Z24
	VPMAXSD  Z2, Z24, Z24
	VPCMPGTD fast, Z24, K1
	KORTESTW K1, K1
	JNE      outside

	EXP2_THREE(Z0, Z1, Z2)

	move Z0, (out)
	move Z1, 64(out)
	move Z2, 128(out)
	ADDQ $192, src
	ADDQ $192, out
	JMP  loop

tail:
	ADDQ $(3*lanes), left
	JEQ  done
	MOVQ left, todo
	XORL left, left
	JMP  vectorloop

outside:
	MOVL $(3*lanes), todo

vectorloop:
	MOVL $-1, AX
	CMPQ todo, $lanes
	JGE  vector

	// set the mask of the last, partial vector
	MOVL $1, AX
	SHLL CX, AX
	DECL AX

vector:
	// y = c·x
	KMOVW  AX, mask
	move.Z (src), mask, Z0
	mul    Z0, factor, Z0

	EXP2_ONE(Z0)

	move Z0, mask, (out)
	ADDQ $64, src
	ADDQ $64, out
	SUBQ $lanes, todo
	JGT  vectorloop
	JMP  loop

done:
	VZEROUPPER
	RET

#undef left
#undef todo
#define left CX
#define peak R8
#define place DX
#define whole R9
#define todo R10

// func sumExp(n int, s, dst, x *T)
TEXT SUMEXP(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), left
	MOVQ s+8(FP), peak
	MOVQ dst+16(FP), out
	MOVQ x+24(FP), src

	// set the mask of the last, partial vector
	MOVQ  left, whole
	ANDL  $(lanes-1), CX
	MOVL  $1, AX
	SHLL  CX, AX
	DECL  AX
	KMOVW AX, short
	MOVQ  whole, left
	SHLQ  $logsize, whole
	ANDQ  $-64, whole

	// top: four vectors of maxima, beginning with −Inf
	VPTERNLOGD $0xff, Z0, Z0, Z0
	shiftleft  $mantissa, Z0, Z0
	copy       Z0, Z1
	copy       Z0, Z2
	copy       Z0, Z3
	XORL       place, place
	JMP        maxcheck

maxloop:
	move (src)(place*1), Z4
	move 64(src)(place*1), Z5
	move 128(src)(place*1), Z6
	move 192(src)(place*1), Z7
	max  Z0, Z4, Z0
	max  Z1, Z5, Z1
	max  Z2, Z6, Z2
	max  Z3, Z7, Z3
	ADDQ $256, place

maxcheck:
	LEAQ 256(place), AX
	CMPQ AX, whole
	JLE  maxloop

maxtail:
	CMPQ place, whole
	JEQ  maxshort
	move (src)(place*1), Z4
	max  Z0, Z4, Z0
	ADDQ $64, place
	JMP  maxtail

maxshort:
	// Skip a load without elements, because it would be slow if the next page is absent.
	TESTQ  $(lanes-1), left
	JEQ    maxfold
	move.Z (src)(place*1), short, Z4
	max    Z0, Z4, short, Z0

maxfold:
	max           Z1, Z0, Z0
	max           Z3, Z2, Z2
	max           Z2, Z0, Z0
	VEXTRACTF64X4 $1, Z0, Y1
	max           Y1, Y0, Y0
	VEXTRACTF128  $1, Y0, X1
	max           X1, X0, X0
	VPERMILPD     $1, X0, X1
#ifdef F32
	VMAXPS    X1, X0, X0
	VMOVSHDUP X0, X1
#endif
	maxone  X1, X0, X0
	moveone (peak), X1
	maxone  X0, X1, X0
	VXORPD  X2, X2, X2
	addone  X2, X0, X0
	moveone X0, (peak)

	// minus = 0 − top
	sub       X0, X2, X0
	bcast     X0, minus
	bcast     exp2c+EXP2_MAGIC(SB), magic
	VMOVDQU64 exp2c+EXP2_TABLE(SB), table
	bcastbits expc+NEAR(SB), near
	bcast     expc+LOG2E(SB), log2e
	onlyf64(term(EXP2_C7, Z23))
	onlyf64(term(EXP2_C6, Z22))
	onlyf64(term(EXP2_C5, Z21))
	term(EXP2_C4, Z20)
	term(EXP2_C3, Z19)
	term(EXP2_C2, Z18)
	term(EXP2_C1, Z17)
	term(EXP2_C0, Z16)
	VPXORQ    rests, rests, rests
	VPXORQ    ones, ones, ones

loop:
	SUBQ $(4*lanes), left
	JLT  tail

	// d = x + minus
	add (src), minus, Z0
	add 64(src), minus, Z1
	add 128(src), minus, Z2
	add 192(src), minus, Z3

	// check that every d is negative and above −708 (float32: at least −87), by comparing bits. The bits of a
	// negative d increase with |d|. The bits of +0 and NaN are outside of the range.
	VPMAXSD  Z0, Z1, Z4
	VPMAXSD  Z2, Z3, Z5
	VPMAXSD  Z4, Z5, Z4
	VPCMPGTD near, Z4, K2
	KORTESTW K2, K2
	JNE      slow

	// t = d·log2e + magic, −k = magic − t, f = d·log2e − k
	copy   magic, Z4
	copy   magic, Z5
	copy   magic, Z6
	copy   magic, Z7
	fma    log2e, Z0, Z4
	fma    log2e, Z1, Z5
	fma    log2e, Z2, Z6
	fma    log2e, Z3, Z7
	sub    Z4, magic, Z8
	sub    Z5, magic, Z9
	sub    Z6, magic, Z10
	sub    Z7, magic, Z11
	fma213 Z8, log2e, Z0
	fma213 Z9, log2e, Z1
	fma213 Z10, log2e, Z2
	fma213 Z11, log2e, Z3

	// S = 2^k·E
	EXP2_POWER(Z4, Z8)
	EXP2_POWER(Z5, Z9)
	EXP2_POWER(Z6, Z10)
	EXP2_POWER(Z7, Z11)

	// q = 2^f/E − 1 (E ≈ 1 is defined in coef.go)
	copy CTOPREG, Z8
	copy CTOPREG, Z9
	copy CTOPREG, Z10
	copy CTOPREG, Z11
	onlyf64(below4(Z22))
	onlyf64(below4(Z21))
	onlyf64(below4(Z20))
	below4(Z19)
	below4(Z18)
	below4(Z17)
	below4(Z16)
	fma213 Z4, Z4, Z8
	fma213 Z5, Z5, Z9
	fma213 Z6, Z6, Z10
	fma213 Z7, Z7, Z11

	add   Z8, rests, rests
	add   Z9, rests, rests
	add   Z10, rests, rests
	add   Z11, rests, rests
	ADDQ  $256, src
	TESTQ out, out
	JEQ   loop
	move  Z8, (out)
	move  Z9, 64(out)
	move  Z10, 128(out)
	move  Z11, 192(out)
	ADDQ  $256, out
	JMP   loop

tail:
	ADDQ $(4*lanes), left
	JEQ  fold
	MOVQ left, todo
	XORL left, left
	JMP  vectorloop

slow:
	MOVL $(4*lanes), todo

vectorloop:
	KXNORW K1, K1, K1
	CMPQ   todo, $lanes
	JGE    vector
	KMOVW  short, mask

vector:
	move.Z       (src), mask, Z0
	add          minus, Z0, Z0
	compare.BCST $0x15, expc+LEASTD(SB), Z0, mask, K2
	VPXORQ       Z1, Z1, Z1
	compare      $0x1d, Z1, Z0, mask, K3
	copy         magic, Z4
	fma          log2e, Z0, Z4
	sub          Z4, magic, Z8
	fma213       Z8, log2e, Z0
	EXP2_POWER(Z4, Z8)
	copy         CTOPREG, Z8
	onlyf64(below1(Z22))
	onlyf64(below1(Z21))
	onlyf64(below1(Z20))
	below1(Z19)
	below1(Z18)
	below1(Z17)
	below1(Z16)
	fma213.Z     Z4, Z4, K2, Z8
	ADDQ         $64, src
	TESTQ        out, out
	JEQ          sums
	move         Z8, mask, (out)
	ADDQ         $64, out

sums:
	copy          Z1, K3, Z8
	add           Z8, rests, rests
	bcast.Z       expc+ONE(SB), K3, Z9
	VEXTRACTF64X4 $1, Z9, Y10
	add           Y10, Y9, Y9
	add           Y9, Y15, Y15
	SUBQ          $lanes, todo
	JGT           vectorloop
	TESTQ         left, left
	JNE           loop

fold:
	// fold the lanes in halves
	VEXTRACTF64X4 $1, rests, Y1
	add           Y1, Y14, Y0
	VEXTRACTF128  $1, Y0, X1
	VEXTRACTF128  $1, Y15, X3
	add           X1, X0, X0
	add           X3, X15, X2
	VPERMILPD     $1, X0, X1
	VPERMILPD     $1, X2, X3
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

#undef left
#undef peak
#undef place
#undef whole
#undef todo
