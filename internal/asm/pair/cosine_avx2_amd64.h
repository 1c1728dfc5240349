// The texts of the sums of a cosine, for the type that the including file has defined. It defines COSINE and LANES, their
// names.

// func cosine(n int, x, y, sums *T)
TEXT COSINE(SB), NOSPLIT, $0-32
	MOVQ    n+0(FP), left
	MOVQ    x+8(FP), xp
	MOVQ    y+16(FP), yp
	MOVQ    sums+24(FP), lanes
	LEAQ    tail+32(SB), mask
	bcast   64(mask), Y0
	MOVQ    left, AX
	ANDQ    $(unit-1), AX
	SHLQ    $logsize, AX
	SUBQ    AX, mask
	VMOVAPS Y0, Y1
	VMOVAPS Y0, Y2
	VMOVAPS Y0, Y3
	VMOVAPS Y0, Y4
	VMOVAPS Y0, Y5
	VMOVAPS Y0, Y6
	VMOVAPS Y0, Y7
	VMOVAPS Y0, Y8
	VMOVAPS Y0, Y9
	VMOVAPS Y0, Y10
	VMOVAPS Y0, Y11
	SUBQ    $(group/2), left
	JB      rest

	PCALIGN $32

loop:
	TERM3(0, Y0, Y4, Y8)
	TERM3(32, Y1, Y5, Y9)
	TERM3(64, Y2, Y6, Y10)
	TERM3(96, Y3, Y7, Y11)
	ADDQ $128, xp
	ADDQ $128, yp
	SUBQ $(group/2), left
	JAE  loop

rest:
	ADDQ $(group/2), left
	JEQ  fold
	CMPQ left, $unit
	JB   part0
	TERM3(0, Y0, Y4, Y8)
	CMPQ left, $(2*unit)
	JB   part1
	TERM3(32, Y1, Y5, Y9)
	CMPQ left, $(3*unit)
	JB   part2
	TERM3(64, Y2, Y6, Y10)
	TESTQ AX, AX
	JEQ  fold
	PART3(96, Y3, Y7, Y11)

fold:
	add Y2, Y0, Y0
	add Y3, Y1, Y1
	add Y6, Y4, Y4
	add Y7, Y5, Y5
	add Y10, Y8, Y8
	add Y11, Y9, Y9
	add Y1, Y0, Y0
	add Y5, Y4, Y4
	add Y9, Y8, Y8
	FOLD(Y0, X0, X1)
	FOLD(Y4, X4, X5)
	FOLD(Y8, X8, X9)
	moveone X0, (lanes)
	moveone X4, size(lanes)
	moveone X8, (2*size)(lanes)
	VZEROUPPER
	RET

part0:
	PART3(0, Y0, Y4, Y8)
	JMP fold

part1:
	TESTQ AX, AX
	JEQ   fold
	PART3(32, Y1, Y5, Y9)
	JMP   fold

part2:
	TESTQ AX, AX
	JEQ   fold
	PART3(64, Y2, Y6, Y10)
	JMP   fold

// func cosineLanes(n int, acc, x, y *T)
TEXT LANES(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), left
	MOVQ acc+8(FP), lanes
	MOVQ x+16(FP), xp
	MOVQ y+24(FP), yp
	move (lanes), Y0
	move 32(lanes), Y1
	move 64(lanes), Y2
	move 96(lanes), Y3
	move 128(lanes), Y4
	move 160(lanes), Y5
	move 192(lanes), Y6
	move 224(lanes), Y7
	move 256(lanes), Y8
	move 288(lanes), Y9
	move 320(lanes), Y10
	move 352(lanes), Y11

loop:
	TERM3(0, Y0, Y4, Y8)
	TERM3(32, Y1, Y5, Y9)
	TERM3(64, Y2, Y6, Y10)
	TERM3(96, Y3, Y7, Y11)
	ADDQ $128, xp
	ADDQ $128, yp
	SUBQ $(group/2), left
	JNE  loop

	move Y0, (lanes)
	move Y1, 32(lanes)
	move Y2, 64(lanes)
	move Y3, 96(lanes)
	move Y4, 128(lanes)
	move Y5, 160(lanes)
	move Y6, 192(lanes)
	move Y7, 224(lanes)
	move Y8, 256(lanes)
	move Y9, 288(lanes)
	move Y10, 320(lanes)
	move Y11, 352(lanes)
	VZEROUPPER
	RET
