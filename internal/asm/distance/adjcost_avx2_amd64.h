// The kernel of adjcost, for the type that the including file defines.

	SHLQ $logsize, n+8(FP)
	SHLQ $logsize, ldg+32(FP)
	SHLQ $logsize, ldk+48(FP)
	SHLQ $logsize, ldm+64(FP)
	MOVQ lda+80(FP), la
	MOVQ ldb+96(FP), lb
	MOVQ u+104(FP), ui
	SHLQ $logsize, la
	SHLQ $logsize, lb
	LEAQ (la)(la*2), la3

rowloop:
	SUBQ $4, m+0(FP)
	JLT  rowtail
	XORL col, col
	MOVQ n+8(FP), left

colloop:
	SUBQ $96, left
	JLT  coltail
	xor  Y0, Y0, Y0
	xor  Y1, Y1, Y1
	xor  Y2, Y2, Y2
	xor  Y3, Y3, Y3
	xor  Y4, Y4, Y4
	xor  Y5, Y5, Y5
	xor  Y6, Y6, Y6
	xor  Y7, Y7, Y7
	xor  Y8, Y8, Y8
	xor  Y9, Y9, Y9
	xor  Y10, Y10, Y10
	xor  Y11, Y11, Y11

	STARTS
	MOVQ       ldk+48(FP), CX
	AHEAD(kp, CX)
	LEAQ       (kp)(CX*2), bp
	PREFETCHT0 (bp)(CX*1)
	PREFETCHT0 64(bp)(CX*1)
	MOVQ       ldm+64(FP), CX
	AHEAD(mp, CX)
	LEAQ       (mp)(CX*2), bp
	PREFETCHT0 (bp)(CX*1)
	PREFETCHT0 64(bp)(CX*1)

	MOVQ  a+72(FP), ap
	MOVQ  b+88(FP), bp
	ADDQ  col, bp
	MOVQ  r+16(FP), terms
	TESTQ terms, terms
	JEQ   finish

kloop:
	// sum_ij = fma(a_iq, b_qj, sum_ij)
	move (bp), Y12
	move 32(bp), Y13
	move 64(bp), Y14
	TERM((ap), Y0, Y1, Y2)
	TERM((ap)(la*1), Y3, Y4, Y5)
	TERM((ap)(la*2), Y6, Y7, Y8)
	TERM((ap)(la3*1), Y9, Y10, Y11)
	ADDQ $size, ap
	ADDQ lb, bp
	DECQ terms
	JNE  kloop

finish:
	// g_ij = k_ij fma(−λ, fma(h, mat_ij, sum_ij), h)
	STARTV
	bcast lambda+120(FP), Y13
	bcast (ui), Y15
	FINISH(0, Y0)
	FINISH(32, Y1)
	FINISH(64, Y2)
	NEXTROW
	NEXTROWG
	bcast size(ui), Y15
	FINISH(0, Y3)
	FINISH(32, Y4)
	FINISH(64, Y5)
	NEXTROW
	NEXTROWG
	bcast (2*size)(ui), Y15
	FINISH(0, Y6)
	FINISH(32, Y7)
	FINISH(64, Y8)
	NEXTROW
	NEXTROWG
	bcast (3*size)(ui), Y15
	FINISH(0, Y9)
	FINISH(32, Y10)
	FINISH(64, Y11)
	ADDQ  $96, col
	JMP   colloop

coltail:
	ADDQ $96, left
	JEQ  rownext

maskloop:
	MASK
	xor   Y0, Y0, Y0
	xor   Y1, Y1, Y1
	xor   Y2, Y2, Y2
	xor   Y3, Y3, Y3
	MOVQ  a+72(FP), ap
	MOVQ  b+88(FP), bp
	ADDQ  col, bp
	MOVQ  r+16(FP), terms
	TESTQ terms, terms
	JEQ   maskfinish

maskkloop:
	// sum_ij = fma(a_iq, b_qj, sum_ij), at most one vector of columns
	maskmove (bp), Y14, Y12
	bcast    (ap), Y4
	bcast    (ap)(la*1), Y5
	bcast    (ap)(la*2), Y6
	bcast    (ap)(la3*1), Y7
	fma      Y12, Y4, Y0
	fma      Y12, Y5, Y1
	fma      Y12, Y6, Y2
	fma      Y12, Y7, Y3
	ADDQ     $size, ap
	ADDQ     lb, bp
	DECQ     terms
	JNE      maskkloop

maskfinish:
	STARTS
	STARTV
	bcast    lambda+120(FP), Y13
	maskmove (vp), Y14, Y4
	bcast    (ui), Y15
	FINISHMASKED(Y0)
	NEXTROW
	bcast    size(ui), Y15
	FINISHMASKED(Y1)
	NEXTROW
	bcast    (2*size)(ui), Y15
	FINISHMASKED(Y2)
	NEXTROW
	bcast    (3*size)(ui), Y15
	FINISHMASKED(Y3)
	CMPQ     left, $32
	JLT      maskstore
	move     Y0, (gp)
	NEXTROWG
	move     Y1, (gp)
	NEXTROWG
	move     Y2, (gp)
	NEXTROWG
	move     Y3, (gp)
	ADDQ     $32, col
	SUBQ     $32, left
	JNE      maskloop
	JMP      rownext

maskstore:
	maskmove Y0, Y14, (gp)
	NEXTROWG
	maskmove Y1, Y14, (gp)
	NEXTROWG
	maskmove Y2, Y14, (gp)
	NEXTROWG
	maskmove Y3, Y14, (gp)

rownext:
	MOVQ ldk+48(FP), CX
	SHLQ $2, CX
	ADDQ CX, k+40(FP)
	MOVQ ldm+64(FP), CX
	SHLQ $2, CX
	ADDQ CX, mat+56(FP)
	MOVQ ldg+32(FP), CX
	SHLQ $2, CX
	ADDQ CX, dst+24(FP)
	MOVQ la, CX
	SHLQ $2, CX
	ADDQ CX, a+72(FP)
	ADDQ $(4*size), ui
	JMP  rowloop

rowtail:
	ADDQ $4, m+0(FP)
	JEQ  done

row1loop:
	XORL col, col
	MOVQ n+8(FP), left

col1loop:
	SUBQ  $96, left
	JLT   col1tail
	xor   Y0, Y0, Y0
	xor   Y1, Y1, Y1
	xor   Y2, Y2, Y2
	MOVQ  a+72(FP), ap
	MOVQ  b+88(FP), bp
	ADDQ  col, bp
	MOVQ  r+16(FP), terms
	TESTQ terms, terms
	JEQ   finish1

k1loop:
	// sum_j = fma(a_q, b_qj, sum_j)
	move (bp), Y12
	move 32(bp), Y13
	move 64(bp), Y14
	TERM((ap), Y0, Y1, Y2)
	ADDQ $size, ap
	ADDQ lb, bp
	DECQ terms
	JNE  k1loop

finish1:
	STARTS
	STARTV
	bcast lambda+120(FP), Y13
	bcast (ui), Y15
	FINISH(0, Y0)
	FINISH(32, Y1)
	FINISH(64, Y2)
	ADDQ  $96, col
	JMP   col1loop

col1tail:
	ADDQ $96, left
	JEQ  row1next

mask1loop:
	MASK
	xor   Y0, Y0, Y0
	MOVQ  a+72(FP), ap
	MOVQ  b+88(FP), bp
	ADDQ  col, bp
	MOVQ  r+16(FP), terms
	TESTQ terms, terms
	JEQ   mask1finish

mask1kloop:
	// sum_j = fma(a_q, b_qj, sum_j), at most one vector of columns
	maskmove (bp), Y14, Y12
	bcast    (ap), Y4
	fma      Y12, Y4, Y0
	ADDQ     $size, ap
	ADDQ     lb, bp
	DECQ     terms
	JNE      mask1kloop

mask1finish:
	STARTS
	STARTV
	bcast    lambda+120(FP), Y13
	maskmove (vp), Y14, Y4
	bcast    (ui), Y15
	FINISHMASKED(Y0)
	maskmove Y0, Y14, (gp)
	ADDQ     $32, col
	SUBQ     $32, left
	JGT      mask1loop

row1next:
	MOVQ ldk+48(FP), CX
	ADDQ CX, k+40(FP)
	MOVQ ldm+64(FP), CX
	ADDQ CX, mat+56(FP)
	MOVQ ldg+32(FP), CX
	ADDQ CX, dst+24(FP)
	ADDQ la, a+72(FP)
	ADDQ $size, ui
	DECQ m+0(FP)
	JNE  row1loop

done:
	VZEROUPPER
	RET
