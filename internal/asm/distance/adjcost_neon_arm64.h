// G_ij = K_ij (h − λ k̄), h = u_i v_j, k̄ = Σ_q A_iq B_qj + h M_ij.
//
// The last one to three rows are computed one by one. All four pointers of the 4×1 tile then point
// to the same row, which is computed and stored four times.

	LSL $ESHIFT, ldgb
	LSL $ESHIFT, ldkb
	LSL $ESHIFT, ldmb
	LSL $ESHIFT, ldab
	LSL $ESHIFT, ldbb

rowloop:
	MOVD $0, off
	SUBS $(4*LANES), cols, left
	BLT  vectors

colloop:
	ADD  off, bp, bq
	MOVD ap, a0
	MOVD rank, q
	ZERO4(V0, V1, V2, V3)
	CMP  $4, rows
	BLT  tile1x4

	// Tile 4×4
	ADD ldab, a0, a1
	ADD ldab, a1, a2
	ADD ldab, a2, a3
	ZERO4(V4, V5, V6, V7)
	ZERO4(V8, V9, V10, V11)
	ZERO4(V12, V13, V14, V15)
	CBZ q, rows4

qloop4x4:
	// k̄_ij = fma(A_iq, B_qj, k̄_ij)
	FLDPQ (bq), (F16, F17)
	FLDPQ 32(bq), (F18, F19)
	ADD   ldbb, bq
	LDE_P(a0, F20)
	LDE_P(a1, F21)
	LDE_P(a2, F22)
	LDE_P(a3, F23)
	FMLA_E(0, 16, 20, 0)
	FMLA_E(1, 17, 20, 0)
	FMLA_E(2, 18, 20, 0)
	FMLA_E(3, 19, 20, 0)
	FMLA_E(4, 16, 21, 0)
	FMLA_E(5, 17, 21, 0)
	FMLA_E(6, 18, 21, 0)
	FMLA_E(7, 19, 21, 0)
	FMLA_E(8, 16, 22, 0)
	FMLA_E(9, 17, 22, 0)
	FMLA_E(10, 18, 22, 0)
	FMLA_E(11, 19, 22, 0)
	FMLA_E(12, 16, 23, 0)
	FMLA_E(13, 17, 23, 0)
	FMLA_E(14, 18, 23, 0)
	FMLA_E(15, 19, 23, 0)
	SUBS  $1, q
	BNE   qloop4x4

rows4:
	// for each row: h, k̄ += h M, G = K (h − λ k̄)
	ADJ_POINTERS
	ADJ_LOAD
	ADJ_H
	ADJ_KBAR(0, 1, 2, 3)
	ADJ_STORE
	ADJ_NEXT
	ADJ_LOAD
	ADJ_H
	ADJ_KBAR(4, 5, 6, 7)
	ADJ_STORE
	ADJ_NEXT
	ADJ_LOAD
	ADJ_H
	ADJ_KBAR(8, 9, 10, 11)
	ADJ_STORE
	ADJ_NEXT
	ADJ_LOAD
	ADJ_H
	ADJ_KBAR(12, 13, 14, 15)
	ADJ_STORE
	B colnext

tile1x4:
	// Tile 1×4
	CBZ q, rows1

qloop1x4:
	// k̄_ij = fma(A_iq, B_qj, k̄_ij)
	FLDPQ (bq), (F16, F17)
	FLDPQ 32(bq), (F18, F19)
	ADD   ldbb, bq
	LDE_P(a0, F20)
	FMLA_E(0, 16, 20, 0)
	FMLA_E(1, 17, 20, 0)
	FMLA_E(2, 18, 20, 0)
	FMLA_E(3, 19, 20, 0)
	SUBS  $1, q
	BNE   qloop1x4

rows1:
	// h, k̄ += h M, G = K (h − λ k̄)
	ADJ_POINTERS
	ADJ_LOAD
	ADJ_H
	ADJ_KBAR(0, 1, 2, 3)
	ADJ_STORE

colnext:
	ADD  $64, off
	SUBS $(4*LANES), left
	BGE  colloop

vectors:
	ADD $(4*LANES), left

vnext:
	CBZ  left, rownext
	MOVD $0, part
	CMP  $LANES, left
	BGE  tile4x1
	MOVD left, part

tile4x1:
	// Tile 4×1: one whole register, or a partial register with the column count part
	ADD  off, bp, bq
	MOVD rank, q
	MOVD ap, a0
	NEXTROW(a0, a1, ldab)
	NEXTROW(a1, a2, ldab)
	NEXTROW(a2, a3, ldab)
	ZERO4(V0, V4, V8, V12)
	CBZ  q, rows4x1

qloop4x1:
	// k̄_ij = fma(A_iq, B_qj, k̄_ij)
	CBNZ  part, qpart
	FMOVQ (bq), F16

qfma:
	ADD  ldbb, bq
	LDE_P(a0, F20)
	LDE_P(a1, F21)
	LDE_P(a2, F22)
	LDE_P(a3, F23)
	FMLA_E(0, 16, 20, 0)
	FMLA_E(4, 16, 21, 0)
	FMLA_E(8, 16, 22, 0)
	FMLA_E(12, 16, 23, 0)
	SUBS $1, q
	BNE  qloop4x1
	B    rows4x1

qpart:
	LDPART(bq, part, F16, V16, spare)
	B qfma

rows4x1:
	// h = u_i v_j of four rows
	MOVD up, ur
	LDE(ur, F24)
	NEXTROW(ur, ur, $ESIZE)
	LDE(ur, F25)
	NEXTROW(ur, ur, $ESIZE)
	LDE(ur, F26)
	NEXTROW(ur, ur, $ESIZE)
	LDE(ur, F27)
	ADD  off, vp, gr
	CBNZ part, vpart
	FMOVQ (gr), F16

hfma:
	FMUL_E(20, 16, 24, 0)
	FMUL_E(21, 16, 25, 0)
	FMUL_E(22, 16, 26, 0)
	FMUL_E(23, 16, 27, 0)

	// load M and K of all four rows before a store, because G may be M
	ADJ_POINTERS4X1
	CBNZ  part, mpart
	FMOVQ (mr), F24
	FMOVQ (kr), F16
	ADJ_NEXT4X1
	FMOVQ (mr), F25
	FMOVQ (kr), F17
	ADJ_NEXT4X1
	FMOVQ (mr), F26
	FMOVQ (kr), F18
	ADJ_NEXT4X1
	FMOVQ (mr), F27
	FMOVQ (kr), F19

kbar:
	// k̄ += h M, G = K (h − λ k̄)
	FMLA(0, 20, 24)
	FMLA(4, 21, 25)
	FMLA(8, 22, 26)
	FMLA(12, 23, 27)
	FMLS_E(20, 0, 31, 0)
	FMLS_E(21, 4, 31, 0)
	FMLS_E(22, 8, 31, 0)
	FMLS_E(23, 12, 31, 0)
	FMUL(20, 20, 16)
	FMUL(21, 21, 17)
	FMUL(22, 22, 18)
	FMUL(23, 23, 19)
	CBNZ  part, gpart
	FMOVQ F20, (gr)
	NEXTROW(gr, gr, ldgb)
	FMOVQ F21, (gr)
	NEXTROW(gr, gr, ldgb)
	FMOVQ F22, (gr)
	NEXTROW(gr, gr, ldgb)
	FMOVQ F23, (gr)
	ADD   $16, off
	SUB   $LANES, left
	B     vnext

vpart:
	LDPART(gr, part, F16, V16, spare)
	B hfma

mpart:
	LDPART(mr, part, F24, V24, spare)
	LDPART(kr, part, F16, V16, spare)
	ADJ_NEXT4X1
	LDPART(mr, part, F25, V25, spare)
	LDPART(kr, part, F17, V17, spare)
	ADJ_NEXT4X1
	LDPART(mr, part, F26, V26, spare)
	LDPART(kr, part, F18, V18, spare)
	ADJ_NEXT4X1
	LDPART(mr, part, F27, V27, spare)
	LDPART(kr, part, F19, V19, spare)
	B kbar

gpart:
	STPART(F20, V20, gr, part, spare)
	NEXTROW(gr, gr, ldgb)
	STPART(F21, V21, gr, part, spare)
	NEXTROW(gr, gr, ldgb)
	STPART(F22, V22, gr, part, spare)
	NEXTROW(gr, gr, ldgb)
	STPART(F23, V23, gr, part, spare)

rownext:
	// next four rows, or the next row
	MOVD $4, spare
	CMP  $4, rows
	BGE  rowadd
	MOVD $1, spare

rowadd:
	MADD spare, gp, ldgb, gp
	MADD spare, kp, ldkb, kp
	MADD spare, mp, ldmb, mp
	MADD spare, ap, ldab, ap
	ADD  spare<<ESHIFT, up
	SUBS spare, rows
	BNE  rowloop
	RET
