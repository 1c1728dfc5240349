// This kernel processes four rows of float32 at a time. The including file defines:
//
//	QUERY   the function name
//	TERM    adds the terms of 16 elements to the lanes
//	FETCH   prefetches as many bytes of the next rows as one iteration of the loop reads

// func query(n, d int, dst, q, x *float32)
TEXT QUERY(SB), NOSPLIT, $0-args
	MOVQ n+0(FP), rows
	MOVQ d+8(FP), groups
	MOVQ dst+16(FP), dp
	MOVQ q+24(FP), q0
	MOVQ x+32(FP), xp
	LEAQ (groups*size), ld
	LEAQ (ld)(ld*2), ld3
	SHRQ $4, groups

rowloop:
	MOVQ   q0, qp
	MOVQ   groups, left
	LEAQ   (xp)(ld*4), ahead
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3

grouploop:
	VMOVUPS (qp), Z8
	TERM((xp), Z0, Z16)
	TERM((xp)(ld*1), Z1, Z17)
	TERM((xp)(ld*2), Z2, Z18)
	TERM((xp)(ld3*1), Z3, Z19)
	FETCH
	ADDQ    $(64*size), ahead
	ADDQ    $(16*size), xp
	ADDQ    $64, qp
	DECQ    left
	JNE     grouploop

	HALVE(Z0, Y0)
	HALVE(Z1, Y1)
	HALVE(Z2, Y2)
	HALVE(Z3, Y3)
	QUARTER(Y0, Y2)
	QUARTER(Y1, Y3)
	LAST(Y0, Y1, X0)
	VMOVUPS X0, (dp)
	ADDQ    $16, dp
	ADDQ    ld3, xp
	SUBQ    $4, rows
	JNE     rowloop

	VZEROUPPER
	RET
