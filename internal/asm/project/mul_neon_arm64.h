// y_il = y_il + Σ_k x_ik b_kl.
//
// A tile has eight rows. If only three to seven rows are left, the tile computes and stores the last row several times. If
// only one or two rows are left, the code computes one row at a time, and all eight pointers of the 8×1 tile point to this
// row.

	LSL $ESHIFT, ldyb
	LSL $ESHIFT, ldxb
	LSL $ESHIFT, ldbb

rowloop:
	// spare = the last row of the tile
	MOVD $7, spare
	CMP  $8, rows
	BGE  pointers
	SUB  $1, rows, spare
	CMP  $3, rows
	BGE  pointers
	MOVD $0, spare

pointers:
	MUL  spare, ldyb, ylast
	ADD  yp, ylast
	MADD spare, xp, ldxb, spare // xlast

	// the pointers to the rows do not pass the last row
	MOVD xp, x0
	NEXTROW(x0, x1, ldxb, spare)
	NEXTROW(x1, x2, ldxb, spare)
	NEXTROW(x2, x3, ldxb, spare)
	NEXTROW(x3, x4, ldxb, spare)
	NEXTROW(x4, x5, ldxb, spare)
	NEXTROW(x5, x6, ldxb, spare)
	NEXTROW(x6, x7, ldxb, spare)
	MOVD yp, yc
	MOVD bp, bc
	MOVD ps, left
	CMP  $3, rows
	BLT  single
	SUBS $(2*LANES), left
	BLT  vectors

colloop:
	// Tile 8×2: sums begin at +0 or at y
	MOVD bc, bk
	MOVD depth, k
	MOVBU add+72(FP), spare
	CBZ  spare, zero8x2
	MOVD yc, yr
	FLDPQ (yr), (F0, F1)
	NEXTROW(yr, yr, ldyb, ylast)
	FLDPQ (yr), (F2, F3)
	NEXTROW(yr, yr, ldyb, ylast)
	FLDPQ (yr), (F4, F5)
	NEXTROW(yr, yr, ldyb, ylast)
	FLDPQ (yr), (F6, F7)
	NEXTROW(yr, yr, ldyb, ylast)
	FLDPQ (yr), (F8, F9)
	NEXTROW(yr, yr, ldyb, ylast)
	FLDPQ (yr), (F10, F11)
	NEXTROW(yr, yr, ldyb, ylast)
	FLDPQ (yr), (F12, F13)
	NEXTROW(yr, yr, ldyb, ylast)
	FLDPQ (yr), (F14, F15)
	B kloop8x2

zero8x2:
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	ZERO4(V8, V9, V10, V11)
	ZERO4(V12, V13, V14, V15)

kloop8x2:
	// y_il = fma(x_ik, b_kl, y_il)
	FLDPQ (bk), (F16, F17)
	ADD   ldbb, bk
	LDE_P(x0, F20)
	LDE_P(x1, F21)
	LDE_P(x2, F22)
	LDE_P(x3, F23)
	LDE_P(x4, F24)
	LDE_P(x5, F25)
	LDE_P(x6, F26)
	LDE_P(x7, F27)
	FMLA_E(0, 16, 20, 0)
	FMLA_E(1, 17, 20, 0)
	FMLA_E(2, 16, 21, 0)
	FMLA_E(3, 17, 21, 0)
	FMLA_E(4, 16, 22, 0)
	FMLA_E(5, 17, 22, 0)
	FMLA_E(6, 16, 23, 0)
	FMLA_E(7, 17, 23, 0)
	FMLA_E(8, 16, 24, 0)
	FMLA_E(9, 17, 24, 0)
	FMLA_E(10, 16, 25, 0)
	FMLA_E(11, 17, 25, 0)
	FMLA_E(12, 16, 26, 0)
	FMLA_E(13, 17, 26, 0)
	FMLA_E(14, 16, 27, 0)
	FMLA_E(15, 17, 27, 0)
	SUBS $1, k
	BNE  kloop8x2

	SUB depth<<ESHIFT, x0
	SUB depth<<ESHIFT, x1
	SUB depth<<ESHIFT, x2
	SUB depth<<ESHIFT, x3
	SUB depth<<ESHIFT, x4
	SUB depth<<ESHIFT, x5
	SUB depth<<ESHIFT, x6
	SUB depth<<ESHIFT, x7
	MOVD yc, yr
	FSTPQ (F0, F1), (yr)
	NEXTROW(yr, yr, ldyb, ylast)
	FSTPQ (F2, F3), (yr)
	NEXTROW(yr, yr, ldyb, ylast)
	FSTPQ (F4, F5), (yr)
	NEXTROW(yr, yr, ldyb, ylast)
	FSTPQ (F6, F7), (yr)
	NEXTROW(yr, yr, ldyb, ylast)
	FSTPQ (F8, F9), (yr)
	NEXTROW(yr, yr, ldyb, ylast)
	FSTPQ (F10, F11), (yr)
	NEXTROW(yr, yr, ldyb, ylast)
	FSTPQ (F12, F13), (yr)
	NEXTROW(yr, yr, ldyb, ylast)
	FSTPQ (F14, F15), (yr)
	ADD  $32, yc
	ADD  $32, ylast
	ADD  $32, bc
	SUBS $(2*LANES), left
	BGE  colloop

vectors:
	ADDS $(2*LANES), left
	B    vnext

single:
	SUBS $(4*LANES), left
	BLT  singlerest

col1loop:
	// Tile 1×4
	MOVD  bc, bk
	MOVD  depth, k
	MOVBU add+72(FP), spare
	CBZ   spare, zero1x4
	FLDPQ (yc), (F0, F1)
	FLDPQ 32(yc), (F2, F3)
	B     kloop1x4

zero1x4:
	ZERO4(V0, V1, V2, V3)

kloop1x4:
	// y_il = fma(x_ik, b_kl, y_il)
	FLDPQ 32(bk), (F18, F19)
	FLDPQ (bk), (F16, F17)
	ADD   ldbb, bk
	LDE_P(x0, F20)
	FMLA_E(0, 16, 20, 0)
	FMLA_E(1, 17, 20, 0)
	FMLA_E(2, 18, 20, 0)
	FMLA_E(3, 19, 20, 0)
	SUBS  $1, k
	BNE   kloop1x4

	SUB     depth<<ESHIFT, x0
	FSTPQ   (F2, F3), 32(yc)
	FSTPQ.P (F0, F1), 64(yc)
	ADD     $64, ylast
	ADD     $64, bc
	SUBS    $(4*LANES), left
	BGE     col1loop

singlerest:
	ADDS $(4*LANES), left
	BEQ  rownext

vnext:
	CBZ  left, rownext
	MOVD $0, part
	CMP  $LANES, left
	BGE  tile8x1
	MOVD left, part

tile8x1:
	// Tile 8×1: a whole register, or part columns of it
	MOVD bc, bk
	MOVD depth, k
	ZERO4(V0, V2, V4, V6)
	ZERO4(V8, V10, V12, V14)
	MOVBU add+72(FP), spare
	CBZ  spare, kloop8x1
	MOVD yc, yr
	CBNZ part, loadpart
	FMOVQ (yr), F0
	NEXTROW(yr, yr, ldyb, ylast)
	FMOVQ (yr), F2
	NEXTROW(yr, yr, ldyb, ylast)
	FMOVQ (yr), F4
	NEXTROW(yr, yr, ldyb, ylast)
	FMOVQ (yr), F6
	NEXTROW(yr, yr, ldyb, ylast)
	FMOVQ (yr), F8
	NEXTROW(yr, yr, ldyb, ylast)
	FMOVQ (yr), F10
	NEXTROW(yr, yr, ldyb, ylast)
	FMOVQ (yr), F12
	NEXTROW(yr, yr, ldyb, ylast)
	FMOVQ (yr), F14
	B kloop8x1

loadpart:
	LDPART(yr, part, F0, V0, spare)
	NEXTROW(yr, yr, ldyb, ylast)
	LDPART(yr, part, F2, V2, spare)
	NEXTROW(yr, yr, ldyb, ylast)
	LDPART(yr, part, F4, V4, spare)
	NEXTROW(yr, yr, ldyb, ylast)
	LDPART(yr, part, F6, V6, spare)
	NEXTROW(yr, yr, ldyb, ylast)
	LDPART(yr, part, F8, V8, spare)
	NEXTROW(yr, yr, ldyb, ylast)
	LDPART(yr, part, F10, V10, spare)
	NEXTROW(yr, yr, ldyb, ylast)
	LDPART(yr, part, F12, V12, spare)
	NEXTROW(yr, yr, ldyb, ylast)
	LDPART(yr, part, F14, V14, spare)

kloop8x1:
	// y_il = fma(x_ik, b_kl, y_il)
	CBNZ  part, kpart
	FMOVQ (bk), F16

kfma:
	ADD ldbb, bk
	LDE_P(x0, F20)
	LDE_P(x1, F21)
	LDE_P(x2, F22)
	LDE_P(x3, F23)
	LDE_P(x4, F24)
	LDE_P(x5, F25)
	LDE_P(x6, F26)
	LDE_P(x7, F27)
	FMLA_E(0, 16, 20, 0)
	FMLA_E(2, 16, 21, 0)
	FMLA_E(4, 16, 22, 0)
	FMLA_E(6, 16, 23, 0)
	FMLA_E(8, 16, 24, 0)
	FMLA_E(10, 16, 25, 0)
	FMLA_E(12, 16, 26, 0)
	FMLA_E(14, 16, 27, 0)
	SUBS $1, k
	BNE  kloop8x1
	B    store

kpart:
	LDPART(bk, part, F16, V16, spare)
	B kfma

store:
	SUB depth<<ESHIFT, x0
	SUB depth<<ESHIFT, x1
	SUB depth<<ESHIFT, x2
	SUB depth<<ESHIFT, x3
	SUB depth<<ESHIFT, x4
	SUB depth<<ESHIFT, x5
	SUB depth<<ESHIFT, x6
	SUB depth<<ESHIFT, x7
	MOVD yc, yr
	CBNZ part, storepart
	FMOVQ F0, (yr)
	NEXTROW(yr, yr, ldyb, ylast)
	FMOVQ F2, (yr)
	NEXTROW(yr, yr, ldyb, ylast)
	FMOVQ F4, (yr)
	NEXTROW(yr, yr, ldyb, ylast)
	FMOVQ F6, (yr)
	NEXTROW(yr, yr, ldyb, ylast)
	FMOVQ F8, (yr)
	NEXTROW(yr, yr, ldyb, ylast)
	FMOVQ F10, (yr)
	NEXTROW(yr, yr, ldyb, ylast)
	FMOVQ F12, (yr)
	NEXTROW(yr, yr, ldyb, ylast)
	FMOVQ F14, (yr)
	ADD $16, yc
	ADD $16, ylast
	ADD $16, bc
	SUB $LANES, left
	B   vnext

storepart:
	STPART(F0, V0, yr, part, spare)
	NEXTROW(yr, yr, ldyb, ylast)
	STPART(F2, V2, yr, part, spare)
	NEXTROW(yr, yr, ldyb, ylast)
	STPART(F4, V4, yr, part, spare)
	NEXTROW(yr, yr, ldyb, ylast)
	STPART(F6, V6, yr, part, spare)
	NEXTROW(yr, yr, ldyb, ylast)
	STPART(F8, V8, yr, part, spare)
	NEXTROW(yr, yr, ldyb, ylast)
	STPART(F10, V10, yr, part, spare)
	NEXTROW(yr, yr, ldyb, ylast)
	STPART(F12, V12, yr, part, spare)
	NEXTROW(yr, yr, ldyb, ylast)
	STPART(F14, V14, yr, part, spare)

rownext:
	// next eight rows, or three to seven, or one
	MOVD $8, spare
	CMP  $8, rows
	BGE  rowadd
	MOVD rows, spare
	CMP  $3, rows
	BGE  rowadd
	MOVD $1, spare

rowadd:
	MADD spare, xp, ldxb, xp
	MADD spare, yp, ldyb, yp
	SUBS spare, rows
	BNE  rowloop
	RET
