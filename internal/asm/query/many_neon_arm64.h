// This kernel processes three vectors and two rows at a time. The including file defines:
//
//	MANY         the function name
//	args         the byte count of the arguments
//	shift        a row has d<<shift bytes
//	SCALESTART   loads the pointer to the scales
//	SCALES       loads the scales of two rows
//	ELEMENTS     loads four elements of a row
//	TERMS        adds the terms of four elements of a vector and two rows to the lanes

// func many(n, d int, dst *float32, ldd int, q *float32, x *T) or func many(n, d int, dst *float32, ldd int, q *float32, x *T, scale *float32)
TEXT MANY(SB), NOSPLIT, $0-args
	MOVD n+0(FP), rows
	MOVD d+8(FP), cols
	MOVD dst+16(FP), dp0
	MOVD ldd+24(FP), dp2
	MOVD q+32(FP), q0
	MOVD x+40(FP), row0
	SCALESTART
	LSL  $shift, cols, ld
	ADD  dp2<<2, dp0, dp1
	ADD  dp2<<2, dp1, dp2

rowloop:
	SCALES
	ADD  ld, row0, row1
	MOVD q0, qp0
	ADD  cols<<2, qp0, qp1
	ADD  cols<<2, qp1, qp2
	MOVD cols, left
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	ZERO4(V8, V9, V10, V11)
	ZERO4(V12, V13, V14, V15)
	ZERO4(V16, V17, V18, V19)
	ZERO4(V20, V21, V22, V23)

grouploop:
	// lanes 0 to 3, 4 to 7, 8 to 11, 12 to 15
	FOURLANES(0)
	FOURLANES(1)
	FOURLANES(2)
	FOURLANES(3)
	SUBS $16, left
	BNE  grouploop

	HALVES(0)
	HALVES(4)
	HALVES(8)
	HALVES(12)
	HALVES(16)
	HALVES(20)
	FOLD_ROWS(24, 25, 0, 4, 8, 12)
	FOLD_ROWS(26, 27, 16, 20, 16, 20)
	FMOVD.P F24, 8(dp0)
	VST1    V24.D[1], (dp1)
	ADD     $8, dp1
	FMOVD.P F26, 8(dp2)
	MOVD row1, row0
	SUBS $2, rows
	BNE  rowloop
	RET
