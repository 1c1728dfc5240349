// q_j += K_ij (u_i M_ij + s_i) over four rows, i ascending, for both types: rows kp +
// {0 1 2 3} ldkb and mp + {0 1 2 3} ldmb, u in the lanes of V28 (float32) or V28 and
// V29 (float64), s_i in all lanes of V8–V11.

	ROWS4
	MATS4
	MOVD qp, cur
	SUBS $(4*LANES), cols, left
	BLT  axpykm4vectors

axpykm4loop:
	// q_j = fma(K_ij, fma(u_i, M_ij, s_i), q_j), four registers
	FLDPQ   (cur), (F0, F1)
	FLDPQ   32(cur), (F2, F3)
	AXPYKM_STEP(row0, mat0, V8)
	FMLA_ROW0(4, 20, 28, 29)
	FMLA_ROW0(5, 21, 28, 29)
	FMLA_ROW0(6, 22, 28, 29)
	FMLA_ROW0(7, 23, 28, 29)
	AXPYKM_FMLA
	AXPYKM_STEP(row1, mat1, V9)
	FMLA_ROW1(4, 20, 28, 29)
	FMLA_ROW1(5, 21, 28, 29)
	FMLA_ROW1(6, 22, 28, 29)
	FMLA_ROW1(7, 23, 28, 29)
	AXPYKM_FMLA
	AXPYKM_STEP(row2, mat2, V10)
	FMLA_ROW2(4, 20, 28, 29)
	FMLA_ROW2(5, 21, 28, 29)
	FMLA_ROW2(6, 22, 28, 29)
	FMLA_ROW2(7, 23, 28, 29)
	AXPYKM_FMLA
	AXPYKM_STEP(row3, mat3, V11)
	FMLA_ROW3(4, 20, 28, 29)
	FMLA_ROW3(5, 21, 28, 29)
	FMLA_ROW3(6, 22, 28, 29)
	FMLA_ROW3(7, 23, 28, 29)
	AXPYKM_FMLA
	FSTPQ   (F0, F1), (cur)
	FSTPQ   (F2, F3), 32(cur)
	ADD     $64, cur
	SUBS    $(4*LANES), left
	BGE     axpykm4loop

axpykm4vectors:
	// the same, one register
	ADDS $(3*LANES), left
	BLT  axpykm4tail

axpykm4vloop:
	FMOVQ   (cur), F0
	FMOVQ.P 16(row0), F16
	FMOVQ.P 16(row1), F17
	FMOVQ.P 16(row2), F18
	FMOVQ.P 16(row3), F19
	FMOVQ.P 16(mat0), F20
	FMOVQ.P 16(mat1), F21
	FMOVQ.P 16(mat2), F22
	FMOVQ.P 16(mat3), F23
	VMOV    V8.B16, V4.B16
	FMLA_ROW0(4, 20, 28, 29)
	FMLA(0, 16, 4)
	VMOV    V9.B16, V5.B16
	FMLA_ROW1(5, 21, 28, 29)
	FMLA(0, 17, 5)
	VMOV    V10.B16, V6.B16
	FMLA_ROW2(6, 22, 28, 29)
	FMLA(0, 18, 6)
	VMOV    V11.B16, V7.B16
	FMLA_ROW3(7, 23, 28, 29)
	FMLA(0, 19, 7)
	FMOVQ   F0, (cur)
	ADD     $16, cur
	SUBS    $LANES, left
	BGE     axpykm4vloop

axpykm4tail:
	// the same, part of a register
	ADDS $LANES, left
	BEQ  axpykm4done
	LDPART(cur, left, F0, V0, spare)
	LDPART(row0, left, F16, V16, spare)
	LDPART(row1, left, F17, V17, spare)
	LDPART(row2, left, F18, V18, spare)
	LDPART(row3, left, F19, V19, spare)
	LDPART(mat0, left, F20, V20, spare)
	LDPART(mat1, left, F21, V21, spare)
	LDPART(mat2, left, F22, V22, spare)
	LDPART(mat3, left, F23, V23, spare)
	VMOV V8.B16, V4.B16
	FMLA_ROW0(4, 20, 28, 29)
	FMLA(0, 16, 4)
	VMOV V9.B16, V5.B16
	FMLA_ROW1(5, 21, 28, 29)
	FMLA(0, 17, 5)
	VMOV V10.B16, V6.B16
	FMLA_ROW2(6, 22, 28, 29)
	FMLA(0, 18, 6)
	VMOV V11.B16, V7.B16
	FMLA_ROW3(7, 23, 28, 29)
	FMLA(0, 19, 7)
	STPART(F0, V0, cur, left, spare)

axpykm4done:
