// One row sum Σ_j (K_ij M_ij) v_j for both types: rows kp and mp, sum into lane 0 of
// V28. The order of dotkm4_neon_arm64.h.

	MOVD kp, row0
	MOVD mp, mat0
	MOVD vp, cur
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	SUBS $(4*LANES), cols, left
	BLT  dotkm1tail

dotkm1loop:
	// lane_l = fma(K_ij M_ij, v_j, lane_l), one step of four registers
	FLDPQ   32(cur), (F18, F19)
	FLDPQ.P 64(cur), (F16, F17)
	DOTKM_STEP(row0, mat0)
	DOTKM_FMLA(0, 1, 2, 3)
	SUBS    $(4*LANES), left
	BGE     dotkm1loop

dotkm1tail:
	ADDS $(4*LANES), left
	BEQ  dotkm1fold

	// The short last step: zeros after its whole and partial registers.
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V18.B16, V18.B16, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V24.B16, V24.B16, V24.B16
	VEOR V21.B16, V21.B16, V21.B16
	VEOR V25.B16, V25.B16, V25.B16
	VEOR V22.B16, V22.B16, V22.B16
	VEOR V26.B16, V26.B16, V26.B16
	VEOR V23.B16, V23.B16, V23.B16
	VEOR V27.B16, V27.B16, V27.B16
	AND  $(LANES-1), left, part
	TBZ  $PAIRBIT, left, dotkm1low
	FLDPQ.P 32(cur), (F16, F17)
	FLDPQ.P 32(row0), (F20, F21)
	FLDPQ.P 32(mat0), (F24, F25)
	TBZ  $ONEBIT, left, dotkm1part2
	FMOVQ.P 16(cur), F18
	FMOVQ.P 16(row0), F22
	FMOVQ.P 16(mat0), F26
	CBZ  part, dotkm1last
	LDPART(cur, part, F19, V19, spare)
	LDPART(row0, part, F23, V23, spare)
	LDPART(mat0, part, F27, V27, spare)
	B    dotkm1last

dotkm1part2:
	CBZ part, dotkm1last
	LDPART(cur, part, F18, V18, spare)
	LDPART(row0, part, F22, V22, spare)
	LDPART(mat0, part, F26, V26, spare)
	B   dotkm1last

dotkm1low:
	TBZ $ONEBIT, left, dotkm1part0
	FMOVQ.P 16(cur), F16
	FMOVQ.P 16(row0), F20
	FMOVQ.P 16(mat0), F24
	CBZ part, dotkm1last
	LDPART(cur, part, F17, V17, spare)
	LDPART(row0, part, F21, V21, spare)
	LDPART(mat0, part, F25, V25, spare)
	B   dotkm1last

dotkm1part0:
	LDPART(cur, part, F16, V16, spare)
	LDPART(row0, part, F20, V20, spare)
	LDPART(mat0, part, F24, V24, spare)

dotkm1last:
	DOTKM_FMLA(0, 1, 2, 3)

dotkm1fold:
	// lane_l += lane_{l+w/2}, then w/4, …
	FADD(0, 0, 2)
	FADD(1, 1, 3)
	FADD(0, 0, 1)
	FOLD_ROW(28, 0)
