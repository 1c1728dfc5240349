// The body of the tile of 8 rows × 1 vector of product_avx2_amd64.s, for the type that this file defines.

// row adds a_ik·b_k to s.
#define row(x, t, s) \
	bcast x, t; \
	fma   t, Y8, s

// step adds the terms of one k to the tile, with b_k in registers.
#define step \
	row((p0)(koff*1), Y9, Y0); \
	row((p1)(koff*1), Y10, Y1); \
	row((p2)(koff*1), Y11, Y2); \
	row((p3)(koff*1), Y12, Y3); \
	row((p4)(koff*1), Y9, Y4); \
	row((p5)(koff*1), Y10, Y5); \
	row((p6)(koff*1), Y11, Y6); \
	row((p7)(koff*1), Y12, Y7)

	prologue1
	prologue2
	prologue3

colloop:
	// mask of the last vector: the whole vector, or the columns left
	MOVQ    $32, koff
	MOVQ    cols+8(FP), bk
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
	nextrow(p4, p5)
	nextrow(p5, p6)
	nextrow(p6, p7)

	// c_ij = 0
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	CMPB  more+80(FP), $0
	JEQ   sum

	// c_ij = c if more is set
	MOVQ     ldc+32(FP), koff
	MOVQ     crow, bk
	maskmove (bk), Y15, Y0
	CMPQ     p1, p0
	JEQ      sum
	ADDQ     koff, bk
	maskmove (bk), Y15, Y1
	CMPQ     p2, p1
	JEQ      sum
	ADDQ     koff, bk
	maskmove (bk), Y15, Y2
	CMPQ     p3, p2
	JEQ      sum
	ADDQ     koff, bk
	maskmove (bk), Y15, Y3
	CMPQ     p4, p3
	JEQ      sum
	ADDQ     koff, bk
	maskmove (bk), Y15, Y4
	CMPQ     p5, p4
	JEQ      sum
	ADDQ     koff, bk
	maskmove (bk), Y15, Y5
	CMPQ     p6, p5
	JEQ      sum
	ADDQ     koff, bk
	maskmove (bk), Y15, Y6
	CMPQ     p7, p6
	JEQ      sum
	ADDQ     koff, bk
	maskmove (bk), Y15, Y7

sum:
	MOVQ b+64(FP), bk
	MOVQ depth+16(FP), koff

	PCALIGN $32

kloop:
	// c_ij += a_ik·b_kj, two k in each iteration
	maskmove (bk), Y15, Y8
	step
	ADDQ     ldbb, bk
	ADDQ     ka+56(FP), koff
	JEQ      store
	maskmove (bk), Y15, Y8
	step
	ADDQ     ldbb, bk
	ADDQ     ka+56(FP), koff
	JNE      kloop

store:
	MOVQ ldc+32(FP), bk
	CMPQ cols+8(FP), $32
	JLT  storemask
	move Y0, (crow)
	CMPQ p1, p0
	JEQ  rowsdone
	ADDQ bk, crow
	move Y1, (crow)
	CMPQ p2, p1
	JEQ  rowsdone
	ADDQ bk, crow
	move Y2, (crow)
	CMPQ p3, p2
	JEQ  rowsdone
	ADDQ bk, crow
	move Y3, (crow)
	CMPQ p4, p3
	JEQ  rowsdone
	ADDQ bk, crow
	move Y4, (crow)
	CMPQ p5, p4
	JEQ  rowsdone
	ADDQ bk, crow
	move Y5, (crow)
	CMPQ p6, p5
	JEQ  rowsdone
	ADDQ bk, crow
	move Y6, (crow)
	CMPQ p7, p6
	JEQ  rowsdone
	ADDQ bk, crow
	move Y7, (crow)
	JMP  stored

storemask:
	maskmove Y0, Y15, (crow)
	CMPQ     p1, p0
	JEQ      rowsdone
	ADDQ     bk, crow
	maskmove Y1, Y15, (crow)
	CMPQ     p2, p1
	JEQ      rowsdone
	ADDQ     bk, crow
	maskmove Y2, Y15, (crow)
	CMPQ     p3, p2
	JEQ      rowsdone
	ADDQ     bk, crow
	maskmove Y3, Y15, (crow)
	CMPQ     p4, p3
	JEQ      rowsdone
	ADDQ     bk, crow
	maskmove Y4, Y15, (crow)
	CMPQ     p5, p4
	JEQ      rowsdone
	ADDQ     bk, crow
	maskmove Y5, Y15, (crow)
	CMPQ     p6, p5
	JEQ      rowsdone
	ADDQ     bk, crow
	maskmove Y6, Y15, (crow)
	CMPQ     p7, p6
	JEQ      rowsdone
	ADDQ     bk, crow
	maskmove Y7, Y15, (crow)

stored:
	// next eight rows
	ADDQ bk, crow
	MOVQ ra+48(FP), koff
	LEAQ (p7)(koff*1), p0
	CMPQ p0, rows+0(FP)
	JCS  rowloop

rowsdone:
	ADDQ $32, b+64(FP)
	ADDQ $32, c+24(FP)
	SUBQ $32, cols+8(FP)
	JGT  colloop
	VZEROUPPER
	RET

#undef row
#undef step
