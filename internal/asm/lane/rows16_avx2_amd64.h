// Row sums in 16 virtual lanes, float32, AVX2 + FMA, for one half of the problems, then the other half.

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
	// lane_l = fma(K_ij, v_j, lane_l), j mod 16 = l, l mod 8 < 4
	TERM(0, Y0)
	TERM(64, Y1)
	TERM(128, Y2)
	TERM(192, Y3)
	TERM(512, Y4)
	TERM(576, Y5)
	TERM(640, Y6)
	TERM(704, Y7)
	ADDQ $1024, row
	ADDQ $1024, at
	CMPQ at, end
	JLT  dotloop

	// lane_l += lane_{l+8}, kept in Y8–Y11
	FOLD4(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	VMOVAPS Y0, Y8
	VMOVAPS Y1, Y9
	VMOVAPS Y2, Y10
	VMOVAPS Y3, Y11
	ZERO4(Y0, Y1, Y2, Y3)
	ZERO4(Y4, Y5, Y6, Y7)
	MOVQ vec, at
	SUBQ bytes, row

dot4loop:
	// lane_l = fma(K_ij, v_j, lane_l), j mod 16 = l, l mod 8 ≥ 4
	TERM(256, Y0)
	TERM(320, Y1)
	TERM(384, Y2)
	TERM(448, Y3)
	TERM(768, Y4)
	TERM(832, Y5)
	TERM(896, Y6)
	TERM(960, Y7)
	ADDQ $1024, row
	ADDQ $1024, at
	CMPQ at, end
	JLT  dot4loop

	// lane_l += lane_{l+8}, then l+4, l+2, l+1
	FOLD4(Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7)
	FOLD4(Y0, Y1, Y2, Y3, Y8, Y9, Y10, Y11)
	FOLD(Y0, Y1, Y2, Y3)
	move Y0, (to)
	ADDQ $64, to
	DECQ left
	JNE  rowloop
	XORQ $32, half
	JNE  rowhalf
	VZEROUPPER
	RET
