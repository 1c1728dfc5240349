// The body of the tile of 4 rows × 3 vectors of product_avx2_amd64.s, for the type that this file defines.

// row adds a_ik·b_k of three vectors of columns to s0, s1 and s2.
#define row(x, s0, s1, s2) \
	bcast x, Y14;        \
	fma   (bk), Y14, s0; \
	fma   Y12, Y14, s1;  \
	fma   Y13, Y14, s2

// step adds the terms of one k to the tile, with b_k in registers.
#define step \
	row((p0)(koff*1), Y0, Y1, Y2); \
	row((p1)(koff*1), Y3, Y4, Y5); \
	row((p2)(koff*1), Y6, Y7, Y8); \
	row((p3)(koff*1), Y9, Y10, Y11)

	prologue1
	prologue2
	prologue3

colloop:
	// mask of the last vector: the whole vector, or the columns left
	MOVQ    $32, koff
	MOVQ    cols+8(FP), bk
	SUBQ    $64, bk
	CMPQ    bk, koff
	CMOVQLT bk, koff
	LEAQ    tailmask<>+64(SB), bk
	SUBQ    koff, bk
	VMOVDQU (bk), Y15
	MOVQ    a+40(FP), p0
	MOVQ    c+24(FP), crow

rowloop:
	MOVQ ra+48(FP), koff
	nextrow(p0, p1)
	nextrow(p1, p2)
	nextrow(p2, p3)

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
	MOVQ     ldc+32(FP), koff
	MOVQ     crow, bk
	move     (bk), Y0
	move     32(bk), Y1
	maskmove 64(bk), Y15, Y2
	CMPQ     p1, p0
	JEQ      sum
	ADDQ     koff, bk
	move     (bk), Y3
	move     32(bk), Y4
	maskmove 64(bk), Y15, Y5
	CMPQ     p2, p1
	JEQ      sum
	ADDQ     koff, bk
	move     (bk), Y6
	move     32(bk), Y7
	maskmove 64(bk), Y15, Y8
	CMPQ     p3, p2
	JEQ      sum
	ADDQ     koff, bk
	move     (bk), Y9
	move     32(bk), Y10
	maskmove 64(bk), Y15, Y11

sum:
	MOVQ b+64(FP), bk
	MOVQ depth+16(FP), koff

	PCALIGN $32

kloop:
	// c_ij += a_ik·b_kj, two k in each iteration
	move     32(bk), Y12
	maskmove 64(bk), Y15, Y13
	step
	ADDQ     ldbb, bk
	ADDQ     kab, koff
	JEQ      store
	move     32(bk), Y12
	maskmove 64(bk), Y15, Y13
	step
	ADDQ     ldbb, bk
	ADDQ     kab, koff
	JNE      kloop

store:
	MOVQ ldc+32(FP), bk
	CMPQ cols+8(FP), $96
	JLT  storemask
	move Y0, (crow)
	move Y1, 32(crow)
	move Y2, 64(crow)
	CMPQ p1, p0
	JEQ  rowsdone
	ADDQ bk, crow
	move Y3, (crow)
	move Y4, 32(crow)
	move Y5, 64(crow)
	CMPQ p2, p1
	JEQ  rowsdone
	ADDQ bk, crow
	move Y6, (crow)
	move Y7, 32(crow)
	move Y8, 64(crow)
	CMPQ p3, p2
	JEQ  rowsdone
	ADDQ bk, crow
	move Y9, (crow)
	move Y10, 32(crow)
	move Y11, 64(crow)
	JMP  stored

storemask:
	move     Y0, (crow)
	move     Y1, 32(crow)
	maskmove Y2, Y15, 64(crow)
	CMPQ     p1, p0
	JEQ      rowsdone
	ADDQ     bk, crow
	move     Y3, (crow)
	move     Y4, 32(crow)
	maskmove Y5, Y15, 64(crow)
	CMPQ     p2, p1
	JEQ      rowsdone
	ADDQ     bk, crow
	move     Y6, (crow)
	move     Y7, 32(crow)
	maskmove Y8, Y15, 64(crow)
	CMPQ     p3, p2
	JEQ      rowsdone
	ADDQ     bk, crow
	move     Y9, (crow)
	move     Y10, 32(crow)
	maskmove Y11, Y15, 64(crow)

stored:
	// next four rows
	ADDQ bk, crow
	MOVQ ra+48(FP), koff
	LEAQ (p3)(koff*1), p0
	CMPQ p0, rows+0(FP)
	JCS  rowloop

rowsdone:
	ADDQ $96, b+64(FP)
	ADDQ $96, c+24(FP)
	SUBQ $96, cols+8(FP)
	JGT  colloop
	VZEROUPPER
	RET

#undef row
#undef step
