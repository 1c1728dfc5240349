// This kernel processes four rows at a time. The including file defines:
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
	LEAQ   (xp)(ld*4), ahead
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7

grouploop:
	VMOVUPS (qp), Y8
	VMOVUPS 32(qp), Y9
	TERM((xp), half(xp), Y0, Y1, Y12)
	TERM((xp)(ld*1), half(xp)(ld*1), Y2, Y3, Y13)
	TERM((xp)(ld*2), half(xp)(ld*2), Y4, Y5, Y14)
	TERM((xp)(ld3*1), half(xp)(ld3*1), Y6, Y7, Y15)
	FETCH
	ADDQ    $(64*size), ahead
	ADDQ    $(16*size), xp
	ADDQ    $64, qp
	DECQ    left
	JNE     grouploop

	HALVES
	QUARTERS
	SUMS
	VMOVUPS X0, (dp)
	ADDQ    $16, dp
	ADDQ    ld3, xp
	SUBQ    $4, rows
	JNE     rowloop

	VZEROUPPER
	RET
