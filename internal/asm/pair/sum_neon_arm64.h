// The kernels of a sum over one or two slices, for the type that the including file defines.
// The including file also defines:
//
//	SUM, LANESUM              function names
//	YARG, YNEXT               load and advance the address of the second slice
//	args, lanesargs           byte count of the arguments of SUM and LANESUM
//	result                    address of the result
//	TERM2, TERM, PART         add the terms of two registers, of one register, or of the last R5 elements to lanes

// func sum(n int, x *T) T or func sum(n int, x, y *T) T
TEXT SUM(SB), NOSPLIT, $0-args
	MOVD n+0(FP), left
	MOVD x+8(FP), xp
	YARG(y+16(FP))
	MINUSZERO
	AND  $(LANES-1), left, R5
	BEGIN4(V16, V17, V18, V19)
	CMP  $(4*LANES), left
	BGT  long

	CMP  $LANES, left
	BLT  short0
	TERM(16)
	CMP  $(2*LANES), left
	BLT  short1
	TERM(17)
	CMP  $(3*LANES), left
	BLT  short2
	TERM(18)
	CMP  $(4*LANES), left
	BLT  short3
	TERM(19)
	B    fold4

short0:
	PART(16)
	B    fold4

short1:
	CBZ  R5, fold4
	PART(17)
	B    fold4

short2:
	CBZ  R5, fold4
	PART(18)
	B    fold4

short3:
	CBZ  R5, fold4
	PART(19)
	B    fold4

long:
	BEGIN4(V20, V21, V22, V23)
	BEGIN4(V24, V25, V26, V27)
	BEGIN4(V28, V29, V30, V31)
	SUBS $group, left
	BLT  rest

loop:
	TERM2(0, 16)
	TERM2B(32, 18)
	TERM2(64, 20)
	TERM2B(96, 22)
	TERM2(128, 24)
	TERM2B(160, 26)
	TERM2(192, 28)
	TERM2B(224, 30)
	ADD  $256, xp
	YNEXT
	SUBS $group, left
	BGE  loop

rest:
	ADDS $group, left
	BEQ  fold16
	CMP  $LANES, left
	BLT  part0
	TERM(16)
	CMP  $(2*LANES), left
	BLT  part1
	TERM(17)
	CMP  $(3*LANES), left
	BLT  part2
	TERM(18)
	CMP  $(4*LANES), left
	BLT  part3
	TERM(19)
	CMP  $(5*LANES), left
	BLT  part4
	TERM(20)
	CMP  $(6*LANES), left
	BLT  part5
	TERM(21)
	CMP  $(7*LANES), left
	BLT  part6
	TERM(22)
	CMP  $(8*LANES), left
	BLT  part7
	TERM(23)
	CMP  $(9*LANES), left
	BLT  part8
	TERM(24)
	CMP  $(10*LANES), left
	BLT  part9
	TERM(25)
	CMP  $(11*LANES), left
	BLT  part10
	TERM(26)
	CMP  $(12*LANES), left
	BLT  part11
	TERM(27)
	CMP  $(13*LANES), left
	BLT  part12
	TERM(28)
	CMP  $(14*LANES), left
	BLT  part13
	TERM(29)
	CMP  $(15*LANES), left
	BLT  part14
	TERM(30)
	CBZ  R5, fold16
	PART(31)

fold16:
	OF4(FADD, 16, 16, 20)
	OF4(FADD, 24, 24, 28)
	OF4(FADD, 16, 16, 24)

fold4:
	FOLDREGS(16)
	FMOVE F16, result
	RET

part0:
	PART(16)
	B    fold16

part1:
	CBZ  R5, fold16
	PART(17)
	B    fold16

part2:
	CBZ  R5, fold16
	PART(18)
	B    fold16

part3:
	CBZ  R5, fold16
	PART(19)
	B    fold16

part4:
	CBZ  R5, fold16
	PART(20)
	B    fold16

part5:
	CBZ  R5, fold16
	PART(21)
	B    fold16

part6:
	CBZ  R5, fold16
	PART(22)
	B    fold16

part7:
	CBZ  R5, fold16
	PART(23)
	B    fold16

part8:
	CBZ  R5, fold16
	PART(24)
	B    fold16

part9:
	CBZ  R5, fold16
	PART(25)
	B    fold16

part10:
	CBZ  R5, fold16
	PART(26)
	B    fold16

part11:
	CBZ  R5, fold16
	PART(27)
	B    fold16

part12:
	CBZ  R5, fold16
	PART(28)
	B    fold16

part13:
	CBZ  R5, fold16
	PART(29)
	B    fold16

part14:
	CBZ  R5, fold16
	PART(30)
	B    fold16

// func lanes(n int, acc, x *T) or func lanes(n int, acc, x, y *T)
TEXT LANESUM(SB), NOSPLIT, $0-lanesargs
	MOVD n+0(FP), left
	MOVD acc+8(FP), lanes
	MOVD x+16(FP), xp
	YARG(y+24(FP))
	LOADLANES(lanes, F16, F17, F18, F19)
	LOADLANES(lanes, F20, F21, F22, F23)
	LOADLANES(lanes, F24, F25, F26, F27)
	LOADLANES(lanes, F28, F29, F30, F31)

loop:
	TERM2(0, 16)
	TERM2B(32, 18)
	TERM2(64, 20)
	TERM2B(96, 22)
	TERM2(128, 24)
	TERM2B(160, 26)
	TERM2(192, 28)
	TERM2B(224, 30)
	ADD  $256, xp
	YNEXT
	SUBS $group, left
	BNE  loop

	SUB  $256, lanes
	STORELANES(lanes, F16, F17, F18, F19)
	STORELANES(lanes, F20, F21, F22, F23)
	STORELANES(lanes, F24, F25, F26, F27)
	STORELANES(lanes, F28, F29, F30, F31)
	RET
