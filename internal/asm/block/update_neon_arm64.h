// The kernel update: the part of a pass over the matrix K that computes u, for a block of four vectors and both
// types, NEON. The including file includes type_arm64.h for the type and defines the function name UPDATE.

TEXT UPDATE, NOSPLIT, $0-40
	MOVD m+0(FP), rows
	MOVD lanes+8(FP), lane
	MOVD i+32(FP), at
	LSL  $ESHIFT, at
	VEOR V30.B16, V30.B16, V30.B16
	VEOR V31.B16, V31.B16, V31.B16

updaterow:
	MOVD a+16(FP), ai
	MOVD u+24(FP), ui
	MOVD $4, left

updateloop:
	// V(4r) to V(4r+3) hold the lanes of row r of four rows; the lanes in memory are cleared
	MOVD lane, p
	ROW4(F0, F1, F2, F3)
	ROW4(F4, F5, F6, F7)
	ROW4(F8, F9, F10, F11)
	ROW4(F12, F13, F14, F15)

	// fold the lanes in halves
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

	// u_r = a_r / s_r with the folded sum s_r, or u_r = s_r if a is nil
	CBZ  ai, updatestore
	MOVD (ai), p
	ADD  at, p
	LDROWS(p, F16, F17)
	OP_ROWS(FDIV, 28, 29, 16, 17, 28, 29)
	ADD  $24, ai

updatestore:
	MOVD (ui), p
	ADD  at, p
	STROWS_P(F28, F29, p)
	ADD  $24, ui
	ADD  $64, lane
	SUBS $1, left
	BNE  updateloop
	ADD  $768, lane
	ADD  $(4<<ESHIFT), at
	SUBS $4, rows
	BNE  updaterow
	RET
