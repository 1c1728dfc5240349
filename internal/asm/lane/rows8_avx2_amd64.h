// Row sums in 8 virtual lanes, float64, AVX2 + FMA, for one half of the problems, then the other half.

TEXT ROWS, NOSPLIT, $0-40
	XORL half, half

rowhalf:
	MOVQ m+0(FP), left
	MOVQ n+8(FP), bytes
	MOVQ s+16(FP), to
	MOVQ k+24(FP), row
	MOVQ v+32(FP), vec
	SHLQ $6, bytes
	ADDQ half, to
	ADDQ half, row
	ADDQ half, vec
	LEAQ (vec)(bytes*1), end

rowloop:
	ZERO4(Y0, Y1, Y2, Y3)
	ZERO4(Y4, Y5, Y6, Y7)
	MOVQ vec, at

dotloop:
	// lane_l = fma(K_ij, v_j, lane_l), j mod 8 = l
	TERM(0, Y0)
	TERM(64, Y1)
	TERM(128, Y2)
	TERM(192, Y3)
	TERM(256, Y4)
	TERM(320, Y5)
	TERM(384, Y6)
	TERM(448, Y7)
	ADDQ $512, row
	ADDQ $512, at
	CMPQ at, end
	JLT  dotloop

	// lane_l += lane_{l+4}, then l+2, l+1
	FOLD4(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	FOLD(Y0, Y1, Y2, Y3)
	move Y0, (to)
	ADDQ $64, to
	DECQ left
	JNE  rowloop
	XORQ $32, half
	JNE  rowhalf
	VZEROUPPER
	RET
