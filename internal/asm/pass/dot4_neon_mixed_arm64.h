// Four row sums Σ_j K_ij v_j at once, K float32 and widened after it is loaded: rows
// kp + {0 1 2 3} ldkb, sums into the lanes of V28 and V29.
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
	SUBS $8, cols, left
	BLT  dot4tail

dot4loop:
	// lane_l = fma(K_ij, v_j, lane_l), eight columns
	FLDPQ   32(cur), (F18, F19)
	FLDPQ.P 64(cur), (F16, F17)
	FLDPQ.P 32(row0), (F24, F25)
	FLDPQ.P 32(row1), (F26, F27)
	WIDEN8(24, 25)
	FMLA(0, 20, 16)
	FMLA(1, 21, 17)
	FMLA(2, 22, 18)
	FMLA(3, 23, 19)
	WIDEN8(26, 27)
	FMLA(4, 20, 16)
	FMLA(5, 21, 17)
	FMLA(6, 22, 18)
	FMLA(7, 23, 19)
	FLDPQ.P 32(row2), (F24, F25)
	FLDPQ.P 32(row3), (F26, F27)
	WIDEN8(24, 25)
	FMLA(8, 20, 16)
	FMLA(9, 21, 17)
	FMLA(10, 22, 18)
	FMLA(11, 23, 19)
	WIDEN8(26, 27)
	FMLA(12, 20, 16)
	FMLA(13, 21, 17)
	FMLA(14, 22, 18)
	FMLA(15, 23, 19)
	SUBS    $8, left
	BGE     dot4loop

dot4tail:
	ADDS $8, left
	BEQ  dot4fold

	// The short last step, two columns at a time; then one, or none, which is padding
	// like the rest.
	VEOR V31.B16, V31.B16, V31.B16
	SUBS $2, left
	BLT  dot4last0
	DOT4_LOADK
	DOT4_FMLAK(0, 4, 8, 12)
	SUBS $2, left
	BLT  dot4last1
	DOT4_LOADK
	DOT4_FMLAK(1, 5, 9, 13)
	SUBS $2, left
	BLT  dot4last2
	DOT4_LOADK
	DOT4_FMLAK(2, 6, 10, 14)
	CBZ  left, dot4pad3
	DOT4_LOADK1
	DOT4_FMLAK(3, 7, 11, 15)
	B    dot4fold

dot4last2:
	TBZ $0, left, dot4pad2
	DOT4_LOADK1
	DOT4_FMLAK(2, 6, 10, 14)
	B   dot4pad3

dot4last1:
	TBZ $0, left, dot4pad1
	DOT4_LOADK1
	DOT4_FMLAK(1, 5, 9, 13)
	B   dot4pad2

dot4last0:
	DOT4_LOADK1
	DOT4_FMLAK(0, 4, 8, 12)

dot4pad1:
	PAD4(1, 5, 9, 13)

dot4pad2:
	PAD4(2, 6, 10, 14)

dot4pad3:
	PAD4(3, 7, 11, 15)

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
