// q_j += u_i K_ij of one row: u in lane 0 of V28.

	KSTART1
	MOVD qp, cur
	SUBS $(4*LANES), cols, left
	BLT  axpy1vectors

axpy1loop:
	// q_j = fma(u_i, K_ij, q_j), four registers
	FLDPQ (cur), (F0, F1)
	FLDPQ 32(cur), (F2, F3)
	LDT_A(row0, mat0, V8)
	AXPY_A(FMLA_ROW0)
	FSTPQ (F0, F1), (cur)
	FSTPQ (F2, F3), 32(cur)
	ADD   $64, cur
	SUBS  $(4*LANES), left
	BGE   axpy1loop

axpy1vectors:
	// the same, one register
	ADDS $(3*LANES), left
	BLT  axpy1tail

axpy1vloop:
	FMOVQ (cur), F0
	LDT1(row0, mat0, F20, 20, F24)
	AXPY1(FMLA_ROW0, 20, 24, V8, V4, 4)
	FMOVQ F0, (cur)
	ADD   $16, cur
	SUBS  $LANES, left
	BGE   axpy1vloop

axpy1tail:
	// the same, part of a register
	ADDS $LANES, left
	BEQ  axpy1done
	LDPART(cur, left, F0, V0, spare)
	LDTPART(row0, mat0, left, F20, V20, 20, F24, V24)
	AXPY1(FMLA_ROW0, 20, 24, V8, V4, 4)
	STPART(F0, V0, cur, left, spare)

axpy1done:
