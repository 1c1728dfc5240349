// The texts of exp and exp2, for the type that the including file has defined.

#define left CX

// func exp(n int, acc, dst, x *T, shift T)
TEXT EXP(SB), NOSPLIT, $0-expargs
	MOVQ      n+0(FP), left
	MOVQ      acc+8(FP), sums
	MOVQ      dst+16(FP), out
	MOVQ      x+24(FP), src
	bcast     shift+32(FP), Z19
	bcast     expc+MAGIC(SB), magic
	VMOVDQU64 expc+TABLE(SB), table
	addbits   expc+STEPS(SB), table, table
	bcast     expc+LIMIT(SB), Z16
	bcast     expc+NEGLIMIT(SB), Z17
	bcast     expc+HIGH(SB), Z18
	TESTQ     sums, sums
	JEQ       loop
	move      (sums), Z20

loop:
	SUBQ $(4*lanes), left
	JLT  tail

	move  (src), Z0
	move  64(src), Z1
	move  128(src), Z2
	move  192(src), Z3
	TESTQ sums, sums
	JEQ   range
	sub   Z19, Z0, Z0
	sub   Z19, Z1, Z1
	sub   Z19, Z2, Z2
	sub   Z19, Z3, Z3

range:
	// t = x·log2e + magic
	copy     magic, Z4
	copy     magic, Z5
	copy     magic, Z6
	copy     magic, Z7
	fma.BCST expc+LOG2E(SB), Z0, Z4
	fma.BCST expc+LOG2E(SB), Z1, Z5
	fma.BCST expc+LOG2E(SB), Z2, Z6
	fma.BCST expc+LOG2E(SB), Z3, Z7

	// has a sum left the binade of magic? Within, r is small enough without the clamp,
	// and the scaling makes the same zeros and infinities.
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

	// T, by the last bits of t
	permute table, Z4, Z4
	permute table, Z5, Z5
	permute table, Z6, Z6
	permute table, Z7, Z7

	// q = exp(r)/E − 1
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
	ADDQ  $256, src
	TESTQ sums, sums
	JEQ   store
	add   Z12, Z20, Z20
	add   Z13, Z20, Z20
	add   Z14, Z20, Z20
	add   Z15, Z20, Z20
	TESTQ out, out
	JEQ   loop

store:
	move Z12, (out)
	move Z13, 64(out)
	move Z14, 128(out)
	move Z15, 192(out)
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

	// the mask of the short step
	MOVL  $1, AX
	SHLL  CX, AX
	DECL  AX
	KMOVW AX, mask

vector:
	move.Z (src), mask, Z0
	TESTQ  sums, sums
	JEQ    shifted
	sub    Z19, Z0, Z0

shifted:
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
	ADDQ     $64, src
	TESTQ    sums, sums
	JEQ      storeone
	add      Z12, Z20, mask, Z20
	TESTQ    out, out
	JEQ      next

storeone:
	move Z12, mask, (out)
	ADDQ $64, out

next:
	SUBQ $lanes, left
	JGT  tailloop

done:
	TESTQ sums, sums
	JEQ   return
	move  Z20, (sums)

return:
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

	// does a y overflow, by their bits, of float64 the upper halves?
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

	// the mask of the short step
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
