// The text of exp2, for the type that the including file has defined.

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
