// The kernel of sqEuclidean: D_ij = Σ_k (x_ik − z_kj)². If GIBBS is defined, this file is the first half of the kernel
// of gibbs, and gibbs_neon_arm64.h continues after each block of rows.
//
// The last one to three rows are computed one by one. All four pointers of the 4×1 tile then point
// to the same row, which is computed and stored four times.

	LSL $ESHIFT, lddb
	LSL $ESHIFT, ldxb
	LSL $ESHIFT, ldzb
	LSL $ESHIFT, depth, depthb

rowloop:
	MOVD xp, x0
	MOVD dp, d0
	CMP  $4, rows
	BLT  single
	MOVD $4, step
	ADD  ldxb, x0, x1
	ADD  ldxb, x1, x2
	ADD  ldxb, x2, x3
	ADD  lddb, d0, d1
	ADD  lddb, d1, d2
	ADD  lddb, d2, d3
	B    columns

single:
	MOVD $1, step
	MOVD x0, x1
	MOVD x0, x2
	MOVD x0, x3
	MOVD d0, d1
	MOVD d0, d2
	MOVD d0, d3

columns:
	MOVD zp, zc
	SUBS $(4*LANES), cols, left
	BLT  vectors

colloop:
	MOVD zc, zk
	MOVD depth, kk
	CMP  $4, step
	BNE  tile1x4

	// Tile 4×4: the distances begin with +0 or with dst
	CBZ   adding, zero4x4
	FLDPQ (d0), (F0, F1)
	FLDPQ 32(d0), (F2, F3)
	FLDPQ (d1), (F4, F5)
	FLDPQ 32(d1), (F6, F7)
	FLDPQ (d2), (F8, F9)
	FLDPQ 32(d2), (F10, F11)
	FLDPQ (d3), (F12, F13)
	FLDPQ 32(d3), (F14, F15)
	B     kloop4x4

zero4x4:
	ZERO4(V0, V1, V2, V3)
	ZERO4(V4, V5, V6, V7)
	ZERO4(V8, V9, V10, V11)
	ZERO4(V12, V13, V14, V15)
	CBZ kk, store4x4

kloop4x4:
	// t = x_ik − z_kj;  D_ij = fma(t, t, D_ij)
	FLDPQ 32(zk), (F18, F19)
	FLDPQ (zk), (F16, F17)
	ADD   ldzb, zk
	LDDUP_P(x0, V20)
	LDDUP_P(x1, V21)
	LDDUP_P(x2, V22)
	LDDUP_P(x3, V23)
	SQ1X4(20, 24, 25, 26, 27, 0, 1, 2, 3)
	SQ1X4(21, 28, 29, 30, 31, 4, 5, 6, 7)
	SQ1X4(22, 24, 25, 26, 27, 8, 9, 10, 11)
	SQ1X4(23, 28, 29, 30, 31, 12, 13, 14, 15)
	SUBS  $1, kk
	BNE   kloop4x4

store4x4:
	SUB     depthb, x0
	SUB     depthb, x1
	SUB     depthb, x2
	SUB     depthb, x3
	FSTPQ   (F2, F3), 32(d0)
	FSTPQ.P (F0, F1), 64(d0)
	FSTPQ   (F6, F7), 32(d1)
	FSTPQ.P (F4, F5), 64(d1)
	FSTPQ   (F10, F11), 32(d2)
	FSTPQ.P (F8, F9), 64(d2)
	FSTPQ   (F14, F15), 32(d3)
	FSTPQ.P (F12, F13), 64(d3)
	B       colnext

tile1x4:
	// Tile 1×4
	CBZ   adding, zero1x4
	FLDPQ (d0), (F0, F1)
	FLDPQ 32(d0), (F2, F3)
	B     kloop1x4

zero1x4:
	ZERO4(V0, V1, V2, V3)
	CBZ kk, store1x4

kloop1x4:
	// t = x_ik − z_kj;  D_ij = fma(t, t, D_ij)
	FLDPQ 32(zk), (F18, F19)
	FLDPQ (zk), (F16, F17)
	ADD   ldzb, zk
	LDDUP_P(x0, V20)
	SQ1X4(20, 24, 25, 26, 27, 0, 1, 2, 3)
	SUBS  $1, kk
	BNE   kloop1x4

store1x4:
	SUB     depthb, x0
	FSTPQ   (F2, F3), 32(d0)
	FSTPQ.P (F0, F1), 64(d0)
	MOVD    d0, d1
	MOVD    d0, d2
	MOVD    d0, d3

colnext:
	ADD  $64, zc
	SUBS $(4*LANES), left
	BGE  colloop

vectors:
	ADDS $(3*LANES), left
	BLT  tail

vloop:
	// Tile 4×1
	MOVD  zc, zk
	MOVD  depth, kk
	ZERO4(V0, V4, V8, V12)
	CBZ   adding, zero4x1
	FMOVQ (d0), F0
	FMOVQ (d1), F4
	FMOVQ (d2), F8
	FMOVQ (d3), F12

zero4x1:
	CBZ kk, store4x1

kloop4x1:
	// t = x_ik − z_kj;  D_ij = fma(t, t, D_ij)
	FMOVQ (zk), F16
	ADD   ldzb, zk
	LDDUP_P(x0, V20)
	LDDUP_P(x1, V21)
	LDDUP_P(x2, V22)
	LDDUP_P(x3, V23)
	SQ4X1
	SUBS  $1, kk
	BNE   kloop4x1

store4x1:
	SUB     depthb, x0
	SUB     depthb, x1
	SUB     depthb, x2
	SUB     depthb, x3
	FMOVQ.P F0, 16(d0)
	FMOVQ.P F4, 16(d1)
	FMOVQ.P F8, 16(d2)
	FMOVQ.P F12, 16(d3)
	ADD     $16, zc
	SUBS    $LANES, left
	BGE     vloop

tail:
	// Tile 4×1 for the last columns, which do not fill a register
	ADDS $LANES, left
	BEQ  rownext
	MOVD zc, zk
	MOVD depth, kk
	ZERO4(V0, V4, V8, V12)
	CBZ  adding, zerotail
	LDPART(d0, left, F0, V0, spare)
	LDPART(d1, left, F4, V4, spare)
	LDPART(d2, left, F8, V8, spare)
	LDPART(d3, left, F12, V12, spare)

zerotail:
	CBZ kk, storetail

ktail:
	// t = x_ik − z_kj;  D_ij = fma(t, t, D_ij)
	LDPART(zk, left, F16, V16, spare)
	ADD  ldzb, zk
	LDDUP_P(x0, V20)
	LDDUP_P(x1, V21)
	LDDUP_P(x2, V22)
	LDDUP_P(x3, V23)
	SQ4X1
	SUBS $1, kk
	BNE  ktail

storetail:
	STPART(F0, V0, d0, left, spare)
	STPART(F4, V4, d1, left, spare)
	STPART(F8, V8, d2, left, spare)
	STPART(F12, V12, d3, left, spare)

rownext:
	MUL  step, ldxb, spare
	ADD  spare, xp
#ifndef GIBBS
	MUL  step, lddb, spare
	ADD  spare, dp
	SUBS step, rows
	BNE  rowloop
	RET
#endif
