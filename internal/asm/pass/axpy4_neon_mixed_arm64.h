// q_j += Σ_i u_i K_ij over four rows, i ascending, K float32 and widened after it is
// loaded: rows kp + {0 1 2 3} ldkb, u in the lanes of V28 and V29. Copies of this
// file in other folders are identical.

	ROWS4
	MOVD qp, cur
	SUBS $8, cols, left
	BLT  axpy4pairs

axpy4loop:
	// q_j = fma(u_i, K_ij, q_j), eight columns
	FLDPQ   (cur), (F0, F1)
	FLDPQ   32(cur), (F2, F3)
	FLDPQ.P 32(row0), (F24, F25)
	FLDPQ.P 32(row1), (F26, F27)
	WIDEN8(24, 25)
	FMLA_ROW0(0, 20, 28, 29)
	FMLA_ROW0(1, 21, 28, 29)
	FMLA_ROW0(2, 22, 28, 29)
	FMLA_ROW0(3, 23, 28, 29)
	WIDEN8(26, 27)
	FMLA_ROW1(0, 20, 28, 29)
	FMLA_ROW1(1, 21, 28, 29)
	FMLA_ROW1(2, 22, 28, 29)
	FMLA_ROW1(3, 23, 28, 29)
	FLDPQ.P 32(row2), (F24, F25)
	FLDPQ.P 32(row3), (F26, F27)
	WIDEN8(24, 25)
	FMLA_ROW2(0, 20, 28, 29)
	FMLA_ROW2(1, 21, 28, 29)
	FMLA_ROW2(2, 22, 28, 29)
	FMLA_ROW2(3, 23, 28, 29)
	WIDEN8(26, 27)
	FMLA_ROW3(0, 20, 28, 29)
	FMLA_ROW3(1, 21, 28, 29)
	FMLA_ROW3(2, 22, 28, 29)
	FMLA_ROW3(3, 23, 28, 29)
	FSTPQ   (F0, F1), (cur)
	FSTPQ   (F2, F3), 32(cur)
	ADD     $64, cur
	SUBS    $8, left
	BGE     axpy4loop

axpy4pairs:
	// the same, two columns
	ADDS $6, left
	BLT  axpy4last

axpy4ploop:
	FMOVQ (cur), F0
	AXPY4_LOADK
	AXPY4_FMLAK
	FMOVQ F0, (cur)
	ADD   $16, cur
	SUBS  $2, left
	BGE   axpy4ploop

axpy4last:
	// the same, one column
	ADDS  $2, left
	BEQ   axpy4done
	FMOVD (cur), F0
	AXPY4_LOADK1
	AXPY4_FMLAK
	FMOVD F0, (cur)

axpy4done:
