// q_j += K_ij (u_i M_ij + s_i) of one row for both types: rows kp and mp, u in lane 0
// of V28, s_i in all lanes of V8.

	MOVD kp, row0
	MOVD mp, mat0
	MOVD qp, cur
	SUBS $(4*LANES), cols, left
	BLT  axpykm1vectors

axpykm1loop:
	// q_j = fma(K_ij, fma(u_i, M_ij, s_i), q_j), four registers
	FLDPQ   (cur), (F0, F1)
	FLDPQ   32(cur), (F2, F3)
	AXPYKM_STEP(row0, mat0, V8)
	FMLA_ROW0(4, 20, 28, 29)
	FMLA_ROW0(5, 21, 28, 29)
	FMLA_ROW0(6, 22, 28, 29)
	FMLA_ROW0(7, 23, 28, 29)
	AXPYKM_FMLA
	FSTPQ   (F0, F1), (cur)
	FSTPQ   (F2, F3), 32(cur)
	ADD     $64, cur
	SUBS    $(4*LANES), left
	BGE     axpykm1loop

axpykm1vectors:
	// the same, one register
	ADDS $(3*LANES), left
	BLT  axpykm1tail

axpykm1vloop:
	FMOVQ   (cur), F0
	FMOVQ.P 16(row0), F16
	FMOVQ.P 16(mat0), F20
	VMOV    V8.B16, V4.B16
	FMLA_ROW0(4, 20, 28, 29)
	FMLA(0, 16, 4)
	FMOVQ   F0, (cur)
	ADD     $16, cur
	SUBS    $LANES, left
	BGE     axpykm1vloop

axpykm1tail:
	// the same, part of a register
	ADDS $LANES, left
	BEQ  axpykm1done
	LDPART(cur, left, F0, V0, spare)
	LDPART(row0, left, F16, V16, spare)
	LDPART(mat0, left, F20, V20, spare)
	VMOV V8.B16, V4.B16
	FMLA_ROW0(4, 20, 28, 29)
	FMLA(0, 16, 4)
	STPART(F0, V0, cur, left, spare)

axpykm1done:
