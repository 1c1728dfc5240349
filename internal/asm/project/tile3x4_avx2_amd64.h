// The body of the tile of 3 rows × 4 vectors of product_avx2_amd64.s, for the type that this file defines.

// col adds a_ik·b_k of the vector of columns at b to s0, s1 and s2, one for each row.
#define col(b, s0, s1, s2) \
	move b, Y15;       \
	fma  Y15, Y12, s0; \
	fma  Y15, Y13, s1; \
	fma  Y15, Y14, s2

// lastcol is col for the last, masked vector.
#define lastcol(b, s0, s1, s2) \
	VMOVDQU  (mask), Y15;  \
	maskmove b, Y15, Y15;  \
	fma      Y15, Y12, s0; \
	fma      Y15, Y13, s1; \
	fma      Y15, Y14, s2

// step adds the terms of one k to the tile.
#define step \
	bcast (p0)(koff*1), Y12;  \
	bcast (p1)(koff*1), Y13;  \
	bcast (p2)(koff*1), Y14;  \
	col((bk), Y0, Y4, Y8);    \
	col(32(bk), Y1, Y5, Y9);  \
	col(64(bk), Y2, Y6, Y10); \
	lastcol(96(bk), Y3, Y7, Y11)

	prologue1
	prologue2
	prologue3

colloop:
	// mask of the last vector: the whole vector, or the columns left
	MOVQ    $32, koff
	MOVQ    cols+8(FP), bk
	SUBQ    $96, bk
	CMPQ    bk, koff
	CMOVQLT bk, koff
	LEAQ    tailmask<>+64(SB), mask
	SUBQ    koff, mask
	MOVQ    a+40(FP), p0
	MOVQ    c+24(FP), crow

rowloop:
	MOVQ ra+48(FP), koff
	nextrow(p0, p1)
	nextrow(p1, p2)

	// c_ij = 0
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	VPXOR Y8, Y8, Y8
	VPXOR Y9, Y9, Y9
	VPXOR Y10, Y10, Y10
	VPXOR Y11, Y11, Y11
	CMPB  more+80(FP), $0
	JEQ   sum

	// c_ij = c if more is set
	VMOVDQU  (mask), Y15
	MOVQ     ldc+32(FP), koff
	MOVQ     crow, bk
	move     (bk), Y0
	move     32(bk), Y1
	move     64(bk), Y2
	maskmove 96(bk), Y15, Y3
	CMPQ     p1, p0
	JEQ      sum
	ADDQ     koff, bk
	move     (bk), Y4
	move     32(bk), Y5
	move     64(bk), Y6
	maskmove 96(bk), Y15, Y7
	CMPQ     p2, p1
	JEQ      sum
	ADDQ     koff, bk
	move     (bk), Y8
	move     32(bk), Y9
	move     64(bk), Y10
	maskmove 96(bk), Y15, Y11

sum:
	MOVQ b+64(FP), bk
	MOVQ depth+16(FP), koff

	PCALIGN $32

kloop:
	// c_ij += a_ik·b_kj, two k in each iteration
	step
	ADDQ ldbb, bk
	ADDQ kab, koff
	JEQ  store
	step
	ADDQ ldbb, bk
	ADDQ kab, koff
	JNE  kloop

store:
	MOVQ ldc+32(FP), bk
	CMPQ cols+8(FP), $128
	JLT  storemask
	move Y0, (crow)
	move Y1, 32(crow)
	move Y2, 64(crow)
	move Y3, 96(crow)
	CMPQ p1, p0
	JEQ  rowsdone
	ADDQ bk, crow
	move Y4, (crow)
	move Y5, 32(crow)
	move Y6, 64(crow)
	move Y7, 96(crow)
	CMPQ p2, p1
	JEQ  rowsdone
	ADDQ bk, crow
	move Y8, (crow)
	move Y9, 32(crow)
	move Y10, 64(crow)
	move Y11, 96(crow)
	JMP  stored

storemask:
	VMOVDQU  (mask), Y15
	move     Y0, (crow)
	move     Y1, 32(crow)
	move     Y2, 64(crow)
	maskmove Y3, Y15, 96(crow)
	CMPQ     p1, p0
	JEQ      rowsdone
	ADDQ     bk, crow
	move     Y4, (crow)
	move     Y5, 32(crow)
	move     Y6, 64(crow)
	maskmove Y7, Y15, 96(crow)
	CMPQ     p2, p1
	JEQ      rowsdone
	ADDQ     bk, crow
	move     Y8, (crow)
	move     Y9, 32(crow)
	move     Y10, 64(crow)
	maskmove Y11, Y15, 96(crow)

stored:
	// next three rows
	ADDQ bk, crow
	MOVQ ra+48(FP), koff
	LEAQ (p2)(koff*1), p0
	CMPQ p0, rows+0(FP)
	JCS  rowloop

rowsdone:
	ADDQ $128, b+64(FP)
	ADDQ $128, c+24(FP)
	SUBQ $128, cols+8(FP)
	JGT  colloop
	VZEROUPPER
	RET

#undef col
#undef lastcol
#undef step
