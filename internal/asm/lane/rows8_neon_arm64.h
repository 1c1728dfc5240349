// Row sums in 8 virtual lanes, float64, NEON, in four quarters of the problems.

TEXT ROWS, NOSPLIT, $0-40
	MOVD $0, quarter

rowquarter:
	MOVD m+0(FP), left
	MOVD n+8(FP), bytes
	MOVD s+16(FP), to
	MOVD k+24(FP), row
	MOVD v+32(FP), vec
	LSL  $6, bytes
	ADD  quarter, to
	ADD  quarter, row
	ADD  quarter, vec
	ADD  bytes, vec, end

rowloop:
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	MOVD vec, at

dotloop:
	// lane_l = fma(K_ij, v_j, lane_l), j mod 8 = l
	TERM(0, 0)
	TERM(64, 1)
	TERM(128, 2)
	TERM(192, 3)
	TERM(256, 4)
	TERM(320, 5)
	TERM(384, 6)
	TERM(448, 7)
	ADD  $512, row
	ADD  $512, at
	CMP  end, at
	BLT  dotloop

	// lane_l += lane_(l+4), then l+2, l+1
	FOLD4(0, 1, 2, 3, 4, 5, 6, 7)
	FOLD(0, 1, 2, 3)
	FMOVQ F0, (to)
	ADD   $64, to
	SUBS  $1, left
	BNE   rowloop
	ADD   $16, quarter
	CMP   $64, quarter
	BNE   rowquarter
	RET
