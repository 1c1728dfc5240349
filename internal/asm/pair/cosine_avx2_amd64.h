// This file contains the kernels of a cosine, for the type that the including file defines. The including file also
// defines the function names COSINE and LANES; cosineargs, the byte count of the arguments of COSINE; result, the address
// of the result; and OUTOFRANGE, the Go function that computes the cosine if a sum of squares is out of range.

// func cosine(n int, x, y *T) T
TEXT COSINE(SB), NOSPLIT, $0-cosineargs
	MOVQ n+0(FP), left
	MOVQ x+8(FP), xp
	MOVQ y+16(FP), yp
	CMPQ left, $unit
	JB   short0
	FIRST3(0, Y0, Y4, Y8)
	CMPQ left, $(2*unit)
	JB   short1
	FIRST3(32, Y1, Y5, Y9)
	JEQ  fold2
	CMPQ left, $(3*unit)
	JB   short2
	FIRST3(64, Y2, Y6, Y10)
	CMPQ left, $(group/2)
	JB   short3
	FIRST3(96, Y3, Y7, Y11)
	JEQ  fold4
	ADDQ $128, xp
	ADDQ $128, yp
	SUBQ $group, left
	JB   rest

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
	JEQ  fold4
	CMPQ left, $unit
	JB   part0
	TERM3(0, Y0, Y4, Y8)
	CMPQ left, $(2*unit)
	JB   part1
	TERM3(32, Y1, Y5, Y9)
	CMPQ left, $(3*unit)
	JB   part2
	TERM3(64, Y2, Y6, Y10)
	TESTQ $(unit-1), left
	JEQ  fold4
	MASK
	PART3(96, Y3, Y7, Y11)

fold4:
	add Y3, Y1, Y1
	add Y7, Y5, Y5
	add Y11, Y9, Y9

fold3:
	add Y2, Y0, Y0
	add Y6, Y4, Y4
	add Y10, Y8, Y8

fold2:
	add Y1, Y0, Y0
	add Y5, Y4, Y4
	add Y9, Y8, Y8

fold1:
#include "quotient_amd64.h"

short0:
	MASK
	FIRSTPART3(0, Y0, Y4, Y8)
	JMP fold1

short1:
	CMPQ left, $unit
	JEQ  fold1
	MASK
	FIRSTPART3(32, Y1, Y5, Y9)
	JMP  fold2

short2:
	MASK
	FIRSTPART3(64, Y2, Y6, Y10)
	JMP fold3

short3:
	CMPQ left, $(3*unit)
	JEQ  fold3
	MASK
	FIRSTPART3(96, Y3, Y7, Y11)
	JMP  fold4

part0:
	MASK
	PART3(0, Y0, Y4, Y8)
	JMP fold4

part1:
	TESTQ $(unit-1), left
	JEQ   fold4
	MASK
	PART3(32, Y1, Y5, Y9)
	JMP   fold4

part2:
	TESTQ $(unit-1), left
	JEQ   fold4
	MASK
	PART3(64, Y2, Y6, Y10)
	JMP   fold4

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
