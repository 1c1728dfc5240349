// The kernels sums and add: parts of a pass over the matrix K with a block of four vectors, for all types, NEON.
// The including file includes type_arm64.h for the types and defines the function names SUMS and ADDS4.

TEXT SUMS, NOSPLIT, $0-56
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD k+16(FP), row
	MOVD ldk+24(FP), ld
	MOVD v+32(FP), ai
	MOVD j+40(FP), at
	MOVD lanes+48(FP), lane
	LSL  $KSHIFT, ld
	SLICES(ai, at, x0, x1, x2, x3)
	FROM(at, x0, x1, x2, x3)

sumrow:
	MOVD $0, half

sumhalf:
	// V(8r+2s) and V(8r+2s+1) hold half of the lanes of row r and vector s
	ADD  half, lane, p
	LANES2(F0, F1, F2, F3)
	LANES2(F4, F5, F6, F7)
	LANES2(F8, F9, F10, F11)
	LANES2(F12, F13, F14, F15)
	ADD  half, x0, y0
	ADD  half, x1, y1
	ADD  half, x2, y2
	ADD  half, x3, y3
	ADD  half>>WIDENED, row, k0
	ADD  ld, k0, k1
	MOVD cols, left

sumloop:
	// lane[r, s] = fma(K_rj, v_sj, lane[r, s])
	TAKE(k0, KSTEP, F16, F17, 16, 17)
	TAKE(k1, KSTEP, F18, F19, 18, 19)
	SUM2(y0, F20, F21, 20, 21, 0, 1, 8, 9)
	SUM2(y1, F22, F23, 22, 23, 2, 3, 10, 11)
	SUM2(y2, F24, F25, 24, 25, 4, 5, 12, 13)
	SUM2(y3, F26, F27, 26, 27, 6, 7, 14, 15)
	SUBS $(64>>ESHIFT), left
	BNE  sumloop

	ADD  half, lane, p
	STORE2(F0, F1, F2, F3)
	STORE2(F4, F5, F6, F7)
	STORE2(F8, F9, F10, F11)
	STORE2(F12, F13, F14, F15)
	ADD  $32, half
	CMP  $64, half
	BNE  sumhalf
	ADD  $512, lane
	ADD  ld<<1, row
	SUBS $2, rows
	BNE  sumrow
	RET

TEXT ADDS4, NOSPLIT, $0-64
	MOVD m+0(FP), rows
	MOVD n+8(FP), cols
	MOVD k+16(FP), row
	MOVD ldk+24(FP), ld
	MOVD i+40(FP), at
	MOVD q+48(FP), ai
	MOVD j+56(FP), half
	LSL  $KSHIFT, ld
	SLICES(ai, half, x0, x1, x2, x3)
	FROM(half, x0, x1, x2, x3)
	LSL  $ESHIFT, at

addrow:
	// V(2s+r) holds u_sr
	MOVD u+32(FP), ui
	MOVD (ui), p
	SPREAD2(0, 1)
	MOVD 24(ui), p
	SPREAD2(2, 3)
	MOVD 48(ui), p
	SPREAD2(4, 5)
	MOVD 72(ui), p
	SPREAD2(6, 7)
	MOVD row, k0
	ADD  ld, k0, k1
	MOVD x0, y0
	MOVD x1, y1
	MOVD x2, y2
	MOVD x3, y3
	MOVD cols, left

addloop:
	// q_sj = fma(K_rj, u_sr, q_sj), r ascending
	TAKE(k0, (KSTEP/2), F16, F17, 16, 17)
	TAKE(k1, (KSTEP/2), F18, F19, 18, 19)
	ADD2(y0, F8, F9, 8, 9, 0, 1)
	ADD2(y1, F10, F11, 10, 11, 2, 3)
	ADD2(y2, F12, F13, 12, 13, 4, 5)
	ADD2(y3, F14, F15, 14, 15, 6, 7)
	SUBS $(32>>ESHIFT), left
	BNE  addloop
	ADD  $(2<<ESHIFT), at
	ADD  ld<<1, row
	SUBS $2, rows
	BNE  addrow
	RET
