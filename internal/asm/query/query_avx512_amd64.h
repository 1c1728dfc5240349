// This kernel processes eight rows at a time. The including file defines:
//
//	QUERY        the function name
//	args         the byte count of the arguments
//	size         the byte count of an element of x
//	SCALESTART   loads the pointer to the scales
//	SCALES       loads the scales for TERM
//	TERM         adds the terms of 16 elements to the lanes
//	FETCH        prefetches as many bytes of the next rows as one iteration of the loop reads

// func query(n, d int, dst, q *float32, x *T) or func query(n, d int, dst, q *float32, x *T, scale *float32)
TEXT QUERY(SB), NOSPLIT, $0-args
	MOVQ n+0(FP), rows
	MOVQ d+8(FP), groups
	MOVQ dst+16(FP), dp
	MOVQ q+24(FP), q0
	MOVQ x+32(FP), xp
	SCALESTART
	LEAQ (groups*size), ld
	LEAQ (ld)(ld*2), ld3
	SHRQ $4, groups

rowloop:
	SCALES
	MOVQ   q0, qp
	MOVQ   groups, left
	LEAQ   (xp)(ld*4), x4
	LEAQ   (xp)(ld*8), ahead
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7

grouploop:
	VMOVUPS (qp), Z8
	TERM((xp), Z0, Z16)
	TERM((xp)(ld*1), Z1, Z17)
	TERM((xp)(ld*2), Z2, Z18)
	TERM((xp)(ld3*1), Z3, Z19)
	TERM((x4), Z4, Z20)
	TERM((x4)(ld*1), Z5, Z21)
	TERM((x4)(ld*2), Z6, Z22)
	TERM((x4)(ld3*1), Z7, Z23)
	FETCH
	ADDQ    $(128*size), ahead
	ADDQ    $(16*size), xp
	ADDQ    $(16*size), x4
	ADDQ    $64, qp
	DECQ    left
	JNE     grouploop

	HALVES
	SUMS
	VMOVUPS X0, (dp)
	VMOVUPS X4, 16(dp)
	ADDQ    $32, dp
	LEAQ    (x4)(ld3*1), xp
	SUBQ    $8, rows
	JNE     rowloop

	VZEROUPPER
	RET
