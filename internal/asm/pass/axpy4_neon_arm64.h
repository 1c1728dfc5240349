// q_j += Σ_i u_i K_ij over four rows, i ascending, for both types: rows kp +
// {0 1 2 3} ldkb, u in the lanes of V28 (float32) or V28 and V29 (float64). Copies of
// this file in other folders are identical.

	ROWS4
	MOVD qp, cur
	SUBS $(4*LANES), cols, left
	BLT  axpy4vectors

axpy4loop:
	// q_j = fma(u_i, K_ij, q_j), four registers
	FLDPQ   (cur), (F0, F1)
	FLDPQ   32(cur), (F2, F3)
	FLDPQ   32(row0), (F18, F19)
	FLDPQ.P 64(row0), (F16, F17)
	FMLA_ROW0(0, 16, 28, 29)
	FMLA_ROW0(1, 17, 28, 29)
	FMLA_ROW0(2, 18, 28, 29)
	FMLA_ROW0(3, 19, 28, 29)
	FLDPQ   32(row1), (F22, F23)
	FLDPQ.P 64(row1), (F20, F21)
	FMLA_ROW1(0, 20, 28, 29)
	FMLA_ROW1(1, 21, 28, 29)
	FMLA_ROW1(2, 22, 28, 29)
	FMLA_ROW1(3, 23, 28, 29)
	FLDPQ   32(row2), (F18, F19)
	FLDPQ.P 64(row2), (F16, F17)
	FMLA_ROW2(0, 16, 28, 29)
	FMLA_ROW2(1, 17, 28, 29)
	FMLA_ROW2(2, 18, 28, 29)
	FMLA_ROW2(3, 19, 28, 29)
	FLDPQ   32(row3), (F22, F23)
	FLDPQ.P 64(row3), (F20, F21)
	FMLA_ROW3(0, 20, 28, 29)
	FMLA_ROW3(1, 21, 28, 29)
	FMLA_ROW3(2, 22, 28, 29)
	FMLA_ROW3(3, 23, 28, 29)
	FSTPQ   (F0, F1), (cur)
	FSTPQ   (F2, F3), 32(cur)
	ADD     $64, cur
	SUBS    $(4*LANES), left
	BGE     axpy4loop

axpy4vectors:
	// the same, one register
	ADDS $(3*LANES), left
	BLT  axpy4tail

axpy4vloop:
	FMOVQ   (cur), F0
	FMOVQ.P 16(row0), F16
	FMOVQ.P 16(row1), F17
	FMOVQ.P 16(row2), F18
	FMOVQ.P 16(row3), F19
	FMLA_ROW0(0, 16, 28, 29)
	FMLA_ROW1(0, 17, 28, 29)
	FMLA_ROW2(0, 18, 28, 29)
	FMLA_ROW3(0, 19, 28, 29)
	FMOVQ   F0, (cur)
	ADD     $16, cur
	SUBS    $LANES, left
	BGE     axpy4vloop

axpy4tail:
	// the same, part of a register
	ADDS $LANES, left
	BEQ  axpy4done
	LDPART(cur, left, F0, V0, spare)
	LDPART(row0, left, F16, V16, spare)
	LDPART(row1, left, F17, V17, spare)
	LDPART(row2, left, F18, V18, spare)
	LDPART(row3, left, F19, V19, spare)
	FMLA_ROW0(0, 16, 28, 29)
	FMLA_ROW1(0, 17, 28, 29)
	FMLA_ROW2(0, 18, 28, 29)
	FMLA_ROW3(0, 19, 28, 29)
	STPART(F0, V0, cur, left, spare)

axpy4done:
