// The kernel update: the part of a pass over the matrix K that computes u, for a block of four vectors and both
// types, AVX2. The including file includes type_amd64.h for the type and defines the function name UPDATE.

TEXT UPDATE, NOSPLIT, $0-40
	MOVQ   m+0(FP), rows
	MOVQ   lanes+8(FP), lane
	MOVQ   i+32(FP), at
	VXORPS Y15, Y15, Y15

updaterow:
	MOVQ a+16(FP), ai
	MOVQ u+24(FP), DI
	MOVL $4, c

updateloop:
	// four rows of a vector: Y(2r) holds the lower half of the lanes of row r, Y(2r+1) the
	// upper half; the lanes in memory are cleared
	move (lane), Y0
	move 32(lane), Y1
	move 256(lane), Y2
	move 288(lane), Y3
	move 512(lane), Y4
	move 544(lane), Y5
	move 768(lane), Y6
	move 800(lane), Y7
	move Y15, (lane)
	move Y15, 32(lane)
	move Y15, 256(lane)
	move Y15, 288(lane)
	move Y15, 512(lane)
	move Y15, 544(lane)
	move Y15, 768(lane)
	move Y15, 800(lane)

	// fold the lanes in halves
	add        Y1, Y0, Y0
	add        Y3, Y2, Y2
	add        Y5, Y4, Y4
	add        Y7, Y6, Y6
	VPERM2F128 $0x20, Y4, Y0, Y1
	VPERM2F128 $0x31, Y4, Y0, Y0
	VPERM2F128 $0x20, Y6, Y2, Y3
	VPERM2F128 $0x31, Y6, Y2, Y2
	add        Y0, Y1, Y0
	add        Y2, Y3, Y2
	VUNPCKLPD  Y2, Y0, Y1
	VUNPCKHPD  Y2, Y0, Y0
	add        Y0, Y1, Y0
	LAST4

	// u_r = a_r / s_r with the folded sum s_r, or u_r = s_r if a is nil
	TESTQ ai, ai
	JEQ   updatestore
	MOVQ  (ai), AX
	move  (AX)(at*size), fourt
	div   four, fourt, four
	ADDQ  $24, ai

updatestore:
	MOVQ (DI), AX
	move four, (AX)(at*size)
	ADDQ $24, DI
	ADDQ $64, lane
	DECL c
	JNE  updateloop
	ADDQ $768, lane
	ADDQ $4, at
	SUBQ $4, rows
	JNE  updaterow
	VZEROUPPER
	RET
