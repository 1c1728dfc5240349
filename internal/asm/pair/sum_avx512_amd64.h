// The kernels of a sum over one or two slices, for the type that the including file defines.
// The including file also defines:
//
//	SUM, LANES                function names
//	YARG, YNEXT               load and advance the address of the second slice
//	args, lanesargs           byte count of the arguments of SUM and LANES
//	result                    address of the result
//	CONSTANTS                 loads constants
//	RESULT                    stores the result
//	FIRST, TERM               FIRST sets the lanes to the terms of a register, and TERM adds the terms
//	PART                      adds the terms of the elements that a mask selects
//	OUTOFRANGE                Go function that computes a norm if the sum is out of range

// func sum(n int, x *T) T or func sum(n int, x, y *T) T
TEXT SUM(SB), NOSPLIT, $0-args
	MOVQ  n+0(FP), left
	MOVQ  x+8(FP), xp
	YARG(y+16(FP))
	CONSTANTS
	MOVQ  $-1, AX
	CMPQ  left, $unitz
	JA    two
	BZHIQ left, AX, AX
	KMOVW AX, K1
	bcast tail+96(SB), Z0
	PART(0, Z4, K1, Z0)
	FOLD(Z0, Y0, X0, Y1, X1)
	RESULT
	VZEROUPPER
	RET

two:
	FIRST(0, Z4, Z0)
	BZHIQ left, AX, AX
	CMPQ  left, $(2*unitz)
	JA    four
	SHRQ  $unitz, AX
	KMOVW AX, K1
	bcast tail+96(SB), Z1
	PART(64, Z5, K1, Z1)
	add   Z1, Z0, Z0
	FOLD(Z0, Y0, X0, Y1, X1)
	RESULT
	VZEROUPPER
	RET

four:
	FIRST(64, Z5, Z1)
	CMPQ left, $group
	JB   part4
	FIRST(128, Z6, Z2)
	FIRST(192, Z7, Z3)
	JEQ  fold4
	ADDQ $256, xp
	YNEXT
	SUBQ $(2*group), left
	JB   rest

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
	ADDQ  $group, left
	JEQ   fold4
	MOVQ  $-1, AX
	BZHIQ left, AX, AX
	KMOVW AX, K1
	PART(0, Z4, K1, Z0)
	CMPQ  left, $unitz
	JBE   fold4
	SHRQ  $unitz, AX
	KMOVW AX, K1
	PART(64, Z5, K1, Z1)
	CMPQ  left, $(2*unitz)
	JBE   fold4
	SHRQ  $unitz, AX
	KMOVW AX, K1
	PART(128, Z6, K1, Z2)
	CMPQ  left, $(3*unitz)
	JBE   fold4
	SHRQ  $unitz, AX
	KMOVW AX, K1
	PART(192, Z7, K1, Z3)

fold4:
	add Z1, Z0, Z0
	add Z3, Z2, Z2
	add Z2, Z0, Z0
	FOLD(Z0, Y0, X0, Y1, X1)
	RESULT
	VZEROUPPER
	RET

part4:
	SHRQ  $(2*unitz), AX
	KMOVW AX, K1
	bcast tail+96(SB), Z2
	PART(128, Z6, K1, Z2)
	add   Z1, Z0, Z0
	CMPQ  left, $(3*unitz)
	JBE   fold3
	SHRQ  $unitz, AX
	KMOVW AX, K1
	bcast tail+96(SB), Z3
	PART(192, Z7, K1, Z3)
	add   Z3, Z2, Z2

fold3:
	add Z2, Z0, Z0
	FOLD(Z0, Y0, X0, Y1, X1)
	RESULT
	VZEROUPPER
	RET

#ifdef OUTOFRANGE
out:
	VZEROUPPER
	JMP OUTOFRANGE(SB)
#endif

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
