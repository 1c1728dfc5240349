// Begin for both types, AVX-512. The including file defines the type with
// type_amd64.h. The stack slots of the arguments hold the number of rows left and the pointers u, w, r and s.

	MOVQ  n+8(FP), bytes
	MOVQ  k+16(FP), row
	MOVQ  ldk+24(FP), ld
	MOVQ  mat+32(FP), mrow
	MOVQ  ldm+40(FP), lm
	MOVQ  v+48(FP), x
	MOVQ  q+88(FP), y
	SHLQ  $logk, bytes
	SHLQ  $logk, ld
	SHLQ  $logk, lm
	LEAQ  (ld)(ld*2), ld3
	LEAQ  (lm)(lm*2), lm3
	MOVQ  bytes, whole
	ANDQ  $-64, whole
	CMPQ  whole, bytes // skip a load without elements, because such a load is slow if the next page is absent
	JEQ   rowloop
	MASKZ(p)
	movez (y)(whole*1), mask, ytail

rowloop:
	SUBQ   $4, m+0(FP)
	JLT    rowtail
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dottail

dotloop:
	// lane[r] = fma(k_rj · mat_rj, v_j, lane[r])
	move (x)(c*1), Z8
	DOT((row), (mrow), Z0)
	DOT((row)(ld*1), (mrow)(lm*1), Z1)
	DOT((row)(ld*2), (mrow)(lm*2), Z2)
	DOT((row)(ld3*1), (mrow)(lm3*1), Z3)
	ADDQ $64, row
	ADDQ $64, mrow
	ADDQ $64, c
	CMPQ c, whole
	JLT  dotloop

dottail:
	CMPQ  c, bytes
	JEQ   fold
	movez (x)(c*1), mask, Z8
	DOTZ((row), (mrow), Z0)
	DOTZ((row)(ld*1), (mrow)(lm*1), Z1)
	DOTZ((row)(ld*2), (mrow)(lm*2), Z2)
	DOTZ((row)(ld3*1), (mrow)(lm3*1), Z3)

fold:
	// Fold the lanes. First combine rows 0 and 2 in one register, and rows 1 and 3 in another register. Then combine all four
	// rows in one register, in order at the end
	HALFZ(Z0, Z2)
	HALFZ(Z1, Z3)
	QUARTERZ(Z0, Z1)
	FOLDFOURZ
	LAST4Z

	// r_r = sum_r, s_r = w_r r_r
	MOVQ  r+72(FP), p
	move  four, (p)
	MOVQ  w+64(FP), p
	mul   (p), four, four
	MOVQ  s+80(FP), p
	move  four, (p)
	bcast (p), Z16
	bcast (1*size)(p), Z17
	bcast (2*size)(p), Z18
	bcast (3*size)(p), Z19
	MOVQ  u+56(FP), p
	bcast (p), Z20
	bcast (1*size)(p), Z21
	bcast (2*size)(p), Z22
	bcast (3*size)(p), Z23
	ADDQ  $(4*size), u+56(FP)
	ADDQ  $(4*size), w+64(FP)
	ADDQ  $(4*size), r+72(FP)
	ADDQ  $(4*size), s+80(FP)

	// add to q, from the last column to the first; row and mrow point to the partial step
	CMPQ c, bytes
	JEQ  addwhole
	ADDKMZ((row), (mrow), Z16, Z20)
	ADDKMZ((row)(ld*1), (mrow)(lm*1), Z17, Z21)
	ADDKMZ((row)(ld*2), (mrow)(lm*2), Z18, Z22)
	ADDKMZ((row)(ld3*1), (mrow)(lm3*1), Z19, Z23)

addwhole:
	TESTQ c, c
	JEQ   rownext

addloop:
	// q_j = fma(k_rj, fma(u_r, mat_rj, s_r), q_j)
	SUBQ $64, row
	SUBQ $64, mrow
	SUBQ $64, c
	move (y)(c*1), Z0
	ADDKM((row), (mrow), Z16, Z20)
	ADDKM((row)(ld*1), (mrow)(lm*1), Z17, Z21)
	ADDKM((row)(ld*2), (mrow)(lm*2), Z18, Z22)
	ADDKM((row)(ld3*1), (mrow)(lm3*1), Z19, Z23)
	move Z0, (y)(c*1)
	JNE  addloop

rownext:
	LEAQ (row)(ld*4), row
	LEAQ (mrow)(lm*4), mrow
	JMP  rowloop

rowtail:
	ADDQ $4, m+0(FP)
	JEQ  done

row1loop:
	VPXORQ Z0, Z0, Z0
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot1tail

dot1loop:
	// lane = fma(k_j · mat_j, v_j, lane)
	move (x)(c*1), Z8
	DOT((row)(c*1), (mrow)(c*1), Z0)
	ADDQ $64, c
	CMPQ c, whole
	JLT  dot1loop

dot1tail:
	CMPQ  c, bytes
	JEQ   fold1
	movez (x)(c*1), mask, Z8
	DOTZ((row)(c*1), (mrow)(c*1), Z0)

fold1:
	// add the upper half of the lanes to the lower half, until one lane is left
	FOLDONEZ
	LAST1Z

	// r = sum, s = w r
	MOVQ    r+72(FP), p
	moveone X0, (p)
	MOVQ    w+64(FP), p
	mulone  (p), X0, X0
	MOVQ    s+80(FP), p
	moveone X0, (p)
	bcast   X0, Z16
	MOVQ    u+56(FP), p
	bcast   (p), Z20
	ADDQ    $size, u+56(FP)
	ADDQ    $size, w+64(FP)
	ADDQ    $size, r+72(FP)
	ADDQ    $size, s+80(FP)

	// add to q, from the last column to the first
	CMPQ c, bytes
	JEQ  add1whole
	ADDKMZ((row)(c*1), (mrow)(c*1), Z16, Z20)

add1whole:
	TESTQ c, c
	JEQ   row1next

add1loop:
	// q_j = fma(k_j, fma(u, mat_j, s), q_j)
	SUBQ $64, c
	move (y)(c*1), Z0
	ADDKM((row)(c*1), (mrow)(c*1), Z16, Z20)
	move Z0, (y)(c*1)
	JNE  add1loop

row1next:
	ADDQ ld, row
	ADDQ lm, mrow
	DECQ m+0(FP)
	JNE  row1loop

done:
	CMPQ whole, bytes
	JEQ  end
	move ytail, mask, (y)(whole*1)

end:
	VZEROUPPER
	RET
