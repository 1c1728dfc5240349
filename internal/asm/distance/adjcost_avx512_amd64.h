// The kernel of adjcost, for the type that the including file defines.

	MOVQ  m+0(FP), rows
	MOVQ  a+72(FP), atile
	MOVQ  lda+80(FP), la
	MOVQ  u+104(FP), ui
	bcast lambda+120(FP), lambdas
	SHLQ  $logsize, la
	LEAQ  (la)(la*2), la3
	SHLQ  $logsize, ldg+32(FP)
	SHLQ  $logsize, ldk+48(FP)
	SHLQ  $logsize, ldm+64(FP)
	SHLQ  $logsize, ldb+96(FP)

rowloop:
	SUBQ $8, rows
	JLT  rowtail
	MOVQ n+8(FP), cols

colloop:
	// k̄ = 0
	colmask
	colmask3
	zero3(Z0, Z1, Z2)
	zero3(Z3, Z4, Z5)
	zero3(Z6, Z7, Z8)
	zero3(Z9, Z10, Z11)
	zero3(Z12, Z13, Z14)
	zero3(Z15, Z16, Z17)
	zero3(Z18, Z19, Z20)
	zero3(Z21, Z22, Z23)
	MOVQ n+8(FP), AX
	SUBQ cols, AX
	MOVQ b+88(FP), bp
	LEAQ (bp)(AX*size), bp

	// prefetch the tile's rows of k and mat, which the code reads after the sums. Short rows are
	// already in the first-level cache.
	CMPQ ldk+48(FP), $2048
	JLE  terms8
	MOVQ k+40(FP), ap
	LEAQ (ap)(AX*size), ap
	MOVQ ldk+48(FP), tmp
	fetch8(ap)
	MOVQ mat+56(FP), ap
	LEAQ (ap)(AX*size), ap
	MOVQ ldm+64(FP), tmp
	fetch8(ap)

terms8:
	MOVQ  ldb+96(FP), lb
	MOVQ  atile, ap
	LEAQ  (atile)(la*4), aq
	MOVQ  r+16(FP), terms
	TESTQ terms, terms
	JEQ   finishtile
	CMPQ  cols, $(2*lanes)
	JGT   qloop3
	CMPQ  cols, $lanes
	JGT   qloop2

qloop1:
	// k̄ += a_iq b_qj, 8 × 1 vector
	move.Z (bp), K1, b0
	term1((ap), Z0)
	term1((ap)(la*1), Z3)
	term1((ap)(la*2), Z6)
	term1((ap)(la3*1), Z9)
	term1((aq), Z12)
	term1((aq)(la*1), Z15)
	term1((aq)(la*2), Z18)
	term1((aq)(la3*1), Z21)
	step
	JNE    qloop1
	JMP    finishtile

qloop2:
	// k̄ += a_iq b_qj, 8 × 2 vectors
	move   (bp), b0
	move.Z 64(bp), K2, b1
	term2((ap), Z0, Z1)
	term2((ap)(la*1), Z3, Z4)
	term2((ap)(la*2), Z6, Z7)
	term2((ap)(la3*1), Z9, Z10)
	term2((aq), Z12, Z13)
	term2((aq)(la*1), Z15, Z16)
	term2((aq)(la*2), Z18, Z19)
	term2((aq)(la3*1), Z21, Z22)
	step
	JNE    qloop2
	JMP    finishtile

qloop3:
	// k̄ += a_iq b_qj, 8 × 3 vectors
	move   (bp), b0
	move   64(bp), b1
	move.Z 128(bp), K3, b2
	term3((ap), Z0, Z1, Z2)
	term3((ap)(la*1), Z3, Z4, Z5)
	term3((ap)(la*2), Z6, Z7, Z8)
	term3((ap)(la3*1), Z9, Z10, Z11)
	term3((aq), Z12, Z13, Z14)
	term3((aq)(la*1), Z15, Z16, Z17)
	term3((aq)(la*2), Z18, Z19, Z20)
	term3((aq)(la3*1), Z21, Z22, Z23)
	step
	JNE    qloop3

finishtile:
	// load v of the tile's columns, and set the pointers to the tile in k, mat and dst
	MOVQ   n+8(FP), tmp
	SUBQ   cols, tmp
	SHLQ   $logsize, tmp
	offsets(second, third, AX)
	MOVQ   v+112(FP), AX
	ADDQ   tmp, AX
	move.Z (AX), K1, Z24
	move.Z (AX)(second*1), K2, Z25
	move.Z (AX)(third*1), K3, Z26
	MOVQ   k+40(FP), kp
	MOVQ   mat+56(FP), mp
	MOVQ   dst+24(FP), gp
	ADDQ   tmp, kp
	ADDQ   tmp, mp
	ADDQ   tmp, gp
	MOVQ   ldk+48(FP), lk
	MOVQ   ldm+64(FP), lm
	MOVQ   ldg+32(FP), lg

	// dst = k (h − λ k̄), row by row
	bcast (ui), Z27
	finish3(Z0, Z1, Z2)
	nextrow
	bcast (1*size)(ui), Z27
	finish3(Z3, Z4, Z5)
	nextrow
	bcast (2*size)(ui), Z27
	finish3(Z6, Z7, Z8)
	nextrow
	bcast (3*size)(ui), Z27
	finish3(Z9, Z10, Z11)
	nextrow
	bcast (4*size)(ui), Z27
	finish3(Z12, Z13, Z14)
	nextrow
	bcast (5*size)(ui), Z27
	finish3(Z15, Z16, Z17)
	nextrow
	bcast (6*size)(ui), Z27
	finish3(Z18, Z19, Z20)
	nextrow
	bcast (7*size)(ui), Z27
	finish3(Z21, Z22, Z23)

	MOVQ lda+80(FP), la
	SHLQ $logsize, la
	LEAQ (la)(la*2), la3
	SUBQ $(3*lanes), cols
	JGT  colloop

	// next 8 rows
	LEAQ (atile)(la*8), atile
	ADDQ $(8*size), ui
	SHLQ $3, lk
	SHLQ $3, lm
	SHLQ $3, lg
	ADDQ lk, k+40(FP)
	ADDQ lm, mat+56(FP)
	ADDQ lg, dst+24(FP)
	JMP  rowloop

rowtail:
	ADDQ $8, rows
	JEQ  done

row1loop:
	MOVQ n+8(FP), cols

col1loop:
	// k̄ = 0, 1 × 3 vectors
	colmask
	colmask3
	zero3(Z0, Z1, Z2)
	MOVQ  n+8(FP), tmp
	SUBQ  cols, tmp
	MOVQ  b+88(FP), bp
	LEAQ  (bp)(tmp*size), bp
	offsets(second, third, lb)
	MOVQ  ldb+96(FP), lb
	MOVQ  atile, ap
	MOVQ  r+16(FP), terms
	TESTQ terms, terms
	JEQ   finish1

q1loop:
	// k̄ += a_iq b_qj
	move.Z (bp), K1, b0
	move.Z (bp)(second*1), K2, b1
	move.Z (bp)(third*1), K3, b2
	term3((ap), Z0, Z1, Z2)
	step1
	JNE    q1loop

finish1:
	MOVQ   n+8(FP), tmp
	SUBQ   cols, tmp
	SHLQ   $logsize, tmp
	MOVQ   v+112(FP), AX
	ADDQ   tmp, AX
	move.Z (AX), K1, Z24
	move.Z (AX)(second*1), K2, Z25
	move.Z (AX)(third*1), K3, Z26
	MOVQ   k+40(FP), kp
	MOVQ   mat+56(FP), mp
	MOVQ   dst+24(FP), gp
	ADDQ   tmp, kp
	ADDQ   tmp, mp
	ADDQ   tmp, gp
	bcast  (ui), Z27
	finish3(Z0, Z1, Z2)
	SUBQ   $(3*lanes), cols
	JGT    col1loop

	// next row
	MOVQ lda+80(FP), la
	SHLQ $logsize, la
	ADDQ la, atile
	ADDQ $size, ui
	MOVQ ldk+48(FP), lk
	MOVQ ldm+64(FP), lm
	MOVQ ldg+32(FP), lg
	ADDQ lk, k+40(FP)
	ADDQ lm, mat+56(FP)
	ADDQ lg, dst+24(FP)
	DECQ rows
	JNE  row1loop

done:
	VZEROUPPER
	RET
