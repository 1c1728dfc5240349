// The text of exp2, for the type that the including file has defined.

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
