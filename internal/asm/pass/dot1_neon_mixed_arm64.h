// One row sum Σ_j K_ij v_j, K float32 and widened after it is loaded: row kp, sum into
// lane 0 of V28. The order of dot4_neon_mixed_arm64.h. Copies of this file in other
// folders are identical.

	MOVD kp, row0
	MOVD vp, cur
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	SUBS $8, cols, left
	BLT  dot1tail

dot1loop:
	// lane_l = fma(K_ij, v_j, lane_l), eight columns
	FLDPQ   32(cur), (F18, F19)
	FLDPQ.P 64(cur), (F16, F17)
	FLDPQ.P 32(row0), (F24, F25)
	WIDEN8(24, 25)
	FMLA(0, 20, 16)
	FMLA(1, 21, 17)
	FMLA(2, 22, 18)
	FMLA(3, 23, 19)
	SUBS    $8, left
	BGE     dot1loop

dot1tail:
	ADDS $8, left
	BEQ  dot1fold

	// The short last step, two columns at a time; then one, or none, which is padding
	// like the rest.
	VEOR V31.B16, V31.B16, V31.B16
	SUBS $2, left
	BLT  dot1last0
	DOT1_LOADK
	DOT1_FMLAK(0)
	SUBS $2, left
	BLT  dot1last1
	DOT1_LOADK
	DOT1_FMLAK(1)
	SUBS $2, left
	BLT  dot1last2
	DOT1_LOADK
	DOT1_FMLAK(2)
	CBZ  left, dot1pad3
	DOT1_LOADK1
	DOT1_FMLAK(3)
	B    dot1fold

dot1last2:
	TBZ $0, left, dot1pad2
	DOT1_LOADK1
	DOT1_FMLAK(2)
	B   dot1pad3

dot1last1:
	TBZ $0, left, dot1pad1
	DOT1_LOADK1
	DOT1_FMLAK(1)
	B   dot1pad2

dot1last0:
	DOT1_LOADK1
	DOT1_FMLAK(0)

dot1pad1:
	FADD(1, 1, 31)

dot1pad2:
	FADD(2, 2, 31)

dot1pad3:
	FADD(3, 3, 31)

dot1fold:
	// lane_l += lane_{l+w/2}, then w/4, …
	FADD(0, 0, 2)
	FADD(1, 1, 3)
	FADD(0, 0, 1)
	FOLD_ROW(28, 0)
