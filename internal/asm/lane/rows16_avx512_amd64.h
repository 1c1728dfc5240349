// Row sums in 16 virtual lanes, float32, AVX-512.

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
	// lane_l = fma(K_ij, v_j, lane_l), j mod 16 = l
	TERM(0, Z0)
	TERM(64, Z1)
	TERM(128, Z2)
	TERM(192, Z3)
	TERM(256, Z4)
	TERM(320, Z5)
	TERM(384, Z6)
	TERM(448, Z7)
	TERM(512, Z8)
	TERM(576, Z9)
	TERM(640, Z10)
	TERM(704, Z11)
	TERM(768, Z12)
	TERM(832, Z13)
	TERM(896, Z14)
	TERM(960, Z15)
	ADDQ $1024, row
	ADDQ $1024, at
	CMPQ at, end
	JLT  dotloop

	// lane_l += lane_{l+8}, then l+4, l+2, l+1
	FOLD4(Z0, Z1, Z2, Z3, Z8, Z9, Z10, Z11)
	FOLD4(Z4, Z5, Z6, Z7, Z12, Z13, Z14, Z15)
	FOLD4(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	FOLD(Z0, Z1, Z2, Z3)
	move Z0, (to)
	ADDQ $64, to
	DECQ left
	JNE  rowloop
	VZEROUPPER
	RET
