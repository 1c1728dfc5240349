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
//	FIRSTPART, PART           do the same for the elements that the mask at (mask) selects
//	OUTOFRANGE                Go function that computes a norm if the sum is out of range

// func sum(n int, x *T) T or func sum(n int, x, y *T) T
TEXT SUM(SB), NOSPLIT, $0-args
	MOVQ n+0(FP), left
	MOVQ x+8(FP), xp
	YARG(y+16(FP))
	CONSTANTS
	CMPQ left, $(4*unit)
	JA   long
	CMPQ left, $unit
	JB   short0
	FIRST(0, Y8, Y0)
	CMPQ left, $(2*unit)
	JA   more
	JB   short1
	FIRST(32, Y9, Y1)
	add  Y1, Y0, Y0

short:
	FOLD(Y0, X0, X1)
	RESULT
	VZEROUPPER
	RET

short0:
	MASK
	FIRSTPART(0, Y0)
	JMP short

short1:
	CMPQ left, $unit
	JEQ  short
	MASK
	FIRSTPART(32, Y1)
	add  Y1, Y0, Y0
	JMP  short

more:
	FIRST(32, Y9, Y1)
	CMPQ left, $(3*unit)
	JB   more2
	FIRST(64, Y10, Y2)
	CMPQ left, $(4*unit)
	JB   more3
	FIRST(96, Y11, Y3)

fold4:
	add Y3, Y1, Y1

fold3:
	add Y2, Y0, Y0
	add Y1, Y0, Y0
	FOLD(Y0, X0, X1)
	RESULT
	VZEROUPPER
	RET

more2:
	MASK
	FIRSTPART(64, Y2)
	JMP fold3

more3:
	CMPQ left, $(3*unit)
	JEQ  fold3
	MASK
	FIRSTPART(96, Y3)
	JMP  fold4

long:
	FIRST(0, Y8, Y0)
	FIRST(32, Y9, Y1)
	FIRST(64, Y10, Y2)
	FIRST(96, Y11, Y3)
	CMPQ left, $group
	JB   more4
	FIRST(128, Y8, Y4)
	FIRST(160, Y9, Y5)
	FIRST(192, Y10, Y6)
	FIRST(224, Y11, Y7)
	JEQ  fold8
	ADDQ $256, xp
	YNEXT
	SUBQ $(2*group), left
	JB   rest

	PCALIGN $32

loop:
	TERM(0, Y8, Y0)
	TERM(32, Y9, Y1)
	TERM(64, Y10, Y2)
	TERM(96, Y11, Y3)
	TERM(128, Y8, Y4)
	TERM(160, Y9, Y5)
	TERM(192, Y10, Y6)
	TERM(224, Y11, Y7)
	ADDQ $256, xp
	YNEXT
	SUBQ $group, left
	JAE  loop

rest:
	ADDQ $group, left
	JEQ  fold8
	CMPQ left, $unit
	JB   part0
	TERM(0, Y8, Y0)
	CMPQ left, $(2*unit)
	JB   part1
	TERM(32, Y9, Y1)
	CMPQ left, $(3*unit)
	JB   part2
	TERM(64, Y10, Y2)
	CMPQ left, $(4*unit)
	JB   part3
	TERM(96, Y11, Y3)
	CMPQ left, $(5*unit)
	JB   part4
	TERM(128, Y8, Y4)
	CMPQ left, $(6*unit)
	JB   part5
	TERM(160, Y9, Y5)
	CMPQ left, $(7*unit)
	JB   part6
	TERM(192, Y10, Y6)
	TESTQ $(unit-1), left
	JEQ  fold8
	MASK
	PART(224, Y7)

fold8:
	add Y2, Y0, Y0
	add Y3, Y1, Y1
	add Y6, Y4, Y4
	add Y7, Y5, Y5
	add Y4, Y0, Y0
	add Y5, Y1, Y1
	add Y1, Y0, Y0
	FOLD(Y0, X0, X1)
	RESULT
	VZEROUPPER
	RET

more4:
	add  Y2, Y0, Y0
	add  Y3, Y1, Y1
	CMPQ left, $(5*unit)
	JB   more40
	FIRST(128, Y8, Y4)
	CMPQ left, $(6*unit)
	JB   more41
	FIRST(160, Y9, Y5)
	CMPQ left, $(7*unit)
	JB   more42
	FIRST(192, Y10, Y6)
	JEQ  fold7
	MASK
	FIRSTPART(224, Y7)
	add  Y7, Y5, Y5

fold7:
	add Y6, Y4, Y4

fold6:
	add Y5, Y1, Y1

fold5:
	add Y4, Y0, Y0
	add Y1, Y0, Y0
	FOLD(Y0, X0, X1)
	RESULT
	VZEROUPPER
	RET

more40:
	MASK
	FIRSTPART(128, Y4)
	JMP fold5

more41:
	CMPQ left, $(5*unit)
	JEQ  fold5
	MASK
	FIRSTPART(160, Y5)
	JMP  fold6

more42:
	CMPQ left, $(6*unit)
	JEQ  fold6
	MASK
	FIRSTPART(192, Y6)
	JMP  fold7

part0:
	MASK
	PART(0, Y0)
	JMP fold8

part1:
	TESTQ $(unit-1), left
	JEQ   fold8
	MASK
	PART(32, Y1)
	JMP   fold8

part2:
	TESTQ $(unit-1), left
	JEQ   fold8
	MASK
	PART(64, Y2)
	JMP   fold8

part3:
	TESTQ $(unit-1), left
	JEQ   fold8
	MASK
	PART(96, Y3)
	JMP   fold8

part4:
	TESTQ $(unit-1), left
	JEQ   fold8
	MASK
	PART(128, Y4)
	JMP   fold8

part5:
	TESTQ $(unit-1), left
	JEQ   fold8
	MASK
	PART(160, Y5)
	JMP   fold8

part6:
	TESTQ $(unit-1), left
	JEQ   fold8
	MASK
	PART(192, Y6)
	JMP   fold8

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
	move (lanes), Y0
	move 32(lanes), Y1
	move 64(lanes), Y2
	move 96(lanes), Y3
	move 128(lanes), Y4
	move 160(lanes), Y5
	move 192(lanes), Y6
	move 224(lanes), Y7

	PCALIGN $32

loop:
	TERM(0, Y8, Y0)
	TERM(32, Y9, Y1)
	TERM(64, Y10, Y2)
	TERM(96, Y11, Y3)
	TERM(128, Y8, Y4)
	TERM(160, Y9, Y5)
	TERM(192, Y10, Y6)
	TERM(224, Y11, Y7)
	ADDQ $256, xp
	YNEXT
	SUBQ $group, left
	JNE  loop

	move Y0, (lanes)
	move Y1, 32(lanes)
	move Y2, 64(lanes)
	move Y3, 96(lanes)
	move Y4, 128(lanes)
	move Y5, 160(lanes)
	move Y6, 192(lanes)
	move Y7, 224(lanes)
	VZEROUPPER
	RET
