// s_i = Σ_j K_ij v_j of four rows, into the lanes of V28 (float32) or V28 and V29
// (float64). Virtual lanes of a row: V0–V3, V4–V7, V8–V11, V12–V15.

	KSTART4
	MOVD vp, cur
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	ZERO4(V8, V9, V10, V11)
	ZERO4(V12, V13, V14, V15)
	SUBS $(4*LANES), cols, left
	BLT  dot4tail

dot4loop:
	// lane_l = fma(K_ij, v_j, lane_l), one step of four registers
	FLDPQ   32(cur), (F18, F19)
	FLDPQ.P 64(cur), (F16, F17)
	LDK_A(row0, mat0)
	DOT_A(0, 1, 2, 3)
	LDK_B(row1, mat1)
	DOT_B(4, 5, 6, 7)
	LDK_A(row2, mat2)
	DOT_A(8, 9, 10, 11)
	LDK_B(row3, mat3)
	DOT_B(12, 13, 14, 15)
	SUBS    $(4*LANES), left
	BGE     dot4loop

dot4tail:
	ADDS $(4*LANES), left
	BEQ  dot4fold

	// The short last step: its partial register first, zero where there is none.
	VEOR V31.B16, V31.B16, V31.B16
	VEOR V17.B16, V17.B16, V17.B16
	ZERO4(V24, V25, V26, V27)
	ANDS $(LANES-1), left, part
	BEQ  dot4whole
	SUB  part, left, moved
	LSL  $ESHIFT, moved
	ADD  moved, cur
	KMOVE4(ADD)
	LDPART(cur, part, F17, V17, spare)
	LDKPART(row0, mat0, part, F24, V24, 24)
	LDKPART(row1, mat1, part, F25, V25, 25)
	LDKPART(row2, mat2, part, F26, V26, 26)
	LDKPART(row3, mat3, part, F27, V27, 27)
	SUB  moved, cur
	KMOVE4(SUB)

dot4whole:
	// then its whole registers, and padding for the rest
	TBZ $PAIRBIT, left, dot4low
	FMOVQ.P 16(cur), F16
	DOT4(0, 4, 8, 12)
	FMOVQ.P 16(cur), F16
	DOT4(1, 5, 9, 13)
	TBZ $ONEBIT, left, dot4pad3
	FMOVQ.P 16(cur), F16
	DOT4(2, 6, 10, 14)
	DOT4PART(3, 7, 11, 15)
	B   dot4fold

dot4pad3:
	DOT4PART(2, 6, 10, 14)
	PAD4(3, 7, 11, 15)
	B dot4fold

dot4low:
	PAD4(2, 6, 10, 14)
	PAD4(3, 7, 11, 15)
	TBZ $ONEBIT, left, dot4pad1
	FMOVQ.P 16(cur), F16
	DOT4(0, 4, 8, 12)
	DOT4PART(1, 5, 9, 13)
	B   dot4fold

dot4pad1:
	DOT4PART(0, 4, 8, 12)
	PAD4(1, 5, 9, 13)

dot4fold:
	// lane_l += lane_{l+w/2}, then w/4, …
	FADD(0, 0, 2)
	FADD(1, 1, 3)
	FADD(4, 4, 6)
	FADD(5, 5, 7)
	FADD(8, 8, 10)
	FADD(9, 9, 11)
	FADD(12, 12, 14)
	FADD(13, 13, 15)
	FADD(0, 0, 1)
	FADD(4, 4, 5)
	FADD(8, 8, 9)
	FADD(12, 12, 13)
	FOLD_ROWS(28, 29, 0, 4, 8, 12)
