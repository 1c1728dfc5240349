// The text of a kernel of four rows at a time; TERM is what the including file adds to the lanes.

// func query(n, d int, dst, q, x *float32)
TEXT QUERY(SB), NOSPLIT, $0-40
	MOVD n+0(FP), rows
	MOVD d+8(FP), cols
	MOVD dst+16(FP), dp
	MOVD q+24(FP), q0
	MOVD x+32(FP), row0
	LSL  $2, cols, ld

rowloop:
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
	LOAD4(row0, F20, F21, F22, F23)
	TERM(0, 20)
	LOAD4(row1, F24, F25, F26, F27)
	TERM(4, 24)
	LOAD4(row2, F20, F21, F22, F23)
	TERM(8, 20)
	LOAD4(row3, F24, F25, F26, F27)
	TERM(12, 24)
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
