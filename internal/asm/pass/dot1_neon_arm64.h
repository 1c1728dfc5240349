// One row sum Σ_j K_ij v_j for both types: row kp, sum into lane 0 of V28. The order
// of dot4_neon_arm64.h. Copies of this file in other folders are identical.

	MOVD kp, row0
	MOVD vp, cur
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	SUBS $(4*LANES), cols, left
	BLT  dot1tail

dot1loop:
	// lane_l = fma(K_ij, v_j, lane_l), one step of four registers
	FLDPQ   32(cur), (F18, F19)
	FLDPQ.P 64(cur), (F16, F17)
	FLDPQ   32(row0), (F22, F23)
	FLDPQ.P 64(row0), (F20, F21)
	FMLA(0, 20, 16)
	FMLA(1, 21, 17)
	FMLA(2, 22, 18)
	FMLA(3, 23, 19)
	SUBS    $(4*LANES), left
	BGE     dot1loop

dot1tail:
	ADDS $(4*LANES), left
	BEQ  dot1fold

	// The short last step: zeros after its whole and partial registers.
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V18.B16, V18.B16, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16
	VEOR V22.B16, V22.B16, V22.B16
	VEOR V23.B16, V23.B16, V23.B16
	AND  $(LANES-1), left, part
	TBZ  $PAIRBIT, left, dot1low
	FLDPQ.P 32(cur), (F16, F17)
	FLDPQ.P 32(row0), (F20, F21)
	TBZ  $ONEBIT, left, dot1part2
	FMOVQ.P 16(cur), F18
	FMOVQ.P 16(row0), F22
	CBZ  part, dot1last
	LDPART(cur, part, F19, V19, spare)
	LDPART(row0, part, F23, V23, spare)
	B    dot1last

dot1part2:
	CBZ part, dot1last
	LDPART(cur, part, F18, V18, spare)
	LDPART(row0, part, F22, V22, spare)
	B   dot1last

dot1low:
	TBZ $ONEBIT, left, dot1part0
	FMOVQ.P 16(cur), F16
	FMOVQ.P 16(row0), F20
	CBZ part, dot1last
	LDPART(cur, part, F17, V17, spare)
	LDPART(row0, part, F21, V21, spare)
	B   dot1last

dot1part0:
	LDPART(cur, part, F16, V16, spare)
	LDPART(row0, part, F20, V20, spare)

dot1last:
	FMLA(0, 20, 16)
	FMLA(1, 21, 17)
	FMLA(2, 22, 18)
	FMLA(3, 23, 19)

dot1fold:
	// lane_l += lane_{l+w/2}, then w/4, …
	FADD(0, 0, 2)
	FADD(1, 1, 3)
	FADD(0, 0, 1)
	FOLD_ROW(28, 0)
