// This kernel processes three vectors and four rows at a time. The including file defines:
//
//	MANY         the function name
//	args         the byte count of the arguments
//	size         the byte count of an element of x
//	SCALESTART   loads the pointer to the scales
//	SCALES       loads the scales of four rows
//	ELEMENTS     loads 16 elements of a row
//	TERMS        adds the terms of 16 elements of a vector and two rows to the lanes

// func many(n, d int, dst *float32, ldd int, q *float32, x *T) or func many(n, d int, dst *float32, ldd int, q *float32, x *T, scale *float32)
TEXT MANY(SB), NOSPLIT, $0-args
	MOVQ n+0(FP), rows
	MOVQ d+8(FP), groups
	MOVQ dst+16(FP), dp
	MOVQ ldd+24(FP), rowd
	MOVQ q+32(FP), q0
	MOVQ x+40(FP), xp
	SCALESTART
	SHLQ $2, rowd
	LEAQ (groups*size), ld
	LEAQ (ld)(ld*2), ld3
	LEAQ (groups*4), ldq
	SHRQ $4, groups

rowloop:
	SCALES
	MOVQ   q0, qp
	MOVQ   groups, left
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11

grouploop:
	ELEMENTS((xp), Z20, Z12)
	ELEMENTS((xp)(ld*1), Z21, Z13)
	ELEMENTS((xp)(ld*2), Z22, Z14)
	ELEMENTS((xp)(ld3*1), Z23, Z15)
	VMOVUPS (qp), Z16
	TERMS(Z12, Z13, Z20, Z21, Z0, Z1)
	TERMS(Z14, Z15, Z22, Z23, Z2, Z3)
	VMOVUPS (qp)(ldq*1), Z16
	TERMS(Z12, Z13, Z20, Z21, Z4, Z5)
	TERMS(Z14, Z15, Z22, Z23, Z6, Z7)
	VMOVUPS (qp)(ldq*2), Z16
	TERMS(Z12, Z13, Z20, Z21, Z8, Z9)
	TERMS(Z14, Z15, Z22, Z23, Z10, Z11)
	ADDQ    $(16*size), xp
	ADDQ    $64, qp
	DECQ    left
	JNE     grouploop

	// lane l + lane l+8
	HALVE(Z0, Y0)
	HALVE(Z1, Y1)
	HALVE(Z2, Y2)
	HALVE(Z3, Y3)
	HALVE(Z4, Y4)
	HALVE(Z5, Y5)
	HALVE(Z6, Y6)
	HALVE(Z7, Y7)
	HALVE(Z8, Y8)
	HALVE(Z9, Y9)
	HALVE(Z10, Y10)
	HALVE(Z11, Y11)

	// lane l + lane l+4, then l+2, then l+1
	QUARTER(Y0, Y2)
	QUARTER(Y1, Y3)
	QUARTER(Y4, Y6)
	QUARTER(Y5, Y7)
	QUARTER(Y8, Y10)
	QUARTER(Y9, Y11)
	LAST(Y0, Y1, X0)
	LAST(Y4, Y5, X4)
	LAST(Y8, Y9, X8)
	VMOVUPS X0, (dp)
	VMOVUPS X4, (dp)(rowd*1)
	VMOVUPS X8, (dp)(rowd*2)
	ADDQ    $16, dp
	ADDQ    ld3, xp
	SUBQ    $4, rows
	JNE     rowloop

	VZEROUPPER
	RET
