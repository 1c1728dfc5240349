// This code counts the elements with lo ≤ x_i ≤ hi. It adds −1 for each such element to a lane of V8–V11, or to all lanes of
// V12 for one of the last elements.

	ZERO4(V8, V9, V10, V11)
	VEOR V12.B16, V12.B16, V12.B16
	SUBS $(4*LANES), count, left
	BLT  vectors

loop:
	// add −1 where lo ≤ x_i and hi ≥ x_i, four registers
	FLDPQ   32(xp), (F2, F3)
	FLDPQ.P 64(xp), (F0, F1)
	FCMGE(4, 0, 30)
	FCMGE(5, 1, 30)
	FCMGE(6, 2, 30)
	FCMGE(7, 3, 30)
	FCMGE(0, 31, 0)
	FCMGE(1, 31, 1)
	FCMGE(2, 31, 2)
	FCMGE(3, 31, 3)
	VAND    V4.B16, V0.B16, V0.B16
	VAND    V5.B16, V1.B16, V1.B16
	VAND    V6.B16, V2.B16, V2.B16
	VAND    V7.B16, V3.B16, V3.B16
	ADD_V(8, 8, 0)
	ADD_V(9, 9, 1)
	ADD_V(10, 10, 2)
	ADD_V(11, 11, 3)
	SUBS    $(4*LANES), left
	BGE     loop

vectors:
	// count the elements of one register
	ADDS $(3*LANES), left
	BLT  tail

vloop:
	FMOVQ.P 16(xp), F0
	FCMGE(4, 0, 30)
	FCMGE(0, 31, 0)
	VAND    V4.B16, V0.B16, V0.B16
	ADD_V(8, 8, 0)
	SUBS    $LANES, left
	BGE     vloop

tail:
	// count one element at a time, in all lanes
	ADDS $LANES, left
	BEQ  store

tloop:
	LDDUP_P(xp, V0)
	FCMGE(4, 0, 30)
	FCMGE(0, 31, 0)
	VAND V4.B16, V0.B16, V0.B16
	ADD_V(12, 12, 0)
	SUBS $1, left
	BNE  tloop

store:
	ADD_V(8, 8, 9)
	ADD_V(10, 10, 11)
	ADD_V(8, 8, 10)
