// Begin for both types, AVX2 + FMA. The including file defines the type with
// type_amd64.h. The stack slots of the arguments hold the number of rows left and the pointers u, w, r and s.

	MOVQ n+8(FP), bytes
	MOVQ k+16(FP), row
	MOVQ ldk+24(FP), ld
	MOVQ mat+32(FP), mrow
	MOVQ ldm+40(FP), lm
	MOVQ v+48(FP), x
	MOVQ q+88(FP), y
	SHLQ $logk, bytes
	SHLQ $logk, ld
	SHLQ $logk, lm
	LEAQ (ld)(ld*2), ld3
	LEAQ (lm)(lm*2), lm3
	MOVQ bytes, whole
	ANDQ $-64, whole
	CMPQ whole, bytes
	JEQ  rowloop

	// the masks and q of the partial step
	VMASKS(p)
	maskmove (y)(whole*1), Y12, Y14
	maskmove 32(y)(whole*1), Y13, Y15

rowloop:
	SUBQ   $4, m+0(FP)
	JLT    rowtail
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dottail

dotloop:
	// lane[r] = fma(k_rj · mat_rj, v_j, lane[r])
	move (x)(c*1), Y8
	move 32(x)(c*1), Y9
	DOT((row), 32(row), (mrow), 32(mrow), Y0, Y1)
	DOT((row)(ld*1), 32(row)(ld*1), (mrow)(lm*1), 32(mrow)(lm*1), Y2, Y3)
	DOT((row)(ld*2), 32(row)(ld*2), (mrow)(lm*2), 32(mrow)(lm*2), Y4, Y5)
	DOT((row)(ld3*1), 32(row)(ld3*1), (mrow)(lm3*1), 32(mrow)(lm3*1), Y6, Y7)
	ADDQ $64, row
	ADDQ $64, mrow
	ADDQ $64, c
	CMPQ c, whole
	JLT  dotloop

dottail:
	CMPQ c, bytes
	JEQ  fold

	// the partial step, padded with zeros
	maskmove (x)(c*1), Y12, Y8
	maskmove 32(x)(c*1), Y13, Y9
	DOTSHORT((row), 32(row), (mrow), 32(mrow), Y0, Y1)
	DOTSHORT((row)(ld*1), 32(row)(ld*1), (mrow)(lm*1), 32(mrow)(lm*1), Y2, Y3)
	DOTSHORT((row)(ld*2), 32(row)(ld*2), (mrow)(lm*2), 32(mrow)(lm*2), Y4, Y5)
	DOTSHORT((row)(ld3*1), 32(row)(ld3*1), (mrow)(lm3*1), 32(mrow)(lm3*1), Y6, Y7)

fold:
	// add the upper half of the lanes to the lower half, until one lane is left
	FOLDROWS
	FOLDPAIRS
	FOLDFOUR
	FOLDLAST

	// r_r = sum_r, s_r = w_r r_r
	MOVQ  r+72(FP), p
	move  four, (p)
	MOVQ  w+64(FP), p
	mul   (p), four, four
	MOVQ  s+80(FP), p
	move  four, (p)
	SPREAD
	MOVQ  u+56(FP), p
	bcast (p), Y4
	bcast size(p), Y5
	bcast (2*size)(p), Y6
	bcast (3*size)(p), Y7
	ADDQ  $(4*size), u+56(FP)
	ADDQ  $(4*size), w+64(FP)
	ADDQ  $(4*size), r+72(FP)
	ADDQ  $(4*size), s+80(FP)

	// add to q, from the last column to the first; row and mrow point to the partial step
	CMPQ c, bytes
	JEQ  addwhole
	ADDKMSHORT((row), 32(row), (mrow), 32(mrow), Y8, Y4)
	ADDKMSHORT((row)(ld*1), 32(row)(ld*1), (mrow)(lm*1), 32(mrow)(lm*1), Y9, Y5)
	ADDKMSHORT((row)(ld*2), 32(row)(ld*2), (mrow)(lm*2), 32(mrow)(lm*2), Y10, Y6)
	ADDKMSHORT((row)(ld3*1), 32(row)(ld3*1), (mrow)(lm3*1), 32(mrow)(lm3*1), Y11, Y7)

addwhole:
	TESTQ c, c
	JEQ   rownext

addloop:
	// q_j = fma(k_rj, fma(u_r, mat_rj, s_r), q_j)
	SUBQ $64, row
	SUBQ $64, mrow
	SUBQ $64, c
	move (y)(c*1), Y0
	move 32(y)(c*1), Y1
	ADDKM((row), 32(row), (mrow), 32(mrow), Y8, Y4)
	ADDKM((row)(ld*1), 32(row)(ld*1), (mrow)(lm*1), 32(mrow)(lm*1), Y9, Y5)
	ADDKM((row)(ld*2), 32(row)(ld*2), (mrow)(lm*2), 32(mrow)(lm*2), Y10, Y6)
	ADDKM((row)(ld3*1), 32(row)(ld3*1), (mrow)(lm3*1), 32(mrow)(lm3*1), Y11, Y7)
	move Y0, (y)(c*1)
	move Y1, 32(y)(c*1)
	JNE  addloop

rownext:
	LEAQ (row)(ld*4), row
	LEAQ (mrow)(lm*4), mrow
	JMP  rowloop

rowtail:
	ADDQ $4, m+0(FP)
	JEQ  done

row1loop:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	XORL   c, c
	CMPQ   whole, $0
	JEQ    dot1tail

dot1loop:
	// lane = fma(k_j · mat_j, v_j, lane)
	move (x)(c*1), Y8
	move 32(x)(c*1), Y9
	DOT((row), 32(row), (mrow), 32(mrow), Y0, Y1)
	ADDQ $64, row
	ADDQ $64, mrow
	ADDQ $64, c
	CMPQ c, whole
	JLT  dot1loop

dot1tail:
	CMPQ c, bytes
	JEQ  fold1

	// the partial step, padded with zeros
	maskmove (x)(c*1), Y12, Y8
	maskmove 32(x)(c*1), Y13, Y9
	DOTSHORT((row), 32(row), (mrow), 32(mrow), Y0, Y1)

fold1:
	// add the upper half of the lanes to the lower half, until one lane is left
	FOLDONE
	FOLDLAST1

	// r = sum, s = w r
	MOVQ    r+72(FP), p
	moveone X0, (p)
	MOVQ    w+64(FP), p
	mulone  (p), X0, X0
	MOVQ    s+80(FP), p
	moveone X0, (p)
	bcast   X0, Y8
	MOVQ    u+56(FP), p
	bcast   (p), Y4
	ADDQ    $size, u+56(FP)
	ADDQ    $size, w+64(FP)
	ADDQ    $size, r+72(FP)
	ADDQ    $size, s+80(FP)

	// add to q, from the last column to the first
	CMPQ c, bytes
	JEQ  add1whole
	ADDKMSHORT((row), 32(row), (mrow), 32(mrow), Y8, Y4)

add1whole:
	TESTQ c, c
	JEQ   row1next

add1loop:
	// q_j = fma(k_j, fma(u, mat_j, s), q_j)
	SUBQ $64, row
	SUBQ $64, mrow
	SUBQ $64, c
	move (y)(c*1), Y0
	move 32(y)(c*1), Y1
	ADDKM((row), 32(row), (mrow), 32(mrow), Y8, Y4)
	move Y0, (y)(c*1)
	move Y1, 32(y)(c*1)
	JNE  add1loop

row1next:
	ADDQ ld, row
	ADDQ lm, mrow
	DECQ m+0(FP)
	JNE  row1loop

done:
	// the partial step of q
	VMOVAPS Y14, Y0
	VMOVAPS Y15, Y1
	LEAQ    (y)(whole*1), to
	MOVQ    bytes, rest
	SUBQ    whole, rest

#include "store_avx2_amd64.h"

	VZEROUPPER
	RET
