// One pass over a matrix, four rows at a time and then one row at a time. All kernels of this folder that read K share this
// code, for both types and for a float32 K with float64 vectors.
//
//	s_i = Σ_j K_ij v_j           without v, u_i is loaded
//	u_i = UPDATE4, UPDATE1       macros of the including file, for four rows and one row
//	q_j += u_i K_ij              without q, s_i is stored
//
// The including file defines how K is loaded:
//
//	KSTART4, KSTART1, KMOVE4, KNEXT4, KNEXT1    pointers into K
//	LDK_A, LDK_B, LDK1, LDKPART                 load K for the sums: four registers in V20–V23 or
//	                                            V24–V27, one register, or a partial register
//	LDT_A, LDT_B, LDT1, LDTPART                 load K for q
//	AXPY_A, AXPY_B, AXPY1                       add K to q
//
// mat0–mat3 and the names after them are for a kernel that reads a second matrix.
//
// Sums: V0–V3, V4–V7, V8–V11, V12–V15 are the virtual lanes of a row. s and u are in the
// lanes of V28 (float32) or of V28 and V29 (float64).

	SUBS $4, rows
	BLT  rowtail

rowloop:
	CBZ vp, factors

	// s_i = Σ_j K_ij v_j of four rows
	KSTART4
	MOVD vp, cur
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	ZERO4(V8, V9, V10, V11)
	ZERO4(V12, V13, V14, V15)
	SUBS $(4*LANES), cols, left
	BLT  dot4tail

dot4loop:
	// lane_l = fma(K_ij, v_j, lane_l), one step of four registers
	FLDPQ   32(cur), (F18, F19)
	FLDPQ.P 64(cur), (F16, F17)
	LDK_A(row0, mat0)
	DOT_A(0, 1, 2, 3)
	LDK_B(row1, mat1)
	DOT_B(4, 5, 6, 7)
	LDK_A(row2, mat2)
	DOT_A(8, 9, 10, 11)
	LDK_B(row3, mat3)
	DOT_B(12, 13, 14, 15)
	SUBS    $(4*LANES), left
	BGE     dot4loop

dot4tail:
	ADDS $(4*LANES), left
	BEQ  dot4fold

	// The partial step begins with its partial register, or with zero.
	VEOR V31.B16, V31.B16, V31.B16
	VEOR V17.B16, V17.B16, V17.B16
	ZERO4(V24, V25, V26, V27)
	ANDS $(LANES-1), left, part
	BEQ  dot4whole
	SUB  part, left, moved
	LSL  $ESHIFT, moved
	ADD  moved, cur
	KMOVE4(ADD)
	LDPART(cur, part, F17, V17, spare)
	LDKPART(row0, mat0, part, F24, V24, 24)
	LDKPART(row1, mat1, part, F25, V25, 25)
	LDKPART(row2, mat2, part, F26, V26, 26)
	LDKPART(row3, mat3, part, F27, V27, 27)
	SUB  moved, cur
	KMOVE4(SUB)

dot4whole:
	// then its whole registers, then padding
	TBZ $PAIRBIT, left, dot4low
	FMOVQ.P 16(cur), F16
	DOT4(0, 4, 8, 12)
	FMOVQ.P 16(cur), F16
	DOT4(1, 5, 9, 13)
	TBZ $ONEBIT, left, dot4pad3
	FMOVQ.P 16(cur), F16
	DOT4(2, 6, 10, 14)
	DOT4PART(3, 7, 11, 15)
	B   dot4fold

dot4pad3:
	DOT4PART(2, 6, 10, 14)
	PAD4(3, 7, 11, 15)
	B dot4fold

dot4low:
	PAD4(2, 6, 10, 14)
	PAD4(3, 7, 11, 15)
	TBZ $ONEBIT, left, dot4pad1
	FMOVQ.P 16(cur), F16
	DOT4(0, 4, 8, 12)
	DOT4PART(1, 5, 9, 13)
	B   dot4fold

dot4pad1:
	DOT4PART(0, 4, 8, 12)
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
	CBZ qp, sums
	UPDATE4

add4:
	// q_j += Σ_i u_i K_ij over four rows, i ascending
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
	// q_j of one register
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
	// q_j of the last, partial register
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
	KNEXT4
	SUBS $4, rows
	BGE  rowloop
	B    rowtail

sums:
	STROWS_P(F28, F29, up)
	B axpy4done

factors:
	LDROWS(up, F28, F29)
	ADD $(4*ESIZE), up
	B   add4

rowtail:
	ADDS $4, rows
	BEQ  done

row1loop:
	CBZ vp, factor1

	// s_i = Σ_j K_ij v_j of one row
	KSTART1
	MOVD vp, cur
	ZERO4(V0, V1, V2, V3)
	SUBS $(4*LANES), cols, left
	BLT  dot1tail

dot1loop:
	// lane_l = fma(K_ij, v_j, lane_l), one step of four registers
	FLDPQ   32(cur), (F18, F19)
	FLDPQ.P 64(cur), (F16, F17)
	LDK_A(row0, mat0)
	DOT_A(0, 1, 2, 3)
	SUBS    $(4*LANES), left
	BGE     dot1loop

dot1tail:
	ADDS $(4*LANES), left
	BEQ  dot1fold

	// The partial step has zeros after its whole registers and its partial register.
	ZERO4(V16, V17, V18, V19)
	ZERO4(V20, V21, V22, V23)
	AND $(LANES-1), left, part
	TBZ $PAIRBIT, left, dot1low
	FLDPQ.P 32(cur), (F16, F17)
	LDK1(row0, mat0, F20, 20)
	LDK1(row0, mat0, F21, 21)
	TBZ $ONEBIT, left, dot1part2
	FMOVQ.P 16(cur), F18
	LDK1(row0, mat0, F22, 22)
	CBZ part, dot1last
	LDPART(cur, part, F19, V19, spare)
	LDKPART(row0, mat0, part, F23, V23, 23)
	B   dot1last

dot1part2:
	CBZ part, dot1last
	LDPART(cur, part, F18, V18, spare)
	LDKPART(row0, mat0, part, F22, V22, 22)
	B   dot1last

dot1low:
	TBZ $ONEBIT, left, dot1part0
	FMOVQ.P 16(cur), F16
	LDK1(row0, mat0, F20, 20)
	CBZ part, dot1last
	LDPART(cur, part, F17, V17, spare)
	LDKPART(row0, mat0, part, F21, V21, 21)
	B   dot1last

dot1part0:
	LDPART(cur, part, F16, V16, spare)
	LDKPART(row0, mat0, part, F20, V20, 20)

dot1last:
	DOT_A(0, 1, 2, 3)

dot1fold:
	// lane_l += lane_{l+w/2}, then w/4, …
	FADD(0, 0, 2)
	FADD(1, 1, 3)
	FADD(0, 0, 1)
	FOLD_ROW(28, 0)
	CBZ qp, sum1
	UPDATE1

add1:
	// q_j += u_i K_ij of one row
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
	// q_j of one register
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
	// q_j of the last, partial register
	ADDS $LANES, left
	BEQ  axpy1done
	LDPART(cur, left, F0, V0, spare)
	LDTPART(row0, mat0, left, F20, V20, 20, F24, V24)
	AXPY1(FMLA_ROW0, 20, 24, V8, V4, 4)
	STPART(F0, V0, cur, left, spare)

axpy1done:
	KNEXT1
	SUBS $1, rows
	BNE  row1loop

done:
	RET

sum1:
	STE_P(F28, up)
	B axpy1done

factor1:
	LDE_P(up, F28)
	B add1
