// The body of the tile of 5 rows × 2 vectors of product_avx2_amd64.s, for the type that this file defines.

// row adds a_ik·b_k of two vectors of columns to s0 and s1.
#define row(x, t, s0, s1) \
	bcast x, t;       \
	fma   t, Y10, s0; \
	fma   t, Y11, s1

// step adds the terms of one k to the tile, with b_k in registers.
#define step \
	row((p0)(koff*1), Y12, Y0, Y1); \
	row((p1)(koff*1), Y13, Y2, Y3); \
	row((p2)(koff*1), Y14, Y4, Y5); \
	row((p3)(koff*1), Y12, Y6, Y7); \
	row((p4)(koff*1), Y13, Y8, Y9)

	prologue1
	prologue2
	prologue3

colloop:
	// mask of the last vector: the whole vector, or the columns left
	MOVQ    $32, koff
	MOVQ    cols+8(FP), bk
	SUBQ    $32, bk
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
	nextrow(p3, p4)

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
	CMPB  more+80(FP), $0
	JEQ   sum

	// c_ij = c if more is set
	MOVQ     ldc+32(FP), koff
	MOVQ     crow, bk
	move     (bk), Y0
	maskmove 32(bk), Y15, Y1
	CMPQ     p1, p0
	JEQ      sum
	ADDQ     koff, bk
	move     (bk), Y2
	maskmove 32(bk), Y15, Y3
	CMPQ     p2, p1
	JEQ      sum
	ADDQ     koff, bk
	move     (bk), Y4
	maskmove 32(bk), Y15, Y5
	CMPQ     p3, p2
	JEQ      sum
	ADDQ     koff, bk
	move     (bk), Y6
	maskmove 32(bk), Y15, Y7
	CMPQ     p4, p3
	JEQ      sum
	ADDQ     koff, bk
	move     (bk), Y8
	maskmove 32(bk), Y15, Y9

sum:
	MOVQ b+64(FP), bk
	MOVQ depth+16(FP), koff

	PCALIGN $32

kloop:
	// c_ij += a_ik·b_kj, two k in each iteration
	move     (bk), Y10
	maskmove 32(bk), Y15, Y11
	step
	ADDQ     ldbb, bk
	ADDQ     kab, koff
	JEQ      store
	move     (bk), Y10
	maskmove 32(bk), Y15, Y11
	step
	ADDQ     ldbb, bk
	ADDQ     kab, koff
	JNE      kloop

store:
	MOVQ ldc+32(FP), bk
	CMPQ cols+8(FP), $64
	JLT  storemask
	move Y0, (crow)
	move Y1, 32(crow)
	CMPQ p1, p0
	JEQ  rowsdone
	ADDQ bk, crow
	move Y2, (crow)
	move Y3, 32(crow)
	CMPQ p2, p1
	JEQ  rowsdone
	ADDQ bk, crow
	move Y4, (crow)
	move Y5, 32(crow)
	CMPQ p3, p2
	JEQ  rowsdone
	ADDQ bk, crow
	move Y6, (crow)
	move Y7, 32(crow)
	CMPQ p4, p3
	JEQ  rowsdone
	ADDQ bk, crow
	move Y8, (crow)
	move Y9, 32(crow)
	JMP  stored

storemask:
	move     Y0, (crow)
	maskmove Y1, Y15, 32(crow)
	CMPQ     p1, p0
	JEQ      rowsdone
	ADDQ     bk, crow
	move     Y2, (crow)
	maskmove Y3, Y15, 32(crow)
	CMPQ     p2, p1
	JEQ      rowsdone
	ADDQ     bk, crow
	move     Y4, (crow)
	maskmove Y5, Y15, 32(crow)
	CMPQ     p3, p2
	JEQ      rowsdone
	ADDQ     bk, crow
	move     Y6, (crow)
	maskmove Y7, Y15, 32(crow)
	CMPQ     p4, p3
	JEQ      rowsdone
	ADDQ     bk, crow
	move     Y8, (crow)
	maskmove Y9, Y15, 32(crow)

stored:
	// next five rows
	ADDQ bk, crow
	MOVQ ra+48(FP), koff
	LEAQ (p4)(koff*1), p0
	CMPQ p0, rows+0(FP)
	JCS  rowloop

rowsdone:
	ADDQ $64, b+64(FP)
	ADDQ $64, c+24(FP)
	SUBQ $64, cols+8(FP)
	JGT  colloop
	VZEROUPPER
	RET

#undef row
#undef step
