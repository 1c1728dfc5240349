// The kernels of the three sums of a cosine, for the type that the including file defines. The including file also
// defines the function names COSINE and LANESUM.

// func cosine(n int, x, y, sums *T)
TEXT COSINE(SB), NOSPLIT, $0-32
	MOVD n+0(FP), left
	MOVD x+8(FP), xp
	MOVD y+16(FP), yp
	MOVD sums+24(FP), lanes
	MINUSZERO
	AND  $(LANES-1), left, R5
	BEGIN4(V8, V9, V10, V11)
	BEGIN4(V12, V13, V14, V15)
	BEGIN4(V16, V17, V18, V19)
	BEGIN4(V20, V21, V22, V23)
	BEGIN4(V24, V25, V26, V27)
	BEGIN4(V28, V29, V30, V31)
	SUBS $(group/2), left
	BLT  rest

loop:
	TERM3X2(0, 8, 16, 24)
	TERM3X2(32, 10, 18, 26)
	TERM3X2(64, 12, 20, 28)
	TERM3X2(96, 14, 22, 30)
	ADD  $128, xp
	ADD  $128, yp
	SUBS $(group/2), left
	BGE  loop

rest:
	ADDS $(group/2), left
	BEQ  fold
	CMP  $LANES, left
	BLT  part0
	TERM3(8, 16, 24)
	CMP  $(2*LANES), left
	BLT  part1
	TERM3(9, 17, 25)
	CMP  $(3*LANES), left
	BLT  part2
	TERM3(10, 18, 26)
	CMP  $(4*LANES), left
	BLT  part3
	TERM3(11, 19, 27)
	CMP  $(5*LANES), left
	BLT  part4
	TERM3(12, 20, 28)
	CMP  $(6*LANES), left
	BLT  part5
	TERM3(13, 21, 29)
	CMP  $(7*LANES), left
	BLT  part6
	TERM3(14, 22, 30)
	CBZ  R5, fold
	PART3(15, 23, 31)

fold:
	OF4(FADD, 8, 8, 12)
	OF4(FADD, 16, 16, 20)
	OF4(FADD, 24, 24, 28)
	FOLDREGS(8)
	FOLDREGS(16)
	FOLDREGS(24)
	FMOVE F8, (lanes)
	FMOVE F16, ESIZE(lanes)
	FMOVE F24, (2*ESIZE)(lanes)
	RET

part0:
	PART3(8, 16, 24)
	B    fold

part1:
	CBZ  R5, fold
	PART3(9, 17, 25)
	B    fold

part2:
	CBZ  R5, fold
	PART3(10, 18, 26)
	B    fold

part3:
	CBZ  R5, fold
	PART3(11, 19, 27)
	B    fold

part4:
	CBZ  R5, fold
	PART3(12, 20, 28)
	B    fold

part5:
	CBZ  R5, fold
	PART3(13, 21, 29)
	B    fold

part6:
	CBZ  R5, fold
	PART3(14, 22, 30)
	B    fold

// func cosineLanes(n int, acc, x, y *T)
TEXT LANESUM(SB), NOSPLIT, $0-32
	MOVD n+0(FP), left
	MOVD acc+8(FP), lanes
	MOVD x+16(FP), xp
	MOVD y+24(FP), yp
	LOADLANES(lanes, F8, F9, F10, F11)
	LOADLANES(lanes, F12, F13, F14, F15)
	LOADLANES(lanes, F16, F17, F18, F19)
	LOADLANES(lanes, F20, F21, F22, F23)
	LOADLANES(lanes, F24, F25, F26, F27)
	LOADLANES(lanes, F28, F29, F30, F31)

loop:
	TERM3X2(0, 8, 16, 24)
	TERM3X2(32, 10, 18, 26)
	TERM3X2(64, 12, 20, 28)
	TERM3X2(96, 14, 22, 30)
	ADD  $128, xp
	ADD  $128, yp
	SUBS $(group/2), left
	BNE  loop

	SUB  $384, lanes
	STORELANES(lanes, F8, F9, F10, F11)
	STORELANES(lanes, F12, F13, F14, F15)
	STORELANES(lanes, F16, F17, F18, F19)
	STORELANES(lanes, F20, F21, F22, F23)
	STORELANES(lanes, F24, F25, F26, F27)
	STORELANES(lanes, F28, F29, F30, F31)
	RET
