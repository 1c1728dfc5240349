// Four row sums Σ_j K_ij v_j at once, for both types: rows kp + {0 1 2 3} ldkb, sums
// into the lanes of V28 (float32) or V28 and V29 (float64).
//
// Virtual lanes of a row: V0–V3, V4–V7, V8–V11, V12–V15. Copies of this file in other
// folders are identical.

	ROWS4
	MOVD vp, cur
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	VEOR V8.B16, V8.B16, V8.B16
	VEOR V9.B16, V9.B16, V9.B16
	VEOR V10.B16, V10.B16, V10.B16
	VEOR V11.B16, V11.B16, V11.B16
	VEOR V12.B16, V12.B16, V12.B16
	VEOR V13.B16, V13.B16, V13.B16
	VEOR V14.B16, V14.B16, V14.B16
	VEOR V15.B16, V15.B16, V15.B16
	SUBS $(4*LANES), cols, left
	BLT  dot4tail

dot4loop:
	// lane_l = fma(K_ij, v_j, lane_l), one step of four registers
	FLDPQ   32(cur), (F18, F19)
	FLDPQ.P 64(cur), (F16, F17)
	FLDPQ   32(row0), (F22, F23)
	FLDPQ.P 64(row0), (F20, F21)
	FMLA(0, 20, 16)
	FMLA(1, 21, 17)
	FMLA(2, 22, 18)
	FMLA(3, 23, 19)
	FLDPQ   32(row1), (F26, F27)
	FLDPQ.P 64(row1), (F24, F25)
	FMLA(4, 24, 16)
	FMLA(5, 25, 17)
	FMLA(6, 26, 18)
	FMLA(7, 27, 19)
	FLDPQ   32(row2), (F22, F23)
	FLDPQ.P 64(row2), (F20, F21)
	FMLA(8, 20, 16)
	FMLA(9, 21, 17)
	FMLA(10, 22, 18)
	FMLA(11, 23, 19)
	FLDPQ   32(row3), (F26, F27)
	FLDPQ.P 64(row3), (F24, F25)
	FMLA(12, 24, 16)
	FMLA(13, 25, 17)
	FMLA(14, 26, 18)
	FMLA(15, 27, 19)
	SUBS    $(4*LANES), left
	BGE     dot4loop

dot4tail:
	ADDS $(4*LANES), left
	BEQ  dot4fold

	// The short last step: its partial register first, zero where there is none.
	VEOR V31.B16, V31.B16, V31.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V24.B16, V24.B16, V24.B16
	VEOR V25.B16, V25.B16, V25.B16
	VEOR V26.B16, V26.B16, V26.B16
	VEOR V27.B16, V27.B16, V27.B16
	ANDS $(LANES-1), left, part
	BEQ  dot4whole
	SUB  part, left, R16
	LSL  $ESHIFT, R16
	MOVE4(ADD, R16)
	DOT4_LDPART
	MOVE4(SUB, R16)

dot4whole:
	// then its whole registers, and padding for the rest
	TBZ $PAIRBIT, left, dot4low
	DOT4_LOAD
	DOT4_FMLA(0, 4, 8, 12)
	DOT4_LOAD
	DOT4_FMLA(1, 5, 9, 13)
	TBZ $ONEBIT, left, dot4pad3
	DOT4_LOAD
	DOT4_FMLA(2, 6, 10, 14)
	DOT4_FMLAPART(3, 7, 11, 15)
	B   dot4fold

dot4pad3:
	DOT4_FMLAPART(2, 6, 10, 14)
	PAD4(3, 7, 11, 15)
	B dot4fold

dot4low:
	PAD4(2, 6, 10, 14)
	PAD4(3, 7, 11, 15)
	TBZ $ONEBIT, left, dot4pad1
	DOT4_LOAD
	DOT4_FMLA(0, 4, 8, 12)
	DOT4_FMLAPART(1, 5, 9, 13)
	B   dot4fold

dot4pad1:
	DOT4_FMLAPART(0, 4, 8, 12)
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
