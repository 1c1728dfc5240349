// q_j += Σ_i u_i K_ij over four rows, i ascending: u in the lanes of V28 (float32) or V28
// and V29 (float64).

	KSTART4
	MOVD qp, cur
	SUBS $(4*LANES), cols, left
	BLT  axpy4vectors

axpy4loop:
	// q_j = fma(u_i, K_ij, q_j), i ascending, four registers
	FLDPQ (cur), (F0, F1)
	FLDPQ 32(cur), (F2, F3)
	LDT_A(row0, mat0, V8)
	AXPY_A(FMLA_ROW0)
	LDT_B(row1, mat1, V9)
	AXPY_B(FMLA_ROW1)
	LDT_A(row2, mat2, V10)
	AXPY_A(FMLA_ROW2)
	LDT_B(row3, mat3, V11)
	AXPY_B(FMLA_ROW3)
	FSTPQ (F0, F1), (cur)
	FSTPQ (F2, F3), 32(cur)
	ADD   $64, cur
	SUBS  $(4*LANES), left
	BGE   axpy4loop

axpy4vectors:
	// the same, one register
	ADDS $(3*LANES), left
	BLT  axpy4tail

axpy4vloop:
	FMOVQ (cur), F0
	LDT1(row0, mat0, F20, 20, F24)
	LDT1(row1, mat1, F21, 21, F25)
	LDT1(row2, mat2, F22, 22, F26)
	LDT1(row3, mat3, F23, 23, F27)
	AXPY1(FMLA_ROW0, 20, 24, V8, V4, 4)
	AXPY1(FMLA_ROW1, 21, 25, V9, V5, 5)
	AXPY1(FMLA_ROW2, 22, 26, V10, V6, 6)
	AXPY1(FMLA_ROW3, 23, 27, V11, V7, 7)
	FMOVQ F0, (cur)
	ADD   $16, cur
	SUBS  $LANES, left
	BGE   axpy4vloop

axpy4tail:
	// the same, part of a register
	ADDS $LANES, left
	BEQ  axpy4done
	LDPART(cur, left, F0, V0, spare)
	LDTPART(row0, mat0, left, F20, V20, 20, F24, V24)
	LDTPART(row1, mat1, left, F21, V21, 21, F25, V25)
	LDTPART(row2, mat2, left, F22, V22, 22, F26, V26)
	LDTPART(row3, mat3, left, F23, V23, 23, F27, V27)
	AXPY1(FMLA_ROW0, 20, 24, V8, V4, 4)
	AXPY1(FMLA_ROW1, 21, 25, V9, V5, 5)
	AXPY1(FMLA_ROW2, 22, 26, V10, V6, 6)
	AXPY1(FMLA_ROW3, 23, 27, V11, V7, 7)
	STPART(F0, V0, cur, left, spare)

axpy4done:
