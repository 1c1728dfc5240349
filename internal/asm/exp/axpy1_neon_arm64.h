// q_j += u_i K_ij of one row for both types: row kp, u in lane 0 of V28. Copies of
// this file in other folders are identical.

	MOVD kp, row0
	MOVD qp, cur
	SUBS $(4*LANES), cols, left
	BLT  axpy1vectors

axpy1loop:
	// q_j = fma(u_i, K_ij, q_j), four registers
	FLDPQ   (cur), (F0, F1)
	FLDPQ   32(cur), (F2, F3)
	FLDPQ   32(row0), (F18, F19)
	FLDPQ.P 64(row0), (F16, F17)
	FMLA_ROW0(0, 16, 28, 29)
	FMLA_ROW0(1, 17, 28, 29)
	FMLA_ROW0(2, 18, 28, 29)
	FMLA_ROW0(3, 19, 28, 29)
	FSTPQ   (F0, F1), (cur)
	FSTPQ   (F2, F3), 32(cur)
	ADD     $64, cur
	SUBS    $(4*LANES), left
	BGE     axpy1loop

axpy1vectors:
	// the same, one register
	ADDS $(3*LANES), left
	BLT  axpy1tail

axpy1vloop:
	FMOVQ   (cur), F0
	FMOVQ.P 16(row0), F16
	FMLA_ROW0(0, 16, 28, 29)
	FMOVQ   F0, (cur)
	ADD     $16, cur
	SUBS    $LANES, left
	BGE     axpy1vloop

axpy1tail:
	// the same, part of a register
	ADDS $LANES, left
	BEQ  axpy1done
	LDPART(cur, left, F0, V0, spare)
	LDPART(row0, left, F16, V16, spare)
	FMLA_ROW0(0, 16, 28, 29)
	STPART(F0, V0, cur, left, spare)

axpy1done:
