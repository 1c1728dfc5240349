// q_j += u_i K_ij of one row, K float32 and widened after it is loaded: row kp, u in
// lane 0 of V28. Copies of this file in other folders are identical.

	MOVD kp, row0
	MOVD qp, cur
	SUBS $8, cols, left
	BLT  axpy1pairs

axpy1loop:
	// q_j = fma(u_i, K_ij, q_j), eight columns
	FLDPQ   (cur), (F0, F1)
	FLDPQ   32(cur), (F2, F3)
	FLDPQ.P 32(row0), (F24, F25)
	WIDEN8(24, 25)
	FMLA_ROW0(0, 20, 28, 29)
	FMLA_ROW0(1, 21, 28, 29)
	FMLA_ROW0(2, 22, 28, 29)
	FMLA_ROW0(3, 23, 28, 29)
	FSTPQ   (F0, F1), (cur)
	FSTPQ   (F2, F3), 32(cur)
	ADD     $64, cur
	SUBS    $8, left
	BGE     axpy1loop

axpy1pairs:
	// the same, two columns
	ADDS $6, left
	BLT  axpy1last

axpy1ploop:
	FMOVQ   (cur), F0
	FMOVD.P 8(row0), F20
	FCVTL_2D(20, 20)
	FMLA_ROW0(0, 20, 28, 29)
	FMOVQ   F0, (cur)
	ADD     $16, cur
	SUBS    $2, left
	BGE     axpy1ploop

axpy1last:
	// the same, one column
	ADDS  $2, left
	BEQ   axpy1done
	FMOVD (cur), F0
	FMOVS (row0), F20
	FCVTL_2D(20, 20)
	FMLA_ROW0(0, 20, 28, 29)
	FMOVD F0, (cur)

axpy1done:
