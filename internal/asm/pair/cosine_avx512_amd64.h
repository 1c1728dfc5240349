// The texts of the sums of a cosine, for the type that the including file has defined. It defines COSINE and LANES, their
// names.

// func cosine(n int, x, y, sums *T)
TEXT COSINE(SB), NOSPLIT, $0-32
	MOVQ    n+0(FP), left
	MOVQ    x+8(FP), xp
	MOVQ    y+16(FP), yp
	MOVQ    sums+24(FP), lanes
	bcast   tail+96(SB), Z0
	VMOVAPS Z0, Z1
	VMOVAPS Z0, Z2
	VMOVAPS Z0, Z3
	VMOVAPS Z0, Z4
	VMOVAPS Z0, Z5
	SUBQ    $(group/2), left
	JB      rest

	PCALIGN $32

loop:
	TERM3(0, Z0, Z2, Z4)
	TERM3(64, Z1, Z3, Z5)
	ADDQ $128, xp
	ADDQ $128, yp
	SUBQ $(group/2), left
	JAE  loop

rest:
	ADDQ  $(group/2), left
	JEQ   fold
	MOVQ  $-1, AX
	BZHIQ CX, AX, AX
	KMOVW AX, K1
	PART3(0, Z0, Z2, Z4)
	CMPQ  left, $unitz
	JBE   fold
	SHRQ  $unitz, AX
	KMOVW AX, K1
	PART3(64, Z1, Z3, Z5)

fold:
	add Z1, Z0, Z0
	add Z3, Z2, Z2
	add Z5, Z4, Z4
	FOLD(Z0, Y0, X0, Y1, X1)
	FOLD(Z2, Y2, X2, Y3, X3)
	FOLD(Z4, Y4, X4, Y5, X5)
	moveone X0, (lanes)
	moveone X2, size(lanes)
	moveone X4, (2*size)(lanes)
	VZEROUPPER
	RET

// func cosineLanes(n int, acc, x, y *T)
TEXT LANES(SB), NOSPLIT, $0-32
	MOVQ n+0(FP), left
	MOVQ acc+8(FP), lanes
	MOVQ x+16(FP), xp
	MOVQ y+24(FP), yp
	move (lanes), Z0
	move 64(lanes), Z1
	move 128(lanes), Z2
	move 192(lanes), Z3
	move 256(lanes), Z4
	move 320(lanes), Z5

loop:
	TERM3(0, Z0, Z2, Z4)
	TERM3(64, Z1, Z3, Z5)
	ADDQ $128, xp
	ADDQ $128, yp
	SUBQ $(group/2), left
	JNE  loop

	move Z0, (lanes)
	move Z1, 64(lanes)
	move Z2, 128(lanes)
	move Z3, 192(lanes)
	move Z4, 256(lanes)
	move Z5, 320(lanes)
	VZEROUPPER
	RET
