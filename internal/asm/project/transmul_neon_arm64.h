// g_lk = g_lk + Σ_i y_il x_ik.
//
// A panel of columns k stays in the first-level cache for all rows l. If
// fewer than four rows l are left, the code computes one row at a time. Then all four pointers of the 4×1 tile point to this
// row, which is computed and stored four times.

	LSL  $ESHIFT, ldgb
	LSL  $ESHIFT, ldxb
	LSL  $ESHIFT, ldyb
	SUBS $(4*LANES), depth, left
	BLT  vectors

panel:
	MOVD gp, g0
	MOVD yp, y0
	SUBS $4, ps, lleft
	BLT  single

lloop:
	// Tile 4×4: sums begin at +0 or at g
	ADD   ldgb, g0, g1
	ADD   ldgb, g1, g2
	ADD   ldgb, g2, g3
	MOVD  xp, xi
	MOVD  y0, yi
	MOVD  rows, i
	CBZ   adding, zero4x4
	FLDPQ (g0), (F0, F1)
	FLDPQ 32(g0), (F2, F3)
	FLDPQ (g1), (F4, F5)
	FLDPQ 32(g1), (F6, F7)
	FLDPQ (g2), (F8, F9)
	FLDPQ 32(g2), (F10, F11)
	FLDPQ (g3), (F12, F13)
	FLDPQ 32(g3), (F14, F15)
	B     iloop4x4

zero4x4:
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	ZERO4(V8, V9, V10, V11)
	ZERO4(V12, V13, V14, V15)

iloop4x4:
	// g_lk = fma(y_il, x_ik, g_lk)
	FLDPQ (xi), (F16, F17)
	FLDPQ 32(xi), (F18, F19)
	ADD   ldxb, xi
	LDROWS(yi, F20, F21)
	ADD   ldyb, yi
	FMLA_ROW0(0, 16, 20)
	FMLA_ROW0(1, 17, 20)
	FMLA_ROW0(2, 18, 20)
	FMLA_ROW0(3, 19, 20)
	FMLA_ROW1(4, 16, 20)
	FMLA_ROW1(5, 17, 20)
	FMLA_ROW1(6, 18, 20)
	FMLA_ROW1(7, 19, 20)
	FMLA_ROW2(8, 16, 20)
	FMLA_ROW2(9, 17, 20)
	FMLA_ROW2(10, 18, 20)
	FMLA_ROW2(11, 19, 20)
	FMLA_ROW3(12, 16, 20)
	FMLA_ROW3(13, 17, 20)
	FMLA_ROW3(14, 18, 20)
	FMLA_ROW3(15, 19, 20)
	SUBS  $1, i
	BNE   iloop4x4

	FSTPQ (F0, F1), (g0)
	FSTPQ (F2, F3), 32(g0)
	FSTPQ (F4, F5), (g1)
	FSTPQ (F6, F7), 32(g1)
	FSTPQ (F8, F9), (g2)
	FSTPQ (F10, F11), 32(g2)
	FSTPQ (F12, F13), (g3)
	FSTPQ (F14, F15), 32(g3)
	ADD   ldgb<<2, g0
	ADD   $(4*ESIZE), y0
	SUBS  $4, lleft
	BGE   lloop

single:
	ADDS $4, lleft
	BEQ  panelnext

l1loop:
	// Tile 1×4
	MOVD  xp, xi
	MOVD  y0, yi
	MOVD  rows, i
	CBZ   adding, zero1x4
	FLDPQ (g0), (F0, F1)
	FLDPQ 32(g0), (F2, F3)
	B     iloop1x4

zero1x4:
	ZERO4(V0, V1, V2, V3)

iloop1x4:
	// g_lk = fma(y_il, x_ik, g_lk)
	FLDPQ (xi), (F16, F17)
	FLDPQ 32(xi), (F18, F19)
	ADD   ldxb, xi
	LDE(yi, F20)
	ADD   ldyb, yi
	FMLA_ROW0(0, 16, 20)
	FMLA_ROW0(1, 17, 20)
	FMLA_ROW0(2, 18, 20)
	FMLA_ROW0(3, 19, 20)
	SUBS  $1, i
	BNE   iloop1x4

	FSTPQ (F0, F1), (g0)
	FSTPQ (F2, F3), 32(g0)
	ADD   ldgb, g0
	ADD   $ESIZE, y0
	SUBS  $1, lleft
	BNE   l1loop

panelnext:
	ADD  $64, xp
	ADD  $64, gp
	SUBS $(4*LANES), left
	BGE  panel

vectors:
	ADD $(4*LANES), left

vnext:
	CBZ  left, done
	MOVD $0, part
	CMP  $LANES, left
	BGE  vpanel
	MOVD left, part

vpanel:
	// Panel of a whole register, or of part columns
	MOVD gp, g0
	MOVD yp, y0
	MOVD ps, lleft

vlloop:
	MOVD g0, g1
	MOVD g0, g2
	MOVD g0, g3
	MOVD y0, y1
	MOVD y0, y2
	MOVD y0, y3
	MOVD y0, yi
	CMP  $4, lleft
	BLT  tile4x1
	ADD  ldgb, g0, g1
	ADD  ldgb, g1, g2
	ADD  ldgb, g2, g3
	ADD  $(1*ESIZE), y0, y1
	ADD  $(2*ESIZE), y0, y2
	ADD  $(3*ESIZE), y0, y3

tile4x1:
	// Tile 4×1
	MOVD  xp, xi
	MOVD  rows, i
	ZERO4(V0, V4, V8, V12)
	CBZ   adding, iloop4x1
	CBNZ  part, loadpart
	FMOVQ (g0), F0
	FMOVQ (g1), F4
	FMOVQ (g2), F8
	FMOVQ (g3), F12
	B     iloop4x1

loadpart:
	LDPART(g0, part, F0, V0, spare)
	LDPART(g1, part, F4, V4, spare)
	LDPART(g2, part, F8, V8, spare)
	LDPART(g3, part, F12, V12, spare)

iloop4x1:
	// g_lk = fma(y_il, x_ik, g_lk)
	CBNZ  part, ipart
	FMOVQ (xi), F16

ifma:
	ADD  ldxb, xi
	LDE(yi, F20)
	LDE(y1, F21)
	LDE(y2, F22)
	LDE(y3, F23)
	ADD  ldyb, yi
	ADD  ldyb, y1
	ADD  ldyb, y2
	ADD  ldyb, y3
	FMLA_E(0, 16, 20, 0)
	FMLA_E(4, 16, 21, 0)
	FMLA_E(8, 16, 22, 0)
	FMLA_E(12, 16, 23, 0)
	SUBS $1, i
	BNE  iloop4x1
	B    store

ipart:
	LDPART(xi, part, F16, V16, spare)
	B ifma

store:
	CBNZ  part, storepart
	FMOVQ F0, (g0)
	FMOVQ F4, (g1)
	FMOVQ F8, (g2)
	FMOVQ F12, (g3)
	B     vlnext

storepart:
	STPART(F0, V0, g0, part, spare)
	STPART(F4, V4, g1, part, spare)
	STPART(F8, V8, g2, part, spare)
	STPART(F12, V12, g3, part, spare)

vlnext:
	// next four rows, or the next row
	MOVD $4, spare
	CMP  $4, lleft
	BGE  vladd
	MOVD $1, spare

vladd:
	MADD spare, g0, ldgb, g0
	ADD  spare<<ESHIFT, y0
	SUBS spare, lleft
	BNE  vlloop

	CBNZ part, done
	ADD  $16, xp
	ADD  $16, gp
	SUB  $LANES, left
	B    vnext

done:
	RET
