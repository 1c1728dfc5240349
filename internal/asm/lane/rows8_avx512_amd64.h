// Row sums in 8 virtual lanes, float64, AVX-512.

TEXT ROWS, NOSPLIT, $0-40
	MOVQ m+0(FP), left
	MOVQ n+8(FP), bytes
	MOVQ s+16(FP), to
	MOVQ k+24(FP), row
	MOVQ v+32(FP), vec
	SHLQ $6, bytes
	LEAQ (vec)(bytes*1), end

rowloop:
	ZERO4(Z0, Z1, Z2, Z3)
	ZERO4(Z4, Z5, Z6, Z7)
	ZERO4(Z8, Z9, Z10, Z11)
	ZERO4(Z12, Z13, Z14, Z15)
	MOVQ vec, at

dotloop:
	// lane_l = fma(K_ij, v_j, lane_l), j mod 8 = l, of rows i and i+1
	TERM2(0, Z0, Z8)
	TERM2(64, Z1, Z9)
	TERM2(128, Z2, Z10)
	TERM2(192, Z3, Z11)
	TERM2(256, Z4, Z12)
	TERM2(320, Z5, Z13)
	TERM2(384, Z6, Z14)
	TERM2(448, Z7, Z15)
	ADDQ $512, row
	ADDQ $512, at
	CMPQ at, end
	JLT  dotloop

	// lane_l += lane_{l+4}, then l+2, l+1
	FOLD4(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	FOLD4(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)
	FOLD(Z0, Z1, Z2, Z3)
	FOLD(Z8, Z9, Z10, Z11)
	move Z0, (to)
	move Z8, 64(to)
	ADDQ $128, to
	ADDQ bytes, row
	SUBQ $2, left
	JNE  rowloop
	VZEROUPPER
	RET
