// s_i = Σ_j K_ij v_j of one row, into lane 0 of V28. The order of dot4_neon_arm64.h.

	KSTART1
	MOVD vp, cur
	ZERO4(V0, V1, V2, V3)
	SUBS $(4*LANES), cols, left
	BLT  dot1tail

dot1loop:
	// lane_l = fma(K_ij, v_j, lane_l), one step of four registers
	FLDPQ   32(cur), (F18, F19)
	FLDPQ.P 64(cur), (F16, F17)
	LDK_A(row0, mat0)
	DOT_A(0, 1, 2, 3)
	SUBS    $(4*LANES), left
	BGE     dot1loop

dot1tail:
	ADDS $(4*LANES), left
	BEQ  dot1fold

	// The short last step: zeros after its whole and partial registers.
	ZERO4(V16, V17, V18, V19)
	ZERO4(V20, V21, V22, V23)
	AND $(LANES-1), left, part
	TBZ $PAIRBIT, left, dot1low
	FLDPQ.P 32(cur), (F16, F17)
	LDK1(row0, mat0, F20, 20)
	LDK1(row0, mat0, F21, 21)
	TBZ $ONEBIT, left, dot1part2
	FMOVQ.P 16(cur), F18
	LDK1(row0, mat0, F22, 22)
	CBZ part, dot1last
	LDPART(cur, part, F19, V19, spare)
	LDKPART(row0, mat0, part, F23, V23, 23)
	B   dot1last

dot1part2:
	CBZ part, dot1last
	LDPART(cur, part, F18, V18, spare)
	LDKPART(row0, mat0, part, F22, V22, 22)
	B   dot1last

dot1low:
	TBZ $ONEBIT, left, dot1part0
	FMOVQ.P 16(cur), F16
	LDK1(row0, mat0, F20, 20)
	CBZ part, dot1last
	LDPART(cur, part, F17, V17, spare)
	LDKPART(row0, mat0, part, F21, V21, 21)
	B   dot1last

dot1part0:
	LDPART(cur, part, F16, V16, spare)
	LDKPART(row0, mat0, part, F20, V20, 20)

dot1last:
	DOT_A(0, 1, 2, 3)

dot1fold:
	// lane_l += lane_{l+w/2}, then w/4, …
	FADD(0, 0, 2)
	FADD(1, 1, 3)
	FADD(0, 0, 1)
	FOLD_ROW(28, 0)
