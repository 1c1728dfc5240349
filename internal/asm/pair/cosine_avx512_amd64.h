// This file contains the kernels of a cosine, for the type that the including file defines. The including file also
// defines the function names COSINE and LANES; cosineargs, the byte count of the arguments of COSINE; result, the address
// of the result; and OUTOFRANGE, the Go function that computes the cosine if a sum of squares is out of range.

// func cosine(n int, x, y *T) T, for n ≥ group/2
TEXT COSINE(SB), NOSPLIT, $0-cosineargs
	MOVQ n+0(FP), left
	MOVQ x+8(FP), xp
	MOVQ y+16(FP), yp
	FIRST3(0, Z0, Z4, Z6)
	FIRST3(64, Z1, Z5, Z7)
	ADDQ $128, xp
	ADDQ $128, yp
	SUBQ $group, left
	JB   rest

	PCALIGN $32

loop:
	TERM3(0, Z0, Z4, Z6)
	TERM3(64, Z1, Z5, Z7)
	ADDQ $128, xp
	ADDQ $128, yp
	SUBQ $(group/2), left
	JAE  loop

rest:
	ADDQ  $(group/2), left
	JEQ   fold
	MOVQ  $-1, AX
	BZHIQ left, AX, AX
	KMOVW AX, K1
	PART3(0, Z0, Z4, Z6)
	CMPQ  left, $unitz
	JBE   fold
	SHRQ  $unitz, AX
	KMOVW AX, K1
	PART3(64, Z1, Z5, Z7)

fold:
	add Z1, Z0, Z0
	add Z5, Z4, Z4
	add Z7, Z6, Z6
	VEXTRACTF64X4 $1, Z4, Y5
	VEXTRACTF64X4 $1, Z6, Y7
	VEXTRACTF64X4 $1, Z0, Y1
	add           Y5, Y4, Y4
	add           Y7, Y6, Y8
	add           Y1, Y0, Y0
#include "quotient_amd64.h"

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
