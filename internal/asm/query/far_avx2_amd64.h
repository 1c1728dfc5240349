// This kernel is for rows that are not in a cache. It reads four streams of n/4 rows at the same time, because a core reads
// several streams faster than one stream. The including file defines the function name QUERY and the macro TERM, which adds
// the terms of 16 elements to the lanes.

// func query(n, d int, dst, q, x *float32)
TEXT QUERY(SB), NOSPLIT, $0-args
	MOVQ  n+0(FP), rows
	MOVQ  d+8(FP), groups
	MOVQ  dst+16(FP), dp
	MOVQ  q+24(FP), q0
	MOVQ  x+32(FP), xp
	SHRQ  $2, rows
	LEAQ  (rows*4), dld
	LEAQ  (dld)(dld*2), dld3
	MOVQ  groups, ld
	IMULQ dld, ld
	LEAQ  (ld)(ld*2), ld3
	SHRQ  $4, groups

rowloop:
	MOVQ   q0, qp
	MOVQ   groups, left
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
	ADDQ    $64, xp
	ADDQ    $64, qp
	DECQ    left
	JNE     grouploop

	HALVES
	QUARTERS
	SUMS
	VMOVSHDUP X0, X1
	VPERMILPS $2, X0, X2
	VPERMILPS $3, X0, X3
	VMOVSS    X0, (dp)
	VMOVSS    X1, (dp)(dld*1)
	VMOVSS    X2, (dp)(dld*2)
	VMOVSS    X3, (dp)(dld3*1)
	ADDQ      $4, dp
	DECQ      rows
	JNE       rowloop

	VZEROUPPER
	RET
