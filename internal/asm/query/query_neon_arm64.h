// This kernel processes four rows at a time. The including file defines:
//
//	QUERY        the function name
//	args         the byte count of the arguments
//	shift        a row has d<<shift bytes
//	SCALESTART   loads the pointer to the scales
//	SCALES       loads the scales for TERM
//	TERM         adds the terms of 16 elements to the lanes

// func query(n, d int, dst, q *float32, x *T) or func query(n, d int, dst, q *float32, x *T, scale *float32)
TEXT QUERY(SB), NOSPLIT, $0-args
	MOVD n+0(FP), rows
	MOVD d+8(FP), cols
	MOVD dst+16(FP), dp
	MOVD q+24(FP), q0
	MOVD x+32(FP), row0
	SCALESTART
	LSL  $shift, cols, ld

rowloop:
	SCALES
	ADD  ld, row0, row1
	ADD  ld, row1, row2
	ADD  ld, row2, row3
	MOVD q0, qp
	MOVD cols, left
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	ZERO4(V8, V9, V10, V11)
	ZERO4(V12, V13, V14, V15)

grouploop:
	LOAD4(qp, F16, F17, F18, F19)
	TERM(row0, 0, 0)
	TERM(row1, 4, 1)
	TERM(row2, 8, 2)
	TERM(row3, 12, 3)
	SUBS $16, left
	BNE  grouploop

	HALVES(0)
	HALVES(4)
	HALVES(8)
	HALVES(12)
	FOLD_ROWS(28, 29, 0, 4, 8, 12)
	FMOVQ.P F28, 16(dp)
	MOVD row3, row0
	SUBS $4, rows
	BNE  rowloop
	RET
