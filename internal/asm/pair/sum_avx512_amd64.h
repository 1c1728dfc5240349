// The texts of a sum over one or two slices, for the type that the including file has defined.
// It defines SUM and LANES, their names, YARG and YNEXT, which load and move the second slice, args, lanesargs and
// result, where results are, TERM, which adds the terms of a register to the lanes, and PART, which does so
// under K1.

// func sum(n int, x *T) T or func sum(n int, x, y *T) T
TEXT SUM(SB), NOSPLIT, $0-args
	MOVQ  n+0(FP), left
	MOVQ  x+8(FP), xp
	YARG(y+16(FP))
	CONSTANTS
	bcast tail+96(SB), Z0
	CMPQ  left, $unitz
	JA    long

	MOVL  $-1, AX
	BZHIL CX, AX, AX
	KMOVW AX, K1
	PART(0, Z4, Z0)
	FOLD(Z0, Y0, X0, Y1, X1)
	moveone X0, result
	VZEROUPPER
	RET

long:
	VMOVAPS Z0, Z1
	VMOVAPS Z0, Z2
	VMOVAPS Z0, Z3
	SUBQ    $group, left
	JB      rest

	PCALIGN $32

loop:
	TERM(0, Z4, Z0)
	TERM(64, Z5, Z1)
	TERM(128, Z6, Z2)
	TERM(192, Z7, Z3)
	ADDQ $256, xp
	YNEXT
	SUBQ $group, left
	JAE  loop

rest:
	ADDQ $group, left
	JEQ  fold4
	MOVQ $-1, AX
	BZHIQ CX, AX, AX
	KMOVW AX, K1
	PART(0, Z4, Z0)
	CMPQ  left, $unitz
	JBE   fold4
	SHRQ  $unitz, AX
	KMOVW AX, K1
	PART(64, Z5, Z1)
	CMPQ  left, $(2*unitz)
	JBE   fold4
	SHRQ  $unitz, AX
	KMOVW AX, K1
	PART(128, Z6, Z2)
	CMPQ  left, $(3*unitz)
	JBE   fold4
	SHRQ  $unitz, AX
	KMOVW AX, K1
	PART(192, Z7, Z3)

fold4:
	add Z1, Z0, Z0
	add Z3, Z2, Z2
	add Z2, Z0, Z0
	FOLD(Z0, Y0, X0, Y1, X1)
	moveone X0, result
	VZEROUPPER
	RET

// func lanes(n int, acc, x *T) or func lanes(n int, acc, x, y *T)
TEXT LANES(SB), NOSPLIT, $0-lanesargs
	MOVQ n+0(FP), left
	MOVQ acc+8(FP), lanes
	MOVQ x+16(FP), xp
	YARG(y+24(FP))
	CONSTANTS
	move (lanes), Z0
	move 64(lanes), Z1
	move 128(lanes), Z2
	move 192(lanes), Z3

	PCALIGN $32

loop:
	TERM(0, Z4, Z0)
	TERM(64, Z5, Z1)
	TERM(128, Z6, Z2)
	TERM(192, Z7, Z3)
	ADDQ $256, xp
	YNEXT
	SUBQ $group, left
	JNE  loop

	move Z0, (lanes)
	move Z1, 64(lanes)
	move Z2, 128(lanes)
	move Z3, 192(lanes)
	VZEROUPPER
	RET
